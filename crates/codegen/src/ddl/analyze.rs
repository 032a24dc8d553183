//! ANALYZE: rewrites sqlite_stat1 and sqlite_stat4, and loads them into the catalog.
//!
//! ```text
//!   sqlite_stat1(tbl, idx, stat)                          a row for each index; for a table without one, with idx NULL
//!   sqlite_stat4(tbl, idx, neq, nlt, ndlt, sample)        a row for each sample of an index
//! ```
//!
//! One instruction does the counting.

use lithe_base::ResultCode;
use lithe_catalog::{CompileError, Index, IndexOrigin, Result, Table, TableKind, qualified};
use lithe_resolve::authorize::Action;
use lithe_sql::ast::{Name, QualifiedName};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{CursorId, Db, Reg};
use lithe_vm::program::{CursorInfo, CursorKind};

use super::system::{self, HookedTable, INDEX_NAME_COLUMN, Is, TABLE_NAME_COLUMN};
use crate::Codegen;

/// Columns of sqlite_stat1.
const COUNTS_COLUMNS: u16 = 3;
/// Columns of sqlite_stat4.
const SAMPLES_COLUMNS: u16 = 6;
/// Columns that the instruction returns for each sample.
const SAMPLE_COLUMNS: u16 = 4;

/// The objects of a database to analyse.
#[derive(Clone, Copy)]
enum Part<'a> {
    Everything,
    Table(&'a Table),
    Index(&'a Table, &'a Index),
}

/// The two tables, open for writing.
#[derive(Clone, Copy)]
struct StatisticsTables {
    counts: CursorId,
    /// The table of counts for the pre-update hook.
    hooked: Option<HookedTable>,
    samples: CursorId,
}

/// ANALYZE of all databases but the temporary one, of a database, of a table, of an index; `sql` is the statement's text.
pub(crate) fn analyze<'a>(cg: &mut Codegen<'a>, written: Option<&'a QualifiedName<'a>>, sql: &[u8]) -> Result<()> {
    let catalog = &cg.env.catalog;
    let Some(written) = written else {
        let databases = (0..catalog.databases().len()).map(|db| Db(db as u8));
        return databases.filter(|db| *db != Db::TEMP).try_for_each(|db| analyze_part(cg, db, Part::Everything));
    };
    let (schema, name) = (written.schema.map(|schema| schema.name), written.name.name);
    match written.schema {
        Some(schema) => drop(catalog.named_database(schema, sql)?),
        None => {
            if let Some(db) = catalog.find_database(name) {
                return analyze_part(cg, db, Part::Everything);
            }
        }
    }
    if let Some(found) = catalog.find_index(schema, name) {
        return analyze_part(cg, found.db, Part::Index(found.table, found.index));
    }
    match catalog.find_table(schema, name) {
        Some(found) => analyze_part(cg, found.db, Part::Table(found.table)),
        None => Err(CompileError::no_such("table", qualified(schema, name))),
    }
}

fn analyze_part<'a>(cg: &mut Codegen<'a>, db: Db, part: Part<'a>) -> Result<()> {
    cg.transactions.use_database(db, true);
    cg.journal.note_more_changes();
    cg.journal.note_may_abort();
    let statistics = open_tables(cg, db, part)?;
    match part {
        Part::Everything => {
            for table in cg.env.catalog.schema(db).tables().into_iter().rev() {
                analyze_table(cg, db, table, None, statistics)?;
            }
        }
        Part::Table(table) => analyze_table(cg, db, table, None, statistics)?,
        Part::Index(table, index) => analyze_table(cg, db, table, Some(index), statistics)?,
    }
    cg.b.emit(Insn::LoadStatistics { db });
    Ok(())
}

/// Opens both tables, and creates them if they do not exist, without the rows that will be rewritten.
fn open_tables<'a>(cg: &mut Codegen<'a>, db: Db, part: Part<'a>) -> Result<StatisticsTables> {
    let counts = open_statistics(cg, db, system::COUNTS_TABLE, "tbl,idx,stat", COUNTS_COLUMNS, part)?;
    let samples = open_statistics(cg, db, "sqlite_stat4", "tbl,idx,neq,nlt,ndlt,sample", SAMPLES_COLUMNS, part)?;
    let hooked = system::hooked_table(cg, db, system::COUNTS_TABLE, COUNTS_COLUMNS);
    Ok(StatisticsTables { counts, hooked, samples })
}

fn open_statistics<'a>(
    cg: &mut Codegen<'a>,
    db: Db,
    name: &'static str,
    columns: &str,
    count: u16,
    part: Part<'a>,
) -> Result<CursorId> {
    let Some(table) = system::system_table(cg, db, name) else {
        return create(cg, db, name, columns, count);
    };
    if table.kind != TableKind::Ordinary || table.is_without_rowid() {
        return Err(CompileError::new(ResultCode::CORRUPT.text()).with_code(ResultCode::CORRUPT));
    }
    let cursor = cg.open_system_table(db, table)?;
    authorize_deletion(cg, db, name, part)?;
    let condition = match part {
        Part::Everything => None,
        Part::Table(table) => Some(Is::Text(TABLE_NAME_COLUMN, table.name.as_bytes())),
        Part::Index(table, index) => Some(Is::Text(INDEX_NAME_COLUMN, index_name(table, index).as_bytes())),
    };
    match (system::hooked_table(cg, db, name, count), condition) {
        (Some(hooked), condition) => system::delete_hooked_rows(cg, cursor, hooked, condition.as_slice()),
        (None, Some(condition)) => system::delete_rows(cg, cursor, &[condition]),
        (None, None) => cg.b.emit(Insn::ClearTree { count_changes: 0, cursor }),
    }
    Ok(cursor)
}

/// Calls the authorizer. SQLite empties a whole table without a DELETE, unless a pre-update hook must be called for the rows.
fn authorize_deletion(cg: &Codegen<'_>, db: Db, name: &str, part: Part<'_>) -> Result<()> {
    match part {
        Part::Everything if cg.env.flags.preupdate_hook => cg.env.authorize_delete_rows(db, name, &[]),
        Part::Everything => Ok(()),
        Part::Table(_) => cg.env.authorize_delete_rows(db, name, &["tbl"]),
        Part::Index(..) => cg.env.authorize_delete_rows(db, name, &["idx"]),
    }
}

fn create(cg: &mut Codegen<'_>, db: Db, name: &'static str, columns: &str, count: u16) -> Result<CursorId> {
    cg.env.authorize_system_table(db, name)?;
    system::prepare_database(cg, db);
    let sql = cg.b.register();
    system::load_text(cg, format!("CREATE TABLE {name}({columns})").as_bytes(), sql);
    let table = Table { name: name.into(), ..Table::default() };
    let root = super::new_table::create_trees(cg, db, &table, sql)?;
    system::bump_cookie(cg, db);
    system::load_object(cg, db, "table", table.name.name());
    let info = CursorInfo { kind: CursorKind::Table, db, root: None, key: None, column_count: count, table: None };
    let cursor = cg.b.cursor(info);
    cg.b.emit(Insn::OpenWriteAt { cursor, root });
    Ok(cursor)
}

/// The rows for a table and its indexes, or for one of them.
fn analyze_table<'a>(
    cg: &mut Codegen<'a>,
    db: Db,
    table: &'a Table,
    only: Option<&Index>,
    statistics: StatisticsTables,
) -> Result<()> {
    let is_system = table.name.as_bytes().to_ascii_lowercase().starts_with(b"sqlite_");
    if is_system || table.view().is_some() || table.virtual_table().is_some() {
        return Ok(());
    }
    if !cg.env.authorize(Action::Analyze, Some(table.name.name()), None, Some(db), None)? {
        return Ok(());
    }
    let is_wanted = |index: &&'a Index| only.is_none_or(|only| std::ptr::eq(only, *index));
    for index in table.indexes.iter().map(|index| &**index).filter(is_wanted) {
        analyze_index(cg, db, table, index, statistics)?;
    }
    if only.is_none() && table.indexes.iter().all(|index| index.filter.is_some()) {
        count_rows(cg, db, table, statistics)?;
    }
    Ok(())
}

fn analyze_index<'a>(
    cg: &mut Codegen<'a>,
    db: Db,
    table: &'a Table,
    index: &'a Index,
    statistics: StatisticsTables,
) -> Result<()> {
    let is_table = table.is_without_rowid() && index.origin == IndexOrigin::PrimaryKey;
    let cursor = if is_table { cg.open_table(db, table)? } else { cg.open_index(db, index)? };
    let samples = cg.ephemeral_table(usize::from(SAMPLE_COLUMNS));
    let row = cg.b.registers(usize::from(SAMPLES_COLUMNS));
    let done = cg.b.label();
    if index.filter.is_none() {
        cg.b.emit(Insn::Rewind { cursor, target: done });
    }
    cg.b.emit(Insn::OpenEphemeral { cursor: samples });
    system::load_text(cg, table.name.as_bytes(), row.at(0));
    system::load_text(cg, index_name(table, index).as_bytes(), row.at(1));
    let is_one_unique = index.is_unique() && index.key_count == 1;
    let columns = index.key_count;
    cg.b.emit(Insn::AnalyzeIndex { is_one_unique: u8::from(is_one_unique), cursor, samples, columns, dst: row.at(2) });
    append_counts(cg, statistics, row);
    cg.b.emit(Insn::Rewind { cursor: samples, target: done });
    let top = cg.b.here();
    cg.b.emit(Insn::Columns { cursor: samples, column: 0, dst: row.at(2), count: u32::from(SAMPLE_COLUMNS) });
    system::append_row(cg, statistics.samples, row, SAMPLES_COLUMNS);
    cg.b.emit(Insn::Next { cursor: samples, target: top });
    cg.b.place(done);
    cg.b.emit(Insn::Close { cursor });
    Ok(())
}

/// The row of a table without an index that counts all its rows.
fn count_rows<'a>(cg: &mut Codegen<'a>, db: Db, table: &'a Table, statistics: StatisticsTables) -> Result<()> {
    let cursor = cg.open_table(db, table)?;
    let row = cg.b.registers(usize::from(COUNTS_COLUMNS));
    let is_empty = cg.b.label();
    system::load_text(cg, table.name.as_bytes(), row.at(0));
    cg.b.emit(Insn::Null { start: row.at(1), count: 1 });
    cg.b.emit(Insn::Count { cursor, dst: row.at(2) });
    cg.b.emit(Insn::IfNot { null_jumps: 1, reg: row.at(2), target: is_empty });
    cg.b.emit(Insn::Cast { affinity: lithe_value::Affinity::Text as u8, reg: row.at(2) });
    append_counts(cg, statistics, row);
    cg.b.place(is_empty);
    cg.b.emit(Insn::Close { cursor });
    Ok(())
}

fn append_counts(cg: &mut Codegen<'_>, statistics: StatisticsTables, row: Reg) {
    match statistics.hooked {
        Some(hooked) => system::append_hooked_row(cg, statistics.counts, hooked, row),
        None => {
            system::append_row(cg, statistics.counts, row, COUNTS_COLUMNS);
        }
    }
}

/// The name of an index in sqlite_stat1: the table's name for the primary key of a WITHOUT ROWID table.
fn index_name<'i>(table: &'i Table, index: &'i Index) -> Name<'i> {
    let is_table = table.is_without_rowid() && index.origin == IndexOrigin::PrimaryKey;
    if is_table { table.name.name() } else { index.name.name() }
}
