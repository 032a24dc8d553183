//! The functions of SQL that need no row of a scan: `fts5_locale()`, `fts5_insttoken()`, `fts5_source_id()`; the functions that SQL
//! calls by the names of auxiliary functions; the value of `rank` in a row.

use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use lithe_value::cast;
use lithe_value::grow::formatted;
use lithe_vtab::{
    Arity, Context, Flags, Function, FunctionError, FunctionKind, Overloaded, SOURCE_ID, ScalarFn, SqlConnection,
    Value, ValueRef, code,
};

use crate::auxiliary::state::{Ranking, SharedState};
use crate::auxiliary::{self, BUILT_IN, Bound};
use crate::rank::Rank;
use crate::registry::Registry;
use crate::{Result, locale};

/// The subtype of the result of `fts5_insttoken()`.
pub const INSTTOKEN_SUBTYPE: u8 = 73;

/// All functions, which the connections of a process share.
pub fn all() -> &'static [Arc<Function>] {
    static FUNCTIONS: OnceLock<Vec<Arc<Function>>> = OnceLock::new();
    FUNCTIONS.get_or_init(make)
}

fn make() -> Vec<Arc<Function>> {
    let scalar = |name, args, flags, eval: ScalarFn| {
        let kind = FunctionKind::CustomScalar(Arc::new(eval));
        Arc::new(Function::custom(name, Arity::Exactly(args), flags, kind))
    };
    let unusable = |name: &str| Arc::new(Function::unusable(name, Arity::AtLeast(0)));
    let mut all: Vec<_> = BUILT_IN.into_iter().map(unusable).collect();
    all.push(scalar("fts5", 1, Flags::default(), |context, _| context.answer(ValueRef::Null)));
    all.push(scalar("fts5_source_id", 0, Flags::DETERMINISTIC.with(Flags::INNOCUOUS), |context, _| {
        context.answer(ValueRef::Text(format!("fts5: {SOURCE_ID}").as_bytes()))
    }));
    all.push(scalar("fts5_locale", 2, Flags::INNOCUOUS.with(Flags::SUBTYPE), with_locale));
    all.push(scalar("fts5_insttoken", 1, Flags::INNOCUOUS, |context, args| {
        context.subtype = INSTTOKEN_SUBTYPE;
        context.answer(args.first().copied().unwrap_or_default())
    }));
    all
}

/// `fts5_locale(locale, text)`.
fn with_locale(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let [locale, text] = args else { return context.answer(ValueRef::Null) };
    let (locale, text) = (cast::to_text(*locale), cast::to_text(*text));
    match context.connection.sql() {
        Some(connection) if !locale.is_empty() => {
            let blob = locale::join(connection, &locale, &text)?;
            context.answer(ValueRef::Blob(&blob))
        }
        _ => context.answer(ValueRef::Text(&text)),
    }
}

/// The function of `rank` in a scan, with its arguments.
///
/// # Errors
/// `no such function`.
pub fn ranking(state: &SharedState, connection: &dyn SqlConnection, rank: &Rank) -> Result<Rc<Ranking>> {
    let known = state.borrow().auxiliary.ranking.clone();
    if let Some(known) = known {
        return Ok(known);
    }
    let arguments = evaluated(connection, &rank.arguments)?;
    let function = Registry::of(connection).function(&rank.function);
    let message = format_args!("no such function: {}", rank.function);
    let unknown = || FunctionError::quoting(code::ERROR, message);
    let made = Rc::new(Ranking { function: function.ok_or_else(unknown)?, arguments });
    state.borrow_mut().auxiliary.ranking = Some(Rc::clone(&made));
    Ok(made)
}

/// The value of `rank` in the row of a scan.
///
/// # Errors
/// `no such function`, and the errors of the function.
pub fn rank_value(state: &SharedState, connection: &dyn SqlConnection, rank: &Rank) -> Result<Value> {
    let ranking = ranking(state, connection, rank)?;
    let arguments: Vec<ValueRef<'_>> = ranking.arguments.iter().map(Value::as_ref).collect();
    auxiliary::call(&ranking.function, state, connection, &arguments)
}

/// The values of literals that are written with commas between them.
fn evaluated(connection: &dyn SqlConnection, literals: &str) -> Result<Vec<Value>> {
    if literals.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare(&formatted(format_args!("SELECT {literals}"))?)?;
    statement.step()?;
    (0..statement.column_count()).map(|at| Ok(Value::try_copy(statement.column(at))?)).collect()
}

/// The function that SQL calls where the first argument is a table: the auxiliary function of that name.
pub fn overloaded(registry: &Registry, name: &str) -> Option<Overloaded> {
    let function = registry.function(name)?;
    let call = Bound { name: name.to_owned(), function };
    let kind = FunctionKind::CustomScalar(Arc::new(call));
    let function = Function::custom(name, Arity::AtLeast(0), Flags::INNOCUOUS, kind);
    Some(Overloaded { function: Arc::new(function), op: None })
}
