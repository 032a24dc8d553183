//! Control flow beyond a jump: halting, coroutines, counters; copying and moving registers.

use std::rc::Rc;

use lithe_value::{Buffer, NumberText, Value, ValueRef};
use lithe_vfs::ResultCode;

use crate::connection_state::Flags;
use crate::error::Error;
use crate::host::Host;
use crate::insn::Insn;
use crate::machine::Machine;
use crate::operand::{OnConflict, Reg};
use crate::program::Program;
use crate::register::Register;
use crate::rowset::RowSet;
use crate::subprogram::Frames;

/// Ends a coroutine: returns where its caller continues. The coroutine's register is set so that another Yield reaches
/// this end again.
#[inline(never)]
pub fn end_coroutine(m: &mut Machine, program: &Program, co: Reg, pc: usize) -> usize {
    let caller = m.reg(co).integer() as usize;
    assert!(caller > 0 && caller <= program.insns.len(), "a coroutine goes back to the Yield that entered it");
    m.reg_mut(co).set_integer(pc as i64 - 1);
    match program.insns[caller - 1] {
        Insn::Yield { target, .. } => target.0 as usize,
        // The register holds what InitCoroutine or Yield has put there, and the code generator enters a coroutine by Yield alone.
        other => unreachable!("a coroutine is entered by Yield, not {}", other.name()),
    }
}

/// Ends the program with an error. For RAISE(IGNORE) in a trigger, the program continues where the trigger's caller
/// says.
#[cold]
pub fn halt_error<'p>(
    m: &mut Machine,
    host: &dyn Host,
    frames: &mut Frames<'p>,
    policy: u8,
    code: i32,
    message: &str,
) -> Result<(&'p Program, usize), Error> {
    let policy = OnConflict::from_u8(policy);
    if policy == OnConflict::Ignore
        && let Some(caller) = frames.leave_ignoring(m, host)
    {
        return Ok(caller);
    }
    if policy == OnConflict::Fail {
        // The changes so far stay, and with them a violated foreign key.
        check_immediate_violations(m)?;
    }
    Err(Error::constraint(policy, ResultCode(code), message))
}

/// The message of RAISE.
#[cold]
pub fn message_text(message: &Register) -> String {
    match message.as_ref() {
        ValueRef::Null => String::new(),
        ValueRef::Integer(integer) => integer.to_string(),
        ValueRef::Real(real) => NumberText::from(real).as_str().to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Fails if the statement has violated an immediate foreign key. (As in SQLite, also if it has repaired more rows than it has
/// violated.)
#[inline]
pub fn check_immediate_violations(m: &Machine) -> Result<(), Error> {
    if m.immediate_violations != 0 { Err(foreign_key_failed()) } else { Ok(()) }
}

#[cold]
fn foreign_key_failed() -> Error {
    Error::constraint(OnConflict::Abort, ResultCode::CONSTRAINT_FOREIGNKEY, "FOREIGN KEY constraint failed")
}

/// Ends a statement inside a trigger: changes() reports its changes from here on.
#[inline(never)]
pub fn reset_count(m: &mut Machine, host: &dyn Host) {
    host.state().set_changes(m.changes);
    m.changes = 0;
}

/// Copies registers. The ranges may not overlap.
#[inline(never)]
pub fn copy(m: &mut Machine, src: Reg, dst: Reg, count: usize) -> Result<(), Error> {
    for i in 0..count {
        let pair = [src.at(i).0 as usize, dst.at(i).0 as usize];
        if pair[0] == pair[1] {
            continue;
        }
        let [source, target] = m.registers.get_disjoint_mut(pair).expect("both are registers of the frame");
        share(source);
        target.reserve_for(source)?;
        target.copy_from(source);
    }
    Ok(())
}

/// Values from this length on are shared with their copies: to copy their bytes would take longer.
const SHARED_MIN: usize = 4 << 10;

/// Makes a long value in memory of its own one that copies refer to.
#[inline]
fn share(register: &mut Register) {
    if let Register::OwnedText { subtype: 0, len, .. } | Register::OwnedBlob { subtype: 0, len, .. } = register
        && *len as usize >= SHARED_MIN
    {
        share_memory(register);
    }
}

#[inline(never)]
fn share_memory(register: &mut Register) {
    let mut value = Value::NULL;
    match std::mem::take(register) {
        Register::OwnedText { len, memory, .. } => value.set_text_buffer(Buffer::from_parts(memory, len as usize)),
        Register::OwnedBlob { len, memory, .. } => value.set_blob_buffer(Buffer::from_parts(memory, len as usize)),
        other => return *register = other,
    }
    *register = Register::Shared(Rc::new(value));
}

/// Moves registers; the sources become NULL.
#[inline(never)]
pub fn move_registers(m: &mut Machine, src: Reg, dst: Reg, count: usize) {
    for i in 0..count {
        *m.reg_mut(dst.at(i)) = std::mem::take(m.reg_mut(src.at(i)));
    }
}

/// How many rows a query with LIMIT and OFFSET has to produce: -1 for all of them.
pub fn offset_limit(limit: i64, offset: i64) -> i64 {
    if limit <= 0 { -1 } else { limit.checked_add(offset.max(0)).unwrap_or(-1) }
}

/// Counts a violation of a foreign key (1), or a repaired one (-1).
#[inline(never)]
pub fn count_violation(m: &mut Machine, host: &dyn Host, deferred: bool, delta: i32) {
    let state = host.state();
    let counter = if deferred {
        &state.deferred_violations
    } else if state.has(Flags::DEFER_FOREIGN_KEYS) {
        &state.deferred_immediate_violations
    } else {
        m.immediate_violations += i64::from(delta);
        return;
    };
    counter.set(counter.get() + i64::from(delta));
}

/// Whether the counter of this kind has no violation of a foreign key.
#[inline(never)]
pub fn has_no_violation(m: &Machine, host: &dyn Host, deferred: bool) -> bool {
    let state = host.state();
    let own = if deferred { state.deferred_violations.get() } else { m.immediate_violations };
    own == 0 && state.deferred_immediate_violations.get() == 0
}

/// Adds to a rowid set.
#[inline(never)]
pub fn row_set_add(m: &mut Machine, set: Reg, rowid: Reg) {
    let rowid = m.reg(rowid).integer();
    with_row_set(m.reg_mut(set), |set| set.add(rowid));
}

/// Takes the smallest rowid out of a rowid set.
#[inline(never)]
pub fn row_set_read(m: &mut Machine, set: Reg) -> Option<i64> {
    let read = with_row_set(m.reg_mut(set), RowSet::read);
    if read.is_none() {
        m.reg_mut(set).set_null();
    }
    read
}

/// Begins another batch of a rowid set.
#[inline(never)]
pub fn row_set_batch(m: &mut Machine, set: Reg) {
    with_row_set(m.reg_mut(set), RowSet::begin_batch);
}

/// Whether a rowid is in the set from an earlier batch; if not, adds it to this one.
#[inline(never)]
pub fn row_set_test(m: &mut Machine, set: Reg, rowid: Reg) -> bool {
    let rowid = m.reg(rowid).integer();
    with_row_set(m.reg_mut(set), |set| set.test(rowid))
}

/// Calls `f` with the set of rowids in the register. A register with another value becomes an empty set first.
fn with_row_set<T>(register: &mut Register, f: impl FnOnce(&mut RowSet) -> T) -> T {
    if let Register::RowSet(set) = register {
        return f(set);
    }
    let mut set = Box::<RowSet>::default();
    let result = f(&mut set);
    *register = Register::RowSet(set);
    result
}
