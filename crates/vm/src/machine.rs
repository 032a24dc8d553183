//! The state of a running statement: everything that instructions change.

use std::ops::Range;
use std::rc::Rc;

use lithe_format::PageNo;
use lithe_format::record::Builder;
use lithe_functions::{CallSite, json};
use lithe_value::{Value, ValueRef};

use crate::boxed_error::BoxedError;
use crate::cursor::VmCursor;
use crate::ephemeral::Temporary;
use crate::error::Error;
use crate::frame::{FramePool, OnceSet, new_cursors, new_registers};
use crate::held_pages::HeldPages;
use crate::host::Host;
use crate::operand::{CursorId, Db, Reg};
use crate::profile::Profile;
use crate::program::{CursorKind, Program};
use crate::register::{Register, SPARE_MAX};
use crate::status::Counters;

/// The state of a running statement.
pub struct Machine {
    /// The registers of the current frame.
    pub registers: Vec<Register>,
    /// The cursors of the current frame.
    pub cursors: Vec<VmCursor>,
    /// Which Once instructions of the current frame have run.
    pub once: OnceSet,
    /// The data that the function calls of the current frame keep from one call to the next.
    pub sites: Vec<CallSite>,
    /// What the calls of all functions share.
    pub shared: CallSite,
    /// The bound parameters.
    pub parameters: Vec<Register>,
    /// The registers of the current row.
    pub row: Range<usize>,
    /// The address of the next instruction.
    pub pc: usize,
    /// The pages that are held, if a commit of this connection may change them, and how the pager can access them.
    pub held_pages: HeldPages,
    /// Rows changed so far (by the statement of the current frame).
    pub changes: i64,
    /// The value of [`ConnectionState::writes`] when the last row was returned.
    ///
    /// [`ConnectionState::writes`]: crate::connection_state::ConnectionState::writes
    pub writes_seen: u64,
    /// How many [`ConnectionState::expirations`] there were when the run began.
    ///
    /// [`ConnectionState::expirations`]: crate::connection_state::ConnectionState::expirations
    pub expirations_before: u64,
    /// There have been more since then: no further cursor may be opened.
    pub is_expired: bool,
    /// Violations of immediate foreign keys that this statement has not repaired yet.
    pub immediate_violations: i64,
    /// The register in which the next min() or max() records that it has kept its value; see `CollationFor`.
    pub kept_flag: Reg,
    /// The update hook is set.
    pub has_update_hook: bool,
    /// Changes of rows must be reported to the host.
    pub watches_rows: bool,
    /// Texts of the database are in UTF-8, as those in registers.
    pub is_utf8: bool,
    /// Loop turns until the next check for an interrupt.
    pub loops_until_check: u32,
    /// Instructions since the last call of the progress handler.
    pub unwatched: u32,
    /// The counters of the statement.
    pub counters: Counters,
    /// The costs of each instruction, if the program is measured.
    pub profile: Option<Box<Profile>>,
    /// Temporary trees.
    pub temporary: Temporary,
    /// Builds records.
    pub builder: Builder,
    /// Reusable memory for lists of values.
    pub scratch: Scratch,
    /// The results of the function calls, each in memory of its own. A call whose results are numbers needs none, and the memory
    /// of a call whose results are short texts is reused. Frames share them.
    pub results: Vec<Value>,
    /// The value of a column of a virtual table.
    pub out: Value,
    /// Frames of subprograms that have returned, to be reused.
    pub frames: FramePool,
    /// The largest rowids of AUTOINCREMENT tables.
    pub sequences: Vec<SequenceState>,
    /// The trees that subprograms must not change until they are unlocked.
    pub locked: Vec<(Db, PageNo)>,
}

/// The state of the row of an AUTOINCREMENT table in sqlite_sequence.
#[derive(Clone, Copy, Debug, Default)]
pub struct SequenceState {
    /// The rowid of the row and its number, as they were when the statement began; `None` if there was no such row.
    pub found: Option<(i64, i64)>,
    /// The largest rowid so far.
    pub max: i64,
}

/// Loop turns between two checks for an interrupt.
const LOOPS_BETWEEN_CHECKS: u32 = 256;

/// The memory of results longer than this is released when the run ends.
const RESULT_SPARE_MAX: usize = 4 << 10;

/// A machine with more registers, or cursors, than this is not kept for another statement.
const LOADED_MAX: usize = 256;

/// The instructions around SQLite's programs that programs here lack (Init, Transaction, Goto): the progress handler counts them, too, because
/// applications whose statements are short rely on being called.
const FRAME: u32 = 3;

impl Machine {
    /// A machine for a program, with no parameter bound.
    pub fn new(program: &Program) -> Machine {
        if cfg!(debug_assertions) {
            program.assert_sound();
        }
        Machine {
            registers: new_registers(program),
            cursors: new_cursors(program),
            once: OnceSet::default(),
            sites: Vec::new(),
            shared: CallSite::new(),
            parameters: std::iter::repeat_with(Register::default).take(program.parameter_count as usize).collect(),
            row: 0..0,
            pc: 0,
            held_pages: HeldPages::default(),
            changes: 0,
            writes_seen: 0,
            expirations_before: 0,
            is_expired: false,
            immediate_violations: 0,
            kept_flag: Reg::NONE,
            has_update_hook: false,
            watches_rows: false,
            is_utf8: false,
            loops_until_check: LOOPS_BETWEEN_CHECKS,
            unwatched: FRAME,
            counters: Counters::default(),
            profile: program.measured.as_ref().map(|_| Box::default()),
            temporary: Temporary::default(),
            builder: Builder::new(),
            scratch: Scratch::default(),
            results: Vec::new(),
            out: Value::NULL,
            frames: FramePool::default(),
            sequences: Vec::new(),
            locked: Vec::new(),
        }
    }

    /// Drops all state of the program and keeps the memory, for another program. False if that is more than a machine
    /// may keep.
    pub fn unload(&mut self) -> bool {
        self.assert_idle();
        // After a run all registers are NULL; they may keep memory.
        debug_assert!(self.registers.iter().all(Register::is_null), "a run is over that has left values behind");
        self.registers.iter_mut().for_each(Register::release_memory);
        // A closed cursor leaves its place, which a cursor on any other tree can reuse. The key is dropped, because it may hold a
        // collation of the application.
        self.cursors.iter_mut().for_each(VmCursor::forget_key);
        self.parameters.clear();
        self.sites.clear();
        self.results.clear();
        self.once.clear();
        self.out = Value::NULL;
        self.unwatched = FRAME;
        self.counters = Counters::default();
        self.profile = None;
        self.registers.capacity() + self.parameters.capacity() <= LOADED_MAX && self.cursors.capacity() <= LOADED_MAX
    }

    /// Loads a program into a machine without one.
    pub fn load(&mut self, program: &Program) {
        if cfg!(debug_assertions) {
            program.assert_sound();
        }
        assert!(
            self.parameters.is_empty() && self.sites.is_empty(),
            "a program is loaded into a machine that has none"
        );
        self.registers.resize_with(program.register_count as usize + 1, Register::default);
        self.cursors.resize_with(program.cursors.len(), VmCursor::default);
        self.parameters.resize_with(program.parameter_count as usize, Register::default);
        self.profile = program.measured.as_ref().map(|_| Box::default());
    }

    /// Prepares for the next run: releases all pages, databases and rows.
    pub fn reset(&mut self) {
        self.resume();
        self.registers.iter_mut().for_each(Register::clear);
        for cursor in &mut self.cursors {
            if let VmCursor::Tree(tree) = cursor {
                self.counters.fullscan_steps += tree.inner.take_scan_steps();
                tree.inner.has_lent = false;
            }
            cursor.close();
        }
        self.once.clear();
        self.sites.iter_mut().for_each(CallSite::forget);
        json::trim(&mut self.shared);
        self.results.iter_mut().filter(|result| result.capacity() > RESULT_SPARE_MAX).for_each(Value::set_null);
        if self.out.capacity() > SPARE_MAX {
            self.out = Value::NULL;
        }
        self.row = 0..0;
        self.pc = 0;
        self.held_pages.release();
        self.changes = 0;
        self.immediate_violations = 0;
        self.kept_flag = Reg::NONE;
        self.temporary.close();
        self.frames.clear();
        self.sequences.clear();
        self.locked.clear();
    }

    /// Asserts the state of a machine between two runs.
    #[inline]
    #[track_caller]
    pub fn assert_idle(&self) {
        assert!(self.pc == 0 && self.row.is_empty(), "a run has left its place behind");
        assert!(self.locked.is_empty() && self.sequences.is_empty(), "a run has left locks or sequences behind");
        assert!(self.immediate_violations == 0, "a run has left violations behind");
    }

    /// Pauses the machine, because a step ends or the application is called, and either may commit. Borrowed bytes in registers
    /// are copied, and the cursors are put aside, where the pager can access them, until the machine resumes.
    #[inline]
    pub fn suspend(&mut self) {
        if self.held_pages.may_change() {
            self.copy_borrowed_registers();
            self.held_pages.pause(&mut self.cursors);
        }
    }

    /// Copies borrowed bytes before a row is returned: the bytes in registers must not change when another statement
    /// of this connection commits while the row is current.
    #[inline(never)]
    fn copy_borrowed_registers(&mut self) {
        let mut is_lent = false;
        for cursor in &mut self.cursors {
            is_lent |= cursor.take_lent();
        }
        if is_lent {
            self.registers.iter_mut().for_each(Register::own);
        }
    }

    /// Resumes the machine.
    #[inline]
    pub fn resume(&mut self) {
        self.held_pages.resume(&mut self.cursors);
    }

    /// Resumes the statement after a row: the rows under its cursors may have been changed meanwhile.
    #[inline]
    pub fn observe_writes(&mut self, host: &dyn Host) {
        if self.writes_seen != host.state().writes.get() {
            self.drop_stale_rows(host);
        }
    }

    #[cold]
    fn drop_stale_rows(&mut self, host: &dyn Host) {
        self.is_expired = self.expirations_before < host.state().last_expiration.get();
        drop_stale_rows(&mut self.cursors);
    }

    /// Before a row is returned in a transaction: copies the parts of keys that are on overflow pages, because the cursors need
    /// them to find their places again, and a rollback may free the pages.
    #[inline(never)]
    pub fn keep_long_keys(&mut self) -> Result<(), Error> {
        for cursor in &mut self.cursors {
            if let VmCursor::Tree(tree) = cursor
                && tree.inner.cursor.key_info().is_some()
            {
                tree.inner.cursor.keep_long_key(&tree.btree)?;
            }
        }
        Ok(())
    }

    /// Invalidates the cursors on tables and indexes, because the transaction was rolled back while the statement was on a row.
    /// Cursors on temporary tables and indexes stay valid.
    pub fn trip(&mut self, program: &Program) {
        self.resume();
        for (cursor, info) in self.cursors.iter_mut().zip(&program.cursors) {
            if let (VmCursor::Tree(tree), CursorKind::Table | CursorKind::Index) = (cursor, &info.kind) {
                tree.trip();
            }
        }
    }

    /// A register.
    #[inline]
    pub fn reg(&self, reg: Reg) -> &Register {
        &self.registers[reg.0 as usize]
    }

    /// A register, mutable.
    #[inline]
    pub fn reg_mut(&mut self, reg: Reg) -> &mut Register {
        &mut self.registers[reg.0 as usize]
    }

    /// The registers `start..start + count`.
    #[inline]
    pub fn regs(&self, start: Reg, count: usize) -> &[Register] {
        &self.registers[start.0 as usize..][..count]
    }

    /// The registers `start..start + count`, mutable.
    #[inline]
    pub fn regs_mut(&mut self, start: Reg, count: usize) -> &mut [Register] {
        &mut self.registers[start.0 as usize..][..count]
    }

    /// A cursor.
    #[inline]
    pub fn cursor(&mut self, cursor: CursorId) -> &mut VmCursor {
        &mut self.cursors[usize::from(cursor.0)]
    }

    /// Counts one turn of a loop; checks for an interrupt every `LOOPS_BETWEEN_CHECKS` turns.
    #[inline]
    pub fn count_loop(&mut self, host: &dyn Host) -> Result<(), BoxedError> {
        debug_assert!(self.loops_until_check > 0, "the turns until the next look are counted down");
        self.loops_until_check -= 1;
        if self.loops_until_check == 0 { self.check_interrupts(host) } else { Ok(()) }
    }

    /// Counts turns of a loop of two instructions that were taken at once.
    pub fn count_passed(&mut self, turns: usize) {
        self.counters.vm_steps += 2 * turns as u64;
        self.loops_until_check = self.loops_until_check.saturating_sub(turns as u32).max(1);
    }

    #[cold]
    fn check_interrupts(&mut self, host: &dyn Host) -> Result<(), BoxedError> {
        self.loops_until_check = LOOPS_BETWEEN_CHECKS;
        host.check_memory()?;
        if host.is_interrupted() { Err(Error::Interrupt.into()) } else { Ok(()) }
    }

    /// Counts one instruction; calls the progress handler at its interval.
    #[inline(never)]
    pub fn count_instruction(&mut self, host: &dyn Host) -> Result<(), BoxedError> {
        self.unwatched += 1;
        let interval = host.progress_interval();
        while interval > 0 && self.unwatched >= interval {
            self.unwatched -= interval;
            if host.progress() {
                return Err(Error::Interrupt.into());
            }
        }
        Ok(())
    }

    /// Binds a value to a parameter (1-based), in the memory of the parameter.
    #[inline(always)]
    pub fn bind(&mut self, number: usize, value: ValueRef<'_>) -> Result<(), Error> {
        let Some(parameter) = number.checked_sub(1).and_then(|index| self.parameters.get_mut(index)) else {
            return Err(Error::from_code(lithe_vfs::ResultCode::RANGE));
        };
        match value {
            ValueRef::Text(_) | ValueRef::Blob(_) => bind_bytes(parameter, value)?,
            _ => parameter.set(value),
        }
        Ok(())
    }
}

/// Binds a text or a BLOB.
#[inline(never)]
fn bind_bytes(parameter: &mut Register, value: ValueRef<'_>) -> Result<(), Error> {
    if let Register::Shared(shared) = parameter
        && let Some(own) = Rc::get_mut(shared)
    {
        own.try_set(value)?;
    } else {
        *parameter = Register::Shared(Rc::new(Value::try_copy(value)?));
    }
    Ok(())
}

/// Calls `f` with the values of some registers.
#[inline]
pub fn with_values<T>(registers: &[Register], f: impl FnOnce(&[ValueRef<'_>]) -> T) -> T {
    // Few values are collected on the stack.
    match registers {
        [] => f(&[]),
        [a] => f(&[a.usual_ref()]),
        [a, b] => f(&[a.usual_ref(), b.usual_ref()]),
        [a, b, c] => f(&[a.usual_ref(), b.usual_ref(), c.usual_ref()]),
        [a, b, c, d] => f(&[a.as_ref(), b.as_ref(), c.as_ref(), d.as_ref()]),
        many => f(&many.iter().map(Register::as_ref).collect::<Vec<_>>()),
    }
}

/// Memory for lists of values, so that collecting the arguments of an instruction allocates nothing.
#[derive(Debug, Default)]
pub struct Scratch {
    list: Vec<ValueRef<'static>>,
    /// Memory for a record that the pre-update hook is told of.
    pub record: Vec<u8>,
}

impl Scratch {
    /// The values of some registers; [`Scratch::give_back`] returns the memory.
    #[inline]
    pub fn values<'a>(&mut self, registers: &'a [Register]) -> Vec<ValueRef<'a>> {
        let mut values = reuse(std::mem::take(&mut self.list));
        debug_assert!(values.is_empty(), "a list is given back empty");
        values.extend(registers.iter().map(Register::as_ref));
        values
    }

    /// Returns the memory of a list.
    #[inline]
    pub fn give_back(&mut self, values: Vec<ValueRef<'_>>) {
        self.list = reuse(values);
    }
}

/// Reuses the memory of a list for values with another lifetime: the empty list is converted in place.
#[inline]
fn reuse<'b>(mut values: Vec<ValueRef<'_>>) -> Vec<ValueRef<'b>> {
    values.clear();
    values.into_iter().map(|_| ValueRef::Null).collect()
}

/// Records that the rows under the cursors may have been changed.
#[cold]
pub fn drop_stale_rows(cursors: &mut [VmCursor]) {
    for cursor in cursors {
        if let VmCursor::Tree(tree) = cursor {
            tree.drop_stale_rows();
        }
    }
}
