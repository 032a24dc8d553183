//! Transactions: begin, commit, rollback, savepoints.
//!
//! ```text
//!            begin_read            begin_write
//!   Idle  ---------------> Reading ------------> Writing
//!         <---------------         <------------
//!             end_read             commit, rollback
//! ```
//!
//! A commit and a rollback leave the connection reading, with what it just wrote or what was there
//! before; whoever is done ends the read transaction too.

use crate::error::{Error, Result};
use crate::options::BeginKind;
use crate::pager::{Pager, State, Store};

impl Pager {
    /// Begins to read: takes the lock or the snapshot, and learns the size of the database.
    pub fn begin_read(&self) -> Result<()> {
        if self.state.get() != State::Idle {
            return Ok(());
        }
        match &self.store {
            Store::Memory(_) => {}
            Store::File(file) => self.retry_while_busy(|| file.begin_read(self))?,
        }
        self.state.set(State::Reading);
        Ok(())
    }

    /// Ends a read transaction: what was read may change from now on. A write transaction is
    /// rolled back first.
    pub fn end_read(&self) -> Result<()> {
        match self.state.get() {
            State::Idle => return Ok(()),
            State::Reading => {}
            State::Writing => self.rollback()?,
        }
        self.state.set(State::Idle);
        self.view.direct.set(0);
        match &self.store {
            Store::Memory(_) => Ok(()),
            Store::File(file) => file.end_read(),
        }
    }

    /// Begins to write, and to read if that has not begun.
    pub fn begin_write(&self, kind: BeginKind) -> Result<()> {
        if self.state.get() == State::Writing {
            return Ok(());
        }
        self.begin_read()?;
        match &self.store {
            Store::Memory(_) => {}
            Store::File(file) => self.retry_while_busy(|| file.begin_write(kind))?,
        }
        let mut txn = self.txn.borrow_mut();
        txn.pages_before = self.page_count();
        self.state.set(State::Writing);
        Ok(())
    }

    /// Makes what was written durable and visible to others.
    pub fn commit(&self) -> Result<()> {
        self.commit_phase_one(None)?;
        self.commit_phase_two()
    }

    /// The first phase of a commit: everything is durable, but can still be rolled back. With the
    /// name of a super-journal, a crash from here on commits exactly if that file is gone.
    pub fn commit_phase_one(&self, super_journal: Option<&str>) -> Result<()> {
        self.misuse_unless(self.state.get() == State::Writing, "commit without a write transaction")?;
        match &self.store {
            Store::Memory(_) => Ok(()),
            Store::File(file) => file.commit_phase_one(self, super_journal),
        }
    }

    /// The second phase of a commit, which decides it.
    pub fn commit_phase_two(&self) -> Result<()> {
        self.misuse_unless(self.state.get() == State::Writing, "commit without a write transaction")?;
        let mut txn = self.txn.borrow_mut();
        match &self.store {
            Store::Memory(memory) => memory.publish(&mut txn.dirty, self.page_count(), self.page_size().bytes()),
            Store::File(file) => file.commit_phase_two(self, &mut txn)?,
        }
        txn.savepoints.clear();
        drop(txn);
        self.state.set(State::Reading);
        self.bump_write_version();
        Ok(())
    }

    /// Undoes the write transaction.
    pub fn rollback(&self) -> Result<()> {
        if self.state.get() != State::Writing {
            return Ok(());
        }
        let mut txn = self.txn.borrow_mut();
        txn.dirty.drain(|_, bytes| Some(bytes));
        txn.savepoints.clear();
        self.view.page_count.set(txn.pages_before);
        drop(txn);
        self.state.set(State::Reading);
        self.bump_write_version();
        match &self.store {
            Store::Memory(_) => Ok(()),
            Store::File(file) => file.rollback(self),
        }
    }

    /// Opens a savepoint and answers its depth: 0 for the first.
    pub fn savepoint(&self) -> Result<usize> {
        self.misuse_unless(self.state.get() == State::Writing, "a savepoint outside a write transaction")?;
        let mut txn = self.txn.borrow_mut();
        txn.savepoints.open(self.page_count());
        Ok(txn.savepoints.len() - 1)
    }

    /// How many savepoints are open.
    pub fn savepoint_count(&self) -> usize {
        self.txn.borrow().savepoints.len()
    }

    /// Closes the savepoints from `depth` on and keeps what was done under them.
    pub fn release(&self, depth: usize) -> Result<()> {
        let txn = &mut *self.txn.borrow_mut();
        txn.savepoints.release(depth, &mut txn.dirty);
        Ok(())
    }

    /// Undoes what was done since the savepoint `depth` was opened. It stays open; those after it do
    /// not.
    pub fn rollback_to(&self, depth: usize) -> Result<()> {
        let txn = &mut *self.txn.borrow_mut();
        if depth >= txn.savepoints.len() {
            return Err(Error::Misuse("no such savepoint"));
        }
        let page_count = txn.savepoints.rollback_to(depth, &mut txn.dirty);
        self.view.page_count.set(page_count);
        self.bump_write_version();
        Ok(())
    }
}
