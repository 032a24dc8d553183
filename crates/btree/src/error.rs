//! The errors of this crate are the pager's: either a page of a tree is corrupt, or the pager could not read or write
//! it.

use lithe_format::PageNo;
pub use lithe_pager::Error;

/// The result of a call that reads or writes pages.
pub type Result<T> = std::result::Result<T, Error>;

/// An error about page `no`.
#[cold]
pub(crate) fn corrupt(no: PageNo, what: &'static str) -> Error {
    Error::Corrupt { page: Some(no), what }
}
