//! Foreign keys: counting violations, and what happens to children.
//!
//! A violation is not an error when it arises: a counter goes up, and down again when something mends it; the statement (or,
//! for a deferred key, the transaction) must end with the counter at zero.
//!
//! ```text
//!   a child row comes     its parent is missing       +1        parent_key, child
//!   a child row goes      its parent is missing       -1
//!   a parent row goes     for each of its children    +1        parent
//!   a parent row comes    for each of its children    -1
//! ```
//!
//! ON DELETE and ON UPDATE are triggers that the foreign key brings (`action`): CASCADE deletes the children after the
//! parent, which takes back what their violation has added.

mod action;
mod child;
mod parent;
mod parent_key;

use lithe_catalog::{ForeignKey, FoundTable, Result, Table};
use lithe_resolve::ChangeTarget;
use lithe_sql::ast::ForeignKeyAction;
use lithe_vm::operand::Db;

use super::fire::Firing;
use super::row::Row;
use super::target::{Changed, Target};
use crate::Codegen;
use child::ChildKey;
pub(super) use child::quoted;
use parent::ParentReference;

/// What happens to rows.
#[derive(Clone, Copy)]
pub(super) enum Change<'c> {
    /// INSERT
    Insert,
    /// DELETE
    Delete,
    /// UPDATE
    Update(&'c Changed),
}

/// The foreign keys that a change of a table's rows is about.
pub(super) struct ForeignKeys<'a> {
    /// Those of the table.
    of_child: Vec<ChildKey<'a>>,
    /// Those that refer to it.
    to_parent: Vec<ParentReference<'a>>,
    /// Those of a table that is dropped whose parent is not there.
    orphaned: Vec<&'a ForeignKey>,
}

impl<'a> ForeignKeys<'a> {
    /// The keys that matter; none if foreign keys are not enforced.
    pub fn of(cg: &Codegen<'a>, target: &ChangeTarget<'a>, change: Change<'_>) -> Result<ForeignKeys<'a>> {
        let mut keys = ForeignKeys { of_child: Vec::new(), to_parent: Vec::new(), orphaned: Vec::new() };
        if !cg.env.flags.foreign_keys || target.table.view().is_some() {
            return Ok(keys);
        }
        // An old row that any key is about is read for all that refer to it, which have to fit.
        let is_old = !matches!(change, Change::Insert);
        let is_read = is_old && (child::is_concerned(target, change) || parent::is_concerned(cg, target, change));
        let fit = if is_read { parent::check_fit(cg, target) } else { Ok(()) };
        let found = child::keys_of(cg, target, change, is_read)
            .and_then(|of_child| Ok((of_child, parent::references_to(cg, target, change)?)));
        match (fit, found) {
            (Ok(()), Ok((of_child, to_parent))) => (keys.of_child, keys.to_parent) = (of_child, to_parent),
            // Of several keys that do not fit SQLite names the one that it comes to last: actions come after the checks.
            (fit, found) => {
                parent::check_fit_of_actions(cg, target, change)?;
                found?;
                fit?;
            }
        }
        Ok(keys)
    }

    /// The keys of a table that is dropped: those that fit together, and those without a parent.
    pub fn of_dropped(cg: &Codegen<'a>, target: &ChangeTarget<'a>) -> ForeignKeys<'a> {
        ForeignKeys {
            of_child: child::fitting_keys_of(cg, target),
            to_parent: parent::fitting_references_to(cg, target),
            orphaned: child::orphaned_keys_of(cg, target),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.of_child.is_empty() && self.to_parent.is_empty() && self.orphaned.is_empty()
    }

    /// Whether rows of the table itself refer to its rows: while one is changed, others are looked for, and no index may have an entry
    /// of a row that is not there.
    pub fn refer_to(&self, table: &Table) -> bool {
        self.of_child.iter().any(|key| key.is_to(table))
            || self.to_parent.iter().any(|reference| reference.is_from(table))
    }

    /// Whether an UPDATE has to look at unique indexes whose entries stay, too: a key of the table to itself changes, or one with ON UPDATE
    /// refers to what changes.
    pub fn need_all_indexes(&self, cg: &Codegen<'_>, table: &Table, changed: &Changed) -> bool {
        let acts = |reference: &ParentReference<'_>| reference.action() != ForeignKeyAction::NoAction;
        self.of_child.iter().any(|key| key.is_to(table) && key.is_changed(table, changed))
            || !cg.env.flags.foreign_keys_no_action && self.to_parent.iter().any(acts)
    }

    /// The row `old` is about to go.
    pub fn check_old(&self, cg: &mut Codegen<'a>, target: &Target<'a>, old: Row) -> Result<()> {
        for key in &self.of_child {
            key.emit_check(cg, target, old, -1)?;
        }
        for key in &self.orphaned {
            child::emit_orphan_goes(cg, target, key, old);
        }
        for reference in &self.to_parent {
            reference.emit_check(cg, target, old, 1)?;
        }
        Ok(())
    }

    /// The row `new` is about to come.
    pub fn check_new(&self, cg: &mut Codegen<'a>, target: &Target<'a>, new: Row) -> Result<()> {
        for key in &self.of_child {
            key.emit_check(cg, target, new, 1)?;
        }
        for reference in &self.to_parent {
            reference.emit_check(cg, target, new, -1)?;
        }
        Ok(())
    }

    /// The row `old` has gone, or become `new`: what ON DELETE and ON UPDATE say.
    pub fn act(
        &self,
        cg: &mut Codegen<'a>,
        target: &ChangeTarget<'a>,
        old: Row,
        new: Option<Row>,
        firing: Firing,
    ) -> Result<()> {
        for reference in &self.to_parent {
            action::emit(cg, target, reference, old, new, firing)?;
        }
        Ok(())
    }
}

/// Whether dropping a table has to delete its rows first, as if by DELETE: when rows of other tables refer to them, or when
/// its own may be counted as violations of deferred keys.
pub(crate) fn drop_needs_delete(cg: &Codegen<'_>, found: FoundTable<'_>) -> bool {
    let may_be_counted = |key: &ForeignKey| key.deferred || cg.env.flags.defer_foreign_keys;
    let is_ordinary = found.table.view().is_none() && found.table.virtual_table().is_none();
    let is_concerned = is_parent(cg, found.db, found.table) || found.table.foreign_keys.iter().any(may_be_counted);
    cg.env.flags.foreign_keys && is_ordinary && is_concerned
}

/// Whether a foreign key refers to the table.
pub(crate) fn is_parent(cg: &Codegen<'_>, db: Db, table: &Table) -> bool {
    let tables = cg.env.catalog.schema(db).tables();
    tables.into_iter().any(|child| child.foreign_keys.iter().any(|key| key.parent == table.name))
}
