//! A digest of all rows of a result, to compare the results of two libraries.
//!
//! In the warm-up round the digest depends on every byte. In the measured rounds it is only the number of rows, so that the digest itself
//! is not measured.

use std::hint::black_box;

use crate::sql::{Cell, Row};

/// A digest, updated with each row. The order of rows counts.
#[derive(Clone, Copy, Debug)]
pub struct Digest {
    hash: u64,
    is_thorough: bool,
}

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// The significant digits of reals that are compared: libraries may add up floating-point numbers in different orders.
const DIGITS: usize = 9;

impl Digest {
    /// The digest of no rows.
    pub fn new(is_thorough: bool) -> Digest {
        Digest { hash: FNV_OFFSET, is_thorough }
    }

    /// The digest's value.
    pub fn finish(self) -> u64 {
        self.hash
    }

    /// Adds a row.
    pub fn add(&mut self, row: &dyn Row) {
        if !self.is_thorough {
            self.hash += 1;
            (0..row.width()).for_each(|column| _ = black_box(row.cell(column)));
            return;
        }
        for column in 0..row.width() {
            match row.cell(column) {
                Cell::Null => self.bytes(b"n"),
                Cell::Integer(integer) => self.bytes(&integer.to_le_bytes()),
                Cell::Real(real) => self.bytes(format!("{real:.DIGITS$e}").as_bytes()),
                Cell::Text(bytes) | Cell::Blob(bytes) => self.bytes(bytes),
            }
            self.bytes(b"|");
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.hash = bytes.iter().fold(self.hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME));
    }
}
