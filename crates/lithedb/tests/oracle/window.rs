//! Random window functions. If rows are equal in the window's order, only results that do not depend on their order are compared;
//! the module `frames` compares all of them.

use fastrand::Rng;

use crate::expr;
use crate::from::{Sources, sources};
use crate::query::{filter, total_order};
use crate::schema::{Schema, one_in, pick};

/// A SELECT with window functions.
pub fn select(rng: &mut Rng, schema: &Schema) -> String {
    let sources = sources(rng, schema, 2);
    let mut windows = Vec::new();
    let columns: Vec<String> = (0..rng.usize(1..4)).map(|_| call(rng, &sources, &mut windows)).collect();
    let filter = filter(rng, schema, &sources);
    let named: Vec<String> = windows.iter().enumerate().map(|(at, window)| format!("w{at} AS ({window})")).collect();
    let clause = if named.is_empty() { String::new() } else { format!(" WINDOW {}", named.join(", ")) };
    let shown = expr::deterministic(rng, &sources.columns, 1);
    format!("SELECT {shown}, {}{}{filter}{clause}", columns.join(", "), sources.from)
}

fn call(rng: &mut Rng, sources: &Sources, windows: &mut Vec<String>) -> String {
    let partition = if rng.bool() {
        let keys: Vec<String> = (0..rng.usize(1..3)).map(|_| pick(rng, &sources.columns).clone()).collect();
        format!("PARTITION BY {} ", keys.join(", "))
    } else {
        String::new()
    };
    let column = pick(rng, &sources.columns).clone();
    let is_total = rng.bool();
    let order = if is_total {
        total_order(&sources.columns)
    } else {
        format!("{column}{}{}", pick(rng, &["", " DESC"]), pick(rng, &["", " NULLS FIRST", " NULLS LAST"]))
    };
    let frame = frame(rng, is_total);
    let window = format!("{partition}ORDER BY {order}{frame}");
    let function = if is_total { in_total_order(rng, sources) } else { among_peers(rng, sources) };
    let may_filter = !["row", "rank", "dense", "perc", "cume", "ntile", "lag", "lead", "first", "last", "nth"]
        .iter()
        .any(|name| function.starts_with(name));
    let filter = if may_filter && one_in(rng, 6) {
        format!(" FILTER (WHERE {})", expr::simple_condition(rng, &sources.columns))
    } else {
        String::new()
    };
    if one_in(rng, 5) {
        windows.push(window);
        return format!("{function}{filter} OVER w{}", windows.len() - 1);
    }
    // A named window that extends another named window.
    if one_in(rng, 8) {
        windows.push(format!("{partition}ORDER BY {order}"));
        windows.push(format!("w{}{frame}", windows.len() - 1));
        return format!("{function}{filter} OVER w{}", windows.len() - 1);
    }
    // A window that extends a named one.
    if one_in(rng, 8) {
        windows.push(format!("{partition}ORDER BY {order}"));
        return format!("{function}{filter} OVER (w{}{frame})", windows.len() - 1);
    }
    format!("{function}{filter} OVER ({window})")
}

/// A function whose result may depend on the order of rows.
fn in_total_order(rng: &mut Rng, sources: &Sources) -> String {
    let value = format!("quote({})", pick(rng, &sources.columns));
    match rng.u32(0..9) {
        0 => "row_number()".to_owned(),
        1 => format!("ntile({})", rng.i32(1..5)),
        2 => format!("lag({value})"),
        3 => format!("lead({value}, {}, 'none')", rng.i32(0..4)),
        4 => format!("first_value({value})"),
        5 => format!("last_value({value})"),
        6 => format!("nth_value({value}, {})", rng.i32(1..4)),
        7 => format!("group_concat({value})"),
        _ => format!("string_agg({value}, ';')"),
    }
}

/// A function whose result does not depend on the order of equal rows.
fn among_peers(rng: &mut Rng, sources: &Sources) -> String {
    let column = pick(rng, &sources.columns);
    match rng.u32(0..10) {
        0 => "rank()".to_owned(),
        1 => "dense_rank()".to_owned(),
        2 => "percent_rank()".to_owned(),
        3 => "cume_dist()".to_owned(),
        4 => "count(*)".to_owned(),
        5 => format!("count({column})"),
        6 => format!("sum(length({column}))"),
        7 => format!("avg(length({column}))"),
        8 => format!("min(hex({column}))"),
        _ => format!("max(length({column}))"),
    }
}

fn frame(rng: &mut Rng, is_total: bool) -> String {
    if rng.bool() {
        return String::new();
    }
    let unit = if is_total { *pick(rng, &["ROWS", "GROUPS", "RANGE"]) } else { *pick(rng, &["GROUPS", "RANGE"]) };
    // A RANGE with a number needs a single term in ORDER BY.
    let has_numbers = unit != "RANGE" || !is_total;
    let exclude =
        pick(rng, &["", "", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES", " EXCLUDE NO OTHERS"]);
    // Which of several equal rows is the current one is undetermined.
    let exclude = if is_total || !exclude.contains("ROW") && !exclude.contains("TIES") { exclude } else { &"" };
    let bound = |rng: &mut Rng, unbounded: &str| {
        let number = if unit == "RANGE" {
            pick(rng, &["0", "1", "2", "1.5", "100", "0.3", "'1'", "' 2.5 '", "1e308"])
        } else {
            pick(rng, &["0", "1", "2", "3"])
        };
        match rng.u32(0..6) {
            0 => format!("UNBOUNDED {unbounded}"),
            1..4 if has_numbers => format!("{number} {}", pick(rng, &["PRECEDING", "FOLLOWING"])),
            4 if has_numbers => format!("{number} PRECEDING"),
            _ => "CURRENT ROW".to_owned(),
        }
    };
    // A frame with only a start, and one whose end precedes its start: an error, or empty.
    if one_in(rng, 5) {
        return format!(" {unit} {}{exclude}", bound(rng, "PRECEDING"));
    }
    format!(" {unit} BETWEEN {} AND {}{exclude}", bound(rng, "PRECEDING"), bound(rng, "FOLLOWING"))
}
