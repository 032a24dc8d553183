//! likely(), unlikely() and likelihood(): the probability of a condition.

use super::{Call, Expr, skip_collate};

/// The probability of unlikely().
const UNLIKELY: f64 = 1.0 / 16.0;
/// The probability of likely().
const LIKELY: f64 = 15.0 / 16.0;

/// The expression below likely(), unlikely() or likelihood(), and the probability that the call states; the expression itself if it is
/// none of these.
pub fn without_likelihood<'a>(expr: Expr<'a>) -> (Expr<'a>, Option<f64>) {
    let Expr::Function(call) = expr else { return (expr, None) };
    match call.args {
        [inner] if is_builtin(call, "unlikely") => (*inner, Some(UNLIKELY)),
        [inner] if is_builtin(call, "likely") => (*inner, Some(LIKELY)),
        [inner, Expr::Real(probability)] if is_builtin(call, "likelihood") => (*inner, Some(*probability)),
        _ => (expr, None),
    }
}

/// The expression below all likely(), unlikely(), likelihood() and COLLATE.
pub fn skip_likelihood<'a>(expr: Expr<'a>) -> Expr<'a> {
    let mut bare = skip_collate(expr);
    while let (inner, Some(_)) = without_likelihood(bare) {
        bare = skip_collate(inner);
    }
    bare
}

/// Whether the call is of the built-in function of that name.
pub fn is_builtin(call: &Call<'_>, name: &str) -> bool {
    call.function.is_builtin() && call.function.name() == name
}
