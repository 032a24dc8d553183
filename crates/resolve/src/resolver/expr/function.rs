//! Calls of functions, aggregates and window functions.

use std::sync::Arc;

use lithe_catalog::{CompileError, Result, fail};
use lithe_functions::{Function, Lookup};
use lithe_sql::ast::{self, CurrentTime, LikeOp, Name, Span};

use super::terms::resolve_plain_order;
use super::window::resolve_window;
use super::{find_later_error, or_later_error, prohibited, resolve_expr, resolve_exprs};
use crate::ir::{
    Aggregate, Call, Case, Coll, Expr, How, Overloads, When, WindowCall, any, collation_of, for_each_source,
    same_aggregate,
};
use crate::resolver::Resolver;
use crate::resolver::scope::{Rules, Scope, Stored};

/// `name(args) ...`. After an error in a call, SQLite still resolves the rest of the expression around the call.
pub(super) fn resolve_function<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    call: &ast::FunctionCall<'a>,
    span: Span,
) -> Result<Expr<'a>> {
    resolve_call(resolver, scope, call, span).map_err(CompileError::resumable)
}

fn resolve_call<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    call: &ast::FunctionCall<'a>,
    span: Span,
) -> Result<Expr<'a>> {
    let function = match callable_function(resolver, scope, call, span) {
        Err(error)
            if error.is_resumable
                && resolver.looks_up_no_functions()
                && (scope.rules.stored.is_none() || is_unknown(resolver, call)) =>
        {
            return resolve_names_of_call(resolver, scope, call);
        }
        Err(error) if scope.rules.is_loaded && !scope.rules.in_default && is_unknown(resolver, call) => {
            return resolve_uncallable(resolver, scope, call, &error);
        }
        function => or_later_error(resolver, function, scope, call.args)?,
    };
    let Some(function) = function else { return Ok(Expr::Null) };
    // In a schema that is being verified, named windows are not looked up either.
    if let (true, Some(ast::Over::Name(name))) = (resolver.only_names, &call.over)
        && !scope.windows.iter().any(|window| window.name.name == name.name)
    {
        return resolve_names_of_call(resolver, scope, call);
    }
    if let Some(over) = &call.over {
        return resolve_window_call(resolver, scope, call, over, function);
    }
    if function.is_aggregate() {
        return resolve_aggregate(resolver, scope, call, function, span);
    }
    let args = resolve_exprs(resolver, scope, call.args)?;
    resolve_overloaded(resolver, scope, function, args, 0, span)
}

/// Calls the authorizer about a function, but not within the definition of a table or index, because it was called when that was created.
/// (For a DEFAULT it is called at each use.)
fn may_call(resolver: &Resolver<'_>, scope: &Scope<'_, '_>, function: &str, span: Span) -> Result<bool> {
    let is_asked = !scope.rules.is_loaded || scope.rules.in_default;
    let is_authorized = || resolver.env.authorize_function(function, scope.within);
    Ok(!is_asked || is_authorized().map_err(|error| error.with_offset(Some(span.start)))?)
}

/// The function, if it exists and may be called here in this way; none if the authorizer answers SQLITE_IGNORE. Where it denies the call,
/// SQLite does not go on with the arguments.
pub(super) fn callable_function<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    call: &ast::FunctionCall<'a>,
    span: Span,
) -> Result<Option<&'a Arc<Function>>> {
    let found = find_function(resolver, scope.rules, call.name.name, call.args.len(), span);
    let function = found.map_err(|error| error_of_window(resolver, call, span).unwrap_or(error).resumable())?;
    if !may_call(resolver, scope, function.name(), span)? {
        return Ok(None);
    }
    check_call(scope, call, function, span)
        .and_then(|()| check_trust(resolver, scope, function, call.name.name, span))
        .map_err(CompileError::resumable)?;
    Ok(Some(function))
}

/// The error of a call with OVER, if no function of that name, whatever its arguments, can be one of a window. It is reported before their number.
fn error_of_window(resolver: &Resolver<'_>, call: &ast::FunctionCall<'_>, span: Span) -> Option<CompileError> {
    let function = resolver.env.functions.any(call.name.name.as_bytes()).filter(|_| call.over.is_some())?;
    (!function.can_be_window()).then(|| never_of_window(call.name.name, span))
}

fn never_of_window(name: Name<'_>, span: Span) -> CompileError {
    CompileError::at(span, format!("{name}() may not be used as a window function"))
}

fn is_unknown(resolver: &Resolver<'_>, call: &ast::FunctionCall<'_>) -> bool {
    !matches!(resolver.env.functions.find(call.name.name.as_bytes(), call.args.len()), Lookup::Found(_))
}

/// A call of an unknown function in an index, a CHECK or a generated column. It is an error where its value is needed: the table can be read all
/// the same.
fn resolve_uncallable<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    call: &ast::FunctionCall<'a>,
    error: &CompileError,
) -> Result<Expr<'a>> {
    let message = Expr::Text(resolver.arena.alloc_slice_copy(error.message.as_bytes()));
    let args = resolve_exprs(resolver, scope, call.args)?;
    let args: Vec<Expr<'a>> = std::iter::once(message).chain(args.iter().copied()).collect();
    Ok(call_of(resolver, Function::uncallable(), resolver.slice(&args)))
}

/// Resolves only the names in a call whose function is unknown.
fn resolve_names_of_call<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    call: &ast::FunctionCall<'a>,
) -> Result<Expr<'a>> {
    resolve_exprs(resolver, scope, call.args)?;
    resolve_call_clauses(resolver, scope, call)?;
    if let Some(ast::Over::Window(window)) = &call.over {
        resolve_plain_order(resolver, scope, window.order_by)?;
        resolve_exprs(resolver, scope, window.partition_by)?;
    }
    Ok(Expr::Null)
}

/// Resolves the names in FILTER and ORDER BY of a call.
fn resolve_call_clauses<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    call: &ast::FunctionCall<'a>,
) -> Result<()> {
    call.filter.as_ref().map(|filter| resolve_expr(resolver, scope, filter)).transpose()?;
    resolve_plain_order(resolver, scope, call.order_by).map(drop)
}

/// The arguments of an aggregate or window function. SQLite resolves ORDER BY and FILTER behind an error, too, and reports the last one.
fn resolve_args<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    call: &ast::FunctionCall<'a>,
) -> Result<&'a [Expr<'a>]> {
    let args = resolve_exprs(resolver, scope, call.args).map_err(|mut error| {
        let mut terms = call.order_by.iter().map(|term| &term.expr);
        terms.all(|term| find_later_error(resolver, scope, term, &mut error));
        error
    });
    or_error_of_filter(resolver, scope, call, args)
}

/// What was resolved before the FILTER of a call, or instead of its error a later one in FILTER.
fn or_error_of_filter<'a, T>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    call: &ast::FunctionCall<'a>,
    before: Result<T>,
) -> Result<T> {
    before.map_err(|mut error| {
        if let Some(filter) = &call.filter {
            find_later_error(resolver, scope, filter, &mut error);
        }
        error
    })
}

/// A call of a scalar function, which a virtual table may overload if the argument at `at` is one of its columns.
fn resolve_overloaded<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    function: &'a Arc<Function>,
    args: &'a [Expr<'a>],
    at: usize,
    span: Span,
) -> Result<Expr<'a>> {
    let Some(overloaded) = overloaded_function(resolver, function, args, at) else {
        return resolve_scalar(resolver, scope, function, args, span);
    };
    let call = resolve_scalar(resolver, scope, overloaded, args, span)?;
    let Expr::Function(call) = call else { return Ok(call) };
    let overloads = Some(Overloads { function, column: at });
    Ok(Expr::Function(resolver.arena.alloc(Call { overloads, ..*call })))
}

impl<'a> Resolver<'a> {
    /// A call whose first argument was a column of a query in FROM, and is now what stood there: a virtual table may overload the function.
    pub fn with_overloading(&self, call: Call<'a>) -> Call<'a> {
        // (Of an operator, it is the second argument that counts, and the column is a constraint of the scan already.)
        if call.overloads.is_some() || OPERATORS.contains(&call.function.name()) {
            return call;
        }
        match overloaded_function(self, call.function, call.args, 0) {
            Some(function) => {
                Call { function, overloads: Some(Overloads { function: call.function, column: 0 }), ..call }
            }
            None => call,
        }
    }
}

/// The functions of operators.
const OPERATORS: [&str; 4] = ["like", "glob", "regexp", "match"];

/// The function by which a virtual table overloads this one, if the argument at `at` is a column of such a table.
fn overloaded_function<'a>(
    resolver: &Resolver<'a>,
    function: &Arc<Function>,
    args: &'a [Expr<'a>],
    at: usize,
) -> Option<&'a Arc<Function>> {
    let Some(Expr::Column(column)) = args.get(at) else { return None };
    let connected = column.table.and_then(|table| table.connected())?;
    let table = resolver.env.virtual_tables.get(connected.id.0)?;
    let overloaded = table.find_function(function.name(), args.len())?;
    Some(resolver.env.overloaded.keep(overloaded.function))
}

/// An operator or keyword that is a call of the function `name`.
pub(super) fn operator_call<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    name: &str,
    args: &[&ast::Expr<'a>],
    span: Span,
) -> Result<Expr<'a>> {
    operator_call_or_error(resolver, scope, name, args, span).map_err(CompileError::resumable)
}

fn operator_call_or_error<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    name: &str,
    args: &[&ast::Expr<'a>],
    span: Span,
) -> Result<Expr<'a>> {
    let function =
        find_function(resolver, scope.rules, Name::new(name.as_bytes()), args.len(), span).and_then(|function| {
            check_trust(resolver, scope, function, Name::new(name.as_bytes()), span)?;
            Ok(function)
        });
    let function = match function {
        Err(_) if resolver.only_names => {
            args.iter().try_for_each(|arg| resolve_expr(resolver, scope, arg).map(|_| ()))?;
            return Ok(Expr::Null);
        }
        function => or_later_error(resolver, function.map_err(CompileError::resumable), scope, args.iter().copied())?,
    };
    if !may_call(resolver, scope, function.name(), span)? {
        return Ok(Expr::Null);
    }
    let mut resolved = bumpalo::collections::Vec::with_capacity_in(args.len(), resolver.arena);
    for (at, arg) in args.iter().enumerate() {
        resolved.push(or_later_error(
            resolver,
            resolve_expr(resolver, scope, arg),
            scope,
            args.iter().skip(at + 1).copied(),
        )?);
    }
    let resolved = resolved.into_bump_slice();
    // The value on the left of LIKE and the like is the second argument.
    resolve_overloaded(resolver, scope, function, resolved, 1, span)
}

/// `value LIKE pattern ESCAPE escape` is `like(pattern, value, escape)`.
pub(super) fn resolve_like<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    like: &ast::Like<'a>,
) -> Result<Expr<'a>> {
    let name = match like.op {
        LikeOp::Like => "like",
        LikeOp::Glob => "glob",
        // A message shows the operator as it is written.
        LikeOp::Regexp => str::from_utf8(like.op_text).unwrap_or("regexp"),
        LikeOp::Match => "match",
    };
    let (pattern, value) = (&like.pattern, &like.value);
    let call = match &like.escape {
        Some(escape) => operator_call(resolver, scope, name, &[pattern, value, escape], like.op_span)?,
        None => operator_call(resolver, scope, name, &[pattern, value], like.op_span)?,
    };
    let call = match call {
        Expr::Function(call) => Expr::Function(resolver.arena.alloc(Call { is_operator: true, ..*call })),
        call => call,
    };
    Ok(resolver.not_if(like.not, call))
}

/// CURRENT_TIME, CURRENT_DATE and CURRENT_TIMESTAMP.
pub(super) fn current_time<'a>(resolver: &Resolver<'a>, time: CurrentTime) -> Result<Expr<'a>> {
    let name = match time {
        CurrentTime::Date => "current_date",
        CurrentTime::Time => "current_time",
        CurrentTime::Timestamp => "current_timestamp",
    };
    call_builtin(resolver, name, &[])
}

/// A call of a built-in function.
fn call_builtin<'a>(resolver: &Resolver<'a>, name: &str, args: &[Expr<'a>]) -> Result<Expr<'a>> {
    let function = find_function(resolver, Rules::default(), Name::new(name.as_bytes()), args.len(), Span::default())?;
    Ok(call_of(resolver, function, resolver.slice(args)))
}

/// `coalesce(x, y ...)`: the merged column of a FULL JOIN.
pub(super) fn coalesce<'a>(resolver: &Resolver<'a>, args: &[Expr<'a>]) -> Expr<'a> {
    match call_builtin(resolver, "coalesce", args) {
        Ok(Expr::Function(call)) => Expr::Function(resolver.arena.alloc(Call { is_merged_column: true, ..*call })),
        _ => args[0],
    }
}

fn find_function<'a>(
    resolver: &Resolver<'a>,
    rules: Rules,
    name: Name<'_>,
    args: usize,
    span: Span,
) -> Result<&'a Arc<Function>> {
    match resolver.env.functions.find(name.as_bytes(), args) {
        Lookup::Found(function) => Ok(function),
        Lookup::WrongArguments | Lookup::Unknown if rules.is_loaded => fail(format!("unknown function: {name}()")),
        Lookup::WrongArguments => {
            Err(CompileError::at(span, format!("wrong number of arguments to function {name}()")))
        }
        Lookup::Unknown => Err(CompileError::at(span, format!("no such function: {name}"))),
    }
}

/// Whether the schema may call the function. A schema may come from an untrusted author, so it may call only safe
/// functions unless the schema is trusted. The temporary schema is the connection's own.
fn check_trust<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    function: &Function,
    name: Name<'_>,
    span: Span,
) -> Result<()> {
    let is_of_schema = scope.rules.stored.is_some() || scope.fixed_db.is_some();
    let is_trusted = resolver.env.flags.trusted_schema || function.is_innocuous();
    if is_of_schema && !resolver.is_looking.get() && (function.is_direct_only() || !is_trusted) {
        return Err(CompileError::at(span, format!("unsafe use of {name}()")));
    }
    Ok(())
}

/// Whether this function may stand here in this form.
fn check_call<'a>(scope: &Scope<'_, 'a>, call: &ast::FunctionCall<'a>, function: &Function, span: Span) -> Result<()> {
    let name = call.name.name;
    let fail = |message: String| Err(CompileError::at(span, message));
    if call.over.is_some() {
        if !function.can_be_window() {
            return Err(never_of_window(name, span));
        }
        if !scope.rules.windows {
            return fail(format!("misuse of window function {name}()"));
        }
        if call.distinct {
            return fail("DISTINCT is not supported for window functions".to_owned());
        }
        if call.filter.is_some() && !function.is_aggregate() {
            return Err(CompileError::new("FILTER clause may only be used with aggregate window functions"));
        }
        return Ok(());
    }
    if function.is_window_only() {
        return fail(format!("misuse of window function {name}()"));
    }
    if function.is_aggregate() {
        if call.distinct && call.args.len() != 1 {
            return Err(CompileError::new("DISTINCT aggregates must have exactly one argument"));
        }
        // In WHERE of a query with aggregates, the call may be an aggregate of an outer query; its arguments decide.
        let mut outer = std::iter::successors(scope.parent, |outer| outer.parent);
        let may_be_outer = scope.rules.aggregates_elsewhere && outer.any(|outer| outer.rules.aggregates);
        let may_stand = scope.rules.aggregates || may_be_outer;
        return if may_stand { Ok(()) } else { Err(misuse(scope.rules, name, span)) };
    }
    if call.filter.is_some() {
        return fail(format!("FILTER may not be used with non-aggregate {name}()"));
    }
    if !call.order_by.is_empty() {
        return fail(format!("ORDER BY may not be used with non-aggregate {name}()"));
    }
    Ok(())
}

/// Whether the function may stand in a stored expression. After `PRAGMA case_sensitive_like` a new one may not have LIKE.
fn is_deterministic(scope: &Scope<'_, '_>, function: &Function) -> bool {
    function.is_deterministic() || function.is_defined_by_pragma() && scope.rules.is_loaded
}

/// A call of a scalar function whose arguments are resolved.
fn resolve_scalar<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    function: &'a Arc<Function>,
    args: &'a [Expr<'a>],
    span: Span,
) -> Result<Expr<'a>> {
    if let Some(clause @ (Stored::Index | Stored::PartialIndex | Stored::Generated)) = scope.rules.stored
        && !is_deterministic(scope, function)
    {
        return Err(prohibited("non-deterministic functions", clause));
    }
    if !function.is_builtin() {
        return Ok(call_of(resolver, function, args));
    }
    match function.name() {
        "iif" | "if" => Ok(iif(resolver, args)),
        "likelihood" if !is_likelihood(&args[1]) => {
            Err(CompileError::at(span, "second argument to likelihood() must be a constant between 0.0 and 1.0"))
        }
        _ => {
            let collation = collation_of_args(args);
            let must_be_pure = scope.rules.stored.and_then(Stored::pure_place);
            let call = Call {
                function,
                args,
                collation,
                is_operator: false,
                is_merged_column: false,
                replaces_column: false,
                is_in_replaced: false,
                must_be_pure,
                overloads: None,
            };
            resolver.has_calls.set(true);
            Ok(Expr::Function(resolver.arena.alloc(call)))
        }
    }
}

/// `iif(condition, value, ..., otherwise)` is CASE.
fn iif<'a>(resolver: &Resolver<'a>, args: &'a [Expr<'a>]) -> Expr<'a> {
    let pairs = args.chunks_exact(2);
    let otherwise = pairs.remainder().first().copied();
    let when = |pair: &[Expr<'a>]| When { condition: pair[0], how: How::default(), value: pair[1] };
    let whens = bumpalo::collections::Vec::from_iter_in(pairs.map(when), resolver.arena).into_bump_slice();
    Expr::Case(resolver.arena.alloc(Case { operand: None, whens, otherwise }))
}

fn call_of<'a>(resolver: &Resolver<'a>, function: &'a Arc<Function>, args: &'a [Expr<'a>]) -> Expr<'a> {
    let collation = collation_of_args(args);
    resolver.has_calls.set(true);
    Expr::Function(resolver.arena.alloc(Call {
        function,
        args,
        collation,
        is_operator: false,
        is_merged_column: false,
        replaces_column: false,
        is_in_replaced: false,
        must_be_pure: None,
        overloads: None,
    }))
}

/// A call of an aggregate. It belongs to the innermost query whose columns its arguments use.
fn resolve_aggregate<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    call: &ast::FunctionCall<'a>,
    function: &'a Arc<Function>,
    span: Span,
) -> Result<Expr<'a>> {
    let inside = scope.with_rules(Rules {
        aggregates: false,
        windows: false,
        in_aggregate: true,
        aggregates_elsewhere: false,
        ..scope.rules
    });
    let args = resolve_args(resolver, &inside, call)?;
    let order_by = or_error_of_filter(resolver, &inside, call, resolve_plain_order(resolver, &inside, call.order_by))?;
    let filter = call.filter.as_ref().map(|filter| resolve_expr(resolver, &inside, filter)).transpose()?;
    let collation = collation_of_args(args);
    let id = resolver.numbers.new_aggregate();
    let mut aggregate = Aggregate { id, function, args, distinct: call.distinct, order_by, filter, collation, span };
    if aggregate.is_min_or_max() {
        // ORDER BY has no effect on min() and max(), and bare columns come from the row that has the value.
        aggregate.order_by = &[];
    }
    let owner = owner_of(resolver, scope, &aggregate);
    // Of a schema that is being verified, this is checked in the definitions of tables and indexes alone.
    let is_checked = !resolver.only_names || scope.rules.stored.is_some();
    let is_misused = !owner.rules.aggregates && is_checked;
    if is_misused && std::ptr::eq(owner, scope) {
        return Err(misuse(scope.rules, call.name.name, span));
    }
    if is_misused {
        return Err(CompileError::at(span, format!("misuse of aggregate: {}()", call.name.name)));
    }
    let mut known = owner.found.aggregates.borrow_mut();
    if let Some(same) = known.iter().find(|known| same_aggregate(known, &aggregate)) {
        return Ok(Expr::Aggregate(same));
    }
    let aggregate: &'a Aggregate<'a> = resolver.arena.alloc(aggregate);
    known.push(aggregate);
    Ok(Expr::Aggregate(aggregate))
}

/// The scope whose sources the aggregate's arguments use, the innermost of them; `scope` itself when they use none. The
/// rows of a trigger and of RETURNING are not sources, because their columns are values in registers.
fn owner_of<'s, 'a>(resolver: &Resolver<'a>, scope: &'s Scope<'s, 'a>, aggregate: &Aggregate<'a>) -> &'s Scope<'s, 'a> {
    let returned = resolver.returning.get().map(|(_, source)| source);
    let is_own = |candidate: &Scope<'_, 'a>, id| {
        let mut sources = candidate.sources.iter().filter(|source| !source.is_trigger_row);
        returned != Some(id) && sources.any(|source| source.id == id)
    };
    let uses_sources_of = |candidate: &Scope<'_, 'a>| {
        let mut found = false;
        let mut look = |expr: &Expr<'a>| for_each_source(expr, &mut |id| found = found || is_own(candidate, id));
        aggregate.args.iter().for_each(&mut look);
        aggregate.filter.iter().for_each(&mut look);
        aggregate.order_by.iter().for_each(|term| look(&term.expr));
        found
    };
    let mut scopes = std::iter::successors(Some(scope), |inner| inner.parent);
    scopes.find(|candidate| uses_sources_of(candidate)).unwrap_or(scope)
}

fn resolve_window_call<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    call: &ast::FunctionCall<'a>,
    over: &ast::Over<'a>,
    function: &'a Arc<Function>,
) -> Result<Expr<'a>> {
    let inside = scope.with_rules(Rules { windows: false, ..scope.rules });
    let args = resolve_args(resolver, &inside, call)?;
    let window = or_error_of_filter(resolver, &inside, call, resolve_window(resolver, &inside, over, function))?;
    let filter = call.filter.as_ref().map(|filter| resolve_expr(resolver, &inside, filter)).transpose()?;
    let (id, collation) = (resolver.numbers.new_window(), collation_of_args(args));
    let call: &'a WindowCall<'a> = resolver.arena.alloc(WindowCall { id, function, args, collation, filter, window });
    scope.found.windows.borrow_mut().push(call);
    Ok(Expr::Window(call))
}

/// The collation of the first argument that has one.
fn collation_of_args<'a>(args: &[Expr<'a>]) -> Coll<'a> {
    args.iter().find_map(collation_of).unwrap_or_default()
}

fn is_likelihood(expr: &Expr<'_>) -> bool {
    // A literal has no sign: -0.0 is an expression.
    matches!(expr, Expr::Real(probability) if (0.0..=1.0).contains(probability) && probability.is_sign_positive())
}

fn misuse(rules: Rules, name: Name<'_>, span: Span) -> CompileError {
    if rules.aggregates_elsewhere {
        return CompileError::at(span, format!("misuse of aggregate: {name}()"));
    }
    CompileError::at(span, format!("misuse of aggregate function {name}()"))
}

/// The error for an aggregate that an alias brings to a place where none may stand.
pub(super) fn misuse_of_aggregate_in(expr: &Expr<'_>) -> CompileError {
    let mut found = None;
    any(expr, &mut |expr| {
        if let Expr::Aggregate(aggregate) = expr {
            found = Some(*aggregate);
        }
        found.is_some()
    });
    found.map_or_else(|| CompileError::new("misuse of aggregate: ()"), misuse_of_aggregate)
}

/// The error for an aggregate that may not stand there.
pub(super) fn misuse_of_aggregate(aggregate: &Aggregate<'_>) -> CompileError {
    CompileError::at(aggregate.span, format!("misuse of aggregate: {}()", aggregate.function.name()))
}
