//! The loop: executes instructions until there is a row, the end, or an error.
//!
//! The hottest arms of loops are written out here, on registers and cursors directly. Any longer one is a
//! call into the module of its family, so that the loop stays small enough for its hot arms to share the caches.

use std::cmp::Ordering;

use lithe_value::number::Numeric;

use crate::aggregate;
use crate::analyze::{self, IndexAnalysis};
use crate::arithmetic;
use crate::boxed_error::BoxedError;
use crate::call;
use crate::column::{self, ColumnCompare};
use crate::compare;
use crate::cursor::VmCursor;
use crate::error::Error;
use crate::flow;
use crate::group::Found;
use crate::grouping;
use crate::host::Host;
use crate::insn::Insn;
use crate::machine::Machine;
use crate::open;
use crate::operand::{Addr, AffinityListId};
use crate::preupdate;
use crate::program::Program;
use crate::rare;
use crate::record::{self, RowRegisters};
use crate::register::Register;
use crate::row::tree::RangeBound;
use crate::scan;
use crate::schema;
use crate::seek::{self, Bound};
use crate::sequence;
use crate::strict;
use crate::subprogram::{Call, Frames};
use crate::table_function;
use crate::write;

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A row: read it by [`Vm::column`](crate::Vm::column).
    Row,
    /// The end.
    Done,
}

/// Runs the program from the machine's current instruction.
#[inline(always)]
pub fn run(program: &Program, m: &mut Machine, host: &dyn Host) -> Result<Step, Box<Error>> {
    let mut frames = Frames::default();
    let result = if host.progress_interval() == 0 && m.profile.is_none() {
        steps_until_row::<false>(program, m, host, &mut frames)
    } else {
        steps_until_row::<true>(program, m, host, &mut frames)
    };
    if let Some(profile) = &mut m.profile {
        profile.pause();
    }
    result.map_err(|error| {
        frames.unwind(m, host);
        error.into_box()
    })
}

/// A comparison that jumps: two integers are compared here, other values by a call.
macro_rules! compare_and_jump {
    ($m:ident, $program:ident, $next:expr, $flags:ident, $collation:ident, $lhs:ident, $rhs:ident, $target:expr,
     $op:tt, $test:ident) => {{
        let (lhs, rhs) = ($m.reg($lhs), $m.reg($rhs));
        let jumps = match (lhs, rhs) {
            (Register::Integer(lhs), Register::Integer(rhs)) => lhs $op rhs,
            _ => compare::jumps(lhs, rhs, $flags, $program.collation($collation), Ordering::$test),
        };
        if jumps {
            $next = $target;
        }
    }};
}

/// A comparison of a column that jumps. Two values of one class that can be read in place are compared in one call.
macro_rules! compare_column_and_jump {
    ($m:ident, $program:ident, $next:expr, $flags:ident, $collation:ident, $cursor:ident, $column:ident, $rhs:ident,
     $target:expr, $test:ident) => {{
        let (flags, collation, cursor, column, rhs) = ($flags, $collation, $cursor, $column, $rhs);
        let operands = ColumnCompare { flags, collation, cursor, column, rhs };
        let jumps = match column::order_in_place($m, operands) {
            Some(order) => order.$test(),
            None => column::compare($m, $program, operands, Ordering::$test)?,
        };
        if jumps {
            $next = $target;
        }
    }};
}

macro_rules! compare_to_value {
    ($m:ident, $program:ident, $flags:ident, $collation:ident, $lhs:ident, $rhs:ident, $dst:ident, $test:ident) => {{
        let collation = $program.collation($collation);
        let result = compare::outcome($m.reg($lhs), $m.reg($rhs), $flags, collation);
        $m.reg_mut($dst).set_truth(result.map(Ordering::$test));
    }};
}

/// An operator on two integers that does not overflow, or on two reals, is computed here, anything else by a call.
macro_rules! arithmetic {
    ($m:ident, $host:ident, $lhs:ident, $rhs:ident, $dst:ident, $checked:ident, $slow:path $(, $real:tt)?) => {{
        let result = match ($m.reg($lhs), $m.reg($rhs)) {
            (Register::Integer(lhs), Register::Integer(rhs)) => lhs.$checked(*rhs).map(Numeric::Integer),
            $(
                (Register::Real(lhs), Register::Real(rhs)) => Some(Numeric::Real(lhs $real rhs)),
                (Register::Integer(lhs), Register::Real(rhs)) => Some(Numeric::Real(*lhs as f64 $real rhs)),
                (Register::Real(lhs), Register::Integer(rhs)) => Some(Numeric::Real(lhs $real *rhs as f64)),
            )?
            _ => None,
        };
        match result {
            Some(Numeric::Integer(result)) => $m.reg_mut($dst).set_integer(result),
            Some(Numeric::Real(result)) => $m.reg_mut($dst).set_real(result),
            None => arithmetic::binary($m, $host, $slow, $lhs, $rhs, $dst)?,
        }
    }};
}

/// `WATCHED`: there is a progress handler, or the statement is measured, so each instruction is counted. The other instance of
/// the loop does not have this code.
#[inline(always)]
fn steps_until_row<'p, const WATCHED: bool>(
    mut program: &'p Program,
    m: &mut Machine,
    host: &dyn Host,
    frames: &mut Frames<'p>,
) -> Result<Step, BoxedError> {
    let mut pc = m.pc;
    loop {
        match run_frame::<WATCHED>(program, pc, m, host, frames)? {
            FrameEnd::Row => return Ok(Step::Row),
            FrameEnd::Done => return Ok(Step::Done),
            FrameEnd::Other(other, at) => (program, pc) = (other, at),
        }
    }
}

/// Why the instructions of one program are left.
enum FrameEnd<'p> {
    /// There is a row.
    Row,
    /// The statement is at its end.
    Done,
    /// A subprogram begins or ends: the run goes on in this program, at this instruction.
    Other(&'p Program, usize),
}

/// Runs the instructions of one program, from `pc` on.
#[inline(never)]
fn run_frame<'p, const WATCHED: bool>(
    program: &'p Program,
    pc: usize,
    m: &mut Machine,
    host: &dyn Host,
    frames: &mut Frames<'p>,
) -> Result<FrameEnd<'p>, BoxedError> {
    let insns = &*program.insns;
    let at = |target: Addr| &insns[target.0 as usize..];
    let place = |next: &[Insn]| insns.len() - next.len();
    // The instructions from the next one on: where that is and how many are left is less to keep and to check than a number.
    let mut next = &insns[pc..];
    let mut ordering = Ordering::Equal;
    loop {
        m.counters.vm_steps += 1;
        if WATCHED {
            m.count_instruction(host)?;
            if let Some(profile) = &mut m.profile {
                profile.begin(program, place(next));
            }
        }
        let insn = next.split_off_first().expect("a program ends with Halt");
        match *insn {
            // ---- control ----
            Insn::Goto { target } => {
                if (target.0 as usize) < place(next) {
                    m.count_loop(host)?;
                }
                next = at(target);
            }
            Insn::Gosub { ret, target } => {
                m.reg_mut(ret).set_integer(place(next) as i64);
                next = at(target);
            }
            Insn::Return { ret } => next = &insns[m.reg(ret).integer() as usize..],
            Insn::InitCoroutine { co, entry, target } => {
                m.reg_mut(co).set_integer(i64::from(entry.0));
                next = at(target);
            }
            Insn::Yield { co, .. } => {
                m.count_loop(host)?;
                let other = m.reg(co).integer() as usize;
                m.reg_mut(co).set_integer(place(next) as i64);
                next = &insns[other..];
            }
            Insn::EndCoroutine { co } => next = &insns[flow::end_coroutine(m, program, co, place(next))..],
            Insn::Once { target } => {
                if !m.once.is_first(place(next)) {
                    next = at(target);
                }
            }
            Insn::Halt {} => match frames.leave(m, host) {
                Some((caller, return_to)) => return Ok(FrameEnd::Other(caller, return_to)),
                None => {
                    flow::check_immediate_violations(m)?;
                    return Ok(FrameEnd::Done);
                }
            },
            Insn::HaltError { policy, code, message } => {
                let text = &program.texts[message.0 as usize];
                let (caller, at) = flow::halt_error(m, host, frames, policy, code, text)?;
                return Ok(FrameEnd::Other(caller, at));
            }
            Insn::HaltErrorReg { policy, code, message } => {
                let text = flow::message_text(m.reg(message));
                let (caller, at) = flow::halt_error(m, host, frames, policy, code, &text)?;
                return Ok(FrameEnd::Other(caller, at));
            }
            Insn::HaltIfNull { policy, value, code, message } => {
                if m.reg(value).is_null() {
                    let text = &program.texts[message.0 as usize];
                    let (caller, at) = flow::halt_error(m, host, frames, policy, code, text)?;
                    return Ok(FrameEnd::Other(caller, at));
                }
            }
            Insn::ResultRow { start, count } => {
                if host.state().may_roll_back() {
                    m.keep_long_keys()?;
                }
                m.suspend();
                m.writes_seen = host.state().writes.get();
                m.row = start.0 as usize..(start.0 + count) as usize;
                m.pc = place(next);
                return Ok(FrameEnd::Row);
            }
            Insn::ResetCount {} => flow::reset_count(m, host),
            Insn::Noop {} => {}

            // ---- values ----
            Insn::Null { start, count } => {
                m.regs_mut(start, count as usize).iter_mut().for_each(Register::set_null);
            }
            Insn::NullNever { start, count } => {
                m.regs_mut(start, count as usize).iter_mut().for_each(|reg| *reg = Register::NullNever);
            }
            Insn::Integer { value, dst } => m.reg_mut(dst).set_integer(i64::from(value)),
            Insn::Const { value, dst } => m.reg_mut(dst).set(program.constants.value(value)),
            Insn::Parameter { number, dst } => {
                let parameter = &m.parameters[number as usize - 1];
                m.registers[dst.0 as usize].copy_from(parameter);
            }
            Insn::ParentRegister { src, dst } => frames.copy_from_parent(m, src, dst),
            Insn::Copy { src, dst, count } => match *m.reg(src) {
                Register::Integer(integer) if count == 1 => m.reg_mut(dst).set_integer(integer),
                _ => flow::copy(m, src, dst, count as usize)?,
            },
            Insn::Move { src, dst, count } => flow::move_registers(m, src, dst, count as usize),
            Insn::Cast { affinity, reg } => arithmetic::cast(m, host, affinity, reg)?,
            Insn::Affinity { start, affinities } => arithmetic::apply_affinities(m, program, start, affinities),
            Insn::RealAffinity { reg } => {
                if let Register::Integer(integer) = *m.reg(reg) {
                    m.reg_mut(reg).set_real(integer as f64);
                }
            }
            Insn::TypeCheck { cursor, start, count } => {
                strict::check_types(m, program, cursor, start, count as usize)?;
            }
            Insn::MustBeInteger { reg, target } => {
                if !matches!(m.reg(reg), Register::Integer(_)) && !arithmetic::make_integer(m, reg) {
                    if target == Addr::NONE {
                        return Err(Error::mismatch().into());
                    }
                    next = at(target);
                }
            }
            Insn::IsTrue { null_gives, invert, src, dst } => {
                let truth = arithmetic::truth(m.reg(src), host).map(|truth| truth != (invert != 0));
                m.reg_mut(dst).set_integer(i64::from(truth.unwrap_or(null_gives != 0)));
            }

            // ---- arithmetic ----
            Insn::Add { lhs, rhs, dst } => arithmetic!(m, host, lhs, rhs, dst, checked_add, arithmetic::add, +),
            Insn::Subtract { lhs, rhs, dst } => {
                arithmetic!(m, host, lhs, rhs, dst, checked_sub, arithmetic::subtract, -)
            }
            Insn::Multiply { lhs, rhs, dst } => {
                arithmetic!(m, host, lhs, rhs, dst, checked_mul, arithmetic::multiply, *)
            }
            Insn::Divide { lhs, rhs, dst } => arithmetic!(m, host, lhs, rhs, dst, checked_div, arithmetic::divide),
            Insn::Remainder { lhs, rhs, dst } => {
                arithmetic!(m, host, lhs, rhs, dst, checked_rem, arithmetic::remainder)
            }
            Insn::Concat { lhs, rhs, dst } => arithmetic::concat(m, host, lhs, rhs, dst)?,
            Insn::BitAnd { lhs, rhs, dst } => arithmetic::binary(m, host, arithmetic::bit_and, lhs, rhs, dst)?,
            Insn::BitOr { lhs, rhs, dst } => arithmetic::binary(m, host, arithmetic::bit_or, lhs, rhs, dst)?,
            Insn::ShiftLeft { lhs, rhs, dst } => arithmetic::binary(m, host, arithmetic::shift_left, lhs, rhs, dst)?,
            Insn::ShiftRight { lhs, rhs, dst } => arithmetic::binary(m, host, arithmetic::shift_right, lhs, rhs, dst)?,
            Insn::Negate { src, dst } => arithmetic::unary(m, host, arithmetic::negate, src, dst)?,
            Insn::BitNot { src, dst } => arithmetic::unary(m, host, arithmetic::bit_not, src, dst)?,
            Insn::Not { src, dst } => {
                let truth = arithmetic::truth(m.reg(src), host);
                m.reg_mut(dst).set_truth(truth.map(|truth| !truth));
            }
            Insn::And { lhs, rhs, dst } => {
                let truth = arithmetic::and(arithmetic::truth(m.reg(lhs), host), arithmetic::truth(m.reg(rhs), host));
                m.reg_mut(dst).set_truth(truth);
            }
            Insn::Or { lhs, rhs, dst } => {
                let truth = arithmetic::or(arithmetic::truth(m.reg(lhs), host), arithmetic::truth(m.reg(rhs), host));
                m.reg_mut(dst).set_truth(truth);
            }
            Insn::AddImmediate { reg, value } => {
                let sum = m.reg(reg).integer().wrapping_add(i64::from(value));
                m.reg_mut(reg).set_integer(sum);
            }

            // ---- comparison and branches ----
            Insn::Eq { flags, collation, lhs, rhs, target } => {
                compare_and_jump!(m, program, next, flags, collation, lhs, rhs, at(target), ==, is_eq)
            }
            Insn::Ne { flags, collation, lhs, rhs, target } => {
                compare_and_jump!(m, program, next, flags, collation, lhs, rhs, at(target), !=, is_ne)
            }
            Insn::Lt { flags, collation, lhs, rhs, target } => {
                compare_and_jump!(m, program, next, flags, collation, lhs, rhs, at(target), <, is_lt)
            }
            Insn::Le { flags, collation, lhs, rhs, target } => {
                compare_and_jump!(m, program, next, flags, collation, lhs, rhs, at(target), <=, is_le)
            }
            Insn::Gt { flags, collation, lhs, rhs, target } => {
                compare_and_jump!(m, program, next, flags, collation, lhs, rhs, at(target), >, is_gt)
            }
            Insn::Ge { flags, collation, lhs, rhs, target } => {
                compare_and_jump!(m, program, next, flags, collation, lhs, rhs, at(target), >=, is_ge)
            }
            Insn::ColumnEq { flags, collation, cursor, column, rhs, target } => {
                compare_column_and_jump!(m, program, next, flags, collation, cursor, column, rhs, at(target), is_eq)
            }
            Insn::ColumnNe { flags, collation, cursor, column, rhs, target } => {
                compare_column_and_jump!(m, program, next, flags, collation, cursor, column, rhs, at(target), is_ne)
            }
            Insn::ColumnLt { flags, collation, cursor, column, rhs, target } => {
                compare_column_and_jump!(m, program, next, flags, collation, cursor, column, rhs, at(target), is_lt)
            }
            Insn::ColumnLe { flags, collation, cursor, column, rhs, target } => {
                compare_column_and_jump!(m, program, next, flags, collation, cursor, column, rhs, at(target), is_le)
            }
            Insn::ColumnGt { flags, collation, cursor, column, rhs, target } => {
                compare_column_and_jump!(m, program, next, flags, collation, cursor, column, rhs, at(target), is_gt)
            }
            Insn::ColumnGe { flags, collation, cursor, column, rhs, target } => {
                compare_column_and_jump!(m, program, next, flags, collation, cursor, column, rhs, at(target), is_ge)
            }
            Insn::ColumnIsNull { cursor, column, target } => {
                if column::is_null(m, program, cursor, column)? {
                    next = at(target);
                }
            }
            Insn::ColumnNotNull { cursor, column, target } => {
                if !column::is_null(m, program, cursor, column)? {
                    next = at(target);
                }
            }
            Insn::EqValue { flags, collation, lhs, rhs, dst } => {
                compare_to_value!(m, program, flags, collation, lhs, rhs, dst, is_eq)
            }
            Insn::NeValue { flags, collation, lhs, rhs, dst } => {
                compare_to_value!(m, program, flags, collation, lhs, rhs, dst, is_ne)
            }
            Insn::LtValue { flags, collation, lhs, rhs, dst } => {
                compare_to_value!(m, program, flags, collation, lhs, rhs, dst, is_lt)
            }
            Insn::LeValue { flags, collation, lhs, rhs, dst } => {
                compare_to_value!(m, program, flags, collation, lhs, rhs, dst, is_le)
            }
            Insn::GtValue { flags, collation, lhs, rhs, dst } => {
                compare_to_value!(m, program, flags, collation, lhs, rhs, dst, is_gt)
            }
            Insn::GeValue { flags, collation, lhs, rhs, dst } => {
                compare_to_value!(m, program, flags, collation, lhs, rhs, dst, is_ge)
            }
            Insn::CompareVectors { key, lhs, rhs, count } => {
                let key = program.key(key);
                ordering = compare::vectors(m.regs(lhs, count as usize), m.regs(rhs, count as usize), key);
            }
            Insn::Jump { less, equal, greater } => {
                next = at(match ordering {
                    Ordering::Less => less,
                    Ordering::Equal => equal,
                    Ordering::Greater => greater,
                });
            }
            Insn::If { null_jumps, reg, target } => {
                if arithmetic::truth(m.reg(reg), host).unwrap_or(null_jumps != 0) {
                    next = at(target);
                }
            }
            Insn::IfNot { null_jumps, reg, target } => {
                if !arithmetic::truth(m.reg(reg), host).unwrap_or(null_jumps == 0) {
                    next = at(target);
                }
            }
            Insn::IsNull { reg, target } => {
                if m.reg(reg).is_null() {
                    next = at(target);
                }
            }
            Insn::NotNull { reg, target } => {
                if !m.reg(reg).is_null() {
                    next = at(target);
                }
            }
            Insn::AnyNull { start, count, target } => {
                if m.regs(start, count as usize).iter().any(Register::is_null) {
                    next = at(target);
                }
            }
            Insn::ClassNotIn { classes, reg, target } => {
                if classes & m.reg(reg).class().bit() == 0 {
                    next = at(target);
                }
            }
            Insn::IfPositive { reg, minus, target } => {
                let number = m.reg(reg).integer();
                if number > 0 {
                    m.reg_mut(reg).set_integer(number - i64::from(minus));
                    next = at(target);
                }
            }
            Insn::DecrementJumpZero { reg, target } => {
                let number = m.reg(reg).integer().saturating_sub(1);
                m.reg_mut(reg).set_integer(number);
                if number == 0 {
                    next = at(target);
                }
            }
            Insn::OffsetLimit { limit, offset, dst } => {
                let sum = flow::offset_limit(m.reg(limit).integer(), m.reg(offset).integer());
                m.reg_mut(dst).set_integer(sum);
            }

            // ---- transactions and schema ----
            Insn::Transaction { db, write } => schema::transaction(program, host, db, write)?,
            Insn::TraceTrigger { text } => {
                rare::run(m, &move |_| {
                    host.trace_trigger(program.text(text).unwrap_or_default());
                    Ok(())
                })?;
            }
            Insn::StatementJournal {} => rare::run(m, &move |_| host.open_statement_journal())?,
            Insn::ReadCookie { db, index, dst } => {
                rare::run(m, &move |m| schema::read_cookie(m, host, db, index, dst))?;
            }
            Insn::SetCookie { db, index, value } => rare::run(m, &move |_| host.set_cookie(db, index, value as u32))?,
            Insn::CreateTree { db, kind, dst } => rare::run(m, &move |m| schema::create_tree(m, host, db, kind, dst))?,
            Insn::CheckNoReaders {} => rare::run(m, &move |_| host.check_no_readers())?,
            Insn::CheckMayOpen {} => rare::run(m, &|m| open::check_may_open(m))?,
            Insn::DropTree { db, root, moved } => {
                rare::run(m, &move |m| schema::drop_tree(m, host, db, root, moved))?;
            }
            Insn::ClearTree { count_changes, cursor } => {
                rare::run(m, &move |m| schema::clear_tree(m, program, host, cursor, count_changes))?;
            }
            Insn::ParseSchema { db, condition } => {
                rare::run(m, &move |_| host.parse_schema(db, program.text(condition)))?;
            }
            Insn::LoadStatistics { db } => rare::run(m, &move |_| host.load_statistics(db))?,
            Insn::AnalyzeIndex { is_one_unique, cursor, samples, columns, dst } => {
                let analysis = IndexAnalysis { columns: usize::from(columns), is_one_unique: is_one_unique != 0 };
                rare::run(m, &move |m| analyze::analyze_index(m, program, host, cursor, samples, analysis, dst))?;
            }
            Insn::DropFromCatalog { db, kind, name } => {
                rare::run(m, &move |_| {
                    host.drop_from_catalog(db, kind, &program.texts[name.0 as usize]);
                    Ok(())
                })?;
            }

            // ---- cursors ----
            Insn::OpenRead { cursor } | Insn::OpenWrite { cursor } => open::tree(m, program, host, cursor)?,
            Insn::OpenWriteAt { cursor, root } => open::tree_at(m, program, host, cursor, root)?,
            Insn::OpenEphemeral { cursor } => open::ephemeral(m, program, cursor)?,
            Insn::OpenDup { cursor, original } => open::duplicate(m, cursor, original)?,
            Insn::SorterOpen { cursor, limit } => open::sorter(m, program, host, cursor, limit),
            Insn::Close { cursor } => m.cursor(cursor).close(),
            Insn::NullRow { cursor } => m.cursor(cursor).set_null_row(),
            Insn::IfNullRow { cursor, target } => {
                if m.cursor(cursor).is_null_row() {
                    next = at(target);
                }
            }
            Insn::Rewind { cursor, target } => {
                if !m.cursor(cursor).first()? {
                    next = at(target);
                }
            }
            Insn::Last { cursor, target } => {
                if !m.cursor(cursor).last()? {
                    next = at(target);
                }
            }
            Insn::Next { cursor, target } => {
                let is_next_cell = match m.cursor(cursor) {
                    VmCursor::Tree(tree) => tree.next_in_leaf(),
                    _ => false,
                };
                if is_next_cell || m.cursor(cursor).next()? {
                    m.count_loop(host)?;
                    next = at(target);
                }
            }
            Insn::Previous { cursor, target } => {
                if m.cursor(cursor).previous()? {
                    m.count_loop(host)?;
                    next = at(target);
                }
            }
            Insn::SeekRowidGe { cursor, key, target } => {
                if !seek::rowid_bound(m, Bound::Ge, cursor, key)? {
                    next = at(target);
                }
            }
            Insn::SeekRowidGt { cursor, key, target } => {
                if !seek::rowid_bound(m, Bound::Gt, cursor, key)? {
                    next = at(target);
                }
            }
            Insn::SeekRowidLe { cursor, key, target } => {
                if !seek::rowid_bound(m, Bound::Le, cursor, key)? {
                    next = at(target);
                }
            }
            Insn::SeekRowidLt { cursor, key, target } => {
                if !seek::rowid_bound(m, Bound::Lt, cursor, key)? {
                    next = at(target);
                }
            }
            Insn::SeekGe { cursor, count, start, target } => {
                if !seek::key_bound(m, program, Bound::Ge, cursor, start, count)? {
                    next = at(target);
                }
            }
            Insn::SeekGt { cursor, count, start, target } => {
                if !seek::key_bound(m, program, Bound::Gt, cursor, start, count)? {
                    next = at(target);
                }
            }
            Insn::SeekLe { cursor, count, start, target } => {
                if !seek::key_bound(m, program, Bound::Le, cursor, start, count)? {
                    next = at(target);
                }
            }
            Insn::SeekLt { cursor, count, start, target } => {
                if !seek::key_bound(m, program, Bound::Lt, cursor, start, count)? {
                    next = at(target);
                }
            }
            Insn::IdxGe { cursor, count, start, target } => {
                let bound = RangeBound::new(start, count, true);
                let is_beyond = match seek::is_known_beyond(m, cursor, bound) {
                    Some(is_beyond) => is_beyond,
                    None => seek::is_beyond(m, program, cursor, bound)?,
                };
                if is_beyond {
                    next = at(target);
                }
            }
            Insn::IdxGt { cursor, count, start, target } => {
                let bound = RangeBound::new(start, count, false);
                let is_beyond = match seek::is_known_beyond(m, cursor, bound) {
                    Some(is_beyond) => is_beyond,
                    None => seek::is_beyond(m, program, cursor, bound)?,
                };
                if is_beyond {
                    next = at(target);
                }
            }
            Insn::IdxLe { cursor, count, start, target } => {
                if seek::is_before(m, program, cursor, (start, count), true)? {
                    next = at(target);
                }
            }
            Insn::IdxLt { cursor, count, start, target } => {
                if seek::is_before(m, program, cursor, (start, count), false)? {
                    next = at(target);
                }
            }
            Insn::SeekRowid { cursor, rowid, target } => {
                if !seek::rowid(m, cursor, rowid)? {
                    next = at(target);
                }
            }
            Insn::DeferredSeek { index, table } => seek::deferred(m, index, table)?,
            Insn::Found { cursor, count, start, target } => {
                if seek::found(m, program, cursor, start, count)? {
                    next = at(target);
                }
            }
            Insn::NotFound { cursor, count, start, target } => {
                if !seek::found(m, program, cursor, start, count)? {
                    next = at(target);
                }
            }
            Insn::NoConflict { cursor, count, start, target } => {
                if seek::has_no_conflict(m, program, cursor, start, count)? {
                    next = at(target);
                }
            }
            Insn::Column { cursor, column, dst } => {
                let is_done = match &mut m.cursors[usize::from(cursor.0)] {
                    VmCursor::Tree(tree) => {
                        let (column, register) = (usize::from(column), &mut m.registers[dst.0 as usize]);
                        tree.column_in_place(column, register) || tree.column(column, register)?
                    }
                    _ => false,
                };
                if !is_done {
                    column::column(m, program, cursor, column, dst)?;
                }
            }
            Insn::ColumnReal { cursor, column, dst } => {
                let is_done = match &mut m.cursors[usize::from(cursor.0)] {
                    VmCursor::Tree(tree) => tree.real_in_place(usize::from(column), &mut m.registers[dst.0 as usize]),
                    _ => false,
                };
                if !is_done {
                    column::real_column(m, program, cursor, column, dst)?;
                }
            }
            Insn::ColumnExtent { extent, cursor, column, dst } => {
                let is_done = match &mut m.cursors[usize::from(cursor.0)] {
                    VmCursor::Tree(tree) => tree.column_in_place(usize::from(column), &mut m.registers[dst.0 as usize]),
                    _ => false,
                };
                if !is_done {
                    column::extent(m, program, cursor, column, extent, dst)?;
                }
            }
            Insn::Columns { cursor, column, dst, count } => {
                column::columns(m, program, cursor, column, dst, count)?;
            }
            Insn::Rowid { cursor, dst } => column::rowid(m, cursor, dst)?,
            Insn::IdxRowid { cursor, dst } => column::index_rowid(m, cursor, dst)?,
            Insn::RowData { cursor, dst } => column::row_data(m, cursor, dst)?,
            Insn::Sequence { cursor, dst } => column::sequence(m, cursor, dst)?,
            Insn::Count { cursor, dst } => column::count(m, cursor, dst)?,

            // ---- records and writing ----
            Insn::MakeRecord { count, affinities, start, dst } => {
                let row = RowRegisters { start, count: usize::from(count), affinities };
                record::make_record(m, program, host, row, dst)?;
            }
            Insn::NewRowid { cursor, dst, sequence } => write::new_rowid(m, cursor, dst, sequence)?,
            Insn::ReadSequence { cursor, name, sequence } => {
                sequence::read(m, program, host, cursor, name, sequence)?;
            }
            Insn::RaiseSequence { sequence, rowid } => sequence::raise(m, sequence, rowid),
            Insn::WriteSequence { cursor, name, sequence } => {
                sequence::write(m, program, host, cursor, name, sequence)?;
            }
            Insn::Insert { flags, cursor, rowid, record } => {
                write::insert(m, program, host, flags, cursor, rowid, record)?;
            }
            Insn::InsertRow { flags, cursor, count, affinities, rowid, start } => {
                let row = RowRegisters { start, count: usize::from(count), affinities };
                write::insert_row(m, program, host, flags, cursor, rowid, row)?;
            }
            Insn::PreUpdate { flags, operation, cursor, count, old, new } => {
                let rows = preupdate::Rows { flags, old, new, count: usize::from(count) };
                preupdate::tell(m, program, host, operation, cursor, rows, frames.depth())?;
            }
            Insn::Delete { flags, cursor } => write::delete(m, program, host, flags, cursor)?,
            Insn::IdxInsert { flags, cursor, count, record, start } => {
                let key = RowRegisters { start, count: usize::from(count), affinities: AffinityListId::NONE };
                write::index_insert(m, program, host, flags, cursor, record, key)?;
            }
            Insn::IdxInsertRow { flags, cursor, count, affinities, start } => {
                let row = RowRegisters { start, count: usize::from(count), affinities };
                write::index_insert_row(m, program, host, flags, cursor, row)?;
            }
            Insn::IdxAppend { many, sorter, cursor } => write::index_append(m, many != 0, sorter, cursor)?,
            Insn::IdxDelete { must_exist, cursor, start, count } => {
                write::index_delete(m, program, must_exist != 0, cursor, start, count as usize)?;
            }

            // ---- sorter ----
            Insn::SorterInsert { cursor, start, count } => seek::sorter_insert(m, host, cursor, start, count as usize)?,
            Insn::SorterSort { cursor, target } => {
                if !seek::sorter_sort(m, host, cursor)? {
                    next = at(target);
                }
            }
            Insn::SorterNext { cursor, target } => {
                if m.cursor(cursor).next()? {
                    m.count_loop(host)?;
                    next = at(target);
                }
            }

            // ---- sets of rowids ----
            Insn::RowSetAdd { set, rowid } => flow::row_set_add(m, set, rowid),
            Insn::RowSetRead { set, dst, target } => match flow::row_set_read(m, set) {
                Some(rowid) => {
                    m.count_loop(host)?;
                    m.reg_mut(dst).set_integer(rowid);
                }
                None => next = at(target),
            },
            Insn::RowSetTest { set, rowid, target } => {
                if flow::row_set_test(m, set, rowid) {
                    next = at(target);
                }
            }
            Insn::RowSetBatch { set } => flow::row_set_batch(m, set),

            // ---- hash join ----
            Insn::HashInsert { cursor, start, count } => seek::hash_insert(m, host, cursor, start, count as usize)?,
            Insn::HashFind { cursor, count, start, target } => {
                if !seek::hash_find(m, cursor, start, usize::from(count))? {
                    next = at(target);
                }
            }
            Insn::HashNext { cursor, target } => {
                if m.cursor(cursor).next()? {
                    m.count_loop(host)?;
                    next = at(target);
                }
            }

            // ---- groups ----
            Insn::OpenGroups { cursor, start, count } => open::groups(m, program, host, cursor, start, count as usize),
            Insn::GroupFind { cursor, start, known, full } => match grouping::find(m, cursor, start) {
                Found::New => {}
                Found::Known => next = at(known),
                Found::Full => next = at(full),
            },
            Insn::GroupSort { cursor } => grouping::sort(m, cursor),
            Insn::GroupNext { cursor, start, limit, target } => {
                m.count_loop(host)?;
                if !grouping::next(m, cursor, start, limit) {
                    next = at(target);
                }
            }

            // ---- functions and aggregates ----
            Insn::Call { call: id, start, dst } => call::call(m, program, host, id, start, dst)?,
            Insn::CallExtent { extent, call: id, start, dst } => {
                if !call::by_extent(m, extent, start, dst) {
                    call::call(m, program, host, id, start, dst)?;
                }
            }
            Insn::AggStep { aggregate, start, acc } => {
                if !aggregate::try_step(m, start, acc) {
                    aggregate::step(m, program, host, aggregate, start, acc)?;
                }
            }
            Insn::AggColumn { is_real, aggregate, cursor, column, acc } => {
                let operand = aggregate::ColumnOperand { cursor, column, is_real: is_real != 0 };
                if !aggregate::try_step_column(m, program, aggregate, operand, acc) {
                    aggregate::column(m, program, host, aggregate, operand, acc)?;
                }
            }
            Insn::AggInverse { aggregate, start, acc } => aggregate::inverse(m, program, host, aggregate, start, acc)?,
            Insn::AggValue { aggregate, acc, dst } => aggregate::value(m, program, host, aggregate, acc, dst)?,
            Insn::AggFinal { aggregate, acc, dst } => aggregate::finish(m, program, host, aggregate, acc, dst)?,
            Insn::Subtype { src, dst } => {
                let subtype = m.reg(src).subtype();
                m.reg_mut(dst).set_integer(i64::from(subtype));
            }
            Insn::SetSubtype { src, dst } => {
                if let lithe_value::ValueRef::Integer(subtype) = m.reg(src).as_ref() {
                    m.reg_mut(dst).restore_subtype(subtype as u8)?;
                }
            }
            Insn::ClearSubtype { start, count } => {
                m.regs_mut(start, count as usize).iter_mut().for_each(|register| register.set_subtype(0));
            }
            Insn::CollationFor { flag, .. } => aggregate::watch_kept(m, flag),

            // ---- triggers, foreign keys ----
            Insn::Subprogram { recursive, program: id, ignore } => {
                let call = Call { id, recursive: recursive != 0, return_to: place(next), ignore: ignore.0 as usize };
                if let Some(callee) = frames.enter(m, program, host, call)? {
                    return Ok(FrameEnd::Other(callee, 0));
                }
            }
            Insn::FkCounter { deferred, delta } => flow::count_violation(m, host, deferred != 0, delta),
            Insn::FkIfZero { deferred, target } => {
                if flow::has_no_violation(m, host, deferred != 0) {
                    next = at(target);
                }
            }
            Insn::FkCheck {} => flow::check_immediate_violations(m)?,
            Insn::CursorLock { cursor } => write::lock(m, program, cursor),
            Insn::CursorUnlock { cursor } => write::unlock(m, program, cursor),

            // ---- virtual tables ----
            Insn::FunctionRows { cursor, name, start, target } => {
                if !table_function::filter(m, program, host, cursor, name, start)? {
                    next = at(target);
                }
            }
            Insn::VFilter { cursor, scan, start, target } => {
                if !scan::filter(m, program, host, cursor, scan, start)? {
                    next = at(target);
                }
            }
            Insn::VColumn { flags, cursor, column, dst } => {
                if !scan::column(m, host, cursor, column, flags != 0, dst)? {
                    column::column(m, program, cursor, column, dst)?;
                }
            }
            Insn::VNext { cursor, target } => {
                if scan::next(m, host, cursor)? {
                    m.count_loop(host)?;
                    let behind = place(next);
                    next = at(target);
                    // A loop that consists of nothing but count(*).
                    if !WATCHED
                        && let [Insn::AggStep { acc, .. }, Insn::VNext { .. }, ..] = *next
                        && place(next) + 2 == behind
                    {
                        scan::count_in_memory(m, cursor, acc);
                    }
                }
            }
            Insn::VList { cursor, dst } => scan::list(m, cursor, dst)?,
            Insn::VNoteUnchanged { start, count, dst } => scan::note_unchanged(m, start, count, dst),
            Insn::VMarkUnchanged { start, count, src } => scan::mark_unchanged(m, start, count, src),
            Insn::VOpen { cursor, table } => rare::run(m, &move |m| scan::open(m, host, cursor, table))?,
            Insn::VBegin { table } => rare::run(m, &move |_| host.begin_virtual(table))?,
            Insn::VUpdate { policy, count, table, start, dst } => {
                rare::run(m, &move |m| scan::update(m, host, table, policy, (start, count), dst))?;
            }
            Insn::VChange { op, db, name, to } => {
                rare::run(m, &move |m| scan::change(m, program, host, op, db, name, to))?;
            }
        }
    }
}
