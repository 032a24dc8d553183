//! The functions of a connection as PRAGMA function_list shows them.

use lithe_functions::Registry;
use lithe_value::Value;

use crate::native::NativeRow;

/// One row a function and number of arguments.
pub(crate) fn list(registry: &Registry) -> Vec<NativeRow> {
    let row = |function: &lithe_functions::Function| {
        vec![
            Value::from(function.name()),
            Value::from(function.is_builtin()),
            Value::from(function.kind_letter()),
            Value::from("utf8"),
            Value::from(i64::from(function.argument_count())),
            Value::from(i64::from(function.public_flags())),
        ]
    };
    registry.iter().map(|function| row(function)).collect()
}
