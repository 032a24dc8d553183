//! A statement that can be run: bind, step until done, read the rows, reset.

use std::rc::Rc;
use std::sync::Arc;

use lithe_functions::Pointer;
use lithe_value::{Encoding, ValueRef};
use lithe_vfs::ResultCode;

use crate::error::Error;
use crate::host::Host;
use crate::insn::Insn;
use crate::machine::Machine;
use crate::operand::OnConflict;
use crate::profile::Profile;
use crate::program::Program;
use crate::register::Register;
pub use crate::run::Step;
use crate::run::run;
use crate::status::Counters;

/// A program, and the state of one run of it.
pub struct Vm {
    program: Arc<Program>,
    machine: Machine,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The next step begins a run.
    Ready,
    /// A row was returned; more may follow.
    Running,
    /// The run has ended, by success or an error.
    Ended,
}

impl Vm {
    /// A statement that is ready to run; no parameter is bound.
    pub fn new(program: Arc<Program>) -> Vm {
        let machine = Machine::new(&program);
        assert_eq!(machine.parameters.len(), program.parameter_count as usize, "a place for each parameter");
        Vm { program, machine, state: State::Ready }
    }

    /// Replaces its program by `nothing`, the empty program. No parameter is bound then, and of earlier runs only the memory
    /// remains. False if that memory is so much that it is better released.
    pub fn unload(&mut self, nothing: Arc<Program>) -> bool {
        assert!(self.state != State::Running, "a machine changes its program between two runs");
        self.program = nothing;
        self.state = State::Ready;
        self.machine.unload()
    }

    /// Loads a program, after [`Vm::unload`].
    pub fn load(&mut self, program: Arc<Program>) {
        assert!(self.state == State::Ready, "a machine changes its program between two runs");
        self.machine.load(&program);
        self.program = program;
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Binds a value to parameter `number`, counted from 1.
    #[inline(always)]
    pub fn bind(&mut self, number: usize, value: ValueRef<'_>) -> Result<(), Error> {
        self.machine.bind(number, value)
    }

    /// Binds a blob of zeros, which takes no memory.
    pub fn bind_zeroblob(&mut self, number: usize, len: u32) -> Result<(), Error> {
        match number.checked_sub(1).and_then(|index| self.machine.parameters.get_mut(index)) {
            Some(parameter) => parameter.set_zeros(len),
            None => return Err(Error::from_code(ResultCode::RANGE)),
        }
        Ok(())
    }

    /// Binds a pointer of the application: NULL to SQL, a pointer to the functions that accept its type.
    pub fn bind_pointer(&mut self, number: usize, pointer: Rc<Pointer>) -> Result<(), Error> {
        match number.checked_sub(1).and_then(|index| self.machine.parameters.get_mut(index)) {
            Some(parameter) => parameter.set_pointer(Some(pointer)),
            None => return Err(Error::from_code(ResultCode::RANGE)),
        }
        Ok(())
    }

    /// The value bound to parameter `number`; NULL if there is none.
    pub fn bound(&self, number: usize) -> ValueRef<'_> {
        let parameter = number.checked_sub(1).and_then(|index| self.machine.parameters.get(index));
        parameter.map_or(ValueRef::Null, Register::as_ref)
    }

    /// The length of a blob of zeros bound to parameter `number`.
    pub fn bound_zeros(&self, number: usize) -> Option<u32> {
        number.checked_sub(1).and_then(|index| self.machine.parameters.get(index))?.zeros()
    }

    /// Swaps the bound values with those of `other`, which has as many. A run that goes on reads the new ones.
    pub fn take_bindings(&mut self, other: &mut Vm) {
        let pairs = self.machine.parameters.iter_mut().zip(&mut other.machine.parameters);
        pairs.for_each(|(mine, theirs)| std::mem::swap(mine, theirs));
    }

    /// Makes all parameters NULL.
    pub fn clear_bindings(&mut self) {
        self.machine.parameters.iter_mut().for_each(Register::set_null);
    }

    /// Releases the memory of long values, because the machine is kept for a statement that may never come.
    pub fn release_memory(&mut self) {
        self.machine.registers.iter_mut().for_each(Register::release_memory);
    }

    /// Whether a run has begun and not ended.
    pub fn is_running(&self) -> bool {
        self.state == State::Running
    }

    /// Runs until there is a row, the end, or an error. After the end or an error the next step begins a new run.
    pub fn step(&mut self, host: &dyn Host) -> Result<Step, Error> {
        self.advance(host).map_err(|error| *error)?;
        Ok(if self.is_on_row() { Step::Row } else { Step::Done })
    }

    /// As [`Vm::step`], with a result that travels in a register: one that lies in memory is written in parts and read as a whole, for which a
    /// processor waits. [`Vm::is_on_row`] tells what was found.
    pub fn advance(&mut self, host: &dyn Host) -> Result<(), Box<Error>> {
        self.machine.resume();
        if self.state != State::Running {
            self.begin(host);
        } else if self.is_at_end() {
            self.machine.counters.vm_steps += 1;
            self.end(host, self.machine.changes);
            return Ok(());
        } else {
            self.machine.observe_writes(host);
        }
        host.state().now.set(None);
        match run(&self.program, &mut self.machine, host) {
            Ok(Step::Row) => {
                assert!(self.machine.row.end <= self.machine.registers.len(), "a row beyond the registers");
                Ok(())
            }
            Ok(Step::Done) => {
                self.end(host, self.machine.changes);
                Ok(())
            }
            Err(error) => {
                // No instruction counts, because the statement is compiled again, or tries again.
                if error.code() == ResultCode::SCHEMA || host.waits() {
                    self.state = State::Ended;
                    self.machine.reset();
                    return Err(error);
                }
                // FAIL keeps the changes, and counts them.
                let kept = if error.policy() == OnConflict::Fail { self.machine.changes } else { 0 };
                self.end(host, kept);
                Err(error)
            }
        }
    }

    /// Whether the last step has found a row.
    pub fn is_on_row(&self) -> bool {
        self.state == State::Running
    }

    /// Invalidates the cursors on tables and indexes, because the transaction was rolled back while the program was on
    /// a row: the next access fails.
    pub fn trip(&mut self) {
        if self.state == State::Running {
            self.machine.trip(&self.program);
        }
    }

    /// Whether a run that has returned a row has nothing left to do, as after a search for at most one row.
    #[inline]
    fn is_at_end(&self) -> bool {
        matches!(self.program.insns.get(self.machine.pc), Some(Insn::Halt {})) && self.machine.immediate_violations == 0
    }

    fn begin(&mut self, host: &dyn Host) {
        self.machine.assert_idle();
        self.machine.has_update_hook = host.has_update_hook();
        self.machine.watches_rows = host.watches_rows();
        self.machine.is_utf8 = host.state().encoding.get() == Encoding::Utf8;
        self.machine.expirations_before = host.state().expirations.get();
        self.machine.is_expired = false;
        self.machine.counters.runs += 1;
        self.state = State::Running;
    }

    /// Ends the run, which releases all pages. The registers keep their memory.
    fn end(&mut self, host: &dyn Host, changes: i64) {
        assert!(self.state == State::Running, "a run ends that has not begun");
        if self.program.counts_changes {
            host.state().set_changes(changes);
        }
        self.state = State::Ended;
        self.machine.reset();
    }

    /// The rows changed so far, if the run counts for changes(); `None` if it has ended, or does not count.
    pub fn changes_of_run(&self) -> Option<i64> {
        (self.state == State::Running && self.program.counts_changes).then_some(self.machine.changes)
    }

    /// Whether changes() reports the rows that the program changes.
    pub fn counts_changes(&self) -> bool {
        self.program.counts_changes
    }

    /// Ends the run; the parameters stay bound.
    pub fn reset(&mut self) {
        if self.state == State::Running {
            self.machine.reset();
        }
        self.state = State::Ready;
    }

    /// How many columns the current row has; 0 without a row.
    pub fn column_count(&self) -> usize {
        self.machine.row.len()
    }

    /// A column of the current row, NULL without one. It is valid until the next step or reset.
    #[inline]
    pub fn column(&self, index: usize) -> ValueRef<'_> {
        self.register(index).map_or(ValueRef::Null, Register::as_ref)
    }

    /// The register that holds a column of the current row; `None` if there is no such column.
    #[inline]
    pub fn register(&self, index: usize) -> Option<&Register> {
        self.machine.registers.get(self.machine.row.clone())?.get(index)
    }

    /// A column of the current row that is a text, with a NUL after it. `None` if the column is no text, or its memory has no
    /// space for the NUL. The bytes are valid as long as those of [`Vm::column`], which are the same except for the NUL.
    #[inline]
    pub fn column_with_nul(&mut self, index: usize) -> Option<&[u8]> {
        self.machine.registers.get_mut(self.machine.row.clone())?.get_mut(index)?.text_with_nul()
    }

    /// The subtype of a column of the current row.
    pub fn column_subtype(&self, index: usize) -> u8 {
        self.register(index).map_or(0, Register::subtype)
    }

    /// The pointer that a column of the current row carries.
    pub fn column_pointer(&self, index: usize) -> Option<&Rc<Pointer>> {
        self.register(index)?.pointer()
    }

    /// Rows changed so far by a run that has not ended.
    pub fn changes(&self) -> i64 {
        self.machine.changes
    }

    /// The counters of the statement.
    pub fn counters(&self) -> &Counters {
        &self.machine.counters
    }

    /// The costs of its instructions, if it is measured.
    pub fn profile(&self) -> Option<&Profile> {
        self.machine.profile.as_deref()
    }

    /// Resets the costs of all instructions.
    pub fn reset_profile(&mut self) {
        if let Some(profile) = &mut self.machine.profile {
            **profile = Profile::default();
        }
    }

    /// The counters of the statement, mutable.
    pub fn counters_mut(&mut self) -> &mut Counters {
        &mut self.machine.counters
    }
}
