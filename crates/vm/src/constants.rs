//! The constants of a program.
//!
//! ```text
//!   list    Integer   Short 0..3   Short 3..8   Long ...
//!   bytes             a b c        h e l l o
//! ```
//!
//! Short texts and BLOBs lie one behind the other, so that a list of a thousand rows does not take as many allocations.

use lithe_value::grow::Grow;
use lithe_value::{Value, ValueRef};

use crate::operand::ConstId;
use crate::register::BytesKind;

/// Constants too large for an instruction.
#[derive(Debug, Default)]
pub struct Constants {
    list: Vec<Constant>,
    /// The bytes of short texts and BLOBs.
    bytes: Vec<u8>,
}

#[derive(Debug)]
enum Constant {
    /// A text or BLOB in the buffer.
    Short { kind: BytesKind, start: u32, len: u8 },
    /// Any other value.
    Other(Value),
}

impl Constants {
    /// Adds a constant.
    #[inline]
    pub(crate) fn push(&mut self, value: ValueRef<'_>) -> ConstId {
        let constant = match value {
            ValueRef::Text(text) => self.short(BytesKind::Text, text),
            ValueRef::Blob(blob) => self.short(BytesKind::Blob, blob),
            _ => None,
        };
        self.list.push(constant.unwrap_or_else(|| Constant::Other(value.into())));
        ConstId((self.list.len() - 1) as u32)
    }

    /// Puts short bytes into the buffer. `None`: they are long, or the memory is short for them all.
    fn short(&mut self, kind: BytesKind, bytes: &[u8]) -> Option<Constant> {
        let len = u8::try_from(bytes.len()).ok()?;
        let start = u32::try_from(self.bytes.len()).ok()?;
        self.bytes.try_append(bytes).ok()?;
        Some(Constant::Short { kind, start, len })
    }

    /// A constant, by its place in the list.
    pub(crate) fn get(&self, at: usize) -> Option<ValueRef<'_>> {
        Some(match self.list.get(at)? {
            Constant::Other(value) => value.as_ref(),
            Constant::Short { kind, start, len } => {
                let bytes = self.bytes.get(*start as usize..)?.get(..usize::from(*len))?;
                match kind {
                    BytesKind::Text => ValueRef::Text(bytes),
                    BytesKind::Blob => ValueRef::Blob(bytes),
                }
            }
        })
    }

    /// A constant of the program.
    #[inline]
    pub(crate) fn value(&self, id: ConstId) -> ValueRef<'_> {
        self.get(id.0 as usize).expect("a constant of the program")
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Drops all; the memory is kept.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.bytes.clear();
    }

    /// Gives the constants to an empty list, whose memory this one has then.
    pub(crate) fn give(&mut self, to: &mut Constants) {
        if self.len() > 0 {
            std::mem::swap(self, to);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_what_was_added() {
        let long = vec![b'x'; 1000];
        let values = [
            ValueRef::Integer(i64::MIN),
            ValueRef::Text(b"abc"),
            ValueRef::Blob(b""),
            ValueRef::Text(&long[..255]),
            ValueRef::Text(&long[..256]),
            ValueRef::Blob(&long),
            ValueRef::Real(0.5),
            ValueRef::Blob(b"def"),
            ValueRef::Null,
        ];
        let (mut constants, mut given) = (Constants::default(), Constants::default());
        for round in 0..2 {
            let ids: Vec<ConstId> = values.iter().map(|value| constants.push(*value)).collect();
            constants.give(&mut given);
            for (id, value) in ids.into_iter().zip(values) {
                assert_eq!(given.value(id), value, "{round}");
            }
            assert_eq!((given.len(), constants.len()), (values.len(), 0));
            assert_eq!(given.get(values.len()), None);
            given.clear();
        }
    }
}
