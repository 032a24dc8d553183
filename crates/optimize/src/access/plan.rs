//! The plan of a join, as data for code generation and EXPLAIN QUERY PLAN.

use lithe_base::Db;
use lithe_catalog::{Index, Table};
use lithe_resolve::ir::{Coll, ColumnIndex, Expr, How, In, JoinKind, Limit, OrderTerm, Source, Term};
use lithe_vtab::{OrderUse, ScanId};

use super::log_est::LogEst;

/// The join to be planned.
#[derive(Clone, Copy, Debug)]
pub struct JoinRequest<'a> {
    /// FROM, from left to right.
    pub sources: &'a [Source<'a>],
    /// The conjuncts of WHERE and ON. Those that use no source at all are among them.
    pub terms: &'a [Term<'a>],
    /// The wanted order of the rows.
    pub order: WantedOrder<'a>,
    /// The result columns, if only these and `order` use the rows; else empty.
    pub result: &'a [Expr<'a>],
    /// DISTINCT of `result`.
    pub distinct: bool,
    /// `result` is the argument of an aggregate, and other expressions may use the rows.
    pub is_aggregated: bool,
    /// The groups of GROUP BY are the distinct rows of the result.
    pub groups_are_distinct: bool,
    /// How many columns the query's result has: rows that are sorted have as many.
    pub result_width: usize,
    /// The most rows that will be read (LIMIT + OFFSET, when they are known), for costs.
    pub row_limit: Option<u64>,
    /// LIMIT and OFFSET of a SELECT in which every row of the join is a row of the result: a virtual table may apply
    /// them.
    pub limit: Option<&'a Limit<'a>>,
    /// The purpose of the rows.
    pub purpose: Purpose,
    /// A query among the sources may be a coroutine.
    pub allows_coroutine: bool,
}

impl<'a> JoinRequest<'a> {
    /// Whether the only source is read in any order. Of such a loop SQLite does not tell how many rows conditions drop (scan status).
    pub fn reads_one_source_in_any_order(&self) -> bool {
        self.sources.len() == 1 && !self.distinct && matches!(self.order, WantedOrder::Any)
    }

    /// What virtual tables are told of the order: nothing of that of an aggregate's DISTINCT.
    pub fn order_use(&self) -> Option<OrderUse> {
        let is_distinct = self.distinct && !self.is_aggregated;
        Some(match self.order {
            WantedOrder::GroupBy(..) if self.groups_are_distinct => OrderUse::DistinctSorted,
            WantedOrder::GroupBy(_, []) => OrderUse::Grouped,
            WantedOrder::OrderBy(_) if is_distinct => OrderUse::DistinctSorted,
            WantedOrder::OrderBy(_) | WantedOrder::GroupBy(..) | WantedOrder::MinMax(_) => OrderUse::Sorted,
            WantedOrder::Any if is_distinct => OrderUse::Distinct,
            WantedOrder::Any => return None,
        })
    }

    /// All rows of the sources that meet the conditions, in any order.
    pub fn of_rows(sources: &'a [Source<'a>], terms: &'a [Term<'a>], purpose: Purpose) -> JoinRequest<'a> {
        JoinRequest {
            sources,
            terms,
            order: WantedOrder::Any,
            result: &[],
            distinct: false,
            is_aggregated: false,
            groups_are_distinct: false,
            result_width: 0,
            row_limit: None,
            limit: None,
            purpose,
            allows_coroutine: true,
        }
    }
}

/// An order that saves work when the rows come in it.
#[derive(Clone, Copy, Debug)]
pub enum WantedOrder<'a> {
    /// None.
    Any,
    /// Exactly this order: ORDER BY.
    OrderBy(&'a [OrderTerm<'a>]),
    /// Any order that brings equal rows together: GROUP BY. The second list is the ORDER BY after it if that has the same
    /// expressions, else empty; it is met, too, if possible.
    GroupBy(&'a [OrderTerm<'a>], &'a [OrderTerm<'a>]),
    /// Only the first row in this order is wanted: min() or max() alone.
    MinMax(&'a OrderTerm<'a>),
}

/// The purpose of a join's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// They are read.
    Read,
    /// The rows of the single source are updated or deleted, so the table's cursor must point to the row.
    Write,
    /// They are the rows of a RIGHT JOIN's source that have not joined. The code that reads them was generated for the first
    /// loop.
    Unjoined,
}

/// The plan of a join.
#[derive(Clone, Copy, Debug)]
pub struct JoinPlan<'a> {
    /// The request that was planned.
    pub request: &'a JoinRequest<'a>,
    /// Conditions that use no source: nothing is read unless they hold.
    pub constant_checks: &'a [Expr<'a>],
    /// The loops, from the outermost to the innermost.
    pub loops: &'a [Loop<'a>],
    /// Whether the wanted order is met.
    pub in_order: bool,
    /// How many terms of the ORDER BY, from the first on, are met: rows that are equal in these are adjacent.
    pub ordered_terms: usize,
    /// For [`WantedOrder::GroupBy`]: whether the ORDER BY after it is met, too.
    pub order_by_met: bool,
    /// What DISTINCT has to do.
    pub distinct: DistinctPlan,
    /// The join gives at most one row.
    pub one_row: bool,
    /// The estimated number of rows.
    pub rows: LogEst,
    /// The cost of a scan of each source, because a RIGHT JOIN scans its source once more.
    pub scans: &'a [LogEst],
}

/// What DISTINCT has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistinctPlan {
    /// Nothing: there is no DISTINCT, or no two rows can be equal.
    Nothing,
    /// Compare each row with the previous one, because equal rows are adjacent.
    ComparePrevious,
    /// Remember all rows.
    Remember,
}

/// One loop of a join.
#[derive(Clone, Copy, Debug)]
pub struct Loop<'a> {
    /// Position of its source in FROM.
    pub source: usize,
    /// How its rows are found.
    pub path: Path<'a>,
    /// Whether the path is followed backwards.
    pub reverse: bool,
    /// Whether NULLs of the first column without an equality come at the other end.
    pub nulls_moved: bool,
    /// Conditions that decide whether a row joins those of the outer loops.
    pub join_checks: &'a [Expr<'a>],
    /// Conditions that the joined row must meet, even a row of NULLs that an outer join adds.
    pub row_checks: &'a [Expr<'a>],
    /// SQLite would put a Bloom filter before the search.
    pub shows_filter: bool,
    /// The path gives one row at most: the loop does not step to another one.
    pub one_row: bool,
    /// The cost of setting the loop up once; `run` is the cost for each row of the outer loops.
    pub setup: LogEst,
    /// See `setup`.
    pub run: LogEst,
    /// Rows for each row of the outer loops.
    pub rows: LogEst,
    /// The same before conditions that the path does not use drop rows.
    pub found: LogEst,
}

/// How the rows of a source are found.
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// Through the table or one of its indexes; or all rows of a query, as they come.
    Tree(TreePath<'a>),
    /// A hash table of the rows, built when the loop is first entered.
    Hash(&'a HashPath<'a>),
    /// The rows that a table-valued function returns for these arguments, one for each hidden column; `None` for an
    /// argument that is not given.
    Function(&'a [Option<Key<'a>>]),
    /// A scan of a virtual table.
    Virtual(&'a VirtualPath<'a>),
    /// A path for each branch of an OR; a row that several branches find is returned once.
    Or(OrPath<'a>),
}

/// A path through the B-tree of a table or of one of its indexes.
#[derive(Clone, Copy, Debug)]
pub enum TreePath<'a> {
    /// All rows, in the order of the table.
    Scan,
    /// By rowid.
    Rowid(RowidKey<'a>),
    /// A range of rowids.
    RowidRange(Option<Bound<'a>>, Option<Bound<'a>>),
    /// A search or scan of an index.
    Index(&'a IndexPath<'a>),
}

/// The rowids that are looked up.
#[derive(Clone, Copy, Debug)]
pub enum RowidKey<'a> {
    /// One.
    Value(Expr<'a>),
    /// Each of a set, in ascending order; see [`Key::In`].
    In {
        /// The set.
        set: &'a In<'a>,
        /// Which column of the set, when it is one of row values.
        column: u16,
        /// How the rowid is compared with it.
        how: How<'a>,
    },
}

/// A scan of a virtual table.
#[derive(Clone, Copy, Debug)]
pub struct VirtualPath<'a> {
    /// Its number in the program.
    pub scan: ScanId,
    /// Its arguments.
    pub keys: &'a [Key<'a>],
    /// For each argument: it is an IN, all values of which are passed as one argument.
    pub all_at_once: &'a [bool],
    /// For each argument: the module ensures the constraint, which is not checked again.
    pub omit: &'a [bool],
    /// The module skips the rows of OFFSET.
    pub skips_offset: bool,
    /// Its text in EXPLAIN QUERY PLAN.
    pub text: &'a str,
}

/// A path through an index.
#[derive(Clone, Copy, Debug)]
pub struct IndexPath<'a> {
    /// The database.
    pub db: Db,
    /// The table.
    pub table: &'a Table,
    /// The index.
    pub index: &'a Index,
    /// The values of the first columns.
    pub keys: &'a [Key<'a>],
    /// The lower bound of the next column.
    pub low: Option<Bound<'a>>,
    /// The upper bound of the next column.
    pub high: Option<Bound<'a>>,
    /// The table itself is not read.
    pub is_covering: bool,
    /// The columns of the table, by position, that the WHERE of a partial index makes equal to a constant.
    pub fixed: &'a [(u16, Expr<'a>)],
    /// The bounds are those of a LIKE or GLOB: the search finds texts, then blobs with the same bytes.
    pub is_like: bool,
}

/// The value that a column is equal to.
#[derive(Clone, Copy, Debug)]
pub enum Key<'a> {
    /// A value; NULL finds nothing, unless the comparison is IS.
    Value {
        /// The value.
        value: Expr<'a>,
        /// How the column is compared with it.
        how: How<'a>,
        /// IS instead of `=`.
        is: bool,
    },
    /// NULL.
    Null,
    /// Each of a set, in ascending order.
    In {
        /// The set.
        set: &'a In<'a>,
        /// Which column of the set, when it is one of row values.
        column: u16,
        /// How the column is compared with it.
        how: How<'a>,
    },
    /// Every value in the index, one after the other.
    Any,
}

/// One end of a range.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    /// The values, one for each bounded column. No values: NULL (for IS NOT NULL).
    pub values: &'a [Expr<'a>],
    /// How the columns are compared with them.
    pub how: &'a [How<'a>],
    /// Whether the bound itself is in the range.
    pub inclusive: bool,
}

/// A hash table of a source's rows.
#[derive(Clone, Copy, Debug)]
pub struct HashPath<'a> {
    /// The columns that are the key, and the values that they are equal to.
    pub keys: &'a [HashKey<'a>],
    /// Only rows that meet these conditions are put into it.
    pub filter: &'a [Expr<'a>],
    /// The columns of its rows after the key.
    pub columns: &'a [ColumnIndex],
}

/// A column of a hash table's key.
#[derive(Clone, Copy, Debug)]
pub struct HashKey<'a> {
    /// The column of the source.
    pub column: ColumnIndex,
    /// The value that it is equal to.
    pub value: Expr<'a>,
    /// How they are compared.
    pub how: How<'a>,
    /// IS instead of `=`.
    pub is: bool,
}

impl HashPath<'_> {
    /// Whether equal keys have the same bytes: SQLite makes a Bloom filter only then.
    pub fn is_binary(&self) -> bool {
        self.keys.iter().all(|key| key.how.collation == Coll::Binary)
    }
}

/// The paths of an OR.
#[derive(Clone, Copy, Debug)]
pub struct OrPath<'a> {
    /// The table that they go through.
    pub table: &'a Table,
    /// One for each branch.
    pub branches: &'a [OrBranch<'a>],
}

/// The path of a branch of an OR.
#[derive(Clone, Copy, Debug)]
pub struct OrBranch<'a> {
    /// Its place among the branches, from 1, as EXPLAIN QUERY PLAN counts them.
    pub number: usize,
    /// The branch's conditions on outer loops, which are checked before its path is followed.
    pub demands: &'a [Expr<'a>],
    /// The path.
    pub path: BranchPath<'a>,
    /// The other conditions of the branch.
    pub checks: &'a [Expr<'a>],
    /// The path gives one row at most: the branch does not step to another one.
    pub one_row: bool,
    /// The cost.
    pub run: LogEst,
    /// How many rows the path is expected to find, as scan status tells it.
    pub rows: LogEst,
}

/// How the rows of a branch of an OR are found.
#[derive(Clone, Copy, Debug)]
pub enum BranchPath<'a> {
    /// Through the table or one of its indexes.
    Tree(TreePath<'a>),
    /// The rows of the table-valued function for these arguments.
    Function(&'a [Option<Key<'a>>]),
    /// A scan of the virtual table.
    Virtual(&'a VirtualPath<'a>),
}

impl<'a> From<BranchPath<'a>> for Path<'a> {
    fn from(path: BranchPath<'a>) -> Path<'a> {
        match path {
            BranchPath::Tree(path) => Path::Tree(path),
            BranchPath::Function(arguments) => Path::Function(arguments),
            BranchPath::Virtual(path) => Path::Virtual(path),
        }
    }
}

impl<'a> JoinPlan<'a> {
    /// Whether a virtual table skips the rows of OFFSET.
    pub fn skips_offset(&self) -> bool {
        self.loops.iter().any(|planned| matches!(planned.path, Path::Virtual(path) if path.skips_offset))
    }

    /// The source of a loop.
    #[inline]
    pub fn source_of(&self, planned: &Loop<'a>) -> &'a Source<'a> {
        &self.request.sources[planned.source]
    }

    /// Whether the source of a loop may be a row of NULLs: it is the right side of an outer join, or a RIGHT JOIN follows it.
    pub fn may_be_null_row(&self, planned: &Loop<'a>) -> bool {
        let sources = self.request.sources;
        !matches!(sources[planned.source].join, JoinKind::Inner | JoinKind::Cross)
            || sources[planned.source + 1..].iter().any(|source| source.join.keeps_right_rows())
    }
}

impl IndexPath<'_> {
    /// Whether each value of INs finds at most one row: then the loop does not step to the next entry, which may be another key or
    /// the same row after a change.
    pub fn finds_one_each(&self) -> bool {
        let is_whole_key = self.index.is_unique() && self.keys.len() == usize::from(self.index.key_count);
        let has_in = self.keys.iter().any(|key| matches!(key, Key::In { .. }));
        let finds_one = |key: &Key<'_>| matches!(key, Key::Value { is: false, .. } | Key::In { .. });
        is_whole_key && has_in && self.keys.iter().all(finds_one)
    }
}
