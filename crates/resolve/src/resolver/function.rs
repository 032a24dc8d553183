//! Calls of functions, aggregates and window functions.

use std::sync::Arc;

use lithe_catalog::{CompileError, Result, fail};
use lithe_functions::{Function, Lookup};
use lithe_sql::ast::{self, CurrentTime, LikeOp, Name, Span};

use super::Resolver;
use super::expr::prohibited;
use super::scope::{Rules, Scope, Stored};
use crate::ir::{
    Aggregate, Call, Case, Coll, Expr, How, OrderTerm, When, WindowCall, any, collation_of, for_each_source,
    same_aggregate,
};

impl<'a> Resolver<'a> {
    /// `name(args) ...`. After whatever is wrong in it, the rest of the expression around it is still looked at.
    pub(super) fn function(&self, scope: &Scope<'_, 'a>, call: &ast::FunctionCall<'a>, span: Span) -> Result<Expr<'a>> {
        self.function_call(scope, call, span).map_err(CompileError::going_on)
    }

    /// Asks the authorizer about a function, but not within the definition of a table or index, about which it was asked when that was created.
    /// (It is about a default.)
    fn may_call(&self, scope: &Scope<'_, 'a>, function: &str) -> Result<bool> {
        let is_asked = !scope.rules.is_loaded || scope.rules.in_default;
        Ok(!is_asked || self.env.ask_function(function, scope.within)?)
    }

    fn function_call(&self, scope: &Scope<'_, 'a>, call: &ast::FunctionCall<'a>, span: Span) -> Result<Expr<'a>> {
        let function = match self.callable(scope, call, span) {
            // A schema that is verified is only asked whether its names mean something; functions may be registered later.
            Err(_) if self.only_names => return self.names_of_call(scope, call),
            function => self.or_later(function, scope, call.args)?,
        };
        if !self.may_call(scope, function.name())? {
            return Ok(Expr::Null);
        }
        // Nor are windows, when a schema is verified.
        if let (true, Some(ast::Over::Name(name))) = (self.only_names, &call.over)
            && !scope.windows.iter().any(|window| window.name.name == name.name)
        {
            return self.names_of_call(scope, call);
        }
        if let Some(over) = &call.over {
            return self.window_call(scope, call, over, function);
        }
        if function.is_aggregate() {
            return self.aggregate(scope, call, function, span);
        }
        let args = self.exprs(scope, call.args)?;
        let function = self.overloaded(function, args, args.first());
        self.scalar(scope, function, args, span)
    }

    /// The function, if it is there and may be called here in this way.
    pub(super) fn callable(
        &self,
        scope: &Scope<'_, 'a>,
        call: &ast::FunctionCall<'a>,
        span: Span,
    ) -> Result<&'a Arc<Function>> {
        let found = self.find_function(scope.rules, call.name.name, call.args.len(), span);
        let function = found.and_then(|function| {
            self.check_call(scope, call, function, span)?;
            self.check_trust(scope, function, call.name.name, span)?;
            Ok(function)
        });
        function.map_err(CompileError::going_on)
    }

    /// Looks at the names in a call that means nothing.
    fn names_of_call(&self, scope: &Scope<'_, 'a>, call: &ast::FunctionCall<'a>) -> Result<Expr<'a>> {
        self.exprs(scope, call.args)?;
        self.names_of_clauses(scope, call)?;
        if let Some(ast::Over::Window(window)) = &call.over {
            self.plain_order(scope, window.order_by)?;
            self.exprs(scope, window.partition_by)?;
        }
        Ok(Expr::Null)
    }

    /// Looks at the names in FILTER and ORDER BY of a call.
    fn names_of_clauses(&self, scope: &Scope<'_, 'a>, call: &ast::FunctionCall<'a>) -> Result<()> {
        call.filter.as_ref().map(|filter| self.expr(scope, filter)).transpose()?;
        self.plain_order(scope, call.order_by).map(drop)
    }

    /// The function that a virtual table puts in the place of this one, if `of` is a column of one that does.
    fn overloaded(
        &self,
        function: &'a Arc<Function>,
        args: &'a [Expr<'a>],
        of: Option<&Expr<'a>>,
    ) -> &'a Arc<Function> {
        let Some(Expr::Column(column)) = of else { return function };
        let Some(connected) = column.table.and_then(|table| table.connected()) else { return function };
        let table = self.env.virtual_tables.get(connected.id.0);
        match table.and_then(|table| table.find_function(function.name(), args.len())) {
            Some(overloaded) => self.env.overloaded.keep(overloaded.function),
            None => function,
        }
    }

    /// An operator or keyword that is a call of the function `name`.
    pub(super) fn operator_call(
        &self,
        scope: &Scope<'_, 'a>,
        name: &str,
        args: &[&ast::Expr<'a>],
        span: Span,
    ) -> Result<Expr<'a>> {
        self.resolve_operator(scope, name, args, span).map_err(CompileError::going_on)
    }

    fn resolve_operator(
        &self,
        scope: &Scope<'_, 'a>,
        name: &str,
        args: &[&ast::Expr<'a>],
        span: Span,
    ) -> Result<Expr<'a>> {
        let function =
            self.find_function(scope.rules, Name::new(name.as_bytes()), args.len(), span).and_then(|function| {
                self.check_trust(scope, function, Name::new(name.as_bytes()), span)?;
                Ok(function)
            });
        let function = match function {
            Err(_) if self.only_names => {
                args.iter().try_for_each(|arg| self.expr(scope, arg).map(|_| ()))?;
                return Ok(Expr::Null);
            }
            function => self.or_later(function.map_err(CompileError::going_on), scope, args.iter().copied())?,
        };
        if !self.may_call(scope, function.name())? {
            return Ok(Expr::Null);
        }
        let mut resolved = bumpalo::collections::Vec::with_capacity_in(args.len(), self.arena);
        for (at, arg) in args.iter().enumerate() {
            resolved.push(self.or_later(self.expr(scope, arg), scope, args.iter().skip(at + 1).copied())?);
        }
        let resolved = resolved.into_bump_slice();
        // The value of LIKE and its kind is their second argument.
        let function = self.overloaded(function, resolved, resolved.get(1));
        self.scalar(scope, function, resolved, span)
    }

    /// `value LIKE pattern ESCAPE escape` is `like(pattern, value, escape)`.
    pub(super) fn like(&self, scope: &Scope<'_, 'a>, like: &ast::Like<'a>) -> Result<Expr<'a>> {
        let name = match like.op {
            LikeOp::Like => "like",
            LikeOp::Glob => "glob",
            // An error names it as it is written.
            LikeOp::Regexp => str::from_utf8(like.op_span.text(scope.text)).unwrap_or("regexp"),
            LikeOp::Match => "match",
        };
        let (pattern, value) = (&like.pattern, &like.value);
        let call = match &like.escape {
            Some(escape) => self.operator_call(scope, name, &[pattern, value, escape], like.op_span)?,
            None => self.operator_call(scope, name, &[pattern, value], like.op_span)?,
        };
        Ok(self.not_if(like.not, call))
    }

    /// CURRENT_TIME and its siblings.
    pub(super) fn current_time(&self, time: CurrentTime) -> Result<Expr<'a>> {
        let name = match time {
            CurrentTime::Date => "current_date",
            CurrentTime::Time => "current_time",
            CurrentTime::Timestamp => "current_timestamp",
        };
        self.builtin(name, &[])
    }

    /// A call of a function that is always there.
    pub fn builtin(&self, name: &str, args: &[Expr<'a>]) -> Result<Expr<'a>> {
        let function = self.find_function(Rules::default(), Name::new(name.as_bytes()), args.len(), Span::default())?;
        Ok(self.call(function, self.slice(args)))
    }

    /// `coalesce(x, y ...)`: what FULL JOIN makes of two columns.
    pub(super) fn coalesce(&self, args: &[Expr<'a>]) -> Expr<'a> {
        match self.builtin("coalesce", args) {
            Ok(Expr::Function(call)) => Expr::Function(self.arena.alloc(Call { is_merged_column: true, ..*call })),
            _ => args[0],
        }
    }

    fn find_function(&self, rules: Rules, name: Name<'_>, args: usize, span: Span) -> Result<&'a Arc<Function>> {
        match self.env.functions.find(name.as_bytes(), args) {
            Lookup::Found(function) => Ok(function),
            Lookup::WrongArguments | Lookup::Unknown if rules.is_loaded => fail(format!("unknown function: {name}()")),
            Lookup::WrongArguments => {
                Err(CompileError::at(span, format!("wrong number of arguments to function {name}()")))
            }
            Lookup::Unknown => Err(CompileError::at(span, format!("no such function: {name}"))),
        }
    }

    /// Whether the schema may call the function: the author of a schema decides what runs in connections of others. The
    /// temporary schema is the connection's own.
    fn check_trust(&self, scope: &Scope<'_, 'a>, function: &Function, name: Name<'_>, span: Span) -> Result<()> {
        let is_of_schema = scope.rules.stored.is_some() || scope.fixed_db.is_some();
        let is_trusted = self.env.flags.trusted_schema || function.is_innocuous();
        if is_of_schema && !self.is_looking.get() && (function.is_direct_only() || !is_trusted) {
            return Err(CompileError::at(span, format!("unsafe use of {name}()")));
        }
        Ok(())
    }

    /// Whether this function may stand here in this form.
    fn check_call(
        &self,
        scope: &Scope<'_, 'a>,
        call: &ast::FunctionCall<'a>,
        function: &Function,
        span: Span,
    ) -> Result<()> {
        let name = call.name.name;
        let fail = |message: String| Err(CompileError::at(span, message));
        if call.over.is_some() {
            if !function.can_be_window() {
                return fail(format!("{name}() may not be used as a window function"));
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
            // In WHERE of a query with aggregates it may be one of an outer query: its arguments tell.
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

    /// A call of a scalar function whose arguments are resolved.
    fn scalar(
        &self,
        scope: &Scope<'_, 'a>,
        function: &'a Arc<Function>,
        args: &'a [Expr<'a>],
        span: Span,
    ) -> Result<Expr<'a>> {
        if let Some(clause @ (Stored::Index | Stored::PartialIndex | Stored::Generated)) = scope.rules.stored
            && !function.is_deterministic()
        {
            return Err(prohibited("non-deterministic functions", clause));
        }
        if !function.is_builtin() {
            return Ok(self.call(function, args));
        }
        match function.name() {
            "iif" | "if" => Ok(self.iif(args)),
            "likelihood" if !is_likelihood(&args[1]) => {
                Err(CompileError::at(span, "second argument to likelihood() must be a constant between 0.0 and 1.0"))
            }
            _ => {
                let collation = collation_of_args(args);
                let must_be_pure = scope.rules.stored.and_then(Stored::pure_place);
                let call = Call { function, args, collation, is_merged_column: false, must_be_pure };
                self.has_calls.set(true);
                Ok(Expr::Function(self.arena.alloc(call)))
            }
        }
    }

    /// `iif(condition, value, ..., otherwise)` is CASE.
    fn iif(&self, args: &'a [Expr<'a>]) -> Expr<'a> {
        let pairs = args.chunks_exact(2);
        let otherwise = pairs.remainder().first().copied();
        let when = |pair: &[Expr<'a>]| When { condition: pair[0], how: How::default(), value: pair[1] };
        let whens = bumpalo::collections::Vec::from_iter_in(pairs.map(when), self.arena).into_bump_slice();
        Expr::Case(self.arena.alloc(Case { operand: None, whens, otherwise }))
    }

    fn call(&self, function: &'a Arc<Function>, args: &'a [Expr<'a>]) -> Expr<'a> {
        let collation = collation_of_args(args);
        self.has_calls.set(true);
        Expr::Function(self.arena.alloc(Call {
            function,
            args,
            collation,
            is_merged_column: false,
            must_be_pure: None,
        }))
    }

    /// A call of an aggregate. It belongs to the innermost query whose columns its arguments use.
    fn aggregate(
        &self,
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
        let args = self.exprs(&inside, call.args).or_else(|error| {
            self.names_of_clauses(&inside, call)?;
            Err(error)
        })?;
        let filter = call.filter.as_ref().map(|filter| self.expr(&inside, filter)).transpose()?;
        let order_by = self.plain_order(&inside, call.order_by)?;
        let collation = collation_of_args(args);
        let id = self.new_aggregate();
        let mut aggregate =
            Aggregate { id, function, args, distinct: call.distinct, order_by, filter, collation, span };
        if aggregate.is_min_or_max() {
            // The order says nothing then, and bare columns come from the row that has the value.
            aggregate.order_by = &[];
        }
        let owner = self.owner_of(scope, &aggregate);
        let is_misused = !owner.rules.aggregates && !self.only_names;
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
        let aggregate: &'a Aggregate<'a> = self.arena.alloc(aggregate);
        known.push(aggregate);
        Ok(Expr::Aggregate(aggregate))
    }

    /// The scope whose sources the aggregate's arguments use, the innermost of them; `scope` itself when they use none. The
    /// rows of a trigger and of RETURNING are not sources: their columns are values that are there already.
    fn owner_of<'s>(&self, scope: &'s Scope<'s, 'a>, aggregate: &Aggregate<'a>) -> &'s Scope<'s, 'a> {
        let returned = self.returning.get().map(|(_, source)| source);
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

    fn window_call(
        &self,
        scope: &Scope<'_, 'a>,
        call: &ast::FunctionCall<'a>,
        over: &ast::Over<'a>,
        function: &'a Arc<Function>,
    ) -> Result<Expr<'a>> {
        let inside = scope.with_rules(Rules { windows: false, ..scope.rules });
        let args = self.exprs(&inside, call.args).or_else(|error| {
            self.names_of_clauses(&inside, call)?;
            Err(error)
        })?;
        let filter = call.filter.as_ref().map(|filter| self.expr(&inside, filter)).transpose()?;
        let window = self.window(&inside, over, function)?;
        let (id, collation) = (self.new_window(), collation_of_args(args));
        let call: &'a WindowCall<'a> = self.arena.alloc(WindowCall { id, function, args, collation, filter, window });
        scope.found.windows.borrow_mut().push(call);
        Ok(Expr::Window(call))
    }

    /// ORDER BY terms that are what they say: neither numbers nor aliases.
    pub(super) fn plain_order(
        &self,
        scope: &Scope<'_, 'a>,
        terms: &[ast::OrderTerm<'a>],
    ) -> Result<&'a [OrderTerm<'a>]> {
        let mut resolved = bumpalo::collections::Vec::with_capacity_in(terms.len(), self.arena);
        for term in terms {
            let expr = self.expr(scope, &term.expr)?;
            resolved.push(super::order::order_term(term, expr, None));
        }
        Ok(resolved.into_bump_slice())
    }
}

/// The collation of the first argument that has one.
fn collation_of_args<'a>(args: &[Expr<'a>]) -> Coll<'a> {
    args.iter().find_map(collation_of).unwrap_or_default()
}

fn is_likelihood(expr: &Expr<'_>) -> bool {
    matches!(expr, Expr::Real(probability) if (0.0..=1.0).contains(probability))
}

fn misuse(rules: Rules, name: Name<'_>, span: Span) -> CompileError {
    if rules.aggregates_elsewhere {
        return CompileError::at(span, format!("misuse of aggregate: {name}()"));
    }
    CompileError::at(span, format!("misuse of aggregate function {name}()"))
}

/// The error for an aggregate that came by an alias to where none may stand.
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

/// The error for that aggregate.
pub(super) fn misuse_of_aggregate(aggregate: &Aggregate<'_>) -> CompileError {
    CompileError::at(aggregate.span, format!("misuse of aggregate: {}()", aggregate.function.name()))
}
