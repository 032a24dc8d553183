//! Memory that each compilation reuses from the one before.

use std::cell::Cell;

use bumpalo::Bump;
use lithe_sql::Template;
use lithe_vm::builder::SpareBuilder;

/// The arena, the builder of programs and the template of the last compilation.
#[derive(Default)]
pub(crate) struct CompileMemory {
    arena: Cell<Option<Bump>>,
    pub(crate) builder: SpareBuilder,
    template: Cell<Template>,
}

impl CompileMemory {
    /// Runs `f` with an arena that is empty and usually has memory already.
    pub(crate) fn with_arena<T>(&self, f: impl FnOnce(&Bump) -> T) -> T {
        let mut arena = self.arena.take().unwrap_or_default();
        let result = f(&arena);
        arena.reset();
        self.arena.set(Some(arena));
        result
    }

    /// Runs `f` with the memory of a template.
    pub(crate) fn with_template<T>(&self, f: impl FnOnce(&mut Template) -> T) -> T {
        let mut template = self.template.take();
        let result = f(&mut template);
        self.template.set(template);
        result
    }

    /// Frees the memory.
    pub(crate) fn release(&self) {
        drop(self.template.take());
        drop(self.arena.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilations_may_be_nested() {
        let memory = CompileMemory::default();
        let sum = memory.with_arena(|outer| {
            let one = outer.alloc(1);
            let two = memory.with_arena(|inner| *inner.alloc(2));
            *one + two
        });
        assert_eq!(sum, 3);
        let is_empty = memory.with_arena(|arena| {
            let before = arena.allocated_bytes();
            arena.alloc(1);
            before == arena.allocated_bytes()
        });
        assert!(is_empty, "the arena has its memory from before");
        memory.release();
        assert_eq!(memory.with_arena(|arena| arena.allocated_bytes()), 0);
    }
}
