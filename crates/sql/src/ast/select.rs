//! SELECT, VALUES, FROM and WITH.

use std::fmt;

use super::{Expr, Ident, QualifiedName, Span, Window};

/// The number of a SELECT, by which EXPLAIN QUERY PLAN names it. The parser counts SELECTs from 1, each at its end. Each core of a compound counts,
/// and so do joins in parentheses and the tables of IN. A query is named by the number of its last core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelectNumber(pub u32);

impl fmt::Display for SelectNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A whole select: WITH, the cores joined by UNION and the like, ORDER BY, LIMIT.
#[derive(Clone, Copy, Debug)]
pub struct Select<'a> {
    /// WITH.
    pub with: Option<&'a With<'a>>,
    /// The first core.
    pub first: SelectCore<'a>,
    /// The number of the first core.
    pub number: SelectNumber,
    /// The further terms of a compound select, combined from left to right.
    pub rest: &'a [CompoundTerm<'a>],
    /// ORDER BY of the whole.
    pub order_by: &'a [OrderTerm<'a>],
    /// LIMIT of the whole.
    pub limit: Option<&'a Limit<'a>>,
    /// Its text, from WITH or SELECT on.
    pub span: Span,
    /// The height of the highest expression in it, counted as SQLite does (FROM does not count).
    pub height: u32,
}

/// A term of a compound select after the first.
#[derive(Clone, Copy, Debug)]
pub struct CompoundTerm<'a> {
    /// How it is combined with what stands on its left.
    pub op: CompoundOp,
    /// The term.
    pub core: SelectCore<'a>,
    /// Its number.
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
    /// FROM; empty without one.
    pub from: &'a [FromItem<'a>],
    /// WHERE.
    pub filter: Option<Expr<'a>>,
    /// GROUP BY.
    pub group_by: &'a [Expr<'a>],
    /// HAVING.
    pub having: Option<Expr<'a>>,
    /// WINDOW. Of two windows with one name, the last counts.
    pub windows: &'a [WindowDef<'a>],
}

/// `name AS ( window )` in the WINDOW clause.
#[derive(Clone, Copy, Debug)]
pub struct WindowDef<'a> {
    /// Its name, with its quotes.
    pub name: Ident<'a>,
    /// What it is.
    pub window: Window<'a>,
}

/// A column of a result or of RETURNING.
#[derive(Clone, Copy, Debug)]
pub struct ResultColumn<'a> {
    /// What it is.
    pub kind: ResultColumnKind<'a>,
    /// `AS name`; never with a star. A name in single quotes is a name here.
    pub alias: Option<Ident<'a>>,
    /// The text of the expression, with parentheses and comments behind it, without the alias: the name of a column
    /// that has none.
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

/// One item of FROM, joined to all that stand on its left.
#[derive(Clone, Copy, Debug)]
pub struct FromItem<'a> {
    /// The operator on its left. The first item of a list has [`JoinKind::Comma`].
    pub join: Join,
    /// Where the rows come from.
    pub source: Source<'a>,
    /// The alias.
    pub alias: Option<Ident<'a>>,
    /// INDEXED BY, NOT INDEXED.
    pub indexed: Indexed<'a>,
    /// ON or USING.
    pub constraint: JoinConstraint<'a>,
    /// The number of a join in parentheses that counts as a SELECT. Redundant parentheses have none.
    pub number: Option<SelectNumber>,
    /// Its text, from the table's name on.
    pub span: Span,
}

/// A join operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    /// NATURAL.
    pub natural: bool,
    /// The rest.
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

/// Where the rows of a FROM item come from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A table, view or common table expression.
    Table(QualifiedName<'a>),
    /// `name(args)`: a table-valued function.
    Function(QualifiedName<'a>, &'a [Expr<'a>]),
    /// `(select)`
    Subquery(&'a Select<'a>),
    /// `(a JOIN b ...)`: two items or more, or one with an alias outside.
    Nested(&'a [FromItem<'a>]),
}

/// Which index a table must use.
#[derive(Clone, Copy, Debug, Default)]
pub enum Indexed<'a> {
    /// Nothing was said.
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
    /// None.
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
    /// What is sorted by; COLLATE is part of it.
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
    /// At most so many rows.
    pub limit: Expr<'a>,
    /// After so many.
    pub offset: Option<Expr<'a>>,
}

/// WITH.
#[derive(Clone, Copy, Debug)]
pub struct With<'a> {
    /// Whether RECURSIVE was written; it changes nothing.
    pub recursive: bool,
    /// The tables.
    pub tables: &'a [CommonTable<'a>],
}

/// A common table expression.
#[derive(Clone, Copy, Debug)]
pub struct CommonTable<'a> {
    /// Its name.
    pub name: Ident<'a>,
    /// Its columns; empty if not listed.
    pub columns: &'a [Ident<'a>],
    /// `Some(true)` for MATERIALIZED, `Some(false)` for NOT MATERIALIZED.
    pub materialized: Option<bool>,
    /// What it is.
    pub select: &'a Select<'a>,
}
