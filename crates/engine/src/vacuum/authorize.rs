//! What the authorizer is asked about a VACUUM: SQLite runs it as statements of its own on an attached database, and asks about each.
//! An application that denies ATTACH so denies `VACUUM INTO` any file.

use lithe_catalog::{Index, IndexColumn, Schema, Table};
use lithe_resolve::authorize::Action;
use lithe_sql::ast::Name;
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;

use super::{Object, Rebuild};
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

/// Asks about the statements that create the objects anew, in this order, and copy their rows.
pub(super) fn rebuilding(rebuild: &Rebuild<'_>, db: Db, objects: &[Object]) -> Result<()> {
    let connection = rebuild.connection;
    if !connection.hooks.has_authorizer() {
        return Ok(());
    }
    let mut number = [0; 8];
    connection.random.fill(&**connection.databases.vfs(), &mut number);
    let catalog = connection.catalog();
    let from = catalog.database_name(db).name().to_str_lossy();
    let questions = Questions { connection, from: &from, to: format!("vacuum_{:016x}", u64::from_be_bytes(number)) };
    let trees = |kind: &'static [u8]| objects.iter().filter(move |of| of.kind == kind && of.root.is_some());
    let tables: Vec<&Table> =
        trees(b"table").filter_map(|of| Some(&**rebuild.schema.table(Name::new(&of.name))?)).collect();
    questions.tables(&tables)?;
    questions.indexes(rebuild.schema, trees(b"index").filter(|of| of.has_sql))?;
    questions.rows(&tables)?;
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

    fn tables(&self, tables: &[&Table]) -> Result<()> {
        self.select()?;
        self.read(SCHEMA_TABLE, &["sql", "type", "name"])?;
        self.call("coalesce")?;
        self.read(SCHEMA_TABLE, &["rootpage"])?;
        tables.iter().try_for_each(|table| self.create_table(&table.name.name().to_str_lossy()))
    }

    fn create_table(&self, name: &str) -> Result<()> {
        self.make(Action::Insert, SCHEMA_TABLE, None)?;
        self.make(Action::CreateTable, name, None)?;
        for column in ["type", "name", "tbl_name", "rootpage", "sql"] {
            self.make(Action::Update, SCHEMA_TABLE, Some(column))?;
        }
        self.make(Action::Read, SCHEMA_TABLE, Some("ROWID"))
    }

    fn indexes<'o>(&self, schema: &Schema, mut indexes: impl Iterator<Item = &'o Object>) -> Result<()> {
        self.select()?;
        self.read(SCHEMA_TABLE, &["sql", "type"])?;
        indexes.try_for_each(|of| {
            let name = Name::new(&of.name);
            match (schema.indexed_table(name), schema.index(name)) {
                (Some(table), Some(index)) => self.create_index(table, index),
                _ => Ok(()),
            }
        })
    }

    fn create_index(&self, table: &Table, index: &Index) -> Result<()> {
        let (name, table_name) = (index.name.name().to_str_lossy(), table.name.name().to_str_lossy());
        self.make(Action::Insert, SCHEMA_TABLE, None)?;
        self.make(Action::CreateIndex, &name, Some(&table_name))?;
        for at in index.key_columns().iter().filter_map(IndexColumn::table_column) {
            self.make(Action::Read, &table_name, Some(&table.columns[usize::from(at)].name.name().to_str_lossy()))?;
        }
        self.make(Action::Insert, SCHEMA_TABLE, None)?;
        self.make(Action::Reindex, &name, None)
    }

    fn rows(&self, tables: &[&Table]) -> Result<()> {
        let read = |column| self.ask(Action::Read, Some(SCHEMA_TABLE), Some(column), Some(&self.to), DENIED);
        self.select()?;
        for _ in 0..2 {
            self.call("quote")?;
            read("name")?;
        }
        read("type")?;
        self.call("coalesce")?;
        read("rootpage")?;
        for table in tables {
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
