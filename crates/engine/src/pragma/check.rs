//! integrity_check and quick_check.

use super::{Call, NEEDS_SCHEMA, Pragma};
use crate::error::Result;
use crate::native::NativeRow;

pub(super) const PRAGMAS: &[Pragma] = &[
    Pragma { name: "integrity_check", columns: &[], traits: NEEDS_SCHEMA, run: |call| check(call, true) },
    Pragma { name: "quick_check", columns: &[], traits: NEEDS_SCHEMA, run: |call| check(call, false) },
];

/// How many problems are listed unless a number is given.
const PROBLEMS_MAX: usize = 100;

fn check(call: &Call<'_>, with_indexes: bool) -> Result<Vec<NativeRow>> {
    let limit = call.integer().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0).unwrap_or(PROBLEMS_MAX);
    let table = call.text().filter(|text| !text.bytes().all(|b| b.is_ascii_digit()));
    crate::integrity::check(call.connection, call.run, call.schema, table.as_deref(), limit, with_indexes)
}
