//! CREATE TABLE to [`Table`].

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use lithe_sql::ast::{
    Check as CheckClause, ColumnConstraint, ColumnConstraintKind, ColumnDef, Conflict, CreateTable, Direction, Expr,
    ExprKind, Name, Quote, Span, TableBody, TableColumns, TableConstraint, TableConstraintKind,
};
use lithe_value::{Affinity, NumberText, Value};

use super::key::{self, KeyConstraint};
use super::prohibit::{self, Place};
use super::{BuildOptions, default, foreign_key};
use crate::error::{CompileError, ErrorKind, Result, fail};
use crate::{Check, CollationName, Column, ColumnDefault, Generated, NameBuf, Table, TableKind};

/// The table that `create` describes; `sql` is the text that the tree's spans are about. The root page is not known
/// yet, nor are those of its indexes. CREATE TABLE AS has no description: its columns come from the select.
pub fn build_table(create: &CreateTable<'_>, sql: &[u8], options: &BuildOptions<'_>) -> Result<Table> {
    let TableBody::Columns(body) = create.body else {
        return fail("a table in the schema has no columns");
    };
    let table = Table { name: create.name.name.name.into(), ..Table::default() };
    let mut builder = TableBuilder {
        table,
        sql,
        options,
        key_is_descending: false,
        has_primary_key: false,
        constraint_name: None,
        names: ColumnNames::default(),
    };
    for column in body.columns {
        builder.add_column(column)?;
    }
    for (at, constraint) in body.constraints.iter().enumerate() {
        // In SQLite, a first CHECK after the columns takes the name of the last constraint of the last column.
        if at > 0 || constraint.name.is_some() {
            builder.constraint_name = constraint.name.map(|name| name.name.into());
        }
        let added = builder.add_constraint(constraint);
        added.map_err(|error| error.while_reading(sql, constraint.span.end))?;
    }
    builder.finish(body)
}

/// A table while its definition is read.
struct TableBuilder<'b> {
    table: Table,
    sql: &'b [u8],
    options: &'b BuildOptions<'b>,
    /// The INTEGER PRIMARY KEY was written DESC, which counts when the table turns out to be WITHOUT ROWID.
    key_is_descending: bool,
    has_primary_key: bool,
    /// The last CONSTRAINT name in the definition of the column: the constraints after it have this name, too.
    constraint_name: Option<NameBuf>,
    /// The columns of the table by their names, once they are many.
    names: ColumnNames,
}

/// The places of columns by the hashes of their names.
#[derive(Default)]
struct ColumnNames {
    hasher: DefaultHashBuilder,
    places: HashTable<u16>,
}

impl ColumnNames {
    /// So many columns are looked through one by one.
    const FEW: usize = 12;

    /// Whether there is a column of that name among all columns so far, which are entered on the way.
    fn contains(&mut self, columns: &[Column], name: Name<'_>) -> bool {
        if columns.len() <= ColumnNames::FEW {
            return columns.iter().any(|column| column.name == name);
        }
        let hash_of = |at: u16| self.hasher.hash_one(columns[usize::from(at)].name.name());
        for at in self.places.len()..columns.len() {
            self.places.insert_unique(hash_of(at as u16), at as u16, |at| hash_of(*at));
        }
        self.places.find(self.hasher.hash_one(name), |at| columns[usize::from(*at)].name == name).is_some()
    }
}

impl TableBuilder<'_> {
    fn add_column(&mut self, definition: &ColumnDef<'_>) -> Result<()> {
        let sql = self.sql;
        self.begin_column(definition).map_err(|error| error.while_reading(sql, definition.constraints_start()))?;
        let at = self.table.columns.len() - 1;
        definition.constraints.iter().try_for_each(|constraint| {
            let added = self.add_column_constraint(at, constraint);
            added.map_err(|error| error.while_reading(sql, constraint.span.end))
        })
    }

    /// Adds a column that has a name and a type.
    fn begin_column(&mut self, definition: &ColumnDef<'_>) -> Result<()> {
        let name = definition.name.name;
        if self.table.columns.len() >= self.options.limits.columns as usize {
            return wrong_definition(format!("too many columns on {}", self.table.name));
        }
        if self.names.contains(&self.table.columns, name) {
            return fail(format!("duplicate column name: {name}"));
        }
        let declared_type = canonical_type(definition.type_name);
        self.table.columns.push(Column {
            name: name.into(),
            affinity: Affinity::of_type(&declared_type),
            declared_type,
            ..Column::default()
        });
        self.constraint_name = None;
        Ok(())
    }

    /// Adds a constraint to the column at this place.
    fn add_column_constraint(&mut self, at: usize, constraint: &ColumnConstraint<'_>) -> Result<()> {
        if let Some(name) = constraint.name {
            self.constraint_name = Some(name.name.into());
        }
        match &constraint.kind {
            ColumnConstraintKind::Null(_) => Ok(()),
            ColumnConstraintKind::NotNull(conflict) => {
                self.table.columns[at].not_null = Some(conflict.unwrap_or(Conflict::Abort));
                Ok(())
            }
            ColumnConstraintKind::PrimaryKey { direction, conflict, autoincrement } => {
                self.begin_primary_key()?;
                self.mark_primary_key(at as u16, 1)?;
                // For historical reasons DESC keeps a column, though not a table constraint, from being the rowid.
                let descending = *direction == Some(Direction::Desc);
                if is_integer(&self.table.columns[at]) && !descending {
                    return self.set_rowid_column(at as u16, *conflict, *autoincrement, false);
                }
                self.refuse_autoincrement(*autoincrement)?;
                let key = KeyConstraint::of_column(&self.table, self.options, at as u16, descending, *conflict, true);
                key::add_key(&mut self.table, key)
            }
            ColumnConstraintKind::Unique(conflict) => {
                let key = KeyConstraint::of_column(&self.table, self.options, at as u16, false, *conflict, false);
                key::add_key(&mut self.table, key)
            }
            ColumnConstraintKind::Check(check) => self.add_check(check),
            ColumnConstraintKind::Default(value, text) => self.set_default(at, value, *text),
            ColumnConstraintKind::Collate(collation) => {
                let collation = CollationName::new(collation.name);
                self.check_collation(&collation)?;
                key::set_collation(&mut self.table, at as u16, &collation);
                self.table.columns[at].collation = collation;
                Ok(())
            }
            ColumnConstraintKind::References(target) => {
                let key = foreign_key::of_column(&self.table, target)?;
                self.table.foreign_keys.insert(0, key);
                Ok(())
            }
            ColumnConstraintKind::Deferrable { deferred } => {
                if let Some(last) = self.table.foreign_keys.first_mut() {
                    last.deferred = *deferred;
                }
                Ok(())
            }
            ColumnConstraintKind::Generated { text, stored, .. } => self.set_generated(at, *text, *stored),
        }
    }

    fn add_constraint(&mut self, constraint: &TableConstraint<'_>) -> Result<()> {
        match &constraint.kind {
            TableConstraintKind::PrimaryKey { columns, autoincrement, conflict } => {
                self.begin_primary_key()?;
                let key = KeyConstraint::of_terms(&self.table, self.options, columns, *conflict, true)?;
                for (place, column) in key.columns.iter().enumerate() {
                    self.mark_primary_key(column.column, place as u16 + 1)?;
                }
                match key.columns[..] {
                    [ref only] if is_integer(&self.table.columns[usize::from(only.column)]) => {
                        self.set_rowid_column(only.column, *conflict, *autoincrement, only.descending)
                    }
                    _ => {
                        self.refuse_autoincrement(*autoincrement)?;
                        key::add_key(&mut self.table, key)
                    }
                }
            }
            TableConstraintKind::Unique { columns, conflict } => {
                let key = KeyConstraint::of_terms(&self.table, self.options, columns, *conflict, false)?;
                key::add_key(&mut self.table, key)
            }
            TableConstraintKind::Check(check) => self.add_check(check),
            TableConstraintKind::ForeignKey { columns, target } => {
                let key = foreign_key::of_table(&self.table, columns, target)?;
                self.table.foreign_keys.insert(0, key);
                Ok(())
            }
        }
    }

    fn begin_primary_key(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.has_primary_key, true) {
            return fail(format!("table \"{}\" has more than one primary key", self.table.name));
        }
        Ok(())
    }

    fn mark_primary_key(&mut self, column: u16, place: u16) -> Result<()> {
        let column = &mut self.table.columns[usize::from(column)];
        if column.is_generated() {
            return wrong_definition("generated columns cannot be part of the PRIMARY KEY");
        }
        if column.primary_key == 0 {
            column.primary_key = place;
        }
        Ok(())
    }

    fn set_rowid_column(
        &mut self,
        column: u16,
        conflict: Option<Conflict>,
        autoincrement: bool,
        descending: bool,
    ) -> Result<()> {
        self.table.rowid_column = Some(column);
        self.table.rowid_conflict = conflict;
        self.table.autoincrement = autoincrement;
        self.key_is_descending = descending;
        Ok(())
    }

    fn refuse_autoincrement(&self, autoincrement: bool) -> Result<()> {
        if autoincrement {
            return wrong_definition("AUTOINCREMENT is only allowed on an INTEGER PRIMARY KEY");
        }
        Ok(())
    }

    fn add_check(&mut self, check: &CheckClause<'_>) -> Result<()> {
        let name = self.constraint_name.clone();
        self.table.checks.push(Check { name, text: check.text.text(self.sql).into() });
        Ok(())
    }

    fn set_default(&mut self, at: usize, value: &Expr<'_>, text: Span) -> Result<()> {
        let sql = self.sql;
        let column = &mut self.table.columns[at];
        let is_bare = !sql[..text.start as usize].trim_ascii_end().ends_with(b"(");
        // A name that stands alone is a string; within parentheses it would be a column.
        let value_of_name = match value.kind {
            ExprKind::Column(name) if is_bare && name.quote() != Quote::None => Some(Value::text(name.name.as_bytes())),
            ExprKind::Column(name) if is_bare => {
                prohibit::literal_value(value).or_else(|| Some(Value::text(name.name.as_bytes())))
            }
            _ => None,
        };
        if value_of_name.is_none() && !prohibit::is_constant(value) {
            return wrong_definition(format!("default value of column [{}] is not constant", column.name));
        }
        if column.is_generated() {
            return wrong_definition("cannot use DEFAULT on a generated column");
        }
        let old_rows = value_of_name.clone().or_else(|| default::of_old_rows(value, column.affinity));
        let value = value_of_name.or_else(|| prohibit::literal_value(value));
        column.default = Some(ColumnDefault { text: text.text(sql).into(), value, old_rows });
        Ok(())
    }

    fn set_generated(&mut self, at: usize, text: Span, stored: bool) -> Result<()> {
        let text = text.text(self.sql).into();
        let column = &mut self.table.columns[at];
        if column.default.is_some() || column.is_generated() {
            return wrong_definition(format!("error in generated column \"{}\"", column.name));
        }
        if column.primary_key > 0 {
            return wrong_definition("generated columns cannot be part of the PRIMARY KEY");
        }
        column.generated = Some(Generated { text, stored });
        Ok(())
    }

    pub(super) fn check_collation(&self, collation: &CollationName) -> Result<()> {
        super::collation::check_collation(collation, self.options)
    }

    /// Makes the checks that need the whole definition.
    fn finish(mut self, body: &TableColumns<'_>) -> Result<Table> {
        if body.strict {
            self.make_strict()?;
        }
        if body.without_rowid {
            if self.table.autoincrement {
                return fail("AUTOINCREMENT not allowed on WITHOUT ROWID tables");
            }
            if !self.has_primary_key {
                return fail(format!("PRIMARY KEY missing on table {}", self.table.name));
            }
            self.table.kind = TableKind::WithoutRowid;
            key::make_without_rowid(&mut self.table, self.options, self.key_is_descending)?;
        }
        let checked = self.check_expressions(body);
        if self.table.columns.iter().all(Column::is_generated) {
            return fail("must have at least one non-generated column");
        }
        checked?;
        self.table.number_stored_columns();
        self.table.columns.iter_mut().for_each(apply_affinity_to_default);
        Ok(self.table)
    }

    fn make_strict(&mut self) -> Result<()> {
        self.table.strict = true;
        for (at, column) in self.table.columns.iter_mut().enumerate() {
            let name = (&self.table.name, &column.name);
            if column.declared_type.is_empty() {
                return fail(format!("missing datatype for {}.{}", name.0, name.1));
            }
            let Some(affinity) = strict_affinity(&column.declared_type) else {
                let written = String::from_utf8_lossy(&column.declared_type);
                return fail(format!("unknown datatype for {}.{}: \"{written}\"", name.0, name.1));
            };
            column.affinity = affinity;
            if column.primary_key > 0 && self.table.rowid_column != Some(at as u16) {
                column.not_null = column.not_null.or(Some(Conflict::Abort));
            }
        }
        Ok(())
    }

    /// CHECKs first, then generated columns.
    fn check_expressions(&self, body: &TableColumns<'_>) -> Result<()> {
        let of_columns = || body.columns.iter().flat_map(|column| column.constraints);
        let checks = of_columns().filter_map(|constraint| match &constraint.kind {
            ColumnConstraintKind::Check(clause) => Some(&clause.condition),
            _ => None,
        });
        let checks_of_table = body.constraints.iter().filter_map(|constraint| match &constraint.kind {
            TableConstraintKind::Check(clause) => Some(&clause.condition),
            _ => None,
        });
        let checked = checks
            .chain(checks_of_table)
            .try_for_each(|check| prohibit::check(check, &self.table, Place::Check, self.options));
        let mut error = checked.err();
        // Generated columns are checked even after an error. (SQLite reads a column alone as `+column`, an operator
        // that the walk does not enter after an error.)
        for constraint in of_columns() {
            let ColumnConstraintKind::Generated { value, .. } = &constraint.kind else { continue };
            let is_column = matches!(value.kind, ExprKind::Column(_));
            error = match error {
                None => prohibit::check(value, &self.table, Place::Generated, self.options).err(),
                Some(error) if is_column => Some(error),
                Some(error) => Some(prohibit::check_behind(error, value, &self.table, Place::Generated, self.options)),
            };
        }
        error.map_or(Ok(()), Err)
    }
}

/// A default is stored as the same value would be if INSERT gave it.
fn apply_affinity_to_default(column: &mut Column) {
    let Some(default) = &mut column.default else { return };
    for value in [&mut default.value, &mut default.old_rows].into_iter().flatten() {
        let mut scratch = NumberText::default();
        *value = Value::from(column.affinity.apply(value.as_ref(), &mut scratch));
    }
}

/// SQLite keeps its six standard types in capitals, all others as written.
fn canonical_type(written: &[u8]) -> Box<[u8]> {
    const STANDARD: [&[u8]; 6] = [b"ANY", b"BLOB", b"INT", b"INTEGER", b"REAL", b"TEXT"];
    let standard = STANDARD.into_iter().find(|standard| standard.eq_ignore_ascii_case(written));
    standard.unwrap_or(written).into()
}

/// The types of STRICT tables; ANY keeps everything as it is.
fn strict_affinity(declared_type: &[u8]) -> Option<Affinity> {
    match declared_type {
        b"ANY" | b"BLOB" => Some(Affinity::Blob),
        b"INT" | b"INTEGER" => Some(Affinity::Integer),
        b"REAL" => Some(Affinity::Real),
        b"TEXT" => Some(Affinity::Text),
        _ => None,
    }
}

/// Exactly INTEGER makes a primary key the rowid; INT, for instance, does not.
fn is_integer(column: &Column) -> bool {
    &*column.declared_type == b"INTEGER"
}

/// A column that the expression of a generated column names.
#[derive(Clone, Copy, Debug)]
pub struct ColumnUse {
    /// The column.
    pub column: u16,
    /// Whether it is named in a comparison of row values, for which SQLite makes no code once it has found an error.
    pub is_in_rows: bool,
}

/// "generated column loop on x" for virtual columns that depend on each other. SQLite finds the loop by reading a row.
/// `uses` gives the columns that a column's expression names.
pub fn check_generated_loops(table: &Table, uses: impl Fn(u16) -> Vec<ColumnUse>) -> Result<()> {
    let is_virtual = |at: u16| table.columns[usize::from(at)].generated.as_ref().is_some_and(|g| !g.stored);
    let (busy, clean) = (Vec::new(), Vec::new());
    let mut search = LoopSearch { is_virtual: &is_virtual, uses: &uses, busy, clean, has_fault: false, left: LOOK_MAX };
    let mut fault = None;
    for at in (0..table.columns.len() as u16).filter(|&at| is_virtual(at)) {
        // SQLite reads every column, and reports the last error.
        fault = search.find(at).or(fault);
    }
    match fault {
        Some(at) => {
            let name = &table.columns[usize::from(at)].name;
            Err(CompileError::new(format!("generated column loop on \"{name}\"")))
        }
        None => Ok(()),
    }
}

/// How many columns the search visits at most, because columns that depend on each other can be visited in exponentially
/// many orders. The last error found until then is reported.
const LOOK_MAX: u32 = 10_000;

/// The search for columns that are needed while they are being computed.
struct LoopSearch<'s, V, U> {
    is_virtual: &'s V,
    uses: &'s U,
    /// The columns that are being computed.
    busy: Vec<u16>,
    /// The columns that are known to be in no loop.
    clean: Vec<u16>,
    /// Whether any loop has been found.
    has_fault: bool,
    left: u32,
}

impl<V: Fn(u16) -> bool, U: Fn(u16) -> Vec<ColumnUse>> LoopSearch<'_, V, U> {
    /// The last column that is needed while it is being computed, if computing `at` meets one.
    fn find(&mut self, at: u16) -> Option<u16> {
        if self.busy.contains(&at) {
            self.has_fault = true;
            return Some(at);
        }
        if self.clean.contains(&at) || self.left == 0 {
            return None;
        }
        self.left -= 1;
        self.busy.push(at);
        let mut fault = None;
        for used in (self.uses)(at) {
            if (self.is_virtual)(used.column) && !(used.is_in_rows && self.has_fault) {
                fault = self.find(used.column).or(fault);
            }
        }
        self.busy.pop();
        if fault.is_none() {
            self.clean.push(at);
        }
        fault
    }
}

/// An error about the definition of a column.
fn wrong_definition<T>(message: impl Into<String>) -> Result<T> {
    Err(CompileError::new(message).of_kind(ErrorKind::ColumnDefinition))
}
