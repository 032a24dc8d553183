//! Helpers of this crate's modules: functions, their arguments, arguments of CREATE VIRTUAL TABLE.

use std::sync::Arc;

use lithe_vtab::{Arity, Flags, Function, FunctionKind, ScalarFn, ValueRef};

/// A function whose result depends on its arguments alone.
pub fn scalar(name: &str, arity: Arity, eval: ScalarFn) -> Arc<Function> {
    with_flags(name, arity, Flags::DETERMINISTIC.with(Flags::INNOCUOUS), eval)
}

/// A function that only statements of the application may call, because its effects go beyond the database.
pub fn direct_only(name: &str, arity: Arity, eval: ScalarFn) -> Arc<Function> {
    with_flags(name, arity, Flags::DIRECT_ONLY, eval)
}

fn with_flags(name: &str, arity: Arity, flags: Flags, eval: ScalarFn) -> Arc<Function> {
    Arc::new(Function::custom(name, arity, flags, FunctionKind::CustomScalar(Arc::new(eval))))
}

/// An argument; NULL if it is missing.
pub fn argument<'a>(args: &[ValueRef<'a>], at: usize) -> ValueRef<'a> {
    args.get(at).copied().unwrap_or_default()
}

/// An argument of CREATE VIRTUAL TABLE without its quotes; a doubled quote inside stands for one.
pub fn dequoted(text: &str) -> String {
    let text = text.trim();
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner.replace(&format!("{quote}{quote}"), &quote.to_string());
        }
    }
    text.to_owned()
}
