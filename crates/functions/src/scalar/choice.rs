//! Functions that return one of their arguments.
//!
//! The planner compiles most of these functions to jumps, so that the branch that is not chosen is not evaluated; the functions
//! of this module serve calls that are not compiled this way.

use lithe_value::{ValueRef, cast, compare};

use super::{PURE, null};
use crate::context::Context;
use crate::error::Result;
use crate::signature::{Arity, Flags, Scalar, ScalarFn, arg};

pub(super) const FUNCTIONS: [Scalar; 10] = [
    inline("coalesce", Arity::AtLeast(2), coalesce),
    inline("if", Arity::AtLeast(2), iif),
    inline("ifnull", Arity::Exactly(2), coalesce),
    inline("iif", Arity::AtLeast(2), iif),
    inline("likelihood", Arity::Exactly(2), first),
    inline("likely", Arity::Exactly(1), first),
    Scalar { name: "max", args: Arity::AtLeast(1), flags: CHOOSES, eval: max, shortcut: None },
    Scalar { name: "min", args: Arity::AtLeast(1), flags: CHOOSES, eval: min, shortcut: None },
    Scalar { name: "nullif", args: Arity::Exactly(2), flags: CHOOSES, eval: nullif, shortcut: None },
    inline("unlikely", Arity::Exactly(1), first),
];

const CHOOSES: Flags = PURE.with(Flags::PASSES_SUBTYPE);

const fn inline(name: &'static str, args: Arity, eval: ScalarFn) -> Scalar {
    Scalar { name, args, flags: CHOOSES.with(Flags::INLINE), eval, shortcut: None }
}

/// Returns an argument, with its subtype.
fn answer_argument(context: &mut Context<'_>, args: &[ValueRef<'_>], at: usize) -> Result {
    context.subtype = context.arg_subtype(at);
    context.answer(arg(args, at))
}

/// The first argument that is not NULL.
fn coalesce(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match args.iter().position(|arg| !arg.is_null()) {
        Some(at) => answer_argument(context, args, at),
        None => null(context),
    }
}

/// The value after the first condition that is true; if none is true, the last argument of an odd number of arguments.
fn iif(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let (pairs, otherwise) = args.as_chunks::<2>();
    let chosen = pairs.iter().position(|[condition, _]| cast::truth(*condition) == Some(true));
    match (chosen, otherwise) {
        (Some(pair), _) => answer_argument(context, args, 2 * pair + 1),
        (None, [_]) => answer_argument(context, args, 2 * pairs.len()),
        (None, _) => null(context),
    }
}

/// The first argument: only the planner uses the likelihood.
fn first(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    answer_argument(context, args, 0)
}

/// The first argument, or NULL if both are equal.
fn nullif(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    if compare(arg(args, 0), arg(args, 1), context.collation).is_eq() {
        return null(context);
    }
    answer_argument(context, args, 0)
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
    let mut best = (0, arg(args, 0));
    for (at, &arg) in args.iter().enumerate().skip(1) {
        if is_better(best.1, arg, context.collation) {
            best = (at, arg);
        }
    }
    answer_argument(context, args, best.0)
}
