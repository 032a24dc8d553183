//! All built-in functions.

use crate::aggregate::AGGREGATES;
use crate::function::Function;
use crate::scalar;
use crate::window::WINDOWS;

/// Every entry of every table.
pub fn all() -> impl Iterator<Item = Function> {
    let scalars = scalar::TABLES.into_iter().chain([
        &crate::date::FUNCTIONS[..],
        &crate::format::FUNCTIONS[..],
        &crate::json::FUNCTIONS[..],
    ]);
    scalars
        .flatten()
        .map(Function::from)
        .chain(AGGREGATES.iter().map(Function::from))
        .chain(WINDOWS.iter().map(Function::from))
        .chain(crate::json::AGGREGATES.iter().map(Function::from))
        .chain(std::iter::once(scalar::match_function()))
}
