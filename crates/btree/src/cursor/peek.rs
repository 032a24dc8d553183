//! A quick look at a row: the commonest rows in the fewest steps, for loops that visit millions.

use super::{Cursor, Row, State};
use crate::btree::Btree;
use lithe_format::btree_page::{CHILD_LEN, PageKind};
use lithe_format::cell::PayloadSpan;

/// The longest front of a cell that is looked at: a length of two bytes and a rowid of eight.
const FRONT_LEN: usize = 10;
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

impl Cursor {
    /// The row or entry on which the cursor stands, if it is whole on its page and nothing has been written since the
    /// cursor came here. `None` says nothing: [`Cursor::row`] knows.
    #[inline]
    pub fn peek(&self, btree: &Btree) -> Option<Row<'_>> {
        if self.state != State::Row || self.version != btree.version(self.root) {
            return None;
        }
        let level = self.path.last()?;
        let node = &level.node;
        let mut at = node.cell_at(usize::from(level.index)).ok()?;
        if node.kind == PageKind::IndexInterior {
            at += CHILD_LEN;
        }
        let front: &[u8; FRONT_LEN] = node.page.get(at..)?.first_chunk()?;
        let (len, mut front_len) = match *front {
            [a @ ..0x80, ..] => (u32::from(a), 1),
            [a, b @ ..0x80, ..] => (u32::from(a & 0x7f) << 7 | u32::from(b), 2),
            _ => return None,
        };
        if node.kind == PageKind::TableLeaf {
            front_len += varint_len(front[front_len..].first_chunk()?)?;
        }
        let span = PayloadSpan { at: (at + front_len) as u32, local: len, len };
        let is_whole = len <= self.limits.max_local && span.end() <= self.limits.usable as usize;
        is_whole.then_some(Row { page: &node.page, span })
    }
}

/// The length of the varint at the start, if it is not nine.
#[inline]
fn varint_len(bytes: &[u8; 8]) -> Option<usize> {
    let stops = !u64::from_le_bytes(*bytes) & HIGH_BITS;
    (stops != 0).then(|| stops.trailing_zeros() as usize / 8 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_varints() {
        let mut bytes = [0; 9];
        for shift in 0..64 {
            let value = 1u64 << shift;
            let len = lithe_format::varint::write(&mut bytes, value);
            let expected = (len < 9).then_some(len);
            assert_eq!(varint_len(bytes.first_chunk().unwrap()), expected, "{value}");
        }
    }
}
