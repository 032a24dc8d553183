//! Settings: pragmas among the statements of a world, as a query, with a value, or as a table-valued function. What they switch must have
//! the same effect on the statements after them: names of columns, rows that count changes, checks, triggers, plans, errors.
//!
//! The generator cannot produce: settings of files (page size, journal, locks; other tests have them), `page_count` and its like, which
//! depend on how pages are balanced, lists of functions, and what is known to differ in docs/DIFFERENCES.md: `writable_schema`,
//! `case_sensitive_like`, `full_column_names` without `short_column_names`, caches of no pages.

use fastrand::Rng;

use crate::pair::{Answer, Difference, Ended};
use crate::schema::Schema;

/// Switches, and values that they may be given.
const SETTINGS: [(&str, &[&str]); 28] = [
    ("analysis_limit", &["0", "10", "1000"]),
    ("application_id", &["0", "7", "-1", "0x7fffffff"]),
    ("automatic_index", SWITCH),
    ("busy_timeout", &["0", "5", "-3"]),
    ("cache_size", &["-2000", "10", "-7"]),
    ("cache_spill", &["ON", "OFF", "100"]),
    ("cell_size_check", SWITCH),
    ("checkpoint_fullfsync", SWITCH),
    ("count_changes", SWITCH),
    ("reverse_unordered_selects", SWITCH),
    ("default_cache_size", &["10", "-5"]),
    ("defer_foreign_keys", SWITCH),
    ("empty_result_callbacks", SWITCH),
    ("foreign_keys", SWITCH),
    ("fullfsync", SWITCH),
    ("ignore_check_constraints", SWITCH),
    ("incremental_vacuum", &["1", "0"]),
    ("legacy_alter_table", SWITCH),
    ("query_only", SWITCH),
    ("read_uncommitted", SWITCH),
    ("recursive_triggers", SWITCH),
    ("schema_version", &["5", "100", "5"]),
    ("secure_delete", &["ON", "OFF", "FAST"]),
    ("temp_store", &["DEFAULT", "FILE", "MEMORY", "1", "9"]),
    ("threads", &["0", "2"]),
    ("trusted_schema", SWITCH),
    ("user_version", &["0", "1", "-5", "1e3", "'x'"]),
    ("writable_schema", &["OFF", "RESET"]),
];

const SWITCH: &[&str] = &["ON", "OFF", "1", "0", "yes", "no", "true", "2", "'on'", "unknown"];

/// Pragmas that only answer.
const QUESTIONS: [&str; 13] = [
    "collation_list",
    "database_list",
    "encoding",
    "foreign_key_check",
    "integrity_check",
    "quick_check",
    "table_list",
    "data_version",
    "journal_mode",
    "locking_mode",
    "auto_vacuum",
    "synchronous",
    "no_such_pragma",
];

/// Pragmas about a table or an index.
const ABOUT_OBJECTS: [&str; 10] = [
    "table_info",
    "table_xinfo",
    "index_list",
    "index_info",
    "index_xinfo",
    "foreign_key_list",
    "foreign_key_check",
    "integrity_check",
    "quick_check",
    "table_list",
];

fn one<'c>(rng: &mut Rng, choices: &[&'c str]) -> &'c str {
    choices[rng.usize(0..choices.len())]
}

/// A pragma.
pub fn pragma(rng: &mut Rng, schema: &Schema) -> String {
    let database = one(rng, &["", "", "", "main.", "temp."]);
    match rng.u32(0..10) {
        0..6 => {
            let (name, values) = SETTINGS[rng.usize(0..SETTINGS.len())];
            let value = one(rng, values);
            // SQLite answers 0 for a temporary database that was opened after the schemas were read.
            let database = if name == "cache_size" { "" } else { database };
            match rng.u32(0..8) {
                0 => format!("PRAGMA {database}{name}"),
                1 => format!("SELECT * FROM pragma_{name}"),
                2 => format!("PRAGMA {database}{name}({value})"),
                _ => format!("PRAGMA {database}{name} = {value}"),
            }
        }
        6 => {
            let name = QUESTIONS[rng.usize(0..QUESTIONS.len())];
            if rng.bool() { format!("PRAGMA {database}{name}") } else { format!("SELECT * FROM pragma_{name}") }
        }
        _ => about_object(rng, schema, database),
    }
}

fn about_object(rng: &mut Rng, schema: &Schema, database: &str) -> String {
    let name = one(rng, &ABOUT_OBJECTS);
    let mut objects: Vec<&str> = schema.tables.iter().map(|table| table.name.as_str()).collect();
    objects.extend(schema.indexes.iter().map(String::as_str));
    objects.extend(["sqlite_schema", "missing"]);
    let object = one(rng, &objects);
    let text = object.trim_matches('"').replace('\'', "''");
    match rng.u32(0..4) {
        0 => format!("PRAGMA {database}{name} = '{text}'"),
        1 => format!("SELECT * FROM pragma_{name}('{text}')"),
        2 => format!("SELECT m.name, p.* FROM sqlite_schema m, pragma_{name}(m.name) p"),
        _ => format!("PRAGMA {database}{name}({object})"),
    }
}

/// How a statement ended whose answers differ for a known reason.
pub fn known(difference: &Difference) -> Option<Ended> {
    let (Answer::Rows { rows, changes, .. }, Answer::Rows { rows: other_rows, changes: other_changes, .. }) =
        (&difference.lithe, &difference.sqlite)
    else {
        return None;
    };
    let sql = &difference.sql;
    // With `count_changes`, SQLite counts a row twice that two branches of an OR find.
    let is_counted = sql.starts_with("DELETE") && changes == other_changes && rows.len() == 1 && other_rows.len() == 1;
    // SQLite goes through its hash tables, up to a view that is wrong.
    let is_list = sql.contains("table_list") && rows.len() == other_rows.len();
    (is_counted || is_list).then_some(Ended::Well)
}
