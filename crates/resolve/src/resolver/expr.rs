//! Expressions.

use lithe_catalog::{CompileError, Result};
use lithe_sql::ast::{self, BinaryOp as Op, ExprKind, Quote, Span, UnaryOp as Prefix};
use lithe_sql::text::is_smallest_integer;
use lithe_value::Affinity;

use super::Resolver;
use super::scope::Scope;
use crate::ir::{BinaryOp, Coll, CompareOp, Expr, Raise, Subquery, TruthTest, UnaryOp};

impl<'a> Resolver<'a> {
    /// Resolves an expression that has to be a single value.
    pub fn expr(&self, scope: &Scope<'_, 'a>, expr: &ast::Expr<'a>) -> Result<Expr<'a>> {
        let resolved = self.expr_or_row(scope, expr)?;
        match resolved {
            value if self.only_names => Ok(value),
            Expr::Row(_) => Err(CompileError::new("row value misused").going_on()),
            Expr::Subquery(Subquery { query, .. }) if query.columns.len() != 1 => {
                Err(sub_select_width(query.columns.len(), 1).going_on())
            }
            value => Ok(value),
        }
    }

    /// As [`Resolver::expr`], into the arena.
    pub(super) fn boxed(&self, scope: &Scope<'_, 'a>, expr: &ast::Expr<'a>) -> Result<&'a Expr<'a>> {
        Ok(self.alloc(self.expr(scope, expr)?))
    }

    /// Resolves a list of single values.
    pub(super) fn exprs(&self, scope: &Scope<'_, 'a>, exprs: &[ast::Expr<'a>]) -> Result<&'a [Expr<'a>]> {
        let mut resolved = bumpalo::collections::Vec::with_capacity_in(exprs.len(), self.arena);
        for (at, expr) in exprs.iter().enumerate() {
            resolved.push(self.or_later(self.expr(scope, expr), scope, exprs.iter().skip(at + 1))?);
        }
        Ok(resolved.into_bump_slice())
    }

    /// As [`Resolver::exprs`], of expressions that are no part of another one: the first that is wrong is the last one looked at.
    pub(super) fn each_expr(&self, scope: &Scope<'_, 'a>, exprs: &[ast::Expr<'a>]) -> Result<&'a [Expr<'a>]> {
        let mut resolved = bumpalo::collections::Vec::with_capacity_in(exprs.len(), self.arena);
        for expr in exprs {
            resolved.push(self.expr(scope, expr)?);
        }
        Ok(resolved.into_bump_slice())
    }

    /// `first`; but where its error lets the rest of the expression be looked at, what is wrong there comes before it:
    /// in names, calls and queries, up to the first operand that is anything else.
    pub(super) fn or_later<'e, T>(
        &self,
        first: Result<T>,
        scope: &Scope<'_, 'a>,
        rest: impl IntoIterator<Item = &'e ast::Expr<'a>>,
    ) -> Result<T>
    where
        'a: 'e,
    {
        let mut error = match first {
            Err(error) if error.goes_on => error,
            first => return first,
        };
        for expr in rest {
            if !self.look_on(scope, expr, &mut error) {
                error = error.ending_here();
                break;
            }
        }
        Err(error)
    }

    /// Looks at an expression behind one that is wrong: `error` becomes what is wrong in it. Whether the search goes on behind it.
    fn look_on(&self, scope: &Scope<'_, 'a>, expr: &ast::Expr<'a>, error: &mut CompileError) -> bool {
        let can_be_looked_at = |expr: &ast::Expr<'a>| {
            matches!(
                expr.kind,
                ExprKind::Column(_)
                    | ExprKind::QualifiedColumn(_)
                    | ExprKind::Function(_)
                    | ExprKind::Exists(_)
                    | ExprKind::Subquery(_)
            )
        };
        if let ExprKind::Function(call) = &expr.kind
            && let Some(end) = call.args.iter().position(|arg| !can_be_looked_at(arg))
        {
            // The search ends within the arguments, and goes on behind the call.
            if let Err(found) = self.callable(scope, call, expr.span) {
                *error = found;
            }
            call.args[..end].iter().all(|arg| self.look_on(scope, arg, error));
            return true;
        }
        if !can_be_looked_at(expr) {
            return false;
        }
        match self.expr_or_row(scope, expr) {
            Ok(_) => true,
            Err(found) => {
                *error = found;
                error.goes_on
            }
        }
    }

    /// Both operands of an operator, single values, into the arena.
    fn operands(
        &self,
        scope: &Scope<'_, 'a>,
        left: &ast::Expr<'a>,
        right: &ast::Expr<'a>,
    ) -> Result<(&'a Expr<'a>, &'a Expr<'a>)> {
        let left = self.or_later(self.boxed(scope, left), scope, [right])?;
        Ok((left, self.boxed(scope, right)?))
    }

    /// Resolves an expression; it may be a row value, or a subquery of several columns.
    pub(super) fn expr_or_row(&self, scope: &Scope<'_, 'a>, expr: &ast::Expr<'a>) -> Result<Expr<'a>> {
        Ok(match expr.kind {
            ExprKind::Null => Expr::Null,
            ExprKind::Integer(value) => Expr::Integer(value),
            ExprKind::Float(digits) => Expr::Real(real(digits)),
            ExprKind::HexTooBig(digits) => return Err(hex_too_big("", digits)),
            ExprKind::String(text) => Expr::Text(text),
            ExprKind::Blob(bytes) => Expr::Blob(bytes),
            ExprKind::Parameter(number) => self.parameter(scope, number)?,
            ExprKind::Current(time) => self.current_time(time)?,
            ExprKind::Column(name) => self.column(scope, name.into())?,
            ExprKind::QualifiedColumn(name) => self.qualified_column(scope, name)?,
            ExprKind::Unary(op, operand) => self.unary(scope, op, operand)?,
            ExprKind::Binary(op, left, right) => self.binary(scope, op, left, right, expr.span)?,
            ExprKind::Like(like) => self.like(scope, like)?,
            ExprKind::Between(between) => self.between(scope, between)?,
            ExprKind::In(set) => self.in_set(scope, set)?,
            ExprKind::Case(case) => self.case(scope, case)?,
            ExprKind::Cast(cast) => Expr::Cast(self.boxed(scope, &cast.value)?, Affinity::of_cast(cast.type_name)),
            ExprKind::Collate(collate) => self.collate(scope, collate)?,
            ExprKind::Function(call) => self.function(scope, call, expr.span)?,
            ExprKind::Exists(select) => {
                let subquery = self.subquery(scope, select)?;
                let query = subquery.query.of_any_row(self.arena);
                Expr::Exists(self.arena.alloc(Subquery { query, ..*subquery }))
            }
            ExprKind::Subquery(select) => Expr::Subquery(self.subquery(scope, select)?),
            ExprKind::RowValue(items) => self.row(scope, items)?,
            ExprKind::Raise(raise) => self.raise(scope, raise)?,
        })
    }

    fn parameter(&self, scope: &Scope<'_, 'a>, number: u32) -> Result<Expr<'a>> {
        match scope.rules.stored {
            Some(clause) => Err(prohibited("parameters", clause)),
            // CREATE TRIGGER refuses parameters; in one that was written into the schema by hand they are NULL.
            None if scope.rules.raise => Ok(Expr::Null),
            None => Ok(Expr::Parameter(number)),
        }
    }

    fn qualified_column(&self, scope: &Scope<'_, 'a>, name: &ast::QualifiedColumn<'a>) -> Result<Expr<'a>> {
        use super::scope::Stored;
        if let Some(clause @ (Stored::Index | Stored::Generated)) = scope.rules.stored {
            return Err(prohibited("the \".\" operator", clause));
        }
        self.column(scope, name.into())
    }

    fn unary(&self, scope: &Scope<'_, 'a>, op: Prefix, operand: &ast::Expr<'a>) -> Result<Expr<'a>> {
        let negated = match (op, operand.kind) {
            (Prefix::Minus, ExprKind::Integer(value)) if value != i64::MIN => Some(Expr::Integer(-value)),
            (Prefix::Minus, ExprKind::HexTooBig(digits)) => return Err(hex_too_big("-", digits)),
            (Prefix::Minus, ExprKind::Float(digits)) if is_smallest_integer(digits) => Some(Expr::Integer(i64::MIN)),
            (Prefix::Minus, ExprKind::Float(digits)) => Some(Expr::Real(-real(digits))),
            _ => None,
        };
        if let Some(literal) = negated {
            return Ok(literal);
        }
        let value = self.boxed(scope, operand)?;
        Ok(match op {
            Prefix::Minus => Expr::Unary(UnaryOp::Negate, value),
            Prefix::Plus => Expr::Unary(UnaryOp::Plus, value),
            Prefix::BitNot => Expr::Unary(UnaryOp::BitNot, value),
            Prefix::Not => Expr::Unary(UnaryOp::Not, value),
            Prefix::IsNull => Expr::IsNull(value, false),
            Prefix::NotNull => Expr::IsNull(value, true),
        })
    }

    fn binary(
        &self,
        scope: &Scope<'_, 'a>,
        op: Op,
        left: &ast::Expr<'a>,
        right: &ast::Expr<'a>,
        span: Span,
    ) -> Result<Expr<'a>> {
        if let Some(op) = arithmetic(op) {
            let (left, right) = self.operands(scope, left, right)?;
            return Ok(Expr::Binary(op, left, right));
        }
        match op {
            Op::And if !self.only_names && ast::is_never_both(left, right) => Ok(Expr::Integer(0)),
            Op::And => self.operands(scope, left, right).map(|(left, right)| Expr::And(left, right)),
            Op::Or => self.operands(scope, left, right).map(|(left, right)| Expr::Or(left, right)),
            Op::Arrow => self.operator_call(scope, "->", &[left, right], span),
            Op::DoubleArrow => self.operator_call(scope, "->>", &[left, right], span),
            Op::Is | Op::IsNot if !scope.rules.in_default && is_empty_in(right).is_some() => {
                // `y IN ()` is FALSE, and IS FALSE a test of truth.
                let truth = is_empty_in(right).unwrap_or_default();
                self.expr(scope, right)?;
                Ok(Expr::IsTrue(self.boxed(scope, left)?, TruthTest::new(op == Op::IsNot, truth)))
            }
            Op::Is | Op::IsNot if !scope.rules.in_default && is_truth(right).is_some() => {
                self.is_truth(scope, op == Op::IsNot, left, right)
            }
            Op::Is | Op::IsNot if matches!(right.kind, ExprKind::Null) => {
                Ok(Expr::IsNull(self.boxed(scope, left)?, op == Op::IsNot))
            }
            _ => self.comparison(scope, comparison(op), left, right),
        }
    }

    /// `x IS TRUE`: unless there is a column of that name.
    fn is_truth(
        &self,
        scope: &Scope<'_, 'a>,
        not: bool,
        left: &ast::Expr<'a>,
        right: &ast::Expr<'a>,
    ) -> Result<Expr<'a>> {
        let truth = self.expr(scope, right)?;
        match (crate::ir::skip_collate(truth), is_truth(right)) {
            (Expr::Boolean(_), Some(truth)) => Ok(Expr::IsTrue(self.boxed(scope, left)?, TruthTest::new(not, truth))),
            _ => self.comparison(scope, if not { CompareOp::IsNot } else { CompareOp::Is }, left, right),
        }
    }

    fn collate(&self, scope: &Scope<'_, 'a>, collate: &ast::Collate<'a>) -> Result<Expr<'a>> {
        let value = self.expr_or_row(scope, &collate.value)?;
        Ok(self.collated(value, Coll::named(collate.collation.name)))
    }

    /// `value COLLATE collation`.
    pub(super) fn collated(&self, value: Expr<'a>, collation: Coll<'a>) -> Expr<'a> {
        Expr::Collate(self.alloc(value), self.arena.alloc(collation))
    }

    fn row(&self, scope: &Scope<'_, 'a>, items: &[ast::Expr<'a>]) -> Result<Expr<'a>> {
        let mut resolved = bumpalo::collections::Vec::with_capacity_in(items.len(), self.arena);
        for (at, item) in items.iter().enumerate() {
            resolved.push(self.or_later(self.expr_or_row(scope, item), scope, items.iter().skip(at + 1))?);
        }
        Ok(Expr::Row(resolved.into_bump_slice()))
    }

    /// A query within an expression.
    pub(super) fn subquery(&self, scope: &Scope<'_, 'a>, select: &ast::Select<'a>) -> Result<&'a Subquery<'a>> {
        if let Some(clause) = scope.rules.stored {
            return Err(prohibited("subqueries", clause));
        }
        self.expect_query_in_expr();
        let query = self.query(scope, select).map_err(CompileError::ending_here)?;
        query.outer.iter().for_each(|&source| scope.note_use(source));
        let query = self.as_returned(self.as_value(query));
        Ok(self.arena.alloc(Subquery { id: self.new_subquery(), query }))
    }

    fn raise(&self, scope: &Scope<'_, 'a>, raise: &ast::Raise<'a>) -> Result<Expr<'a>> {
        if !scope.rules.raise && !self.only_names {
            return Err(CompileError::new("RAISE() may only be used within a trigger-program").going_on());
        }
        let message = raise.message.as_ref().map(|message| self.expr(scope, message)).transpose()?;
        self.has_calls.set(true);
        Ok(Expr::Raise(self.arena.alloc(Raise { action: raise.action, message })))
    }
}

/// "x prohibited in y".
pub(super) fn prohibited(what: &str, clause: super::scope::Stored) -> CompileError {
    CompileError::new(format!("{what} prohibited in {}", clause.clause()))
}

/// "sub-select returns 2 columns - expected 1"
pub(super) fn sub_select_width(width: usize, expected: usize) -> CompileError {
    CompileError::new(format!("sub-select returns {width} columns - expected {expected}"))
}

fn hex_too_big(sign: &str, digits: &[u8]) -> CompileError {
    CompileError::new(format!("hex literal too big: {sign}{}", String::from_utf8_lossy(digits)))
}

/// The value of a number that is no integer.
fn real(digits: &[u8]) -> f64 {
    lithe_value::number::text_to_real(digits)
}

/// Whether an operand of IS is the word TRUE or FALSE, perhaps with a collation.
fn is_truth(expr: &ast::Expr<'_>) -> Option<bool> {
    if let ExprKind::Collate(collate) = expr.kind {
        return is_truth(&collate.value);
    }
    let ExprKind::Column(name) = expr.kind else { return None };
    if name.quote() != Quote::None {
        return None;
    }
    match name.name {
        name if name.is("true") => Some(true),
        name if name.is("false") => Some(false),
        _ => None,
    }
}

/// What `y IN ()` and `y NOT IN ()` are, whatever y is.
fn is_empty_in(expr: &ast::Expr<'_>) -> Option<bool> {
    match expr.kind {
        ExprKind::In(ast::In { set: ast::InSet::List([]), not, .. }) => Some(*not),
        _ => None,
    }
}

fn arithmetic(op: Op) -> Option<BinaryOp> {
    Some(match op {
        Op::Add => BinaryOp::Add,
        Op::Subtract => BinaryOp::Subtract,
        Op::Multiply => BinaryOp::Multiply,
        Op::Divide => BinaryOp::Divide,
        Op::Modulo => BinaryOp::Modulo,
        Op::Concat => BinaryOp::Concat,
        Op::BitAnd => BinaryOp::BitAnd,
        Op::BitOr => BinaryOp::BitOr,
        Op::ShiftLeft => BinaryOp::ShiftLeft,
        Op::ShiftRight => BinaryOp::ShiftRight,
        _ => return None,
    })
}

fn comparison(op: Op) -> CompareOp {
    match op {
        Op::Ne => CompareOp::Ne,
        Op::Is => CompareOp::Is,
        Op::IsNot => CompareOp::IsNot,
        Op::Lt => CompareOp::Lt,
        Op::Le => CompareOp::Le,
        Op::Gt => CompareOp::Gt,
        Op::Ge => CompareOp::Ge,
        _ => CompareOp::Eq,
    }
}
