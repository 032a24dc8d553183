//! integrity_check, quick_check and foreign_key_check.

use lithe_vm::operand::Db;

use super::{Call, NEEDS_SCHEMA, OF_KEYS, OF_TABLE, Pragma};
use crate::connection::Connection;
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

/// The number of problems to list, if the value is one.
fn number(value: Option<&[u8]>, is_quoted: bool) -> Option<i32> {
    value.filter(|_| !is_quoted).and_then(fitting_integer)
}

/// What integrity_check and quick_check with this value are refused for when they are compiled.
pub(super) fn check_names(
    connection: &Connection,
    schema: Option<Db>,
    value: Option<&[u8]>,
    is_quoted: bool,
) -> Result<()> {
    let table = value.filter(|_| number(value, is_quoted).is_none()).map(String::from_utf8_lossy);
    integrity::check_names(connection, schema, table.as_deref())
}

/// The number of problems that are listed if the argument gives none.
const PROBLEMS_MAX: usize = 100;

/// The argument is the number of problems to list, or the name of a table if it is quoted or no number of 32 bits.
fn check(call: &Call<'_>, with_entries: bool) -> Result<Vec<CommandRow>> {
    let number = number(call.value, call.is_quoted);
    // The sign is ignored, as in SQLite.
    let limit = number.and_then(|n| usize::try_from(n.unsigned_abs()).ok()).filter(|n| *n > 0).unwrap_or(PROBLEMS_MAX);
    let table = call.text().filter(|_| number.is_none());
    let request = Request { schema: call.schema, table: table.as_deref(), limit, with_entries };
    integrity::check(call.connection, call.run, &request)
}
