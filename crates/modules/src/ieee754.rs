//! `ieee754()` and its family: functions that decompose reals and compose them.
//!
//! ```text
//!   ieee754(45.25)      'ieee754(181,-2)': 181 * 2^-2
//!   ieee754(181, -2)    45.25
//! ```

use std::sync::{Arc, OnceLock};

use lithe_vtab::{Arity, Context, Flags, Function, FunctionKind, Result, ScalarFn, ValueRef};

/// The stored bits of the mantissa, and the bias of the exponent if the mantissa is an integer.
const MANTISSA_BITS: u32 = 52;
const EXPONENT_BIAS: i64 = 1075;
const EXPONENT_MAX: i64 = 0x7ff;
const HIDDEN_BIT: i64 = 1 << MANTISSA_BITS;
/// Exponents are clamped to this.
const EXPONENT_CLAMP: i64 = 10_000;

/// The functions, shared by the connections of a process.
pub fn functions() -> &'static [Arc<Function>] {
    static FUNCTIONS: OnceLock<Vec<Arc<Function>>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let scalar = |name: &str, arity, eval: ScalarFn| {
            let flags = Flags::DETERMINISTIC.with(Flags::INNOCUOUS);
            Arc::new(Function::custom(name, arity, flags, FunctionKind::CustomScalar(Arc::new(eval))))
        };
        vec![
            scalar("ieee754", Arity::Exactly(1), as_text),
            scalar("ieee754", Arity::Exactly(2), assemble),
            scalar("ieee754_mantissa", Arity::Exactly(1), |context, args| answer_integer(context, parts(args).0)),
            scalar("ieee754_exponent", Arity::Exactly(1), |context, args| answer_integer(context, parts(args).1)),
            scalar("ieee754_to_blob", Arity::Exactly(1), to_blob),
            scalar("ieee754_from_blob", Arity::Exactly(1), from_blob),
            scalar("ieee754_inc", Arity::Exactly(2), increment),
        ]
    })
}

fn argument<'a>(args: &[ValueRef<'a>], at: usize) -> ValueRef<'a> {
    args.get(at).copied().unwrap_or_default()
}

fn answer_integer(context: &mut Context<'_>, integer: i64) -> Result {
    context.answer(ValueRef::Integer(integer))
}

/// A number, or its bytes, the highest first. Any other value is 0.
fn real(value: ValueRef<'_>) -> f64 {
    match value {
        ValueRef::Real(real) => real,
        ValueRef::Integer(integer) => integer as f64,
        ValueRef::Blob(bytes) => bytes.try_into().map_or(0.0, f64::from_be_bytes),
        _ => 0.0,
    }
}

/// Mantissa and exponent; factors of 2 are removed from the mantissa while the exponent is negative.
fn parts(args: &[ValueRef<'_>]) -> (i64, i64) {
    let real = real(argument(args, 0));
    let sign = if real < 0.0 { -1 } else { 1 };
    let bits = if real < 0.0 { -real } else { real }.to_bits().cast_signed();
    // (As in SQLite, the sign of -0.0 becomes part of the exponent.)
    let (mut mantissa, mut exponent) = (bits & (HIDDEN_BIT - 1), bits >> MANTISSA_BITS);
    mantissa = if exponent == 0 { mantissa << 1 } else { mantissa | HIDDEN_BIT };
    while exponent < EXPONENT_BIAS && mantissa > 0 && mantissa & 1 == 0 {
        mantissa >>= 1;
        exponent += 1;
    }
    (sign * mantissa, exponent - EXPONENT_BIAS)
}

fn as_text(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let (mantissa, exponent) = parts(args);
    context.answer(ValueRef::Text(format!("ieee754({mantissa},{exponent})").as_bytes()))
}

fn integer(value: ValueRef<'_>) -> i64 {
    match value {
        ValueRef::Integer(integer) => integer,
        ValueRef::Real(real) => real as i64,
        _ => 0,
    }
}

fn assemble(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let (number, exponent) = (integer(argument(args, 0)), integer(argument(args, 1)));
    let exponent = exponent.clamp(-EXPONENT_CLAMP, EXPONENT_CLAMP);
    let real = scaled(number.unsigned_abs(), exponent);
    context.answer(ValueRef::Real(if number < 0 { -real } else { real }))
}

/// mantissa * 2^exponent; bits that do not fit are dropped.
fn scaled(mantissa: u64, exponent: i64) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    // Move the highest bit to the place of the hidden one.
    let shift = i64::from(MANTISSA_BITS) - i64::from(mantissa.ilog2());
    let mantissa = if shift < 0 { mantissa >> -shift } else { mantissa << shift };
    let exponent = exponent - shift + EXPONENT_BIAS;
    let hidden = HIDDEN_BIT.cast_unsigned();
    let bits = match exponent {
        ..=0 => mantissa.checked_shr((1 - exponent) as u32).unwrap_or(0),
        1..EXPONENT_MAX => (mantissa & (hidden - 1)) | (exponent as u64) << MANTISSA_BITS,
        _ => (EXPONENT_MAX as u64) << MANTISSA_BITS,
    };
    f64::from_bits(bits)
}

fn to_blob(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match argument(args, 0) {
        number @ (ValueRef::Real(_) | ValueRef::Integer(_)) => {
            context.answer(ValueRef::Blob(&real(number).to_be_bytes()))
        }
        _ => context.answer(ValueRef::Null),
    }
}

fn from_blob(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match argument(args, 0) {
        ValueRef::Blob(bytes) if bytes.len() == size_of::<f64>() => {
            context.answer(ValueRef::Real(real(ValueRef::Blob(bytes))))
        }
        _ => context.answer(ValueRef::Null),
    }
}

/// The number whose bits, as an integer, are greater by the second argument.
fn increment(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let bits = real(argument(args, 0)).to_bits().wrapping_add_signed(integer(argument(args, 1)));
    context.answer(ValueRef::Real(f64::from_bits(bits)))
}
