//! DROP TABLE, INDEX, VIEW, TRIGGER.

use std::sync::Arc;

use lithe_base::ResultCode;
use lithe_catalog::{
    CompileError, FoundTable, IndexOrigin, Result, SEQUENCE_TABLE, Table, VirtualState, display_name, fail,
    is_system_name,
};
use lithe_format::PageNo;
use lithe_optimize::write::foreign_keys::{drop_needs_delete, is_parent};
use lithe_resolve::ir::OutputColumn;
use lithe_sql::ast::{Conflict, Drop, Name, ObjectKind, QualifiedName};
use lithe_value::ValueRef;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{AffinityListId, CollationId, CompareFlags, Db, Reg, TextId};

use super::system::{self, Is, object_kind, schema_column};
use crate::{Codegen, write};

/// DROP of any object. Returns the column that a DROP TABLE has under PRAGMA count_changes, if it deletes the rows first.
pub(crate) fn drop_object<'a>(cg: &mut Codegen<'a>, drop: &'a Drop<'a>) -> Result<&'a [OutputColumn<'a>]> {
    match drop.kind {
        ObjectKind::Table | ObjectKind::View => return drop_table(cg, drop),
        ObjectKind::Index => drop_index(cg, drop)?,
        ObjectKind::Trigger => drop_trigger(cg, drop)?,
    }
    Ok(&[])
}

/// The object does not exist: an error, or nothing to do under IF EXISTS.
fn missing(cg: &mut Codegen<'_>, drop: &Drop<'_>, kind: &str) -> Result<()> {
    if !drop.if_exists {
        return Err(CompileError::no_such(kind, display_name(drop.name)));
    }
    let db = drop.name.schema.and_then(|schema| cg.env.catalog.find_database(schema.name));
    cg.transactions.use_database(db.unwrap_or(Db::MAIN), false);
    Ok(())
}

fn schema_name<'a>(name: QualifiedName<'a>) -> Option<Name<'a>> {
    name.schema.map(|schema| schema.name)
}

fn drop_table<'a>(cg: &mut Codegen<'a>, drop: &'a Drop<'a>) -> Result<&'a [OutputColumn<'a>]> {
    let is_view = drop.kind == ObjectKind::View;
    let env = cg.env;
    let found = env.catalog.find_table(schema_name(drop.name), drop.name.name.name);
    let Some(found) = found.filter(|found| env.flags.may_use(found.table)) else {
        return missing(cg, drop, if is_view { "view" } else { "table" }).map(|()| &[][..]);
    };
    let (db, table) = (found.db, &**found.table);
    if let Some(of) = table.virtual_table() {
        // Eponymous virtual tables are not in the schema.
        let is_in_schema =
            env.catalog.schema(db).table(table.name.name()).is_some_and(|own| std::ptr::eq(&**own, table));
        if !is_in_schema {
            return fail(format!("table {} may not be dropped", table.name));
        }
        let error = CompileError::unconnected(db, &table.name);
        match of.state {
            VirtualState::Unconnected => return Err(error),
            VirtualState::Connected(connected) if env.virtual_tables.get(connected.id.0).is_none() => {
                return Err(error);
            }
            VirtualState::Connected(_) => {}
            VirtualState::Function(_) => {}
        }
    }
    if !may_be_dropped(cg, table) {
        return fail(format!("table {} may not be dropped", table.name));
    }
    match (is_view, table.view().is_some()) {
        (true, false) => return fail(format!("use DROP TABLE to delete table {}", table.name)),
        (false, true) => return fail(format!("use DROP VIEW to delete view {}", table.name)),
        _ => {}
    }
    cg.transactions.use_database(db, true);
    let counted = delete_rows(cg, found)?;
    if !is_view {
        system::delete_statistics(cg, db, system::TABLE_NAME_COLUMN, table.name.name())?;
    }
    drop_triggers(cg, found)?;
    if table.autoincrement
        && let Some(sequence) = system::system_table(cg, db, SEQUENCE_TABLE)
    {
        cg.env.authorize_delete_rows(db, SEQUENCE_TABLE, &["name"])?;
        let cursor = cg.open_system_table(db, sequence)?;
        system::delete_rows(cg, cursor, &[Is::Text(system::TABLE_NAME_COLUMN, table.name.as_bytes())]);
    }
    if table.virtual_table().is_some() {
        cg.journal.note_more_changes();
        cg.journal.note_may_abort();
    }
    cg.env.authorize_delete_schema_rows(db, &["tbl_name", "type"])?;
    let schema = system::open_schema_table(cg, db)?;
    let conditions =
        [Is::Text(schema_column::TBL_NAME, table.name.as_bytes()), Is::NotText(schema_column::TYPE, b"trigger")];
    system::delete_rows(cg, schema, &conditions);
    let moved = drop_trees(cg, db, roots_of(table))?;
    if table.virtual_table().is_some() {
        // This precedes the change of the cookie, because a table that is in use must stay as it is, and connected.
        system::change_virtual(cg, db, system::virtual_change::DESTROY, table.name.name(), TextId::NONE);
    }
    system::bump_cookie(cg, db);
    forget(cg, db, object_kind::TABLE, table.name.name());
    reload_if_moved(cg, db, moved);
    Ok(counted)
}

/// With foreign keys the rows are deleted first, as if by DELETE, and dropping the table must not violate a foreign key. Returns the
/// column of the count.
fn delete_rows<'a>(cg: &mut Codegen<'a>, found: FoundTable<'a>) -> Result<&'a [OutputColumn<'a>]> {
    if !drop_needs_delete(cg.env, found) {
        return Ok(&[]);
    }
    let none = cg.b.label();
    if !is_parent(cg.env, found.db, found.table) {
        // The table is a child only: its rows matter only if deferred foreign keys are violated.
        cg.b.emit(Insn::FkIfZero { deferred: 1, target: none });
    }
    let counted = write::delete_rows_of_dropped(cg, found)?;
    cg.b.place(none);
    if cg.env.flags.defer_foreign_keys {
        return Ok(counted);
    }
    let fine = cg.b.label();
    cg.b.emit(Insn::FkIfZero { deferred: 0, target: fine });
    let message = "FOREIGN KEY constraint failed".to_owned();
    write::emit_failure(cg, Conflict::Abort, ResultCode::CONSTRAINT_FOREIGNKEY, message);
    cg.b.place(fine);
    Ok(counted)
}

/// Whether the table may be dropped: tables with names in sqlite_ must stay, except those that ANALYZE creates.
fn may_be_dropped(cg: &Codegen<'_>, table: &Table) -> bool {
    if cg.env.shadow_tables.protects(table.name.name()) {
        return false;
    }
    let name = table.name.as_bytes().to_ascii_lowercase();
    let is_free = name.starts_with(b"sqlite_stat") || name.starts_with(b"sqlite_parameters");
    !is_system_name(table.name.name())
        || is_free
        || cg.env.flags.may_write_schema() && table.root != Some(PageNo::FIRST)
}

/// Drops all triggers on the table, temporary ones on a table of another database too.
fn drop_triggers(cg: &mut Codegen<'_>, found: FoundTable<'_>) -> Result<()> {
    let env = cg.env;
    let triggers: Vec<_> =
        env.catalog.triggers_of(found.db, found.table).map(|t| (t.db, Arc::clone(t.trigger))).collect();
    for (db, trigger) in triggers {
        cg.env.authorize_drop_trigger(db, trigger.name.name(), trigger.table.name())?;
        delete_trigger(cg, db, trigger.name.name())?;
    }
    Ok(())
}

fn drop_index<'a>(cg: &mut Codegen<'a>, drop: &'a Drop<'a>) -> Result<()> {
    let env = cg.env;
    let Some(found) = env.catalog.find_index(schema_name(drop.name), drop.name.name.name) else {
        return missing(cg, drop, "index");
    };
    if found.index.origin != IndexOrigin::Create {
        return fail("index associated with UNIQUE or PRIMARY KEY constraint cannot be dropped");
    }
    let (db, name) = (found.db, found.index.name.name());
    cg.transactions.use_database(db, true);
    cg.env.authorize_delete_schema_rows(db, &["name", "type"])?;
    system::delete_statistics(cg, db, system::INDEX_NAME_COLUMN, name)?;
    let schema = system::open_schema_table(cg, db)?;
    let conditions = [Is::Text(schema_column::NAME, name.as_bytes()), Is::Text(schema_column::TYPE, b"index")];
    system::delete_rows(cg, schema, &conditions);
    system::bump_cookie(cg, db);
    let moved = drop_trees(cg, db, found.index.root.into_iter().collect())?;
    forget(cg, db, object_kind::INDEX, name);
    reload_if_moved(cg, db, moved);
    Ok(())
}

fn drop_trigger<'a>(cg: &mut Codegen<'a>, drop: &'a Drop<'a>) -> Result<()> {
    let env = cg.env;
    match env.catalog.find_trigger(schema_name(drop.name), drop.name.name.name) {
        Some(found) => delete_trigger(cg, found.db, found.trigger.name.name()),
        None => missing(cg, drop, "trigger"),
    }
}

fn delete_trigger(cg: &mut Codegen<'_>, db: Db, name: Name<'_>) -> Result<()> {
    cg.env.authorize_delete_schema_rows(db, &["name", "type"])?;
    cg.transactions.use_database(db, true);
    let schema = system::open_schema_table(cg, db)?;
    let conditions = [Is::Text(schema_column::NAME, name.as_bytes()), Is::Text(schema_column::TYPE, b"trigger")];
    system::delete_rows(cg, schema, &conditions);
    system::bump_cookie(cg, db);
    forget(cg, db, object_kind::TRIGGER, name);
    Ok(())
}

fn forget(cg: &mut Codegen<'_>, db: Db, kind: u8, name: Name<'_>) {
    let name = cg.b.text(name.to_str_lossy().into_owned());
    cg.b.emit(Insn::DropFromCatalog { db, kind, name });
}

/// The root pages of a table and its indexes, the largest first: in an auto-vacuum database the tree with the largest root of the
/// database moves to the page of one that is dropped, and must not be the next one to be dropped.
fn roots_of(table: &Table) -> Vec<PageNo> {
    let mut roots: Vec<PageNo> = table.indexes.iter().filter_map(|index| index.root).chain(table.root).collect();
    roots.sort_unstable_by(|a, b| b.cmp(a));
    roots.dedup();
    roots
}

/// Drops trees, and corrects the schema table if another tree has moved. Returns a register that is not 0 if one has. As in
/// SQLite, other readers are detected here: earlier changes of the statement are undone, but the transaction has begun to write.
fn drop_trees(cg: &mut Codegen<'_>, db: Db, roots: Vec<PageNo>) -> Result<Reg> {
    if !roots.is_empty() {
        cg.journal.note_more_changes();
        cg.journal.note_may_abort();
        cg.b.emit(Insn::CheckNoReaders {});
    }
    let any_moved = cg.b.register();
    cg.b.emit(Insn::Integer { value: 0, dst: any_moved });
    for root in roots {
        cg.env.authorize_root_page(db)?;
        let (root_register, moved) = (cg.b.register(), cg.b.register());
        let value = cg.b.constant(ValueRef::Integer(root.get().into()));
        cg.b.emit(Insn::Const { value, dst: root_register });
        cg.b.emit(Insn::DropTree { db, root: root_register, moved });
        let stands = cg.b.label();
        cg.b.emit(Insn::IfNot { null_jumps: 1, reg: moved, target: stands });
        cg.b.emit(Insn::Integer { value: 1, dst: any_moved });
        move_root(cg, db, moved, root_register)?;
        cg.b.place(stands);
    }
    Ok(any_moved)
}

/// Writes `to` over the root page `from` in the schema table.
fn move_root(cg: &mut Codegen<'_>, db: Db, from: Reg, to: Reg) -> Result<()> {
    let cursor = system::open_schema_table(cg, db)?;
    let count = schema_column::COUNT;
    let (values, rowid, record) = (cg.b.registers(usize::from(count)), cg.b.register(), cg.b.register());
    let (next, done) = (cg.b.label(), cg.b.label());
    let rhs = values.at(usize::from(schema_column::ROOTPAGE));
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    cg.b.emit(Insn::Columns { cursor, column: 0, dst: values, count: u32::from(count) });
    let flags = CompareFlags(CompareFlags::NULL_JUMPS);
    cg.b.emit(Insn::Ne { flags, collation: CollationId::BINARY, lhs: from, rhs, target: next });
    cg.b.emit(Insn::Copy { src: to, dst: rhs, count: 1 });
    cg.b.emit(Insn::Rowid { cursor, dst: rowid });
    cg.b.emit(Insn::MakeRecord { count, affinities: AffinityListId::NONE, start: values, dst: record });
    cg.b.emit(Insn::Insert { flags: insert_flags::SAVE_POSITION, cursor, rowid, record });
    cg.b.place(next);
    cg.b.emit(Insn::Next { cursor, target: top });
    cg.b.place(done);
    Ok(())
}

/// Reloads the schema if a tree has moved, because the catalog has its old root page.
fn reload_if_moved(cg: &mut Codegen<'_>, db: Db, moved: Reg) {
    let stands = cg.b.label();
    cg.b.emit(Insn::IfNot { null_jumps: 1, reg: moved, target: stands });
    system::load_all(cg, db);
    cg.b.place(stands);
}
