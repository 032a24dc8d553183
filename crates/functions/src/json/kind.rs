//! The kinds of values in JSONB: the low half of the first byte.

/// null.
pub const NULL: u8 = 0;
/// true.
pub const TRUE: u8 = 1;
/// false.
pub const FALSE: u8 = 2;
/// An integer in decimal digits.
pub const INT: u8 = 3;
/// A hexadecimal integer.
pub const INT5: u8 = 4;
/// A number with a fraction or an exponent.
pub const FLOAT: u8 = 5;
/// A number with no digit before or after its point.
pub const FLOAT5: u8 = 6;
/// A string without escapes.
pub const TEXT: u8 = 7;
/// A string with escapes of JSON.
pub const TEXTJ: u8 = 8;
/// A string with escapes of JSON5.
pub const TEXT5: u8 = 9;
/// A string whose bytes are unescaped.
pub const TEXTRAW: u8 = 10;
/// An array.
pub const ARRAY: u8 = 11;
/// An object.
pub const OBJECT: u8 = 12;
