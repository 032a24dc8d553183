//! The plan of a scan: the constraints that the index serves, and the order of the rows.
//!
//! ```text
//!   number   32 in the order of rank   64 in the order of rowids   128 downwards
//!   text     one item for each argument, in order:
//!            M<column> MATCH (the number of columns: the table)   L<column> G<column> LIKE, GLOB
//!            r rank MATCH   = < > rowid
//! ```

use std::fmt::Write;

use lithe_vtab::{IndexInfo, Usage, constraint};

use crate::tokenizer::Patterns;

/// The bits of a plan's number.
pub mod flag {
    /// Rows come in the order of `rank`.
    pub const BY_RANK: i32 = 32;
    /// Rows come in the order of their rowids.
    pub const BY_ROWID: i32 = 64;
    /// Downwards.
    pub const DESCENDING: i32 = 128;
}

/// The meaning of one argument of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// MATCH, on a column or (None) on the table.
    Match(Option<usize>),
    /// LIKE on a column.
    Like(usize),
    /// GLOB on a column.
    Glob(usize),
    /// `rank MATCH`.
    Rank,
    /// The rowid.
    RowidIs,
    /// The rowid is at most this.
    RowidAtMost,
    /// The rowid is at least this.
    RowidAtLeast,
}

/// The items of a plan's text.
pub fn items(text: &str, columns: usize) -> Vec<Item> {
    let mut items = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
        let number = rest.get(1..1 + digits).and_then(|number| number.parse::<usize>().ok()).unwrap_or(0);
        items.push(match letter {
            'M' => Item::Match((number < columns).then_some(number)),
            'L' => Item::Like(number),
            'G' => Item::Glob(number),
            'r' => Item::Rank,
            '=' => Item::RowidIs,
            '<' => Item::RowidAtMost,
            _ => Item::RowidAtLeast,
        });
        rest = rest.get(1 + digits..).unwrap_or_default();
    }
    items
}

/// The plan that the constraints of a scan result in.
#[derive(Default)]
struct Planner {
    text: String,
    arguments: u32,
    matches: i32,
    has_rank: bool,
    has_rowid: bool,
}

impl Planner {
    fn use_it(&mut self, usage: &mut Usage, omit: bool) {
        self.arguments += 1;
        *usage = Usage { argument: self.arguments, omit, all_at_once: false };
    }
}

/// Plans a scan under these constraints; false: no scan can serve them.
pub fn plan(info: &mut IndexInfo, columns: usize, patterns: Patterns) -> bool {
    let (table, rank) = (columns as i32, columns as i32 + 1);
    let mut planner = Planner::default();
    for (asked, usage) in info.constraints.iter().zip(&mut info.usage) {
        let is_match = asked.op == constraint::MATCH || asked.op == constraint::EQ && asked.column >= table;
        if is_match {
            if !asked.usable || asked.column < 0 {
                return false;
            }
            if asked.column == rank {
                if !planner.has_rank {
                    planner.has_rank = true;
                    planner.text.push('r');
                    planner.use_it(usage, true);
                }
            } else {
                let _ = write!(planner.text, "M{}", asked.column);
                planner.matches += 1;
                planner.use_it(usage, true);
            }
        } else if asked.usable && asked.op == constraint::EQ && asked.column < 0 && !planner.has_rowid {
            planner.has_rowid = true;
            planner.text.push('=');
            planner.use_it(usage, true);
        } else if asked.usable
            && (0..table).contains(&asked.column)
            && let Some(letter) = pattern_letter(asked.op, patterns)
        {
            let _ = write!(planner.text, "{letter}{}", asked.column);
            planner.matches += 1;
            planner.use_it(usage, false);
        }
    }
    let (mut has_upper, mut has_lower) = (false, false);
    if !planner.has_rowid {
        for (asked, usage) in info.constraints.iter().zip(&mut info.usage) {
            if asked.column >= 0 || !asked.usable {
                continue;
            }
            let (seen, letter) = match asked.op {
                constraint::LT | constraint::LE => (&mut has_upper, '<'),
                constraint::GT | constraint::GE => (&mut has_lower, '>'),
                _ => continue,
            };
            if !std::mem::replace(seen, true) {
                planner.text.push(letter);
                planner.use_it(usage, false);
            }
        }
    }
    take_order(info, &planner, rank);
    take_cost(info, &planner, has_upper, has_lower);
    info.plan.text = Some(planner.text.into());
    true
}

fn pattern_letter(op: u8, patterns: Patterns) -> Option<char> {
    match (op, patterns) {
        (constraint::LIKE, Patterns::LikeAndGlob) => Some('L'),
        (constraint::GLOB, Patterns::Glob | Patterns::LikeAndGlob) => Some('G'),
        _ => None,
    }
}

fn take_order(info: &mut IndexInfo, planner: &Planner, rank: i32) {
    info.plan.number = 0;
    let [order] = info.order_by.as_slice() else { return };
    info.plan.number = if order.column == rank && planner.matches > 0 {
        flag::BY_RANK
    } else if order.column == -1 {
        flag::BY_ROWID
    } else {
        return;
    };
    info.order_by_consumed = true;
    if order.descending {
        info.plan.number |= flag::DESCENDING;
    }
}

/// The estimates, which decide the order of joins. They are SQLite's, as its plans and its scan status show them: a scan reads 750,000
/// rows, a MATCH finds 1,250, each further one half as many.
fn take_cost(info: &mut IndexInfo, planner: &Planner, has_upper: bool, has_lower: bool) {
    let has_match = planner.matches > 0;
    // Two bounds make a MATCH no cheaper.
    let reduced = match (has_upper, has_lower) {
        (true, true) if has_match => 1.0,
        (true, true) => 0.25,
        (false, false) => 1.0,
        _ => 0.75,
    };
    let (cost, rows) = match (planner.has_rowid, has_match) {
        (true, false) => (25.0, 1.0),
        (true, true) => (25_000.0, 1.0),
        (false, false) => (reduced * 3_000_000.0, reduced * 750_000.0),
        (false, true) => {
            let further = planner.matches - 1;
            (reduced * 50_000.0 * 2.5_f64.powi(further), reduced * 1250.0 * 0.5_f64.powi(further))
        }
    };
    info.estimated_cost = cost;
    info.estimated_rows = (rows as i64).max(1);
    info.finds_one_row = planner.has_rowid && !has_match;
}
