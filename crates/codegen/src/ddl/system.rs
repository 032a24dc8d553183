//! Rows of the schema table, of sqlite_sequence, sqlite_stat1 and sqlite_stat4: tables without indexes, which are changed by a
//! few instructions each.

use std::sync::Arc;

use lithe_catalog::{Result, SCHEMA_TABLE, TEMP_SCHEMA_TABLE, Table};
use lithe_functions::RowOperation;
use lithe_sql::ast::Name;
use lithe_value::ValueRef;
use lithe_vm::insn::{Insn, delete_flags, insert_flags};
use lithe_vm::operand::{AffinityListId, CollationId, CompareFlags, CursorId, Db, Reg, Sequence, TextId};
use lithe_vm::program::{CursorInfo, CursorKind, TableMetadata};

use crate::Codegen;

/// The columns of a schema table.
pub(super) mod schema_column {
    pub const TYPE: u16 = 0;
    pub const NAME: u16 = 1;
    pub const TBL_NAME: u16 = 2;
    pub const ROOTPAGE: u16 = 3;
    pub const SQL: u16 = 4;
    pub const COUNT: u16 = 5;
}

/// Kinds of B-trees, as CreateTree numbers them.
pub(super) mod tree_kind {
    pub const TABLE: u8 = 1;
    pub const INDEX: u8 = 2;
}

/// Kinds of objects, as DropFromCatalog numbers them.
pub(super) mod object_kind {
    pub const TABLE: u8 = 0;
    pub const INDEX: u8 = 1;
    pub const TRIGGER: u8 = 2;
}

/// The changes to a virtual table, as VChange numbers them.
pub(super) mod virtual_change {
    pub const CREATE: u8 = 0;
    pub const DESTROY: u8 = 1;
    pub const RENAME: u8 = 2;
}

/// The first column of sqlite_sequence, sqlite_stat1 and sqlite_stat4: the table's name. The second column of the latter two is
/// the index's name.
pub(super) const TABLE_NAME_COLUMN: u16 = 0;
/// The table in which ANALYZE stores row counts.
pub(super) const COUNTS_TABLE: &str = "sqlite_stat1";
/// See [`TABLE_NAME_COLUMN`].
pub(super) const INDEX_NAME_COLUMN: u16 = 1;

/// `meta` values that DDL reads and writes, by SQLite's numbers.
const COOKIE: u8 = 1;
const FILE_FORMAT: u8 = 2;
const TEXT_ENCODING: u8 = 5;
/// The schema format of a new database: descending indexes, and integers 0 and 1 without bytes.
const NEW_FILE_FORMAT: i32 = 4;

/// The schema format that all versions of SQLite support.
const LEGACY_FILE_FORMAT: i32 = 1;

/// A row for the schema table.
pub(super) struct NewRow<'r> {
    pub kind: &'static str,
    pub name: Name<'r>,
    pub table: Name<'r>,
    /// The register of the root page; `None` is 0.
    pub root: Option<Reg>,
    /// The register of the text; `None` is NULL.
    pub sql: Option<Reg>,
}

/// The schema table of `db`.
pub(super) fn schema_table<'a>(cg: &Codegen<'a>, db: Db) -> &'a Table {
    let name = if db == Db::TEMP { TEMP_SCHEMA_TABLE } else { SCHEMA_TABLE };
    let table = cg.env.catalog.schema(db).table(Name::new(name.as_bytes()));
    table.expect("every schema has its schema table")
}

/// Opens a table for reading all of its rows.
pub(super) fn open_for_reading<'a>(cg: &mut Codegen<'a>, db: Db, table: &'a Table) -> Result<CursorId> {
    cg.open_table(db, table)
}

/// Opens the schema table of `db` for writing.
pub(super) fn open_schema_table(cg: &mut Codegen<'_>, db: Db) -> Result<CursorId> {
    let table = schema_table(cg, db);
    cg.open_system_table(db, table)
}

/// Sets the schema format and the encoding of a database that has no table yet.
pub(super) fn prepare_database(cg: &mut Codegen<'_>, db: Db) {
    let format = cg.b.register();
    let is_set = cg.b.label();
    cg.b.emit(Insn::ReadCookie { db, index: FILE_FORMAT, dst: format });
    cg.b.emit(Insn::If { null_jumps: 1, reg: format, target: is_set });
    let value = if cg.env.flags.legacy_file_format { LEGACY_FILE_FORMAT } else { NEW_FILE_FORMAT };
    cg.b.emit(Insn::SetCookie { db, index: FILE_FORMAT, value });
    let encoding = cg.env.catalog.schema(Db::MAIN).encoding as i32;
    cg.b.emit(Insn::SetCookie { db, index: TEXT_ENCODING, value: encoding });
    cg.b.place(is_set);
}

/// Appends a row to the schema table under `cursor`.
pub(super) fn insert_schema_row(cg: &mut Codegen<'_>, cursor: CursorId, row: &NewRow<'_>) {
    let values = schema_row(cg, row);
    append_row(cg, cursor, values, schema_column::COUNT);
}

/// Appends a row of NULLs to the schema table under `cursor`, for [`fill_schema_row`]. Returns the register of its rowid.
pub(super) fn reserve_schema_row(cg: &mut Codegen<'_>, cursor: CursorId) -> Reg {
    let start = cg.b.registers(usize::from(schema_column::COUNT));
    cg.b.emit(Insn::Null { start, count: u32::from(schema_column::COUNT) });
    append_row(cg, cursor, start, schema_column::COUNT)
}

/// Puts a row into the place of the one that was reserved under `rowid`.
pub(super) fn fill_schema_row(cg: &mut Codegen<'_>, cursor: CursorId, rowid: Reg, row: &NewRow<'_>) {
    let (start, record) = (schema_row(cg, row), cg.b.register());
    let count = schema_column::COUNT;
    cg.b.emit(Insn::MakeRecord { count, affinities: AffinityListId::NONE, start, dst: record });
    cg.b.emit(Insn::Insert { flags: 0, cursor, rowid, record });
}

/// Loads the columns of a row of the schema table into registers.
fn schema_row(cg: &mut Codegen<'_>, row: &NewRow<'_>) -> Reg {
    let values = cg.b.registers(usize::from(schema_column::COUNT));
    load_text(cg, row.kind.as_bytes(), values.at(0));
    load_text(cg, row.name.as_bytes(), values.at(1));
    load_text(cg, row.table.as_bytes(), values.at(2));
    match row.root {
        Some(root) => cg.b.emit(Insn::Copy { src: root, dst: values.at(3), count: 1 }),
        None => cg.b.emit(Insn::Integer { value: 0, dst: values.at(3) }),
    }
    match row.sql {
        Some(sql) => cg.b.emit(Insn::Copy { src: sql, dst: values.at(4), count: 1 }),
        None => cg.b.emit(Insn::Null { start: values.at(4), count: 1 }),
    }
    values
}

/// Appends the row of `count` registers from `values` on. Returns the register of its rowid.
pub(super) fn append_row(cg: &mut Codegen<'_>, cursor: CursorId, values: Reg, count: u16) -> Reg {
    let (rowid, record) = (cg.b.register(), cg.b.register());
    cg.b.emit(Insn::NewRowid { cursor, dst: rowid, sequence: Sequence::NONE });
    cg.b.emit(Insn::MakeRecord { count, affinities: AffinityListId::NONE, start: values, dst: record });
    cg.b.emit(Insn::Insert { flags: insert_flags::APPEND, cursor, rowid, record });
    rowid
}

/// Puts a text constant into a register.
pub(crate) fn load_text(cg: &mut Codegen<'_>, text: &[u8], dst: Reg) {
    let value = cg.b.constant(ValueRef::Text(text));
    cg.b.emit(Insn::Const { value, dst });
}

/// The text that a column must have, or must not have.
pub(crate) enum Is<'t> {
    Text(u16, &'t [u8]),
    NotText(u16, &'t [u8]),
}

/// Deletes the rows of a system table that meet all conditions.
pub(super) fn delete_rows(cg: &mut Codegen<'_>, cursor: CursorId, conditions: &[Is<'_>]) {
    for_each_row(cg, cursor, conditions, |cg| {
        cg.b.emit(Insn::Delete { flags: delete_flags::SAVE_POSITION, cursor });
    });
}

/// A system table for whose changes the pre-update hook is called: sqlite_stat1 alone.
#[derive(Clone, Copy)]
pub(super) struct HookedTable {
    /// A cursor that carries the names of table and database, and is not opened.
    names: CursorId,
    column_count: u16,
}

/// The table for the hook; `None` if there is no hook, or the table is not sqlite_stat1.
pub(super) fn hooked_table(cg: &mut Codegen<'_>, db: Db, name: &str, column_count: u16) -> Option<HookedTable> {
    if !cg.env.flags.preupdate_hook || !name.eq_ignore_ascii_case(COUNTS_TABLE) {
        return None;
    }
    let database = cg.env.catalog.database_name(db).into();
    let metadata = TableMetadata { name: COUNTS_TABLE.to_owned(), database, ..TableMetadata::default() };
    let table = Some(Arc::new(metadata));
    let info = CursorInfo { kind: CursorKind::KeyOnly, db, root: None, key: None, column_count, table };
    Some(HookedTable { names: cg.b.cursor(info), column_count })
}

/// As [`delete_rows`], with calls of the pre-update hook.
pub(super) fn delete_hooked_rows(cg: &mut Codegen<'_>, cursor: CursorId, table: HookedTable, conditions: &[Is<'_>]) {
    let HookedTable { names, column_count: count } = table;
    let old = cg.b.registers(usize::from(count) + 1);
    for_each_row(cg, cursor, conditions, |cg| {
        cg.b.emit(Insn::Rowid { cursor, dst: old });
        cg.b.emit(Insn::Columns { cursor, column: 0, dst: old.at(1), count: u32::from(count) });
        let operation = RowOperation::Delete as i32 as u8;
        cg.b.emit(Insn::PreUpdate { flags: 0, operation, cursor: names, count, old, new: Reg::NONE });
        cg.b.emit(Insn::Delete { flags: delete_flags::SAVE_POSITION, cursor });
    });
}

/// As [`append_row`], with a call of the pre-update hook.
pub(super) fn append_hooked_row(cg: &mut Codegen<'_>, cursor: CursorId, table: HookedTable, values: Reg) {
    let HookedTable { names, column_count: count } = table;
    let (new, record) = (cg.b.registers(usize::from(count) + 1), cg.b.register());
    cg.b.emit(Insn::NewRowid { cursor, dst: new, sequence: Sequence::NONE });
    cg.b.emit(Insn::Copy { src: values, dst: new.at(1), count: u32::from(count) });
    let operation = RowOperation::Insert as i32 as u8;
    cg.b.emit(Insn::PreUpdate { flags: 0, operation, cursor: names, count, old: Reg::NONE, new });
    cg.b.emit(Insn::MakeRecord { count, affinities: AffinityListId::NONE, start: values, dst: record });
    cg.b.emit(Insn::Insert { flags: insert_flags::APPEND, cursor, rowid: new, record });
}

/// Runs `body` for every row that meets all conditions.
pub(crate) fn for_each_row<'a>(
    cg: &mut Codegen<'a>,
    cursor: CursorId,
    conditions: &[Is<'_>],
    body: impl FnOnce(&mut Codegen<'a>),
) {
    let (next, done) = (cg.b.label(), cg.b.label());
    let (value, wanted) = (cg.b.register(), cg.b.registers(conditions.len()));
    for (at, condition) in conditions.iter().enumerate() {
        let (Is::Text(_, text) | Is::NotText(_, text)) = condition;
        load_text(cg, text, wanted.at(at));
    }
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    for (at, condition) in conditions.iter().enumerate() {
        let (lhs, rhs, target) = (value, wanted.at(at), next);
        let flags = CompareFlags(CompareFlags::NULL_EQ);
        let collation = CollationId::BINARY;
        match *condition {
            Is::Text(column, _) => {
                cg.b.emit(Insn::Column { cursor, column, dst: value });
                cg.b.emit(Insn::Ne { flags, collation, lhs, rhs, target });
            }
            Is::NotText(column, _) => {
                cg.b.emit(Insn::Column { cursor, column, dst: value });
                cg.b.emit(Insn::Eq { flags, collation, lhs, rhs, target });
            }
        }
    }
    body(cg);
    cg.b.place(next);
    cg.b.emit(Insn::Next { cursor, target: top });
    cg.b.place(done);
}

/// Increments the schema cookie of `db`, by which other connections, and other statements of this one, detect the change of the
/// schema.
pub(super) fn bump_cookie(cg: &mut Codegen<'_>, db: Db) {
    let cookie = cg.env.catalog.schema(db).cookie.wrapping_add(1);
    cg.b.emit(Insn::SetCookie { db, index: COOKIE, value: cookie.cast_signed() });
}

/// Loads the rows of an object into the catalog: `kind` is "table" (also for views), "index" or "trigger". An object of another
/// kind may have the same name.
pub(super) fn load_object(cg: &mut Codegen<'_>, db: Db, kind: &str, name: Name<'_>) {
    let condition = cg.b.text(format!("{kind} {}", name.to_str_lossy()));
    cg.b.emit(Insn::ParseSchema { db, condition });
}

/// Loads all rows into the catalog.
pub(super) fn load_all(cg: &mut Codegen<'_>, db: Db) {
    cg.b.emit(Insn::ParseSchema { db, condition: TextId::NONE });
}

/// Removes a table or view and all its objects from the catalog.
pub(super) fn drop_table_from_catalog(cg: &mut Codegen<'_>, db: Db, name: Name<'_>) {
    let name = cg.b.text(name.to_str_lossy().into_owned());
    cg.b.emit(Insn::DropFromCatalog { db, kind: object_kind::TABLE, name });
}

/// Replaces the name `from` by `to` in the first column of a system table.
pub(super) fn rename_in<'a>(
    cg: &mut Codegen<'a>,
    db: Db,
    table: &'a Table,
    from: Name<'_>,
    to: Name<'_>,
) -> Result<()> {
    let cursor = cg.open_system_table(db, table)?;
    let count = table.columns.len();
    let (values, rowid, record) = (cg.b.registers(count), cg.b.register(), cg.b.register());
    for_each_row(cg, cursor, &[Is::Text(TABLE_NAME_COLUMN, from.as_bytes())], |cg| {
        cg.b.emit(Insn::Columns { cursor, column: 0, dst: values, count: count as u32 });
        load_text(cg, to.as_bytes(), values.at(usize::from(TABLE_NAME_COLUMN)));
        cg.b.emit(Insn::Rowid { cursor, dst: rowid });
        let (count, affinities) = (count as u16, AffinityListId::NONE);
        cg.b.emit(Insn::MakeRecord { count, affinities, start: values, dst: record });
        cg.b.emit(Insn::Insert { flags: insert_flags::SAVE_POSITION, cursor, rowid, record });
    });
    Ok(())
}

/// Deletes the rows of table `name`, or of the index `name`, from sqlite_stat1 and sqlite_stat4.
pub(super) fn delete_statistics(cg: &mut Codegen<'_>, db: Db, column: u16, name: Name<'_>) -> Result<()> {
    for of in [COUNTS_TABLE, "sqlite_stat4"] {
        if let Some(table) = system_table(cg, db, of) {
            let is_of_table = column == TABLE_NAME_COLUMN;
            cg.env.authorize_delete_rows(db, of, &[if is_of_table { "tbl" } else { "idx" }])?;
            let cursor = cg.open_system_table(db, table)?;
            let conditions = &[Is::Text(column, name.as_bytes())];
            match hooked_table(cg, db, of, table.columns.len() as u16) {
                Some(hooked) => delete_hooked_rows(cg, cursor, hooked, conditions),
                None => delete_rows(cg, cursor, conditions),
            }
        }
    }
    Ok(())
}

/// The system table of that name, if the database has it.
pub(super) fn system_table<'a>(cg: &Codegen<'a>, db: Db, name: &str) -> Option<&'a Table> {
    cg.env.catalog.schema(db).table(Name::new(name.as_bytes())).map(|table| &**table)
}

/// Calls the module of a virtual table: xCreate, xDestroy, or xRename with the new name `to`.
pub(super) fn change_virtual(cg: &mut Codegen<'_>, db: Db, op: u8, name: Name<'_>, to: TextId) {
    let name = cg.b.text(name.to_str_lossy().into_owned());
    cg.b.emit(Insn::VChange { op, db, name, to });
}
