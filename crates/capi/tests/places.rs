//! Where errors are in the text of a statement (`sqlite3_error_offset`), and where the text after the statement begins (the tail
//! of `sqlite3_prepare_v2`), on this library and on SQLite's.
//!
//! `places_record.c` prepares the statements of `places.sql`, which make each error of each statement.

mod common;

#[test]
fn errors_have_the_same_places() {
    let lines = include_str!("places.sql").lines().map(str::to_owned).collect();
    let scripts = [("places.sql".to_owned(), lines)];
    common::recording::compare("places", "places_record.c", &[], scripts.into_iter());
}
