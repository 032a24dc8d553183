//! The planner's request to a virtual table, and the table's plan.

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
    /// The smallest number for [`super::Overloaded::op`].
    pub const FUNCTION: u8 = 150;
}

/// The planner's request to a virtual table, and the table's plan.
#[derive(Debug, Default)]
pub struct IndexInfo {
    /// The constraints.
    pub constraints: Vec<IndexConstraint>,
    /// The required order of the rows.
    pub order_by: Vec<IndexOrder>,
    /// The columns that are read, one bit each; the highest bit is set if any column from the 64th on is read.
    pub columns_used: u64,
    /// The purpose of the order.
    pub order_use: OrderUse,
    /// How the table uses each constraint: one entry per constraint.
    pub usage: Vec<Usage>,
    /// The plan that [`VirtualCursor::filter`] receives.
    pub plan: ScanPlan,
    /// Whether the rows are returned in the required order.
    pub order_by_consumed: bool,
    /// The cost of the scan; 1 is about that of reading one row.
    pub estimated_cost: f64,
    /// The estimated number of rows.
    pub estimated_rows: i64,
    /// Whether the scan returns at most one row.
    pub finds_one_row: bool,
    /// Whether EXPLAIN QUERY PLAN shows the number of the plan in hexadecimal.
    pub shows_hex: bool,
}

impl IndexInfo {
    /// A request that the table has not filled in yet.
    pub fn new(constraints: Vec<IndexConstraint>) -> IndexInfo {
        const COST_UNKNOWN: f64 = 5e98;
        let usage = vec![Usage::default(); constraints.len()];
        IndexInfo { constraints, usage, estimated_cost: COST_UNKNOWN, estimated_rows: 25, ..IndexInfo::default() }
    }

    /// Passes the right side of the constraint at `at` as this argument of `filter`, counted from 1. With `omit`, the engine need
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
    /// The kind of the constraint, from [`constraint`].
    pub op: u8,
    /// Whether the constraint is usable: its right side is known before the scan begins.
    pub usable: bool,
    /// The collation for comparisons of texts.
    pub collation: String,
    /// The right side, if its value is known at compile time.
    pub value: Option<Value>,
    /// Whether the constraint is an IN.
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

/// The purpose of the order of the rows, with the numbers of `sqlite3_vtab_distinct`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OrderUse {
    /// ORDER BY: exactly this order.
    #[default]
    Sorted = 0,
    /// GROUP BY: rows that are equal in these columns are adjacent.
    Grouped = 1,
    /// DISTINCT: as `Grouped`, and duplicates may be omitted.
    Distinct = 2,
    /// DISTINCT and ORDER BY: exactly this order, and duplicates may be omitted.
    DistinctSorted = 3,
}

/// How the table uses a constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The right side is this argument of [`VirtualCursor::filter`], counted from 1; 0: it is not an argument.
    pub argument: u32,
    /// The scan enforces the constraint, so that the engine need not check it again.
    pub omit: bool,
    /// For an IN: all values are passed together, as one argument. (Possible if [`IndexConstraint::is_in`] is set.)
    pub all_at_once: bool,
}

/// A scan of a virtual table in a compiled statement: its index in the statement's list of scans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScanId(pub u16);

/// How a compiled statement scans a virtual table.
#[derive(Clone, Debug)]
pub struct CompiledScan {
    /// The plan that the table has chosen.
    pub plan: ScanPlan,
    /// The number of arguments of the scan.
    pub arguments: u16,
    /// Whether the table would choose the same plan again, so that the program can be reused for other statements with the same
    /// text.
    pub is_reusable: bool,
    /// See [`crate::Scan::columns_read`].
    pub columns_read: u64,
}

/// The table's instructions for a scan, which only the table interprets.
#[derive(Clone, Debug, Default)]
pub struct ScanPlan {
    /// A number.
    pub number: i32,
    /// A text.
    pub text: Option<Arc<str>>,
    /// Any other value.
    pub extra: Option<Arc<dyn Any + Send + Sync>>,
}
