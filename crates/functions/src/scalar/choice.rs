//! One of the arguments.
//!
//! The planner makes jumps of most of these, so that what is not chosen is not computed; the functions are here for
//! whoever calls them otherwise.

use lithe_value::{ValueRef, cast, compare};

use super::{PURE, null, pure_variadic};
use crate::context::Context;
use crate::error::Result;
use crate::function::{Arity, Flags, Scalar, ScalarFn};

pub(super) const FUNCTIONS: [Scalar; 10] = [
    inline("coalesce", Arity::AtLeast(2), coalesce),
    inline("if", Arity::AtLeast(2), iif),
    inline("ifnull", Arity::Exactly(2), coalesce),
    inline("iif", Arity::AtLeast(2), iif),
    inline("likelihood", Arity::Exactly(2), first),
    inline("likely", Arity::Exactly(1), first),
    pure_variadic("max", 1, max),
    pure_variadic("min", 1, min),
    Scalar { name: "nullif", args: Arity::Exactly(2), flags: PURE, eval: nullif },
    inline("unlikely", Arity::Exactly(1), first),
];

const fn inline(name: &'static str, args: Arity, eval: ScalarFn) -> Scalar {
    Scalar { name, args, flags: PURE.with(Flags::INLINE), eval }
}

/// The first that is not NULL.
fn coalesce(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let found = args.iter().find(|arg| !arg.is_null());
    context.answer(found.copied().unwrap_or_default())
}

/// The value behind the first condition that is true; behind none, the last argument if it stands alone.
fn iif(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let (pairs, otherwise) = args.as_chunks::<2>();
    let chosen = pairs.iter().find(|[condition, _]| cast::truth(*condition) == Some(true));
    let value = chosen.map(|&[_, value]| value).or(otherwise.first().copied());
    context.answer(value.unwrap_or_default())
}

/// The first argument: what is likely is for the planner to know.
fn first(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    context.answer(args[0])
}

/// The first argument, or NULL if both are equal.
fn nullif(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    if compare(args[0], args[1], context.collation).is_eq() {
        return null(context);
    }
    context.answer(args[0])
}

/// The largest, of equals the first; NULL if one is NULL.
fn max(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    best(context, args, |best, arg, collation| compare(best, arg, collation).is_lt())
}

/// The smallest, of equals the last; NULL if one is NULL.
fn min(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    best(context, args, |best, arg, collation| compare(best, arg, collation).is_ge())
}

fn best(
    context: &mut Context<'_>,
    args: &[ValueRef<'_>],
    is_better: impl Fn(ValueRef<'_>, ValueRef<'_>, &lithe_value::Collation) -> bool,
) -> Result {
    if args.iter().any(|arg| arg.is_null()) {
        return null(context);
    }
    let mut best = args[0];
    for &arg in &args[1..] {
        if is_better(best, arg, context.collation) {
            best = arg;
        }
    }
    context.answer(best)
}
