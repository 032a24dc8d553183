//! The state of the connection that compiling a statement needs.

mod authorize;
mod authorize_alter;
mod authorize_schema;
mod known_names;
mod known_values;

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};

use hashbrown::HashMap;
use lithe_base::Db;
use lithe_catalog::{Catalog, CompileError, Index, Measures, Result, Table, Wanted};
use lithe_format::db_header::TextEncoding;
use lithe_functions::{Function, Registry};
use lithe_sql::Limits;
use lithe_sql::ast::Name;
use lithe_value::{Collation, CustomCollation, Value};
use lithe_vtab::VirtualTables;

pub use authorize_alter::ConstraintChange;

use crate::authorize::Authorizer;
use crate::ir::Coll;

pub use crate::ir::PlannedParameters;
pub use known_values::Evaluator;

/// The state of the connection that a statement is compiled with. It does not change during compilation.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Tables, indexes, views and triggers of all databases.
    pub catalog: Arc<Catalog>,
    /// The functions.
    pub functions: Arc<Registry>,
    /// The application's collations, by name in lower case.
    pub collations: Arc<HashMap<String, Collation>>,
    /// Names of collations, in lower case, that were missing when the statement was compiled before: no query uses their indexes.
    pub missing_collations: Vec<String>,
    /// The limits of statements.
    pub limits: Limits,
    /// Switches.
    pub flags: Flags,
    /// The authorizer callback.
    pub authorizer: Authorizer,
    /// The shadow tables that only virtual tables may change.
    pub shadow_tables: ShadowTables,
    /// The virtual tables that are connected.
    pub virtual_tables: VirtualTables,
    /// Functions that virtual tables have overloaded in this statement.
    pub overloaded: OverloadedFunctions,
    /// Values bound to the parameters, if the planner may use them; empty otherwise.
    pub parameters: Vec<Value>,
    /// The parameters whose values the planner has asked for.
    pub planned_parameters: PlannedParameters,
    /// The sizes of trees that were measured without ANALYZE.
    pub measures: Arc<Measures>,
    /// The measures that the planner lacked.
    pub wanted: Wanted,
}

/// Tells whether a table of that name is a shadow table that the statement may not change.
#[derive(Clone, Default)]
pub struct ShadowTables(Option<Rc<IsShadow>>);

type IsShadow = dyn Fn(Name<'_>) -> bool;

impl ShadowTables {
    /// Protects the tables of which `is_shadow` is true.
    pub fn protected(is_shadow: impl Fn(Name<'_>) -> bool + 'static) -> ShadowTables {
        ShadowTables(Some(Rc::new(is_shadow)))
    }

    /// Whether the statement may not touch a table of that name.
    pub fn protects(&self, name: Name<'_>) -> bool {
        self.0.as_ref().is_some_and(|is_shadow| is_shadow(name))
    }
}

impl fmt::Debug for ShadowTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShadowTables({})", if self.0.is_some() { "protected" } else { "free" })
    }
}

/// Functions that live as long as a statement is compiled. The resolved tree refers to them, and nothing in its arena is
/// ever dropped: so they are a list that only grows.
#[derive(Clone, Debug, Default)]
pub struct OverloadedFunctions(OnceCell<Box<(Arc<Function>, OverloadedFunctions)>>);

impl OverloadedFunctions {
    /// Keeps the function.
    pub fn keep(&self, function: Arc<Function>) -> &Arc<Function> {
        let mut last = self;
        while let Some(node) = last.0.get() {
            last = &node.1;
        }
        &last.0.get_or_init(|| Box::new((function, OverloadedFunctions::default()))).0
    }
}

/// Switches of a connection that change what statements compile to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// PRAGMA foreign_keys.
    pub foreign_keys: bool,
    /// PRAGMA defer_foreign_keys.
    pub defer_foreign_keys: bool,
    /// Foreign keys behave as if each said NO ACTION.
    pub foreign_keys_no_action: bool,
    /// PRAGMA recursive_triggers.
    pub recursive_triggers: bool,
    /// Triggers fire (SQLITE_DBCONFIG_ENABLE_TRIGGER).
    pub triggers: bool,
    /// Views can be used (SQLITE_DBCONFIG_ENABLE_VIEW).
    pub views: bool,
    /// A name in double quotes that is no column is a string, in SELECT, INSERT, UPDATE, DELETE.
    pub dqs_dml: bool,
    /// The same in CREATE.
    pub dqs_ddl: bool,
    /// PRAGMA full_column_names.
    pub full_column_names: bool,
    /// PRAGMA short_column_names.
    pub short_column_names: bool,
    /// PRAGMA reverse_unordered_selects.
    pub reverse_unordered_selects: bool,
    /// PRAGMA count_changes.
    pub count_changes: bool,
    /// PRAGMA ignore_check_constraints.
    pub ignore_check_constraints: bool,
    /// PRAGMA writable_schema.
    pub writable_schema: bool,
    /// No SQL may damage the file: overrules `writable_schema` (SQLITE_DBCONFIG_DEFENSIVE).
    pub defensive: bool,
    /// EXPLAIN QUERY PLAN shows triggers too (SQLITE_DBCONFIG_TRIGGER_EQP).
    pub trigger_eqp: bool,
    /// Statements are compiled so that their loops are counted (SQLITE_DBCONFIG_STMT_SCANSTATUS).
    pub scan_status: bool,
    /// New databases get the schema format that all versions of SQLite know (SQLITE_DBCONFIG_LEGACY_FILE_FORMAT).
    pub legacy_file_format: bool,
    /// PRAGMA trusted_schema.
    pub trusted_schema: bool,
    /// PRAGMA legacy_alter_table.
    pub legacy_alter_table: bool,
    /// PRAGMA case_sensitive_like.
    pub case_sensitive_like: bool,
    /// PRAGMA automatic_index.
    pub automatic_index: bool,
    /// PRAGMA query_only.
    pub query_only: bool,
    /// A pre-update hook is set: programs call it for each row that they change.
    pub preupdate_hook: bool,
    /// Statements cannot use virtual tables (SQLITE_PREPARE_NO_VTAB).
    pub no_virtual_tables: bool,
    /// The schema is being loaded or checked: no program is generated, and names in the schema are trusted.
    pub reading_schema: bool,
}

impl Default for Flags {
    fn default() -> Flags {
        Flags {
            foreign_keys: false,
            defer_foreign_keys: false,
            foreign_keys_no_action: false,
            recursive_triggers: false,
            triggers: true,
            views: true,
            dqs_dml: true,
            dqs_ddl: true,
            full_column_names: false,
            short_column_names: true,
            reverse_unordered_selects: false,
            count_changes: false,
            ignore_check_constraints: false,
            writable_schema: false,
            defensive: false,
            trigger_eqp: false,
            scan_status: false,
            legacy_file_format: false,
            trusted_schema: true,
            legacy_alter_table: false,
            automatic_index: true,
            case_sensitive_like: false,
            query_only: false,
            preupdate_hook: false,
            no_virtual_tables: false,
            reading_schema: false,
        }
    }
}

impl Flags {
    /// Whether SQL may write the schema tables.
    pub fn may_write_schema(&self) -> bool {
        self.writable_schema && !self.defensive
    }

    /// Whether a name in double quotes may be a string in a statement that changes the schema. If the schema table may be
    /// written by hand, the rule for other statements holds.
    pub fn has_quoted_strings_in_ddl(&self) -> bool {
        self.dqs_ddl || self.dqs_dml && self.may_write_schema()
    }

    /// Whether statements may name the table.
    pub fn may_use(&self, table: &Table) -> bool {
        !self.no_virtual_tables || table.virtual_table().is_none()
    }
}

impl Environment {
    /// Whether a query may use the index: its order is that of collations that exist, as far as is known.
    pub fn may_query(&self, index: &Index) -> bool {
        let is_missing = |name: &str| self.missing_collations.iter().any(|missing| missing.eq_ignore_ascii_case(name));
        self.missing_collations.is_empty()
            || !index.columns.iter().any(|column| is_missing(&column.collation.name().to_str_lossy()))
    }

    /// The collation, or SQLite's error if the application has defined none of that name.
    pub fn collation(&self, collation: Coll<'_>) -> Result<Collation> {
        match collation {
            Coll::Binary => Ok(self.binary_collation()),
            Coll::NoCase => Ok(Collation::NoCase),
            Coll::RTrim => Ok(Collation::RTrim),
            Coll::Named(name) => self
                .collations
                .get(&name.to_str_lossy().to_ascii_lowercase())
                .cloned()
                .ok_or_else(|| CompileError::no_such_collation(name)),
        }
    }
}

impl Environment {
    /// BINARY compares the bytes that the database stores: in UTF-16 their order is not that of UTF-8, the encoding of
    /// texts in registers.
    pub(crate) fn binary_collation(&self) -> Collation {
        match self.catalog.schema(Db::MAIN).encoding {
            TextEncoding::Utf8 => Collation::Binary,
            TextEncoding::Utf16Le => UTF16LE.clone(),
            TextEncoding::Utf16Be => UTF16BE.clone(),
        }
    }
}

/// One object each, because custom collations are equal only if they are the same object.
static UTF16LE: LazyLock<Collation> = LazyLock::new(|| Collation::Custom(Arc::new(Utf16Binary { swaps: true })));
static UTF16BE: LazyLock<Collation> = LazyLock::new(|| Collation::Custom(Arc::new(Utf16Binary { swaps: false })));

/// BINARY of a UTF-16 database, for texts in UTF-8.
struct Utf16Binary {
    /// Little-endian: the low byte of a unit counts first.
    swaps: bool,
}

impl CustomCollation for Utf16Binary {
    fn name(&self) -> &str {
        "BINARY"
    }

    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        let unit = |unit: u16| if self.swaps { unit.swap_bytes() } else { unit };
        let (left, right) = (String::from_utf8_lossy(left), String::from_utf8_lossy(right));
        left.encode_utf16().map(unit).cmp(right.encode_utf16().map(unit))
    }
}
