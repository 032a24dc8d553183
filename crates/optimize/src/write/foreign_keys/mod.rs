//! Which foreign keys a change affects: those of the table, and those that refer to it.
//!
//! ```text
//!   a child row is added or removed does its parent exist? child, parent_key
//!   a parent row is added or removed which children has it? parent, children
//!                                    what becomes of them?  action
//! ```

mod action;
mod child;
mod children;
mod parent;
mod parent_key;

use lithe_base::Db;
use lithe_catalog::{ForeignKey, FoundTable, Result, Table};
use lithe_resolve::environment::Environment;
use lithe_resolve::{ChangeTarget, Resolver};
use lithe_sql::ast::ForeignKeyAction;

use super::changed::Changed;
pub use action::quoted;
pub use child::ChildKey;
pub use children::{ChildrenPlan, ParentChange, ParentRow, plan_children};
pub use parent::ParentReference;
pub use parent_key::ParentKey;

/// What happens to rows.
#[derive(Clone, Copy)]
pub enum Change<'c> {
    /// INSERT
    Insert {
        /// A violation ends the statement at once, because nothing has changed before it, and nothing after it can resolve it.
        fails_at_once: bool,
    },
    /// DELETE
    Delete,
    /// UPDATE
    Update(&'c Changed),
}

/// The foreign keys that a change of a table's rows affects.
#[derive(Clone, Debug, Default)]
pub struct ForeignKeys<'a> {
    /// Those of the table.
    pub of_child: Vec<ChildKey<'a>>,
    /// Those that refer to it.
    pub to_parent: Vec<ParentReference<'a>>,
    /// The keys of a dropped table whose parent does not exist.
    pub orphaned: Vec<&'a ForeignKey>,
}

impl<'a> ForeignKeys<'a> {
    /// The keys that matter; none if foreign keys are not enforced.
    pub fn of(resolver: &Resolver<'a>, target: &ChangeTarget<'a>, change: Change<'_>) -> Result<ForeignKeys<'a>> {
        let env = resolver.env;
        let mut keys = ForeignKeys::default();
        if !env.flags.foreign_keys || target.table.view().is_some() {
            return Ok(keys);
        }
        // If a key affects an old row, the row is read for all keys that refer to the table, and these have to match
        // it.
        let is_old = !matches!(change, Change::Insert { .. });
        let is_read = is_old && (child::is_concerned(target, change) || parent::is_concerned(env, target, change));
        let fit = if is_read { parent::check_fit(env, target) } else { Ok(()) };
        let found = child::keys_of(env, target, change, is_read)
            .and_then(|of_child| Ok((of_child, parent::references_to(env, target, change)?)));
        match (fit, found) {
            (Ok(()), Ok((of_child, to_parent))) => (keys.of_child, keys.to_parent) = (of_child, to_parent),
            // Of several mismatched keys SQLite reports the last one it processes: actions come after the checks.
            (fit, found) => {
                parent::check_fit_of_actions(env, target, change)?;
                found?;
                fit?;
            }
        }
        Ok(keys)
    }

    /// The keys of a dropped table: those that match their parents, and those without a parent.
    pub(crate) fn of_dropped(resolver: &Resolver<'a>, target: &ChangeTarget<'a>) -> ForeignKeys<'a> {
        let env = resolver.env;
        ForeignKeys {
            of_child: child::fitting_keys_of(env, target),
            to_parent: parent::fitting_references_to(env, target),
            orphaned: child::orphaned_keys_of(env, target),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.of_child.is_empty() && self.to_parent.is_empty() && self.orphaned.is_empty()
    }

    /// Whether rows of the table itself refer to its rows: while one row is changed, others are searched, so no index may have an
    /// entry of a row that is deleted.
    pub(crate) fn refer_to(&self, table: &Table) -> bool {
        self.of_child.iter().any(|key| key.is_to(table))
            || self.to_parent.iter().any(|reference| reference.is_from(table))
    }

    /// Whether an UPDATE has to check unique indexes whose entries do not change, too: a key of the table to itself changes, or a key with
    /// ON UPDATE refers to a changed column.
    pub(super) fn need_all_indexes(&self, env: &Environment, table: &Table, changed: &Changed) -> bool {
        let acts = |reference: &ParentReference<'_>| reference.action() != ForeignKeyAction::NoAction;
        self.of_child.iter().any(|key| key.is_to(table) && key.is_changed(table, changed))
            || !env.flags.foreign_keys_no_action && self.to_parent.iter().any(acts)
    }
}

/// Whether dropping a table has to delete its rows first, as if by DELETE: when rows of other tables refer to them, or when
/// its own may be counted as violations of deferred keys.
pub fn drop_needs_delete(env: &Environment, found: FoundTable<'_>) -> bool {
    let may_be_counted = |key: &ForeignKey| key.deferred || env.flags.defer_foreign_keys;
    let is_ordinary = found.table.view().is_none() && found.table.virtual_table().is_none();
    let is_concerned = is_parent(env, found.db, found.table) || found.table.foreign_keys.iter().any(may_be_counted);
    env.flags.foreign_keys && is_ordinary && is_concerned
}

/// Whether a foreign key refers to the table.
pub fn is_parent(env: &Environment, db: Db, table: &Table) -> bool {
    let tables = env.catalog.schema(db).tables();
    tables.into_iter().any(|child| child.foreign_keys.iter().any(|key| key.parent == table.name))
}
