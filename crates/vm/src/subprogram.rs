//! Subprograms: triggers and foreign-key actions, run in frames of their own.
//!
//! ```text
//!   statement      registers, cursors, pc
//!      └─ trigger      registers, cursors, pc     reads the registers of the frame above by ParentRegister
//!           └─ trigger     registers, cursors, pc
//! ```
//!
//! The machine holds the innermost frame; the frames around it wait in [`Frames`]. The changes of a trigger to changes() and
//! last_insert_rowid() are reverted when it ends.

use std::sync::Arc;

use lithe_vfs::ResultCode;

use crate::error::Error;
use crate::frame::FrameContent;
use crate::host::Host;
use crate::machine::Machine;
use crate::operand::{Reg, SubprogramId};
use crate::program::{Program, Subprogram};

/// The frames around the running one, outermost first.
#[derive(Default)]
pub struct Frames<'p> {
    callers: Vec<Frame<'p>>,
}

/// A frame that waits for the subprogram it has called.
struct Frame<'p> {
    program: &'p Program,
    /// The token of the subprogram that it has called.
    token: u64,
    return_to: usize,
    ignore: usize,
    content: FrameContent,
    changes: i64,
    counters: SavedCounters,
}

/// The counters of the connection that a trigger must not change.
#[derive(Clone, Copy)]
struct SavedCounters {
    changes: i64,
    last_insert_rowid: i64,
}

/// A call: the subprogram, and where to continue after it.
pub struct Call {
    /// The subprogram.
    pub id: SubprogramId,
    /// Whether it may run while it is running already.
    pub recursive: bool,
    /// The address after its end.
    pub return_to: usize,
    /// The address after RAISE(IGNORE).
    pub ignore: usize,
}

impl<'p> Frames<'p> {
    /// How many subprograms have been called and not ended.
    pub fn depth(&self) -> usize {
        self.callers.len()
    }

    /// Calls a subprogram; returns its program, or `None` if it must not run within itself.
    #[inline(never)]
    pub fn enter(
        &mut self,
        m: &mut Machine,
        program: &'p Program,
        host: &dyn Host,
        call: Call,
    ) -> Result<Option<&'p Program>, Error> {
        let callee = &*self.table(program)[usize::from(call.id.0)];
        if !call.recursive && self.callers.iter().any(|frame| frame.token == callee.token) {
            return Ok(None);
        }
        let state = host.state();
        if self.callers.len() >= state.trigger_depth_max.get() as usize {
            return Err(Error::new(ResultCode::ERROR, "triggers nested too deep"));
        }
        let content = m.frames.take(&callee.program);
        assert!(content.is_for(&callee.program), "a frame of another program");
        self.callers.push(Frame {
            program,
            token: callee.token,
            return_to: call.return_to,
            ignore: call.ignore,
            content: exchange(content, m),
            changes: std::mem::take(&mut m.changes),
            counters: SavedCounters { changes: state.changes.get(), last_insert_rowid: state.last_insert_rowid.get() },
        });
        Ok(Some(&callee.program))
    }

    /// The subprograms that `program` refers to. The table of a trigger cannot contain the trigger itself, so a
    /// program without a table uses that of the outermost program.
    fn table(&self, program: &'p Program) -> &'p [Arc<Subprogram>] {
        match self.callers.first() {
            Some(outermost) if program.subprograms.is_empty() => &outermost.program.subprograms,
            _ => &program.subprograms,
        }
    }

    /// Ends the innermost subprogram: returns the program that called it, and its next address. `None` at the
    /// outermost.
    #[inline]
    pub fn leave(&mut self, m: &mut Machine, host: &dyn Host) -> Option<(&'p Program, usize)> {
        if self.callers.is_empty() { None } else { self.leave_inner(m, host) }
    }

    #[inline(never)]
    fn leave_inner(&mut self, m: &mut Machine, host: &dyn Host) -> Option<(&'p Program, usize)> {
        let frame = self.pop(m, host)?;
        Some((frame.0, frame.1))
    }

    /// Ends the innermost subprogram by RAISE(IGNORE).
    #[inline(never)]
    pub fn leave_ignoring(&mut self, m: &mut Machine, host: &dyn Host) -> Option<(&'p Program, usize)> {
        let frame = self.pop(m, host)?;
        Some((frame.0, frame.2))
    }

    fn pop(&mut self, m: &mut Machine, host: &dyn Host) -> Option<(&'p Program, usize, usize)> {
        let frame = self.callers.pop()?;
        frame.restore_counters(m, host);
        let left = exchange(frame.content, m);
        assert_eq!(m.cursors.len(), frame.program.cursors.len(), "the frame that is gone on with is its program's");
        m.frames.give_back(left);
        Some((frame.program, frame.return_to, frame.ignore))
    }

    /// Ends all subprograms after an error: the machine gets the outermost frame back.
    #[inline(never)]
    pub fn unwind(&mut self, m: &mut Machine, host: &dyn Host) {
        if let Some(outermost) = self.callers.drain(..).next() {
            outermost.restore_counters(m, host);
            exchange(outermost.content, m);
        }
        assert!(self.callers.is_empty(), "an error ends all subprograms");
    }

    /// Copies a register of the frame that called this one.
    #[inline(never)]
    pub fn copy_from_parent(&self, m: &mut Machine, src: Reg, dst: Reg) {
        let parent = self.callers.last().expect("ParentRegister stands in a subprogram");
        m.reg_mut(dst).copy_from(&parent.content.registers[src.0 as usize]);
    }
}

impl Frame<'_> {
    fn restore_counters(&self, m: &mut Machine, host: &dyn Host) {
        m.changes = self.changes;
        host.state().changes.set(self.counters.changes);
        host.state().last_insert_rowid.set(self.counters.last_insert_rowid);
    }
}

/// Puts the content of a frame into the machine; returns the content that the machine had.
fn exchange(mut content: FrameContent, m: &mut Machine) -> FrameContent {
    std::mem::swap(&mut m.registers, &mut content.registers);
    std::mem::swap(&mut m.cursors, &mut content.cursors);
    std::mem::swap(&mut m.once, &mut content.once);
    std::mem::swap(&mut m.sites, &mut content.sites);
    content
}
