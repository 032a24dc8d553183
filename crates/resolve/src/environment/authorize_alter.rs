//! Authorizer calls about ALTER TABLE, which SQLite carries out by statements of its own on the schema table. As elsewhere in the schema,
//! SQLITE_IGNORE counts as permission.

use lithe_base::{Db, ResultCode};
use lithe_catalog::{CompileError, Result, SEQUENCE_TABLE};
use lithe_sql::ast::Name;

use super::Environment;
use super::authorize_schema::schema_table;
use crate::authorize::Action;

/// The calls about one of SQLite's statements: `select`, a `function()`, a `column` that is read, an `=column` that is updated.
type Calls = &'static str;

/// The check of all objects.
const TEST: Calls = "select like() name like() sql sqlite_rename_test() sql type name";
/// Strings in double quotes are put into single ones.
const QUOTES: Calls = "sqlite_rename_quotefix() sql =sql like() name like() sql";
const RENAME_TABLE: Calls = "sqlite_rename_table() type name sql =sql type tbl_name like() name =tbl_name type like() name type \
    substr() name name =name tbl_name type type type";
const RENAME_TABLE_IN_TEMP: Calls =
    "sqlite_rename_table() type name sql =sql tbl_name sqlite_rename_test() sql type name tbl_name =tbl_name type";
const RENAME_COLUMN: Calls = "sqlite_rename_column() sql type name =sql like() name type tbl_name";
const RENAME_COLUMN_IN_TEMP: Calls = "sqlite_rename_column() sql type name =sql type";
const DROP_COLUMN: Calls = "sqlite_drop_column() sql =sql type tbl_name";
const ADD_COLUMN: Calls = "printf() sql substr() sql length() printf() sql =sql type name";
const FIND_CONSTRAINT: Calls = "select sqlite_fail() type tbl_name sqlite_find_constraint() sql";

/// How ALTER TABLE changes the constraints of a table.
#[derive(Clone, Copy, Debug)]
pub enum ConstraintChange {
    /// ADD CHECK.
    Add,
    /// DROP CONSTRAINT, DROP NOT NULL.
    Drop,
    /// SET NOT NULL.
    Replace,
}

impl Environment {
    /// RENAME TO. `has_sequence`: the database has the table of AUTOINCREMENT.
    pub fn authorize_rename_table(&self, db: Db, has_sequence: bool) -> Result<()> {
        self.authorize_in_schema(db, RENAME_TABLE)?;
        if has_sequence {
            self.authorize_calls(db, Name::new(SEQUENCE_TABLE.as_bytes()), "=name name")?;
        }
        if db != Db::TEMP {
            self.authorize_in_schema(Db::TEMP, RENAME_TABLE_IN_TEMP)?;
        }
        self.authorize_in_both(db, TEST)
    }

    /// RENAME COLUMN.
    pub fn authorize_rename_column(&self, db: Db) -> Result<()> {
        self.authorize_in_both(db, TEST)?;
        self.authorize_in_both(db, QUOTES)?;
        self.authorize_in_schema(db, RENAME_COLUMN)?;
        self.authorize_in_schema(Db::TEMP, RENAME_COLUMN_IN_TEMP)?;
        self.authorize_in_both(db, TEST)
    }

    /// DROP COLUMN.
    pub fn authorize_drop_column(&self, db: Db) -> Result<()> {
        self.authorize_in_both(db, TEST)?;
        self.authorize_in_both(db, QUOTES)?;
        self.authorize_in_schema(db, DROP_COLUMN)?;
        self.authorize_in_both(db, TEST)
    }

    /// ADD COLUMN.
    pub fn authorize_add_column(&self, db: Db) -> Result<()> {
        self.authorize_in_schema(db, ADD_COLUMN)
    }

    /// The table is asked whether it has a row that a new definition refuses.
    pub fn authorize_refusal(&self, db: Db, table: Name<'_>) -> Result<()> {
        self.authorize_calls(db, table, "select")?;
        self.authorize_read(table, Name::new(b""), db, None).map(drop)
    }

    /// ADD CONSTRAINT looks for one of that name.
    pub fn authorize_find_constraint(&self, db: Db) -> Result<()> {
        self.authorize_in_schema(db, FIND_CONSTRAINT)
    }

    /// A constraint is checked for all rows; calls about its expression follow.
    pub fn authorize_check_of_rows(&self, db: Db) -> Result<()> {
        self.authorize_in_schema(db, "select sqlite_fail()")
    }

    /// The text of the table with other constraints.
    pub fn authorize_constraint(&self, db: Db, change: ConstraintChange) -> Result<()> {
        self.authorize_in_schema(
            db,
            match change {
                ConstraintChange::Add => "sqlite_add_constraint()",
                ConstraintChange::Drop => "sqlite_drop_constraint()",
                ConstraintChange::Replace => "sqlite_add_constraint() sqlite_drop_constraint()",
            },
        )?;
        self.authorize_in_schema(db, "sql =sql type tbl_name")
    }

    /// In the schema of the table, and in that of temp.
    fn authorize_in_both(&self, db: Db, calls: Calls) -> Result<()> {
        self.authorize_in_schema(db, calls)?;
        if db == Db::TEMP { Ok(()) } else { self.authorize_in_schema(Db::TEMP, calls) }
    }

    fn authorize_in_schema(&self, db: Db, calls: Calls) -> Result<()> {
        self.authorize_calls(db, schema_table(db), calls)
    }

    fn authorize_calls(&self, db: Db, table: Name<'_>, calls: Calls) -> Result<()> {
        if self.authorizer.0.is_none() {
            return Ok(());
        }
        for word in calls.split_ascii_whitespace() {
            if word == "select" {
                self.authorize(Action::Select, None, None, None, None)?;
            } else if let Some(function) = word.strip_suffix("()") {
                self.authorize_own_function(function)?;
            } else if let Some(column) = word.strip_prefix('=') {
                self.authorize(Action::Update, Some(table), Some(Name::new(column.as_bytes())), Some(db), None)?;
            } else {
                self.authorize_read(table, Name::new(word.as_bytes()), db, None)?;
            }
        }
        Ok(())
    }

    /// The operator LIKE is called by its name as SQLite writes it.
    fn authorize_own_function(&self, function: &str) -> Result<()> {
        let answer = self.authorize(Action::Function, None, Some(Name::new(function.as_bytes())), None, None);
        let shown = if function == "like" { "LIKE" } else { function };
        answer.map(drop).map_err(|error| match error.code {
            ResultCode::AUTH => CompileError::new(format!("not authorized to use function: {shown}")),
            _ => error,
        })
    }
}
