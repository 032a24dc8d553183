//! The costs of the loops of a statement, beside the planner's estimates (`sqlite3_stmt_scanstatus`).
//!
//! A statement is measured if SQLITE_DBCONFIG_STMT_SCANSTATUS was on when it was compiled; otherwise its program has no
//! additional instruction.

use lithe_vm::operand::{CursorId, OperandText};
use lithe_vm::profile::{InsnCost, Profile};
use lithe_vm::program::{MeasuredLoop, QueryPlanRow};
use lithe_vm::{Program, Vm};

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
    /// Runs of a loop.
    pub loops: Option<u64>,
    /// Rows of all runs.
    pub rows: Option<u64>,
    /// Processor cycles that its cursors have taken, counted as nanoseconds.
    pub cycles: Option<u64>,
}

impl Statement {
    /// The element at an index of the query plan: counted among all lines, or only among the loops over tables. None:
    /// there are fewer, or the statement is not measured.
    pub fn plan_element(&self, index: usize, among_all: bool) -> Option<PlanElement> {
        let (vm, loops) = self.measured()?;
        let program = vm.program();
        let of_line = |line: &QueryPlanRow| loops.iter().find(|measured| measured.line == line.id);
        let is_shown =
            |line: &&QueryPlanRow| among_all || of_line(line).is_some_and(|measured| measured.name.is_some());
        let line = program.query_plan.iter().filter(is_shown).nth(index)?;
        let measured = of_line(line);
        let costs = vm.profile().map_or(&[][..], |profile| profile.costs(program));
        let runs = |addr: u32| costs.get(addr as usize).map_or(0, |cost| cost.runs);
        Some(PlanElement {
            id: line.id,
            parent: line.parent,
            detail: line.detail.clone(),
            name: measured.and_then(|measured| measured.name.clone()),
            estimated_rows: measured.map_or(1.0, |measured| measured.estimated_rows),
            loops: measured.map(|measured| runs(measured.run.0)),
            rows: measured.map(|measured| runs(measured.row.0)),
            cycles: measured.map(|measured| cycles_of(program, costs, &measured.cursors)),
        })
    }

    /// The cycles of all instructions of a statement that is measured.
    pub fn measured_cycles(&self) -> Option<u64> {
        let (vm, _) = self.measured()?;
        Some(vm.profile().map_or(0, Profile::cycles))
    }

    /// Resets the counters.
    pub fn reset_measurement(&mut self) {
        if let Some(vm) = self.machine() {
            vm.reset_profile();
        }
    }

    /// The costs of the instructions of the statement's program, or of a subprogram. Empty if they are not measured.
    pub(crate) fn costs_of(&self, program: &Program) -> &[InsnCost] {
        self.measured().and_then(|(vm, _)| vm.profile()).map_or(&[], |profile| profile.costs(program))
    }

    fn measured(&self) -> Option<(&Vm, &[MeasuredLoop])> {
        let Runner::Program(vm) = &self.runner else { return None };
        vm.program().measured.as_deref().map(|loops| (&**vm, loops))
    }
}

/// The costs of the instructions that use one of these cursors.
fn cycles_of(program: &Program, costs: &[InsnCost], cursors: &[CursorId]) -> u64 {
    let uses = |operand: &OperandText| matches!(operand, OperandText::Id("c", id) if cursors.iter().any(|cursor| u32::from(cursor.0) == *id));
    let is_theirs = |at: usize| program.insns[at].operands().iter().any(|(_, operand)| uses(operand));
    costs.iter().enumerate().filter(|(at, _)| is_theirs(*at)).map(|(_, cost)| cost.cycles).sum()
}
