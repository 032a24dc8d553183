//! The foreign keys that refer to the table whose rows change.

use lithe_base::Db;
use lithe_catalog::{ForeignKey, IndexColumn, IndexOrigin, IndexTerm, NameBuf, Result, Table};
use lithe_resolve::ChangeTarget;
use lithe_resolve::environment::Environment;
use lithe_sql::ast::ForeignKeyAction;

use super::Change;
use super::parent_key::{self, ParentKey};
use crate::write::changed::Changed;

/// A foreign key that refers to the table whose rows change.
#[derive(Clone, Debug)]
pub struct ParentReference<'a> {
    /// The database of both tables.
    pub db: Db,
    /// The child.
    pub child: &'a Table,
    /// Its key.
    pub key: &'a ForeignKey,
    /// The number of the key among all of the schema's.
    pub number: u64,
    /// The parent's key.
    pub parent_key: ParentKey<'a>,
    is_update: bool,
}

impl ParentReference<'_> {
    /// Whether the table is the child.
    pub fn is_from(&self, table: &Table) -> bool {
        std::ptr::eq(self.child, table)
    }

    /// The action on the children.
    pub fn action(&self) -> ForeignKeyAction {
        if self.is_update { self.key.on_update } else { self.key.on_delete }
    }
}

/// The keys that refer to the table and that the change affects.
pub(super) fn references_to<'a>(
    env: &'a Environment,
    target: &ChangeTarget<'a>,
    change: Change<'_>,
) -> Result<Vec<ParentReference<'a>>> {
    let (db, table) = (target.db, target.table);
    let mut references = Vec::new();
    for (number, (child, key)) in numbered_references(env, db, table) {
        // The key is matched with its parent only if the change affects it.
        if is_about(table, key, change) {
            let parent_key = parent_key::find(child, key, table)?;
            let is_update = matches!(change, Change::Update(_));
            references.push(ParentReference { db, child, key, number, parent_key, is_update });
        }
    }
    Ok(references)
}

/// Whether the change affects any key that refers to the table.
pub(super) fn is_concerned<'a>(env: &'a Environment, target: &ChangeTarget<'a>, change: Change<'_>) -> bool {
    numbered_references(env, target.db, target.table).any(|(_, (_, key))| is_about(target.table, key, change))
}

/// Checks that all keys that refer to the table match it; otherwise "foreign key mismatch" for the oldest that does
/// not.
pub(super) fn check_fit<'a>(env: &'a Environment, target: &ChangeTarget<'a>) -> Result<()> {
    last_misfit(target.table, numbered_references(env, target.db, target.table))
}

/// Checks that the keys with an action for the change match the table; otherwise "foreign key mismatch" for the oldest
/// that does not.
pub(super) fn check_fit_of_actions<'a>(
    env: &'a Environment,
    target: &ChangeTarget<'a>,
    change: Change<'_>,
) -> Result<()> {
    let acts = |key: &ForeignKey| {
        let action = match change {
            Change::Insert { .. } => ForeignKeyAction::NoAction,
            Change::Delete => key.on_delete,
            Change::Update(_) => key.on_update,
        };
        action != ForeignKeyAction::NoAction && is_about(target.table, key, change)
    };
    let references = numbered_references(env, target.db, target.table);
    last_misfit(target.table, references.filter(|(_, (_, key))| acts(key)))
}

fn last_misfit<'a>(
    table: &'a Table,
    references: impl Iterator<Item = (u64, (&'a Table, &'a ForeignKey))>,
) -> Result<()> {
    let misfit = |(_, (child, key))| parent_key::find(child, key, table).err();
    references.filter_map(misfit).last().map_or(Ok(()), Err)
}

fn is_about(table: &Table, key: &ForeignKey, change: Change<'_>) -> bool {
    match change {
        // A single new row cannot resolve a violation, because the statement began without an immediate one.
        Change::Insert { fails_at_once } => key.deferred || !fails_at_once,
        Change::Delete => true,
        Change::Update(changed) => is_key_changed(key, table, changed),
    }
}

/// Whether an UPDATE gives a value to a column that the key names, or to the primary key if it names none.
fn is_key_changed(key: &ForeignKey, table: &Table, changed: &Changed) -> bool {
    if !key.parent_columns.is_empty() {
        let column = |name: &NameBuf| table.column(name.name());
        return key.parent_columns.iter().filter_map(column).any(|at| changed.has(table, at));
    }
    let primary = table.indexes.iter().find(|index| index.origin == IndexOrigin::PrimaryKey);
    let is_in_key = |term: &IndexColumn| match term.term {
        IndexTerm::Column(at) => changed.has(table, at),
        IndexTerm::Rowid | IndexTerm::Expr(_) => false,
    };
    changed.rowid || primary.is_some_and(|index| index.key_columns().iter().any(is_in_key))
}

/// The keys that refer to the table and match it.
pub(super) fn fitting_references_to<'a>(env: &'a Environment, target: &ChangeTarget<'a>) -> Vec<ParentReference<'a>> {
    let (db, table) = (target.db, target.table);
    let fitting = |(number, (child, key)): (u64, (&'a Table, &'a ForeignKey))| {
        let parent_key = parent_key::find(child, key, table).ok()?;
        Some(ParentReference { db, child, key, number, parent_key, is_update: false })
    };
    numbered_references(env, db, table).filter_map(fitting).collect()
}

/// The foreign keys of the schema that name the table, the newest first, each with its child and its number.
fn numbered_references<'a>(
    env: &'a Environment,
    db: Db,
    table: &'a Table,
) -> impl Iterator<Item = (u64, (&'a Table, &'a ForeignKey))> {
    env.catalog.schema(db).references_to(table.name.name()).map(|(number, child, key)| (number, (&**child, key)))
}
