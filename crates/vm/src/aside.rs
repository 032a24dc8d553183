//! The pages that a machine holds while it stands still.
//!
//! Where a commit of the same connection may change mapped bytes, a machine that ends a step, or calls the application, puts its
//! cursors aside: there the pager finds them and has them own their pages first (see `lithe_pager::PageHolders`). A machine that
//! neither has put them aside nor ended is exposed, and the pager refuses such a commit.

use std::cell::Cell;
use std::rc::{Rc, Weak};

use lithe_pager::{PageHolder, PageHolders, Pager};

use crate::cursor::VmCursor;

/// Whether a machine holds pages that may change, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reach {
    /// It holds none.
    #[default]
    NoPages,
    /// In its cursors, which nobody reaches while it runs.
    Exposed,
    /// Here.
    Aside,
}

/// Where a machine's cursors are while it stands still.
#[derive(Default)]
struct Aside {
    reach: Cell<Reach>,
    cursors: Cell<Vec<VmCursor>>,
}

impl PageHolder for Aside {
    fn own_pages(&self, pager: &Pager) -> bool {
        if self.reach.get() == Reach::Aside {
            let mut cursors = self.cursors.take();
            cursors.iter_mut().for_each(|cursor| cursor.own_pages(pager));
            self.cursors.set(cursors);
        }
        self.reach.get() != Reach::Exposed
    }
}

/// Whether, and by whom, a machine's pages can be reached.
#[derive(Default)]
pub struct HeldPages {
    aside: Rc<Aside>,
    /// Of the databases whose pages may change, those that the machine has read, in this run or before.
    databases: Vec<Rc<PageHolders>>,
}

impl HeldPages {
    /// Whether bytes of pages may change when this connection commits.
    #[inline]
    pub fn may_change(&self) -> bool {
        self.aside.reach.get() != Reach::NoPages
    }

    /// A cursor is opened on a database whose pages may change.
    pub fn read_from(&mut self, holders: &Rc<PageHolders>) {
        debug_assert!(self.aside.reach.get() != Reach::Aside, "a machine that stands still opens no cursor");
        if !self.databases.iter().any(|known| Rc::ptr_eq(known, holders)) {
            let holder: Weak<Aside> = Rc::downgrade(&self.aside);
            holders.register(holder);
            self.databases.push(Rc::clone(holders));
        }
        self.aside.reach.set(Reach::Exposed);
    }

    /// The step ends, or the application is called: the cursors go where they can be reached.
    #[inline]
    pub fn put_aside(&mut self, cursors: &mut Vec<VmCursor>) {
        if self.aside.reach.get() == Reach::Exposed {
            self.aside.reach.set(Reach::Aside);
            let empty = self.aside.cursors.replace(std::mem::take(cursors));
            debug_assert!(empty.is_empty(), "the cursors of one machine are put aside once");
            std::mem::forget(empty); // it has no memory, and nothing is worth a call that finds out
        }
    }

    /// The machine goes on.
    #[inline]
    pub fn take_back(&mut self, cursors: &mut Vec<VmCursor>) {
        if self.aside.reach.get() == Reach::Aside {
            self.aside.reach.set(Reach::Exposed);
            debug_assert!(cursors.is_empty(), "a machine whose cursors are aside has none");
            std::mem::forget(std::mem::replace(cursors, self.aside.cursors.take()));
        }
    }

    /// The run is over, and all cursors are closed.
    #[inline]
    pub fn let_go(&mut self) {
        debug_assert!(self.aside.reach.get() != Reach::Aside, "cursors are taken back before they are closed");
        self.aside.reach.set(Reach::NoPages);
    }
}
