//! The text form of values in sqllogictest.

use lithe::{Connection, ValueRef};

/// `value` in the form of the class `I` (integer), `R` (three decimals) or `T` (text, unprintable bytes as `@`).
pub fn value(value: ValueRef<'_>, class: u8) -> String {
    if matches!(value, ValueRef::Null) {
        return "NULL".to_owned();
    }
    match class {
        b'I' => as_integer(value).to_string(),
        b'R' => with_three_decimals(as_real(value)),
        _ => as_text(value),
    }
}

/// As SQLite's own `%.3f`, which gives at most 16 significant digits.
fn with_three_decimals(real: f64) -> String {
    thread_local!(static FORMATTER: Connection = Connection::open_in_memory().unwrap());
    let format =
        |formatter: &Connection| formatter.query_row("SELECT printf('%.3f', ?1)", [real], |row| row.get(0)).unwrap();
    FORMATTER.with(format)
}

fn as_integer(value: ValueRef<'_>) -> i64 {
    match value {
        ValueRef::Null => 0,
        ValueRef::Integer(i) => i,
        ValueRef::Real(r) => r as i64,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => leading_integer(bytes),
    }
}

fn leading_integer(bytes: &[u8]) -> i64 {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start();
    let end = text.char_indices().find(|&(i, c)| !(c.is_ascii_digit() || (i == 0 && (c == '-' || c == '+'))));
    text[..end.map_or(text.len(), |(i, _)| i)].parse().unwrap_or(0)
}

fn as_real(value: ValueRef<'_>) -> f64 {
    match value {
        ValueRef::Integer(i) => i as f64,
        ValueRef::Real(r) => r,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).trim().parse().unwrap_or(0.0),
        ValueRef::Null => 0.0,
    }
}

fn as_text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(i) => i.to_string(),
        ValueRef::Real(r) => lithe::real_to_text(r),
        ValueRef::Text([]) | ValueRef::Blob([]) => "(empty)".to_owned(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            bytes.iter().map(|&b| if (b' '..=b'~').contains(&b) { char::from(b) } else { '@' }).collect()
        }
    }
}
