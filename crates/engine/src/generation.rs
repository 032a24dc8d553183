//! The counter that tells whether compiled programs are stale.

use std::cell::Cell;
use std::rc::Rc;

/// Counts the changes of what the programs of a connection depend on: schemas, functions, collations, settings, hooks.
/// Each part of the connection that makes such changes has a clone, and advances the same counter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Generation(Rc<Cell<u64>>);

impl Generation {
    /// The number of changes so far. A program that was compiled at another number is stale.
    #[inline]
    pub(crate) fn number(&self) -> u64 {
        self.0.get()
    }

    /// Makes all programs stale that were compiled before.
    pub(crate) fn expire_programs(&self) {
        self.0.set(self.0.get() + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::Generation;

    #[test]
    fn clones_count_together() {
        let generation = Generation::default();
        let of_a_part = generation.clone();
        let compiled_at = generation.number();
        of_a_part.expire_programs();
        assert_ne!(generation.number(), compiled_at);
        assert_eq!(generation.number(), of_a_part.number());
    }
}
