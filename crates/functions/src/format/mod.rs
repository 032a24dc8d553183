//! `format()`, also called `printf()`.
//!
//! ```text
//!   % [flags] [width] [.precision] [l] conversion
//!      - + space # 0 ! ,
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `spec` | parsing the text after a `%` |
//! | `integer` | %d %u %x %X %o %p %r |
//! | `real` | %f %e %g |
//! | `text` | %s %c %q %Q %w %j %J |
//! | `arguments` | the source of values: SQL, or the arguments of a function in C |
//! | `output`, `scratch` | the text so far, and one number of it |

mod arguments;
mod integer;
mod output;
mod real;
mod scratch;
mod spec;
mod text;

use lithe_value::{Buffer, NumberText, ValueRef, bytes, cast, utf8};

use crate::context::Context;
use crate::error::Result;
use crate::scalar::{null, pure_variadic};
use crate::signature::Scalar;
use arguments::Args;
pub use arguments::{FormatArguments, IntegerType};
pub use output::Output;
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
    let mut output = Output::appending_to(context.out.take_buffer(), length_max);
    write(&mut output, format, &mut Args(args))?;
    context.answer_text(output.into_buffer())
}

/// The text of `format(format, values…)`, at most `length_max` bytes.
pub fn format_values(format: &[u8], values: &[ValueRef<'_>], length_max: usize) -> Result<Buffer> {
    let mut output = Output::appending_to(Buffer::new(), length_max);
    write(&mut output, format, &mut Args(values))?;
    Ok(output.into_buffer())
}

/// Writes the text of `format` with arguments of any kind, for callers that format without SQL (the C interface's
/// `sqlite3_mprintf`). All arguments are consumed, even if the text gets too long.
pub fn format_arguments<A: FormatArguments>(output: &mut Output<'_>, format: &[u8], args: &mut A) -> Result {
    let mut rest = format;
    let written = write_until_end(output, &mut rest, args);
    if written.is_err() {
        take_arguments(rest, args);
    }
    written
}

/// Writes `format` with its conversions replaced. An invalid conversion ends the text.
fn write(output: &mut Output<'_>, format: &[u8], args: &mut Args<'_>) -> Result {
    write_until_end(output, &mut &*format, args)
}

fn write_until_end<A: FormatArguments>(output: &mut Output<'_>, rest: &mut &[u8], args: &mut A) -> Result {
    // The text between two conversions is usually short.
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        output.push(bytes::up_to(rest, at))?;
        *rest = bytes::after(rest, at + 1);
        let Some((letter, behind)) = rest.split_first() else { return output.push(b"%") };
        if matches!(letter, b'd' | b's' | b'x') {
            *rest = behind;
            write_plain(output, *letter, args)?;
            continue;
        }
        let Some((spec, conversion)) = Spec::parse(rest, args) else { return Ok(()) };
        convert(output, &spec, conversion, args)?;
    }
    if rest.is_empty() { Ok(()) } else { output.push(rest) }
}

/// Writes one of the usual conversions without flags, width and precision.
#[inline]
fn write_plain<A: FormatArguments>(output: &mut Output<'_>, letter: u8, args: &mut A) -> Result {
    match letter {
        b'd' => integer::write_signed(output, args.integer(IntegerType::Int)),
        b'x' => integer::write_hex(output, args.integer(IntegerType::Unsigned) as u64),
        _ => output.push(args.text(None, false, &mut NumberText::default()).unwrap_or_default()),
    }
}

#[inline(never)]
fn convert<A: FormatArguments>(output: &mut Output<'_>, spec: &Spec, conversion: Conversion, args: &mut A) -> Result {
    match conversion {
        Conversion::Percent => output.push_padded(b"%", 1, spec),
        Conversion::Nothing => Ok(()),
        Conversion::Integer(kind) => integer::write(output, spec, kind, args.integer(kind.c_type(spec.longs))),
        Conversion::Real(kind) => real::write(output, spec, kind, args.real()),
        _ => convert_text(output, spec, conversion, args),
    }
}

#[inline(never)]
fn convert_text<A: FormatArguments>(
    output: &mut Output<'_>,
    spec: &Spec,
    conversion: Conversion,
    args: &mut A,
) -> Result {
    let mut scratch = NumberText::default();
    let limit = spec.precision.filter(|_| !spec.alternate2);
    match conversion {
        Conversion::Percent | Conversion::Nothing | Conversion::Integer(_) | Conversion::Real(_) => Ok(()),
        Conversion::Character => text::write_character(output, spec, args.character(&mut scratch)),
        Conversion::Text { is_freed } => text::write_text(output, spec, args.text(limit, is_freed, &mut scratch)),
        Conversion::Quoted(kind) => text::write_quoted(output, spec, kind, args.text(limit, false, &mut scratch)),
        Conversion::Json { quoted } => text::write_json(output, spec, quoted, args.text(limit, false, &mut scratch)),
    }
}

/// Consumes the arguments of the rest of a format that is not written.
#[cold]
fn take_arguments<A: FormatArguments>(mut rest: &[u8], args: &mut A) {
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        rest = bytes::after(rest, at + 1);
        let Some((spec, conversion)) = Spec::parse(&mut rest, args) else { return };
        let mut scratch = NumberText::default();
        match conversion {
            Conversion::Percent | Conversion::Nothing => {}
            Conversion::Integer(kind) => {
                let _ = args.integer(kind.c_type(spec.longs));
            }
            Conversion::Real(_) => {
                let _ = args.real();
            }
            Conversion::Character => {
                let _ = args.character(&mut scratch).len();
            }
            Conversion::Text { is_freed } => {
                let _ = args.text(Some(0), is_freed, &mut scratch);
            }
            Conversion::Quoted(_) | Conversion::Json { .. } => {
                let _ = args.text(Some(0), false, &mut scratch);
            }
        }
    }
}

/// The text of `format('%.16g', real)`, for `strftime('%J')`.
pub(crate) fn general(real: f64, digits: usize, out: &mut Buffer) {
    let spec = Spec { precision: Some(digits), ..Spec::default() };
    let mut output = Output::appending_to(std::mem::take(out), usize::MAX);
    let written = real::write(&mut output, &spec, spec::Real::General, real);
    debug_assert!(written.is_ok(), "a number has no more digits than memory has bytes");
    *out = output.into_buffer();
}

#[cfg(test)]
mod tests;
