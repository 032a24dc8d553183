//! What the authorizer is asked about a VACUUM: SQLite runs it as statements of its own on an attached database, and asks about each.
//! An application that denies ATTACH so denies `VACUUM INTO` any file.

use lithe_catalog::{Index, IndexTerm, Schema, Table};
use lithe_format::PageNo;
use lithe_resolve::authorize::Action;
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;

use super::Rebuild;
use crate::connection::Connection;
use crate::error::{Error, Result};

const SCHEMA_TABLE: &str = "sqlite_master";

/// Asks about the database that is attached, at the file of VACUUM INTO or none, and the transaction.
pub(super) fn attaching(connection: &Connection, into: Option<&[u8]>) -> Result<()> {
    if !connection.hooks.has_authorizer() {
        return Ok(());
    }
    let file = String::from_utf8_lossy(into.unwrap_or_default());
    let questions = Questions { connection, from: "", to: String::new() };
    questions.ask(Action::Attach, Some(&file), None, None, DENIED)?;
    questions.ask(Action::Transaction, Some("BEGIN"), None, None, DENIED)
}

/// Asks about the statements that create the objects anew and copy their rows.
pub(super) fn rebuilding(rebuild: &Rebuild<'_>, db: Db) -> Result<()> {
    let connection = rebuild.connection;
    if !connection.hooks.has_authorizer() {
        return Ok(());
    }
    let mut number = [0; 8];
    connection.random.fill(&**connection.databases.vfs(), &mut number);
    let catalog = connection.catalog();
    let from = catalog.database_name(db).name().to_str_lossy();
    let questions = Questions { connection, from: &from, to: format!("vacuum_{:016x}", u64::from_be_bytes(number)) };
    questions.tables(rebuild.schema)?;
    questions.indexes(rebuild.schema)?;
    questions.rows(rebuild.schema)?;
    questions.other_objects()
}

/// The message where SQLite's own statement is not allowed, and where one from the schema is not.
const DENIED: &str = "authorization denied";
const DENIED_TO_SCHEMA: &str = "not authorized";

struct Questions<'q> {
    connection: &'q Connection,
    /// The name of the database that is vacuumed.
    from: &'q str,
    /// The name of the attached database.
    to: String,
}

impl Questions<'_> {
    fn ask(
        &self,
        action: Action,
        first: Option<&str>,
        second: Option<&str>,
        database: Option<&str>,
        message: &'static str,
    ) -> Result<()> {
        let answer = self.connection.hooks.authorize(action, first, second, database);
        answer.map(drop).map_err(|error| match error.code() {
            ResultCode::AUTH => Error::new(ResultCode::AUTH, message),
            _ => error,
        })
    }

    fn read(&self, table: &str, columns: &[&str]) -> Result<()> {
        let read = |column: &&str| self.ask(Action::Read, Some(table), Some(column), Some(self.from), DENIED);
        columns.iter().try_for_each(read)
    }

    fn select(&self) -> Result<()> {
        self.ask(Action::Select, None, None, None, DENIED)
    }

    fn call(&self, function: &str) -> Result<()> {
        self.ask(Action::Function, None, Some(function), None, DENIED)
    }

    /// About something in the attached database.
    fn make(&self, action: Action, first: &str, second: Option<&str>) -> Result<()> {
        self.ask(action, Some(first), second, Some(&self.to), DENIED_TO_SCHEMA)
    }

    fn tables(&self, schema: &Schema) -> Result<()> {
        self.select()?;
        self.read(SCHEMA_TABLE, &["sql", "type", "name"])?;
        self.call("coalesce")?;
        self.read(SCHEMA_TABLE, &["rootpage"])?;
        in_new_order(schema).into_iter().try_for_each(|table| self.create_table(&table.name.name().to_str_lossy()))
    }

    fn create_table(&self, name: &str) -> Result<()> {
        self.make(Action::Insert, SCHEMA_TABLE, None)?;
        self.make(Action::CreateTable, name, None)?;
        for column in ["type", "name", "tbl_name", "rootpage", "sql"] {
            self.make(Action::Update, SCHEMA_TABLE, Some(column))?;
        }
        self.make(Action::Read, SCHEMA_TABLE, Some("ROWID"))
    }

    fn indexes(&self, schema: &Schema) -> Result<()> {
        self.select()?;
        self.read(SCHEMA_TABLE, &["sql", "type"])?;
        with_rows(schema)
            .try_for_each(|table| table.indexes.iter().rev().try_for_each(|index| self.create_index(table, index)))
    }

    fn create_index(&self, table: &Table, index: &Index) -> Result<()> {
        if index.sql.is_none() {
            return Ok(());
        }
        let (name, table_name) = (index.name.name().to_str_lossy(), table.name.name().to_str_lossy());
        self.make(Action::Insert, SCHEMA_TABLE, None)?;
        self.make(Action::CreateIndex, &name, Some(&table_name))?;
        for column in index.key_columns() {
            if let IndexTerm::Column(at) = column.term
                && let Some(column) = table.columns.get(usize::from(at))
            {
                self.make(Action::Read, &table_name, Some(&column.name.name().to_str_lossy()))?;
            }
        }
        self.make(Action::Insert, SCHEMA_TABLE, None)?;
        self.make(Action::Reindex, &name, None)
    }

    fn rows(&self, schema: &Schema) -> Result<()> {
        let read = |column| self.ask(Action::Read, Some(SCHEMA_TABLE), Some(column), Some(&self.to), DENIED);
        self.select()?;
        for _ in 0..2 {
            self.call("quote")?;
            read("name")?;
        }
        read("type")?;
        self.call("coalesce")?;
        read("rootpage")?;
        for table in in_new_order(schema) {
            let name = table.name.name().to_str_lossy();
            self.make(Action::Insert, &name, None)?;
            self.select()?;
            for column in &table.columns {
                self.read(&name, &[&*column.name.name().to_str_lossy()])?;
            }
        }
        Ok(())
    }

    /// Views, triggers and virtual tables.
    fn other_objects(&self) -> Result<()> {
        self.make(Action::Insert, SCHEMA_TABLE, None)?;
        self.select()?;
        self.read(SCHEMA_TABLE, &["type", "name", "tbl_name", "rootpage", "sql", "type", "type", "rootpage"])
    }
}

fn with_rows(schema: &Schema) -> impl Iterator<Item = &Table> {
    let is_schema_table = |table: &Table| table.root == Some(PageNo::FIRST);
    let tables = schema.tables().into_iter().map(|table| &**table);
    tables.filter(move |table| table.root.is_some() && !is_schema_table(table))
}

/// The table `sqlite_sequence` is made together with the first table that needs it.
fn in_new_order(schema: &Schema) -> Vec<&Table> {
    let (sequence, mut tables): (Vec<&Table>, Vec<&Table>) =
        with_rows(schema).partition(|table| table.name.is("sqlite_sequence"));
    if let Some(first) = tables.iter().position(|table| table.autoincrement) {
        tables.splice(first + 1..first + 1, sequence);
    }
    tables
}
