//! What expressions in the schema may not contain: CHECK constraints, generated columns, indexes.

use lithe_sql::ast::{Case, Expr, ExprKind, FunctionCall, Ident, InSet, LikeOp, Name, OrderTerm, Quote, UnaryOp};

use lithe_sql::text::is_smallest_integer;

use super::{BuildOptions, KnownFunction};
use crate::catalog::Table;
use crate::error::{CompileError, Result, fail};

/// Where an expression stands in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// CHECK
    Check,
    /// GENERATED ALWAYS AS
    Generated,
    /// A term of CREATE INDEX
    Index,
    /// WHERE of CREATE INDEX
    PartialIndex,
}

impl Place {
    /// The place in SQLite's words.
    fn words(self) -> &'static str {
        match self {
            Place::Check => "CHECK constraints",
            Place::Generated => "generated columns",
            Place::Index => "index expressions",
            Place::PartialIndex => "partial index WHERE clauses",
        }
    }

    /// CHECK may use random() and the time; what is stored in an index must stay what it is.
    fn is_deterministic(self) -> bool {
        self != Place::Check
    }

    /// Where a row may have no rowid yet, or another one tomorrow, the rowid cannot be named.
    fn knows_rowid(self) -> bool {
        matches!(self, Place::Check | Place::PartialIndex)
    }

    /// `table.column` is refused where ALTER TABLE RENAME does not rewrite it.
    fn allows_qualified_names(self) -> bool {
        matches!(self, Place::Check | Place::PartialIndex)
    }
}

/// Checks `expr`, which stands at `place` in the definition of `table` or of an index of it.
pub(super) fn check(expr: &Expr<'_>, table: &Table, place: Place, options: &BuildOptions<'_>) -> Result<()> {
    Checker { table, place, options }.expr(expr)
}

struct Checker<'c> {
    table: &'c Table,
    place: Place,
    options: &'c BuildOptions<'c>,
}

impl Checker<'_> {
    fn expr(&self, expr: &Expr<'_>) -> Result<()> {
        match &expr.kind {
            ExprKind::Null
            | ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::HexTooBig(_)
            | ExprKind::String(_)
            | ExprKind::Blob(_)
            | ExprKind::Raise(_) => Ok(()),
            ExprKind::Current(_) => self.deterministic(false),
            ExprKind::Parameter(_) => self.prohibited("parameters"),
            ExprKind::Exists(_) | ExprKind::Subquery(_) => self.prohibited("subqueries"),
            ExprKind::Column(column) => self.column(*column),
            ExprKind::QualifiedColumn(column) => {
                if !self.place.allows_qualified_names() {
                    return self.prohibited("the \".\" operator");
                }
                if column.table.name != self.table.name.name() {
                    return fail(format!("no such column: {}.{}", column.table.name, column.column.name));
                }
                self.named_column(column.column.name)
            }
            ExprKind::Unary(_, operand) => self.expr(operand),
            ExprKind::Binary(op, left, right) => {
                if op.is_comparison() {
                    same_width(left, right)?;
                }
                self.all(&[left, right])
            }
            ExprKind::Like(like) => {
                self.all(&[&like.value, &like.pattern])?;
                self.optional(&like.escape)?;
                let name = match like.op {
                    LikeOp::Like => "like",
                    LikeOp::Glob => "glob",
                    LikeOp::Regexp => "regexp",
                    LikeOp::Match => "match",
                };
                self.function_name(Name::new(name.as_bytes()), 2 + usize::from(like.escape.is_some())).map(|_| ())
            }
            ExprKind::Between(between) => {
                same_width(&between.value, &between.low)?;
                same_width(&between.value, &between.high)?;
                self.all(&[&between.value, &between.low, &between.high])
            }
            ExprKind::In(set) if set.is_in_nothing() => Ok(()),
            ExprKind::In(set) => {
                self.expr(&set.value)?;
                match set.set {
                    InSet::List(items) => items.iter().try_for_each(|item| self.expr(item)),
                    InSet::Select(_) | InSet::Table(..) => self.prohibited("subqueries"),
                }
            }
            ExprKind::Case(case) => self.case(case),
            ExprKind::Cast(cast) => self.expr(&cast.value),
            ExprKind::Collate(collate) => self.expr(&collate.value),
            ExprKind::Function(call) => self.call(call),
            ExprKind::RowValue(items) => items.iter().try_for_each(|item| self.expr(item)),
        }
    }

    fn all(&self, exprs: &[&Expr<'_>]) -> Result<()> {
        exprs.iter().try_for_each(|expr| self.expr(expr))
    }

    fn optional(&self, expr: &Option<Expr<'_>>) -> Result<()> {
        expr.iter().try_for_each(|expr| self.expr(expr))
    }

    fn case(&self, case: &Case<'_>) -> Result<()> {
        self.optional(&case.operand)?;
        case.whens.iter().try_for_each(|when| self.all(&[&when.condition, &when.value]))?;
        self.optional(&case.otherwise)
    }

    fn column(&self, column: Ident<'_>) -> Result<()> {
        let is_boolean = column.quote() == Quote::None && (column.name.is("true") || column.name.is("false"));
        let may_be_string = column.quote() == Quote::Double && self.options.quoted_strings;
        match self.named_column(column.name) {
            Err(_) if is_boolean || may_be_string => Ok(()),
            Err(error) if column.quote() == Quote::Double => {
                let name = format!("\"{}\" - should this be a string literal in single-quotes?", column.name);
                let is_unknown = error.message.starts_with("no such column: ");
                Err(if is_unknown { CompileError::new(format!("no such column: {name}")) } else { error })
            }
            result => result,
        }
    }

    fn named_column(&self, name: Name<'_>) -> Result<()> {
        let is_rowid = || self.place.knows_rowid() && self.table.has_rowid() && is_rowid_name(name);
        if self.table.column(name).is_some() || is_rowid() {
            return Ok(());
        }
        fail(format!("no such column: {name}"))
    }

    fn call(&self, call: &FunctionCall<'_>) -> Result<()> {
        let arguments = || call.args.iter().try_for_each(|argument| self.expr(argument));
        let kind = self.function_name(call.name.name, call.args.len())?;
        match kind {
            Some(KnownFunction::Aggregate) if call.over.is_none() => {
                fail(format!("misuse of aggregate function {}()", call.name.name))
            }
            Some(KnownFunction::Aggregate | KnownFunction::Window) => {
                fail(format!("misuse of window function {}()", call.name.name))
            }
            Some(_) if call.over.is_some() => {
                fail(format!("{}() may not be used as a window function", call.name.name))
            }
            Some(_) if call.filter.is_some() => {
                fail(format!("FILTER may not be used with non-aggregate {}()", call.name.name))
            }
            _ => {
                let order: &[OrderTerm<'_>] = call.order_by;
                order.iter().try_for_each(|term| self.expr(&term.expr))?;
                arguments()
            }
        }
    }

    /// Checks that there is such a function here; `None` when functions are not looked at.
    fn function_name(&self, name: Name<'_>, argument_count: usize) -> Result<Option<KnownFunction>> {
        let Some(names) = self.options.names else { return Ok(None) };
        let kind = names.function(name, argument_count);
        match kind {
            KnownFunction::Missing => fail(format!("no such function: {name}")),
            KnownFunction::WrongArguments => fail(format!("wrong number of arguments to function {name}()")),
            KnownFunction::Scalar { is_trusted: false, .. } => fail(format!("unsafe use of {name}()")),
            KnownFunction::Scalar { deterministic, .. } => self.deterministic(deterministic).map(|()| Some(kind)),
            KnownFunction::Aggregate | KnownFunction::Window => Ok(Some(kind)),
        }
    }

    fn deterministic(&self, deterministic: bool) -> Result<()> {
        if deterministic || !self.place.is_deterministic() {
            return Ok(());
        }
        self.prohibited("non-deterministic functions")
    }

    fn prohibited<T>(&self, what: &str) -> Result<T> {
        Err(CompileError::new(format!("{what} prohibited in {}", self.place.words())))
    }
}

/// "row value misused" for a row that is compared with what is not as wide.
fn same_width(left: &Expr<'_>, right: &Expr<'_>) -> Result<()> {
    let width = |expr: &Expr<'_>| if let ExprKind::RowValue(items) = expr.kind { items.len() } else { 1 };
    let is_query = |expr: &Expr<'_>| matches!(expr.kind, ExprKind::Subquery(_));
    if is_query(left) || is_query(right) || width(left) == width(right) {
        return Ok(());
    }
    fail("row value misused")
}

/// Whether `name` is one of the names that every rowid has.
pub(crate) fn is_rowid_name(name: Name<'_>) -> bool {
    ["rowid", "_rowid_", "oid"].iter().any(|rowid| name.is(rowid))
}

/// What stands in a DEFAULT must not depend on anything: no columns, subqueries, parameters. Function calls of constants
/// are constant, whatever the function does.
pub(super) fn is_constant(expr: &Expr<'_>) -> bool {
    let all = |exprs: &[&Expr<'_>]| exprs.iter().all(|expr| is_constant(expr));
    match &expr.kind {
        ExprKind::Null
        | ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::HexTooBig(_)
        | ExprKind::String(_)
        | ExprKind::Blob(_)
        | ExprKind::Current(_) => true,
        ExprKind::Column(column) => {
            column.quote() == Quote::None && (column.name.is("true") || column.name.is("false"))
        }
        ExprKind::Parameter(_)
        | ExprKind::QualifiedColumn(_)
        | ExprKind::Exists(_)
        | ExprKind::Subquery(_)
        | ExprKind::Raise(_) => false,
        ExprKind::Unary(_, operand) => is_constant(operand),
        ExprKind::Binary(_, left, right) => all(&[left, right]),
        ExprKind::Like(like) => all(&[&like.value, &like.pattern]) && like.escape.iter().all(is_constant),
        ExprKind::Between(between) => all(&[&between.value, &between.low, &between.high]),
        ExprKind::In(set) => {
            is_constant(&set.value) && matches!(set.set, InSet::List(items) if items.iter().all(is_constant))
        }
        ExprKind::Case(case) => {
            case.operand.iter().all(is_constant)
                && case.whens.iter().all(|when| all(&[&when.condition, &when.value]))
                && case.otherwise.iter().all(is_constant)
        }
        ExprKind::Cast(cast) => is_constant(&cast.value),
        ExprKind::Collate(collate) => is_constant(&collate.value),
        ExprKind::Function(call) => call.over.is_none() && call.args.iter().all(is_constant),
        ExprKind::RowValue(items) => items.iter().all(is_constant),
    }
}

/// The value of a literal, perhaps with a sign.
pub(super) fn literal_value(expr: &Expr<'_>) -> Option<lithe_value::Value> {
    use lithe_value::Value;
    match &expr.kind {
        ExprKind::Null => Some(Value::NULL),
        ExprKind::Integer(integer) => Some(Value::from(*integer)),
        ExprKind::Float(digits) => Some(Value::from(lithe_value::number::text_to_real(digits))),
        ExprKind::String(text) => Some(Value::text(*text)),
        ExprKind::Blob(blob) => Some(Value::blob(*blob)),
        ExprKind::Column(name) if name.quote() == Quote::None && name.name.is("true") => Some(Value::from(1)),
        ExprKind::Column(name) if name.quote() == Quote::None && name.name.is("false") => Some(Value::from(0)),
        ExprKind::Unary(UnaryOp::Plus, operand) => literal_number(operand),
        // The smallest integer is written as the negative of a number that is none.
        ExprKind::Unary(UnaryOp::Minus, Expr { kind: ExprKind::Float(digits), .. }) if is_smallest_integer(digits) => {
            Some(Value::from(i64::MIN))
        }
        ExprKind::Unary(UnaryOp::Minus, operand) => {
            let value = literal_number(operand)?;
            match value.as_ref() {
                lithe_value::ValueRef::Integer(integer) => integer.checked_neg().map(Value::from),
                lithe_value::ValueRef::Real(real) => Some(Value::from(-real)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn literal_number(expr: &Expr<'_>) -> Option<lithe_value::Value> {
    literal_value(expr).filter(|value| value.as_ref().is_number())
}
