//! The readers that hold pages of the mapped file while this connection changes it.
//!
//! A reference to a mapped page shows whatever the file has there. The lock of the snapshot keeps other connections from changing
//! the file. It does not keep this connection's own commit from it, through a rollback journal, nor a rollback that restores the
//! file. A reader between two steps must keep what it has read (a cursor restores its position by it), and a file that becomes
//! shorter must not be read beyond its end. So there is one rule: **before mapped bytes change, every holder copies the pages that
//! it holds** ([`crate::Pager`] calls [`PageHolders::make_all_private`] where it ends an epoch, and no other code ends an epoch while a
//! snapshot is held).
//!
//! ```text
//!   reading, exposed ── step ends, or the application is called ──► aside: registered, reachable
//!          ▲                                                          │  a commit: pages become copies
//!          └────────────── next step, the call returns ───────────────┘
//! ```
//!
//! A holder in the middle of a step cannot replace its pages, and reports that. Then a commit that would change mapped bytes is
//! refused: this is the remaining case of callbacks in which the application must not write. Nothing is registered or copied
//! where pages cannot change ([`crate::Pager::borrows_are_stable`]), and nothing is copied while no reader is registered.
//!
//! With debug assertions, dereferencing a mapped page after the end of its epoch panics (see `page_ref`): any test that
//! writes beside a holder that is not registered finds it.

use std::cell::RefCell;
use std::rc::Weak;

use super::Pager;
use crate::error::{Error, Result};

/// A reader that holds mapped pages between steps.
pub trait PageHolder {
    /// Replaces the pages of `pager` that the holder has by copies: see [`Pager::make_private`]. `false`: it is in the middle of a
    /// step, where it cannot replace them.
    fn make_pages_private(&self, pager: &Pager) -> bool;
}

/// The holders of pages of one database, as one connection sees it.
#[derive(Default)]
pub struct PageHolders(RefCell<Vec<Weak<dyn PageHolder>>>);

impl PageHolders {
    /// Registers `holder` for as long as it lives.
    pub fn register(&self, holder: Weak<dyn PageHolder>) {
        let mut holders = self.0.borrow_mut();
        if holders.len() == holders.capacity() {
            holders.retain(|holder| holder.strong_count() > 0);
        }
        holders.push(holder);
    }

    /// Called before mapped pages of `pager` change. Fails if a holder cannot replace its pages.
    pub(super) fn make_all_private(&self, pager: &Pager) -> Result<()> {
        let are_owned = self.0.borrow().iter().filter_map(Weak::upgrade).all(|holder| holder.make_pages_private(pager));
        if are_owned { Ok(()) } else { Err(Error::Misuse("a commit within a callback of a reader")) }
    }
}
