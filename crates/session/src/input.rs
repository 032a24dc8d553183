//! The bytes of a changeset, whole or in pieces.

use std::borrow::Cow;

use lithe_format::varint;
use lithe_vtab::{Grow, copied};

use crate::record::{NULL, field_len};
use crate::{Result, corrupt};

/// Reads the next bytes: appends some, or none at the end.
pub type Pull<'i> = Box<dyn FnMut(&mut Vec<u8>) -> Result + 'i>;

/// The source of a changeset.
pub struct Input<'i> {
    bytes: Cow<'i, [u8]>,
    /// The position of the next byte to read.
    at: usize,
    /// The source of further bytes; `None` at the end.
    pull: Option<Pull<'i>>,
    /// A value of a type that does not exist was read.
    pub(crate) has_unknown_type: bool,
}

/// The number of bytes already read at which they are dropped from the buffer.
const PASSED_MAX: usize = 64 << 10;

impl<'i> Input<'i> {
    /// The whole changeset.
    pub fn whole(bytes: impl Into<Cow<'i, [u8]>>) -> Input<'i> {
        Input { bytes: bytes.into(), at: 0, pull: None, has_unknown_type: false }
    }

    /// A changeset in pieces.
    pub fn in_pieces(pull: impl FnMut(&mut Vec<u8>) -> Result + 'i) -> Input<'i> {
        Input { bytes: Cow::Owned(Vec::new()), at: 0, pull: Some(Box::new(pull)), has_unknown_type: false }
    }

    /// The bytes from the current position on: at least `count`, unless the end comes first.
    fn ahead(&mut self, count: usize) -> Result<&[u8]> {
        while self.bytes.len() - self.at < count
            && let Some(pull) = &mut self.pull
        {
            let buffer = self.bytes.to_mut();
            if self.at > PASSED_MAX {
                buffer.drain(..self.at);
                self.at = 0;
            }
            let before = buffer.len();
            pull(buffer)?;
            if buffer.len() == before {
                self.pull = None;
            }
        }
        Ok(self.bytes.get(self.at..).unwrap_or_default())
    }

    /// Whether all bytes are read.
    pub(crate) fn is_at_end(&mut self) -> Result<bool> {
        Ok(self.ahead(1)?.is_empty())
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> Result<u8> {
        let byte = *self.ahead(1)?.first().ok_or_else(corrupt)?;
        self.at += 1;
        Ok(byte)
    }

    /// The next bytes.
    pub(crate) fn bytes(&mut self, count: usize, out: &mut Vec<u8>) -> Result {
        let bytes = self.ahead(count)?.get(..count).ok_or_else(corrupt)?;
        out.try_append(bytes)?;
        self.at += count;
        Ok(())
    }

    pub(crate) fn varint(&mut self) -> Result<u64> {
        /// The longest varint.
        const LEN_MAX: usize = 9;
        let (number, len) = varint::read(self.ahead(LEN_MAX)?).ok_or_else(corrupt)?;
        self.at += len;
        Ok(number)
    }

    /// The bytes before the next NUL, which is skipped.
    pub(crate) fn name(&mut self) -> Result<Box<[u8]>> {
        let mut seen = 0;
        loop {
            let ahead = self.ahead(seen + 1)?;
            let mut unseen = ahead.iter().skip(seen);
            if let Some(at) = unseen.position(|byte| *byte == 0) {
                let name = copied(ahead.get(..seen + at).unwrap_or_default())?.into_boxed_slice();
                self.at += name.len() + 1;
                return Ok(name);
            }
            if ahead.len() == seen {
                return Err(corrupt());
            }
            seen = ahead.len();
        }
    }

    /// Appends the encoded next value to a record.
    pub(crate) fn field(&mut self, out: &mut Vec<u8>) -> Result {
        let mut known = 1;
        let len = loop {
            let ahead = self.ahead(known)?;
            match field_len(ahead)? {
                Ok(len) => break len,
                Err(needed) if ahead.len() >= known && needed > known => known = needed,
                Err(_) => return Err(corrupt()),
            }
        };
        self.bytes(len, out)?;
        // As in SQLite, an unknown type counts as NULL.
        let kind = out.len() - len;
        if let Some(kind) = out.get_mut(kind).filter(|kind| **kind > NULL) {
            *kind = NULL;
            self.has_unknown_type = true;
        }
        Ok(())
    }
}
