//! Compiled programs by their text.

use std::collections::VecDeque;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::statement::Compiled;

/// How many programs are kept.
const CAPACITY: usize = 128;

/// Texts longer than this are not kept: they are scripts of data, not statements that come again.
const TEXT_LEN_MAX: usize = 16 * 1024;

/// The programs that were compiled last, by text.
pub(crate) struct ProgramCache {
    programs: HashMap<Box<[u8]>, Arc<Compiled>>,
    /// The texts in the order in which they came: the oldest goes first.
    order: VecDeque<Box<[u8]>>,
}

impl ProgramCache {
    pub(crate) fn new() -> ProgramCache {
        ProgramCache { programs: HashMap::new(), order: VecDeque::new() }
    }

    /// The program for `text`, if it was compiled against generation `generation`.
    pub(crate) fn get(&self, text: &[u8], generation: u64) -> Option<Arc<Compiled>> {
        self.programs.get(text).filter(|compiled| compiled.generation == generation).cloned()
    }

    pub(crate) fn put(&mut self, text: &[u8], compiled: &Arc<Compiled>) {
        if text.len() > TEXT_LEN_MAX {
            return;
        }
        if self.programs.insert(text.into(), Arc::clone(compiled)).is_none() {
            self.order.push_back(text.into());
        }
        if self.order.len() > CAPACITY
            && let Some(oldest) = self.order.pop_front()
        {
            self.programs.remove(&oldest);
        }
    }
}
