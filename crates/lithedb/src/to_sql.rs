//! From Rust values to SQL values.

use lithe_engine::BindValue;
use lithe_engine::value::{Value, ValueRef};

/// A Rust value that can be bound to a parameter.
pub trait ToSql {
    /// Calls `f` once with the value. (A callback instead of a result, so that the value may be a temporary one.)
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>));
}

/// SQL's NULL.
#[derive(Clone, Copy, Debug, Default)]
pub struct Null;

/// A BLOB of this number of zero bytes, which is not allocated in memory.
#[derive(Clone, Copy, Debug)]
pub struct ZeroBlob(pub u64);

impl ToSql for Null {
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
        f(BindValue::Value(ValueRef::Null));
    }
}

impl ToSql for ZeroBlob {
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
        f(BindValue::ZeroBlob(self.0));
    }
}

macro_rules! integers {
    ($($ty:ty),*) => { $(
        impl ToSql for $ty {
            fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
                f(BindValue::Value(ValueRef::Integer(i64::from(*self))));
            }
        }
    )* };
}

integers!(i8, i16, i32, i64, u8, u16, u32, bool);

impl ToSql for f64 {
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
        f(BindValue::Value(ValueRef::from(*self)));
    }
}

impl ToSql for str {
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
        f(BindValue::Value(ValueRef::Text(self.as_bytes())));
    }
}

impl ToSql for String {
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
        self.as_str().with_value(f);
    }
}

impl ToSql for [u8] {
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
        f(BindValue::Value(ValueRef::Blob(self)));
    }
}

impl<const N: usize> ToSql for [u8; N] {
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
        self.as_slice().with_value(f);
    }
}

impl ToSql for Vec<u8> {
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
        self.as_slice().with_value(f);
    }
}

impl ToSql for Value {
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
        f(BindValue::Value(self.as_ref()));
    }
}

impl ToSql for ValueRef<'_> {
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
        f(BindValue::Value(*self));
    }
}

impl<T: ToSql> ToSql for Option<T> {
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
        match self {
            Some(value) => value.with_value(f),
            None => Null.with_value(f),
        }
    }
}

impl<T: ToSql + ?Sized> ToSql for &T {
    fn with_value(&self, f: &mut dyn FnMut(BindValue<'_>)) {
        (**self).with_value(f);
    }
}

/// Parameters of several types: `params![1, "x", None::<i64>]`.
#[macro_export]
macro_rules! params {
    () => { &[] as &[&dyn $crate::ToSql] };
    ($($value:expr),+ $(,)?) => { &[$(&$value as &dyn $crate::ToSql),+] as &[&dyn $crate::ToSql] };
}

/// Parameters by name: `named_params! { ":a": 1, ":b": "x" }`.
#[macro_export]
macro_rules! named_params {
    ($($name:literal : $value:expr),+ $(,)?) => {
        &[$(($name, &$value as &dyn $crate::ToSql)),+] as &[(&str, &dyn $crate::ToSql)]
    };
}
