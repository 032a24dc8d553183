//! Lists of Rust values as the parameters of a statement.

use lithe_engine::Result;
use lithe_engine::value::Value;

use super::{Statement, bind_all};
use crate::to_sql::ToSql;

/// Values for all parameters of a statement: an array or slice of one type, [`params!`](crate::params) for several types,
/// [`named_params!`](crate::named_params) by name, `[]` for none.
pub trait Params {
    /// Binds the values.
    fn bind_to(self, statement: &mut Statement<'_>) -> Result<()>;
}

/// No values. (A separate implementation, not `[T; 0]`, so that `[]` needs no type annotation.)
impl Params for [&dyn ToSql; 0] {
    fn bind_to(self, statement: &mut Statement<'_>) -> Result<()> {
        bind_all(statement, std::iter::empty())
    }
}

macro_rules! arrays {
    ($($n:literal)*) => { $(
        impl<T: ToSql> Params for [T; $n] {
            fn bind_to(self, statement: &mut Statement<'_>) -> Result<()> {
                bind_all(statement, self.iter().map(|v| v as &dyn ToSql))
            }
        }
    )* };
}

arrays!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);

impl Params for &[&dyn ToSql] {
    fn bind_to(self, statement: &mut Statement<'_>) -> Result<()> {
        bind_all(statement, self.iter().copied())
    }
}

impl Params for &[Value] {
    fn bind_to(self, statement: &mut Statement<'_>) -> Result<()> {
        bind_all(statement, self.iter().map(|v| v as &dyn ToSql))
    }
}

impl Params for &[(&str, &dyn ToSql)] {
    fn bind_to(self, statement: &mut Statement<'_>) -> Result<()> {
        for (name, value) in self {
            statement.bind_named(name, value)?;
        }
        Ok(())
    }
}
