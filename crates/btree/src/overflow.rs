//! Payloads that do not fit on their page continue on a chain of overflow pages.
//!
//! ```text
//!   cell            first overflow page     next                    last
//!   | ... local | 7 |  ->  | 8 | content |  ->  | 9 | content |  ->  | 0 | content |
//! ```
//!
//! A chain is a linked list, but the allocator nearly always gives it successive pages. So a reader guesses that the
//! next pages follow, reads the whole run at once, and checks each link on the way. At the first link that differs it
//! continues where the link leads.

mod read;
mod write;

pub(crate) use read::{chain_is, page_of_chain, read, read_chain, read_whole, reserve};
pub(crate) use write::{free_chain, overwrite_chain, overwrite_whole_chain, write_chain};

use crate::btree::Btree;
use crate::error::{Result, corrupt};
use lithe_format::PageNo;

const CHAIN_CUT: &str = "overflow chain ends too soon";

/// Checks that a page of a chain can be one.
fn check_chain_page(btree: &Btree, no: PageNo) -> Result<()> {
    if no == PageNo::FIRST || no.get() > btree.pager().page_count() {
        return Err(corrupt(no, "overflow chain names an impossible page"));
    }
    Ok(())
}
