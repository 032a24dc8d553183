//! Changes of a table that failed a constraint: they are tried again after its other changes.
//!
//! ```text
//!   set aside ──► again, as long as some succeed ──► each UPDATE in turn:                        ──► call of the handler
//!                                                    SAVEPOINT; random unique values for its row;
//!                                                    the other changes; the UPDATE; or ROLLBACK TO
//! ```

use std::rc::Rc;

use lithe_vtab::{Result, RowOperation};

use super::Applier;
use super::target::Outcome;
use crate::header::TableHeader;
use crate::iterator::Change;

impl Applier<'_, '_> {
    /// Tries the changes that were set aside, again as long as some succeed. The changes left then are conflicts.
    pub(super) fn finish_table(&mut self) -> Result {
        if self.deferred.is_empty() {
            return Ok(());
        }
        let header = self.table.as_ref().map(|table| Rc::clone(&table.header));
        // The first change of the next table may have been read already.
        let (next_table, next_change) = self.changes.replace_change(None, None);
        self.retry(header.as_ref())?;
        if !self.options.no_update_loop {
            self.break_loops(header.as_ref())?;
        }
        self.defers = false;
        self.try_again(header.as_ref())?;
        self.defers = true;
        self.changes.replace_change(next_table, next_change);
        Ok(())
    }

    /// Tries each change that was set aside once.
    fn try_again(&mut self, header: Option<&Rc<TableHeader>>) -> Result {
        for change in std::mem::take(&mut self.deferred) {
            self.changes.replace_change(header.cloned(), Some(change.copied()?));
            self.apply_change(&change)?;
        }
        Ok(())
    }

    fn retry(&mut self, header: Option<&Rc<TableHeader>>) -> Result {
        loop {
            let count = self.deferred.len();
            self.try_again(header)?;
            if self.deferred.is_empty() || self.deferred.len() >= count {
                return Ok(());
            }
        }
    }

    /// Applies UPDATEs that block each other.
    fn break_loops(&mut self, header: Option<&Rc<TableHeader>>) -> Result {
        let mut at = 0;
        while let Some(change) = self.deferred.get(at) {
            let is_update = change.operation == RowOperation::Update;
            at = if is_update && self.break_loop(at, header)? { 0 } else { at + 1 };
        }
        Ok(())
    }

    /// Sets the unique columns of one UPDATE's row to random values, tries the other changes, then the UPDATE. Answers whether the UPDATE
    /// succeeded; otherwise rolls back.
    fn break_loop(&mut self, at: usize, header: Option<&Rc<TableHeader>>) -> Result<bool> {
        let connection = self.connection;
        connection.execute("SAVEPOINT update_op")?;
        let before = self.deferred.iter().map(Change::copied).collect::<std::result::Result<Vec<Change>, _>>()?;
        let update = self.deferred.remove(at);
        let is_made = self.update_after_others(&update, header)?;
        if !is_made {
            connection.execute("ROLLBACK TO update_op")?;
            self.deferred = before;
        }
        connection.execute("RELEASE update_op")?;
        Ok(is_made)
    }

    fn update_after_others(&mut self, update: &Change, header: Option<&Rc<TableHeader>>) -> Result<bool> {
        let connection = self.connection;
        if self.target()?.displace(connection, update)? != Outcome::Done {
            return Ok(false);
        }
        self.try_again(header)?;
        self.retry(header)?;
        Ok(self.target()?.run(connection, update, true)? == Outcome::Done)
    }
}
