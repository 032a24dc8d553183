//! The known differences from SQLite, each with its reason.

use lithe::ResultCode;

use crate::pair::{Answer, Difference};

/// Marks a query whose result may depend on an undetermined order of rows.
pub const OPEN: &str = "/* open */";

/// The known reason of a difference.
pub fn reason(difference: &Difference) -> Option<&'static str> {
    let (lithe, sqlite) = (&difference.lithe, &difference.sqlite);
    if matches!(lithe, Answer::Error { code, .. } if *code == ResultCode::INTERNAL.0) {
        return None; // A panic is never known.
    }
    let sql = &difference.sql;
    if sql.ends_with(OPEN) && have_same_columns(lithe, sqlite) {
        return Some("an order of rows that the statement leaves open");
    }
    if (is_function_error(lithe) || is_function_error(sqlite)) && may_call_for_other_rows(sql) {
        return Some(
            "a function that one library calls for a row of a RIGHT JOIN or before a window, and the other does not",
        );
    }
    let is_compound = [" UNION ", " EXCEPT ", " INTERSECT "].iter().any(|operator| sql.contains(operator));
    if is_compound && has_collated_order(sql) && message(sqlite).starts_with("no such column") {
        return Some("SQLite loses the columns of GROUP BY in a compound query that is ordered by a collated term");
    }
    if is_about_names(lithe) && is_about_names(sqlite) {
        return Some("which of several names without a meaning, or keys without a parent, is reported");
    }
    if sql.contains(" RETURNING ") && have_equal_numbers(lithe, sqlite) {
        return Some("integers in REAL columns, which SQLite shows as integers in RETURNING (docs/DIFFERENCES.md)");
    }
    if have_same_rows(lithe, sqlite) && (!inserts_for_sure(sql) || rowid(sqlite) > RANDOM_ROWIDS) {
        return Some("rowids chosen at random, and last_insert_rowid() after a statement that has failed");
    }
    None
}

/// Whether the statement inserts a row, unless it fails.
fn inserts_for_sure(sql: &str) -> bool {
    sql.starts_with("INSERT INTO") && !sql.contains(" ON CONFLICT ") && !sql.contains(" SELECT * FROM (")
}

/// Rowids above this are chosen at random.
const RANDOM_ROWIDS: i64 = 1 << 40;

fn rowid(answer: &Answer) -> i64 {
    match answer {
        Answer::Error { .. } => 0,
        Answer::Rows { rowid, .. } => *rowid,
    }
}

fn have_same_columns(lithe: &Answer, sqlite: &Answer) -> bool {
    let (Answer::Rows { names: a, .. }, Answer::Rows { names: b, .. }) = (lithe, sqlite) else { return false };
    a == b
}

/// Whether the rows and changes() are equal.
fn have_same_rows(lithe: &Answer, sqlite: &Answer) -> bool {
    let (Answer::Rows { rows: a, changes: m, .. }, Answer::Rows { rows: b, changes: n, .. }) = (lithe, sqlite) else {
        return false;
    };
    have_same_columns(lithe, sqlite) && a == b && m == n
}

fn message(answer: &Answer) -> &str {
    match answer {
        Answer::Error { message, .. } => message,
        Answer::Rows { .. } => "",
    }
}

/// Whether the statement has a RIGHT JOIN, a window, a view (which may have one), or RETURNING.
fn may_call_for_other_rows(sql: &str) -> bool {
    let is_view = |word: &str| word.strip_prefix('v').is_some_and(|number| number.parse::<u32>().is_ok());
    [" RIGHT JOIN ", " FULL JOIN ", " OVER (", " RETURNING "].iter().any(|part| sql.contains(part))
        || sql.split([' ', '(', ')']).any(is_view)
}

fn is_function_error(answer: &Answer) -> bool {
    let texts = ["malformed JSON", "JSON cannot hold BLOB values", "integer overflow"];
    texts.iter().any(|text| message(answer) == *text)
}

fn has_collated_order(sql: &str) -> bool {
    sql.split(" ORDER BY ").skip(1).any(|rest| rest.contains(" COLLATE "))
}

/// Whether the statement failed to compile because of a name, a key, or the number of a term.
fn is_about_names(answer: &Answer) -> bool {
    const TEXTS: [&str; 8] = [
        "foreign key mismatch",
        "no such table",
        "ambiguous column name",
        "no such column",
        "term out of range",
        "term does not match",
        "misuse of aggregate",
        "aggregate functions are not allowed",
    ];
    matches!(answer, Answer::Error { code, .. } if *code == ResultCode::ERROR.0)
        && TEXTS.iter().any(|text| message(answer).contains(text))
}

/// Whether the rows are equal, except for numbers that one engine shows as integers and the other as reals.
fn have_equal_numbers(lithe: &Answer, sqlite: &Answer) -> bool {
    let (Answer::Rows { rows: a, .. }, Answer::Rows { rows: b, .. }) = (lithe, sqlite) else { return false };
    let same = |(a, b): (&String, &String)| a == b || a.parse::<f64>().is_ok_and(|a| b.parse() == Ok(a));
    let same_row = |(a, b): (&Vec<String>, &Vec<String>)| a.len() == b.len() && a.iter().zip(b).all(same);
    a.len() == b.len() && a.iter().zip(b).all(same_row)
}
