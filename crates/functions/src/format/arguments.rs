//! The arguments of a format's conversions.

use lithe_value::{NumberText, ValueRef, cast, utf8};

/// An integer as C passes it. SQL has one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerType {
    /// `int`
    Int,
    /// `unsigned`
    Unsigned,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`, signed or not: the bits.
    LongLong,
    /// `void*`
    Pointer,
}

/// The arguments of a format, one after the other.
pub trait FormatArguments {
    /// The number of a `*`.
    fn number(&mut self) -> i64;

    /// An integer, or its bits.
    fn integer(&mut self, of: IntegerType) -> i64;

    /// A real.
    fn real(&mut self) -> f64;

    /// A text that begins with the character of `%c`.
    fn character<'s>(&'s mut self, scratch: &'s mut NumberText) -> &'s [u8];

    /// A text up to its first NUL, or at least the first `limit` bytes of that; `None` for NULL. One that `is_freed` belongs to the caller.
    fn text<'s>(&'s mut self, limit: Option<usize>, is_freed: bool, scratch: &'s mut NumberText) -> Option<&'s [u8]>;
}

/// The arguments of the SQL function that have not been used yet. NULLs follow the last one.
pub(super) struct Args<'a>(pub &'a [ValueRef<'a>]);

impl<'a> Args<'a> {
    fn next(&mut self) -> ValueRef<'a> {
        let (first, rest) = self.0.split_first().map_or((ValueRef::Null, self.0), |(&first, rest)| (first, rest));
        self.0 = rest;
        first
    }
}

impl FormatArguments for Args<'_> {
    fn number(&mut self) -> i64 {
        cast::to_integer(self.next())
    }

    fn integer(&mut self, _: IntegerType) -> i64 {
        cast::to_integer(self.next())
    }

    fn real(&mut self) -> f64 {
        cast::to_real(self.next())
    }

    fn character<'s>(&'s mut self, scratch: &'s mut NumberText) -> &'s [u8] {
        cast::to_bytes(self.next(), scratch)
    }

    fn text<'s>(&'s mut self, _: Option<usize>, _: bool, scratch: &'s mut NumberText) -> Option<&'s [u8]> {
        let value = self.next();
        if value.is_null() { None } else { Some(utf8::until_nul(cast::to_bytes(value, scratch))) }
    }
}
