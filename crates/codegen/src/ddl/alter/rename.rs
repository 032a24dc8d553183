//! RENAME TO and RENAME COLUMN: all names of the table or column in the schema's texts are replaced.

use lithe_catalog::{Result, SEQUENCE_TABLE, Table, Trigger, fail};
use lithe_sql::ast::Ident;
use lithe_vm::operand::Db;

use super::super::names::refuse_reserved;
use super::super::system;
use super::Altered;
use super::change::Change;
use super::edits::{self, RowEdit};
use super::objects::{edits_of_both, refuse_in_temp, refuse_strings_as_terms};
use super::verify::{self, After};
use crate::Codegen;

/// ALTER TABLE RENAME TO.
pub(super) fn rename_table<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, to: Ident<'a>) -> Result<()> {
    let Altered { db, table } = altered;
    let schema = cg.env.catalog.schema(db);
    if schema.table(to.name).is_some() || schema.index(to.name).is_some() {
        return fail(format!("there is already another table or index with this name: {}", to.name));
    }
    if table.is_system() {
        return fail(format!("table {} may not be altered", table.name));
    }
    refuse_reserved(cg, to.name)?;
    if table.view().is_some() {
        return fail(format!("view {} may not be altered", table.name));
    }
    rename(cg, altered, Change::Table(to))
}

/// ALTER TABLE RENAME COLUMN.
pub(super) fn rename_column<'a>(
    cg: &mut Codegen<'a>,
    altered: Altered<'a>,
    from: Ident<'a>,
    to: Ident<'a>,
    sql: &[u8],
) -> Result<()> {
    altered.check("cannot rename columns of {}")?;
    let at = altered.column(from, sql)?;
    altered.refuse_rowid_name("rename from", from)?;
    altered.refuse_rowid_name("rename to", to)?;
    rename(cg, altered, Change::Column(at, to))
}

fn rename<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, change: Change<'a>) -> Result<()> {
    let Altered { db, table } = altered;
    match change {
        Change::Table(_) => {
            let has_sequence = system::system_table(cg, db, SEQUENCE_TABLE).is_some();
            cg.env.authorize_rename_table(db, has_sequence)?;
        }
        Change::Column(..) | Change::Cut(_) => cg.env.authorize_rename_column(db)?,
    }
    let (own, temporary) = match cg.env.authorizer.silent(|| edits_of_all(cg, altered, change)) {
        Ok(edits) => edits,
        Err(error) => return super::fail_when_run(cg, db, error),
    };
    cg.transactions.use_database(db, true);
    cg.journal.note_more_changes();
    edits::write(cg, db, &own)?;
    if let (Change::Table(to), Some(sequence)) = (change, system::system_table(cg, db, SEQUENCE_TABLE)) {
        system::rename_in(cg, db, sequence, table.name.name(), to.name)?;
    }
    if let (Change::Table(to), Some(_)) = (change, table.virtual_table()) {
        cg.journal.note_may_abort();
        let new_name = cg.b.text(to.name.to_str_lossy().into_owned());
        system::change_virtual(cg, db, system::virtual_change::RENAME, table.name.name(), new_name);
    }
    edits::reload(cg, db, table.name.name());
    edits::write_temporary(cg, db, &temporary)
}

/// The schema rows to edit in the schema of the table, and in that of temp.
fn edits_of_all<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    change: Change<'a>,
) -> Result<(Vec<RowEdit>, Vec<RowEdit>)> {
    let Altered { db, table } = altered;
    let (own, temporary) = edits_of_both(cg, altered, change)?;
    if matches!(change, Change::Column(..)) && !cg.env.flags.may_write_schema() {
        refuse_strings_as_terms(cg, table)?;
    }
    if let (Db::TEMP, Change::Column(..)) = (db, change) {
        refuse_in_temp(cg, &own)?;
    }
    let when = match change {
        Change::Table(_) => After::RenameTable,
        Change::Column(..) | Change::Cut(_) => After::RenameColumn,
    };
    if let (Db::TEMP, Change::Table(_)) = (db, change) {
        refuse_beside_namesake(cg, table)?;
    }
    let edited: [(Db, &[RowEdit]); 2] = [(db, &own), (Db::TEMP, &temporary)];
    verify::verify(cg, db, &edited[..if db == Db::TEMP { 1 } else { 2 }], when)?;
    Ok((own, temporary))
}

/// Rejects the name of a temporary table that another database's table has, too, if a temporary trigger is on that one: SQLite writes the new
/// name into the trigger's row, and then finds that its text says otherwise, which it has no message for.
fn refuse_beside_namesake(cg: &Codegen<'_>, table: &Table) -> Result<()> {
    let temp = cg.env.catalog.database_name(Db::TEMP);
    let is_of_namesake = |trigger: &Trigger| {
        trigger.table == table.name && trigger.table_schema.as_ref().is_some_and(|schema| *schema != *temp)
    };
    let triggers = cg.env.catalog.schema(Db::TEMP).triggers();
    match triggers.into_iter().find(|trigger| is_of_namesake(trigger)) {
        Some(_) if cg.env.flags.may_write_schema() => Ok(()),
        Some(trigger) => fail(format!("error in trigger {} after rename: ", trigger.name)),
        None => Ok(()),
    }
}
