//! Compiled programs by their text, and by the template of their text.
//!
//! Statements with the same text share one program, also if comments stand before or behind it (see [`lithe_sql::Bare`]). Statements
//! that differ only in their literals share one program, too, compiled from their template (see [`lithe_sql::Template`]). The machine
//! that ran the last such statement runs the next one, so that the memory of its registers and the positions of its cursors are reused.
//!
//! A program whose plan depends on the sizes of tables serves for a while only, as the sizes do (see [`super::measured`]).

use std::cell::RefCell;
use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable, hash_table};
use lithe_catalog::LARGE;
use lithe_vm::builder::ProgramBuilder;
use lithe_vm::insn::Insn;
use lithe_vm::program::Program;
use lithe_vm::vm::Vm;

use crate::connection::measured;
use crate::connection::statement::Compiled;

/// How many programs of each kind (by text, by template) are kept.
const CAPACITY: usize = 128;

/// The number of texts seen once whose hashes are remembered.
const LATELY: usize = 256;

/// Longer texts are not kept: they are mostly scripts of data that do not come again.
const TEXT_LEN_MAX: usize = 16 * 1024;

/// The programs that were compiled last. No cell is borrowed between two calls.
pub(crate) struct ProgramCache {
    kept: RefCell<Kept>,
    /// The hash function, fixed for the life of the connection because a statement that is being compiled may have its
    /// hash before the cache is emptied.
    hashes: DefaultHashBuilder,
}

/// When a program is looked up or kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    /// The generation of what programs depend on ([`crate::generation::Generation::number`]).
    pub(crate) generation: u64,
    /// The number of rows that the connection has changed.
    pub(crate) changes: u64,
}

/// The key by which a program is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// The text of the statement.
    Text,
    /// The template of the text.
    Template,
}

struct Kept {
    texts: Programs,
    templates: Programs,
    /// A machine of a finalized statement, without its program: the next statement reuses its memory, whatever its
    /// program is.
    spare: Option<Box<Vm>>,
    /// The program of a machine that has none.
    nothing: Option<Arc<Program>>,
    /// Hashes of templates without a program, at the index given by the lower bits, and the generations at which that was found.
    refused: [(u64, u64); REFUSED],
}

/// The number of templates that are remembered as refused.
const REFUSED: usize = 64;

/// Programs by text; the oldest is dropped when there are too many.
struct Programs {
    /// By [`ProgramCache::hash`] of the text; each program stores its own hash.
    programs: HashTable<Entry>,
    /// In the order in which their texts came.
    order: VecDeque<Arc<Compiled>>,
    /// Hashes of texts seen lately: the upper half of each, at the index given by the lower half.
    lately: [u32; LATELY],
}

struct Entry {
    compiled: Arc<Compiled>,
    /// A machine with this program that no statement uses.
    idle: Option<Box<Vm>>,
    /// The number of statements that may still use the program, if it depends on sizes.
    uses_left: u32,
    /// The number of changes up to which they may.
    changes_max: u64,
}

/// Programs that are not kept any more, with their machines.
#[derive(Default)]
struct Forgotten {
    replaced: Option<Entry>,
    oldest: Option<Entry>,
}

impl Entry {
    fn is_of(&self, text: &[u8]) -> bool {
        self.compiled.sql.as_bytes() == text
    }

    /// Whether the program is that of a text that is compiled now.
    fn is_current(&mut self, now: Now) -> bool {
        debug_assert!(self.compiled.stamp.changes <= now.generation, "a program that is compiled later");
        if self.compiled.stamp.changes != now.generation {
            return false;
        }
        if !self.compiled.uses_sizes() {
            return true;
        }
        let is_current = self.uses_left > 0 && now.changes <= self.changes_max;
        self.uses_left = self.uses_left.saturating_sub(1);
        is_current
    }
}

/// The number of bytes at either end of a text that are hashed, with its length, because values may be long. All bytes
/// are compared with those of a program that has the same hash.
const TOLD_BY: usize = 64;

impl ProgramCache {
    pub(crate) fn new() -> ProgramCache {
        ProgramCache { kept: RefCell::new(Kept::new()), hashes: DefaultHashBuilder::default() }
    }

    /// The hash under which a text or a template is looked up.
    pub(crate) fn hash(&self, text: &[u8]) -> u64 {
        if text.len() <= 2 * TOLD_BY {
            return self.hashes.hash_one(text);
        }
        self.hashes.hash_one((text.len(), &text[..TOLD_BY], &text[text.len() - TOLD_BY..]))
    }

    /// The program for `text`, if it is current, perhaps with a machine for it.
    pub(crate) fn take(&self, by: Lookup, text: &[u8], hash: u64, now: Now) -> Option<Found> {
        self.kept.borrow_mut().programs(by).take(text, hash, now)
    }

    /// Whether a text of this hash was seen before, as far as is known: only then is its program worth keeping.
    pub(crate) fn comes_again(&self, by: Lookup, hash: u64) -> bool {
        self.kept.borrow_mut().programs(by).comes_again(hash)
    }

    /// Remembers that the template of this hash has no program that its statements could share.
    pub(crate) fn refuse(&self, hash: u64, now: Now) {
        self.kept.borrow_mut().refused[hash as usize % REFUSED] = (hash, now.generation);
    }

    /// Whether the template of this hash is remembered to have none.
    pub(crate) fn is_refused(&self, hash: u64, now: Now) -> bool {
        self.kept.borrow().refused[hash as usize % REFUSED] == (hash, now.generation)
    }

    /// Keeps the program for `text`.
    pub(crate) fn put(&self, by: Lookup, text: &[u8], compiled: &Arc<Compiled>, now: Now) {
        debug_assert!(compiled.hash == self.hash(text), "a program is kept where no text finds it");
        let forgotten = self.kept.borrow_mut().programs(by).put(text, compiled, now);
        // Dropped when nothing is borrowed: a program may hold the last reference to a function, whose destructor is
        // application code.
        drop(forgotten);
    }

    /// Keeps the machine of a statement that is no longer used, for the next statement with its program or with any
    /// other. Returns the program, if nobody uses it any more.
    pub(crate) fn put_back(&self, compiled: Arc<Compiled>, vm: Box<Vm>) -> Option<Arc<Program>> {
        let (left, nothing) = {
            let mut kept = self.kept.borrow_mut();
            let by = if compiled.is_template { Lookup::Template } else { Lookup::Text };
            (kept.programs(by).put_back(&compiled, vm), kept.nothing())
        };
        // Machine and program are dropped when nothing is borrowed, as above.
        let mut vm = left?;
        if vm.unload(Arc::clone(&nothing)) {
            let spare = self.kept.borrow_mut().spare.replace(vm);
            drop(spare);
        }
        Compiled::into_program(compiled, nothing)
    }

    /// A machine for any program, if one is kept.
    pub(crate) fn take_spare(&self) -> Option<Box<Vm>> {
        self.kept.borrow_mut().spare.take()
    }

    /// Empties the cache. Kept programs hold functions and collations that may have been replaced, and their
    /// destructors must run now.
    pub(crate) fn clear(&self) {
        if self.kept.borrow().is_empty() {
            return;
        }
        let forgotten = self.kept.replace(Kept::new());
        drop(forgotten);
    }
}

/// A kept program, and a machine for it if one was kept.
pub(crate) type Found = (Arc<Compiled>, Option<Box<Vm>>);

impl Kept {
    fn new() -> Kept {
        Kept {
            texts: Programs::new(),
            templates: Programs::new(),
            spare: None,
            nothing: None,
            refused: [(0, 0); REFUSED],
        }
    }

    fn is_empty(&self) -> bool {
        self.texts.order.is_empty() && self.templates.order.is_empty() && self.spare.is_none()
    }

    fn programs(&mut self, by: Lookup) -> &mut Programs {
        match by {
            Lookup::Text => &mut self.texts,
            Lookup::Template => &mut self.templates,
        }
    }

    /// The empty program.
    fn nothing(&mut self) -> Arc<Program> {
        let halt = || {
            let mut builder = ProgramBuilder::new();
            builder.emit(Insn::Halt {});
            Arc::new(builder.finish())
        };
        Arc::clone(self.nothing.get_or_insert_with(halt))
    }
}

impl Programs {
    fn new() -> Programs {
        Programs { programs: HashTable::new(), order: VecDeque::new(), lately: [0; LATELY] }
    }

    /// Whether a text of this hash was seen before, as far as is known. Only then is its program worth keeping: most
    /// texts that are seen once never come again, and their programs would take memory and the place of useful ones.
    fn comes_again(&mut self, hash: u64) -> bool {
        let upper = (hash >> 32) as u32;
        std::mem::replace(&mut self.lately[hash as usize % LATELY], upper) == upper
    }

    /// The program for `text`, if it is current, perhaps with a machine for it.
    fn take(&mut self, text: &[u8], hash: u64, now: Now) -> Option<Found> {
        if text.len() > TEXT_LEN_MAX {
            return None;
        }
        let entry = self.programs.find_mut(hash, |entry| entry.is_of(text))?;
        entry.is_current(now).then(|| (Arc::clone(&entry.compiled), entry.idle.take()))
    }

    /// Keeps the program for `text`. Returns the programs that are dropped from the cache, to be freed when nothing is
    /// borrowed: a program may hold the last reference to a function, whose destructor is application code.
    #[must_use]
    fn put(&mut self, text: &[u8], compiled: &Arc<Compiled>, now: Now) -> Forgotten {
        let mut forgotten = Forgotten::default();
        if text.len() > TEXT_LEN_MAX || compiled.sql.as_bytes() != text {
            return forgotten;
        }
        let (uses_left, changes_max) = (measured::USES, now.changes + LARGE / 2);
        let new = Entry { compiled: Arc::clone(compiled), idle: None, uses_left, changes_max };
        let known = self.programs.entry(compiled.hash, |entry| entry.is_of(text), |entry| entry.compiled.hash);
        match known {
            // The replaced program was compiled against another schema, or other sizes.
            hash_table::Entry::Occupied(mut known) => {
                let old = std::mem::replace(known.get_mut(), new);
                self.order.retain(|kept| !Arc::ptr_eq(kept, &old.compiled));
                forgotten.replaced = Some(old);
            }
            hash_table::Entry::Vacant(place) => {
                place.insert(new);
            }
        }
        self.order.push_back(Arc::clone(compiled));
        if self.order.len() > CAPACITY
            && let Some(oldest) = self.order.pop_front()
        {
            let is_it = |entry: &Entry| Arc::ptr_eq(&entry.compiled, &oldest);
            if let Ok(entry) = self.programs.find_entry(oldest.hash, is_it) {
                forgotten.oldest = Some(entry.remove().0);
            }
        }
        debug_assert!(self.order.len() == self.programs.len(), "each program has one place in the order");
        forgotten
    }

    /// Keeps a machine for the next statement with its program, if the program is kept. Returns the machine that is not
    /// kept.
    fn put_back(&mut self, compiled: &Arc<Compiled>, vm: Box<Vm>) -> Option<Box<Vm>> {
        let is_it = |entry: &Entry| Arc::ptr_eq(&entry.compiled, compiled);
        match self.programs.find_mut(compiled.hash, is_it).filter(|_| compiled.hash != 0) {
            Some(entry) => entry.idle.replace(vm),
            None => Some(vm),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Connection;
    use crate::open::OpenFlags;

    fn prepare(connection: &Connection, sql: &str) {
        let statement = connection.prepare(sql.as_bytes()).unwrap().statement.unwrap();
        connection.put_back(statement);
    }

    fn is_kept(connection: &Connection, sql: &str) -> bool {
        let programs = &connection.programs;
        let hash = programs.hash(sql.as_bytes());
        programs.take(Lookup::Text, sql.as_bytes(), hash, connection.now()).is_some()
    }

    #[test]
    fn the_oldest_program_goes() {
        let connection = Connection::open(b":memory:", OpenFlags::DEFAULT).unwrap();
        for number in 0..CAPACITY + 2 {
            let sql = format!("SELECT {number}");
            (0..2).for_each(|_| prepare(&connection, &sql));
        }
        assert_eq!(connection.programs.kept.borrow().texts.order.len(), CAPACITY);
        let kept = [0, 1, 2, CAPACITY + 1].map(|number| is_kept(&connection, &format!("SELECT {number}")));
        assert_eq!(kept, [false, false, true, true]);
    }

    /// A program that replaces one of an older schema counts as the newest: it is not dropped when the older one would
    /// have been.
    #[test]
    fn a_program_compiled_again_is_the_newest() {
        let connection = Connection::open(b":memory:", OpenFlags::DEFAULT).unwrap();
        let texts: Vec<String> = (0..CAPACITY).map(|number| format!("SELECT {number}")).collect();
        texts.iter().for_each(|sql| (0..2).for_each(|_| prepare(&connection, sql)));
        connection.generation.expire_programs();
        (0..2).for_each(|_| prepare(&connection, &texts[0]));
        assert_eq!(connection.programs.kept.borrow().texts.order.len(), CAPACITY);
        for sql in ["SELECT 'a'", "SELECT 'b'"] {
            (0..2).for_each(|_| prepare(&connection, sql));
        }
        assert!(is_kept(&connection, &texts[0]));
        assert_eq!(connection.programs.kept.borrow().texts.programs.len(), CAPACITY);
    }

    /// The cache is emptied during a compilation, for instance, when the application defines a missing collation.
    #[test]
    fn a_text_has_one_hash_however_often_the_cache_is_emptied() {
        let programs = ProgramCache::new();
        let before = programs.hash(b"SELECT 1");
        programs.clear();
        assert_eq!(programs.hash(b"SELECT 1"), before);
    }

    #[test]
    fn stale_programs_and_long_texts_are_not_found() {
        let connection = Connection::open(b":memory:", OpenFlags::DEFAULT).unwrap();
        let long = format!("SELECT '{}'", "x".repeat(TEXT_LEN_MAX));
        for is_second in [false, true] {
            prepare(&connection, "SELECT 1");
            prepare(&connection, &long);
            assert_eq!(is_kept(&connection, "SELECT 1"), is_second, "a text is kept when it comes again");
            assert!(!is_kept(&connection, &long));
        }
        connection.generation.expire_programs();
        assert!(!is_kept(&connection, "SELECT 1"));
    }
}
