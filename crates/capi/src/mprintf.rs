//! `sqlite3_mprintf` and its family: C arguments in, the text of SQL's `format()` out.
//!
//! The SQL function does the conversions. Here the C arguments are read in the types that the format gives, when a
//! conversion needs its value:
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

use lithe_engine::function::{FormatArguments, FormatOutput, IntegerType, format_arguments};
use lithe_engine::value::{Buffer, NumberText, utf8};

use crate::ffi_guard::guard;
use crate::memory;
use crate::variadic::{Arguments, CArgs};

/// The longest text that is made.
pub(crate) const LENGTH_MAX: usize = 1_000_000_000;

/// The size of the buffer on the stack: a shorter text is allocated only for the application.
pub(crate) const SHORT_LEN: usize = 256;

/// The text exceeds the limit.
pub(crate) struct TooLong;

/// The arguments of a call, in the types that the format gives.
struct Formatted<'a> {
    arguments: &'a mut Arguments,
    /// The character of a `%c`.
    character: Buffer,
    /// The texts of `%z`.
    to_free: Vec<*mut c_void>,
}

impl FormatArguments for Formatted<'_> {
    fn number(&mut self) -> i64 {
        self.arguments.int().into()
    }

    fn integer(&mut self, of: IntegerType) -> i64 {
        match of {
            IntegerType::Int => self.arguments.int().into(),
            IntegerType::Unsigned => self.arguments.int().cast_unsigned().into(),
            #[allow(clippy::unnecessary_cast)] // a long has 32 bits on other systems
            IntegerType::Long => self.arguments.long() as i64,
            IntegerType::UnsignedLong => self.arguments.long().cast_unsigned() as i64,
            IntegerType::LongLong => self.arguments.int64(),
            IntegerType::Pointer => self.arguments.pointer::<c_void>() as i64,
        }
    }

    fn real(&mut self) -> f64 {
        self.arguments.double()
    }

    fn character<'s>(&'s mut self, _: &'s mut NumberText) -> &'s [u8] {
        self.character.clear();
        utf8::encode(self.arguments.int().cast_unsigned(), &mut self.character);
        self.character.as_slice()
    }

    fn text<'s>(&'s mut self, limit: Option<usize>, is_freed: bool, _: &'s mut NumberText) -> Option<&'s [u8]> {
        let text = self.arguments.text();
        if text.is_null() {
            return None;
        }
        if is_freed {
            self.to_free.push(text.cast_mut().cast());
        }
        // SAFETY: the promise of `write`: the text ends with NUL, or is as long as the precision says; strnlen stops at
        // the first of these.
        Some(unsafe {
            match limit {
                Some(limit) => std::slice::from_raw_parts(text.cast(), libc::strnlen(text, limit)),
                None => crate::text::sized(text.cast(), -1),
            }
        })
    }
}

/// Writes the text.
///
/// # Safety
/// `format` is null or ends with NUL, and the arguments are of the types that it gives. Their texts end with NUL, or
/// are as long as the precision says.
pub(crate) unsafe fn write(
    output: &mut FormatOutput<'_>,
    format: *const c_char,
    arguments: &mut Arguments,
) -> Result<(), TooLong> {
    // SAFETY: our caller's promise.
    let format = unsafe { crate::text::bytes(format) }.unwrap_or_default();
    let mut formatted = Formatted { arguments, character: Buffer::new(), to_free: Vec::new() };
    let written = format_arguments(output, format, &mut formatted);
    for block in formatted.to_free {
        // SAFETY: the application passed it to be freed.
        unsafe { memory::free(block) };
    }
    written.map_err(|_| TooLong)
}

/// `sqlite3_mprintf`, behind its C half.
#[unsafe(no_mangle)]
unsafe extern "C" fn lithe_mprintf(format: *const c_char, args: *mut CArgs) -> *mut c_char {
    guard(|| {
        if format.is_null() {
            return null_mut();
        }
        let mut place = [0; SHORT_LEN];
        let mut output = FormatOutput::growing_from(&mut place, LENGTH_MAX);
        // SAFETY: the C half passes on its own arguments.
        let written = unsafe { write(&mut output, format, &mut Arguments::new(args)) };
        written.map_or(null_mut(), |()| memory::copy_text(output.as_slice()))
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
        let Some(len_max) = usize::try_from(n).ok().and_then(|n| n.checked_sub(1)) else { return buffer };
        if buffer.is_null() || format.is_null() {
            return buffer;
        }
        // SAFETY: the C half passes on its own arguments; the buffer has `n` bytes.
        unsafe {
            // An argument may lie in the buffer, so the text is made elsewhere and copied.
            let mut place = [0; SHORT_LEN];
            let mut output = FormatOutput::growing_from(&mut place, LENGTH_MAX);
            let written = write(&mut output, format, &mut Arguments::new(args));
            let text = written.map_or(&[][..], |()| output.as_slice());
            let text = &text[..text.len().min(len_max)];
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
        let mut place = [0; SHORT_LEN];
        let mut output = FormatOutput::growing_from(&mut place, LENGTH_MAX);
        // SAFETY: the C half passes on its own arguments.
        if let Ok(()) = unsafe { write(&mut output, format, &mut Arguments::new(args)) } {
            crate::error_log::write(code, &[output.as_slice()]);
        }
    });
}
