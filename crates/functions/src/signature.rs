//! How a function is called: the code of scalar functions, the number of arguments, and what the planner may assume.

use lithe_value::ValueRef;

use crate::context::{CallSite, Connection, Context};
use crate::error::Result;

/// The code of a scalar function without state, as the built-in ones are.
pub type ScalarFn = fn(&mut Context<'_>, &[ValueRef<'_>]) -> Result;

/// A shortcut past the [`Context`] of a built-in function, for the usual values of its arguments, of texts in UTF-8. It answers `None` if
/// the function has to be called; then nothing has happened. Both have the same results.
#[derive(Clone, Copy, Debug)]
pub enum Shortcut {
    /// An integer that follows from one value.
    Integer(fn(ValueRef<'_>) -> Option<i64>),
    /// A constant of at most [`SHORT_TEXT_MAX`] bytes that follows from one value.
    Name(fn(ValueRef<'_>) -> &'static str),
    /// Whether a text, the second argument, satisfies the first one.
    Condition(ConditionFn),
    /// A number, NULL, a part of an argument or a text that fits the [`ShortText`].
    Value(ShortcutFn),
}

/// The shortcut of a condition on a text: of its two arguments, with what the call site has kept.
pub type ConditionFn = fn(&[u8], &[u8], &CallSite, &dyn Connection) -> Option<bool>;

/// A shortcut to any value.
pub type ShortcutFn = for<'a> fn(&[ValueRef<'a>], Beside<'a>) -> Option<ValueRef<'a>>;

/// What a shortcut may use beside the arguments.
pub struct Beside<'a> {
    /// What the call site has kept.
    pub site: &'a CallSite,
    /// The connection.
    pub connection: &'a dyn Connection,
    /// Memory for the result.
    pub memory: &'a mut ShortText,
}

/// Memory for the result of a shortcut.
pub type ShortText = [u8; SHORT_TEXT_MAX];

/// The longest text that the result of a shortcut may be.
pub const SHORT_TEXT_MAX: usize = 22;

/// A scalar function of the application.
pub trait ScalarFunction {
    /// Computes the result of one call into [`Context::out`].
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result;

    /// The connection has another function in its place, or none. No statement calls it any more, though some that are to be compiled
    /// again may hold it.
    fn removed(&self) {}
}

/// Every Rust function or closure of this signature is a scalar function.
impl<F: Fn(&mut Context<'_>, &[ValueRef<'_>]) -> Result> ScalarFunction for F {
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        self(context, args)
    }
}

/// An argument of a call. A missing argument is NULL: the compiler has already checked the number of arguments.
#[inline]
pub fn arg<'a>(args: &[ValueRef<'a>], index: usize) -> ValueRef<'a> {
    args.get(index).copied().unwrap_or(ValueRef::Null)
}

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Exactly this number.
    Exactly(u16),
    /// This number or more.
    AtLeast(u16),
}

impl Arity {
    /// Whether a call with `args` arguments matches.
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

/// What may be assumed about a function, and where it may be called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u32);

impl Flags {
    /// The same arguments always have the same result (SQLITE_DETERMINISTIC).
    pub const DETERMINISTIC: Flags = Flags(0x800);
    /// The function cannot be called in triggers, views, or any other part of a schema (SQLITE_DIRECTONLY).
    pub const DIRECT_ONLY: Flags = Flags(0x8_0000);
    /// The function reads the subtypes of its arguments (SQLITE_SUBTYPE).
    pub const SUBTYPE: Flags = Flags(0x10_0000);
    /// The function may be called from a schema that is not trusted (SQLITE_INNOCUOUS).
    pub const INNOCUOUS: Flags = Flags(0x20_0000);
    /// The function may set the subtype of its result (SQLITE_RESULT_SUBTYPE).
    pub const RESULT_SUBTYPE: Flags = Flags(0x100_0000);
    /// The same arguments have the same result while one statement runs. Internal, not shown to applications.
    pub(crate) const STABLE: Flags = Flags(1);
    /// The date functions: deterministic unless an argument is `now` or similar. Internal.
    pub const USES_CLOCK: Flags = Flags(1 << 1);
    /// The planner has its own code for the function, so that unneeded arguments are not evaluated. Internal.
    pub const INLINE: Flags = Flags(1 << 2);

    /// A text result always has the subtype of JSON. Internal.
    pub const MAKES_JSON: Flags = Flags(1 << 3);
    /// The function returns one of its arguments, with the subtype of that argument. Internal.
    pub const PASSES_SUBTYPE: Flags = Flags(1 << 4);

    /// LIKE as PRAGMA case_sensitive_like has defined it: a function of the application that the planner knows. Internal.
    pub const DEFINED_BY_PRAGMA: Flags = Flags(1 << 5);

    /// Of its argument, the function reads the type only. Internal.
    pub const READS_TYPE: Flags = Flags(1 << 6);
    /// Of an argument that is a BLOB, the function reads the length only. Internal.
    pub const READS_LENGTH: Flags = Flags(1 << 7);
    /// Of an argument that is a BLOB or a text, the function reads only how many bytes it takes in the database. Internal.
    pub const READS_SIZE: Flags = Flags(1 << 8);

    /// The flags that PRAGMA function_list shows.
    pub(crate) const PUBLIC: Flags = Flags(0x38_0800);

    /// The union of both.
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Whether all flags of `other` are set in `self`.
    pub const fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One entry of a table of scalar functions.
#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    /// The name, in lower case.
    pub name: &'static str,
    /// The number of arguments.
    pub args: Arity,
    /// What may be assumed about the function.
    pub flags: Flags,
    /// The code of the function.
    pub eval: ScalarFn,
    /// Its shortcut, if it has one.
    pub shortcut: Option<Shortcut>,
}

impl Scalar {
    /// The same with a shortcut.
    pub(crate) const fn or_shortcut(self, shortcut: Shortcut) -> Scalar {
        Scalar { shortcut: Some(shortcut), ..self }
    }

    /// The same function with more flags.
    pub(crate) const fn and(self, flags: Flags) -> Scalar {
        Scalar { flags: self.flags.with(flags), ..self }
    }
}
