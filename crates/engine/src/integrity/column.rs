//! Checks whether a stored value is allowed in its column: NOT NULL, STRICT types, and conversions that the affinity
//! would have made.

use lithe_catalog::Table;
use lithe_value::{Affinity, StorageClass, ValueRef};

/// The fault of the value of column `at` of a row, if there is one. A NULL in a NOT NULL column is not reported as a
/// wrong type as well.
pub(super) fn fault(table: &Table, at: u16, value: ValueRef<'_>) -> Option<String> {
    let column = &table.columns[usize::from(at)];
    let place = format_args!("value in {}.{}", table.name, column.name);
    if value == ValueRef::Null {
        return column.not_null.is_some().then(|| format!("NULL {place}"));
    }
    if table.strict {
        let declared = String::from_utf8_lossy(&column.declared_type).to_ascii_uppercase();
        return (!is_of_type(&declared, value.class())).then(|| format!("non-{declared} {place}"));
    }
    match column.affinity {
        Affinity::Blob => None,
        Affinity::Text => (!is_kept_by(Affinity::Text, value)).then(|| format!("NUMERIC {place}")),
        affinity => (!is_kept_by(affinity, value)).then(|| format!("TEXT {place}")),
    }
}

fn is_of_type(declared: &str, class: StorageClass) -> bool {
    match declared {
        "INT" | "INTEGER" => class == StorageClass::Integer,
        "REAL" => matches!(class, StorageClass::Integer | StorageClass::Real),
        "TEXT" => class == StorageClass::Text,
        "BLOB" => class == StorageClass::Blob,
        _ => true,
    }
}

/// Whether the affinity of a column leaves the value as it is, apart from the kind of a number.
pub(super) fn is_kept_by(affinity: Affinity, value: ValueRef<'_>) -> bool {
    match affinity {
        Affinity::Blob => true,
        Affinity::Text => !matches!(value.class(), StorageClass::Integer | StorageClass::Real),
        _ => !is_number_as_text(value),
    }
}

/// A text that the column would have stored as a number.
fn is_number_as_text(value: ValueRef<'_>) -> bool {
    value.class() == StorageClass::Text && Affinity::Numeric.apply_numeric(value).class() != StorageClass::Text
}
