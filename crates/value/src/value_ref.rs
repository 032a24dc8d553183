//! A borrowed value: 24 bytes, `Copy`, no allocation.
//!
//! The common type of values. A register, a column of a record, a bound parameter and a literal are all passed as a
//! [`ValueRef`] to functions, comparisons and the record builder.

use std::fmt;

/// An SQL value that borrows its text or blob.
///
/// Text is bytes in UTF-8, not validated. A real is never NaN: SQLite stores NaN as NULL, and [`ValueRef::from`]`(f64)`
/// makes NULL of a NaN that a computation yields.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ValueRef<'a> {
    /// NULL.
    #[default]
    Null,
    /// A signed integer of 64 bits.
    Integer(i64),
    /// An IEEE 754 double, not NaN.
    Real(f64),
    /// Text, in UTF-8 but not validated.
    Text(&'a [u8]),
    /// A string of bytes.
    Blob(&'a [u8]),
}

const _: () = assert!(size_of::<ValueRef<'_>>() == 24);

/// The five storage classes, in the order in which values sort.
///
/// INTEGER and REAL sort as one class; everything else sorts by class first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StorageClass {
    /// NULL.
    Null,
    /// A signed integer of 64 bits.
    Integer,
    /// An IEEE 754 double.
    Real,
    /// Text.
    Text,
    /// A string of bytes.
    Blob,
}

impl StorageClass {
    /// The bit of this class in a byte that is a set of classes.
    #[inline]
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The result of `typeof()`.
    pub fn name(self) -> &'static str {
        match self {
            StorageClass::Null => "null",
            StorageClass::Integer => "integer",
            StorageClass::Real => "real",
            StorageClass::Text => "text",
            StorageClass::Blob => "blob",
        }
    }
}

impl<'a> ValueRef<'a> {
    /// The storage class.
    #[inline]
    pub fn class(self) -> StorageClass {
        match self {
            ValueRef::Null => StorageClass::Null,
            ValueRef::Integer(_) => StorageClass::Integer,
            ValueRef::Real(_) => StorageClass::Real,
            ValueRef::Text(_) => StorageClass::Text,
            ValueRef::Blob(_) => StorageClass::Blob,
        }
    }

    /// Whether this is NULL.
    #[inline]
    pub fn is_null(self) -> bool {
        matches!(self, ValueRef::Null)
    }

    /// Whether this is an INTEGER or a REAL.
    #[inline]
    pub fn is_number(self) -> bool {
        matches!(self, ValueRef::Integer(_) | ValueRef::Real(_))
    }

    /// The bytes of a text or a blob; `None` for the other classes.
    #[inline]
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes),
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => None,
        }
    }
}

impl From<i64> for ValueRef<'_> {
    #[inline]
    fn from(integer: i64) -> Self {
        ValueRef::Integer(integer)
    }
}

impl From<f64> for ValueRef<'_> {
    /// NaN becomes NULL, as everywhere in SQLite.
    #[inline]
    fn from(real: f64) -> Self {
        if real.is_nan() { ValueRef::Null } else { ValueRef::Real(real) }
    }
}

impl From<bool> for ValueRef<'_> {
    #[inline]
    fn from(truth: bool) -> Self {
        ValueRef::Integer(i64::from(truth))
    }
}

impl<'a> From<&'a str> for ValueRef<'a> {
    #[inline]
    fn from(text: &'a str) -> Self {
        ValueRef::Text(text.as_bytes())
    }
}

/// The value in SQL syntax: for messages, tests and debugging. Text that is not UTF-8 is shown with replacement
/// characters.
impl fmt::Display for ValueRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ValueRef::Null => f.write_str("NULL"),
            ValueRef::Integer(integer) => write!(f, "{integer}"),
            ValueRef::Real(real) => f.write_str(crate::NumberText::from(real).as_str()),
            ValueRef::Text(text) => {
                write!(f, "'{}'", String::from_utf8_lossy(text).replace('\'', "''"))
            }
            ValueRef::Blob(blob) => {
                f.write_str("x'")?;
                blob.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str("'")
            }
        }
    }
}
