//! The costs of a program's instructions, counted if a statement is measured (SQLITE_DBCONFIG_STMT_SCANSTATUS).

use std::time::Instant;

use crate::program::Program;

/// The costs of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InsnCost {
    /// How often it has run.
    pub runs: u64,
    /// Its time in nanoseconds, reported as cycles of a processor of one gigahertz.
    pub cycles: u64,
}

/// The costs of a statement's program and its subprograms.
#[derive(Debug, Default)]
pub struct Profile {
    /// By the addresses of the programs in memory, which are valid because the statement keeps its program.
    programs: Vec<(usize, Box<[InsnCost]>)>,
    /// The running instruction: the index of its program and its address, and when it began.
    running: Option<(usize, usize, Instant)>,
}

fn identity(program: &Program) -> usize {
    std::ptr::from_ref(program).addr()
}

impl Profile {
    /// Begins the instruction at `pc`; the one before it ends.
    pub(crate) fn begin(&mut self, program: &Program, pc: usize) {
        let now = Instant::now();
        self.end_at(now);
        let identity = identity(program);
        let known = self.programs.iter().position(|(known, _)| *known == identity);
        let at = known.unwrap_or_else(|| {
            self.programs.push((identity, vec![InsnCost::default(); program.insns.len()].into()));
            self.programs.len() - 1
        });
        self.programs[at].1[pc].runs += 1;
        self.running = Some((at, pc, now));
    }

    /// Ends the running instruction, because the statement returns a row, or ends.
    pub(crate) fn pause(&mut self) {
        self.end_at(Instant::now());
    }

    fn end_at(&mut self, now: Instant) {
        if let Some((at, pc, since)) = self.running.take() {
            self.programs[at].1[pc].cycles += now.duration_since(since).as_nanos() as u64;
        }
    }

    /// The costs of a program's instructions; none if it has not run.
    pub fn costs(&self, program: &Program) -> &[InsnCost] {
        let identity = identity(program);
        self.programs.iter().find(|(known, _)| *known == identity).map_or(&[], |(_, costs)| costs)
    }

    /// The cycles of all instructions.
    pub fn cycles(&self) -> u64 {
        self.programs.iter().flat_map(|(_, costs)| costs).map(|cost| cost.cycles).sum()
    }
}
