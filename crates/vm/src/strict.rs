//! STRICT tables: a value must have the type of its column.

use lithe_value::{Affinity, StorageClass};
use lithe_vfs::ResultCode;

use crate::arithmetic::apply_affinity;
use crate::error::Error;
use crate::machine::Machine;
use crate::operand::{CursorId, OnConflict, Reg};
use crate::program::Program;
use crate::register::Register;

/// Applies the affinity of each column, and rejects a value of another type.
#[inline(never)]
pub fn check_types(
    m: &mut Machine,
    program: &Program,
    cursor: CursorId,
    start: Reg,
    count: usize,
) -> Result<(), Error> {
    let Some(table) = &program.cursor(cursor).table else {
        return Ok(());
    };
    let Some(types) = &table.strict_types else {
        return Ok(());
    };
    for (register, (column, declared)) in m.regs_mut(start, count).iter_mut().zip(types) {
        if !fits(register, declared) {
            if table.name.is_empty() {
                // The row belongs to ALTER TABLE ADD COLUMN, which checks existing rows.
                let (policy, code) = (OnConflict::Abort, ResultCode::CONSTRAINT_DATATYPE);
                return Err(Error::constraint(policy, code, "constraint failed"));
            }
            let class = class_name(register.as_ref().class());
            let declared = declared.to_ascii_uppercase();
            let message = format!("cannot store {class} value in {declared} column {}.{column}", table.name);
            return Err(Error::constraint(OnConflict::Abort, ResultCode::CONSTRAINT_DATATYPE, message));
        }
    }
    Ok(())
}

/// Whether the value, after the affinity of the type, has the type.
fn fits(register: &mut Register, declared: &str) -> bool {
    let (affinity, class) = match declared.as_bytes().first().map(u8::to_ascii_uppercase) {
        Some(b'I') => (Affinity::Integer, StorageClass::Integer),
        Some(b'R') => (Affinity::Real, StorageClass::Real),
        Some(b'T') => (Affinity::Text, StorageClass::Text),
        Some(b'B') => (Affinity::Blob, StorageClass::Blob),
        _ => return true, // ANY
    };
    apply_affinity(register, affinity);
    register.is_null() || register.as_ref().class() == class
}

fn class_name(class: StorageClass) -> &'static str {
    match class {
        StorageClass::Null => "NULL",
        StorageClass::Integer => "INT",
        StorageClass::Real => "REAL",
        StorageClass::Text => "TEXT",
        StorageClass::Blob => "BLOB",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_value::ValueRef;

    #[test]
    fn what_fits() {
        let table: &[(&str, ValueRef<'_>, Option<ValueRef<'_>>)] = &[
            ("INT", ValueRef::Integer(1), Some(ValueRef::Integer(1))),
            ("INTEGER", ValueRef::Text(b"12"), Some(ValueRef::Integer(12))),
            ("int", ValueRef::Real(3.0), Some(ValueRef::Integer(3))),
            ("INT", ValueRef::Real(3.5), None),
            ("INT", ValueRef::Text(b"x"), None),
            ("INT", ValueRef::Null, Some(ValueRef::Null)),
            ("REAL", ValueRef::Integer(1), Some(ValueRef::Real(1.0))),
            ("REAL", ValueRef::Blob(b"1"), None),
            ("TEXT", ValueRef::Integer(5), Some(ValueRef::Text(b"5"))),
            ("TEXT", ValueRef::Blob(b"5"), None),
            ("BLOB", ValueRef::Text(b"5"), None),
            ("ANY", ValueRef::Text(b"5"), Some(ValueRef::Text(b"5"))),
        ];
        for (declared, value, expected) in table {
            let mut register = Register::Null;
            register.set(*value);
            let fits = fits(&mut register, declared);
            assert_eq!(fits.then(|| register.as_ref()), *expected, "{value} in {declared}");
        }
    }
}
