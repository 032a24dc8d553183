//! States of aggregates that a register holds without a box: counts, sums, and the values of min() and max().

use lithe_functions::aggregate::Extreme;
use lithe_functions::{BuiltinAggregate, Kind};
use lithe_value::{Collation, ValueRef};

use crate::machine::Machine;
use crate::operand::{AggregateId, Reg};
use crate::program::{AggregateCall, Program};
use crate::register::Register;

/// Sets the state for no rows, if it is a kind that a register holds without a box.
#[inline]
pub fn begin(program: &Program, id: AggregateId, acc: &mut Register) {
    use BuiltinAggregate::{Avg, Count, CountRows, GroupConcat, Max, Min, Sum, Total};
    let Kind::Aggregate(kind) = program.aggregates[usize::from(id.0)].function.kind() else { return };
    *acc = match kind {
        CountRows => Register::CountRows(0),
        Count => Register::CountValues(0),
        Sum | Total | Avg => Register::Sum(Box::default()),
        Min if !program.takes_rows_back(id) => Register::Extreme(Box::new(Extreme::smallest())),
        Max if !program.takes_rows_back(id) => Register::Extreme(Box::new(Extreme::largest())),
        Min | Max | GroupConcat => return,
    };
}

/// Steps over one value. A NULL counts for count(*) only; for other functions it may also mean that the value was not read, so that
/// the answer is false.
#[inline(always)]
pub fn step_value(acc: &mut Register, value: ValueRef<'_>, collation: &Collation) -> bool {
    match (acc, value) {
        (Register::CountRows(count), _) => *count += 1,
        (_, ValueRef::Null) => return false,
        (Register::CountValues(count), _) => *count += 1,
        (Register::Sum(sum), ValueRef::Integer(integer)) => {
            if !sum.step_exactly(integer) {
                sum.step(value);
            }
        }
        (Register::Sum(sum), ValueRef::Real(_)) => sum.step(value),
        (Register::Extreme(extreme), _) => {
            extreme.step(value, collation);
        }
        _ => return false,
    }
    true
}

/// Steps a state that a register holds without a box. False: the state is unchanged, and it must be taken out of the register.
#[inline]
pub fn step(acc: &mut Register, value: ValueRef<'_>, collation: &Collation) -> bool {
    match (acc, value) {
        (Register::CountValues(_) | Register::Sum(_), ValueRef::Null) => true,
        // min() and max() of a window count the rows that they skip, too, because they remove rows in their order.
        (Register::Extreme(extreme), ValueRef::Null) => {
            extreme.step(value, collation);
            true
        }
        (Register::Sum(sum), _) => {
            sum.step(value);
            true
        }
        (acc, _) => step_value(acc, value, collation),
    }
}

/// Removes a number or NULL from a count or a sum. False: nothing is changed.
#[inline]
pub fn inverse(m: &mut Machine, argument: Reg, acc: Reg) -> bool {
    let value = match *m.reg(argument) {
        Register::Integer(integer) => ValueRef::Integer(integer),
        Register::Real(real) => ValueRef::Real(real),
        ref other if other.is_null() => ValueRef::Null,
        _ => return false,
    };
    match m.reg_mut(acc) {
        Register::CountValues(count) => {
            *count -= i64::from(!value.is_null());
            debug_assert!(*count >= 0, "no more values leave a frame than have entered it");
        }
        Register::Sum(sum) => sum.inverse(value),
        _ => return false,
    }
    true
}

/// The value of a state that a register holds without a box, if it is a number or NULL.
#[inline]
pub fn number(call: &AggregateCall, acc: &Register) -> Option<ValueRef<'static>> {
    let Kind::Aggregate(kind) = call.function.kind() else { return None };
    match (kind, acc) {
        (_, Register::CountRows(count) | Register::CountValues(count)) => Some(ValueRef::Integer(*count)),
        (BuiltinAggregate::Sum, Register::Sum(sum)) => sum.sum().ok(),
        (BuiltinAggregate::Total, Register::Sum(sum)) => Some(ValueRef::from(sum.total())),
        (BuiltinAggregate::Avg, Register::Sum(sum)) => Some(sum.average()),
        (BuiltinAggregate::Min | BuiltinAggregate::Max, Register::Extreme(extreme)) => match extreme.value() {
            ValueRef::Null => Some(ValueRef::Null),
            ValueRef::Integer(integer) => Some(ValueRef::Integer(integer)),
            ValueRef::Real(real) => Some(ValueRef::Real(real)),
            ValueRef::Text(_) | ValueRef::Blob(_) => None,
        },
        _ => None,
    }
}
