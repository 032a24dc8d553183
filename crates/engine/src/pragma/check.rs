//! integrity_check, quick_check and foreign_key_check.

use super::{Call, NEEDS_SCHEMA, OF_KEYS, OF_TABLE, Pragma};
use crate::connection::statement::command::CommandRow;
use crate::error::Result;
use crate::integrity::{self, Request};
use crate::setting_text::fitting_integer;

pub(super) const PRAGMAS: &[Pragma] = &[
    Pragma { name: "integrity_check", columns: &[], traits: NEEDS_SCHEMA, run: |call| check(call, true) },
    Pragma { name: "quick_check", columns: &[], traits: NEEDS_SCHEMA, run: |call| check(call, false) },
    Pragma {
        name: "foreign_key_check",
        columns: &["table", "rowid", "parent", "fkid"],
        traits: NEEDS_SCHEMA | OF_TABLE | OF_KEYS,
        run: |call| crate::foreign_key_check::check(call.connection, call.schema, call.text().as_deref()),
    },
];

/// The number of problems that are listed if the argument gives none.
const PROBLEMS_MAX: usize = 100;

/// The argument is the number of problems to list, or the name of a table if it is quoted or no number of 32 bits.
fn check(call: &Call<'_>, with_entries: bool) -> Result<Vec<CommandRow>> {
    let number = call.value.filter(|_| !call.is_quoted).and_then(fitting_integer);
    // The sign is ignored, as in SQLite.
    let limit = number.and_then(|n| usize::try_from(n.unsigned_abs()).ok()).filter(|n| *n > 0).unwrap_or(PROBLEMS_MAX);
    let table = call.text().filter(|_| number.is_none());
    let request = Request { schema: call.schema, table: table.as_deref(), limit, with_entries };
    integrity::check(call.connection, call.run, &request)
}
