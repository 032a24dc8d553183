//! The table of the published experiment, and its keys.

/// The table.
pub const SCHEMA: &str = "CREATE TABLE kv(k INTEGER PRIMARY KEY, v BLOB)";

/// A key as a rowid.
pub fn rowid(key: usize) -> i64 {
    i64::try_from(key).unwrap_or(i64::MAX)
}
