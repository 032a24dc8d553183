//! Expressions, function calls and windows.

use super::{Ident, OrderTerm, QualifiedName, Select, SelectNumber, Span};

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr<'a> {
    /// The kind of the expression, with its operands.
    pub kind: ExprKind<'a>,
    /// The position in the text, without parentheses around the expression (but with those around its first and last operand).
    pub span: Span,
    /// The height of the expression tree: 1 for a leaf. Never above the limit of the parser.
    pub height: u32,
}

const _: () = assert!(size_of::<Expr<'_>>() <= 48);

/// The kinds of expressions.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind<'a> {
    /// NULL.
    Null,
    /// An integer that fits 64 bits, decimal or hexadecimal. Only hexadecimal ones are negative. The operand of a minus is never
    /// `i64::MIN`: such an operand is [`HexTooBig`](ExprKind::HexTooBig).
    Integer(i64),
    /// A number with point or exponent, or a decimal integer too large for 64 bits; digits without separators.
    /// 9223372036854775808 after a minus is still an integer.
    Float(&'a [u8]),
    /// A hexadecimal integer of more than 64 bits, as written: evaluating it is the error "hex literal too big: 0x...".
    HexTooBig(&'a [u8]),
    /// A string literal, unquoted.
    String(&'a [u8]),
    /// A blob literal, decoded.
    Blob(&'a [u8]),
    /// CURRENT_TIME, CURRENT_DATE, CURRENT_TIMESTAMP.
    Current(CurrentTime),
    /// A parameter, by number from 1.
    Parameter(u32),
    /// A bare name: a column, TRUE, FALSE, or a double-quoted string that is not the name of a column.
    Column(Ident<'a>),
    /// `table.column` or `schema.table.column`.
    QualifiedColumn(&'a QualifiedColumn<'a>),
    /// An operator with one operand.
    Unary(UnaryOp, &'a Expr<'a>),
    /// An operator with two operands.
    Binary(BinaryOp, &'a Expr<'a>, &'a Expr<'a>),
    /// LIKE, GLOB, REGEXP, MATCH.
    Like(&'a Like<'a>),
    /// BETWEEN.
    Between(&'a Between<'a>),
    /// IN.
    In(&'a In<'a>),
    /// CASE.
    Case(&'a Case<'a>),
    /// CAST.
    Cast(&'a Cast<'a>),
    /// COLLATE.
    Collate(&'a Collate<'a>),
    /// A call of a scalar, aggregate or window function.
    Function(&'a FunctionCall<'a>),
    /// EXISTS (select). NOT EXISTS is a NOT node above this one.
    Exists(&'a Select<'a>),
    /// (select) as a value or a row value.
    Subquery(&'a Select<'a>),
    /// `(a, b, ...)`, two or more values; an empty `()` occurs only where SQLite accepts it.
    RowValue(&'a [Expr<'a>]),
    /// RAISE.
    Raise(&'a Raise<'a>),
}

/// The three keywords for the time of the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurrentTime {
    /// CURRENT_DATE.
    Date,
    /// CURRENT_TIME.
    Time,
    /// CURRENT_TIMESTAMP.
    Timestamp,
}

/// A column with its table, and with its schema if one is written.
#[derive(Clone, Copy, Debug)]
pub struct QualifiedColumn<'a> {
    /// The attached database, if written.
    pub schema: Option<Ident<'a>>,
    /// The table or alias.
    pub table: Ident<'a>,
    /// The column.
    pub column: Ident<'a>,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-x`
    Minus,
    /// `+x`: the value, affinity and collation of x; the planner does not use an index for such an operand.
    Plus,
    /// `~x`
    BitNot,
    /// `NOT x`
    Not,
    /// `x ISNULL`
    IsNull,
    /// `x NOTNULL`, `x NOT NULL`
    NotNull,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `OR`
    Or,
    /// `AND`
    And,
    /// `=`, `==`
    Eq,
    /// `<>`, `!=`
    Ne,
    /// `IS`, `IS NOT DISTINCT FROM`
    Is,
    /// `IS NOT`, `IS DISTINCT FROM`
    IsNot,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
    /// `||`
    Concat,
    /// `->`: a call of the function of that name
    Arrow,
    /// `->>`: a call of the function of that name
    DoubleArrow,
}

impl BinaryOp {
    /// Whether the operator is a comparison: `=`, `<`, `IS` and similar ones.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::{Eq, Ge, Gt, Is, IsNot, Le, Lt, Ne};
        matches!(self, Eq | Ne | Is | IsNot | Lt | Le | Gt | Ge)
    }
}

/// `value [NOT] LIKE pattern [ESCAPE escape]`: the call `like(pattern, value, escape)`.
#[derive(Clone, Copy, Debug)]
pub struct Like<'a> {
    /// Whether NOT was written.
    pub not: bool,
    /// Which of the four.
    pub op: LikeOp,
    /// The left operand.
    pub value: Expr<'a>,
    /// The right operand.
    pub pattern: Expr<'a>,
    /// The operand of ESCAPE.
    pub escape: Option<Expr<'a>>,
    /// The operator's token, for messages about the function.
    pub op_span: Span,
    /// The operator as it is written.
    pub op_text: &'a [u8],
}

/// The operators that are calls of a function of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LikeOp {
    /// LIKE
    Like,
    /// GLOB
    Glob,
    /// REGEXP
    Regexp,
    /// MATCH
    Match,
}

/// `value [NOT] BETWEEN low AND high`.
#[derive(Clone, Copy, Debug)]
pub struct Between<'a> {
    /// Whether NOT was written.
    pub not: bool,
    /// The left operand.
    pub value: Expr<'a>,
    /// The lower bound.
    pub low: Expr<'a>,
    /// The upper bound.
    pub high: Expr<'a>,
}

/// `value [NOT] IN set`.
#[derive(Clone, Copy, Debug)]
pub struct In<'a> {
    /// Whether NOT was written.
    pub not: bool,
    /// The left operand.
    pub value: Expr<'a>,
    /// The set.
    pub set: InSet<'a>,
}

impl In<'_> {
    /// `x IN ()`: the list is empty, so SQLite's parser drops the left operand, unless it calls a function.
    pub fn is_in_nothing(&self) -> bool {
        matches!(self.set, InSet::List([])) && !self.value.calls_functions()
    }
}

impl Expr<'_> {
    /// The offset that SQLite reports for an error about the expression: that of the first of its left operands that is not an
    /// operator.
    #[cold]
    pub fn error_offset(&self) -> Option<u32> {
        let mut expr = self;
        loop {
            expr = match &expr.kind {
                ExprKind::Unary(_, operand) => operand,
                ExprKind::Binary(_, left, _) => left,
                ExprKind::Between(between) => &between.value,
                ExprKind::In(set) => &set.value,
                ExprKind::Case(case) => case.operand.as_ref()?,
                ExprKind::Cast(cast) => &cast.value,
                ExprKind::Collate(collate) => &collate.value,
                ExprKind::Like(like) => return Some(like.op_span.start),
                ExprKind::Exists(_) | ExprKind::Subquery(_) | ExprKind::RowValue(_) | ExprKind::Raise(_) => {
                    return None;
                }
                _ => return Some(expr.span.start),
            }
        }
    }

    /// Whether SQLite's parser recognizes the expression as false: the number 0, `x IN ()`, `x AND 0`, `'text' ISNULL`.
    pub fn is_false(&self) -> bool {
        match self.kind {
            ExprKind::In(set) => !set.not && set.is_in_nothing(),
            _ => self.parsed_integer() == Some(0),
        }
    }

    /// The integer that SQLite's parser replaces the expression by: for an integer literal, for `x AND 0`, and for IS NULL and
    /// NOT NULL of a literal. So `ORDER BY 5 NOTNULL` means the first column.
    pub fn parsed_integer(&self) -> Option<i64> {
        match self.kind {
            ExprKind::Integer(value) => Some(value),
            ExprKind::Binary(BinaryOp::And, left, right) if is_folded_to_zero(left, right) => Some(0),
            ExprKind::Unary(UnaryOp::IsNull, operand) if operand.is_literal() => Some(0),
            ExprKind::Unary(UnaryOp::NotNull, operand) if operand.is_literal() => Some(1),
            ExprKind::Binary(op @ (BinaryOp::Is | BinaryOp::IsNot), left, right)
                if matches!(right.kind, ExprKind::Null) && left.is_literal() =>
            {
                Some(i64::from(op == BinaryOp::IsNot))
            }
            _ => None,
        }
    }

    /// Whether SQLite's parser recognizes the expression as a number, text or BLOB literal, with any number of signs.
    fn is_literal(&self) -> bool {
        match self.kind {
            ExprKind::Float(_) | ExprKind::String(_) | ExprKind::Blob(_) => true,
            ExprKind::Unary(UnaryOp::Minus | UnaryOp::Plus, operand) => operand.is_literal(),
            _ => self.parsed_integer().is_some(),
        }
    }

    /// Whether the expression calls a function outside its subqueries.
    fn calls_functions(&self) -> bool {
        let calls = Expr::calls_functions;
        match &self.kind {
            ExprKind::Function(_) | ExprKind::Like(_) | ExprKind::Current(_) => true,
            ExprKind::Binary(BinaryOp::Arrow | BinaryOp::DoubleArrow, ..) => true,
            ExprKind::Unary(_, operand) => operand.calls_functions(),
            ExprKind::Binary(_, left, right) => left.calls_functions() || right.calls_functions(),
            ExprKind::Between(between) => [between.value, between.low, between.high].iter().any(calls),
            ExprKind::In(set) => {
                set.value.calls_functions() || matches!(set.set, InSet::List(items) if items.iter().any(calls))
            }
            ExprKind::Case(case) => {
                let whens =
                    case.whens.iter().any(|when| when.condition.calls_functions() || when.value.calls_functions());
                whens || case.operand.iter().chain(&case.otherwise).any(calls)
            }
            ExprKind::Cast(cast) => cast.value.calls_functions(),
            ExprKind::Collate(collate) => collate.value.calls_functions(),
            ExprKind::RowValue(items) => items.iter().any(calls),
            _ => false,
        }
    }
}

/// Whether SQLite's parser replaces `left AND right` by the number 0. It drops both operands then, so neither may call a
/// function.
pub fn is_folded_to_zero(left: &Expr<'_>, right: &Expr<'_>) -> bool {
    (left.is_false() || right.is_false()) && !left.calls_functions() && !right.calls_functions()
}

/// The right side of IN.
#[derive(Clone, Copy, Debug)]
pub enum InSet<'a> {
    /// `(a, b, ...)`, perhaps empty.
    List(&'a [Expr<'a>]),
    /// `(select)`, also with more parentheses.
    Select(&'a Select<'a>),
    /// `table` or `table_function(args)`.
    Table(QualifiedName<'a>, &'a [Expr<'a>], SelectNumber),
}

/// `CASE [operand] WHEN ... THEN ... [ELSE ...] END`.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The value that the WHENs are compared with.
    pub operand: Option<Expr<'a>>,
    /// The branches.
    pub whens: &'a [When<'a>],
    /// ELSE.
    pub otherwise: Option<Expr<'a>>,
}

/// `WHEN condition THEN value`.
#[derive(Clone, Copy, Debug)]
pub struct When<'a> {
    /// The condition, or the value that the operand must equal.
    pub condition: Expr<'a>,
    /// The result.
    pub value: Expr<'a>,
}

/// `CAST(value AS type)`.
#[derive(Clone, Copy, Debug)]
pub struct Cast<'a> {
    /// The converted value.
    pub value: Expr<'a>,
    /// The type as written; may be empty.
    pub type_name: &'a [u8],
}

/// `value COLLATE collation`.
#[derive(Clone, Copy, Debug)]
pub struct Collate<'a> {
    /// The operand.
    pub value: Expr<'a>,
    /// The name of the collation.
    pub collation: Ident<'a>,
}

/// `name([DISTINCT] args [ORDER BY ...]) [FILTER (WHERE ...)] [OVER ...]`.
#[derive(Clone, Copy, Debug)]
pub struct FunctionCall<'a> {
    /// The function.
    pub name: Ident<'a>,
    /// Whether DISTINCT was written.
    pub distinct: bool,
    /// Whether the argument is `*`; then `args` is empty.
    pub star: bool,
    /// The arguments.
    pub args: &'a [Expr<'a>],
    /// ORDER BY among the arguments of an aggregate.
    pub order_by: &'a [OrderTerm<'a>],
    /// FILTER (WHERE ...).
    pub filter: Option<Expr<'a>>,
    /// OVER ...
    pub over: Option<Over<'a>>,
}

/// The window after OVER.
#[derive(Clone, Copy, Debug)]
pub enum Over<'a> {
    /// The name of a window of the WINDOW clause, with its quotes: SQLite compares them as written.
    Name(Ident<'a>),
    /// A window defined here.
    Window(&'a Window<'a>),
}

/// `( [base] [PARTITION BY ...] [ORDER BY ...] [frame] )`.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// The window that this one extends; its name is kept with its quotes. Never set in a WINDOW clause, for which the parser has
    /// already merged the clauses of both windows.
    pub base: Option<Ident<'a>>,
    /// PARTITION BY.
    pub partition_by: &'a [Expr<'a>],
    /// ORDER BY.
    pub order_by: &'a [OrderTerm<'a>],
    /// The frame, if written.
    pub frame: Option<Frame<'a>>,
}

impl<'a> Window<'a> {
    /// This window with the PARTITION BY and ORDER BY of `base`.
    ///
    /// # Errors
    /// The clause that conflicts with `base`: "cannot override ... of window: ...".
    pub fn extending(&self, base: &Window<'a>) -> Result<Window<'a>, &'static str> {
        if !self.partition_by.is_empty() {
            return Err("PARTITION clause");
        }
        if !base.order_by.is_empty() && !self.order_by.is_empty() {
            return Err("ORDER BY clause");
        }
        if base.frame.is_some() {
            return Err("frame specification");
        }
        let order_by = if base.order_by.is_empty() { self.order_by } else { base.order_by };
        Ok(Window { base: None, partition_by: base.partition_by, order_by, frame: self.frame })
    }
}

/// A window frame; if BETWEEN is missing, the end is CURRENT ROW.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// ROWS, RANGE or GROUPS.
    pub unit: FrameUnit,
    /// The start of the frame.
    pub start: FrameBound<'a>,
    /// The end of the frame.
    pub end: FrameBound<'a>,
    /// EXCLUDE.
    pub exclude: FrameExclude,
}

/// The unit of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameUnit {
    /// ROWS
    Rows,
    /// RANGE
    Range,
    /// GROUPS
    Groups,
}

/// An end of a frame.
#[derive(Clone, Copy, Debug)]
pub enum FrameBound<'a> {
    /// UNBOUNDED PRECEDING
    UnboundedPreceding,
    /// n PRECEDING
    Preceding(&'a Expr<'a>),
    /// CURRENT ROW
    CurrentRow,
    /// n FOLLOWING
    Following(&'a Expr<'a>),
    /// UNBOUNDED FOLLOWING
    UnboundedFollowing,
}

/// The rows that a frame excludes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrameExclude {
    /// There is no EXCLUDE clause: rows are removed from aggregates as the frame moves.
    #[default]
    Absent,
    /// EXCLUDE NO OTHERS: the same rows, but aggregates are computed anew for each frame, so removed rows leave no trace.
    NoOthers,
    /// EXCLUDE CURRENT ROW
    CurrentRow,
    /// EXCLUDE GROUP
    Group,
    /// EXCLUDE TIES
    Ties,
}

/// `RAISE(action [, message])`.
#[derive(Clone, Copy, Debug)]
pub struct Raise<'a> {
    /// The action.
    pub action: RaiseAction,
    /// The message: none for IGNORE, any expression for the other actions.
    pub message: Option<Expr<'a>>,
}

/// The actions of RAISE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaiseAction {
    /// IGNORE
    Ignore,
    /// ROLLBACK
    Rollback,
    /// ABORT
    Abort,
    /// FAIL
    Fail,
}
