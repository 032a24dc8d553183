//! `format()`, also called `printf()`.
//!
//! ```text
//!   % [flags] [width] [.precision] [l] conversion
//!      - + space # 0 ! ,
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `spec` | reading what follows a `%` |
//! | `integer` | %d %u %x %X %o %p %r |
//! | `real` | %f %e %g |
//! | `text` | %s %c %q %Q %w %j %J |

mod integer;
mod real;
mod spec;
mod text;

use lithe_value::{Buffer, NumberText, ValueRef, bytes, cast, utf8};

use crate::context::Context;
use crate::error::{FunctionError, Result};
use crate::scalar::{null, pure_variadic};
use crate::signature::Scalar;
use spec::{Conversion, Spec};

pub(crate) const FUNCTIONS: [Scalar; 2] = [pure_variadic("format", 0, format), pure_variadic("printf", 0, format)];

fn format(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let Some((&format, args)) = args.split_first() else { return null(context) };
    if format.is_null() {
        return null(context);
    }
    let mut scratch = NumberText::default();
    let format = utf8::until_nul(cast::to_bytes(format, &mut scratch));
    let length_max = context.connection.length_max();
    let mut output = Output { buffer: context.out.take_buffer(), length_max };
    write(&mut output, format, &mut Args(args))?;
    context.answer_text(output.buffer)
}

/// The text of `format(format, values…)`, at most `length_max` bytes. Programs that fill in a format of their own
/// without SQL (the C interface's `sqlite3_mprintf`) come in here.
pub fn format_values(format: &[u8], values: &[ValueRef<'_>], length_max: usize) -> Result<Buffer> {
    let mut output = Output { buffer: Buffer::new(), length_max };
    write(&mut output, format, &mut Args(values))?;
    Ok(output.buffer)
}

/// The arguments not used yet. Behind the last one come NULLs.
struct Args<'a>(&'a [ValueRef<'a>]);

impl<'a> Args<'a> {
    fn next(&mut self) -> ValueRef<'a> {
        let (first, rest) = self.0.split_first().map_or((ValueRef::Null, self.0), |(&first, rest)| (first, rest));
        self.0 = rest;
        first
    }
}

/// The text so far, which never gets longer than the limit.
struct Output {
    buffer: Buffer,
    length_max: usize,
}

impl Output {
    /// Fails if one conversion alone may be too long. To be asked before memory is, when the format sets the length.
    fn check_conversion(&self, length: usize) -> Result {
        if length > self.length_max { Err(FunctionError::too_big()) } else { Ok(()) }
    }

    /// Fails if the text gets too long by so much more. SQLite has a NUL behind it, which counts.
    fn check(&self, additional: usize) -> Result {
        self.check_conversion(self.buffer.len().saturating_add(additional).saturating_add(1))
    }

    fn push(&mut self, text: &[u8]) -> Result {
        self.check(text.len())?;
        self.buffer.try_reserve(text.len())?;
        self.buffer.extend(text);
        Ok(())
    }

    fn fill(&mut self, byte: u8, count: usize) -> Result {
        self.check(count)?;
        self.buffer.try_reserve(count)?;
        self.buffer.fill(byte, count);
        Ok(())
    }

    fn repeat(&mut self, text: &[u8], count: usize) -> Result {
        let length = text.len().saturating_mul(count);
        self.check(length)?;
        self.buffer.try_reserve(length)?;
        (0..count).for_each(|_| self.buffer.extend(text));
        Ok(())
    }

    /// Writes `text` with spaces before or behind it, until it has the width of `spec`. `len` is how wide it counts.
    fn push_padded(&mut self, text: &[u8], len: usize, spec: &Spec) -> Result {
        let padding = spec.width.saturating_sub(len);
        if !spec.left {
            self.fill(b' ', padding)?;
        }
        self.push(text)?;
        if spec.left {
            self.fill(b' ', padding)?;
        }
        Ok(())
    }
}

/// Writes `format` with its conversions replaced. A conversion that is none ends the text.
fn write(output: &mut Output, format: &[u8], args: &mut Args<'_>) -> Result {
    let mut rest = format;
    while let Some(at) = memchr::memchr(b'%', rest) {
        output.push(bytes::first(rest, at))?;
        rest = bytes::behind(rest, at + 1);
        if rest.is_empty() {
            return output.push(b"%");
        }
        let Some((spec, conversion)) = Spec::parse(&mut rest, args) else { return Ok(()) };
        convert(output, &spec, conversion, args)?;
    }
    output.push(rest)
}

fn convert(output: &mut Output, spec: &Spec, conversion: Conversion, args: &mut Args<'_>) -> Result {
    match conversion {
        Conversion::Percent => output.push_padded(b"%", 1, spec),
        Conversion::Nothing => Ok(()),
        Conversion::Integer(kind) => integer::write(output, spec, kind, cast::to_integer(args.next())),
        Conversion::Real(kind) => real::write(output, spec, kind, cast::to_real(args.next())),
        Conversion::Character => text::write_character(output, spec, args.next()),
        Conversion::Text => text::write_text(output, spec, args.next()),
        Conversion::Quoted(kind) => text::write_quoted(output, spec, kind, args.next()),
        Conversion::Json { quoted } => text::write_json(output, spec, quoted, args.next()),
    }
}

/// The text of `format('%.16g', real)`: what `strftime('%J')` needs.
pub(crate) fn general(real: f64, digits: usize, out: &mut Buffer) {
    let spec = Spec { precision: Some(digits), ..Spec::default() };
    let mut output = Output { buffer: std::mem::take(out), length_max: usize::MAX };
    let written = real::write(&mut output, &spec, spec::Real::General, real);
    debug_assert!(written.is_ok(), "a number has no more digits than memory has bytes");
    *out = output.buffer;
}

#[cfg(test)]
mod tests;
