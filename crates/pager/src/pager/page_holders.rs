//! Who holds pages of the mapped file while this connection changes it.
//!
//! A reference to a mapped page shows whatever the file has there. Other connections are kept from changing it by the lock of the
//! snapshot; a commit of the same connection through a rollback journal is not, and neither is a rollback that puts the file back.
//! Readers that stand between two steps must keep what they have read (a cursor finds its place again by it), and a file that
//! becomes shorter must not be touched behind its end. So there is one rule: **before mapped bytes change, every holder makes the
//! pages that it holds its own** ([`crate::Pager`] calls [`PageHolders::own_all`] where it ends an epoch, and nowhere else does an
//! epoch end while a snapshot is held).
//!
//! ```text
//!   reading, exposed ── step ends, or the application is called ──► aside: registered, reachable
//!          ▲                                                          │  a commit: pages become copies
//!          └────────────── next step, the call returns ───────────────┘
//! ```
//!
//! A reader that is exposed cannot be reached, and says so. Then a commit that would change mapped bytes is refused: this is
//! what remains of callbacks in which the application must not write. Nothing is registered or copied where pages cannot change
//! ([`crate::Pager::borrows_are_stable`]), and nothing is copied where nobody else reads.
//!
//! With debug assertions, dereferencing a mapped page after the end of its epoch panics (see `page_ref`): a holder that was
//! forgotten is found by any test that writes beside it.

use std::cell::RefCell;
use std::rc::Weak;

use super::Pager;
use crate::error::{Error, Result};

/// Holds mapped pages between steps.
pub trait PageHolder {
    /// Replaces the pages of `pager` that are held by copies: see [`Pager::own_page`]. `false`: it holds pages where they cannot be
    /// reached.
    fn own_pages(&self, pager: &Pager) -> bool;
}

/// The holders of pages of one database, as one connection sees it.
#[derive(Default)]
pub struct PageHolders(RefCell<Vec<Weak<dyn PageHolder>>>);

impl PageHolders {
    /// `holder` is told from now on, for as long as it lives.
    pub fn register(&self, holder: Weak<dyn PageHolder>) {
        let mut holders = self.0.borrow_mut();
        if holders.len() == holders.capacity() {
            holders.retain(|holder| holder.strong_count() > 0);
        }
        holders.push(holder);
    }

    /// Mapped pages of `pager` are about to change. Fails if somebody holds pages where they cannot be reached.
    pub(super) fn own_all(&self, pager: &Pager) -> Result<()> {
        let are_owned = self.0.borrow().iter().filter_map(Weak::upgrade).all(|holder| holder.own_pages(pager));
        if are_owned { Ok(()) } else { Err(Error::Misuse("a commit within a callback of a reader")) }
    }
}
