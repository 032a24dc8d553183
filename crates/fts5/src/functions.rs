//! The functions of SQL that need no row of a scan: `fts5_locale()`, `fts5_insttoken()`, `fts5_source_id()`; and what stands
//! for auxiliary functions where there is no scan. What `rank` is in a row.

use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use lithe_value::cast;
use lithe_vtab::{Arity, Context, Flags, Function, FunctionKind, ScalarFunction, SqlConnection, Value, ValueRef};

use crate::auxiliary::{self, BUILT_IN, SharedState, Unusable};
use crate::rank::Rank;
use crate::{Result, locale};

/// The subtype of what `fts5_insttoken()` answers.
pub const INSTTOKEN_SUBTYPE: u8 = 73;
/// What `fts5_source_id()` answers: the version whose facts this crate follows.
const SOURCE_ID: &str = "fts5: 2026";

/// A function of this crate.
struct Scalar(fn(&mut Context<'_>, &[ValueRef<'_>]) -> Result);

impl ScalarFunction for Scalar {
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        (self.0)(context, args)
    }
}

/// All of them, which the connections of a process share.
pub fn all() -> &'static [Arc<Function>] {
    static FUNCTIONS: OnceLock<Vec<Arc<Function>>> = OnceLock::new();
    FUNCTIONS.get_or_init(make)
}

fn make() -> Vec<Arc<Function>> {
    let function =
        |name, args, flags, kind| Arc::new(Function::custom(name, args, flags, FunctionKind::CustomScalar(kind)));
    let scalar = |name, args: u16, flags, eval| function(name, Arity::Exactly(args), flags, Arc::new(Scalar(eval)));
    let mut all: Vec<_> = BUILT_IN
        .into_iter()
        .map(|name| function(name, Arity::AtLeast(0), Flags::default(), Arc::new(Unusable(name))))
        .collect();
    all.push(scalar("fts5", 1, Flags::default(), |context, _| context.answer(ValueRef::Null)));
    all.push(scalar("fts5_source_id", 0, Flags::INNOCUOUS, |context, _| {
        context.answer(ValueRef::Text(SOURCE_ID.as_bytes()))
    }));
    all.push(scalar("fts5_locale", 2, Flags::INNOCUOUS, with_locale));
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
            let blob = locale::join(connection, &locale, &text);
            context.answer(ValueRef::Blob(&blob))
        }
        _ => context.answer(ValueRef::Text(&text)),
    }
}

/// What `rank` is in the row of a scan.
///
/// # Errors
/// `no such function`, and those of the function.
pub fn rank_value(state: &SharedState, connection: &dyn SqlConnection, rank: &Rank) -> Result<Value> {
    let (registry, known) = {
        let state = state.borrow();
        (Arc::clone(&state.table.registry), state.auxiliary.rank_arguments.clone())
    };
    let arguments = match known {
        Some(known) => known,
        None => {
            let made: Rc<[Value]> = evaluated(connection, &rank.arguments)?.into();
            state.borrow_mut().auxiliary.rank_arguments = Some(Rc::clone(&made));
            made
        }
    };
    let arguments: Vec<ValueRef<'_>> = arguments.iter().map(Value::as_ref).collect();
    auxiliary::call(&registry, state, connection, &rank.function, &arguments)
}

/// The values of literals that are written with commas between them.
fn evaluated(connection: &dyn SqlConnection, literals: &str) -> Result<Vec<Value>> {
    if literals.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = connection.prepare(&format!("SELECT {literals}"))?;
    statement.step()?;
    Ok((0..statement.column_count()).map(|at| Value::from(statement.column(at))).collect())
}
