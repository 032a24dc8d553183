//! From SQL values to Rust's.

use std::fmt;

use lithe_engine::value::{StorageClass, Value, ValueRef};

/// The reason why a value does not have the requested type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromSqlError {
    /// The value has another storage class.
    Class {
        /// The storage class of the value.
        found: StorageClass,
        /// The requested type.
        wanted: &'static str,
    },
    /// The integer does not fit.
    OutOfRange(i64),
    /// The text is not UTF-8.
    NotUtf8,
}

impl fmt::Display for FromSqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FromSqlError::Class { found, wanted } => write!(f, "{} value, {wanted} wanted", found.name()),
            FromSqlError::OutOfRange(value) => write!(f, "integer {value} out of range"),
            FromSqlError::NotUtf8 => f.write_str("text is not UTF-8"),
        }
    }
}

impl std::error::Error for FromSqlError {}

/// A Rust type to which an SQL value can be converted. References borrow from the row.
pub trait FromSql<'r>: Sized {
    /// The value, if it is of this type.
    fn from_sql(value: ValueRef<'r>) -> Result<Self, FromSqlError>;
}

fn wrong<T>(value: ValueRef<'_>, wanted: &'static str) -> Result<T, FromSqlError> {
    Err(FromSqlError::Class { found: value.class(), wanted })
}

macro_rules! integers {
    ($($ty:ty),*) => { $(
        impl FromSql<'_> for $ty {
            fn from_sql(value: ValueRef<'_>) -> Result<Self, FromSqlError> {
                let ValueRef::Integer(integer) = value else { return wrong(value, "integer") };
                <$ty>::try_from(integer).map_err(|_| FromSqlError::OutOfRange(integer))
            }
        }
    )* };
}

integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

impl FromSql<'_> for bool {
    fn from_sql(value: ValueRef<'_>) -> Result<Self, FromSqlError> {
        i64::from_sql(value).map(|i| i != 0)
    }
}

impl FromSql<'_> for f64 {
    fn from_sql(value: ValueRef<'_>) -> Result<Self, FromSqlError> {
        match value {
            ValueRef::Real(real) => Ok(real),
            ValueRef::Integer(integer) => Ok(integer as f64),
            _ => wrong(value, "real"),
        }
    }
}

impl<'r> FromSql<'r> for &'r str {
    fn from_sql(value: ValueRef<'r>) -> Result<Self, FromSqlError> {
        let ValueRef::Text(text) = value else { return wrong(value, "text") };
        std::str::from_utf8(text).map_err(|_| FromSqlError::NotUtf8)
    }
}

impl FromSql<'_> for String {
    fn from_sql(value: ValueRef<'_>) -> Result<Self, FromSqlError> {
        <&str>::from_sql(value).map(str::to_owned)
    }
}

impl<'r> FromSql<'r> for &'r [u8] {
    fn from_sql(value: ValueRef<'r>) -> Result<Self, FromSqlError> {
        value.bytes().map_or_else(|| wrong(value, "blob"), Ok)
    }
}

impl FromSql<'_> for Vec<u8> {
    fn from_sql(value: ValueRef<'_>) -> Result<Self, FromSqlError> {
        <&[u8]>::from_sql(value).map(<[u8]>::to_vec)
    }
}

impl<'r> FromSql<'r> for ValueRef<'r> {
    fn from_sql(value: ValueRef<'r>) -> Result<Self, FromSqlError> {
        Ok(value)
    }
}

impl FromSql<'_> for Value {
    fn from_sql(value: ValueRef<'_>) -> Result<Self, FromSqlError> {
        Ok(Value::from(value))
    }
}

impl<'r, T: FromSql<'r>> FromSql<'r> for Option<T> {
    fn from_sql(value: ValueRef<'r>) -> Result<Self, FromSqlError> {
        if value.is_null() { Ok(None) } else { T::from_sql(value).map(Some) }
    }
}
