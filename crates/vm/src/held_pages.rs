//! The pages that a machine holds while it is paused.
//!
//! A commit of the same connection may change mapped bytes. A machine that ends a step or calls the application therefore puts
//! its cursors aside. There the pager finds the cursors, and has them copy their pages before the commit (see
//! `lithe_pager::PageHolders`). A machine that neither has put its cursors aside nor ended is exposed: the pager refuses such a
//! commit.

use std::cell::Cell;
use std::rc::{Rc, Weak};

use lithe_pager::{PageHolder, PageHolders, Pager};

use crate::cursor::VmCursor;

/// Whether a machine holds pages that may change, and where its cursors are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Holding {
    /// The machine holds no such pages.
    #[default]
    NoPages,
    /// The cursors are in the running machine, where the pager cannot access them.
    Exposed,
    /// The cursors are in [`PausedCursors`], where the pager can access them.
    Paused,
}

/// The cursors of a machine while it is paused.
#[derive(Default)]
struct PausedCursors {
    holding: Cell<Holding>,
    cursors: Cell<Vec<VmCursor>>,
}

impl PageHolder for PausedCursors {
    fn make_pages_private(&self, pager: &Pager) -> bool {
        if self.holding.get() == Holding::Paused {
            let mut cursors = self.cursors.take();
            cursors.iter_mut().for_each(|cursor| cursor.make_pages_private(pager));
            self.cursors.set(cursors);
        }
        self.holding.get() != Holding::Exposed
    }
}

/// The pages that a machine holds, and whether the pager can access them.
#[derive(Default)]
pub struct HeldPages {
    paused: Rc<PausedCursors>,
    /// The databases whose pages may change that the machine has read, in this run or before.
    databases: Vec<Rc<PageHolders>>,
}

impl HeldPages {
    /// Whether bytes of pages may change when this connection commits.
    #[inline]
    pub fn may_change(&self) -> bool {
        self.paused.holding.get() != Holding::NoPages
    }

    /// Records that a cursor is opened on a database whose pages may change.
    #[inline]
    pub fn read_from(&mut self, holders: &Rc<PageHolders>) {
        debug_assert!(self.paused.holding.get() != Holding::Paused, "a paused machine opens no cursor");
        if !self.databases.iter().any(|known| Rc::ptr_eq(known, holders)) {
            let holder: Weak<PausedCursors> = Rc::downgrade(&self.paused);
            holders.register(holder);
            self.databases.push(Rc::clone(holders));
        }
        self.paused.holding.set(Holding::Exposed);
    }

    /// Puts the cursors aside before the step ends or the application is called.
    #[inline]
    pub fn pause(&mut self, cursors: &mut Vec<VmCursor>) {
        if self.paused.holding.get() == Holding::Exposed {
            self.paused.holding.set(Holding::Paused);
            let empty = self.paused.cursors.replace(std::mem::take(cursors));
            debug_assert!(empty.is_empty(), "the cursors of one machine are put aside once");
            std::mem::forget(empty); // an empty list has no memory to free
        }
    }

    /// Takes the cursors back when the machine resumes.
    #[inline]
    pub fn resume(&mut self, cursors: &mut Vec<VmCursor>) {
        if self.paused.holding.get() == Holding::Paused {
            self.paused.holding.set(Holding::Exposed);
            debug_assert!(cursors.is_empty(), "a machine whose cursors are aside has none");
            std::mem::forget(std::mem::replace(cursors, self.paused.cursors.take()));
        }
    }

    /// The run has ended, and all cursors are closed.
    #[inline]
    pub fn release(&mut self) {
        debug_assert!(self.paused.holding.get() != Holding::Paused, "cursors are taken back before they are closed");
        self.paused.holding.set(Holding::NoPages);
    }
}
