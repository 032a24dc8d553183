//! The content of a frame, and a pool of frames to be reused.

use lithe_functions::CallSite;

use crate::cursor::VmCursor;
use crate::program::Program;
use crate::register::Register;

/// The registers, cursors and other state of one frame.
#[derive(Default)]
pub struct FrameContent {
    /// The registers.
    pub registers: Vec<Register>,
    /// The cursors.
    pub cursors: Vec<VmCursor>,
    /// Which Once instructions have run.
    pub once: OnceSet,
    /// The data that function calls keep from one call to the next.
    pub sites: Vec<CallSite>,
}

impl FrameContent {
    fn new(program: &Program) -> FrameContent {
        if cfg!(debug_assertions) {
            program.assert_sound();
        }
        FrameContent { registers: new_registers(program), cursors: new_cursors(program), ..FrameContent::default() }
    }

    /// Whether the frame has the registers and cursors of the program.
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

/// Frames of calls that have returned, for the next call: a trigger that fires for each row allocates at the first
/// only.
#[derive(Default)]
pub struct FramePool {
    spare: Vec<FrameContent>,
}

/// As many frames as the triggers of one statement ordinarily need; further frames are dropped.
const SPARE_MAX: usize = 8;

impl FramePool {
    /// Drops all frames.
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

    /// Returns a frame to the pool.
    pub fn give_back(&mut self, mut frame: FrameContent) {
        assert!(self.spare.len() <= SPARE_MAX, "more frames than are kept");
        if self.spare.len() < SPARE_MAX {
            frame.clear();
            self.spare.push(frame);
        }
    }
}

/// The registers of a frame of this program, and one more that no instruction names, for intermediate values.
pub fn new_registers(program: &Program) -> Vec<Register> {
    std::iter::repeat_with(Register::default).take(program.register_count as usize + 1).collect()
}

/// The cursors of a frame of this program.
pub fn new_cursors(program: &Program) -> Vec<VmCursor> {
    std::iter::repeat_with(VmCursor::default).take(program.cursors.len()).collect()
}

/// The Once instructions that have run.
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

    /// Begins a new run.
    #[inline]
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
