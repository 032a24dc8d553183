//! Compiled programs by their text, and by the shape of their text.
//!
//! Statements with the same text share one program. INSERTs that differ only in their literals share one too, compiled from
//! their shape (see [`lithe_sql::Shape`]), and the machine that ran the last of them runs the next: its registers
//! have their memory, and its cursors their place.

use std::collections::VecDeque;
use std::sync::Arc;

use hashbrown::HashMap;
use lithe_vm::vm::Vm;

use crate::statement::Compiled;

/// How many programs are kept of each sort.
const CAPACITY: usize = 128;

/// Texts longer than this are not kept: they are scripts of data, not statements that come again.
const TEXT_LEN_MAX: usize = 16 * 1024;

/// The programs that were compiled last.
pub(crate) struct ProgramCache {
    /// By text.
    pub(crate) texts: Programs,
    /// By the shape of the text.
    pub(crate) shapes: Programs,
}

/// Programs by text; the oldest goes when there are too many.
pub(crate) struct Programs {
    programs: HashMap<Box<[u8]>, Entry>,
    /// The texts in the order in which they came.
    order: VecDeque<Box<[u8]>>,
}

struct Entry {
    compiled: Arc<Compiled>,
    /// A machine with this program that nobody uses.
    idle: Option<Box<Vm>>,
}

impl ProgramCache {
    pub(crate) fn new() -> ProgramCache {
        ProgramCache { texts: Programs::new(), shapes: Programs::new() }
    }
}

impl Programs {
    fn new() -> Programs {
        Programs { programs: HashMap::new(), order: VecDeque::new() }
    }

    /// The program for `text`, if it was compiled against generation `generation`, perhaps with a machine for it.
    pub(crate) fn take(&mut self, text: &[u8], generation: u64) -> Option<(Arc<Compiled>, Option<Box<Vm>>)> {
        if text.len() > TEXT_LEN_MAX {
            return None; // a script is not hashed to its end for each of its statements
        }
        let entry = self.programs.get_mut(text).filter(|entry| entry.compiled.generation == generation)?;
        Some((Arc::clone(&entry.compiled), entry.idle.take()))
    }

    pub(crate) fn put(&mut self, text: &[u8], compiled: &Arc<Compiled>) {
        if text.len() > TEXT_LEN_MAX {
            return;
        }
        let entry = Entry { compiled: Arc::clone(compiled), idle: None };
        if self.programs.insert(text.into(), entry).is_none() {
            self.order.push_back(text.into());
        }
        if self.order.len() > CAPACITY
            && let Some(oldest) = self.order.pop_front()
        {
            self.programs.remove(&oldest);
        }
    }

    /// Keeps a machine for the next statement with its program.
    pub(crate) fn put_back(&mut self, compiled: &Arc<Compiled>, vm: Box<Vm>) {
        let entry = self.programs.get_mut(compiled.sql.as_bytes());
        if let Some(entry) = entry.filter(|entry| Arc::ptr_eq(&entry.compiled, compiled)) {
            entry.idle = Some(vm);
        }
    }
}
