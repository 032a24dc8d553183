//! What a frame has of its own, and frames that wait to be used again.

use lithe_functions::CallSite;

use crate::cursor::VmCursor;
use crate::program::Program;
use crate::register::Register;

/// What a frame has of its own.
#[derive(Default)]
pub struct FrameContent {
    /// The registers.
    pub registers: Vec<Register>,
    /// The cursors.
    pub cursors: Vec<VmCursor>,
    /// Which Once instructions have run.
    pub once: OnceSet,
    /// What the function calls keep from one call to the next.
    pub sites: Vec<CallSite>,
}

impl FrameContent {
    fn new(program: &Program) -> FrameContent {
        if cfg!(debug_assertions) {
            program.assert_sound();
        }
        FrameContent { registers: new_registers(program), cursors: new_cursors(program), ..FrameContent::default() }
    }

    /// Whether the frame has what a frame of the program needs.
    pub fn is_for(&self, program: &Program) -> bool {
        self.registers.len() == program.register_count as usize + 1 && self.cursors.len() == program.cursors.len()
    }

    fn clear(&mut self) {
        self.registers.iter_mut().for_each(Register::clear);
        self.cursors.iter_mut().for_each(VmCursor::close);
        self.once.clear();
        // The next call may be of another subprogram of the same size.
        self.sites.clear();
    }
}

/// Frames that were left, for the next call: a trigger that fires for each row allocates for the first.
#[derive(Default)]
pub struct FramePool {
    spare: Vec<FrameContent>,
}

/// As many are kept as one statement's triggers ordinarily need; deep recursion gives the rest back.
const SPARE_MAX: usize = 8;

impl FramePool {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.spare.clear();
    }

    /// A frame for the program.
    pub fn take(&mut self, program: &Program) -> FrameContent {
        match self.spare.iter().rposition(|frame| frame.is_for(program)) {
            Some(index) => self.spare.swap_remove(index),
            None => FrameContent::new(program),
        }
    }

    /// A frame that was left.
    pub fn give_back(&mut self, mut frame: FrameContent) {
        assert!(self.spare.len() <= SPARE_MAX, "more frames than are kept");
        if self.spare.len() < SPARE_MAX {
            frame.clear();
            self.spare.push(frame);
        }
    }
}

/// The registers of a frame of this program, and one that no instruction names: for values on their way.
pub fn new_registers(program: &Program) -> Vec<Register> {
    std::iter::repeat_with(Register::default).take(program.register_count as usize + 1).collect()
}

/// The cursors of a frame of this program.
pub fn new_cursors(program: &Program) -> Vec<VmCursor> {
    std::iter::repeat_with(VmCursor::default).take(program.cursors.len()).collect()
}

/// Which instructions have run once.
#[derive(Debug, Default)]
pub struct OnceSet(Vec<u64>);

impl OnceSet {
    /// Whether the instruction at `pc` runs for the first time.
    #[inline]
    pub fn is_first(&mut self, pc: usize) -> bool {
        let (word, bit) = (pc / 64, 1 << (pc % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let first = self.0[word] & bit == 0;
        self.0[word] |= bit;
        first
    }

    /// A new run.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
