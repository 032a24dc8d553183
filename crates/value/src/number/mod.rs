//! Numbers as text, to SQLite's last digit, and back.
//!
//! | module | its one subject |
//! | --- | --- |
//! | [`text`] | [`NumberText`]: a number as text, on the stack |
//! | [`decimal`] | [`Decimal`]: the decimal digits of a real, rounded |
//! | [`parse`](mod@parse) | the number at the start of a text |
//! | [`power`] | powers of ten, for the decimal digits |
//!
//! Text to real is correctly rounded, except that only as many digits count as fit an unsigned integer of 64 bits. Real
//! to text is not quite: SQLite multiplies by a power of ten truncated to 64 bits, and applications see and compare the
//! result. So [`decimal`] does the same multiplication.

pub mod decimal;
pub mod parse;
mod power;
pub mod text;

pub use decimal::Decimal;
pub(crate) use parse::numeric_prefix;
pub use parse::{Numeric, Parsed, decimal_to_real, integer_prefix, parse, text_to_real, whole_number};
pub use text::{NumberText, real_to_text, with_digits};
