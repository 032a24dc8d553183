//! The stored data: random, incompressible bytes, and keys in random order, all derived from a seed.
//!
//! The content of a BLOB is a function of the seed, its key and its version, so that bytes read back can be checked without a copy.

use std::ops::RangeInclusive;

use fastrand::Rng;

use crate::frame::{Error, Result};

/// Makes BLOBs of random sizes within a range.
#[derive(Clone, Debug)]
pub struct Content {
    seed: u64,
    sizes: RangeInclusive<usize>,
}

impl Content {
    /// BLOBs of `size` bytes, plus or minus up to `variance`.
    pub fn new(seed: u64, size: usize, variance: usize) -> Content {
        Content { seed, sizes: size.saturating_sub(variance)..=size + variance }
    }

    /// The length of the BLOB in every version.
    pub fn size(&self, key: usize) -> usize {
        rng(self.seed, key, SIZE_STREAM).usize(self.sizes.clone())
    }

    /// Fills `buffer` with the BLOB.
    pub fn fill(&self, key: usize, version: u32, buffer: &mut Vec<u8>) {
        buffer.resize(self.size(key), 0);
        rng(self.seed, key, version).fill(buffer);
    }

    /// Checks that `bytes` equal this BLOB: its length, and every byte.
    pub fn check(&self, key: usize, version: u32, bytes: &[u8], expected: &mut Vec<u8>) -> Result<()> {
        self.fill(key, version, expected);
        if bytes == expected.as_slice() {
            return Ok(());
        }
        let (found, wanted) = (bytes.len(), expected.len());
        let text = match bytes.iter().zip(expected.iter()).position(|(a, b)| a != b) {
            Some(at) => format!("BLOB {key}, version {version}: byte {at} differs ({found} bytes of {wanted})"),
            None => format!("BLOB {key}, version {version}: {found} bytes instead of {wanted}"),
        };
        Err(Error::WrongContent(text))
    }

    /// The total length of the BLOBs 1 to `count`.
    pub fn total(&self, count: usize) -> u64 {
        (1..=count).map(|key| self.size(key) as u64).sum()
    }
}

/// The "version" of a BLOB from which its size is derived.
const SIZE_STREAM: u32 = u32::MAX;

/// A generator for one purpose. The parts are mixed into all bits, because neighbouring seeds would give similar sequences.
fn rng(seed: u64, key: usize, version: u32) -> Rng {
    let mut mixed = seed ^ (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (u64::from(version) << 40);
    mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    Rng::with_seed(mixed ^ (mixed >> 29))
}

/// In which order keys are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Order {
    /// From the first to the last.
    Ascending,
    /// From the last to the first.
    Descending,
    /// Each once, in an order made from the seed.
    Random,
}

/// The first `wanted` of the keys 1 to `count`, in that order.
pub fn keys(order: Order, count: usize, wanted: usize, seed: u64) -> Vec<usize> {
    let mut keys: Vec<usize> = (1..=count).collect();
    match order {
        Order::Ascending => {}
        Order::Descending => keys.reverse(),
        Order::Random => Rng::with_seed(seed).shuffle(&mut keys),
    }
    keys.truncate(wanted);
    keys
}

/// A string of `len` random letters and digits.
pub fn text(rng: &mut Rng, len: usize) -> String {
    (0..len).map(|_| rng.alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_a_function_of_seed_key_and_version() {
        let content = Content::new(1, 1000, 200);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        content.fill(7, 0, &mut a);
        assert_eq!(a.len(), content.size(7));
        assert!((800..=1200).contains(&a.len()));
        content.check(7, 0, &a, &mut b).unwrap();
        assert!(content.check(7, 1, &a, &mut b).is_err(), "another version");
        assert!(content.check(8, 0, &a, &mut b).is_err(), "another key");
        assert!(content.check(7, 0, &a[1..], &mut b).is_err(), "another length");
    }

    #[test]
    fn random_order_has_every_key_once() {
        let mut keys = keys(Order::Random, 1000, 1000, 3);
        assert_ne!(keys[..10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        keys.sort_unstable();
        assert_eq!(keys, (1..=1000).collect::<Vec<_>>());
    }
}
