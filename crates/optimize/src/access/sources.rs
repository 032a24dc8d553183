//! The statistics and properties of each source and its indexes: sizes, row counts, restrictions.

use lithe_base::Db;
use lithe_catalog::{Index, Table};
use lithe_resolve::ir::{Coll, ColumnIndex, Expr, Source, SourceKind, SourceSet, TermOrigin, same};
use lithe_value::Affinity;

use super::log_est::{LogEst, ROW_FETCH};
use super::terms::{Constraint, Left, MadeOf, Op};
use super::usage::ColumnSet;

/// A source of the join.
#[derive(Debug)]
pub struct SourceInfo<'a> {
    /// The source.
    pub source: &'a Source<'a>,
    /// The table, when it is one.
    pub table: Option<&'a Table>,
    /// It is a query in FROM whose rows are kept in a table, which can be read in both directions.
    pub is_table: bool,
    /// How many rows it has.
    pub rows: LogEst,
    /// The size of a row, in units that only serve to compare it with the sizes of index entries.
    pub row_size: LogEst,
    /// Whether ANALYZE has counted the rows.
    pub is_analyzed: bool,
    /// Whether the sizes were measured on the trees.
    pub is_measured: bool,
    /// The estimated number of distinct values of each column, if the table was measured.
    pub distinct: &'a [u64],
    /// Whether ANALYZE has taken samples.
    pub is_sampled: bool,
    /// Sources whose loops must be outside of this one's.
    pub must_follow: SourceSet,
    /// Which conditions its paths may use: only those of its own ON if its row may be all NULL because nothing matched.
    pub restriction: Restriction,
    /// A RIGHT JOIN or FULL JOIN follows it.
    pub precedes_right_join: bool,
    /// The columns that the statement uses.
    pub used: ColumnSet,
    /// It is the right side of an outer join, or a RIGHT JOIN follows it.
    pub may_be_null_row: bool,
    /// The values of an index's expressions may be read from its entries, because the rows are neither changed nor added by a RIGHT
    /// JOIN.
    pub reads_entries: bool,
    /// Its indexes. Partial ones may be usable in a branch of an OR only.
    pub indexes: Vec<SourceIndexInfo<'a>>,
}

/// Which conditions a path through a source may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restriction {
    /// All.
    None,
    /// Those of the ON that joins it from the left, outer.
    OuterOn,
    /// Those of its own ON: a RIGHT JOIN stands on its right.
    Own,
}

/// An index of a source.
#[derive(Debug)]
pub struct SourceIndexInfo<'a> {
    /// The database of the table.
    pub db: Db,
    /// The table.
    pub table: &'a Table,
    /// The index.
    pub index: &'a Index,
    /// Its columns.
    pub columns: &'a [IndexColumnInfo<'a>],
    /// `rows[n]`: entries that are equal in n columns.
    pub rows: &'a [LogEst],
    /// The size of an entry.
    pub entry_size: LogEst,
    /// No two entries have the same key, not even one with NULLs.
    pub is_unique_not_null: bool,
    /// All columns that the statement uses are in it.
    pub is_covering: bool,
    /// Some columns are missing, but the statement uses them only in expressions that are in the index.
    pub covers_by_expressions: bool,
    /// It costs as much as a covering index, but some expressions that it has are evaluated on columns of the row.
    pub needs_row: bool,
    /// Whether it has ANALYZE's statistics.
    pub is_analyzed: bool,
    /// All columns of the table are in it.
    pub is_whole: bool,
    /// Only for equalities.
    pub is_unordered: bool,
    /// Not for skip-scans.
    pub no_skip_scan: bool,
    /// The cost of fetching the row of an entry, relative to stepping to the next entry.
    pub row_fetch: i16,
    /// It is a partial index.
    pub is_partial: bool,
    /// The columns that its WHERE makes equal to a constant in every entry, by position.
    pub fixed: &'a [(u16, Expr<'a>)],
    /// It holds all rows that meet the conditions of the join.
    pub is_usable: bool,
}

/// A column of an index.
#[derive(Clone, Copy, Debug)]
pub struct IndexColumnInfo<'a> {
    /// What it holds.
    pub term: IndexedTerm<'a>,
    /// Its collation.
    pub collation: Coll<'a>,
    /// Its affinity.
    pub affinity: Affinity,
    /// DESC.
    pub descending: bool,
    /// Whether it may hold NULL.
    pub nullable: bool,
}

/// What an index column holds.
#[derive(Clone, Copy, Debug)]
pub enum IndexedTerm<'a> {
    /// A column of the table; the rowid, too.
    Column(ColumnIndex),
    /// The value of an expression.
    Expr(Expr<'a>),
}

impl IndexedTerm<'_> {
    /// The column, if it is one.
    pub fn column(self) -> Option<ColumnIndex> {
        match self {
            IndexedTerm::Column(column) => Some(column),
            IndexedTerm::Expr(_) => None,
        }
    }
}

impl<'a> SourceInfo<'a> {
    /// Whether a path through this source may use a condition of that origin.
    pub fn admits(&self, origin: TermOrigin) -> bool {
        match self.restriction {
            Restriction::None => !matches!(origin, TermOrigin::OuterOn(_)),
            Restriction::OuterOn => origin == TermOrigin::OuterOn(self.source.id),
            Restriction::Own => {
                matches!(origin, TermOrigin::OuterOn(id) | TermOrigin::InnerOn(id) if id == self.source.id)
            }
        }
    }

    /// The cost of reading all rows: three times the cost of stepping over them, to prefer indexes, whose worst case is
    /// better; a little less when samples make estimates reliable.
    pub fn scan_cost(&self) -> LogEst {
        const ROW_FETCH_SAMPLED: i16 = ROW_FETCH - 2;
        self.rows + if self.is_sampled { ROW_FETCH_SAMPLED } else { ROW_FETCH }
    }

    /// The affinity of a column.
    pub fn affinity(&self, column: ColumnIndex) -> Affinity {
        match (self.table, column.position()) {
            (_, None) => Affinity::Integer,
            (Some(table), Some(at)) => table.columns[at].affinity,
            (None, Some(at)) => derived_affinity(self.source, at),
        }
    }
}

impl<'a> SourceIndexInfo<'a> {
    /// How many columns were listed when the index was made.
    pub fn key_count(&self) -> usize {
        usize::from(self.index.key_count)
    }

    /// Whether samples of its entries are known.
    pub fn is_sampled(&self) -> bool {
        self.index.statistics.as_ref().is_some_and(|statistics| !statistics.samples.is_empty())
    }

    /// Whether the index column at `at` serves the constraint: the constraint compares the same column or expression,
    /// under the same affinity and collation.
    pub fn serves(&self, at: usize, constraint: &Constraint<'a>) -> bool {
        self.columns[at].is_compared_by(constraint)
    }
}

impl<'a> IndexColumnInfo<'a> {
    /// Whether a constraint compares the column, under the same affinity and collation.
    pub fn is_compared_by(&self, constraint: &Constraint<'a>) -> bool {
        self.term.is(&constraint.left)
            && (constraint.op == Op::IsNull
                || constraint.made_of == MadeOf::NotNull && constraint.how.collation == self.collation
                || constraint.fits_affinity(self.affinity) && constraint.how.collation == self.collation)
    }
}

impl<'a> IndexedTerm<'a> {
    /// Whether it is the left side of a constraint.
    pub fn is(&self, left: &Left<'a>) -> bool {
        match (self, left) {
            (IndexedTerm::Column(column), Left::Column(compared)) => column == compared,
            (IndexedTerm::Expr(expr), Left::Expr(compared)) => same(expr, compared),
            _ => false,
        }
    }
}

/// Whether the column at `at` of the table is never NULL.
pub(super) fn is_not_null(table: &Table, at: usize) -> bool {
    let column = &table.columns[at];
    column.not_null.is_some() || table.is_without_rowid() && column.primary_key > 0
}

fn derived_affinity(source: &Source<'_>, at: usize) -> Affinity {
    match source.kind {
        SourceKind::Subquery(derived) => derived.columns[at].affinity.unwrap_or(Affinity::Blob),
        _ => Affinity::Blob,
    }
}
