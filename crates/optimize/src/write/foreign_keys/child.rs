//! The foreign keys of the table whose rows change.

use lithe_base::Db;
use lithe_catalog::{CompileError, ForeignKey, Result, Table, qualified};
use lithe_resolve::ChangeTarget;
use lithe_resolve::environment::Environment;

use super::Change;
use super::parent_key::{self, ParentKey};
use crate::write::changed::Changed;

/// A foreign key of the table whose rows change.
#[derive(Clone, Debug)]
pub struct ChildKey<'a> {
    /// The database of both tables.
    pub db: Db,
    /// The key.
    pub key: &'a ForeignKey,
    /// The table that it refers to.
    pub parent: &'a Table,
    /// The key of that table.
    pub parent_key: ParentKey<'a>,
}

impl ChildKey<'_> {
    /// Whether the table is the parent.
    pub fn is_to(&self, table: &Table) -> bool {
        std::ptr::eq(self.parent, table)
    }

    /// Whether an UPDATE gives a value to one of its columns.
    pub(super) fn is_changed(&self, table: &Table, changed: &Changed) -> bool {
        self.key.columns.iter().any(|&column| changed.has(table, column))
    }
}

/// Whether the change can violate any key of the table.
pub(super) fn is_concerned(target: &ChangeTarget<'_>, change: Change<'_>) -> bool {
    target.table.foreign_keys.iter().any(|key| match change {
        Change::Insert { .. } | Change::Delete => true,
        Change::Update(changed) => key.columns.iter().any(|&column| changed.has(target.table, column)),
    })
}

/// The keys of the table that the change can violate. If `any` key is affected, those that refer to the table itself are, too.
pub(super) fn keys_of<'a>(
    env: &'a Environment,
    target: &ChangeTarget<'a>,
    change: Change<'_>,
    any: bool,
) -> Result<Vec<ChildKey<'a>>> {
    let (db, table) = (target.db, target.table);
    let schema = env.catalog.schema(db);
    let is_concerned = |key: &&ForeignKey| match change {
        Change::Insert { .. } | Change::Delete => true,
        Change::Update(changed) => {
            any && key.parent == table.name || key.columns.iter().any(|&column| changed.has(table, column))
        }
    };
    let mut keys = Vec::new();
    for key in table.foreign_keys.iter().filter(is_concerned) {
        let parent = schema.table(key.parent.name()).ok_or_else(|| {
            CompileError::no_such("table", qualified(Some(env.catalog.database_name(db).name()), key.parent.name()))
        })?;
        keys.push(ChildKey { db, key, parent, parent_key: parent_key::find(table, key, parent)? });
    }
    Ok(keys)
}

/// The keys of the table that match an existing parent.
pub(super) fn fitting_keys_of<'a>(env: &'a Environment, target: &ChangeTarget<'a>) -> Vec<ChildKey<'a>> {
    let (db, table) = (target.db, target.table);
    let schema = env.catalog.schema(db);
    let fitting = |key: &'a ForeignKey| {
        let parent = schema.table(key.parent.name())?;
        let parent_key = parent_key::find(table, key, parent).ok()?;
        Some(ChildKey { db, key, parent, parent_key })
    };
    table.foreign_keys.iter().filter_map(fitting).collect()
}

/// The keys of the table whose parent does not exist.
pub(super) fn orphaned_keys_of<'a>(env: &Environment, target: &ChangeTarget<'a>) -> Vec<&'a ForeignKey> {
    let schema = env.catalog.schema(target.db);
    target.table.foreign_keys.iter().filter(|key| schema.table(key.parent.name()).is_none()).collect()
}
