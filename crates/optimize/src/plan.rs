//! The plan of a statement as data: a tree of queries, each with its join, what remains to be done to the rows, and the queries
//! in its expressions.
//!
//! ```text
//!   QueryPlan ─▶ CoresPlan ─┬─ CorePlan ──────────┬─ SelectPlan ─▶ FromPlan ─▶ JoinPlan, DerivedPlan ─▶ QueryPlan
//!                           ├─ CompoundPlan ─▶ …  └─ ValuesPlan
//!                           └─ RecursivePlan ─▶ …
//!
//!   ExprQuery ─▶ QueryPlan                 a query in an expression, where the expression is evaluated
//!   InsertSource, RowsPlan ─▶ QueryPlan the rows of an INSERT, UPDATE or DELETE
//! ```
//!
//! A plan lives in the statement's arena and contains all decisions: EXPLAIN QUERY PLAN prints it, tests compare its text, and the code
//! generator turns it into a program. The order of the parts is the order in which they are run.

use lithe_base::Db;
use lithe_catalog::{Index, Table};
use lithe_resolve::ir::{Coll, CommonTable, Derived, Expr, OrderTerm, Query, Select, Source, SubqueryId, WindowCall};
use lithe_sql::ast::{CompoundOp, SelectNumber};

use crate::access::{DistinctPlan, JoinPlan, LogEst};

/// The plan of a query.
#[derive(Clone, Copy, Debug)]
pub struct QueryPlan<'a> {
    /// The query, rewritten.
    pub query: &'a Query<'a>,
    /// The purpose of its rows.
    pub rows: RowsFor,
    /// The queries in LIMIT and OFFSET.
    pub limit_queries: ExprQueries<'a>,
    /// How the rows are computed.
    pub body: QueryBody<'a>,
}

/// The purpose of a query's rows, as far as the plan and its text depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsFor {
    /// Each is read, stored or given to the application.
    Use,
    /// Each is given to the code that resumes the coroutine.
    Coroutine,
    /// They are the members of an IN.
    Set {
        /// SQLite would use a Bloom filter with the set, and show it.
        shows_filter: bool,
    },
    /// Only the first row is read, as a value.
    FirstRow,
    /// Only the existence of a row matters: no column is computed.
    Exists,
}

/// How the rows of a query are computed.
#[derive(Clone, Copy, Debug)]
pub enum QueryBody<'a> {
    /// By its cores.
    Cores(CoresPlan<'a>),
    /// A recursive common table.
    Recursive(&'a RecursivePlan<'a>),
}

/// The plan of one core, or of several that are combined.
#[derive(Clone, Copy, Debug)]
pub enum CoresPlan<'a> {
    /// One SELECT or VALUES.
    One(CorePlan<'a>),
    /// UNION, INTERSECT, EXCEPT, UNION ALL.
    Compound(&'a CompoundPlan<'a>),
}

/// The plan of a SELECT or VALUES.
#[derive(Clone, Copy, Debug)]
pub enum CorePlan<'a> {
    /// SELECT.
    Select(SelectPlan<'a>),
    /// VALUES.
    Values(&'a ValuesPlan<'a>),
    /// A UNION ALL in the place of a core of a compound.
    Compound(&'a CompoundPlan<'a>),
}

/// The plan of VALUES.
#[derive(Clone, Copy, Debug)]
pub struct ValuesPlan<'a> {
    /// The rows.
    pub rows: &'a [&'a [Expr<'a>]],
    /// The order in which they are wanted.
    pub order_by: &'a [OrderTerm<'a>],
    /// The queries in the rows.
    pub queries: ExprQueries<'a>,
}

/// The plan of a compound query. UNION ALL without ORDER BY is one query after the other. All other compounds merge: both sides give
/// their rows in the same order, by ORDER BY and then by all columns.
#[derive(Clone, Copy, Debug)]
pub struct CompoundPlan<'a> {
    /// The first core. With `merges`, it is the left side of the first.
    pub first: CorePlan<'a>,
    /// The merges, from the left to the right: each merge is the left side of the next.
    pub merges: &'a [MergePlan<'a>],
    /// Whether no merge drops a row: then no side needs to give more rows than the query.
    pub only_appends: bool,
    /// The cores whose rows follow: those of UNION ALL.
    pub appended: &'a [CorePlan<'a>],
}

/// A merge of the cores on the left with the next core.
#[derive(Clone, Copy, Debug)]
pub struct MergePlan<'a> {
    /// How the sides are combined.
    pub op: CompoundOp,
    /// The right side.
    pub right: CorePlan<'a>,
    /// The order in which both sides come.
    pub order: &'a [MergeTerm<'a>],
}

/// A column of the order in which the sides of a merge come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MergeTerm<'a> {
    /// The result column.
    pub column: usize,
    /// Its collation.
    pub collation: Coll<'a>,
    /// DESC.
    pub descending: bool,
    /// NULLs come at the other end.
    pub nulls_opposite: bool,
}

/// The plan of a recursive common table.
#[derive(Clone, Copy, Debug)]
pub struct RecursivePlan<'a> {
    /// The table.
    pub table: &'a CommonTable<'a>,
    /// The operator before the first step: UNION drops rows that occurred before.
    pub op: CompoundOp,
    /// The cores that give the first rows.
    pub setup: CoresPlan<'a>,
    /// The cores that compute further rows from each row.
    pub steps: &'a [CorePlan<'a>],
}

/// How a SELECT is run.
#[derive(Clone, Copy, Debug)]
pub enum SelectPlan<'a> {
    /// It has window functions.
    Windows(&'a WindowPlan<'a>),
    /// `SELECT count(*) FROM t`: the entries of the pages are counted, and no row is read.
    Count(&'a CountPlan<'a>),
    /// Aggregates without GROUP BY: all rows are one group.
    Aggregate(&'a AggregatePlan<'a>),
    /// GROUP BY, or DISTINCT with an ORDER BY of the same columns.
    Group(&'a GroupPlan<'a>),
    /// Each row of the join is one of the result, if DISTINCT does not drop it.
    Plain(&'a PlainPlan<'a>),
}

/// A tree whose entries are counted.
#[derive(Clone, Copy, Debug)]
pub struct CountPlan<'a> {
    /// The source whose rows are counted.
    pub source: &'a Source<'a>,
    /// The database.
    pub db: Db,
    /// The table.
    pub table: &'a Table,
    /// An index with fewer pages than the table.
    pub index: Option<&'a Index>,
}

/// A SELECT without groups and windows.
#[derive(Clone, Copy, Debug)]
pub struct PlainPlan<'a> {
    /// The SELECT.
    pub select: &'a Select<'a>,
    /// The terms of ORDER BY that are not the same for all rows.
    pub order_by: &'a [OrderTerm<'a>],
    /// Where the rows come from.
    pub from: FromPlan<'a>,
    /// What ORDER BY has to do.
    pub sorting: Sorting,
    /// The queries in what is computed for each row.
    pub queries: ExprQueries<'a>,
}

/// What ORDER BY has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sorting {
    /// Nothing: the rows come in its order.
    Nothing,
    /// Sort rows that are equal in the first terms, of which there are so many, among themselves. With none, sort all rows.
    Blocks(usize),
}

/// Aggregates without GROUP BY.
#[derive(Clone, Copy, Debug)]
pub struct AggregatePlan<'a> {
    /// The SELECT.
    pub select: &'a Select<'a>,
    /// Where the rows come from.
    pub from: FromPlan<'a>,
    /// The only aggregate is min() or max(), and rows come in the order of its argument: the first that is not NULL decides.
    pub extreme: Option<&'a OrderTerm<'a>>,
    /// How repeated arguments of an aggregate with DISTINCT are found.
    pub distinct: DistinctPlan,
    /// The queries in the arguments of aggregates.
    pub step_queries: ExprQueries<'a>,
    /// The queries in HAVING and the result.
    pub queries: ExprQueries<'a>,
}

/// Groups.
#[derive(Clone, Copy, Debug)]
pub struct GroupPlan<'a> {
    /// The SELECT, with a GROUP BY.
    pub select: &'a Select<'a>,
    /// GROUP BY, in the directions of an ORDER BY with as many terms.
    pub terms: &'a [OrderTerm<'a>],
    /// The clause of the statement, for EXPLAIN QUERY PLAN.
    pub clause: &'static str,
    /// Where the rows come from.
    pub from: FromPlan<'a>,
    /// How the rows of a group come together.
    pub grouping: Grouping,
    /// How repeated arguments in a group of an aggregate with DISTINCT are found.
    pub distinct: DistinctPlan,
    /// The ORDER BY that the order of the groups does not meet.
    pub order_by: &'a [OrderTerm<'a>],
    /// The queries in the terms.
    pub term_queries: ExprQueries<'a>,
    /// The queries in the arguments of aggregates.
    pub step_queries: ExprQueries<'a>,
    /// The queries in HAVING, the result and ORDER BY.
    pub queries: ExprQueries<'a>,
}

/// How the rows of a group come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// The loops bring them together.
    Streamed,
    /// A hash table has the groups.
    Hashed,
    /// The rows are sorted.
    Sorted,
}

/// A SELECT with window functions.
///
/// The clauses before the windows (FROM, WHERE, GROUP BY, HAVING) give the *leaves*: the columns, GROUP BY terms and aggregates that
/// windows and result columns use. A *pass* takes rows ordered by PARTITION BY and ORDER BY, computes all
/// functions over windows with these two clauses, whatever their frames, and passes the rows on with the results after the leaves. The
/// window that is written first is computed last, and so decides the order of the rows.
#[derive(Clone, Copy, Debug)]
pub struct WindowPlan<'a> {
    /// The subqueries in which SQLite computes the windows, each in the one before: the passes from the last to the first.
    pub subqueries: &'a [SelectNumber],
    /// The SELECT.
    pub select: &'a Select<'a>,
    /// The terms of ORDER BY that are not the same for all rows; empty if the last pass gives the rows in this order.
    pub order_by: &'a [OrderTerm<'a>],
    /// The leaves: the columns of `input`.
    pub leaves: &'a [Expr<'a>],
    /// The SELECT of the leaves, in the order of the first pass.
    pub input: SelectPlan<'a>,
    /// The cost of a scan of the rows after the passes.
    pub scan: LogEst,
    /// The passes, in the order in which they are run.
    pub passes: &'a [PassPlan<'a>],
    /// The queries in the result and ORDER BY.
    pub queries: ExprQueries<'a>,
}

/// Functions whose windows have the same PARTITION BY and ORDER BY.
#[derive(Clone, Copy, Debug)]
pub struct PassPlan<'a> {
    /// PARTITION BY.
    pub partition_by: &'a [Expr<'a>],
    /// ORDER BY.
    pub order_by: &'a [OrderTerm<'a>],
    /// The order of its rows: PARTITION BY, then ORDER BY.
    pub terms: &'a [OrderTerm<'a>],
    /// Its rows come from another pass, in another order.
    pub is_sorted: bool,
    /// The calls.
    pub calls: &'a [&'a WindowCall<'a>],
    /// How many different windows the calls have: EXPLAIN QUERY PLAN shows a subquery for each.
    pub subqueries: usize,
    /// The queries in arguments, filters, frames, PARTITION BY and ORDER BY.
    pub queries: ExprQueries<'a>,
}

/// Where the rows of a SELECT, UPDATE or DELETE come from: FROM and WHERE.
#[derive(Clone, Copy, Debug)]
pub struct FromPlan<'a> {
    /// The queries in FROM, in its order.
    pub derived: &'a [DerivedPlan<'a>],
    /// The loops.
    pub join: &'a JoinPlan<'a>,
    /// The queries in the conditions that use no source.
    pub constant_queries: ExprQueries<'a>,
    /// The queries in the path and the checks of each loop; empty where no loop has any.
    pub loop_queries: &'a [ExprQueries<'a>],
    /// For each loop of a RIGHT or FULL JOIN, from the outermost, how the rows that have not joined are found.
    pub unjoined: &'a [UnjoinedPlan<'a>],
}

/// A query in FROM.
#[derive(Clone, Copy, Debug)]
pub struct DerivedPlan<'a> {
    /// The source.
    pub source: &'a Source<'a>,
    /// What it is.
    pub derived: &'a Derived<'a>,
    /// The plan of the query; all sources that use one common table have the same plan.
    pub plan: &'a QueryPlan<'a>,
    /// Where its rows are.
    pub rows: DerivedWay,
}

/// Where the rows of a query in FROM are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivedWay {
    /// A coroutine gives them.
    Coroutine {
        /// They go into a temporary table when the loops begin, because the loop over them is an inner one.
        is_buffered: bool,
    },
    /// In a temporary table of its own.
    Table,
    /// In the temporary table of the common table.
    Shared {
        /// The table's id.
        table: SubqueryId,
        /// The first source that uses the table fills it.
        is_first: bool,
    },
}

/// How the rows of a RIGHT JOIN's source that have not joined are found.
#[derive(Clone, Copy, Debug)]
pub struct UnjoinedPlan<'a> {
    /// The source.
    pub source: &'a Source<'a>,
    /// The join of the source alone; none if the source gives all rows again.
    pub join: Option<&'a JoinPlan<'a>>,
    /// The queries in its path and checks.
    pub queries: ExprQueries<'a>,
}

/// Where the rows of an INSERT come from.
#[derive(Clone, Copy, Debug)]
pub enum InsertSource<'a> {
    /// One row.
    Row {
        /// Its values; empty for DEFAULT VALUES.
        values: &'a [Expr<'a>],
        /// The queries in them.
        queries: ExprQueries<'a>,
    },
    /// The rows of a query.
    Query {
        /// The query.
        plan: &'a QueryPlan<'a>,
        /// All rows are computed before the first is inserted: the query reads the table, or triggers (for SQLite, RETURNING is one)
        /// might change the rows that it reads.
        is_collected: bool,
    },
}

/// How an UPDATE or DELETE finds its rows.
#[derive(Clone, Copy, Debug)]
pub enum RowsPlan<'a> {
    /// Loops find the rows.
    Found(&'a ChangePlan<'a>),
    /// A query gives the keys of the rows, followed by the values of SET.
    Gathered(&'a QueryPlan<'a>),
}

impl RowsPlan<'_> {
    /// Whether there is one row at most.
    pub fn is_single(&self) -> bool {
        match self {
            RowsPlan::Found(plan) => plan.from.join.one_row,
            RowsPlan::Gathered(_) => false,
        }
    }
}

/// How the rows are found by loops.
#[derive(Clone, Copy, Debug)]
pub struct ChangePlan<'a> {
    /// Where the rows are found.
    pub from: FromPlan<'a>,
    /// Each row is changed when the scan reaches it.
    pub is_one_pass: bool,
    /// The index of a rowid table whose entries the scan of a DELETE in one pass follows: it deletes the entry at its cursor.
    pub scanned: Option<&'a Index>,
    /// The queries in SET, if its values are computed for each changed row.
    pub queries: ExprQueries<'a>,
}

/// Queries in expressions, in the order in which the expressions are evaluated.
pub type ExprQueries<'a> = &'a [ExprQuery<'a>];

/// A query in an expression.
#[derive(Clone, Copy, Debug)]
pub struct ExprQuery<'a> {
    /// The query as the expression has it.
    pub query: &'a Query<'a>,
    /// What is done with it.
    pub way: ExprQueryWay<'a>,
}

/// What is done with a query in an expression.
#[derive(Clone, Copy, Debug)]
pub enum ExprQueryWay<'a> {
    /// It is run for its first row, or to find out whether there is one.
    Row(&'a QueryPlan<'a>),
    /// Its rows are a set in which IN looks a value up.
    Set(&'a QueryPlan<'a>),
    /// Its rows are a set whose members are search keys of a loop.
    Keys(&'a QueryPlan<'a>),
    /// A table has the members of IN's set already: its rowids.
    Rowids(Db, &'a Table),
    /// As before, and they are the keys of a search, in order.
    RowidKeys(Db, &'a Table),
    /// An index has the members of IN's set already: the first columns of its entries.
    Index(Db, &'a Table, &'a Index),
}

impl<'a> FromPlan<'a> {
    /// The queries in the path and the checks of the loop at `at`.
    pub fn queries_of_loop(&self, at: usize) -> ExprQueries<'a> {
        self.loop_queries.get(at).copied().unwrap_or_default()
    }
}

impl<'a> ExprQueryWay<'a> {
    /// Whether it is the set of an IN.
    pub fn is_set(&self) -> bool {
        matches!(self, ExprQueryWay::Set(_) | ExprQueryWay::Rowids(..) | ExprQueryWay::Index(..))
    }
}
