//! The source of the pages.

use std::borrow::Cow;

use lithe_format::{PageNo, PageSize};

/// A source of a database's pages, in any state.
pub trait PageSource {
    /// The number of pages.
    fn count(&self) -> u32;

    /// A page of full size; `None` if the page cannot be read.
    fn page(&self, no: PageNo) -> Option<Cow<'_, [u8]>>;
}

/// The bytes of a database file.
#[derive(Clone, Debug)]
pub struct Image {
    bytes: Vec<u8>,
    page_size: PageSize,
}

impl Image {
    /// A file of pages of that size. The rest of an incomplete last page is zeros.
    pub fn new(mut bytes: Vec<u8>, page_size: PageSize) -> Image {
        bytes.resize(bytes.len().next_multiple_of(page_size.bytes()), 0);
        Image { bytes, page_size }
    }
}

impl PageSource for Image {
    fn count(&self) -> u32 {
        u32::try_from(self.bytes.len() / self.page_size.bytes()).unwrap_or(u32::MAX)
    }

    fn page(&self, no: PageNo) -> Option<Cow<'_, [u8]>> {
        let start = usize::try_from(no.offset(self.page_size.get())).ok()?;
        self.bytes.get(start..)?.get(..self.page_size.bytes()).map(Cow::Borrowed)
    }
}
