//! The plan of a scan: the constraints that it uses, and the order of its rows.
//!
//! The number of a plan is SQLite's, since EXPLAIN QUERY PLAN shows it:
//!
//! ```text
//!   0 all rows   1 docid =   2 + column: MATCH (2 + the number of columns: on the table)
//!   + 65536 language =   + 131072 docid >=   + 262144 docid <=
//! ```
//!
//! The arguments come in this order: the text of the MATCH or the docid, the language, the lower bound, the upper bound.

use lithe_vtab::{IndexInfo, Usage, constraint};

/// All rows.
pub const SCAN: i32 = 0;
/// One row, by its docid.
pub const BY_DOCID: i32 = 1;
/// MATCH on the first column; the next numbers are for the other columns.
pub const MATCH: i32 = 2;
/// The plan has a language.
pub const HAS_LANGUAGE: i32 = 0x1_0000;
/// The plan has a lower bound.
pub const HAS_LOWER: i32 = 0x2_0000;
/// The plan has an upper bound.
pub const HAS_UPPER: i32 = 0x4_0000;

/// The cost of an unusable MATCH: any other plan is better.
const UNUSABLE_COST: f64 = 1e50;
const UNUSABLE_ROWS: i64 = 1 << 50;
const SCAN_COST: f64 = 5_000_000.0;
const DOCID_COST: f64 = 1.0;
const MATCH_COST: f64 = 2.0;

/// Chooses the plan under these constraints.
pub fn plan(info: &mut IndexInfo, columns: usize) {
    let (table, docid, language) = (columns as i32, columns as i32 + 1, columns as i32 + 2);
    info.plan.number = SCAN;
    info.estimated_cost = SCAN_COST;
    let (mut main, mut language_at, mut lower, mut upper) = (None, None, None, None);
    for (at, asked) in info.constraints.iter().enumerate() {
        if !asked.usable {
            if asked.op == constraint::MATCH {
                // A plan without the MATCH constraint cannot be run.
                info.plan.number = SCAN;
                info.estimated_cost = UNUSABLE_COST;
                info.estimated_rows = UNUSABLE_ROWS;
                return;
            }
            continue;
        }
        let is_docid = asked.column < 0 || asked.column == docid;
        if main.is_none() && asked.op == constraint::EQ && is_docid {
            info.plan.number = BY_DOCID;
            info.estimated_cost = DOCID_COST;
            main = Some(at);
        }
        // MATCH is preferred to every other constraint.
        if asked.op == constraint::MATCH && (0..=table).contains(&asked.column) {
            info.plan.number = MATCH + asked.column;
            info.estimated_cost = MATCH_COST;
            main = Some(at);
        }
        if asked.op == constraint::EQ && asked.column == language {
            language_at = Some(at);
        }
        if is_docid {
            match asked.op {
                constraint::GE | constraint::GT => lower = Some(at),
                constraint::LE | constraint::LT => upper = Some(at),
                _ => {}
            }
        }
    }
    if info.plan.number == BY_DOCID {
        info.finds_one_row = true;
    }
    let mut argument = 0;
    let mut take = |at: Option<usize>, omit: bool, flag: i32| {
        let Some(usage) = at.and_then(|at| info.usage.get_mut(at)) else { return 0 };
        argument += 1;
        *usage = Usage { argument, omit, all_at_once: false };
        flag
    };
    let mut flags = take(main, true, 0);
    flags |= take(language_at, false, HAS_LANGUAGE);
    flags |= take(lower, false, HAS_LOWER);
    flags |= take(upper, false, HAS_UPPER);
    info.plan.number |= flags;
    take_order(info, docid);
}

fn take_order(info: &mut IndexInfo, docid: i32) {
    let [order] = info.order_by.as_slice() else { return };
    if order.column < 0 || order.column == docid {
        info.plan.text = Some(if order.descending { "DESC" } else { "ASC" }.into());
        info.order_by_consumed = true;
    }
}
