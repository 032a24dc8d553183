//! What the planner asks a virtual table, and what the table answers.

use std::any::Any;
use std::sync::Arc;

use lithe_value::Value;

/// The kinds of constraints, by the numbers of `SQLITE_INDEX_CONSTRAINT_*`.
#[allow(missing_docs)] // the names say it
pub mod constraint {
    pub const EQ: u8 = 2;
    pub const GT: u8 = 4;
    pub const LE: u8 = 8;
    pub const LT: u8 = 16;
    pub const GE: u8 = 32;
    pub const MATCH: u8 = 64;
    pub const LIKE: u8 = 65;
    pub const GLOB: u8 = 66;
    pub const REGEXP: u8 = 67;
    pub const NE: u8 = 68;
    pub const ISNOT: u8 = 69;
    pub const ISNOTNULL: u8 = 70;
    pub const ISNULL: u8 = 71;
    pub const IS: u8 = 72;
    pub const LIMIT: u8 = 73;
    pub const OFFSET: u8 = 74;
    /// The first number that [`super::Overloaded::op`] may be.
    pub const FUNCTION: u8 = 150;
}

/// What the planner asks a virtual table, and what the table answers.
#[derive(Debug, Default)]
pub struct IndexInfo {
    /// The constraints.
    pub constraints: Vec<IndexConstraint>,
    /// The order in which the rows are wanted.
    pub order_by: Vec<IndexOrder>,
    /// The columns that are read, one bit each; the highest stands for all from the 64th on.
    pub columns_used: u64,
    /// How the order is wanted.
    pub order_use: OrderUse,
    /// What becomes of each constraint: as many as there are constraints.
    pub usage: Vec<Usage>,
    /// What [`VirtualCursor::filter`] gets.
    pub plan: ScanPlan,
    /// The rows come in the order that is wanted.
    pub order_by_consumed: bool,
    /// What the scan costs; 1 is about reading one row.
    pub estimated_cost: f64,
    /// How many rows it finds.
    pub estimated_rows: i64,
    /// It finds at most one row.
    pub finds_one_row: bool,
    /// EXPLAIN QUERY PLAN shows the number in hexadecimal.
    pub shows_hex: bool,
}

impl IndexInfo {
    /// A question without an answer yet.
    pub fn new(constraints: Vec<IndexConstraint>) -> IndexInfo {
        const NOBODY_KNOWS: f64 = 5e98;
        let usage = vec![Usage::default(); constraints.len()];
        IndexInfo { constraints, usage, estimated_cost: NOBODY_KNOWS, estimated_rows: 25, ..IndexInfo::default() }
    }

    /// Makes the right side of the constraint at `at` this argument of `filter`, counted from 1. With `omit`, the engine need
    /// not check the constraint again.
    pub fn pass(&mut self, at: usize, argument: u32, omit: bool) {
        if let Some(usage) = self.usage.get_mut(at) {
            (usage.argument, usage.omit) = (argument, omit);
        }
    }
}

/// A constraint.
#[derive(Clone, Debug)]
pub struct IndexConstraint {
    /// The column; -1 is the rowid.
    pub column: i32,
    /// Which constraint: one of [`constraint`].
    pub op: u8,
    /// Whether it can be used: its right side is known before the scan begins.
    pub usable: bool,
    /// The collation that texts are compared with.
    pub collation: String,
    /// The right side, if it is known while the statement is compiled.
    pub value: Option<Value>,
    /// It is an IN.
    pub is_in: bool,
}

/// A column by which the rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexOrder {
    /// The column; -1 is the rowid.
    pub column: i32,
    /// DESC.
    pub descending: bool,
}

/// How the rows' order is wanted, by the numbers of `sqlite3_vtab_distinct`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrderUse {
    /// ORDER BY: just this order.
    #[default]
    Sorted = 0,
    /// GROUP BY: rows that are equal in these columns stand together.
    Grouped = 1,
    /// DISTINCT: the same, and of equal rows all but one may be left out.
    Distinct = 2,
    /// DISTINCT and ORDER BY: just this order, and of equal rows all but one may be left out.
    DistinctSorted = 3,
}

/// What becomes of a constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Its value is this argument of [`VirtualCursor::filter`], counted from 1; 0: it is none.
    pub argument: u32,
    /// The scan makes it true, so that it need not be checked again.
    pub omit: bool,
    /// Of an IN: all values are wanted at once, as one argument. ([`IndexConstraint::is_in`] says where that can be.)
    pub all_at_once: bool,
}

/// A scan of a virtual table in a compiled statement: its place in the statement's list of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScanId(pub u16);

/// How a compiled statement scans a virtual table.
#[derive(Clone, Debug)]
pub struct CompiledScan {
    /// What the table has said about the scan.
    pub plan: ScanPlan,
    /// How many arguments the scan gets.
    pub arguments: u16,
    /// The table would answer the same again: the program serves other statements of the same text.
    pub stands: bool,
}

/// What a scan is told about how it is to be made: the table's own words.
#[derive(Clone, Debug, Default)]
pub struct ScanPlan {
    /// A number.
    pub number: i32,
    /// A text.
    pub text: Option<Arc<str>>,
    /// Something else.
    pub extra: Option<Arc<dyn Any + Send + Sync>>,
}
