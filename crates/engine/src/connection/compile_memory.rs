//! Memory that each compilation reuses from the one before.

use std::cell::Cell;

use bumpalo::Bump;
use lithe_sql::{Bare, BareTexts, Templates};
use lithe_value::grow::check_room;
use lithe_vfs::ResultCode;
use lithe_vm::builder::SpareBuilder;

use crate::error::{Error, Result};

/// The arena and the builder of programs of the last compilation, and the templates and bare texts of the last statements.
#[derive(Default)]
pub(crate) struct CompileMemory {
    arena: Cell<Option<Bump>>,
    pub(crate) builder: SpareBuilder,
    templates: Cell<Option<Box<Templates>>>,
    bare_texts: Cell<Option<Box<BareTexts>>>,
    /// The longest text of a schema that was loaded.
    longest_text: Cell<usize>,
}

impl CompileMemory {
    /// Notes that a schema has a text of this length.
    ///
    /// # Errors
    /// SQLITE_NOMEM if there is no room for what the text says.
    pub(crate) fn note_text(&self, len: usize) -> Result<()> {
        self.longest_text.set(self.longest_text.get().max(len));
        self.check_room(0)
    }

    /// Fails if the memory is too short to compile a text of this length.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    #[inline]
    pub(crate) fn check_room(&self, len: usize) -> Result<()> {
        check_room(len.saturating_add(self.longest_text.get())).map_err(|_| Error::from_code(ResultCode::NOMEM))
    }

    /// Runs `f` with an arena that is empty and usually has memory already.
    pub(crate) fn with_arena<T>(&self, f: impl FnOnce(&Bump) -> T) -> T {
        let mut arena = self.arena.take().unwrap_or_default();
        let result = f(&arena);
        arena.reset();
        self.arena.set(Some(arena));
        result
    }

    /// Runs `f` with the templates of the last statements.
    pub(crate) fn with_templates<T>(&self, f: impl FnOnce(&mut Templates) -> T) -> T {
        let mut templates = self.templates.take().unwrap_or_default();
        let result = f(&mut templates);
        self.templates.set(Some(templates));
        result
    }

    /// The bare text of the first statement of `sql`.
    pub(crate) fn bare_text(&self, sql: &[u8]) -> Option<Bare> {
        if !BareTexts::may_have(sql) {
            return None;
        }
        let mut texts = self.bare_texts.take().unwrap_or_default();
        let bare = texts.read(sql);
        self.bare_texts.set(Some(texts));
        bare
    }

    /// Frees the memory.
    pub(crate) fn release(&self) {
        drop(self.templates.take());
        drop(self.bare_texts.take());
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
