//! Numbers in the formats of `.mode --ifmt` and `--fpfmt`: one conversion each, as in SQL's `format()`.

use lithe::ValueRef;

/// The most digits of a width or precision.
const DIGITS_MAX: usize = 3;

/// Whether the text is one conversion of an integer: `%,d`, `%04x`, ….
pub fn is_integer_format(format: &str) -> bool {
    is_conversion(format, "diuxXo")
}

/// Whether the text is one conversion of a real: `%.2f`, `%+,0.2f`, ….
pub fn is_real_format(format: &str) -> bool {
    is_conversion(format, "feEgG")
}

fn is_conversion(format: &str, kinds: &str) -> bool {
    let Some(rest) = format.strip_prefix('%') else { return false };
    let rest = rest.trim_start_matches(['-', '+', ' ', '#', '0', ',', '!']);
    let Some(rest) = without_digits(rest) else { return false };
    let rest = match rest.strip_prefix('.') {
        Some(precision) => without_digits(precision),
        None => Some(rest),
    };
    rest.is_some_and(|kind| kind.len() == 1 && kinds.contains(kind))
}

/// The text after the digits; `None` if there are too many digits.
fn without_digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (text.len() - rest.len() <= DIGITS_MAX).then_some(rest)
}

/// The number in a format; `None` without a format.
pub fn formatted(format: &str, number: ValueRef<'_>) -> Option<String> {
    thread_local! {
        static SQL: Option<lithe::Connection> = lithe::Connection::open(":memory:").ok();
    }
    if format.is_empty() {
        return None;
    }
    SQL.with(|sql| {
        let row = |row: &lithe::Row<'_>| row.get(0);
        match number {
            ValueRef::Integer(integer) => {
                sql.as_ref()?.query_row("SELECT format(?1, ?2)", lithe::params![format, integer], row).ok()
            }
            ValueRef::Real(real) => {
                sql.as_ref()?.query_row("SELECT format(?1, ?2)", lithe::params![format, real], row).ok()
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        for format in ["%.2f", "%+,0.2f", "%.6e", "%g", "%G", "%10.3f"] {
            assert!(is_real_format(format), "{format}");
        }
        for format in ["%d", "xyz", "%1234f", "%.1234f", "%?.2f", "%.2f%.2f", "", "%"] {
            assert!(!is_real_format(format), "{format}");
        }
        for format in ["%,d", "%04x", "%#+o", "%X"] {
            assert!(is_integer_format(format), "{format}");
        }
        assert!(!is_integer_format("%.2f"));
        assert_eq!(formatted("%,d", ValueRef::Integer(31_415)).as_deref(), Some("31,415"));
        assert_eq!(formatted("%.2f", ValueRef::Real(31.4159)).as_deref(), Some("31.42"));
    }
}
