//! Rebasing: rewrites local changes so that they apply to a database with the remote changes, whose conflicts were resolved as in this
//! database.
//!
//! The rebase data of [`crate::apply()`] has the form of a changeset: for each conflict a DELETE, or an INSERT for an INSERT or UPDATE. The
//! indirect byte says whether the remote change was applied (REPLACE) or omitted (OMIT).

use std::rc::Rc;

use lithe_vtab::{FunctionError, Grow, OutOfMemory, Result, RowOperation, code, copied};

use crate::changes::{Changes, hash_of, same_key};
use crate::header::{Format, TableHeader};
use crate::input::Input;
use crate::iterator::{Change, ChangesetIterator};
use crate::merge::{joined, overlaid};
use crate::record::{REPLACED, UNDEFINED, UNDEFINED_FIELD, fields, is_defined};

/// The resolved conflicts of applied changesets.
#[derive(Default)]
pub struct Rebaser {
    tables: Vec<(TableHeader, Changes<Resolved>)>,
}

/// The resolved conflict of a row.
struct Resolved {
    is_delete: bool,
    /// Whether the remote change was applied.
    is_replaced: bool,
    /// The remote values. A replaced column has the marker [`REPLACED`].
    record: Vec<u8>,
}

impl Rebaser {
    /// A rebaser without conflicts.
    pub fn new() -> Rebaser {
        Rebaser::default()
    }

    /// Adds the rebase data of an applied changeset; to be called in the order in which the changesets were applied.
    ///
    /// # Errors
    /// SQLITE_CORRUPT for invalid bytes; SQLITE_ERROR for a patchset; SQLITE_SCHEMA if a table has other columns than before.
    pub fn configure(&mut self, rebase: Input<'_>) -> Result {
        let mut changes = ChangesetIterator::new(rebase, false).checking_types_of(|_| true);
        while changes.advance()? {
            if changes.format() == Format::Patchset {
                return Err(FunctionError::of_code(code::ERROR));
            }
            let Some((header, change)) = changes.table().zip(changes.change()) else { continue };
            self.add(header, change)?;
        }
        Ok(())
    }

    #[expect(clippy::indexing_slicing, reason = "the place of a table, or of the one that was just added")]
    fn add(&mut self, header: &TableHeader, change: &Change) -> Result {
        let at = match self.tables.iter().position(|(table, _)| table.has_name(&header.name)) {
            Some(at) => at,
            None => {
                self.tables.push((header.clone(), Changes::default()));
                self.tables.len() - 1
            }
        };
        let (table, resolved) = &mut self.tables[at];
        if table.primary_key != header.primary_key {
            return Err(FunctionError::of_code(code::SCHEMA));
        }
        let hash = hash_of(table, change.key_record());
        let before = resolved.remove(hash, |known| same_key(table, &known.record, change.key_record()));
        let mut new = Resolved::of(table, change)?;
        if let Some(before) = before {
            // As in SQLite, whose rebaser forgets a row that was deleted here once another conflict is reported about it.
            if before.is_delete && before.is_replaced {
                return Ok(());
            }
            new.record = combined(table, &before.record, &new)?;
            new.is_replaced |= before.is_replaced;
        }
        Ok(resolved.add(hash, new)?)
    }

    /// Writes the rebased local changeset to `out`, in pieces.
    ///
    /// # Errors
    /// SQLITE_ERROR for a patchset, SQLITE_CORRUPT for bytes that are not a changeset; those of `out`.
    pub fn rebase(&self, input: Input<'_>, out: &mut dyn FnMut(&[u8]) -> Result) -> Result {
        let mut changes = ChangesetIterator::new(input, false).checking_types_of(|_| true);
        let mut table: Option<Rc<TableHeader>> = None;
        let mut piece = Vec::new();
        while changes.advance()? {
            if changes.format() == Format::Patchset {
                return Err(FunctionError::of_code(code::ERROR));
            }
            let Some((header, change)) = changes.table().zip(changes.change()) else { continue };
            piece.clear();
            if !table.as_ref().is_some_and(|before| Rc::ptr_eq(before, header)) {
                header.push(&mut piece, Format::Changeset)?;
                table = Some(Rc::clone(header));
            }
            let rebased = match self.conflict_of(header, change) {
                Some(resolved) => resolved.rebase(header, change)?,
                None => Some(change.copied()?),
            };
            if let Some(rebased) = rebased {
                rebased.push(header, Format::Changeset, &mut piece)?;
            }
            if !piece.is_empty() {
                out(&piece)?;
            }
        }
        Ok(())
    }

    fn conflict_of(&self, header: &TableHeader, change: &Change) -> Option<&Resolved> {
        let (table, resolved) = self.tables.iter().find(|(table, _)| table.has_name(&header.name))?;
        if table.primary_key != header.primary_key {
            return None;
        }
        let key = change.key_record();
        resolved.get(hash_of(table, key), |known| same_key(table, &known.record, key))
    }
}

/// Combines two conflicts of a row: a replaced column stays replaced, otherwise the later value counts. As in SQLite, a later conflict that
/// was replaced replaces all columns, also those that its change does not have.
fn combined(table: &TableHeader, before: &[u8], now: &Resolved) -> std::result::Result<Vec<u8>, OutOfMemory> {
    let choose = |(at, (before, field))| -> &[u8] {
        if now.is_replaced && !table.is_key(at) {
            &[REPLACED]
        } else if before == [REPLACED] || !is_defined(field) {
            before
        } else {
            field
        }
    };
    joined(fields(before).zip(fields(&now.record)).enumerate().map(choose))
}

impl Resolved {
    fn of(header: &TableHeader, change: &Change) -> std::result::Result<Resolved, OutOfMemory> {
        let is_delete = change.operation == RowOperation::Delete;
        // In rebase data, the indirect byte means REPLACE.
        let is_replaced = change.indirect != 0;
        let record = change.key_record();
        let marked = |(at, field)| {
            let is_marked = is_replaced && !is_delete && !header.is_key(at) && is_defined(field);
            if is_marked { &[REPLACED] } else { field }
        };
        Ok(Resolved { is_delete, is_replaced, record: joined(fields(record).enumerate().map(marked))? })
    }

    /// Rebases the local change on the remote one; `None` if it has no effect left.
    fn rebase(&self, header: &TableHeader, local: &Change) -> std::result::Result<Option<Change>, OutOfMemory> {
        use RowOperation::{Delete, Insert, Update};
        let nothing = || vec![UNDEFINED; header.column_count()];
        Ok(match (local.operation, self.is_delete) {
            (Insert, true) => Some(local.copied()?),
            (Delete, true) => None,
            (Update, true) if self.is_replaced => None,
            (Update, true) => {
                let new = overlaid(&self.record, &local.new)?;
                Some(Change { operation: Insert, indirect: local.indirect, old: nothing(), new })
            }
            (Insert, false) if self.is_replaced => None,
            (Insert, false) => {
                let (old, new) = (copied(&self.record)?, copied(&local.new)?);
                Some(Change { operation: Update, indirect: local.indirect, old, new })
            }
            (Delete, false) => {
                let pairs = fields(&local.old).zip(fields(&self.record));
                let choose = |(old, remote)| if !is_defined(remote) || remote == [REPLACED] { old } else { remote };
                Some(Change { old: joined(pairs.map(choose))?, new: copied(&local.new)?, ..*local })
            }
            (Update, false) => self.rebase_update(header, local)?,
        })
    }

    fn rebase_update(&self, header: &TableHeader, local: &Change) -> std::result::Result<Option<Change>, OutOfMemory> {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let mut is_left = false;
        let values = fields(&local.old).zip(fields(&local.new)).zip(fields(&self.record)).enumerate();
        for (at, ((was, is), remote)) in values {
            let (is_key, is_marked) = (header.is_key(at), remote == [REPLACED]);
            if is_key || !is_defined(remote) {
                is_left |= !is_key && is_defined(was);
                old.try_append(was)?;
            } else if is_marked || !is_defined(was) {
                old.try_append(UNDEFINED_FIELD)?;
            } else {
                is_left = true;
                old.try_append(remote)?;
            }
            new.try_append(if is_marked && !is_key { UNDEFINED_FIELD } else { is })?;
        }
        Ok(is_left.then_some(Change { old, new, ..*local }))
    }
}
