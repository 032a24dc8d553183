//! A compiled program: instructions and what they refer to. Immutable once built, shared between
//! statements and connections (`Arc<Program>`).

use std::sync::Arc;

use lithe_btree::KeyInfo;
use lithe_format::PageNo;
use lithe_functions::{Flags, Function};
use lithe_value::{Affinity, Collation, Value};
use lithe_vtab::CompiledScan;

use crate::constants::Constants;
pub use crate::host::SchemaCheck;
use crate::insn::Insn;
use crate::operand::{Addr, AggregateId, CollationId, CursorId, Db, Extent, TextId};
use crate::result_columns::ResultColumns;

/// A compiled statement.
#[derive(Debug, Default)]
pub struct Program {
    /// The code. Execution starts at 0.
    pub insns: Vec<Insn>,
    /// How many registers a frame has.
    pub register_count: u32,
    /// How many parameters the statement has (the largest number).
    pub parameter_count: u32,
    /// The info of each cursor.
    pub cursors: Vec<CursorInfo>,
    /// Constants too large for an instruction.
    pub(crate) constants: Constants,
    /// Messages and names.
    pub texts: Vec<Arc<str>>,
    /// Collations other than BINARY: see [`Program::collation`].
    pub collations: Vec<Collation>,
    /// Lists of affinities.
    pub affinities: Vec<Arc<[Affinity]>>,
    /// Function calls.
    pub calls: Vec<FunctionCall>,
    /// Aggregate calls.
    pub aggregates: Vec<AggregateCall>,
    /// The ones among them whose rows are removed again (AggInverse).
    pub inverted_aggregates: Box<[AggregateId]>,
    /// Trigger and foreign-key action programs. A program without any uses the table of the outermost program, so that
    /// a trigger can name itself.
    pub subprograms: Vec<Arc<Subprogram>>,
    /// The plans for scans of virtual tables.
    pub scans: Box<[CompiledScan]>,
    /// The columns that are read of the rows of table-valued functions, by bits.
    function_columns: Vec<(CursorId, u64)>,
    /// The schema cookie of each database that `Transaction` checks: (database, cookie, the catalog's generation).
    pub schema_cookies: Vec<SchemaCheck>,
    /// Result columns.
    pub columns: ResultColumns,
    /// The program changes no database (sqlite3_stmt_readonly).
    pub is_read_only: bool,
    /// The rows that it changes count for changes() (INSERT, UPDATE, DELETE).
    pub counts_changes: bool,
    /// EXPLAIN QUERY PLAN's rows: (id, parent, text).
    pub query_plan: Box<[QueryPlanRow]>,
    /// The parts of the query plan that are measured; `None` if the program is not.
    pub measured: Option<Box<[MeasuredPart]>>,
    /// Identifiers in double quotes that match no name, and were taken for strings.
    pub quoted_strings: QuotedStrings,
    /// Bit n: the plan depends on the value of parameter n + 1; the last bit is that of all further parameters.
    pub planned_parameters: u32,
    /// Literals in the place of the parameters might give another plan, whatever the values are.
    pub has_compared_parameters: bool,
    /// The plan depends on sizes of tables that are measured, not counted by ANALYZE.
    pub uses_sizes: bool,
}

/// Strings of a statement that are in double quotes, without the quotes.
pub type QuotedStrings = Box<[Box<[u8]>]>;

/// One line of EXPLAIN QUERY PLAN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryPlanRow {
    /// Number of the line's node.
    pub id: i32,
    /// The parent node, 0 for the root.
    pub parent: i32,
    /// The estimated cost of a loop, as a logarithm; 0 on other lines. (The column that SQLite names "notused".)
    pub cost: i32,
    /// The text, in SQLite's words.
    pub detail: String,
}

/// A part of a query plan that is measured (sqlite3_stmt_scanstatus): a loop, a tree that rows are put into, or a query.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredPart {
    /// The number of its line in the query plan. Parts with the same number are one, whose code stands in several places.
    pub line: i32,
    /// The table or index that it reads; `None` for the rows of a query, and for what is no loop.
    pub name: Option<String>,
    /// The number of rows that the planner estimates for each run.
    pub estimated_rows: f64,
    /// The address of an instruction that is executed once for each run, if these are counted.
    pub run: Option<Addr>,
    /// The address of an instruction that is executed once for each row, if these are counted.
    pub row: Option<Addr>,
    /// The instructions that it costs.
    pub code: MeasuredCode,
}

impl MeasuredPart {
    /// The addresses in it, which are labels until the program is finished.
    pub(crate) fn places(&mut self) -> impl Iterator<Item = &mut Addr> {
        let code = match &mut self.code {
            MeasuredCode::Cursors(_) => [None, None],
            MeasuredCode::Between(first, end) => [Some(first), Some(end)],
        };
        [self.run.as_mut(), self.row.as_mut()].into_iter().chain(code).flatten()
    }
}

/// The instructions of a part of a query plan.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasuredCode {
    /// Those that use one of these cursors.
    Cursors(Vec<CursorId>),
    /// Those from the first address on, before the second.
    Between(Addr, Addr),
}

/// The static description of one cursor.
#[derive(Clone, Debug)]
pub struct CursorInfo {
    /// What the cursor runs over.
    pub kind: CursorKind,
    /// Database of a table or index.
    pub db: Db,
    /// Root page of a table or index that exists at compile time.
    pub root: Option<PageNo>,
    /// Key description of indexes, sorters, temporary indexes, hash tables and CompareVectors.
    pub key: Option<Arc<KeyInfo>>,
    /// Number of columns that a row has.
    pub column_count: u16,
    /// The table that rows belong to (for hooks, constraint texts and STRICT checks).
    pub table: Option<Arc<TableMetadata>>,
}

/// What a running program needs to know about a table.
#[derive(Debug, Default)]
pub struct TableMetadata {
    /// The table's name.
    pub name: String,
    /// The name of its database.
    pub database: String,
    /// Values of columns that old, short records lack (ALTER TABLE ADD COLUMN), by column number in the record.
    pub defaults: Vec<Value>,
    /// For STRICT tables: each column's name and type name ("INT", "TEXT", "ANY" …).
    pub strict_types: Option<Vec<(String, String)>>,
    /// The record column that is the rowid alias, if any.
    pub rowid_column: Option<u16>,
    /// The table is WITHOUT ROWID.
    pub without_rowid: bool,
    /// The positions of VIRTUAL generated columns among the table's columns, for the pre-update hook.
    pub computed: Box<[u16]>,
    /// The positions of columns with REAL affinity, for the pre-update hook.
    pub reals: Box<[u16]>,
    /// The position of each column of a record among the table's columns, for the pre-update hook; none if both have the same columns.
    pub stored: Box<[u16]>,
}

/// What a cursor runs over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CursorKind {
    /// A table B-tree (rowid → record).
    Table,
    /// An index B-tree, also a WITHOUT ROWID table.
    Index,
    /// A temporary table (rowid → record), e.g. a materialised subquery; rows come in insertion order.
    EphemeralTable,
    /// A temporary index: entries in key order.
    EphemeralIndex,
    /// A set of keys whose order does not matter (DISTINCT, IN, UNION): a hash set may serve. Rewind/Next are not used on it.
    EphemeralSet,
    /// A sorter.
    Sorter,
    /// A hash table for an equi-join.
    Hash,
    /// The groups of a GROUP BY.
    Groups,
    /// A virtual table.
    Virtual,
    /// No cursor: carries only a KeyInfo (CompareVectors).
    KeyOnly,
}

/// A function with what is fixed about one call of it.
#[derive(Clone, Debug)]
pub struct FunctionCall {
    /// The function.
    pub function: Arc<Function>,
    /// How many arguments are passed.
    pub argument_count: u16,
    /// The collation that applies (min, max, nullif, comparisons in functions).
    pub collation: Collation,
    /// Bit i set: argument i is constant, so its auxiliary data may be kept between calls.
    pub constant_arguments: u32,
    /// Bit i set: argument i is a parameter, perhaps under CAST, COLLATE or `+`.
    pub bound_arguments: u32,
    /// The context of the call, if its result must be deterministic: "an index", "a CHECK constraint", "a generated
    /// column".
    pub must_be_pure: Option<&'static str>,
}

impl FunctionCall {
    /// What the function reads of its only argument; `None`: all of it, or there are other arguments.
    pub(crate) fn extent(&self) -> Option<Extent> {
        let flags = self.function.flags();
        match () {
            () if self.argument_count != 1 => None,
            () if flags.contains(Flags::READS_TYPE) => Some(Extent::Type),
            () if flags.contains(Flags::READS_LENGTH) => Some(Extent::Length),
            () if flags.contains(Flags::READS_SIZE) => Some(Extent::Size),
            () => None,
        }
    }
}

/// An aggregate call.
#[derive(Clone, Debug)]
pub struct AggregateCall {
    /// The function.
    pub function: Arc<Function>,
    /// How many arguments are passed.
    pub argument_count: u16,
    /// The collation that applies (min, max).
    pub collation: Collation,
}

/// A trigger's or foreign-key action's program.
#[derive(Debug)]
pub struct Subprogram {
    /// The code, with registers and cursors of its own.
    pub program: Program,
    /// Identity of the trigger: a trigger does not fire itself unless recursive_triggers is on.
    pub token: u64,
    /// The trigger's name, for EXPLAIN and tracing.
    pub name: String,
}

impl Program {
    /// Drops everything that the program refers to. Its lists keep their memory, for another program.
    pub(crate) fn clear(&mut self) {
        self.insns.clear();
        self.cursors.clear();
        self.constants.clear();
        self.texts.clear();
        self.collations.clear();
        self.affinities.clear();
        self.calls.clear();
        self.aggregates.clear();
        self.subprograms.clear();
        self.schema_cookies.clear();
        self.inverted_aggregates = Box::default();
        self.scans = Box::default();
        self.function_columns.clear();
        self.query_plan = Box::default();
        self.quoted_strings = Box::default();
        self.measured = None;
        self.columns = ResultColumns::default();
    }

    /// The collation of this number.
    #[inline]
    pub fn collation(&self, id: CollationId) -> &Collation {
        match id.0.checked_sub(1) {
            None => &Collation::Binary,
            Some(at) => &self.collations[usize::from(at)],
        }
    }

    /// Finds for each scan of a virtual table, and for the rows of each function, which columns the program reads.
    pub fn find_columns_read(&mut self) {
        const LAST: u16 = u64::BITS as u16 - 1;
        let read_of = |scanned: CursorId| {
            let read = self.insns.iter().filter_map(|insn| match *insn {
                Insn::VColumn { cursor, column, .. } if cursor == scanned => Some(1 << column.min(LAST)),
                _ => None,
            });
            read.fold(0, |all, one: u64| all | one)
        };
        for insn in &self.insns {
            match *insn {
                Insn::VFilter { cursor, scan, .. } => self.scans[usize::from(scan.0)].columns_read = read_of(cursor),
                Insn::FunctionRows { cursor, .. } => self.function_columns.push((cursor, read_of(cursor))),
                _ => {}
            }
        }
    }

    /// The columns that the program reads of the rows of a function.
    pub(crate) fn columns_read_of(&self, function: CursorId) -> u64 {
        let found = self.function_columns.iter().find(|(cursor, _)| *cursor == function);
        found.map_or(u64::MAX, |(_, columns)| *columns)
    }

    /// Whether the virtual tables that it scans, itself or in its triggers, would plan the scans the same way again.
    pub fn is_reusable(&self) -> bool {
        self.scans.iter().all(|scan| scan.is_reusable) && self.subprograms.iter().all(|sub| sub.program.is_reusable())
    }

    /// The info of `cursor`.
    pub fn cursor(&self, cursor: CursorId) -> &CursorInfo {
        &self.cursors[usize::from(cursor.0)]
    }

    /// The key description of a cursor that has one.
    #[inline]
    pub fn key(&self, cursor: CursorId) -> &KeyInfo {
        self.cursor(cursor).key.as_deref().expect("the instruction's cursor has a key")
    }

    /// Whether rows are removed from an aggregate (AggInverse).
    pub(crate) fn takes_rows_back(&self, aggregate: AggregateId) -> bool {
        self.inverted_aggregates.contains(&aggregate)
    }

    /// A text, unless it is [`TextId::NONE`].
    pub fn text(&self, text: TextId) -> Option<&str> {
        self.texts.get(text.0 as usize).map(|text| &**text)
    }
}

#[cfg(test)]
mod tests {
    use lithe_vtab::{ScanId, ScanPlan};

    use super::*;
    use crate::builder::ProgramBuilder;

    #[test]
    fn scans_are_told_which_columns_are_read() {
        let mut b = ProgramBuilder::new();
        let (start, dst, target) = (b.register(), b.register(), Addr::NONE);
        let (cursor, other) = (CursorId(0), CursorId(1));
        b.emit(Insn::VFilter { cursor, scan: ScanId(0), start, target });
        b.emit(Insn::VFilter { cursor: other, scan: ScanId(1), start, target });
        for (cursor, column) in [(cursor, 2), (cursor, 70), (cursor, 2), (other, 5)] {
            b.emit(Insn::VColumn { flags: 0, cursor, column, dst });
        }
        let mut program = b.finish();
        let scan = CompiledScan { plan: ScanPlan::default(), arguments: 0, is_reusable: true, columns_read: u64::MAX };
        program.scans = [scan.clone(), scan].into();
        program.find_columns_read();
        assert_eq!(program.scans[0].columns_read, 1 << 2 | 1 << 63);
        assert_eq!(program.scans[1].columns_read, 1 << 5);
    }
}
