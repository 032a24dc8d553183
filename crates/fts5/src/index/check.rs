//! integrity-check: the sum of all entries of an index.

use std::collections::HashSet;

use super::Reader;
use super::flush::MAIN_INDEX;
use super::terms::Terms;
use crate::Result;
use crate::config::Detail;
use crate::position;

/// The number that an entry adds to the sum: a term of an index is in a place (column and offset) of a row.
pub fn entry(rowid: i64, place: (u64, u64), index: u8, token: &[u8]) -> u64 {
    let step = |sum: u64, number: u64| sum.wrapping_add(sum << 3).wrapping_add(number);
    let start = step(step(rowid as u64, place.0), place.1);
    std::iter::once(&index).chain(token).fold(start, |sum, byte| step(sum, i64::from(*byte as i8) as u64))
}

/// A sum to which the same entry of a row adds only once. Entries come place by place.
#[derive(Debug, Default)]
pub struct Sum {
    place: (u64, u64),
    /// The terms in that place: the numbers of their indexes, and the tokens.
    seen: HashSet<Vec<u8>>,
    key: Vec<u8>,
    value: u64,
}

impl Sum {
    /// Adds an entry of a row.
    pub fn add(&mut self, entry: u64, place: (u64, u64), index: u8, token: &[u8]) {
        if self.place != place {
            self.place = place;
            self.seen.clear();
        }
        self.key.clear();
        self.key.push(index);
        self.key.extend_from_slice(token);
        if !self.seen.contains(&self.key) {
            self.seen.insert(self.key.clone());
            self.value ^= entry;
        }
    }

    /// The sum.
    pub fn value(&self) -> u64 {
        self.value
    }
}

impl Reader<'_> {
    /// Reads all terms; their sum.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
    pub fn check(&self) -> Result<u64> {
        self.read_many_tokens()?;
        let mut sum = 0;
        for index in 0..=self.index.prefixes.len() as u8 {
            let kind = MAIN_INDEX + index;
            let mut terms = Terms::from(self, &[kind], &[kind])?;
            while !terms.is_at_end() {
                let (rowid, token, positions) = (terms.rowid(), terms.token(), terms.positions()?);
                match self.index.detail {
                    Detail::Full => {
                        for position in position::Reader::new(positions) {
                            sum ^= entry(rowid, (position >> 32, position & 0xffff_ffff), kind, token);
                        }
                    }
                    Detail::Columns => {
                        for column in position::read_columns(positions) {
                            sum ^= entry(rowid, (0, u64::from(column)), kind, token);
                        }
                    }
                    Detail::None => sum ^= entry(rowid, (0, 0), kind, token),
                }
                terms.next(self)?;
            }
        }
        Ok(sum)
    }
}
