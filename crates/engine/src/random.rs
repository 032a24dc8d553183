//! The random numbers of a connection, for `random()` and `randomblob()`.
//!
//! The operating system's randomness costs a system call, and a microsecond for each few hundred bytes: as much as the
//! rest of a row. One seed from the system is enough for a generator whose output cannot be distinguished from
//! randomness, or predicted from earlier output.

use std::cell::RefCell;

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use lithe_vfs::Vfs;

/// A generator, seeded at its first use.
#[derive(Default)]
pub(crate) struct Random(RefCell<Option<Box<ChaCha8Rng>>>);

impl Random {
    /// Fills `bytes` with random bytes.
    pub(crate) fn fill(&self, vfs: &dyn Vfs, bytes: &mut [u8]) {
        let mut generator = self.0.borrow_mut();
        let generator = generator.get_or_insert_with(|| {
            let mut seed = [0; 32];
            vfs.randomness(&mut seed);
            Box::new(ChaCha8Rng::from_seed(seed))
        });
        generator.fill_bytes(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_vfs::UnixVfs;

    #[test]
    fn no_two_are_alike() {
        let (one, other) = (Random::default(), Random::default());
        let mut found = std::collections::HashSet::new();
        for _ in 0..100 {
            for random in [&one, &other] {
                let mut bytes = [0; 16];
                random.fill(&UnixVfs, &mut bytes);
                assert!(found.insert(bytes));
            }
        }
        let mut long = vec![0; 10_000];
        one.fill(&UnixVfs, &mut long);
        let ones: u32 = long.iter().map(|byte| byte.count_ones()).sum();
        assert!((38_000..42_000).contains(&ones), "{ones} of 80,000 bits are set");
    }
}
