//! Errors of this crate are the pager's: what goes wrong in a tree is that a page is corrupt, or that
//! the pager could not read or write it.

use lithe_format::PageNo;
pub use lithe_pager::Error;

/// The result of everything that touches pages.
pub type Result<T> = std::result::Result<T, Error>;

/// What is wrong with page `no`.
#[cold]
pub(crate) fn corrupt(no: PageNo, what: &'static str) -> Error {
    Error::Corrupt { page: Some(no), what }
}
