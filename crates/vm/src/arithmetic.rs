//! Operators, conversions and truth values. The main loop itself computes operations on two integers that do not
//! overflow.

use lithe_value::arith::{self, Number};
use lithe_value::{Affinity, Buffer, Encoding, NumberText, Value, ValueRef, cast as convert};

use crate::error::Error;
use crate::host::Host;
use crate::machine::Machine;
use crate::operand::{AffinityListId, Reg, affinity_from_u8};
use crate::program::Program;
use crate::register::{BytesKind, INLINE_MAX, Inline, Register};

pub use arith::{
    add, bit_and, bit_not, bit_or, divide, multiply, negate, remainder, shift_left, shift_right, subtract,
};

/// dst = lhs operator rhs.
#[inline(never)]
pub fn binary(
    m: &mut Machine,
    host: &dyn Host,
    operator: fn(ValueRef<'_>, ValueRef<'_>) -> Number,
    lhs: Reg,
    rhs: Reg,
    dst: Reg,
) -> Result<(), Error> {
    let result = match (m.reg(lhs).as_ref(), m.reg(rhs).as_ref()) {
        (left, right) if matches!(left, ValueRef::Blob(_)) || matches!(right, ValueRef::Blob(_)) => {
            let encoding = host.state().encoding.get();
            let (mut left_text, mut right_text) = (Buffer::new(), Buffer::new());
            let left = convert::blob_as_text(left, encoding, &mut left_text)?;
            operator(left, convert::blob_as_text(right, encoding, &mut right_text)?)
        }
        (left, right) => operator(left, right),
    };
    m.reg_mut(dst).set(result);
    Ok(())
}

/// dst = operator src.
#[inline(never)]
pub fn unary(
    m: &mut Machine,
    host: &dyn Host,
    operator: fn(ValueRef<'_>) -> Number,
    src: Reg,
    dst: Reg,
) -> Result<(), Error> {
    let mut text = Buffer::new();
    let result = operator(convert::blob_as_text(m.reg(src).as_ref(), host.state().encoding.get(), &mut text)?);
    m.reg_mut(dst).set(result);
    Ok(())
}

/// dst = lhs || rhs.
#[inline(never)]
pub fn concat(m: &mut Machine, host: &dyn Host, lhs: Reg, rhs: Reg, dst: Reg) -> Result<(), Error> {
    if concat_texts(m, host, (lhs, rhs), dst)? {
        return Ok(());
    }
    // The result is built in the memory of `dst`, unless that holds an operand.
    let mut out = if dst == lhs || dst == rhs { Default::default() } else { m.reg_mut(dst).take_memory() };
    let length_max = host.state().length_max.get() as usize;
    let (left, right) = (m.reg(lhs).as_ref(), m.reg(rhs).as_ref());
    let encoding = host.state().encoding.get();
    if encoding != Encoding::Utf8 && !left.is_null() && !right.is_null() {
        let joined = concat_utf16(left, right, encoding)?;
        arith::concat(ValueRef::Text(joined.as_slice()), ValueRef::Text(b""), length_max, &mut out)?;
    } else {
        arith::concat(left, right, length_max, &mut out)?;
    }
    m.reg_mut(dst).set_value(out);
    Ok(())
}

/// As `concat`, for texts and integers in UTF-8, in three registers. False: an operand is another value, and nothing is changed.
#[inline]
fn concat_texts(m: &mut Machine, host: &dyn Host, (lhs, rhs): (Reg, Reg), dst: Reg) -> Result<bool, Error> {
    let state = host.state();
    let Ok([left, right, out]) = m.registers.get_disjoint_mut([lhs, rhs, dst].map(|reg| reg.0 as usize)) else {
        return Ok(false);
    };
    if state.encoding.get() != Encoding::Utf8 {
        return Ok(false);
    }
    if let (Some(left), Some(right)) = (left.text(), right.text())
        && left.len() + right.len() <= INLINE_MAX // no limit on lengths is lower
        && let Some(mut text) = Inline::of_short(left)
    {
        text.extend(right);
        out.set_short_text(text);
        return Ok(true);
    }
    let (mut left_digits, mut right_digits) = (NumberText::default(), NumberText::default());
    let left = text_or_integer(left, &mut left_digits);
    let (Some(left), Some(right)) = (left, text_or_integer(right, &mut right_digits)) else { return Ok(false) };
    let length = left.len().saturating_add(right.len());
    if length > state.length_max.get() as usize {
        return Err(Error::too_big());
    }
    let mut buffer = out.take_buffer();
    buffer.clear();
    buffer.try_reserve(length)?;
    buffer.extend(left);
    buffer.extend(right);
    out.set_buffer(BytesKind::Text, buffer);
    Ok(true)
}

/// A text, or the digits of an integer.
#[inline]
fn text_or_integer<'a>(register: &'a Register, digits: &'a mut NumberText) -> Option<&'a [u8]> {
    match *register {
        Register::Integer(integer) => {
            *digits = NumberText::from(integer);
            Some(digits.as_bytes())
        }
        ref other => other.text(),
    }
}

/// The operands of `||` in a database of UTF-16. A BLOB is bytes of that encoding, so a character may begin in one
/// operand and end in the other.
fn concat_utf16(left: ValueRef<'_>, right: ValueRef<'_>, encoding: Encoding) -> Result<Buffer, Error> {
    let mut joined = Buffer::new();
    let is_blob = |value| matches!(value, ValueRef::Blob(_));
    if !is_blob(left) && !is_blob(right) {
        for value in [left, right] {
            let mut scratch = NumberText::default();
            let text = convert::to_bytes(value, &mut scratch);
            joined.try_reserve(text.len())?;
            joined.extend(text);
        }
        return Ok(joined);
    }
    let mut bytes = Buffer::new();
    for value in [left, right] {
        let mut scratch = NumberText::default();
        let text = convert::to_bytes(value, &mut scratch);
        bytes.try_reserve(text.len().saturating_mul(2))?;
        if is_blob(value) { bytes.extend(text) } else { encoding.encode(text, &mut bytes) }
    }
    joined.try_reserve(bytes.len().saturating_mul(2))?;
    encoding.decode(bytes.as_slice(), &mut joined);
    Ok(joined)
}

/// Whether a value is true; `None` for NULL.
#[inline]
pub fn truth(register: &Register, host: &dyn Host) -> Option<bool> {
    match register {
        Register::Integer(integer) => Some(*integer != 0),
        other => match other.as_ref() {
            ValueRef::Blob(bytes) => truth_of_blob(bytes, host),
            value => convert::truth(value),
        },
    }
}

/// A BLOB is true if it is the text of a number, in the database's encoding.
#[cold]
fn truth_of_blob(bytes: &[u8], host: &dyn Host) -> Option<bool> {
    let encoding = host.state().encoding.get();
    if encoding == Encoding::Utf8 {
        return convert::truth(ValueRef::Blob(bytes));
    }
    let mut text = Buffer::new();
    encoding.decode(bytes, &mut text);
    convert::truth(ValueRef::Text(text.as_slice()))
}

/// Three-valued AND.
#[inline]
pub fn and(lhs: Option<bool>, rhs: Option<bool>) -> Option<bool> {
    match (lhs, rhs) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Three-valued OR.
#[inline]
pub fn or(lhs: Option<bool>, rhs: Option<bool>) -> Option<bool> {
    match (lhs, rhs) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// CAST.
#[inline(never)]
pub fn cast(m: &mut Machine, host: &dyn Host, affinity: u8, reg: Reg) -> Result<(), Error> {
    cast_register(m.reg_mut(reg), affinity_from_u8(affinity), host)
}

/// CAST of the value in a register.
pub fn cast_register(register: &mut Register, affinity: Affinity, host: &dyn Host) -> Result<(), Error> {
    if register.is_null() {
        return Ok(());
    }
    // A value of that class is unchanged, and keeps its JSON subtype.
    if matches!(
        (register.as_ref(), affinity),
        (ValueRef::Text(_), Affinity::Text) | (ValueRef::Blob(_), Affinity::Blob)
    ) {
        return Ok(());
    }
    let encoding = host.state().encoding.get();
    let mut out = Value::NULL;
    if let (ValueRef::Text(bytes) | ValueRef::Blob(bytes), Affinity::Text | Affinity::Blob) =
        (register.as_ref(), affinity)
    {
        // UTF-16 may take twice as many bytes.
        let len = if encoding == Encoding::Utf8 { bytes.len() } else { 2 * bytes.len() };
        let mut buffer = out.take_buffer();
        buffer.try_reserve(len)?;
        out.set_blob_buffer(buffer);
    }
    convert::cast(register.as_ref(), affinity, encoding, &mut out);
    register.set_value(out);
    Ok(())
}

/// Applies one affinity each to the registers from `start` on.
pub fn apply_affinities(m: &mut Machine, program: &Program, start: Reg, list: AffinityListId) {
    let list: &[Affinity] = &program.affinities[usize::from(list.0)];
    for (register, affinity) in m.regs_mut(start, list.len()).iter_mut().zip(list) {
        apply_affinity(register, *affinity);
    }
}

/// Applies an affinity.
#[inline]
pub fn apply_affinity(register: &mut Register, affinity: Affinity) {
    match (affinity, &*register) {
        // The ordinary case: the value has the class of its column. (-0.0 is stored as the integer 0, and loses its sign.)
        (Affinity::Real, Register::Real(real)) if *real != 0.0 => {}
        (Affinity::Blob, _)
        | (_, Register::Null)
        | (Affinity::Integer | Affinity::Numeric, Register::Integer(_))
        | (Affinity::Text, Register::InlineText(_) | Register::PageText { .. } | Register::OwnedText { .. }) => {}
        (Affinity::Text, Register::Shared(value)) if matches!(Value::as_ref(value), ValueRef::Text(_)) => {}
        _ => convert_affinity(register, affinity),
    }
}

#[inline(never)]
fn convert_affinity(register: &mut Register, affinity: Affinity) {
    if !affinity.may_change(register.as_ref()) {
        return;
    }
    let mut scratch = NumberText::default();
    match affinity.apply(register.as_ref(), &mut scratch) {
        ValueRef::Integer(integer) => register.set_integer(integer),
        ValueRef::Real(real) => register.set_real(real),
        // The value was text before, or is in `scratch`.
        ValueRef::Text(_) if matches!(register.as_ref(), ValueRef::Text(_)) => {}
        ValueRef::Text(text) => {
            let text = text.to_vec();
            register.set(ValueRef::Text(&text));
        }
        ValueRef::Null | ValueRef::Blob(_) => {}
    }
}

/// Makes a register an integer, if the conversion is lossless.
#[cold]
pub fn make_integer(m: &mut Machine, reg: Reg) -> bool {
    let register = m.reg_mut(reg);
    match Affinity::Numeric.apply_numeric(register.as_ref()) {
        // The affinity leaves this value a real because it may have been rounded. SQLite accepts it as a rowid.
        ValueRef::Real(real) if matches!(register, Register::Real(_)) && real == i64::MIN as f64 => {
            register.set_integer(i64::MIN);
            true
        }
        ValueRef::Integer(integer) => {
            register.set_integer(integer);
            true
        }
        _ => false,
    }
}
