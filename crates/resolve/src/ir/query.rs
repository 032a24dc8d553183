//! Resolved queries: sources, conditions, grouping, result columns, ORDER BY, LIMIT.

use std::cell::Cell;
use std::sync::Arc;

use bumpalo::Bump;
use lithe_base::Db;
use lithe_catalog::{Index, Table};
use lithe_functions::Function;
use lithe_sql::ast::{CompoundOp, FrameExclude, FrameUnit, Name, SelectNumber};
use lithe_value::Affinity;

use super::{
    Aggregate, Coll, Compared, Expr, SourceId, SourceSet, SubqueryId, WindowId, affinity_of, collation_of, has_query,
    is_constant,
};

/// A whole query: one core or several joined by UNION and the like, ORDER BY, LIMIT.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The cores, combined from left to right; at least one.
    pub cores: &'a [Core<'a>],
    /// Whether VALUES that begin it are never read as a table: the row values of an IN, and VALUES behind a WITH or in a stored view or
    /// trigger.
    pub has_rows_apart: bool,
    /// ORDER BY. Terms of a compound are [`Expr::Output`].
    pub order_by: &'a [OrderTerm<'a>],
    /// LIMIT and OFFSET.
    pub limit: Option<&'a Limit<'a>>,
    /// The result columns, as the query's users see them.
    pub columns: &'a [OutputColumn<'a>],
    /// Sources of enclosing queries that are used in here, each once: empty when the query is not correlated.
    pub outer: &'a [SourceId],
    /// It was correlated before constants took the place of all columns of enclosing queries. To SQLite it still is.
    pub was_correlated: bool,
    /// Where its ORDER BY was written.
    pub order_origin: OrderOrigin,
}

/// Where the ORDER BY of a query was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrderOrigin {
    /// In the query itself.
    #[default]
    Own,
    /// In a query in its FROM, which has become part of it. As in SQLite, the query around it does not know then in which order rows come.
    Taken,
    /// In the query itself, which SQLite merges into the core of a compound that reads it.
    OfCore,
}

/// Whether SQLite reads rows of VALUES, after the last one, as a table without affinities, and not as SELECTs with UNION ALL. A
/// constant row after a row without affinities starts such a table, a row that is not constant ends it.
fn are_rows_of_table(rows: &[&[Expr<'_>]]) -> bool {
    tables_of_rows(rows).last().unwrap_or_default()
}

/// The first row of VALUES that begins what SQLite reads as a table without affinities.
pub fn first_row_of_table(rows: &[&[Expr<'_>]]) -> Option<usize> {
    tables_of_rows(rows).position(|is_table| is_table)
}

/// For each row of VALUES but the first, whether SQLite reads the rows up to there as a table.
fn tables_of_rows(rows: &[&[Expr<'_>]]) -> impl Iterator<Item = bool> {
    let may_begin = |row: &[Expr<'_>]| row.iter().all(|expr| affinity_of(expr).is_none() && !has_query(expr));
    let pairs = rows.iter().zip(rows.iter().skip(1));
    pairs.scan(false, move |is_table, (before, row)| {
        let is_constant = row.iter().all(|expr| is_constant(expr) && !has_query(expr));
        *is_table = is_constant && (*is_table || may_begin(before));
        Some(*is_table)
    })
}

impl<'a> Query<'a> {
    /// Whether it is a compound whose last operator merges sorted sides to find equal rows. A UNION of which only the first row is read
    /// appends.
    pub fn ends_merged(&self) -> bool {
        let is_first_row = self.limit.is_some_and(|limit| matches!(limit.limit, Expr::Integer(1)));
        let last = self.cores.last().filter(|_| self.cores.len() > 1);
        last.is_some_and(|core| match core.op {
            CompoundOp::UnionAll => false,
            CompoundOp::Union => !is_first_row,
            CompoundOp::Intersect | CompoundOp::Except => true,
        })
    }

    /// The number by which EXPLAIN QUERY PLAN names it: that of its last core.
    pub fn number(&self) -> SelectNumber {
        self.cores.last().map_or(SelectNumber::default(), |core| core.number.get())
    }

    /// Whether there are several cores.
    pub fn is_compound(&self) -> bool {
        self.cores.len() > 1
    }

    /// How column `at` compares where the query stands in an expression: as the last core says, or the last row of VALUES. If rows
    /// of VALUES are constant, SQLite reads them as a table without affinities, whose columns have the collations of the first row.
    pub fn compared(&self, at: usize) -> Compared<'a> {
        let expr = match self.last_part().map(|core| core.body) {
            Some(CoreBody::Select(select)) => select.columns.get(at),
            Some(CoreBody::Values(rows)) if (!self.has_rows_apart || self.is_compound()) && are_rows_of_table(rows) => {
                let first = rows.first().and_then(|row| row.get(at));
                return Compared { affinity: None, is_explicit: false, ..first.map(Compared::of).unwrap_or_default() };
            }
            Some(CoreBody::Values(rows)) => rows.last().and_then(|row| row.get(at)),
            Some(CoreBody::UnionAll(_)) | None => None,
        };
        expr.map(Compared::of).unwrap_or_default()
    }

    /// The last core, or the last part of it.
    fn last_part(&self) -> Option<&'a Core<'a>> {
        let mut last = self.cores.last()?;
        while let CoreBody::UnionAll(parts) = last.body {
            last = parts.last()?;
        }
        Some(last)
    }

    /// The SELECT, when the query consists of a single one.
    pub fn single_select(&self) -> Option<&'a Select<'a>> {
        match self.cores {
            [Core { body: CoreBody::Select(select), .. }] => Some(select),
            _ => None,
        }
    }

    /// How many of the cores, from the first on, are sorted to be merged: UNION ALL without ORDER BY returns the rows of one core
    /// after the other.
    pub fn merged_cores(&self) -> usize {
        match self.cores {
            [_] => 0,
            cores if self.order_by.is_empty() => {
                cores.iter().rposition(|core| core.op != CompoundOp::UnionAll).map_or(0, |last| last + 1)
            }
            cores => cores.len(),
        }
    }

    /// The query for EXISTS, where only the existence of a row matters: a SELECT without its ORDER BY and DISTINCT. As in SQLite, an
    /// OFFSET then counts equal rows, too.
    pub fn of_any_row(&'a self, arena: &'a Bump) -> &'a Query<'a> {
        let [core] = self.cores else { return self };
        let CoreBody::Select(select) = core.body else { return self };
        if self.order_by.is_empty() && !select.distinct {
            return self;
        }
        let body = CoreBody::Select(arena.alloc(Select { distinct: false, ..*select }));
        let cores = arena.alloc_slice_copy(&[Core { body, ..*core }]);
        arena.alloc(Query { cores, order_by: &[], ..*self })
    }

    /// Whether a value of it depends on the row of an enclosing query.
    pub fn is_correlated(&self) -> bool {
        self.was_correlated || !self.outer.is_empty()
    }
}

/// A result column of a query, as the query's users see it.
#[derive(Clone, Copy, Debug)]
pub struct OutputColumn<'a> {
    /// The name: of AS, of the column, or the expression's text.
    pub name: Name<'a>,
    /// The name for a query that has this one in FROM: that of a column as it is written, below COLLATE.
    pub inner_name: Name<'a>,
    /// The name for a view, and for CREATE TABLE AS: that of a column as its table has it, below COLLATE and likely().
    pub stored_name: Name<'a>,
    /// The affinity of its values, if they have one.
    pub affinity: Option<Affinity>,
    /// The collation by which they compare.
    pub collation: Coll<'a>,
    /// Whether the expression has a collation, be it BINARY; if not, another core of a compound may have one.
    pub has_collation: bool,
    /// The table's column that the value is, if it is one. The first core of a compound query decides.
    pub origin: Option<Origin<'a>>,
    /// The same, seen from an enclosing query: there the last core decides.
    pub inner_origin: Option<Origin<'a>>,
    /// Whether `*` leaves it out.
    pub hidden: bool,
}

impl<'a> OutputColumn<'a> {
    /// The column under another name, wherever it is seen.
    #[must_use]
    pub fn renamed(self, name: Name<'a>) -> OutputColumn<'a> {
        OutputColumn { name, inner_name: name, stored_name: name, ..self }
    }
}

/// The table's column that a result column shows.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// Its database.
    pub db: Db,
    /// The table.
    pub table: &'a Table,
    /// The position of the column; `None` for a rowid without a name of its own.
    pub column: Option<u16>,
}

/// A term of a compound query.
#[derive(Clone, Copy, Debug)]
pub struct Core<'a> {
    /// How it is combined with what stands on its left; the first has [`CompoundOp::UnionAll`].
    pub op: CompoundOp,
    /// What it is.
    pub body: CoreBody<'a>,
    /// The number by which EXPLAIN QUERY PLAN names it. Rewrites of the query keep it.
    pub number: &'a Cell<SelectNumber>,
}

/// SELECT or VALUES.
#[derive(Clone, Copy, Debug)]
pub enum CoreBody<'a> {
    /// SELECT.
    Select(&'a Select<'a>),
    /// VALUES: one or more rows.
    Values(&'a [&'a [Expr<'a>]]),
    /// A UNION ALL in FROM whose parts took the place of a core of a compound: plain SELECTs, or further ones of these.
    UnionAll(&'a [Core<'a>]),
}

impl<'a> Core<'a> {
    /// Calls `f` on the SELECT or VALUES, or on those of each part.
    pub fn for_each_part(&self, f: &mut dyn FnMut(&Core<'a>)) {
        match self.body {
            CoreBody::UnionAll(parts) => parts.iter().for_each(|part| part.for_each_part(f)),
            CoreBody::Select(_) | CoreBody::Values(_) => f(self),
        }
    }
}

/// One SELECT up to HAVING.
#[derive(Clone, Copy, Debug)]
pub struct Select<'a> {
    /// DISTINCT.
    pub distinct: bool,
    /// The result.
    pub columns: &'a [Expr<'a>],
    /// FROM, from left to right; at most 64.
    pub sources: &'a [Source<'a>],
    /// The conjuncts of WHERE, ON and USING.
    pub terms: &'a [Term<'a>],
    /// GROUP BY: terms with their collations; the direction counts for nothing.
    pub group_by: &'a [OrderTerm<'a>],
    /// HAVING.
    pub having: Option<Expr<'a>>,
    /// The aggregates of this query (aggregates inside nested queries that belong to this one, too).
    pub aggregates: &'a [&'a Aggregate<'a>],
    /// Whether rows are grouped: GROUP BY is given, or an aggregate or HAVING is used.
    pub is_aggregate: bool,
    /// The window function calls.
    pub windows: &'a [&'a WindowCall<'a>],
    /// The rows are those of an UPDATE ... FROM: SQLite makes no coroutines of its queries in FROM.
    pub is_update: bool,
    /// A result column, as it is written, calls a function or has a query. Rows that a query in FROM sorts are then sorted before these are
    /// computed.
    pub is_complex: bool,
}

impl<'a> Select<'a> {
    /// The position of source `id` in FROM.
    pub fn position(&self, id: SourceId) -> Option<usize> {
        self.sources.iter().position(|source| source.id == id)
    }

    /// Which of the sources `expr` uses; sources of other queries count for nothing.
    pub fn sources_of(&self, expr: &Expr<'a>) -> SourceSet {
        super::sources_of(self.sources, expr)
    }
}

/// One item of FROM.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its number.
    pub id: SourceId,
    /// Where rows come from.
    pub kind: SourceKind<'a>,
    /// The alias, else the table's name; empty for a subquery without an alias.
    pub name: Name<'a>,
    /// The schema that the statement writes before the name, which its plan shows; not the one that a view writes.
    pub schema: Option<Name<'a>>,
    /// Whether the name is an alias.
    pub is_alias: bool,
    /// How it is joined to all sources on its left.
    pub join: JoinKind,
    /// Whether it was the table of an EXISTS: its loop ends with the first row that joins.
    pub is_exists: bool,
    /// INDEXED BY, NOT INDEXED.
    pub indexed: Indexed<'a>,
}

/// Where the rows of a source come from.
#[derive(Clone, Copy, Debug)]
pub enum SourceKind<'a> {
    /// A table, perhaps a virtual one.
    Table(Db, &'a Table),
    /// A subquery, a view or a common table expression.
    Subquery(&'a Derived<'a>),
    /// The rows that the previous step of a recursive common table expression produced: only within its recursive
    /// terms.
    Recursive(&'a CommonTable<'a>),
    /// One row that is not read from anywhere: OLD, NEW, `excluded`, a row about to be written.
    Row(&'a Table),
}

/// A query as a source.
#[derive(Clone, Copy, Debug)]
pub struct Derived<'a> {
    /// The query.
    pub query: &'a Query<'a>,
    /// The columns under the names that this source gives them.
    pub columns: &'a [OutputColumn<'a>],
    /// The view, if it is one.
    pub view: Option<&'a Table>,
    /// The common table expression, if it is one.
    pub cte: Option<&'a CommonTable<'a>>,
    /// Whether it is a join in parentheses, and no SELECT.
    pub is_join: bool,
    /// Whether the statement has changed the query: conditions have moved into it, or columns that nobody reads out of it.
    pub is_changed: bool,
    /// The estimated number of its rows, once it is planned. Copies of the source share it.
    pub rows: &'a Cell<Option<i16>>,
}

impl Derived<'_> {
    /// Whether it is a recursive common table.
    pub fn is_recursive(&self) -> bool {
        self.cte.is_some_and(|cte| cte.setup_cores.get().is_some())
    }
}

/// A common table expression; its uses share the resolved query.
#[derive(Debug)]
pub struct CommonTable<'a> {
    /// Identity.
    pub id: SubqueryId,
    /// Its name.
    pub name: Name<'a>,
    /// How many sources use it (the recursive ones not counted): if more than one, the table is materialised once.
    pub uses: Cell<u32>,
    /// `Some(true)` for MATERIALIZED, `Some(false)` for NOT MATERIALIZED.
    pub materialized: Option<bool>,
    /// How many of the query's cores, from the left, make the start of a recursion; the others are its steps.
    /// `None` when it is not recursive.
    pub setup_cores: Cell<Option<u16>>,
}

/// How a source is joined to the sources on its left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// Comma, JOIN, INNER JOIN
    Inner,
    /// CROSS JOIN: not to be reordered
    Cross,
    /// LEFT JOIN
    Left,
    /// RIGHT JOIN
    Right,
    /// FULL JOIN
    Full,
}

impl JoinKind {
    /// Whether rows on the right that match nothing on the left are kept: RIGHT and FULL JOIN.
    #[inline]
    pub fn keeps_right_rows(self) -> bool {
        matches!(self, JoinKind::Right | JoinKind::Full)
    }

    /// Whether rows on the left that match nothing on the right are kept: LEFT and FULL JOIN.
    #[inline]
    pub fn keeps_left_rows(self) -> bool {
        matches!(self, JoinKind::Left | JoinKind::Full)
    }
}

/// INDEXED BY and NOT INDEXED.
#[derive(Clone, Copy, Debug)]
pub enum Indexed<'a> {
    /// Neither was written.
    Any,
    /// INDEXED BY: this index, or the error "no query solution".
    By(&'a Index),
    /// None.
    Not,
}

/// A conjunct of WHERE, ON or USING.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// The condition.
    pub expr: Expr<'a>,
    /// Where it stood.
    pub origin: TermOrigin,
    /// On which side of an AND it stands.
    pub side: AndSide,
}

impl<'a> Term<'a> {
    /// The only condition of its clause.
    pub fn new(expr: Expr<'a>, origin: TermOrigin) -> Term<'a> {
        Term { expr, origin, side: AndSide::Left }
    }
}

/// The side of its AND on which a condition stands. All conditions of a SELECT are one tree in SQLite: WHERE, AND each ON from the left to the right.
/// The tree of a query that becomes part of another is the left side of an AND whose right side is the other's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AndSide {
    /// On the left, or it is alone.
    Left,
    /// On the right.
    Right,
    /// It is in no tree, as the equality of an argument of a table-valued function.
    Apart,
}

/// Where a condition stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermOrigin {
    /// In WHERE.
    Where,
    /// In ON or USING of this source, which is inner joined: as good as WHERE unless a RIGHT or FULL JOIN stands
    /// on its right.
    InnerOn(SourceId),
    /// In ON or USING of this source, which is LEFT, RIGHT or FULL joined: decides whether rows match.
    OuterOn(SourceId),
}

/// A term of ORDER BY.
#[derive(Clone, Copy, Debug)]
pub struct OrderTerm<'a> {
    /// What is sorted by: a copy of the result column's expression when the term names one.
    pub expr: Expr<'a>,
    /// The collation.
    pub collation: Coll<'a>,
    /// DESC.
    pub descending: bool,
    /// NULLs come where the direction would not put them: NULLS LAST of ASC, NULLS FIRST of DESC.
    pub nulls_opposite: bool,
    /// The result column that it is equal to.
    pub output: Option<u16>,
}

/// LIMIT and OFFSET.
#[derive(Clone, Copy, Debug)]
pub struct Limit<'a> {
    /// LIMIT.
    pub limit: Expr<'a>,
    /// OFFSET.
    pub offset: Option<Expr<'a>>,
}

/// A call of a window function.
#[derive(Clone, Copy, Debug)]
pub struct WindowCall<'a> {
    /// Identity.
    pub id: WindowId,
    /// The function: an aggregate or one made for windows.
    pub function: &'a Arc<Function>,
    /// Its arguments.
    pub args: &'a [Expr<'a>],
    /// The collation that the arguments give it.
    pub collation: Coll<'a>,
    /// FILTER (WHERE ...).
    pub filter: Option<Expr<'a>>,
    /// The window; calls with the same reference are computed in one pass.
    pub window: &'a Window<'a>,
}

/// A window.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// PARTITION BY.
    pub partition_by: &'a [Expr<'a>],
    /// ORDER BY.
    pub order_by: &'a [OrderTerm<'a>],
    /// ROWS, RANGE or GROUPS.
    pub unit: FrameUnit,
    /// Where the frame starts.
    pub start: FrameBound<'a>,
    /// Where it ends.
    pub end: FrameBound<'a>,
    /// EXCLUDE.
    pub exclude: FrameExclude,
}

/// An end of a frame.
#[derive(Clone, Copy, Debug)]
pub enum FrameBound<'a> {
    /// UNBOUNDED PRECEDING or FOLLOWING
    Unbounded,
    /// n PRECEDING
    Preceding(Expr<'a>),
    /// CURRENT ROW
    CurrentRow,
    /// n FOLLOWING
    Following(Expr<'a>),
}

/// A result column that only a program reads, so that its names do not matter.
pub fn plain_output<'a>(expr: &Expr<'a>) -> OutputColumn<'a> {
    let collation = collation_of(expr);
    OutputColumn {
        name: Name::new(b""),
        inner_name: Name::new(b""),
        stored_name: Name::new(b""),
        affinity: affinity_of(expr),
        collation: collation.unwrap_or_default(),
        has_collation: collation.is_some(),
        origin: None,
        inner_origin: None,
        hidden: false,
    }
}

/// Splits a condition into its conjuncts, which come behind the terms that are there.
pub fn split_and<'a>(expr: Expr<'a>, origin: TermOrigin, terms: &mut bumpalo::collections::Vec<'a, Term<'a>>) {
    let side = if terms.is_empty() { AndSide::Left } else { AndSide::Right };
    split(expr, origin, side, terms);
}

fn split<'a>(expr: Expr<'a>, origin: TermOrigin, side: AndSide, terms: &mut bumpalo::collections::Vec<'a, Term<'a>>) {
    match expr {
        Expr::And(left, right) => {
            split(*left, origin, AndSide::Left, terms);
            split(*right, origin, AndSide::Right, terms);
        }
        expr => terms.push(Term { expr, origin, side }),
    }
}
