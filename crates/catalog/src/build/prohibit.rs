//! What expressions in the schema may not contain: CHECK constraints, generated columns, indexes.

use lithe_sql::ast::{
    BinaryOp, Case, Expr, ExprKind, FunctionCall, Ident, InSet, LikeOp, Name, OrderTerm, QualifiedColumn, Quote, Span,
    UnaryOp, is_folded_to_zero,
};
use lithe_sql::text::is_smallest_integer;

use super::{BuildOptions, KnownFunction};
use crate::Table;
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
    /// The place, as SQLite's messages name it.
    fn words(self) -> &'static str {
        match self {
            Place::Check => "CHECK constraints",
            Place::Generated => "generated columns",
            Place::Index => "index expressions",
            Place::PartialIndex => "partial index WHERE clauses",
        }
    }

    /// Whether functions must be deterministic. CHECK may use random() and the time; the stored values of an index must
    /// be reproducible.
    fn is_deterministic(self) -> bool {
        self != Place::Check
    }

    /// Whether the rowid can be named: not where a row may have no rowid yet, or may get another one.
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
    let mut checker = Checker { table, place, options, error: None };
    checker.expr(expr);
    checker.error.map_or(Ok(()), Err)
}

/// The error that is reported if `error` was found before `expr`, which is checked too.
pub(super) fn check_behind(
    error: CompileError,
    expr: &Expr<'_>,
    table: &Table,
    place: Place,
    options: &BuildOptions<'_>,
) -> CompileError {
    let mut checker = Checker { table, place, options, error: Some(error.clone()) };
    checker.expr(expr);
    checker.error.unwrap_or(error)
}

/// Walks an expression in SQLite's order, which decides what is reported: an unknown name ends the walk, at once or, within a
/// call, after the call; any other error ends it at the next expression that is neither a name nor a call. The last error
/// found is reported. The functions return whether the walk continues.
struct Checker<'c> {
    table: &'c Table,
    place: Place,
    options: &'c BuildOptions<'c>,
    error: Option<CompileError>,
}

impl Checker<'_> {
    fn expr(&mut self, expr: &Expr<'_>) -> bool {
        match &expr.kind {
            ExprKind::Column(column) => self.ends(self.column(*column)),
            ExprKind::QualifiedColumn(column) => {
                let found = self.qualified_column(column);
                self.ends(found.map_err(|error| error.with_offset(Some(expr.span.start))))
            }
            ExprKind::Function(call) => self.call(call),
            ExprKind::Like(like) => {
                // A call of like(pattern, value, escape).
                let name = match like.op {
                    LikeOp::Like => b"like".as_slice(),
                    LikeOp::Glob => b"GLOB",
                    // A message shows the operator as it is written.
                    LikeOp::Regexp => like.op_text,
                    LikeOp::Match => b"match",
                };
                let count = 2 + usize::from(like.escape.is_some());
                let found = self.function_name(Name::new(name), like.op_span, count).map(drop);
                self.continues(found);
                let _ends_the_arguments = self.all(&[&like.pattern, &like.value]) && self.optional(&like.escape);
                true
            }
            ExprKind::Current(_) => self.continues(self.deterministic(expr.span, false)),
            ExprKind::Exists(_) | ExprKind::Subquery(_) => self.ends(Err(self.prohibited("subqueries"))),
            ExprKind::Parameter(_) => self.ends(Err(self.prohibited("parameters").with_offset(Some(expr.span.start)))),
            ExprKind::In(set) if !set.is_in_nothing() && !matches!(set.set, InSet::List(_)) => {
                // SQLite checks the query before the value on the left of IN.
                self.ends(Err(self.prohibited("subqueries").with_offset(expr.error_offset())))
            }
            _ => match tested_for_null(expr) {
                // As after a call, what follows is checked.
                Some(operand) => {
                    let _ends_the_operand = self.expr(operand);
                    self.error.is_some() || self.has_equal_widths(expr)
                }
                None => self.has_equal_widths(expr) && self.error.is_none() && self.operator(expr),
            },
        }
    }

    /// Whether the expression does not compare rows of different widths, which is checked even after an error.
    fn has_equal_widths(&mut self, expr: &Expr<'_>) -> bool {
        let widths = match &expr.kind {
            ExprKind::Binary(op, left, right) if op.is_comparison() => same_width(left, right),
            ExprKind::Between(between) => {
                same_width(&between.value, &between.low).and_then(|()| same_width(&between.value, &between.high))
            }
            _ => return true,
        };
        self.ends(widths.map_err(|error| error.with_offset(expr.error_offset())))
    }

    /// An expression that is neither a name nor a call.
    fn operator(&mut self, expr: &Expr<'_>) -> bool {
        match &expr.kind {
            ExprKind::Unary(_, operand) => self.expr(operand),
            // SQLite does not check an AND that is never true, except in ALTER TABLE.
            ExprKind::Binary(BinaryOp::And, left, right)
                if !self.options.is_altering && is_folded_to_zero(left, right) =>
            {
                true
            }
            ExprKind::Binary(_, left, right) => self.all(&[left, right]),
            ExprKind::Between(between) => self.all(&[&between.value, &between.low, &between.high]),
            ExprKind::In(set) => match set.set {
                InSet::List(items) if !items.is_empty() => {
                    self.expr(&set.value) && items.iter().all(|item| self.expr(item))
                }
                _ => true,
            },
            ExprKind::Case(case) => self.case(case),
            ExprKind::Cast(cast) => self.expr(&cast.value),
            ExprKind::Collate(collate) => self.expr(&collate.value),
            ExprKind::RowValue(items) => items.iter().all(|item| self.expr(item)),
            _ => true,
        }
    }

    /// Keeps an error that ends the walk.
    fn ends(&mut self, found: Result<()>) -> bool {
        let is_right = found.is_ok();
        self.continues(found);
        is_right
    }

    /// Keeps an error after which names and calls are still checked.
    fn continues(&mut self, found: Result<()>) -> bool {
        if let Err(error) = found {
            self.error = Some(error);
        }
        true
    }

    fn all(&mut self, exprs: &[&Expr<'_>]) -> bool {
        exprs.iter().all(|expr| self.expr(expr))
    }

    fn optional(&mut self, expr: &Option<Expr<'_>>) -> bool {
        expr.iter().all(|expr| self.expr(expr))
    }

    fn case(&mut self, case: &Case<'_>) -> bool {
        self.optional(&case.operand)
            && case.whens.iter().all(|when| self.all(&[&when.condition, &when.value]))
            && self.optional(&case.otherwise)
    }

    fn column(&self, column: Ident<'_>) -> Result<()> {
        let is_boolean = column.quote() == Quote::None && (column.name.is("true") || column.name.is("false"));
        let may_be_string = column.quote() == Quote::Double && self.options.quoted_strings;
        match self.named_column(column) {
            Err(_) if is_boolean || may_be_string => Ok(()),
            Err(error) if column.quote() == Quote::Double => {
                Err(CompileError::no_such_quoted_column(column.name).with_offset(error.offset))
            }
            result => result,
        }
    }

    fn qualified_column(&self, column: &QualifiedColumn<'_>) -> Result<()> {
        let name = column.column.name;
        if column.table.name == self.table.name.name() && self.knows_column(name) {
            return match self.place.allows_qualified_names() {
                true => Ok(()),
                false => Err(self.prohibited("the \".\" operator")),
            };
        }
        // As in SQLite, which forgets the schema where it allows one.
        let schema = column.schema.filter(|_| !self.place.allows_qualified_names());
        let schema = schema.map_or(String::new(), |schema| format!("{}.", schema.name));
        Err(CompileError::no_such("column", format_args!("{schema}{}.{name}", column.table.name)))
    }

    fn named_column(&self, column: Ident<'_>) -> Result<()> {
        if self.knows_column(column.name) {
            return Ok(());
        }
        Err(CompileError::no_such("column", column.name).starting_at(column.span()))
    }

    fn knows_column(&self, name: Name<'_>) -> bool {
        let is_rowid = || self.place.knows_rowid() && self.table.has_rowid() && is_rowid_name(name);
        self.table.column(name).is_some() || is_rowid()
    }

    fn call(&mut self, call: &FunctionCall<'_>) -> bool {
        let found = self.callable(call);
        self.continues(found);
        let order: &[OrderTerm<'_>] = call.order_by;
        let _ends_the_arguments =
            order.iter().all(|term| self.expr(&term.expr)) && call.args.iter().all(|argument| self.expr(argument));
        true
    }

    /// Whether the function may be called here in this way.
    fn callable(&self, call: &FunctionCall<'_>) -> Result<()> {
        let (name, place) = (call.name.name, call.name.span());
        match self.function_name(name, place, call.args.len())? {
            Some(KnownFunction::Aggregate) if call.over.is_none() => {
                fail_at(place, format!("misuse of aggregate function {name}()"))
            }
            Some(KnownFunction::Aggregate | KnownFunction::Window) => {
                fail_at(place, format!("misuse of window function {name}()"))
            }
            Some(_) if call.over.is_some() => fail_at(place, format!("{name}() may not be used as a window function")),
            Some(_) if call.filter.is_some() => {
                fail_at(place, format!("FILTER may not be used with non-aggregate {name}()"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that there is such a function here; `None` when functions are not checked.
    fn function_name(&self, name: Name<'_>, place: Span, argument_count: usize) -> Result<Option<KnownFunction>> {
        let Some(names) = self.options.names else { return Ok(None) };
        let kind = names.function(name, argument_count);
        match kind {
            KnownFunction::Missing => fail_at(place, format!("no such function: {name}")),
            KnownFunction::WrongArguments => fail_at(place, format!("wrong number of arguments to function {name}()")),
            // As in SQLite, without a place.
            KnownFunction::Scalar { is_trusted: false, .. } => fail(format!("unsafe use of {name}()")),
            KnownFunction::Scalar { deterministic, .. } => {
                self.deterministic(place, deterministic).map(|()| Some(kind))
            }
            KnownFunction::Aggregate | KnownFunction::Window => Ok(Some(kind)),
        }
    }

    /// Checks that a call at `place` may be as deterministic as it is.
    fn deterministic(&self, place: Span, deterministic: bool) -> Result<()> {
        if deterministic || !self.place.is_deterministic() {
            return Ok(());
        }
        Err(self.prohibited("non-deterministic functions").with_offset(Some(place.start)))
    }

    fn prohibited(&self, what: &str) -> CompileError {
        CompileError::new(format!("{what} prohibited in {}", self.place.words()))
    }
}

/// The operand of IS NULL and its like.
fn tested_for_null<'e, 'a>(expr: &'e Expr<'a>) -> Option<&'e Expr<'a>> {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::IsNull | UnaryOp::NotNull, operand) => Some(operand),
        ExprKind::Binary(BinaryOp::Is | BinaryOp::IsNot, left, right) => match (&left.kind, &right.kind) {
            (_, ExprKind::Null) => Some(left),
            (ExprKind::Null, _) => Some(right),
            _ => None,
        },
        _ => None,
    }
}

/// An error with this message, at `place`.
fn fail_at<T>(place: Span, message: String) -> Result<T> {
    Err(CompileError::at(place, message))
}

/// "row value misused" for a comparison of two values with different numbers of columns.
fn same_width(left: &Expr<'_>, right: &Expr<'_>) -> Result<()> {
    let width = |expr: &Expr<'_>| if let ExprKind::RowValue(items) = expr.kind { items.len() } else { 1 };
    let is_query = |expr: &Expr<'_>| matches!(expr.kind, ExprKind::Subquery(_));
    if is_query(left) || is_query(right) || width(left) == width(right) {
        return Ok(());
    }
    fail("row value misused")
}

/// Whether `name` is one of the names that every rowid has.
pub fn is_rowid_name(name: Name<'_>) -> bool {
    ["rowid", "_rowid_", "oid"].iter().any(|rowid| name.is(rowid))
}

/// Whether the expression may be a DEFAULT: it uses no columns, subqueries or parameters. A function call with constant
/// arguments is constant, whatever the function does.
pub(super) fn is_constant(expr: &Expr<'_>) -> bool {
    let all = |exprs: &[&Expr<'_>]| exprs.iter().all(|expr| is_constant(expr));
    if expr.is_false() {
        return true;
    }
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
        // The smallest integer is written as a minus before a number that is too large for an integer.
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
