//! The pages that a machine holds while it stands still.
//!
//! Where a commit of the same connection may change mapped bytes, a machine that ends a step, or calls the application, puts its
//! cursors aside: there the pager finds them and has them own their pages first (see `lithe_pager::PageHolders`). A machine that
//! neither has put them aside nor ended is exposed, and the pager refuses such a commit.

use std::cell::Cell;
use std::rc::{Rc, Weak};

use lithe_pager::{PageHolder, PageHolders, Pager};

use crate::cursor::VmCursor;

/// Where a machine's cursors are while it stands still.
#[derive(Default)]
struct Aside(Cell<Vec<VmCursor>>);

impl PageHolder for Aside {
    fn own_pages(&self, pager: &Pager) {
        let mut cursors = self.0.take();
        cursors.iter_mut().for_each(|cursor| cursor.own_pages(pager));
        self.0.set(cursors);
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Reach {
    /// No page is held that may change.
    #[default]
    NoPages,
    Exposed,
    Aside,
}

/// Whether, and for whom, a machine's pages can be reached.
#[derive(Default)]
pub struct HeldPages {
    reach: Reach,
    aside: Rc<Aside>,
    /// Of the databases whose pages may change, those that the machine has read, in this run or before.
    databases: Vec<Rc<PageHolders>>,
}

impl HeldPages {
    /// Whether bytes of pages may change when this connection commits.
    #[inline]
    pub fn may_change(&self) -> bool {
        self.reach != Reach::NoPages
    }

    /// A cursor is opened on a database whose pages may change.
    pub fn read_from(&mut self, holders: &Rc<PageHolders>) {
        let is_known = self.databases.iter().any(|known| Rc::ptr_eq(known, holders));
        if !is_known {
            let holder: Weak<Aside> = Rc::downgrade(&self.aside);
            holders.register(holder);
            self.databases.push(Rc::clone(holders));
        }
        match self.reach {
            Reach::NoPages => self.expose(),
            Reach::Exposed if !is_known => holders.expose(),
            Reach::Exposed => {}
            Reach::Aside => unreachable!("a machine that stands still opens no cursor"),
        }
    }

    /// The step ends, or the application is called: the cursors go where they can be reached.
    #[inline]
    pub fn put_aside(&mut self, cursors: &mut Vec<VmCursor>) {
        if self.reach == Reach::Exposed {
            self.cover(Reach::Aside);
            self.aside.0.set(std::mem::take(cursors));
        }
    }

    /// The machine goes on.
    #[inline]
    pub fn take_back(&mut self, cursors: &mut Vec<VmCursor>) {
        if self.reach == Reach::Aside {
            *cursors = self.aside.0.take();
            self.expose();
        }
    }

    /// The run is over, and all cursors are closed.
    #[inline]
    pub fn let_go(&mut self) {
        debug_assert!(self.reach != Reach::Aside, "cursors are taken back before they are closed");
        if self.reach == Reach::Exposed {
            self.cover(Reach::NoPages);
        }
    }

    fn expose(&mut self) {
        self.reach = Reach::Exposed;
        self.databases.iter().for_each(|holders| holders.expose());
    }

    fn cover(&mut self, reach: Reach) {
        self.reach = reach;
        self.databases.iter().for_each(|holders| holders.cover());
    }
}

impl Drop for HeldPages {
    fn drop(&mut self) {
        self.let_go_of_all();
    }
}

impl HeldPages {
    fn let_go_of_all(&mut self) {
        self.aside.0.take();
        if self.reach == Reach::Exposed {
            self.cover(Reach::NoPages);
        }
    }
}
