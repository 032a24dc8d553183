//! The text of a statement, which its program, the statement and the C interface share.

use std::borrow::Cow;
use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

/// The text of a statement, with a NUL behind it so that the C interface can return it without a copy.
#[derive(Clone, PartialEq, Eq)]
pub struct SqlText(Arc<[u8]>);

impl SqlText {
    /// A copy of the text. A text ends at a NUL, so there is none in it.
    pub(crate) fn new(sql: &[u8]) -> SqlText {
        debug_assert!(!sql.contains(&0), "a NUL ends the statement's text");
        let mut text: Arc<[u8]> = std::iter::repeat_n(0, sql.len() + 1).collect();
        let bytes = Arc::get_mut(&mut text).expect("a new text has one owner");
        bytes[..sql.len()].copy_from_slice(sql);
        SqlText(text)
    }

    /// The bytes of the text, without the NUL.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.split_last().map_or(&[], |(_, text)| text)
    }

    /// The text with its NUL.
    pub fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or_default()
    }

    /// The address of the text with its NUL.
    pub fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }
}

impl fmt::Debug for SqlText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&text_of(self.as_bytes()), f)
    }
}

/// The text as a string; invalid UTF-8 is replaced.
pub(crate) fn text_of(sql: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(sql).map_or_else(|_| String::from_utf8_lossy(sql), Cow::Borrowed)
}
