//! SELECT, VALUES, FROM and WITH.

use std::fmt;

use super::{Expr, Ident, QualifiedName, Span, Window};

/// The number of a SELECT, which EXPLAIN QUERY PLAN shows. The parser numbers SELECTs from 1, in the order of their ends. Each
/// core of a compound has a number, as have joins in parentheses and the tables of IN. The number of a query is that of its last
/// core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelectNumber(pub u32);

impl fmt::Display for SelectNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A whole select: WITH, the cores joined by UNION or another operator, ORDER BY, LIMIT.
#[derive(Clone, Copy, Debug)]
pub struct Select<'a> {
    /// WITH.
    pub with: Option<&'a With<'a>>,
    /// The first core.
    pub first: SelectCore<'a>,
    /// Whether rows of VALUES that begin it are SELECTs to SQLite, in any case: behind a WITH, in a stored view or trigger, and for the row
    /// values of an IN, which are no VALUES in the text.
    pub has_rows_apart: bool,
    /// The number of the first core.
    pub number: SelectNumber,
    /// The further terms of a compound select, combined from left to right.
    pub rest: &'a [CompoundTerm<'a>],
    /// ORDER BY of the whole.
    pub order_by: &'a [OrderTerm<'a>],
    /// LIMIT of the whole.
    pub limit: Option<&'a Limit<'a>>,
    /// The text, from WITH or SELECT on.
    pub span: Span,
    /// The height of the highest expression within, counted as in SQLite (FROM does not count).
    pub height: u32,
}

/// A term of a compound select after the first.
#[derive(Clone, Copy, Debug)]
pub struct CompoundTerm<'a> {
    /// The operator between the term and the terms on its left.
    pub op: CompoundOp,
    /// The term.
    pub core: SelectCore<'a>,
    /// The number of the term.
    pub number: SelectNumber,
}

/// The operators of compound selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompoundOp {
    /// UNION
    Union,
    /// UNION ALL
    UnionAll,
    /// EXCEPT
    Except,
    /// INTERSECT
    Intersect,
}

/// SELECT ... or VALUES ...
#[derive(Clone, Copy, Debug)]
pub enum SelectCore<'a> {
    /// SELECT.
    Query(&'a Query<'a>),
    /// VALUES: one or more rows of equally many terms.
    Values(&'a [&'a [Expr<'a>]]),
}

/// SELECT up to the WINDOW clause.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a> {
    /// DISTINCT (ALL is the default).
    pub distinct: bool,
    /// The result columns.
    pub columns: &'a [ResultColumn<'a>],
    /// FROM; empty if there is no such clause.
    pub from: &'a [FromItem<'a>],
    /// WHERE.
    pub filter: Option<Expr<'a>>,
    /// GROUP BY.
    pub group_by: &'a [Expr<'a>],
    /// HAVING.
    pub having: Option<Expr<'a>>,
    /// WINDOW. If two windows have the same name, the last one is used.
    pub windows: &'a [WindowDef<'a>],
}

/// `name AS ( window )` in the WINDOW clause.
#[derive(Clone, Copy, Debug)]
pub struct WindowDef<'a> {
    /// The name, with its quotes.
    pub name: Ident<'a>,
    /// The window itself.
    pub window: Window<'a>,
}

/// A column of a result or of RETURNING.
#[derive(Clone, Copy, Debug)]
pub struct ResultColumn<'a> {
    /// The expression or star.
    pub kind: ResultColumnKind<'a>,
    /// `AS name`; never with a star. A single-quoted name is a name here.
    pub alias: Option<Ident<'a>>,
    /// The text of the expression, with parentheses and comments after it, without the alias: the name of a column without an
    /// alias.
    pub span: Span,
}

/// The forms of a result column.
#[derive(Clone, Copy, Debug)]
pub enum ResultColumnKind<'a> {
    /// An expression.
    Expr(Expr<'a>),
    /// `*`
    Star,
    /// `table.*`
    TableStar(Ident<'a>),
}

/// One item of FROM, joined to all items on its left.
#[derive(Clone, Copy, Debug)]
pub struct FromItem<'a> {
    /// The operator on the left of the item. The first item of a list has [`JoinKind::Comma`].
    pub join: Join,
    /// The source of the rows.
    pub source: Source<'a>,
    /// The alias.
    pub alias: Option<Ident<'a>>,
    /// INDEXED BY, NOT INDEXED.
    pub indexed: Indexed<'a>,
    /// ON or USING.
    pub constraint: JoinConstraint<'a>,
    /// The number of a join in parentheses that counts as a SELECT. Redundant parentheses have no number.
    pub number: Option<SelectNumber>,
    /// The text of the item, from the table's name on.
    pub span: Span,
}

/// A join operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    /// NATURAL.
    pub natural: bool,
    /// The kind of the join.
    pub kind: JoinKind,
}

/// The kinds of joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// `,`
    Comma,
    /// `JOIN`, `INNER JOIN`
    Inner,
    /// `CROSS JOIN`: an inner join that the planner does not reorder
    Cross,
    /// `LEFT [OUTER] JOIN`
    Left,
    /// `RIGHT [OUTER] JOIN`
    Right,
    /// `FULL [OUTER] JOIN`
    Full,
}

/// The source of the rows of a FROM item.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A table, view or common table expression.
    Table(QualifiedName<'a>),
    /// `name(args)`: a table-valued function.
    Function(QualifiedName<'a>, &'a [Expr<'a>]),
    /// `(select)`
    Subquery(&'a Select<'a>),
    /// `(a JOIN b ...)`: two or more items, or one item with an alias outside of the parentheses.
    Nested(&'a [FromItem<'a>]),
}

/// Which index a table must use.
#[derive(Clone, Copy, Debug, Default)]
pub enum Indexed<'a> {
    /// Any index: the clause is missing.
    #[default]
    Any,
    /// INDEXED BY name
    By(Ident<'a>),
    /// NOT INDEXED
    Not,
}

/// The condition of a join.
#[derive(Clone, Copy, Debug, Default)]
pub enum JoinConstraint<'a> {
    /// No condition.
    #[default]
    None,
    /// ON
    On(Expr<'a>),
    /// USING
    Using(&'a [Ident<'a>]),
}

/// A term of ORDER BY, of an index or of a PRIMARY KEY.
#[derive(Clone, Copy, Debug)]
pub struct OrderTerm<'a> {
    /// The expression to sort by, including COLLATE.
    pub expr: Expr<'a>,
    /// ASC or DESC, if written.
    pub direction: Option<Direction>,
    /// NULLS FIRST or LAST, if written.
    pub nulls: Option<Nulls>,
}

impl OrderTerm<'_> {
    /// Whether the order is descending.
    pub fn descending(&self) -> bool {
        self.direction == Some(Direction::Desc)
    }
}

/// ASC or DESC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// ASC
    Asc,
    /// DESC
    Desc,
}

/// NULLS FIRST or NULLS LAST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// NULLS FIRST
    First,
    /// NULLS LAST
    Last,
}

/// `LIMIT limit [OFFSET offset]`, also written `LIMIT offset, limit`.
#[derive(Clone, Copy, Debug)]
pub struct Limit<'a> {
    /// The maximum number of rows.
    pub limit: Expr<'a>,
    /// The number of rows to skip.
    pub offset: Option<Expr<'a>>,
}

/// WITH.
#[derive(Clone, Copy, Debug)]
pub struct With<'a> {
    /// Whether RECURSIVE was written; without effect.
    pub recursive: bool,
    /// The tables.
    pub tables: &'a [CommonTable<'a>],
}

/// A common table expression.
#[derive(Clone, Copy, Debug)]
pub struct CommonTable<'a> {
    /// The name.
    pub name: Ident<'a>,
    /// The columns; empty if not listed.
    pub columns: &'a [Ident<'a>],
    /// `Some(true)` for MATERIALIZED, `Some(false)` for NOT MATERIALIZED.
    pub materialized: Option<bool>,
    /// The query.
    pub select: &'a Select<'a>,
}
