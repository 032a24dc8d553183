//! How a function is called: the code of scalar functions, how many arguments there are, and what the planner may assume.

use lithe_value::ValueRef;

use crate::context::Context;
use crate::error::Result;

/// The code of a scalar function that keeps nothing, as built-in ones are.
pub type ScalarFn = fn(&mut Context<'_>, &[ValueRef<'_>]) -> Result;

/// A scalar function of the application.
pub trait ScalarFunction {
    /// Computes the result of one call into [`Context::out`].
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result;
}

/// A function of Rust, or a closure, is one as it stands.
impl<F: Fn(&mut Context<'_>, &[ValueRef<'_>]) -> Result> ScalarFunction for F {
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        self(context, args)
    }
}

/// An argument of a call. One that is not there is NULL: how many there are has been looked at when the call was compiled.
#[inline]
pub fn arg<'a>(args: &[ValueRef<'a>], index: usize) -> ValueRef<'a> {
    args.get(index).copied().unwrap_or(ValueRef::Null)
}

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// So many.
    Exactly(u16),
    /// So many or more.
    AtLeast(u16),
}

impl Arity {
    /// Whether a call with that many arguments fits.
    pub fn accepts(self, args: usize) -> bool {
        match self {
            Arity::Exactly(count) => args == usize::from(count),
            Arity::AtLeast(count) => args >= usize::from(count),
        }
    }

    /// The number in PRAGMA function_list: -1 for any number, -2 - n for n or more.
    pub fn narg(self) -> i32 {
        match self {
            Arity::Exactly(count) => i32::from(count),
            Arity::AtLeast(0) => -1,
            Arity::AtLeast(count) => -2 - i32::from(count),
        }
    }
}

/// What may be assumed of a function, and where it may stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u32);

impl Flags {
    /// The same arguments give the same result, always (SQLITE_DETERMINISTIC).
    pub const DETERMINISTIC: Flags = Flags(0x800);
    /// Not in triggers, views, or any other part of a schema (SQLITE_DIRECTONLY).
    pub const DIRECT_ONLY: Flags = Flags(0x8_0000);
    /// It asks for the subtypes of its arguments (SQLITE_SUBTYPE).
    pub const SUBTYPE: Flags = Flags(0x10_0000);
    /// May be called from a schema that is not trusted (SQLITE_INNOCUOUS).
    pub const INNOCUOUS: Flags = Flags(0x20_0000);
    /// It may set the subtype of its result (SQLITE_RESULT_SUBTYPE).
    pub const RESULT_SUBTYPE: Flags = Flags(0x100_0000);
    /// The same arguments give the same result while one statement runs. Ours, not shown to applications.
    pub const STABLE: Flags = Flags(1);
    /// The date functions: deterministic unless an argument says `now` or the like. Ours.
    pub const USES_CLOCK: Flags = Flags(1 << 1);
    /// The planner has its own code for it, so that arguments that are not wanted are not computed. Ours.
    pub const INLINE: Flags = Flags(1 << 2);

    /// A text that it answers has the subtype of JSON, always. Ours.
    pub const MAKES_JSON: Flags = Flags(1 << 3);
    /// It answers one of its arguments, with the subtype of that. Ours.
    pub const PASSES_SUBTYPE: Flags = Flags(1 << 4);

    /// What PRAGMA function_list shows.
    pub(crate) const PUBLIC: Flags = Flags(0x38_0800);

    /// Both.
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Whether all of `other` are among these.
    pub const fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One entry of a table of scalar functions.
#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    /// The name, in small letters.
    pub name: &'static str,
    /// How many arguments.
    pub args: Arity,
    /// What may be assumed of it.
    pub flags: Flags,
    /// Its code.
    pub eval: ScalarFn,
}
