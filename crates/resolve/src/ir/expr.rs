//! Resolved expressions.

use std::sync::Arc;

use lithe_catalog::Table;
use lithe_functions::Function;
use lithe_sql::ast::Span;
use lithe_value::Affinity;

use super::{AggregateId, Coll, ColumnIndex, OrderTerm, Parameter, Query, SourceId, SubqueryId, WindowCall};

/// An expression. Plain data of the arena; children are references, so a copy shares them.
#[derive(Clone, Copy, Debug)]
pub enum Expr<'a> {
    /// NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// TRUE or FALSE: 1 or 0. SQLite does not treat the word as a number, as in ORDER BY 1.
    Boolean(bool),
    /// A real.
    Real(f64),
    /// A text, in UTF-8.
    Text(&'a [u8]),
    /// A blob.
    Blob(&'a [u8]),
    /// A parameter.
    Parameter(Parameter<'a>),
    /// A column of a source of this query or of an enclosing one.
    Column(&'a Column<'a>),
    /// A column that another condition makes equal to a constant.
    Fixed(&'a Fixed<'a>),
    /// `-x`, `~x`, `+x`, `NOT x`.
    Unary(UnaryOp, &'a Expr<'a>),
    /// Arithmetic, bits and `||`.
    Binary(BinaryOp, &'a Expr<'a>, &'a Expr<'a>),
    /// `x AND y`.
    And(&'a Expr<'a>, &'a Expr<'a>),
    /// `x OR y`.
    Or(&'a Expr<'a>, &'a Expr<'a>),
    /// A comparison of two scalars.
    Compare(&'a Compare<'a>),
    /// A comparison of two row values.
    CompareRows(&'a CompareRows<'a>),
    /// `x IS NULL` (`false`) or `x IS NOT NULL` (`true`).
    IsNull(&'a Expr<'a>, bool),
    /// `x IS [NOT] TRUE`, `x IS [NOT] FALSE`.
    IsTrue(&'a Expr<'a>, TruthTest),
    /// `x BETWEEN low AND high`; NOT BETWEEN is a NOT above it.
    Between(&'a Between<'a>),
    /// `x IN (...)`; NOT IN is a NOT above it.
    In(&'a In<'a>),
    /// CASE. `iif()` becomes one.
    Case(&'a Case<'a>),
    /// `CAST(x AS type)`: the affinity of the type.
    Cast(&'a Expr<'a>, Affinity),
    /// `x COLLATE collation`.
    Collate(&'a Expr<'a>, &'a Coll<'a>),
    /// A call of a scalar function; LIKE, GLOB, MATCH, REGEXP and the JSON arrows are calls too.
    Function(&'a Call<'a>),
    /// The result of an aggregate of this query or of an enclosing one.
    Aggregate(&'a Aggregate<'a>),
    /// The result of a window function.
    Window(&'a WindowCall<'a>),
    /// `(SELECT ...)` as a value: column 0 of its first row, NULL without a row. As a row value its
    /// columns are compared by [`Expr::CompareRows`] or taken apart by [`Expr::SubqueryColumn`].
    Subquery(&'a Subquery<'a>),
    /// One column of the first row of a subquery that gives several (UPDATE ... SET (a, b) = (SELECT ...)).
    SubqueryColumn(&'a Subquery<'a>, u16),
    /// `EXISTS (SELECT ...)`.
    Exists(&'a Subquery<'a>),
    /// A row value. Only below IN, CompareRows and BETWEEN, never a scalar's place.
    Row(&'a [Expr<'a>]),
    /// A value of the right side of an outer join: NULL in the row that has no match.
    Matched(&'a Matched<'a>),
    /// RAISE.
    Raise(&'a Raise<'a>),
    /// A value that the code generator has computed already.
    Computed(ComputedId, Option<Affinity>),
    /// A result column, by position: in ORDER BY of a compound query.
    Output(&'a Output<'a>),
}

const _: () = assert!(size_of::<Expr<'_>>() <= 24);

impl Expr<'_> {
    /// Whether it has no operands: a literal, a parameter, a column, a value that is computed already.
    #[inline(always)]
    pub fn is_leaf(&self) -> bool {
        use Expr::{Blob, Boolean, Column, Computed, Integer, Null, Output, Parameter, Real, Text};
        matches!(
            self,
            Null | Integer(_)
                | Boolean(_)
                | Real(_)
                | Text(_)
                | Blob(_)
                | Parameter(_)
                | Column(_)
                | Computed(..)
                | Output(_)
        )
    }

    /// How many columns a value has.
    pub fn width(&self) -> usize {
        match self {
            Expr::Row(items) => items.len(),
            Expr::Subquery(subquery) => subquery.query.columns.len(),
            _ => 1,
        }
    }
}

/// A result column of a query in FROM that was flattened on the nullable side of an outer join.
#[derive(Clone, Copy, Debug)]
pub struct Matched<'a> {
    /// A column of the source that is NULL only where the source has no row: its rowid, or the key of a WITHOUT ROWID table.
    pub key: Expr<'a>,
    /// The value where the source has a row.
    pub value: Expr<'a>,
}

/// A computed value, by the number that the code generator has for the value. Equal numbers are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputedId(pub u32);

/// A column of a source, with the properties that comparisons need.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// Which source.
    pub source: SourceId,
    /// Which column of it.
    pub index: ColumnIndex,
    /// Its affinity; a query's column may have none.
    pub affinity: Option<Affinity>,
    /// Its collation.
    pub collation: Coll<'a>,
    /// It is one of `excluded`, which has no collation, not even BINARY.
    pub is_excluded: bool,
    /// It is the operand of an IS NULL or IS NOT NULL in WHERE that SQLite answers when it resolves names.
    pub is_never_null: bool,
    /// The table, when the source is a table.
    pub table: Option<&'a Table>,
}

impl Column<'_> {
    /// Whether both are the same column of one source.
    pub fn is_same(&self, other: &Column<'_>) -> bool {
        self.source == other.source && self.index == other.index
    }

    /// Whether its source is a virtual table.
    pub fn is_of_virtual_table(&self) -> bool {
        self.table.is_some_and(|table| table.virtual_table().is_some())
    }

    /// Whether its values have its affinity: those that a table stores have, those of virtual tables and of queries need not.
    pub fn stores_affinity(&self) -> bool {
        self.table.is_some() && !self.is_of_virtual_table()
    }
}

/// A column in WHERE that another condition makes equal to a constant, and that is computed from it. It is compared as the column.
#[derive(Clone, Copy, Debug)]
pub struct Fixed<'a> {
    /// The column.
    pub column: &'a Column<'a>,
    /// The constant, to which the affinity of the column is applied.
    pub value: Expr<'a>,
}

/// The column that the expression is, though it may be known to be a constant: what an index on the column may serve.
pub fn indexed_column<'a>(expr: &Expr<'a>) -> Option<&'a Column<'a>> {
    match expr {
        Expr::Column(column) => Some(column),
        Expr::Fixed(fixed) => Some(fixed.column),
        _ => None,
    }
}

/// A result column that ORDER BY of a compound query names.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// Its position.
    pub position: u16,
    /// Its affinity; a query's column may have none.
    pub affinity: Option<Affinity>,
    /// Its collation.
    pub collation: Coll<'a>,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-x`
    Negate,
    /// `~x`
    BitNot,
    /// `+x`: the value of x, without its affinity, and hidden from indexes.
    Plus,
    /// `NOT x`
    Not,
    /// The value of x without its subtype, because x is a column of a query in FROM.
    DropSubtype,
    /// The value of a REAL column as it is in its record, where a real without a fraction is an integer.
    Stored,
}

/// Operators with two operands that neither compare nor are logical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Concat,
    BitAnd,
    BitOr,
    ShiftLeft,
    ShiftRight,
}

/// The comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    /// `=`
    Eq,
    /// `<>`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `IS`: NULLs are equal
    Is,
    /// `IS NOT`
    IsNot,
}

impl CompareOp {
    /// The operator that says the same with the operands swapped.
    #[must_use]
    pub fn swapped(self) -> CompareOp {
        match self {
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::Le => CompareOp::Ge,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::Ge => CompareOp::Le,
            CompareOp::Eq | CompareOp::Ne | CompareOp::Is | CompareOp::IsNot => self,
        }
    }

    /// The operator that is true where this one is false (both are NULL together).
    #[must_use]
    pub fn negated(self) -> CompareOp {
        match self {
            CompareOp::Eq => CompareOp::Ne,
            CompareOp::Ne => CompareOp::Eq,
            CompareOp::Lt => CompareOp::Ge,
            CompareOp::Le => CompareOp::Gt,
            CompareOp::Gt => CompareOp::Le,
            CompareOp::Ge => CompareOp::Lt,
            CompareOp::Is => CompareOp::IsNot,
            CompareOp::IsNot => CompareOp::Is,
        }
    }
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct How<'a> {
    /// The affinity that is applied to both operands first.
    pub affinity: Option<Affinity>,
    /// The collation that compares texts.
    pub collation: Coll<'a>,
}

/// `left op right`.
#[derive(Clone, Copy, Debug)]
pub struct Compare<'a> {
    /// The operator.
    pub op: CompareOp,
    /// The left operand.
    pub left: Expr<'a>,
    /// The right operand.
    pub right: Expr<'a>,
    /// Affinity and collation.
    pub how: How<'a>,
    /// The column that constant propagation replaced by an operand.
    pub replaced: Option<&'a Column<'a>>,
}

/// `(a, b) op (c, d)`, `(a, b) op (SELECT ...)`: never `=`, `<>`, IS or IS NOT of two lists of expressions, which
/// the resolver takes apart.
#[derive(Clone, Copy, Debug)]
pub struct CompareRows<'a> {
    /// The operator.
    pub op: CompareOp,
    /// The left operand: [`Expr::Row`] or [`Expr::Subquery`].
    pub left: Expr<'a>,
    /// The right operand, likewise.
    pub right: Expr<'a>,
    /// Affinity and collation, column by column.
    pub how: &'a [How<'a>],
}

/// The truth value that IS compares with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruthTest {
    /// What NULL gives.
    pub null_gives: bool,
    /// Whether the truth is inverted.
    pub invert: bool,
}

impl TruthTest {
    /// `IS truth` or `IS NOT truth`.
    pub fn new(not: bool, truth: bool) -> TruthTest {
        TruthTest { null_gives: not, invert: not == truth }
    }
}

/// `value BETWEEN low AND high`: `value >= low AND value <= high`, with the value evaluated once.
#[derive(Clone, Copy, Debug)]
pub struct Between<'a> {
    /// The value.
    pub value: Expr<'a>,
    /// The lower bound.
    pub low: Expr<'a>,
    /// How the value is compared with the lower bound.
    pub low_how: How<'a>,
    /// The upper bound.
    pub high: Expr<'a>,
    /// How the value is compared with the upper bound.
    pub high_how: How<'a>,
    /// Of row values: the comparisons with both bounds.
    pub rows: Option<&'a BetweenRows<'a>>,
}

/// The two comparisons of a BETWEEN of row values.
#[derive(Clone, Copy, Debug)]
pub struct BetweenRows<'a> {
    /// With the lower bound.
    pub low: CompareRows<'a>,
    /// With the upper bound.
    pub high: CompareRows<'a>,
}

/// `value IN set`.
#[derive(Clone, Copy, Debug)]
pub struct In<'a> {
    /// The value; an [`Expr::Row`] when the set is a query of several columns.
    pub value: Expr<'a>,
    /// The set.
    pub set: InSet<'a>,
    /// How the value is compared with members: one entry a column.
    pub how: &'a [How<'a>],
    /// Identity of the set, for sharing one build of it.
    pub id: SubqueryId,
}

/// The right side of IN.
#[derive(Clone, Copy, Debug)]
pub enum InSet<'a> {
    /// A list of expressions.
    List(&'a [Expr<'a>]),
    /// A query; `IN table` is `IN (SELECT * FROM table)`.
    Query(&'a Query<'a>),
}

/// CASE.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// What the WHENs are compared with.
    pub operand: Option<Expr<'a>>,
    /// The branches.
    pub whens: &'a [When<'a>],
    /// ELSE.
    pub otherwise: Option<Expr<'a>>,
}

/// One branch of CASE.
#[derive(Clone, Copy, Debug)]
pub struct When<'a> {
    /// The condition, or what the operand must equal.
    pub condition: Expr<'a>,
    /// How it is compared with the operand.
    pub how: How<'a>,
    /// The result.
    pub value: Expr<'a>,
}

/// A call of a scalar function.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The function.
    pub function: &'a Arc<Function>,
    /// Its arguments.
    pub args: &'a [Expr<'a>],
    /// The collation that the arguments give it: min, max, nullif and the like compare by it.
    pub collation: Coll<'a>,
    /// It is LIKE, GLOB, MATCH or REGEXP, written as an operator.
    pub is_operator: bool,
    /// The call stands for the column that USING makes of several columns, and has the affinity and collation of the
    /// first of these.
    pub is_merged_column: bool,
    /// The call has taken the place of a column of a query in FROM. SQLite does not notice it in the expression around it, and computes a
    /// constant one before all loops.
    pub replaces_column: bool,
    /// The call stands in a constant that has taken the place of a column of a query in FROM. As an argument of another call, SQLite computes
    /// such a constant before all loops, whatever it consists of.
    pub is_in_replaced: bool,
    /// The place in the schema where it stands, if its result must never change: "an index", "a CHECK constraint".
    pub must_be_pure: Option<&'static str>,
    /// What `function` has taken the place of, if a virtual table overloads it.
    pub overloads: Option<Overloads<'a>>,
}

/// The function that a virtual table overloads in a call. It is called where the column is no longer read from the table: behind GROUP BY and
/// aggregates, and in the arguments of aggregates.
#[derive(Clone, Copy, Debug)]
pub struct Overloads<'a> {
    /// The function.
    pub function: &'a Arc<Function>,
    /// The argument that is a column of the virtual table.
    pub column: usize,
}

impl Call<'_> {
    /// The source whose column makes a virtual table overload the function.
    pub fn overloading_source(&self) -> Option<SourceId> {
        match self.args.get(self.overloads?.column) {
            Some(Expr::Column(column)) => Some(column.source),
            _ => None,
        }
    }
}

/// A call of an aggregate function.
#[derive(Clone, Copy, Debug)]
pub struct Aggregate<'a> {
    /// Identity: equal calls of one query share it.
    pub id: AggregateId,
    /// The function.
    pub function: &'a Arc<Function>,
    /// Its arguments; empty for `count(*)`.
    pub args: &'a [Expr<'a>],
    /// DISTINCT.
    pub distinct: bool,
    /// ORDER BY among the arguments.
    pub order_by: &'a [OrderTerm<'a>],
    /// FILTER (WHERE ...).
    pub filter: Option<Expr<'a>>,
    /// The collation that the arguments give it.
    pub collation: Coll<'a>,
    /// Where the call stands, for a message about its place.
    pub span: Span,
}

impl Aggregate<'_> {
    /// Whether it is SQLite's min() or max().
    pub fn is_min_or_max(&self) -> bool {
        self.function.is_builtin() && matches!(self.function.name(), "min" | "max")
    }
}

/// A query within an expression.
#[derive(Clone, Copy, Debug)]
pub struct Subquery<'a> {
    /// Identity.
    pub id: SubqueryId,
    /// The query.
    pub query: &'a Query<'a>,
}

/// RAISE.
#[derive(Clone, Copy, Debug)]
pub struct Raise<'a> {
    /// What happens.
    pub action: lithe_sql::ast::RaiseAction,
    /// The message.
    pub message: Option<Expr<'a>>,
    /// It stands in a trigger. Elsewhere it is an error, unless it is never computed.
    pub is_allowed: bool,
}
