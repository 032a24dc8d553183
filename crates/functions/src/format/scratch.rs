//! A text that is built before its width is known. A short one needs no allocation.

use lithe_value::bytes;

/// Enough for nearly all numbers.
const SHORT_LEN: usize = 96;

pub(super) struct Scratch {
    short: [u8; SHORT_LEN],
    len: usize,
    /// The whole text, once it is longer than `SHORT_LEN`.
    long: Option<Vec<u8>>,
}

impl Scratch {
    #[inline]
    pub fn new() -> Scratch {
        Scratch { short: [0; SHORT_LEN], len: 0, long: None }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        match &self.long {
            Some(long) => long,
            None => bytes::up_to(&self.short, self.len),
        }
    }

    #[inline]
    pub fn push(&mut self, byte: u8) {
        match self.short.get_mut(self.len) {
            Some(place) if self.long.is_none() => {
                *place = byte;
                self.len += 1;
            }
            _ => self.push_long(byte),
        }
    }

    #[cold]
    fn push_long(&mut self, byte: u8) {
        self.long.get_or_insert_with(|| self.short.to_vec()).push(byte);
    }

    pub fn truncate(&mut self, len: usize) {
        match &mut self.long {
            Some(long) => long.truncate(len),
            None => self.len = self.len.min(len),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long() {
        let mut text = Scratch::new();
        for len in 0..300 {
            assert_eq!((text.len(), text.as_slice()), (len, &[b'x'; 300][..len]));
            text.push(b'x');
        }
        text.truncate(5);
        text.push(b'y');
        assert_eq!(text.as_slice(), b"xxxxxy");
    }
}
