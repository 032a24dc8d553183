//! Scalar functions.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `text` | length, upper, lower, concat, char, unicode, typeof |
//! | `quote` | quote, unistr, unistr_quote: values as literals |
//! | `substring` | substr, instr, replace, trim |
//! | `blob` | hex, unhex, zeroblob, randomblob, octet_length |
//! | `choice` | coalesce, iif, nullif, min, max: one of the arguments |
//! | `number` | abs, round, sign, random |
//! | `math` | the mathematical functions |
//! | `like` | like, glob, match |
//! | `soundex` | soundex: how a name sounds |
//! | `library` | the connection and the library: changes, versions, compile options |

mod blob;
mod choice;
mod library;
mod like;
mod math;
mod number;
pub(crate) mod quote;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod shortcut_tests;
mod soundex;
mod substring;
mod text;

pub(crate) use crate::signature::arg;
pub use library::{SOURCE_ID, VERSION, add_compile_options, compile_options};
pub use like::like_of_pragma;
pub(crate) use like::match_function;

use lithe_value::{NumberText, ValueRef, cast};

use crate::context::Context;
use crate::error::Result;
use crate::signature::{Arity, Flags, Scalar, ScalarFn};

/// The tables of the modules.
pub(crate) const TABLES: [&[Scalar]; 10] = [
    &text::FUNCTIONS,
    &substring::FUNCTIONS,
    &quote::FUNCTIONS,
    &blob::FUNCTIONS,
    &choice::FUNCTIONS,
    &number::FUNCTIONS,
    &math::FUNCTIONS,
    &like::FUNCTIONS,
    &library::FUNCTIONS,
    &soundex::FUNCTIONS,
];

/// An entry for a function whose result depends on its arguments and nothing else.
pub(crate) const fn pure(name: &'static str, args: u16, eval: ScalarFn) -> Scalar {
    Scalar { name, args: Arity::Exactly(args), flags: PURE, eval, shortcut: None }
}

/// Like [`pure`], with `args` or more arguments.
pub(crate) const fn pure_variadic(name: &'static str, args: u16, eval: ScalarFn) -> Scalar {
    Scalar { name, args: Arity::AtLeast(args), flags: PURE, eval, shortcut: None }
}

pub(crate) const PURE: Flags = Flags::INNOCUOUS.with(Flags::DETERMINISTIC).with(Flags::STABLE);

/// The bytes of an argument as text, `None` for NULL.
#[inline]
pub(crate) fn text_of<'a>(value: ValueRef<'a>, scratch: &'a mut NumberText) -> Option<&'a [u8]> {
    if value.is_null() { None } else { Some(cast::to_bytes(value, scratch)) }
}

/// Returns NULL.
#[inline]
pub(crate) fn null(context: &mut Context<'_>) -> Result {
    context.out.set_null();
    Ok(())
}
