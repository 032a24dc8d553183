//! The hint: the interrupted merges.
//!
//! ```text
//!   ( varint absolute level | varint segments )*      the last pair is continued first
//! ```

use crate::{Result, corrupt, varint};

/// The stack of interrupted merges, as stored in `x_stat`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    bytes: Vec<u8>,
    has_changed: bool,
}

impl Hint {
    /// The hint with the bytes of `x_stat`.
    pub fn new(bytes: Vec<u8>) -> Hint {
        Hint { bytes, has_changed: false }
    }

    /// The bytes for `x_stat`.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether it was written, even with equal content.
    pub fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// The merge to continue first: its absolute level, and how many segments are left.
    pub(super) fn last(&self) -> Result<Option<(i64, i64)>> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let mut at = self.last_pair()?;
        let mut next = || varint::read(&self.bytes, &mut at).ok_or_else(corrupt);
        let pair = (next()?, next()?);
        // (Bytes are left over if a varint is too long.)
        if at == self.bytes.len() && pair.1 >= 0 { Ok(Some(pair)) } else { Err(corrupt()) }
    }

    pub(super) fn push(&mut self, level: i64, segments: i64) {
        varint::write(&mut self.bytes, level);
        varint::write(&mut self.bytes, segments);
        self.has_changed = true;
    }

    pub(super) fn pop(&mut self) -> Result {
        let at = self.last_pair()?;
        self.bytes.truncate(at);
        self.has_changed = true;
        Ok(())
    }

    /// Where the last pair of varints begins. Only the last byte of a varint has bit 7 clear.
    fn last_pair(&self) -> Result<usize> {
        let ends = self.bytes.iter().enumerate().rev().filter(|(_, byte)| **byte & 0x80 == 0);
        let ends: Vec<usize> = ends.map(|(at, _)| at).take(3).collect();
        match ends.as_slice() {
            [last, _, rest @ ..] if last + 1 == self.bytes.len() => Ok(rest.first().map_or(0, |end| end + 1)),
            _ => Err(corrupt()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_pair_first() {
        let mut hint = Hint::default();
        assert_eq!(hint.last().unwrap(), None);
        hint.push(1, 6);
        hint.push(131_072, 3);
        assert_eq!(hint.last().unwrap(), Some((131_072, 3)));
        hint.pop().unwrap();
        assert_eq!((hint.last().unwrap(), hint.bytes()), (Some((1, 6)), &[1, 6][..]));
        hint.pop().unwrap();
        assert_eq!(hint.last().unwrap(), None);
    }

    #[test]
    fn half_a_pair_is_damage() {
        for bytes in [&[1][..], &[0x81], &[0, 0x81], &[0x80, 0x80, 2]] {
            assert!(Hint::new(bytes.to_vec()).last().is_err(), "{bytes:?}");
        }
        assert_eq!(Hint::new(vec![1, 2, 3]).last().unwrap(), Some((2, 3)));
        assert_eq!(Hint::new(vec![0x80, 0, 2]).last().unwrap(), Some((0, 2)));
    }
}
