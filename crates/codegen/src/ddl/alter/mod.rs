//! ALTER TABLE.
//!
//! The schema is text, and ALTER TABLE edits it. The statements that create the table, its indexes, and the views and triggers
//! that mention it are parsed, the positions of names and definitions are taken from their trees, and the new text is written
//! into the schema table. Before that the new text is read into a catalog of its own, and all names in it are resolved: if one is
//! no longer valid, the statement fails before it has changed anything.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `text` | editing text by the spans of a tree |
//! | `edits` | the edited rows of the schema table |
//! | `definitions` | the expressions in the definitions of tables and indexes |
//! | `verify` | whether the edited schema is valid |
//! | `add_column`, `drop_column` | ADD COLUMN, DROP COLUMN |
//! | `constraint` | ADD CONSTRAINT, DROP CONSTRAINT, SET NOT NULL, DROP NOT NULL |
//! | `rename` | RENAME TO, RENAME COLUMN |
//! | `objects` | the new text of each object when a name changes or a column is dropped |
//! | `names` | names in CREATE TABLE and CREATE INDEX |
//! | `quotes` | a statement with its strings in single quotes |

mod add_column;
mod change;
mod constraint;
mod definitions;
mod drop_column;
mod edits;
mod names;
mod objects;
mod quotes;
mod rename;
mod text;
mod verify;

use lithe_base::ResultCode;
use lithe_catalog::{CompileError, ErrorKind, Result, Table, VirtualState, fail};
use lithe_resolve::ir::{Expr, OutputColumn};
use lithe_resolve::{is_rowid_name, plain_output};
use lithe_sql::ast::{AlterAction, AlterTable, CreateTable, Ident, Name, Stmt, TableBody, TableColumns};
use lithe_vm::operand::Db;
pub use quotes::with_single_quotes;

use super::names::{as_written, quoted};
use crate::Codegen;

/// What stands before a definition that is added to the text of a table.
const SEPARATOR: &[u8] = b", ";

/// ALTER TABLE; `sql` is the statement's text. Returns the columns of its rows, of which it has none.
pub(crate) fn alter_table<'a>(
    cg: &mut Codegen<'a>,
    alter: &'a AlterTable<'a>,
    sql: &'a [u8],
) -> Result<&'a [OutputColumn<'a>]> {
    let reading = |error: CompileError| match alter.action {
        AlterAction::AddColumn(definition) => error.while_reading(sql, definition.constraints_start()),
        _ => error,
    };
    let found = cg.env.catalog.table(alter.table.schema, alter.table.name).map_err(reading)?;
    let altered = Altered { db: found.db, table: found.table };
    if cg.env.shadow_tables.protects(found.table.name.name()) {
        return fail(format!("table {} may not be altered", found.table.name)).map_err(reading);
    }
    // Eponymous virtual tables are in no schema.
    let is_in_schema = cg.env.catalog.schema(found.db).table(found.table.name.name()).is_some();
    if !is_in_schema && found.table.virtual_table().is_some() && !matches!(alter.action, AlterAction::AddColumn(_)) {
        return fail(format!("table {} may not be altered", found.table.name));
    }
    // The module of a virtual table is called with the new name (xRename).
    if let (Some(of), AlterAction::RenameTable(_)) = (found.table.virtual_table(), &alter.action) {
        match of.state {
            VirtualState::Connected(connected) if cg.env.virtual_tables.get(connected.id.0).is_some() => {}
            VirtualState::Connected(_) | VirtualState::Unconnected => {
                return Err(CompileError::unconnected(found.db, &found.table.name));
            }
            VirtualState::Function(_) => return fail(format!("table {} may not be altered", found.table.name)),
        }
    }
    // Virtual tables must write deferred changes before the schema is reloaded, because that reconnects them.
    cg.journal.note_more_changes();
    cg.journal.note_may_abort();
    match &alter.action {
        AlterAction::RenameTable(name) => rename::rename_table(cg, altered, *name)?,
        AlterAction::RenameColumn { from, to } => rename::rename_column(cg, altered, *from, *to, sql)?,
        AlterAction::AddColumn(definition) => return add_column::add_column(cg, altered, definition, sql),
        AlterAction::DropColumn(name) => drop_column::drop_column(cg, altered, *name, sql)?,
        AlterAction::AddCheck { name, check, span } => {
            constraint::add_check(cg, altered, *name, check, *span, sql)?;
            let message = name.map(|name| format!("constraint {} already exists", name.name));
            return Ok(constraint_call(cg, message.as_deref()));
        }
        AlterAction::DropConstraint(name) => constraint::drop_constraint(cg, altered, *name)?,
        AlterAction::SetNotNull { column, span, .. } => {
            constraint::set_not_null(cg, altered, *column, *span, sql)?;
            return Ok(constraint_call(cg, None));
        }
        AlterAction::DropNotNull(column) => constraint::drop_not_null(cg, altered, *column)?,
    }
    Ok(&[])
}

/// The column of a statement that edits constraints: by the first of SQLite's queries within it, which fails with this message if a constraint
/// of the name is there, or because of a row.
fn constraint_call<'a>(cg: &Codegen<'a>, message: Option<&str>) -> &'a [OutputColumn<'a>] {
    let (message, code) = match message {
        Some(message) => (message, ResultCode::ERROR),
        None => ("constraint failed", ResultCode::CONSTRAINT),
    };
    failing_call(cg, format!("sqlite_fail({}, {})", quoted(Name::new(message.as_bytes()), '\''), code.0))
}

/// The column that SQLite's statement has by a query within it, which calls a function only to fail and never gives a row: `sqlite3_column_count()` is
/// 1, and this the column's name.
fn failing_call<'a>(cg: &Codegen<'a>, call: String) -> &'a [OutputColumn<'a>] {
    let name = Name::new(cg.arena.alloc_str(&call).as_bytes());
    let column = plain_output(&Expr::Null).renamed(name);
    cg.arena.alloc_slice_copy(&[OutputColumn { affinity: None, ..column }])
}

/// Defers an error in the schema to the run. SQLite finds it by nested statements, after it has taken its locks.
fn fail_when_run(cg: &mut Codegen<'_>, db: Db, error: CompileError) -> Result<()> {
    if error.code != ResultCode::ERROR || matches!(error.kind, ErrorKind::Unconnected(_)) {
        return Err(error);
    }
    cg.transactions.use_database(db, true);
    cg.emit_run_error(&error.message);
    Ok(())
}

/// The table that is altered.
#[derive(Clone, Copy)]
struct Altered<'a> {
    db: Db,
    table: &'a Table,
}

impl<'a> Altered<'a> {
    /// Rejects tables that cannot be altered: views and virtual tables with `refusal`, in which `{}` stands for `view "name"`.
    fn check(&self, refusal: &str) -> Result<()> {
        let name = &self.table.name;
        if self.table.view().is_some() {
            return fail(refusal.replace("{}", &format!("view \"{name}\"")));
        }
        if self.table.virtual_table().is_some() {
            return fail(refusal.replace("{}", &format!("virtual table \"{name}\"")));
        }
        if self.table.is_system() {
            return fail(format!("table {name} may not be altered"));
        }
        Ok(())
    }

    /// The column of that name, as written in `sql`.
    fn column(&self, name: Ident<'_>, sql: &[u8]) -> Result<u16> {
        match self.table.column(name.name) {
            Some(at) => Ok(at),
            None => Err(CompileError::at(name.span(), format!("no such column: \"{}\"", as_written(sql, name)))),
        }
    }

    /// Rejects a column with a name of the rowid, which would hide the rowid.
    fn refuse_rowid_name(&self, what: &str, name: Ident<'_>) -> Result<()> {
        if self.table.has_rowid() && is_rowid_name(name.name) {
            return fail(format!("cannot {what} rowid alias: {}", name.name));
        }
        Ok(())
    }

    /// The tree of its CREATE statement, whose spans refer to [`Table::sql`].
    fn definition(&self, cg: &Codegen<'a>) -> Result<(&'a CreateTable<'a>, &'a TableColumns<'a>)> {
        let malformed = || CompileError::new(format!("malformed definition of table {}", self.table.name));
        let Stmt::CreateTable(create) = cg.resolver.parse_stored(&self.table.sql)? else { return Err(malformed()) };
        match create.body {
            TableBody::Columns(body) => Ok((create, body)),
            TableBody::Select(_) => Err(malformed()),
        }
    }
}
