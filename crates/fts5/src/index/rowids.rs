//! The rowids of many tokens, each once, in ascending order.

use lithe_value::grow::filled;

use super::Block;
use crate::Result;

/// So many rowids are taken before those that occur twice are removed, or twice as many as are left then.
const ROWIDS_MIN: usize = 1 << 16;

/// Rowids, of which tokens have many in common.
#[derive(Debug, Default)]
pub struct RowidUnion {
    block: Block,
    /// When there are more, those that occur twice are removed.
    compact_at: usize,
}

impl RowidUnion {
    /// The block that takes the rows of a token; then [`RowidUnion::note`] is called.
    pub fn block(&mut self) -> &mut Block {
        &mut self.block
    }

    /// The block has the rows of another token.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn note(&mut self) -> Result {
        if self.block.len() > self.compact_at.max(ROWIDS_MIN) {
            sort(self.block.rowids_mut())?;
            self.compact_at = 2 * self.block.len();
        }
        Ok(())
    }

    /// The rowids.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn finish(mut self) -> Result<Vec<i64>> {
        let mut rowids = std::mem::take(self.block.rowids_mut());
        sort(&mut rowids)?;
        Ok(rowids)
    }
}

/// Brings rowids in ascending order, each once.
fn sort(rowids: &mut Vec<i64>) -> Result {
    if rowids.is_sorted_by(|one, next| one < next) {
        return Ok(());
    }
    let (low, high) = rowids.iter().fold((i64::MAX, i64::MIN), |(low, high), one| (low.min(*one), high.max(*one)));
    // A bitmap that takes no more memory than the rowids do.
    let words = high.wrapping_sub(low) as u64 / 64 + 1;
    match usize::try_from(words).ok().filter(|words| *words <= rowids.len()) {
        Some(words) => {
            let mut bits = filled(0u64, words)?;
            for rowid in &*rowids {
                let bit = rowid.wrapping_sub(low) as u64;
                if let Some(word) = bits.get_mut((bit / 64) as usize) {
                    *word |= 1 << (bit % 64);
                }
            }
            rowids.clear();
            for (at, mut word) in (0..).zip(bits) {
                while word != 0 {
                    rowids.push(low.wrapping_add(64 * at + i64::from(word.trailing_zeros())));
                    word &= word - 1;
                }
            }
        }
        None => {
            rowids.sort_unstable();
            rowids.dedup();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rowids: &[i64]) {
        let mut expected = rowids.to_vec();
        expected.sort_unstable();
        expected.dedup();
        let mut union = RowidUnion::default();
        for rowid in rowids {
            union.block().push(*rowid, &[]).unwrap();
            union.note().unwrap();
        }
        assert_eq!(union.finish().unwrap(), expected, "{rowids:?}");
    }

    #[test]
    fn rowids_are_sorted_and_come_once() {
        check(&[]);
        check(&[5]);
        check(&[1, 2, 3]);
        check(&[3, 1, 2, 2, -7, 64, 63, 0, 1, 3]);
        check(&[i64::MAX, i64::MIN, 0, i64::MAX]);
        check(&[i64::MAX, i64::MAX - 1, i64::MAX - 1]);
        let many: Vec<i64> = (0..3 * ROWIDS_MIN as i64).map(|at| at * 7 % 5000 - 2500).collect();
        check(&many);
    }
}
