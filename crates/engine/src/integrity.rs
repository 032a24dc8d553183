//! PRAGMA integrity_check and quick_check: trees, then the number of entries of each index, then rows and their entries.
//!
//! All faults of a database's trees form one row of the result, which begins with the database's name; every other
//! fault is a row of its own. If the file is so damaged that a row cannot be read, the result ends with that error.

mod column;
mod entries;

use std::sync::Arc;

use lithe_catalog::{CompileError, Index, Table};
use lithe_codegen::{RowCheck, compile_row_check};
use lithe_format::PageNo;
use lithe_resolve::environment::Environment;
use lithe_sql::ast::Name;
use lithe_value::{Value, ValueRef};
use lithe_vm::operand::Db;
use lithe_vm::vm::{Step, Vm};

use crate::connection::Connection;
use crate::connection::host::RunHost;
use crate::connection::statement::command::CommandRow;
use crate::connection::transaction::StatementRun;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::foreign_key_check::no_such_table;

/// The arguments of a check.
pub(crate) struct Request<'r> {
    /// One database, or all.
    pub schema: Option<Db>,
    /// One table, or all.
    pub table: Option<&'r str>,
    /// The largest number of faults that are listed.
    pub limit: usize,
    /// Whether each row is looked up in its indexes; quick_check skips this.
    pub with_entries: bool,
}

/// Checks, and lists the faults; "ok" if there are none.
pub(crate) fn check(connection: &Connection, run: &StatementRun, request: &Request<'_>) -> Result<Vec<CommandRow>> {
    let mut answer = Answer { messages: Vec::new(), left: request.limit };
    let result = check_databases(connection, run, request, &mut answer);
    match result {
        Err(error) if answer.messages.is_empty() => return Err(error),
        // The faults found before are returned first.
        Err(error) => drop(run.late_error.replace(Some(error))),
        Ok(()) if answer.messages.is_empty() => answer.messages.push("ok".to_owned()),
        Ok(()) => {}
    }
    Ok(answer.messages.into_iter().map(|message| vec![Value::from(message)]).collect())
}

/// The faults found so far.
struct Answer {
    messages: Vec<String>,
    /// How many more faults may be listed.
    left: usize,
}

impl Answer {
    fn add(&mut self, message: String) {
        self.messages.push(message);
        self.left = self.left.saturating_sub(1);
    }

    fn is_full(&self) -> bool {
        self.left == 0
    }
}

fn check_databases(
    connection: &Connection,
    run: &StatementRun,
    request: &Request<'_>,
    answer: &mut Answer,
) -> Result<()> {
    let catalog = connection.catalog();
    if request.schema.is_none() {
        connection.databases.btree(Db::TEMP)?; // every database is open during a check of all
    }
    let table = request.table.map(|name| find_table(connection, request.schema, name)).transpose()?;
    for (db, database) in connection.databases.iter() {
        let is_wanted = table.as_ref().map(|(of, _)| *of).or(request.schema).is_none_or(|wanted| wanted == db);
        if !is_wanted || database.opened().is_none() || answer.is_full() {
            continue;
        }
        connection.begin_on(db, false, run)?;
        // The newest table comes first, as in SQLite.
        let tables: Vec<Arc<Table>> = match &table {
            Some((_, table)) => vec![Arc::clone(table)],
            None => catalog.schema(db).tables().into_iter().rev().cloned().collect(),
        };
        let is_virtual = |table: &&Arc<Table>| table.virtual_table().is_some();
        let virtual_tables: Vec<Arc<Table>> = tables.iter().filter(is_virtual).cloned().collect();
        let tables: Vec<Arc<Table>> = tables.into_iter().filter(|table| table.root.is_some()).collect();
        tables.iter().try_for_each(|table| connection.databases.lock_table(db, table, false))?;
        tables.iter().try_for_each(|table| find_collations(connection, table))?;
        let before = answer.messages.len();
        check_trees(&database, catalog.database_name(db).name(), &tables, table.is_some(), answer)?;
        let is_sound = answer.messages.len() == before;
        for table in &tables {
            // Indexes that are known to agree with the table, in which no row is searched.
            let agreeing = match is_sound && request.with_entries {
                true => entries::of_rows(connection, database.btree(), catalog.schema(db), table),
                false => Vec::new(),
            };
            check_rows(connection, run, db, table, request.with_entries.then_some(&*agreeing), answer)?;
        }
        for table in virtual_tables {
            check_virtual(connection, db, &table, !request.with_entries, answer)?;
        }
    }
    Ok(())
}

/// Fails if the table is missing, or an index has an unknown collation, as compiling the pragma does in SQLite.
pub(crate) fn check_names(connection: &Connection, schema: Option<Db>, table: Option<&str>) -> Result<()> {
    if schema.is_none() {
        // As in SQLite, the temporary database is opened even if there is no such table. PRAGMA database_list shows that.
        connection.databases.btree(Db::TEMP)?;
    }
    if let Some(name) = table {
        return find_collations(connection, &find_table(connection, schema, name)?.1);
    }
    let catalog = connection.catalog();
    let dbs = connection.databases.iter().map(|(db, _)| db).filter(|db| schema.is_none_or(|schema| schema == *db));
    dbs.flat_map(|db| catalog.schema(db).tables()).try_for_each(|table| find_collations(connection, table))
}

/// Fails if an index of the table has an unknown collation: as in SQLite, quick_check opens all indexes, too.
fn find_collations(connection: &Connection, table: &Table) -> Result<()> {
    for column in table.indexes.iter().flat_map(|index| &index.columns) {
        let name = column.collation.name();
        let is_known = column.collation.builtin().is_some()
            || connection.definitions.collations().contains_key(&name.to_str_lossy().to_ascii_lowercase())
            || connection.define_missing_collation(&name.to_str_lossy());
        if !is_known {
            return Err(CompileError::no_such_collation(name).into());
        }
    }
    Ok(())
}

/// Runs the integrity check of a virtual table's module. A table whose module is missing is not checked.
///
/// # Errors
/// Those of the module: what it finds is no error, but what keeps it from looking is.
fn check_virtual(connection: &Connection, db: Db, table: &Table, is_quick: bool, answer: &mut Answer) -> Result<()> {
    if answer.is_full() {
        return Ok(());
    }
    match connection.virtual_tables.check(connection.module_context(), db, table.name.name(), is_quick) {
        Ok(Some(message)) => answer.add(message),
        Ok(None) => {}
        Err(error) if error.is_missing_module() => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

fn find_table(connection: &Connection, schema: Option<Db>, name: &str) -> Result<(Db, Arc<Table>)> {
    let catalog = connection.catalog();
    let schema = schema.map(|db| catalog.database_name(db).name());
    match catalog.find_table(schema, Name::new(name.as_bytes())) {
        Some(found) => Ok((found.db, Arc::clone(found.table))),
        None => Err(Error::generic(no_such_table(schema, name))),
    }
}

/// Checks the trees of the tables and of their indexes, and that an index has as many entries as its table has rows.
fn check_trees(
    database: &Database,
    name: Name<'_>,
    tables: &[Arc<Table>],
    part: bool,
    answer: &mut Answer,
) -> Result<()> {
    let roots: Vec<PageNo> = tables.iter().flat_map(|table| roots(table)).collect();
    let report = database.btree().integrity_check(&roots, part, answer.left)?;
    assert!(report.messages.len() <= answer.left, "more faults are listed than are wanted");
    assert!(report.counts.len() <= roots.len(), "a tree was counted that belongs to no table");
    if !report.messages.is_empty() {
        answer.left -= report.messages.len();
        answer.messages.push(format!("*** in database {name} ***\n{}", report.messages.join("\n")));
    }
    let mut counts = report.counts.into_iter();
    for table in tables {
        let own = if is_tree_of_its_own(table) { counts.next() } else { None };
        let of_indexes: Vec<(&Arc<Index>, u64)> =
            table.indexes.iter().filter(|index| index.root.is_some()).zip(counts.by_ref()).collect();
        let is_key = |index: &Index| table.is_without_rowid() && index.root == table.root;
        let rows = own.or_else(|| of_indexes.iter().find(|(index, _)| is_key(index)).map(|(_, count)| *count));
        for (index, count) in of_indexes {
            if !answer.is_full() && index.filter.is_none() && rows != Some(count) {
                answer.add(format!("wrong # of entries in index {}", index.name));
            }
        }
    }
    Ok(())
}

/// The primary key of a WITHOUT ROWID table is listed among its indexes, too.
fn is_tree_of_its_own(table: &Table) -> bool {
    table.root.is_some() && !table.is_without_rowid()
}

fn roots(table: &Table) -> impl Iterator<Item = PageNo> + '_ {
    let own = table.root.filter(|_| is_tree_of_its_own(table));
    own.into_iter().chain(table.indexes.iter().filter_map(|index| index.root))
}

/// Checks the rows of a table: constraints, types, and entries in all indexes but `agreeing`; no entries if that is `None`.
fn check_rows(
    connection: &Connection,
    run: &StatementRun,
    db: Db,
    table: &Table,
    agreeing: Option<&[PageNo]>,
    answer: &mut Answer,
) -> Result<()> {
    if answer.is_full() {
        return Ok(());
    }
    let compile = |missing: &[String]| {
        let environment = Environment { missing_collations: missing.to_vec(), ..connection.environment() };
        let check =
            connection.compile_memory.with_arena(|arena| compile_row_check(db, table, agreeing, arena, &environment));
        check.map_err(Error::from)
    };
    let RowCheck { program, columns, faults } = connection.with_collations(compile)?;
    let host = RunHost { connection, run };
    let mut vm = Vm::new(program);
    while !answer.is_full() && vm.step(&host)? == Step::Row {
        let integer = |at| if let ValueRef::Integer(integer) = vm.column(at) { integer } else { 0 };
        let (kind, row) = (integer(0), integer(1));
        match usize::try_from(kind - 1).ok().and_then(|fault| faults.get(fault)) {
            Some(fault) => answer.add(fault.message(row)),
            None => {
                let values = columns.iter().enumerate().map(|(place, at)| (*at, vm.column(2 + place)));
                for message in values.filter_map(|(at, value)| column::fault(table, at, value)) {
                    if !answer.is_full() {
                        answer.add(message);
                    }
                }
            }
        }
    }
    vm.reset();
    Ok(())
}
