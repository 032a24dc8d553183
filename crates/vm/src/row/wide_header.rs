//! The header of the row before, if it has types of several bytes, for comparison with the next one.

use lithe_format::cell::PayloadSpan;

/// The longest header with types of several bytes that is compared with the next one.
const WIDE_HEADER_MAX: usize = 24;

/// A header with types of several bytes: of a row whose values are as long as those of the row before, as hashes and vectors are, the columns are
/// where they were.
#[derive(Debug, Default)]
pub(super) struct WideHeader {
    bytes: [u8; WIDE_HEADER_MAX],
    /// The length of the header; 0 if there is none to compare with.
    len: u8,
    /// How much of the payload is on the page.
    local: u32,
    is_cut: bool,
    is_short: bool,
}

impl WideHeader {
    /// There is none to compare with any more.
    #[inline]
    pub fn forget(&mut self) {
        self.len = 0;
    }

    /// How the columns were located: whether one ends on another page, and whether there are fewer than wanted.
    #[inline]
    pub fn found(&self) -> (bool, bool) {
        (self.is_cut, self.is_short)
    }

    /// Whether the row at `span` of `page` has the same header.
    #[inline]
    pub fn is_of(&self, page: &[u8], span: PayloadSpan) -> bool {
        let len = usize::from(self.len);
        let Some(header) = page.get(span.at as usize..).and_then(|rest| rest.get(..len)) else { return false };
        let begins_alike = match (header.first_chunk::<8>(), self.bytes.first_chunk::<8>()) {
            (Some(found), Some(known)) => found == known,
            _ => true,
        };
        len > 0 && begins_alike && span.local == self.local && self.bytes.get(..len) == Some(header)
    }

    /// Keeps the header of the row at `span` of `page`, unless it is long.
    pub fn keep(&mut self, page: &[u8], span: PayloadSpan, is_cut: bool, is_short: bool) {
        self.len = 0;
        let Some(header) = page.get(span.at as usize..).and_then(|rest| rest.get(..usize::from(*rest.first()?))) else {
            return;
        };
        if let Some(bytes) = self.bytes.get_mut(..header.len()) {
            bytes.copy_from_slice(header);
            (self.len, self.local) = (header.len() as u8, span.local);
            (self.is_cut, self.is_short) = (is_cut, is_short);
        }
    }
}
