//! Collecting the statistics and properties of each source: from ANALYZE, from measured trees, or SQLite's defaults.

use lithe_base::Db;
use lithe_catalog::{Column, Index, IndexTerm, LARGE, Measure, Measures, Result, Table};
use lithe_format::PageNo;
use lithe_resolve::Stored;
use lithe_resolve::ir::{Coll, ColumnIndex, Expr, Indexed, JoinKind, Source, SourceId, SourceKind, SourceSet};
use lithe_value::Affinity;

use super::context::PlanContext;
use super::covering::{self, ByExpressions};
use super::derived::{is_same_view, may_be_coroutine};
use super::log_est::{LogEst, ROW_FETCH};
use super::partial;
use super::plan::{JoinRequest, Purpose};
use super::sources::{IndexColumnInfo, IndexedTerm, Restriction, SourceIndexInfo, SourceInfo, is_not_null};
use super::terms::Terms;
use super::usage::Usage;

/// A table without statistics is assumed to have about a million rows.
const ROWS_DEFAULT: LogEst = LogEst(200);
/// For estimates of an index without statistics, a table has at least so many rows (1,000).
const ROWS_MIN: LogEst = LogEst(99);
/// Rows that are equal in the first 1, 2, ... columns of an index, without ANALYZE: 10, 9, 8, 7, 6, and 5 from there on.
const EQUAL_ROWS_DEFAULT: [LogEst; 5] = [LogEst(33), LogEst(32), LogEst(30), LogEst(28), LogEst(27)];
const EQUAL_ROWS_REST: LogEst = LogEst(23);
/// A partial index is assumed to hold half of the rows.
const PARTIAL_FRACTION: i16 = 10;

/// Describes the sources of a join.
pub fn collect<'a>(
    context: &PlanContext<'a>,
    request: &JoinRequest<'a>,
    terms: &Terms<'a>,
    measures: Option<&'a Measures>,
) -> Result<Vec<SourceInfo<'a>>> {
    let sources = request.sources;
    // The table's cursor seeks every row that is changed, so only the columns of the conditions decide whether an index
    // is covering.
    let used_by_conditions = match (request.purpose, sources) {
        (Purpose::Write, [_]) => {
            let mut usage = Usage::new_in(context.arena);
            request.terms.iter().for_each(|term| usage.add_expr(&term.expr));
            Some(usage)
        }
        _ => None,
    };
    let mut infos = Vec::with_capacity(sources.len());
    let mut order = JoinOrder::default();
    for (at, source) in sources.iter().enumerate() {
        let table = match source.kind {
            SourceKind::Table(_, table) => Some(table),
            SourceKind::Subquery(_) | SourceKind::Recursive(_) | SourceKind::Row(_) => None,
        };
        let used = match &used_by_conditions {
            Some(usage) => usage.of(source.id).clone(),
            None => context.used(source.id).clone(),
        };
        let precedes_right_join = sources[at + 1..].iter().any(|source| source.join.keeps_right_rows());
        let mut one = SourceInfo {
            source,
            table,
            is_table: is_table(request, at),
            rows: context.estimated_rows(source).unwrap_or(ROWS_DEFAULT),
            row_size: LogEst(0),
            is_analyzed: false,
            is_measured: false,
            distinct: &[],
            is_sampled: false,
            must_follow: order.before(at, source.join, precedes_right_join).union(asked_by(source, at, terms)),
            restriction: restriction(source.join, precedes_right_join),
            precedes_right_join,
            used,
            may_be_null_row: !matches!(source.join, JoinKind::Inner | JoinKind::Cross) || precedes_right_join,
            reads_entries: request.purpose == Purpose::Read || at > 0,
            indexes: Vec::new(),
        };
        if let SourceKind::Table(db, table) = source.kind {
            let sizes = Sizes { db, measures };
            one.measure(table, sizes);
            one.collect_indexes(context, table, sizes, terms)?;
        }
        infos.push(one);
    }
    Ok(infos)
}

/// Whether the source at `at` is a query in FROM whose rows are kept in a table that may be read in both directions. Where a common table is
/// used again, SQLite does not look at an order that it has from the query that it reads.
fn is_table(request: &JoinRequest<'_>, at: usize) -> bool {
    let SourceKind::Subquery(derived) = request.sources[at].kind else { return false };
    let is_again = derived.cte.is_some() && request.sources[..at].iter().any(|source| is_same_view(source, derived));
    !(is_again || request.allows_coroutine && may_be_coroutine(request.sources, at, derived))
}

/// The measured sizes of a join's tables that have no statistics. They are used for joins, and for grouped tables (`groups`), where an
/// index may seem better than it is; only if all tables were measured and one is large. Otherwise estimates and plans are those of SQLite.
pub fn measures<'a>(context: &PlanContext<'a>, sources: &[Source<'a>], groups: bool) -> Option<&'a Measures> {
    let tables = || {
        sources.iter().filter_map(|source| match source.kind {
            SourceKind::Table(db, table) if table.virtual_table().is_none() => Some((db, table)),
            _ => None,
        })
    };
    let is_simple = tables().nth(1).is_none() && !(groups && tables().any(|(_, table)| !table.indexes.is_empty()));
    if is_simple || tables().any(|(_, table)| counted_rows(table).is_some()) {
        return None;
    }
    context.env.wanted.note_asked();
    let measures = &*context.env.measures;
    let unknown = || tables().filter(|(db, table)| measures.of(*db, table.root).is_none());
    unknown().for_each(|(db, table)| context.env.wanted.add(db, table));
    let rows = |(db, table): (Db, &Table)| measures.of(db, table.root).map_or(0, |measure| measure.rows);
    (unknown().next().is_none() && tables().map(rows).max() >= Some(LARGE)).then_some(measures)
}

/// The number of rows of a table by ANALYZE's statistics.
fn counted_rows(table: &Table) -> Option<u64> {
    table.statistics.map(|statistics| statistics.rows).or_else(|| {
        let whole = table.indexes.iter().find(|index| index.filter.is_none() && index.statistics.is_some())?;
        whole.statistics.as_ref().map(|statistics| statistics.rows)
    })
}

/// Where the sizes of a source's trees are looked up.
#[derive(Clone, Copy)]
struct Sizes<'a> {
    db: Db,
    /// None: measured sizes are not used.
    measures: Option<&'a Measures>,
}

impl<'a> Sizes<'a> {
    fn of(self, root: Option<PageNo>) -> Option<&'a Measure> {
        self.measures?.of(self.db, root)
    }
}

/// Which sources must stay where they were written.
#[derive(Default)]
struct JoinOrder {
    before: SourceSet,
    /// Sources that all later ones must follow: all up to the last RIGHT JOIN, whose unmatched rows come after all outer
    /// loops have ended, and those on the left of a CROSS JOIN.
    fixed: SourceSet,
}

impl JoinOrder {
    /// The sources that must come before the one at `at`: an outer or CROSS join keeps its place, inner joins after it can
    /// be reordered again. As in SQLite, no source on the left of a RIGHT JOIN is moved.
    fn before(&mut self, at: usize, join: JoinKind, precedes_right_join: bool) -> SourceSet {
        match join {
            JoinKind::Inner if precedes_right_join => self.before = SourceSet::first(at),
            JoinKind::Inner => self.before = self.fixed,
            JoinKind::Left => self.before = SourceSet::first(at),
            JoinKind::Cross => {
                self.before = SourceSet::first(at);
                self.fixed = self.before;
            }
            JoinKind::Right | JoinKind::Full => {
                self.before = SourceSet::first(at);
                self.fixed = SourceSet::first(at + 1);
            }
        }
        self.before
    }
}

/// The sources on which an EXISTS depends. They must be in outer loops, because the EXISTS is evaluated for each of their
/// rows.
fn asked_by(source: &Source<'_>, at: usize, terms: &Terms<'_>) -> SourceSet {
    let mut asked = SourceSet::EMPTY;
    if source.is_exists {
        let conditions = terms.conditions.iter().filter(|condition| condition.needs.contains(at));
        conditions.for_each(|condition| asked = asked.union(condition.needs));
        asked = asked.minus(SourceSet::single(at));
    }
    asked
}

fn restriction(join: JoinKind, precedes_right_join: bool) -> Restriction {
    match join {
        JoinKind::Left | JoinKind::Right | JoinKind::Full => Restriction::OuterOn,
        _ if precedes_right_join => Restriction::Own,
        _ => Restriction::None,
    }
}

impl<'a> SourceInfo<'a> {
    fn measure(&mut self, table: &Table, sizes: Sizes<'a>) {
        self.row_size = row_size(table);
        if let Some(measure) = sizes.of(table.root) {
            self.is_measured = true;
            self.distinct = &measure.distinct;
            self.rows = LogEst::of(measure.rows);
            return;
        }
        let counted = counted_rows(table);
        self.is_analyzed = counted.is_some();
        let has_samples = |index: &Index| index.statistics.as_ref().is_some_and(|s| !s.samples.is_empty());
        self.is_sampled = table.was_sampled || table.indexes.iter().any(|index| has_samples(index));
        self.rows = counted.map_or(ROWS_DEFAULT, LogEst::of);
        if table.indexes.iter().any(|index| index.statistics.is_none()) {
            self.rows = self.rows.max(ROWS_MIN);
        }
    }

    fn collect_indexes(
        &mut self,
        context: &PlanContext<'a>,
        table: &'a Table,
        sizes: Sizes<'a>,
        terms: &Terms<'a>,
    ) -> Result<()> {
        for index in &table.indexes {
            let wanted = match self.source.indexed {
                Indexed::Any => true,
                Indexed::By(only) => std::ptr::eq(only, &raw const **index),
                // SQLite ignores NOT INDEXED for a WITHOUT ROWID table.
                Indexed::Not => table.is_without_rowid(),
            };
            if wanted && (index.root == table.root || context.env.may_query(index)) {
                let is_usable = partial::is_usable(context, self, table, index, terms, terms.conditions.len())?;
                if is_usable || !terms.disjunctions.is_empty() {
                    let info = SourceIndexInfo { is_usable, ..self.index_info(context, table, index, sizes)? };
                    self.indexes.push(info);
                }
            }
        }
        Ok(())
    }

    fn index_info(
        &self,
        context: &PlanContext<'a>,
        table: &'a Table,
        index: &'a Index,
        sizes: Sizes<'a>,
    ) -> Result<SourceIndexInfo<'a>> {
        let mut columns = Vec::with_capacity(index.columns.len());
        for column in &index.columns {
            columns.push(column_info(context, self.source.id, (sizes.db, table), column)?);
        }
        let keys = &columns[..usize::from(index.key_count)];
        let is_unique_not_null = index.is_unique() && keys.iter().all(|column| !column.nullable);
        let statistics = index.statistics.as_deref();
        let fixed = context.arena.alloc_slice_copy(&partial::fixed_columns(context, self.source, table, index)?);
        let is_covered = covering::is_covered(&self.used, table, index, fixed);
        let expressions = columns.iter().filter_map(|column| match column.term {
            IndexedTerm::Expr(expr) if !is_covered && self.reads_entries => Some(expr),
            _ => None,
        });
        let expressions: Vec<Expr<'a>> = expressions.collect();
        let by_expressions = covering::by_expressions(context, self.source.id, table, (index, fixed), &expressions);
        Ok(SourceIndexInfo {
            db: sizes.db,
            table,
            index,
            rows: context.arena.alloc_slice_copy(&self.equal_rows(index, sizes)),
            entry_size: entry_size(table, index),
            is_unique_not_null,
            is_covering: is_covered || !matches!(by_expressions, ByExpressions::Not),
            covers_by_expressions: !matches!(by_expressions, ByExpressions::Not),
            // The entry does not hold the expressions of a row of NULLs that an outer join adds.
            needs_row: match by_expressions {
                ByExpressions::Not => false,
                ByExpressions::Covers => self.may_be_null_row,
                ByExpressions::NeedsRow => true,
            },
            is_whole: index.root == table.root || covering::is_whole(table, index),
            is_analyzed: statistics.is_some(),
            is_unordered: statistics.is_some_and(|statistics| statistics.unordered),
            no_skip_scan: statistics.is_none_or(|statistics| statistics.no_skip_scan),
            row_fetch: self.row_fetch(sizes.of(index.root)),
            is_partial: index.filter.is_some(),
            fixed,
            is_usable: true,
            columns: context.arena.alloc_slice_copy(&columns),
        })
    }

    /// SQLite estimates the row of an entry to cost as much as the next row of a scan. The real cost is a search in the
    /// table's tree, unless the row is next to the previous one.
    fn row_fetch(&self, measure: Option<&Measure>) -> i16 {
        match measure {
            Some(measure) if !measure.is_clustered => self.rows.log2().0.max(ROW_FETCH),
            _ => ROW_FETCH,
        }
    }

    fn equal_rows(&self, index: &Index, sizes: Sizes<'a>) -> Vec<LogEst> {
        let keys = usize::from(index.key_count);
        let mut rows = Vec::with_capacity(index.columns.len() + 1);
        match (&index.statistics, sizes.of(index.root)) {
            (Some(statistics), _) => {
                rows.push(LogEst::of(statistics.rows));
                rows.extend(statistics.equal_rows.iter().take(keys).map(|&equal| LogEst::of(equal)));
            }
            (None, Some(measure)) => {
                rows.push(LogEst::of(measure.rows));
                rows.extend(measure.equal_rows.iter().take(keys).map(|&equal| LogEst::of(equal)));
                if index.is_unique() {
                    rows.resize(keys + 1, LogEst::ONE);
                    rows[keys] = LogEst::ONE;
                }
            }
            (None, None) => {
                let all = if index.filter.is_some() { self.rows - PARTIAL_FRACTION } else { self.rows };
                rows.push(all);
                rows.extend((0..keys).map(|at| EQUAL_ROWS_DEFAULT.get(at).copied().unwrap_or(EQUAL_ROWS_REST)));
                if index.is_unique() {
                    rows[keys] = LogEst::ONE;
                }
            }
        }
        rows.resize(index.columns.len() + 1, LogEst::ONE);
        rows
    }
}

fn column_info<'a>(
    context: &PlanContext<'a>,
    source: SourceId,
    (db, table): (Db, &'a Table),
    column: &'a lithe_catalog::IndexColumn,
) -> Result<IndexColumnInfo<'a>> {
    let collation = Coll::of(&column.collation);
    let descending = column.descending;
    Ok(match &column.term {
        IndexTerm::Rowid => IndexColumnInfo {
            term: IndexedTerm::Column(ColumnIndex::ROWID),
            collation,
            affinity: Affinity::Integer,
            descending,
            nullable: false,
        },
        IndexTerm::Column(at) => {
            let of = &table.columns[usize::from(*at)];
            let is_rowid = table.rowid_column == Some(*at);
            let index = if is_rowid { ColumnIndex::ROWID } else { ColumnIndex::new(usize::from(*at)) };
            let nullable = !is_rowid && !is_not_null(table, usize::from(*at));
            IndexColumnInfo { term: IndexedTerm::Column(index), collation, affinity: of.affinity, descending, nullable }
        }
        IndexTerm::Expr(text) => {
            let expr = indexed_expr(context, source, (db, table), text)?;
            let affinity = lithe_resolve::ir::affinity_of(&expr).unwrap_or(Affinity::Blob);
            IndexColumnInfo { term: IndexedTerm::Expr(expr), collation, affinity, descending, nullable: true }
        }
    })
}

/// An expression that an index of the table holds; its columns are those of the source.
pub fn indexed_expr<'a>(
    context: &PlanContext<'a>,
    source: SourceId,
    (db, table): (Db, &'a Table),
    text: &'a [u8],
) -> Result<Expr<'a>> {
    context.resolver.looking(|| context.resolver.stored_expr(text, Stored::Index, source, db, table))
}

/// The size of a column's values in units of four bytes, guessed from its type: what CHAR(n) and BLOB(n) say, 16 bytes
/// for other texts and blobs, and the least for everything else.
fn column_size(column: &Column) -> u64 {
    const UNKNOWN_BYTES: u64 = 16;
    const SIZE_MAX: u64 = 255;
    // ANY is numeric, and of the size of numbers, though in STRICT tables it has no affinity.
    let is_any = column.declared_type.eq_ignore_ascii_case(b"ANY");
    if column.affinity.is_numeric() || is_any || column.declared_type.is_empty() {
        return 1;
    }
    let written = &column.declared_type;
    let after = |word: &[u8]| {
        let is_it = |part: &[u8]| part.eq_ignore_ascii_case(word);
        written.windows(word.len()).rposition(is_it).map(|at| &written[at..])
    };
    let bytes = match after(b"char").or_else(|| after(b"blob(")) {
        Some(sized) => number_in(sized).unwrap_or(0),
        None => UNKNOWN_BYTES,
    };
    (bytes / 4 + 1).min(SIZE_MAX)
}

/// The first number in a type's name: 100 of `VARCHAR(100)`.
fn number_in(declared_type: &[u8]) -> Option<u64> {
    let start = declared_type.iter().position(u8::is_ascii_digit)?;
    let digits = declared_type[start..].iter().take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0_u64, |n, digit| n.saturating_mul(10).saturating_add(u64::from(digit - b'0'))))
}

fn row_size(table: &Table) -> LogEst {
    let columns: u64 = table.columns.iter().map(column_size).sum();
    LogEst::of((columns + u64::from(table.rowid_column.is_none())) * 4)
}

/// The index of all rows with the smallest entries, if they are smaller than the rows: its tree is likely the smallest.
pub fn smallest_index(table: &Table) -> Option<&Index> {
    let is_ordered = |index: &Index| index.statistics.as_ref().is_none_or(|statistics| !statistics.unordered);
    let whole = table.indexes.iter().filter(|index| index.filter.is_none() && is_ordered(index));
    // The table of a WITHOUT ROWID table is an index, too.
    let smallest = whole.min_by_key(|index| (entry_size(table, index), index.root != table.root))?;
    (entry_size(table, smallest) < row_size(table) && smallest.root != table.root).then_some(&**smallest)
}

fn entry_size(table: &Table, index: &Index) -> LogEst {
    if let Some(bytes) = index.statistics.as_ref().and_then(|statistics| statistics.entry_bytes) {
        return LogEst::of(bytes);
    }
    let size = |term: &IndexTerm| match term {
        IndexTerm::Column(at) => column_size(&table.columns[usize::from(*at)]),
        IndexTerm::Rowid | IndexTerm::Expr(_) => 1,
    };
    LogEst::of(index.columns.iter().map(|column| size(&column.term)).sum::<u64>() * 4)
}
