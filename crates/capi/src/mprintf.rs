//! `sqlite3_mprintf` and its family: C arguments in, the text of SQL's `format()` out.
//!
//! The conversions are those of the SQL function, and it does them. Here the C arguments are taken in the types that
//! the format says, and become values:
//!
//! | conversion | C type | value |
//! | --- | --- | --- |
//! | `d i` | int, long, long long | integer |
//! | `u x X o p r` | their unsigned kind | integer |
//! | `e E f g G` | double | real |
//! | `c` | int | a text of one character |
//! | `s z q Q w j J` | char*; `z` is freed afterwards | text, NULL for a null pointer |

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use lithe_engine::function::format_values;
use lithe_engine::value::{Buffer, Value, ValueRef, utf8};

use crate::ffi_guard::guard;
use crate::memory;
use crate::variadic::{Arguments, CArgs};

/// The longest text that is made.
pub(crate) const LENGTH_MAX: usize = 1_000_000_000;

/// Why there is no text.
pub(crate) struct TooLong;

/// What a `%` begins.
struct Conversion {
    letter: u8,
    longs: usize,
    /// The precision, and whether it counts characters instead of bytes.
    precision: Option<usize>,
    counts_characters: bool,
}

/// One value for the SQL function.
enum Argument<'a> {
    Borrowed(ValueRef<'a>),
    Made(Value),
}

impl Argument<'_> {
    fn get(&self) -> ValueRef<'_> {
        match self {
            Argument::Borrowed(value) => *value,
            Argument::Made(value) => value.as_ref(),
        }
    }
}

/// The text.
///
/// # Safety
/// `format` ends with NUL, and the arguments are of the types that it says.
pub(crate) unsafe fn formatted(
    format: *const c_char,
    arguments: &mut Arguments,
    length_max: usize,
) -> Result<Buffer, TooLong> {
    // SAFETY: our caller's promise.
    let mut format = unsafe { crate::text::bytes(format) }.unwrap_or_default().to_vec();
    let mut values = Vec::new();
    let mut to_free: Vec<*mut c_void> = Vec::new();
    let mut at = 0;
    while let Some(found) = format[at..].iter().position(|&byte| byte == b'%') {
        at += found + 1;
        let Some((conversion, end)) = conversion(&format, at, arguments, &mut values) else { break };
        at = end;
        if conversion.letter == b'z' {
            // SQL's function has no memory to free, and does not know this one.
            format[at - 1] = b's';
        }
        // SAFETY: our caller's promise.
        match unsafe { argument(&conversion, arguments, &mut to_free) } {
            Some(value) => values.push(value),
            None if matches!(conversion.letter, b'%' | b'n') => {}
            None => {
                // What is no conversion ends the text, and what stands before it is kept.
                format.truncate(at - 1);
                break;
            }
        }
    }
    let values: Vec<ValueRef<'_>> = values.iter().map(Argument::get).collect();
    let made = format_values(&format, &values, length_max).map_err(|_| TooLong);
    for block in to_free {
        // SAFETY: the application gave it to be freed.
        unsafe { memory::free(block) };
    }
    made
}

/// Reads what stands between the `%` and the letter, and takes the arguments of `*`.
fn conversion<'a>(
    format: &[u8],
    mut at: usize,
    arguments: &mut Arguments,
    values: &mut Vec<Argument<'a>>,
) -> Option<(Conversion, usize)> {
    let mut found = Conversion { letter: 0, longs: 0, precision: None, counts_characters: false };
    while let Some(flag) = format.get(at).filter(|byte| b"-+ #!0,".contains(byte)) {
        found.counts_characters |= *flag == b'!';
        at += 1;
    }
    let star = |arguments: &mut Arguments, values: &mut Vec<Argument<'a>>| {
        let number = arguments.int();
        values.push(Argument::Borrowed(ValueRef::Integer(number.into())));
        number
    };
    let number = |at: &mut usize| {
        let digits = format[*at..].iter().take_while(|byte| byte.is_ascii_digit());
        let mut number = 0_usize;
        for digit in digits {
            number = number.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
            *at += 1;
        }
        number
    };
    if format.get(at) == Some(&b'*') {
        star(arguments, values);
        at += 1;
    } else {
        number(&mut at);
    }
    if format.get(at) == Some(&b'.') {
        at += 1;
        found.precision = if format.get(at) == Some(&b'*') {
            at += 1;
            // A negative precision is taken for its absolute value.
            Some(star(arguments, values).unsigned_abs() as usize)
        } else {
            Some(number(&mut at))
        };
    }
    while format.get(at) == Some(&b'l') {
        found.longs += 1;
        at += 1;
    }
    found.letter = *format.get(at)?;
    Some((found, at + 1))
}

/// Takes the argument of a conversion; `None` if it has none.
///
/// # Safety
/// The arguments are of the types that the format says.
unsafe fn argument<'a>(
    conversion: &Conversion,
    arguments: &mut Arguments,
    to_free: &mut Vec<*mut c_void>,
) -> Option<Argument<'a>> {
    let value = match conversion.letter {
        b'd' | b'i' | b'r' => ValueRef::Integer(match conversion.longs {
            0 => arguments.int().into(),
            #[allow(clippy::unnecessary_cast)] // a long has 32 bits on other systems
            1 => arguments.long() as i64,
            _ => arguments.int64(),
        }),
        b'u' | b'x' | b'X' | b'o' => ValueRef::Integer(match conversion.longs {
            0 => arguments.int().cast_unsigned().into(),
            1 => arguments.long().cast_unsigned() as i64,
            _ => arguments.int64(),
        }),
        b'p' => ValueRef::Integer(arguments.pointer::<c_void>() as i64),
        b'e' | b'E' | b'f' | b'g' | b'G' => ValueRef::Real(arguments.double()),
        b'c' => {
            let mut buffer = Buffer::new();
            utf8::encode(arguments.int().cast_unsigned(), &mut buffer);
            return Some(Argument::Made(Value::text(buffer)));
        }
        b's' | b'z' | b'q' | b'Q' | b'w' | b'j' | b'J' => {
            let text = arguments.text();
            if conversion.letter == b'z' && !text.is_null() {
                to_free.push(text.cast_mut().cast());
            }
            // SAFETY: our caller's promise.
            unsafe { text_argument(text, conversion) }
        }
        _ => return None,
    };
    Some(Argument::Borrowed(value))
}

/// A string argument, of which no more is looked at than the precision says: it may have no NUL.
///
/// # Safety
/// `text` is null, or ends with NUL, or is as long as the precision says.
unsafe fn text_argument<'a>(text: *const c_char, conversion: &Conversion) -> ValueRef<'a> {
    if text.is_null() {
        return ValueRef::Null;
    }
    // SAFETY: our caller's promise; strnlen stops at whichever comes first.
    unsafe {
        match conversion.precision {
            Some(precision) if !conversion.counts_characters => {
                ValueRef::Text(std::slice::from_raw_parts(text.cast(), libc::strnlen(text, precision)))
            }
            _ => ValueRef::Text(crate::text::sized(text.cast(), -1)),
        }
    }
}

/// `sqlite3_mprintf`, behind its C half.
#[unsafe(no_mangle)]
unsafe extern "C" fn lithe_mprintf(format: *const c_char, args: *mut CArgs) -> *mut c_char {
    guard(|| {
        if format.is_null() {
            return null_mut();
        }
        // SAFETY: the C half hands on what it was called with.
        let made = unsafe { formatted(format, &mut Arguments::new(args), LENGTH_MAX) };
        made.map_or(null_mut(), |text| memory::copy_text(text.as_slice()))
    })
}

/// `sqlite3_snprintf`, behind its C half.
#[unsafe(no_mangle)]
unsafe extern "C" fn lithe_snprintf(
    n: c_int,
    buffer: *mut c_char,
    format: *const c_char,
    args: *mut CArgs,
) -> *mut c_char {
    guard(|| {
        let Some(room) = usize::try_from(n).ok().and_then(|n| n.checked_sub(1)) else { return buffer };
        if buffer.is_null() || format.is_null() {
            return buffer;
        }
        // SAFETY: the C half hands on what it was called with; the buffer has room for `n` bytes.
        unsafe {
            let made = formatted(format, &mut Arguments::new(args), LENGTH_MAX).unwrap_or_else(|TooLong| Buffer::new());
            let text = &made.as_slice()[..made.len().min(room)];
            buffer.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len());
            buffer.add(text.len()).write(0);
        }
        buffer
    })
}

/// `sqlite3_log`, behind its C half.
#[unsafe(no_mangle)]
unsafe extern "C" fn lithe_log(code: c_int, format: *const c_char, args: *mut CArgs) {
    guard(|| {
        if !crate::error_log::is_kept() || format.is_null() {
            return;
        }
        // SAFETY: the C half hands on what it was called with.
        if let Ok(text) = unsafe { formatted(format, &mut Arguments::new(args), LENGTH_MAX) } {
            crate::error_log::write(code, &[text.as_slice()]);
        }
    });
}
