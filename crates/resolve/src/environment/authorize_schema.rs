//! Authorizer calls about statements that change the schema.
//!
//! SQLite writes the schema table by statements of its own, and calls the authorizer about these, too. SQLITE_IGNORE counts
//! as permission here, because without such a statement the schema would be inconsistent.

use lithe_base::Db;
use lithe_catalog::{Index, IndexTerm, Result, SCHEMA_TABLE, TEMP_SCHEMA_TABLE, Table};
use lithe_sql::ast::{AlterAction, CreateTable, Drop, Name, ObjectKind, QualifiedName, Stmt};

use super::Environment;
use crate::authorize::{Action, Request};

impl Environment {
    /// Calls the authorizer about a statement that changes the schema. False: the statement has no effect.
    pub fn authorize_schema_change(&self, statement: &Stmt<'_>) -> Result<bool> {
        if self.authorizer.0.is_none() {
            return Ok(true);
        }
        match statement {
            Stmt::CreateTable(create) => self.authorize_create_table(create),
            Stmt::CreateView(create) => {
                let db = self.database_of(create.name, create.temporary);
                self.authorize_create([Action::CreateView, Action::CreateTempView], create.name.name.name, None, db)
            }
            Stmt::CreateIndex(create) => {
                let schema = create.name.schema.map(|schema| schema.name);
                let table = create.table.name;
                let Some(found) = self.catalog.find_table(schema, table) else { return Ok(true) };
                let actions = [Action::CreateIndex, Action::CreateTempIndex];
                self.authorize_create(actions, create.name.name.name, Some(table), found.db)
            }
            Stmt::CreateTrigger(create) => {
                let schema = create.table.schema.map(|schema| schema.name);
                let table = create.table.name.name;
                let Some(found) = self.catalog.find_table(schema, table) else { return Ok(true) };
                let db = if create.temporary { Db::TEMP } else { found.db };
                let action = [Action::CreateTrigger, Action::CreateTempTrigger][usize::from(db == Db::TEMP)];
                Ok(self.authorize(action, Some(create.name.name.name), Some(table), Some(db), None)?
                    && self.authorize_schema_table(Action::Insert, found.db)?
                    && self.authorize_schema_table(Action::Insert, db)?)
            }
            Stmt::Drop(drop) => self.authorize_drop(drop),
            Stmt::AlterTable(alter) => {
                let schema = alter.table.schema.map(|schema| schema.name);
                let Some(found) = self.catalog.find_table(schema, alter.table.name.name) else { return Ok(true) };
                let column = match &alter.action {
                    AlterAction::DropColumn(name)
                    | AlterAction::SetNotNull { column: name, .. }
                    | AlterAction::DropNotNull(name) => Some(name.name),
                    _ => None,
                };
                let database = self.catalog.database_name(found.db).name();
                // Only this action has a third detail, which takes the place of the database.
                let (database, column) = (database.to_str_lossy(), column.map(|name| name.to_str_lossy()));
                self.authorizer.call(&Request {
                    action: Action::AlterTable,
                    first: Some(&database),
                    second: Some(&found.table.name.to_string()),
                    database: column.as_deref(),
                    within: None,
                })
            }
            Stmt::CreateVirtualTable(create) => {
                let db = self.database_of(create.name, false);
                let (name, module) = (create.name.name.name, create.module.name);
                Ok(self.authorize_schema_table(Action::Insert, db)?
                    && self.authorize(Action::CreateVirtualTable, Some(name), Some(module), Some(db), None)?)
            }
            _ => Ok(true),
        }
    }

    fn database_of(&self, name: QualifiedName<'_>, temporary: bool) -> Db {
        match name.schema {
            _ if temporary => Db::TEMP,
            Some(schema) => self.catalog.find_database(schema.name).unwrap_or(Db::MAIN),
            None => Db::MAIN,
        }
    }

    fn authorize_create_table(&self, create: &CreateTable<'_>) -> Result<bool> {
        let db = self.database_of(create.name, create.temporary);
        self.authorize_create([Action::CreateTable, Action::CreateTempTable], create.name.name.name, None, db)
    }

    /// `actions`: the action for ordinary databases and the action for the temporary one.
    fn authorize_create(&self, actions: [Action; 2], name: Name<'_>, table: Option<Name<'_>>, db: Db) -> Result<bool> {
        let action = actions[usize::from(db == Db::TEMP)];
        Ok(self.authorize_schema_table(Action::Insert, db)?
            && self.authorize(action, Some(name), table, Some(db), None)?)
    }

    fn authorize_drop(&self, drop: &Drop<'_>) -> Result<bool> {
        let schema = drop.name.schema.map(|schema| schema.name);
        let name = drop.name.name.name;
        let found = match drop.kind {
            ObjectKind::Table | ObjectKind::View => {
                let module = |table: &Table| table.virtual_table().map(|table| table.module.clone());
                let found = self.catalog.find_table(schema, name);
                found.map(|found| (found.db, module(found.table), is_virtual(found.table)))
            }
            ObjectKind::Index => {
                self.catalog.find_index(schema, name).map(|found| (found.db, Some(found.table.name.clone()), false))
            }
            ObjectKind::Trigger => self
                .catalog
                .find_trigger(schema, name)
                .map(|found| (found.db, Some(found.trigger.table.clone()), false)),
        };
        let Some((db, table, is_virtual)) = found else { return Ok(true) };
        let [action, temporary] = match drop.kind {
            ObjectKind::Table if is_virtual => [Action::DropVirtualTable; 2],
            ObjectKind::Table => [Action::DropTable, Action::DropTempTable],
            ObjectKind::View => [Action::DropView, Action::DropTempView],
            ObjectKind::Index => [Action::DropIndex, Action::DropTempIndex],
            ObjectKind::Trigger => [Action::DropTrigger, Action::DropTempTrigger],
        };
        let action = if db == Db::TEMP { temporary } else { action };
        let table = table.as_ref().map(|table| table.name());
        if drop.kind == ObjectKind::Trigger {
            return Ok(self.authorize(action, Some(name), table, Some(db), None)?
                && self.authorize_schema_table(Action::Delete, db)?);
        }
        let is_allowed = self.authorize_schema_table(Action::Delete, db)?
            && self.authorize(action, Some(name), table, Some(db), None)?;
        let is_table = matches!(drop.kind, ObjectKind::Table | ObjectKind::View);
        Ok(is_allowed && (!is_table || self.authorize(Action::Delete, Some(name), None, Some(db), None)?))
    }

    fn authorize_schema_table(&self, action: Action, db: Db) -> Result<bool> {
        self.authorize(action, Some(schema_table(db)), None, Some(db), None)
    }

    /// A CREATE statement fills in its row of the schema table.
    pub fn authorize_schema_row(&self, db: Db) -> Result<()> {
        for column in ["type", "name", "tbl_name", "rootpage", "sql"] {
            self.authorize(Action::Update, Some(schema_table(db)), Some(Name::new(column.as_bytes())), Some(db), None)?;
        }
        self.authorize_read(schema_table(db), Name::new(b"ROWID"), db, None).map(drop)
    }

    /// A statement creates a table that the engine needs.
    pub fn authorize_system_table(&self, db: Db, name: &str) -> Result<()> {
        self.authorize_create([Action::CreateTable, Action::CreateTempTable], Name::new(name.as_bytes()), None, db)
            .map(drop)
    }

    /// CREATE TABLE creates the index that a constraint needs.
    pub fn authorize_index_of_constraint(&self, db: Db, table: &Table, index: &Index) -> Result<()> {
        if self.authorizer.0.is_none() {
            return Ok(());
        }
        let actions = [Action::CreateIndex, Action::CreateTempIndex];
        self.authorize_create(actions, index.name.name(), Some(table.name.name()), db)?;
        self.authorize_indexed_columns(db, table, index)?;
        self.authorize_schema_table(Action::Insert, db).map(drop)
    }

    /// An index is to be filled from these columns. (The authorizer is called about columns in its expressions when
    /// these are resolved.)
    pub fn authorize_indexed_columns(&self, db: Db, table: &Table, index: &Index) -> Result<()> {
        for column in index.key_columns() {
            if let IndexTerm::Column(at) = column.term {
                self.authorize_read(table.name.name(), table.columns[usize::from(at)].name.name(), db, None)?;
            }
        }
        Ok(())
    }

    /// CREATE INDEX writes its row and fills the tree.
    pub fn authorize_fill_index(&self, db: Db, index: &Index) -> Result<()> {
        self.authorize_schema_table(Action::Insert, db)?;
        self.authorize(Action::Reindex, Some(index.name.name()), None, Some(db), None).map(drop)
    }

    /// Rows of a system table are searched by `columns`, and deleted.
    pub fn authorize_delete_rows(&self, db: Db, table: &str, columns: &[&str]) -> Result<()> {
        let table = Name::new(table.as_bytes());
        self.authorize(Action::Delete, Some(table), None, Some(db), None)?;
        columns
            .iter()
            .try_for_each(|column| self.authorize_read(table, Name::new(column.as_bytes()), db, None).map(drop))
    }

    /// As [`Environment::authorize_delete_rows`], of the schema table.
    pub fn authorize_delete_schema_rows(&self, db: Db, columns: &[&str]) -> Result<()> {
        self.authorize_delete_rows(db, &schema_table(db).to_str_lossy(), columns)
    }

    /// A tree is dropped, and another one may move to its root page.
    pub fn authorize_root_page(&self, db: Db) -> Result<()> {
        let (table, column) = (schema_table(db), Name::new(b"rootpage"));
        self.authorize(Action::Update, Some(table), Some(column), Some(db), None)?;
        self.authorize_read(table, column, db, None).map(drop)
    }

    /// DROP TABLE drops a trigger of the table.
    pub fn authorize_drop_trigger(&self, db: Db, name: Name<'_>, table: Name<'_>) -> Result<()> {
        let action = [Action::DropTrigger, Action::DropTempTrigger][usize::from(db == Db::TEMP)];
        self.authorize(action, Some(name), Some(table), Some(db), None)?;
        self.authorize_schema_table(Action::Delete, db).map(drop)
    }
}

pub(super) fn schema_table(db: Db) -> Name<'static> {
    let name = if db == Db::TEMP { TEMP_SCHEMA_TABLE } else { SCHEMA_TABLE };
    Name::new(name.as_bytes())
}

fn is_virtual(table: &Table) -> bool {
    table.virtual_table().is_some()
}
