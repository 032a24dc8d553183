//! The text of a statement, which its program, the statement and the C interface share.

use std::borrow::Cow;
use std::ffi::CStr;
use std::fmt;
use std::sync::Arc;

use lithe_value::Grow;
use lithe_vfs::ResultCode;

use crate::error::{Error, Result};

/// The text of a statement, with a NUL behind it so that the C interface can return it without a copy.
#[derive(Clone)]
pub struct SqlText(Shared);

#[derive(Clone)]
enum Shared {
    Short(Arc<[u8]>),
    /// A text whose memory may be missing, which the standard library says of vectors only.
    Long(Arc<Vec<u8>>),
}

/// The length from which a text is long.
const LONG: usize = 64 << 10;

impl SqlText {
    /// A copy of the text. A text ends at a NUL, so there is none in it.
    pub(crate) fn new(sql: &[u8]) -> Result<SqlText> {
        debug_assert!(!sql.contains(&0), "a NUL ends the statement's text");
        if sql.len() >= LONG {
            let mut text = Vec::new();
            text.try_grow(sql.len() + 1).map_err(|_| Error::from_code(ResultCode::NOMEM))?;
            text.extend_from_slice(sql);
            text.push(0);
            return Ok(SqlText(Shared::Long(Arc::new(text))));
        }
        let mut text: Arc<[u8]> = std::iter::repeat_n(0, sql.len() + 1).collect();
        let bytes = Arc::get_mut(&mut text).expect("a new text has one owner");
        bytes[..sql.len()].copy_from_slice(sql);
        Ok(SqlText(Shared::Short(text)))
    }

    /// The text and its NUL.
    fn with_nul(&self) -> &[u8] {
        match &self.0 {
            Shared::Short(text) => text,
            Shared::Long(text) => text,
        }
    }

    /// The bytes of the text, without the NUL.
    pub fn as_bytes(&self) -> &[u8] {
        self.with_nul().split_last().map_or(&[], |(_, text)| text)
    }

    /// The text with its NUL.
    pub fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(self.with_nul()).unwrap_or_default()
    }

    /// The address of the text with its NUL.
    pub fn as_ptr(&self) -> *const u8 {
        self.with_nul().as_ptr()
    }
}

impl PartialEq for SqlText {
    fn eq(&self, other: &SqlText) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for SqlText {}

impl fmt::Debug for SqlText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&text_of(self.as_bytes()), f)
    }
}

/// The text as a string; invalid UTF-8 is replaced.
pub(crate) fn text_of(sql: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(sql).map_or_else(|_| String::from_utf8_lossy(sql), Cow::Borrowed)
}
