//! Aggregates and ranking functions: step, inverse, value, finish.

mod in_place;

use std::rc::Rc;

use lithe_functions::{
    Arguments, BuiltinAccumulator, BuiltinAggregate, CallSite, Context, Kind, PlainArguments, Pointer, Ranking,
};
use lithe_value::{Collation, Value, ValueRef};
use lithe_vfs::ResultCode;

use crate::accumulator::Accumulator;
use crate::boxed_error::BoxedError;
use crate::call::{FunctionConnection, RegisterArguments, check_length, decoded, function_failed, through_encoding};
use crate::cursor::VmCursor;
use crate::error::Error;
use crate::host::Host;
use crate::machine::Machine;
use crate::operand::{AggregateId, CursorId, Reg};
use crate::program::{AggregateCall, Program};
use crate::register::Register;

/// Steps over one row whose argument is absent or a number, or only counted. False: the state is unchanged, and [`step`] must do it.
#[inline(never)]
pub fn try_step(m: &mut Machine, start: Reg, acc: Reg) -> bool {
    let kept_flag = m.kept_flag;
    let number = match m.reg(start) {
        Register::Integer(integer) => ValueRef::Integer(*integer),
        Register::Real(real) => ValueRef::Real(*real),
        other if other.is_null() => ValueRef::Null,
        _ => match m.reg_mut(acc) {
            Register::CountValues(count) if kept_flag == Reg::NONE => {
                *count += 1;
                return true;
            }
            _ => ValueRef::Null,
        },
    };
    // Numbers compare alike under all collations.
    if kept_flag == Reg::NONE {
        return in_place::step_value(m.reg_mut(acc), number, &Collation::Binary);
    }
    // A NULL may be a value that was not read.
    !number.is_null() && step_watched(&mut m.registers, &mut m.kept_flag, acc, number, &Collation::Binary)
}

/// The one argument of an aggregate, read from a row.
#[derive(Clone, Copy)]
pub struct ColumnOperand {
    /// The cursor that reads the column.
    pub cursor: CursorId,
    /// The number of the column.
    pub column: u16,
    /// The column has REAL affinity: an integer in a record is a real that was stored as an integer.
    pub is_real: bool,
}

impl ColumnOperand {
    #[inline]
    fn with_affinity(self, value: ValueRef<'_>) -> ValueRef<'_> {
        match value {
            ValueRef::Integer(integer) if self.is_real => ValueRef::Real(integer as f64),
            value => value,
        }
    }
}

/// As [`try_step`], with a column as the argument, of any storage class.
#[inline(never)]
pub fn try_step_column(m: &mut Machine, program: &Program, id: AggregateId, operand: ColumnOperand, acc: Reg) -> bool {
    let Machine { registers, cursors, kept_flag, .. } = m;
    let Some(value) = cursors[usize::from(operand.cursor.0)].value_in_place(usize::from(operand.column)) else {
        return false;
    };
    let value = operand.with_affinity(value);
    let collation = &program.aggregates[usize::from(id.0)].collation;
    if *kept_flag == Reg::NONE {
        return in_place::step_value(&mut registers[acc.0 as usize], value, collation);
    }
    // A NULL may mean that the column was not read.
    !value.is_null() && step_watched(registers, kept_flag, acc, value, collation)
}

/// Steps min() or max() over one value, and records in the register `kept_flag` whether it kept its value: the columns of this row are
/// not shown then. False: the state is unchanged, because it is none of min() or max().
#[inline]
fn step_watched(
    registers: &mut [Register],
    kept_flag: &mut Reg,
    acc: Reg,
    value: ValueRef<'_>,
    collation: &Collation,
) -> bool {
    let Register::Extreme(extreme) = &mut registers[acc.0 as usize] else { return false };
    let is_shown = extreme.step(value, collation);
    let flag = std::mem::replace(kept_flag, Reg::NONE);
    if !is_shown {
        registers[flag.0 as usize].set_integer(1);
    }
    true
}

/// Steps over one row, with a column as the argument.
#[inline(never)]
pub fn column(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    id: AggregateId,
    operand: ColumnOperand,
    acc: Reg,
) -> Result<(), BoxedError> {
    if let VmCursor::Tree(tree) = m.cursor(operand.cursor)
        && tree.begin_row(usize::from(operand.column))?
        && try_step_column(m, program, id, operand, acc)
    {
        return Ok(());
    }
    crate::column::with_column(m, program, operand.cursor, operand.column, |m, value| {
        step_values(m, program, host, id, &[operand.with_affinity(value.as_ref())], &PlainArguments, acc)
    })??;
    Ok(())
}

/// Steps over one row, with the arguments in registers.
#[inline(never)]
pub fn step(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    id: AggregateId,
    start: Reg,
    acc: Reg,
) -> Result<(), Error> {
    let call = &program.aggregates[usize::from(id.0)];
    if call.argument_count == 0 {
        let state = m.reg_mut(acc);
        if state.is_null() {
            in_place::begin(program, id, state);
        }
        if let Register::CountRows(count) = state {
            *count += 1;
            return Ok(());
        }
        return step_values(m, program, host, id, &[], &PlainArguments, acc);
    }
    if call.argument_count > 1 || matches!(call.function.kind(), Kind::CustomAggregate(_)) {
        return step_registers(m, program, host, id, start, acc);
    }
    // The argument is taken out of the machine because the state is in another of its registers and changes.
    let argument = std::mem::take(m.reg_mut(start));
    let result = step_values(m, program, host, id, &[argument.as_ref()], &PlainArguments, acc);
    *m.reg_mut(start) = argument;
    result
}

/// Steps over one row with any number of arguments, which stay in their registers. The function may read subtypes and pointers.
fn step_registers(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    id: AggregateId,
    start: Reg,
    acc: Reg,
) -> Result<(), Error> {
    assert!(m.kept_flag == Reg::NONE, "only min() and max() outside windows are watched");
    let call = &program.aggregates[usize::from(id.0)];
    let mut accumulator = take(m, program, id, acc)?;
    suspend_if_called(m, call);
    let Machine { registers, scratch, .. } = m;
    let registers = &registers[start.0 as usize..][..usize::from(call.argument_count)];
    let values = scratch.values(registers);
    let mut texts = Vec::new();
    let result = decoded(&call.function, &values, host, &mut texts)
        .map_err(function_failed)
        .and_then(|values| accumulator.step(call, &values, &RegisterArguments(registers), host));
    scratch.give_back(values);
    m.resume();
    accumulator.put(m.reg_mut(acc));
    result
}

fn step_values(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    id: AggregateId,
    values: &[ValueRef<'_>],
    arguments: &dyn Arguments,
    acc: Reg,
) -> Result<(), Error> {
    let call = &program.aggregates[usize::from(id.0)];
    let mut texts = Vec::new();
    let values = &*decoded(&call.function, values, host, &mut texts).map_err(function_failed)?;
    if let [value] = values {
        let state = m.reg_mut(acc);
        if state.is_null() {
            in_place::begin(program, id, state);
        }
        let is_done = match m.kept_flag {
            Reg::NONE => in_place::step(m.reg_mut(acc), *value, &call.collation),
            _ => step_watched(&mut m.registers, &mut m.kept_flag, acc, *value, &call.collation),
        };
        if is_done {
            return Ok(());
        }
    }
    assert!(m.kept_flag == Reg::NONE, "only min() and max() outside windows are watched");
    let mut accumulator = take(m, program, id, acc)?;
    suspend_if_called(m, call);
    let result = accumulator.step(call, values, arguments, host);
    m.resume();
    accumulator.put(m.reg_mut(acc));
    result
}

/// The next step of min() or max() records in `flag` whether it kept its value.
#[inline]
pub fn watch_kept(m: &mut Machine, flag: Reg) {
    if flag != Reg::NONE {
        m.reg_mut(flag).set_integer(0);
        m.kept_flag = flag;
    }
}

/// Pauses the machine for an aggregate of the application, whose code may commit.
#[inline]
fn suspend_if_called(m: &mut Machine, call: &AggregateCall) {
    if !call.function.is_builtin() {
        m.suspend();
    }
}

/// Removes a row from the window frame (xInverse).
#[inline(never)]
pub fn inverse(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    id: AggregateId,
    start: Reg,
    acc: Reg,
) -> Result<(), Error> {
    let call = &program.aggregates[usize::from(id.0)];
    if call.argument_count == 1 && in_place::inverse(m, start, acc) {
        return Ok(());
    }
    let mut accumulator = take(m, program, id, acc)?;
    suspend_if_called(m, call);
    let Machine { registers, scratch, .. } = m;
    let values = scratch.values(&registers[start.0 as usize..][..usize::from(call.argument_count)]);
    let arguments = RegisterArguments(&registers[start.0 as usize..][..usize::from(call.argument_count)]);
    let mut texts = Vec::new();
    let result = decoded(&call.function, &values, host, &mut texts)
        .map_err(function_failed)
        .and_then(|values| accumulator.inverse(call, &values, &arguments, host));
    scratch.give_back(values);
    m.resume();
    accumulator.put(m.reg_mut(acc));
    result
}

/// dst = the value for the rows so far; the state is kept (xValue).
#[inline(never)]
pub fn value(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    id: AggregateId,
    acc: Reg,
    dst: Reg,
) -> Result<(), Error> {
    let call = &program.aggregates[usize::from(id.0)];
    if let Some(value) = in_place::number(call, m.reg(acc)) {
        m.reg_mut(dst).set(value);
        return Ok(());
    }
    let mut accumulator = take(m, program, id, acc)?;
    let mut out = if acc == dst { Value::NULL } else { m.reg_mut(dst).take_memory() };
    suspend_if_called(m, call);
    let result = accumulator.value(call, host, &mut out);
    m.resume();
    accumulator.put(m.reg_mut(acc));
    m.reg_mut(dst).set_value(out);
    through_encoding(m.reg_mut(dst), host.state().encoding.get());
    result?.go_with(m.reg_mut(dst));
    Ok(())
}

/// dst = the value for all rows; the state is dropped (xFinal).
#[inline(never)]
pub fn finish(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    id: AggregateId,
    acc: Reg,
    dst: Reg,
) -> Result<(), Error> {
    let call = &program.aggregates[usize::from(id.0)];
    if finish_in_place(m, call, acc, dst) || finish_extreme(m, call, acc, dst) {
        return Ok(());
    }
    let mut accumulator = take(m, program, id, acc)?;
    let mut out = m.reg_mut(dst).take_memory();
    suspend_if_called(m, call);
    let result = accumulator.finish(call, host, &mut out);
    m.resume();
    m.reg_mut(dst).set_value(out);
    result?.go_with(m.reg_mut(dst));
    Ok(())
}

/// The subtype and the pointer of a value that an aggregate of the application returned.
#[derive(Default)]
struct Companions {
    subtype: u8,
    pointer: Option<Rc<Pointer>>,
}

impl Companions {
    /// Stores them in the register that holds the value. A pointer is stored with NULL only.
    fn go_with(self, register: &mut Register) {
        match self.pointer {
            Some(pointer) if matches!(register, Register::Null) => register.set_pointer(Some(pointer)),
            _ => register.set_subtype(self.subtype),
        }
    }
}

/// As [`finish`], for a number that is read directly from the state in its register. False: nothing is changed.
#[inline]
fn finish_in_place(m: &mut Machine, call: &AggregateCall, acc: Reg, dst: Reg) -> bool {
    let Some(value) = in_place::number(call, m.reg(acc)) else { return false };
    m.reg_mut(dst).set(value);
    if acc != dst {
        m.reg_mut(acc).set_null();
    }
    true
}

/// As [`finish_in_place`], for the text or the BLOB that min() or max() has kept in its register.
#[inline]
fn finish_extreme(m: &mut Machine, call: &AggregateCall, acc: Reg, dst: Reg) -> bool {
    let Kind::Aggregate(BuiltinAggregate::Min | BuiltinAggregate::Max) = call.function.kind() else { return false };
    match std::mem::take(m.reg_mut(acc)) {
        Register::Extreme(extreme) => {
            m.reg_mut(dst).set(extreme.value());
            true
        }
        other => {
            *m.reg_mut(acc) = other;
            false
        }
    }
}

/// Takes the state out of a register, which becomes NULL. A NULL register gives the state for no rows.
fn take(m: &mut Machine, program: &Program, id: AggregateId, acc: Reg) -> Result<Box<Accumulator>, Error> {
    use BuiltinAccumulator::{Avg, Count, CountRows, Extreme, Sum, Total};
    let state = std::mem::take(m.reg_mut(acc));
    if let Register::Aggregate(accumulator) = state {
        return Ok(accumulator);
    }
    let accumulator = match (Accumulator::new(program, id)?, state) {
        (Accumulator::Builtin(CountRows(_)), Register::CountRows(count)) => CountRows(count).into(),
        (Accumulator::Builtin(Count(_)), Register::CountValues(count)) => Count(count).into(),
        (Accumulator::Builtin(Sum(_)), Register::Sum(sum)) => Sum(*sum).into(),
        (Accumulator::Builtin(Total(_)), Register::Sum(sum)) => Total(*sum).into(),
        (Accumulator::Builtin(Avg(_)), Register::Sum(sum)) => Avg(*sum).into(),
        (Accumulator::Builtin(Extreme(_)), Register::Extreme(extreme)) => Extreme(*extreme).into(),
        (none, _) => none,
    };
    Ok(Box::new(accumulator))
}

impl From<BuiltinAccumulator> for Accumulator {
    fn from(builtin: BuiltinAccumulator) -> Accumulator {
        Accumulator::Builtin(builtin)
    }
}

impl Accumulator {
    /// Puts the state into a register. Counters, sums and extremes get a variant of their own there, without a second
    /// box.
    fn put(self: Box<Accumulator>, acc: &mut Register) {
        use BuiltinAccumulator::{Avg, Count, CountRows, Extreme, Sum, Total};
        *acc = match *self {
            Accumulator::Builtin(CountRows(count)) => Register::CountRows(count),
            Accumulator::Builtin(Count(count)) => Register::CountValues(count),
            Accumulator::Builtin(Sum(sum) | Total(sum) | Avg(sum)) => Register::Sum(Box::new(sum)),
            Accumulator::Builtin(Extreme(extreme)) => Register::Extreme(Box::new(extreme)),
            _ => Register::Aggregate(self),
        };
    }

    fn new(program: &Program, id: AggregateId) -> Result<Accumulator, Error> {
        let call = &program.aggregates[usize::from(id.0)];
        match call.function.kind() {
            Kind::Aggregate(kind) if program.takes_rows_back(id) => {
                Ok(Accumulator::Builtin(BuiltinAccumulator::for_window(*kind)))
            }
            Kind::Aggregate(kind) => Ok(Accumulator::Builtin(BuiltinAccumulator::new(*kind))),
            Kind::CustomAggregate(aggregate) => Ok(Accumulator::Custom(aggregate.start())),
            Kind::Window(kind) => match Ranking::new(*kind) {
                Some(ranking) => Ok(Accumulator::Ranking(ranking)),
                None => Err(not_an_aggregate(call)),
            },
            Kind::Scalar(_) | Kind::CustomScalar(_) => Err(not_an_aggregate(call)),
        }
    }

    fn step(
        &mut self,
        call: &AggregateCall,
        values: &[ValueRef<'_>],
        arguments: &dyn Arguments,
        host: &dyn Host,
    ) -> Result<(), Error> {
        match self {
            Accumulator::Builtin(builtin) => {
                builtin.step(values, &call.collation, host.state().length_max.get() as usize)
            }
            Accumulator::Ranking(ranking) => ranking.step(values),
            Accumulator::Custom(state) => {
                let mut out = Value::NULL;
                with_context(&mut out, &call.collation, arguments, host, |context| state.step(context, values))
            }
        }
        .map_err(function_failed)
    }

    fn inverse(
        &mut self,
        call: &AggregateCall,
        values: &[ValueRef<'_>],
        arguments: &dyn Arguments,
        host: &dyn Host,
    ) -> Result<(), Error> {
        match self {
            Accumulator::Builtin(builtin) => builtin.inverse(values),
            Accumulator::Ranking(ranking) => ranking.inverse(),
            Accumulator::Custom(state) => {
                let mut out = Value::NULL;
                with_context(&mut out, &call.collation, arguments, host, |context| state.inverse(context, values))
                    .map_err(function_failed)?;
            }
        }
        Ok(())
    }

    /// The value for the rows so far, with its subtype and pointer.
    fn value(&mut self, call: &AggregateCall, host: &dyn Host, out: &mut Value) -> Result<Companions, Error> {
        match self {
            Accumulator::Builtin(builtin) => {
                builtin.value(out).map(|()| Companions::default()).map_err(function_failed)
            }
            Accumulator::Ranking(ranking) => {
                ranking.value(out);
                Ok(Companions::default())
            }
            Accumulator::Custom(state) => answer(out, call, host, |context| state.value(context)),
        }
    }

    fn finish(&mut self, call: &AggregateCall, host: &dyn Host, out: &mut Value) -> Result<Companions, Error> {
        match self {
            Accumulator::Custom(state) => answer(out, call, host, |context| state.finish(context)),
            _ => self.value(call, host, out),
        }
    }
}

/// Calls a method of the application's state; returns the subtype and the pointer of the value.
fn answer(
    out: &mut Value,
    call: &AggregateCall,
    host: &dyn Host,
    f: impl FnOnce(&mut Context<'_>) -> lithe_functions::Result,
) -> Result<Companions, Error> {
    out.set_null();
    let companions = with_context(out, &call.collation, &PlainArguments, host, |context| {
        f(context)?;
        Ok(Companions { subtype: context.subtype, pointer: context.pointer.take() })
    });
    let companions = companions.map_err(function_failed)?;
    check_length(out, host)?;
    Ok(companions)
}

fn with_context<'a, T>(
    out: &'a mut Value,
    collation: &'a Collation,
    arguments: &'a dyn Arguments,
    host: &'a dyn Host,
    f: impl FnOnce(&mut Context<'_>) -> T,
) -> T {
    let connection = FunctionConnection(host);
    let mut site = CallSite::new();
    let mut context = Context::new(out, collation, &mut site, &connection);
    context.arguments = arguments;
    f(&mut context)
}

#[cold]
fn not_an_aggregate(call: &AggregateCall) -> Error {
    Error::new(ResultCode::ERROR, format!("misuse of function {}()", call.function.name()))
}
