//! The costs of the loops of a statement, beside the planner's estimates (`sqlite3_stmt_scanstatus`).
//!
//! A statement is measured if SQLITE_DBCONFIG_STMT_SCANSTATUS was on when it was compiled; otherwise its program has no
//! additional instruction.

use lithe_vm::Program;
use lithe_vm::operand::{Addr, CursorId, OperandText};
use lithe_vm::profile::{InsnCost, Profile};
use lithe_vm::program::{MeasuredCode, MeasuredPart, QueryPlanRow};

use crate::connection::statement::{Runner, Statement};

/// A line of a query plan, with its measured costs.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanElement {
    /// The number of its line.
    pub id: i32,
    /// The number of the line above; 0 if there is none.
    pub parent: i32,
    /// The text of the line in EXPLAIN QUERY PLAN.
    pub detail: String,
    /// The table or index that a loop reads.
    pub name: Option<String>,
    /// The planner's estimate of the rows of each run of a loop; 1 if the line is not a loop.
    pub estimated_rows: f64,
    /// How often a loop or a query ran, or rows were sorted or put into an automatic index.
    pub loops: Option<u64>,
    /// Rows of all runs.
    pub rows: Option<u64>,
    /// Processor cycles that it has taken, counted as nanoseconds.
    pub cycles: Option<u64>,
}

impl Statement {
    /// The element at an index of the query plan: counted among all lines, or only among the loops over tables. None:
    /// there are fewer, or the statement is not measured.
    pub fn plan_element(&self, index: usize, among_all: bool) -> Option<PlanElement> {
        let (program, profile) = self.measured()?;
        let measured = program.measured.as_deref()?;
        let is_loop = |line: &QueryPlanRow| measured.iter().any(|part| part.line == line.id && part.name.is_some());
        let line = program.query_plan.iter().filter(|line| among_all || is_loop(line)).nth(index)?;
        let parts = || measured.iter().filter(|part| part.line == line.id);
        let costs = profile.map_or(&[][..], |profile| profile.costs(program));
        let runs = |addr: Addr| costs.get(addr.0 as usize).map_or(0, |cost| cost.runs);
        let sum = |place: fn(&MeasuredPart) -> Option<Addr>| total(parts().map(|part| place(part).map(runs)));
        Some(PlanElement {
            id: line.id,
            parent: line.parent,
            detail: line.detail.clone(),
            name: parts().find_map(|part| part.name.clone()),
            estimated_rows: parts().next().map_or(1.0, |part| part.estimated_rows),
            loops: sum(|part| part.run),
            rows: sum(|part| part.row),
            cycles: total(parts().map(|part| Some(cycles_of(program, costs, &part.code)))),
        })
    }

    /// The cycles of all instructions of a statement that is measured.
    pub fn measured_cycles(&self) -> Option<u64> {
        let (_, profile) = self.measured()?;
        Some(profile.map_or(0, Profile::cycles))
    }

    /// Resets the counters.
    pub fn reset_measurement(&mut self) {
        if let Some(vm) = self.machine() {
            vm.reset_profile();
        }
    }

    /// The costs of the instructions of the statement's program, or of a subprogram. Empty if they are not measured.
    pub(crate) fn costs_of(&self, program: &Program) -> &[InsnCost] {
        self.measured().and_then(|(_, profile)| profile).map_or(&[], |profile| profile.costs(program))
    }

    /// The program of a statement that is measured, and what was measured. The program that an EXPLAIN shows does not run.
    fn measured(&self) -> Option<(&Program, Option<&Profile>)> {
        let (program, profile) = match &self.runner {
            Runner::Program(vm) => (&**vm.program(), vm.profile()),
            Runner::Command(command) => (command.explained()?, None),
        };
        program.measured.is_some().then_some((program, profile))
    }
}

/// The sum of what is counted; None if nothing is.
fn total(counts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    counts.flatten().reduce(u64::saturating_add)
}

fn cycles_of(program: &Program, costs: &[InsnCost], code: &MeasuredCode) -> u64 {
    match code {
        MeasuredCode::Cursors(cursors) => cycles_of_cursors(program, costs, cursors),
        MeasuredCode::Between(first, end) => {
            let between = costs.get(first.0 as usize..end.0 as usize).unwrap_or_default();
            between.iter().map(|cost| cost.cycles).sum()
        }
    }
}

/// The costs of the instructions that use one of these cursors.
fn cycles_of_cursors(program: &Program, costs: &[InsnCost], cursors: &[CursorId]) -> u64 {
    let uses = |operand: &OperandText| matches!(operand, OperandText::Id("c", id) if cursors.iter().any(|cursor| u32::from(cursor.0) == *id));
    let is_theirs = |at: usize| program.insns[at].operands().iter().any(|(_, operand)| uses(operand));
    costs.iter().enumerate().filter(|(at, _)| is_theirs(*at)).map(|(_, cost)| cost.cycles).sum()
}
