//! Random JSON: functions, operators, aggregates, `json_each` and `json_tree`.

use fastrand::Rng;

use crate::expr::{deterministic, literal};
use crate::query::total_order;
use crate::schema::{Schema, one_in, pick};

const TEXTS: [&str; 16] = [
    r#"{"a":1,"b":[1,2.5,null,true],"c":{"d":"x","e":[]}}"#,
    r#"[1,"2",3.0,[4,[5]],{"k":5,"k":6}]"#,
    r#"{"a b":"\u00e4\n","":0,"a":{"a":{"a":-0.0}}}"#,
    r#"["a\"b","\\","\/","\u0041"]"#,
    r#"[]"#,
    r#"{}"#,
    r#"null"#,
    r#""text""#,
    r#"12"#,
    r#"-1.5e3"#,
    r#" [ 1 , 2 ] "#,
    r#"[9223372036854775807,9223372036854775808,1e400,1E5]"#,
    r#"[false,true,null,"null"]"#,
    r#"{"b":[{"a":1},{"a":2},{"a":[3]}]}"#,
    r#"[[1,2],[3,4],[]]"#,
    r#"{"x":"[1,2]","y":"{}"}"#,
];
/// JSON5, and texts that are not JSON.
const ODD_TEXTS: [&str; 14] = [
    "{a:1,b:[0x1F,.5,+3,]}",
    "{'a':'x'}",
    "[Infinity,-Infinity,NaN]",
    "/* c */ [1] // d",
    "{\"a\":",
    "[1,2",
    "nul",
    "",
    "01",
    "{\"a\" 1}",
    "[1,,2]",
    "'a'",
    "\"\\x41\\'\\v\"",
    "[1]x",
];
const PATHS: [&str; 20] = [
    "$",
    "$.a",
    "$.b",
    "$.b[0]",
    "$.b[#-1]",
    "$.b[#]",
    "$.c.d",
    "$[1]",
    "$[0]",
    "$[#-2]",
    "$[3][1][0]",
    "$.x",
    "$.\"a b\"",
    "$.a.a.a",
    "$[4].k",
    "$.b[1].a",
    "$.b[9]",
    "$[#]",
    "$.\"\"",
    "$.c.e[0]",
];
const ODD_PATHS: [&str; 8] = ["a", "$[", "$.", "$.b[x]", "$.b[#-]", "", "$a", "$[#-99]"];

/// Fragments inserted into JSON texts, which often make the texts invalid.
const FRAGMENTS: [&str; 36] = [
    "{", "}", "[", "]", ",", ":", "\"", "'", "\\", "/", "*", "+", "-", ".", "0", "9", "e", "x", "true", "nan",
    "Infinity", "-inf", "//", "/*", "*/", "\n", "\u{a0}", "\u{2028}", "\\u0041", "\\x41", "\\\n", "0x1", "1.", "$",
    "ä", "\u{1}",
];

/// A generator beside the world's: its use does not change the later statements.
fn aside(rng: &Rng) -> Rng {
    Rng::with_seed(rng.clone().u64(..))
}

/// JSON5, a text with a few errors, or a text that is not JSON.
fn odd_text(rng: &mut Rng) -> String {
    let mut side = aside(rng);
    let text = quoted(pick(rng, &ODD_TEXTS));
    if one_in(&mut side, 3) { text } else { mutated(&mut side) }
}

/// A text with a fragment added, removed or cut off: most prefixes and single errors of JSON and JSON5.
fn mutated(rng: &mut Rng) -> String {
    let text = if rng.bool() { pick(rng, &TEXTS) } else { pick(rng, &ODD_TEXTS) };
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(0..=characters.len());
        let fragment = pick(rng, &FRAGMENTS).chars();
        match rng.u32(0..5) {
            0 => characters.truncate(at),
            1 if at < characters.len() => drop(characters.remove(at)),
            2 if at < characters.len() => drop(characters.splice(at..=at, fragment)),
            _ => drop(characters.splice(at..at, fragment)),
        }
    }
    quoted(characters.into_iter().collect::<String>())
}

fn quoted(text: impl AsRef<str>) -> String {
    format!("'{}'", text.as_ref().replace('\'', "''"))
}

/// Whether texts and paths may be invalid. Only where a single expression is the whole statement, because otherwise rows, constraints and
/// other values determine which error comes first.
#[derive(Clone, Copy, PartialEq)]
enum Odd {
    Never,
    AtTimes,
}

/// A JSON text.
fn text(rng: &mut Rng, columns: &[String], depth: u32, odd: Odd) -> String {
    match rng.u32(0..12) {
        0..2 if odd == Odd::AtTimes => odd_text(rng),
        2..4 if !columns.is_empty() => {
            let column = pick(rng, columns);
            format!("CASE WHEN json_valid({column}) THEN {column} END")
        }
        4 if depth > 1 => json_value(rng, columns, depth - 1, odd),
        5 => format!("jsonb({})", quoted(pick(rng, &TEXTS))),
        _ => quoted(pick(rng, &TEXTS)),
    }
}

fn path(rng: &mut Rng, odd: Odd) -> String {
    if odd == Odd::AtTimes && one_in(rng, 8) { quoted(pick(rng, &ODD_PATHS)) } else { quoted(pick(rng, &PATHS)) }
}

/// A value to insert into JSON: not a BLOB, which JSON does not have.
fn member(rng: &mut Rng, columns: &[String], depth: u32, odd: Odd) -> String {
    match rng.u32(0..5) {
        0 if depth > 1 => json_value(rng, columns, depth - 1, odd),
        1 => quoted(pick(rng, &TEXTS)),
        2 => {
            let value = deterministic(rng, columns, depth.saturating_sub(1));
            format!("CASE typeof({value}) WHEN 'blob' THEN hex({value}) ELSE {value} END")
        }
        _ => match literal(rng) {
            blob if blob.starts_with('x') => "NULL".to_owned(),
            other => other,
        },
    }
}

/// A JSON text that is marked as JSON.
fn json_value(rng: &mut Rng, columns: &[String], depth: u32, odd: Odd) -> String {
    let json = text(rng, columns, depth, odd);
    match rng.u32(0..11) {
        0 => format!("json({json})"),
        1 => format!("json_array({}, {})", member(rng, columns, depth, odd), member(rng, columns, depth, odd)),
        2 => format!(
            "json_object({}, {}, 'z', {})",
            quoted(pick(rng, &["a", "b", "a b", ""])),
            member(rng, columns, depth, odd),
            member(rng, columns, depth, odd)
        ),
        3..7 => {
            let function = pick(rng, &["json_insert", "json_replace", "json_set", "json_array_insert"]);
            // Only elements of an array can be shifted.
            let path = if *function == "json_array_insert" {
                quoted(pick(rng, &["$[0]", "$[1]", "$.b[0]", "$[#]", "$.b[#-1]", "$.x[0]"]))
            } else {
                path(rng, odd)
            };
            format!("{function}({json}, {path}, {})", member(rng, columns, depth, odd))
        }
        7 => format!("json_remove({json}, {}, {})", path(rng, odd), path(rng, odd)),
        8 => format!("json_patch({json}, {})", text(rng, columns, depth, odd)),
        9 => format!("json_pretty({json})"),
        _ => format!("({json} -> {})", path(rng, odd)),
    }
}

/// A call or an operator that does not fail.
pub fn call(rng: &mut Rng, columns: &[String], depth: u32) -> String {
    any_call(rng, columns, depth, Odd::Never)
}

/// A call or an operator on constants, which may fail.
pub fn lone_call(rng: &mut Rng) -> String {
    any_call(rng, &[], 3, Odd::AtTimes)
}

fn any_call(rng: &mut Rng, columns: &[String], depth: u32, odd: Odd) -> String {
    let json = text(rng, columns, depth, odd);
    match rng.u32(0..15) {
        0..4 => json_value(rng, columns, depth, odd),
        4 => format!("hex(jsonb({json}))"),
        5 => format!("json_extract({json}, {})", path(rng, odd)),
        6 => format!("json_extract({json}, {}, {})", path(rng, odd), path(rng, odd)),
        7 => format!("({json} ->> {})", path(rng, odd)),
        8 => {
            let step = *pick(rng, &["'a'", "'b'", "0", "1", "-1", "'a b'", "'$.b'", "99", "NULL"]);
            format!("({json} {} {step})", pick(rng, &["->", "->>"]))
        }
        9 => format!("json_type({json}, {})", path(rng, odd)),
        10 => format!("json_array_length({json}, {})", path(rng, odd)),
        11 => format!("json_quote({})", member(rng, columns, depth, odd)),
        12 => {
            let any = if one_in(rng, 2) { odd_text(rng) } else { json };
            format!("json_valid({any}, {})", pick(rng, &["1", "2", "4", "5", "6", "8", "9"]))
        }
        13 => format!("json_error_position({})", quoted(pick(rng, &ODD_TEXTS))),
        _ => {
            let function = pick(rng, &["insert", "set", "replace"]);
            format!("json(jsonb_{function}({json}, {}, {}))", path(rng, odd), member(rng, columns, depth, odd))
        }
    }
}

/// An aggregate whose value does not depend on the order of rows.
pub fn aggregate(rng: &mut Rng, columns: &[String]) -> String {
    let column = pick(rng, columns).clone();
    let order = total_order(std::slice::from_ref(&column));
    let value = format!("quote({column})");
    match rng.u32(0..4) {
        0 => format!("json_group_array({value} ORDER BY {order})"),
        1 => format!("json_group_object({value}, length({column}) ORDER BY {order})"),
        2 => format!("json_group_array(json_array({value}) ORDER BY {order})"),
        _ => format!("hex(jsonb_group_array({value} ORDER BY {order}))"),
    }
}

/// The columns that are read of a table-valued function.
const SHOWN: [&str; 8] = ["key", "value", "type", "atom", "id", "parent", "fullkey", "path"];

/// A source of FROM, and its columns.
pub fn source(rng: &mut Rng) -> (String, Vec<&'static str>) {
    let function = pick(rng, &["json_each", "json_tree"]);
    let mut side = aside(rng);
    let root = Some(pick(rng, &PATHS)).filter(|path| if path.contains('#') { side.bool() } else { rng.bool() });
    let root = root.map_or(String::new(), |path| format!(", {}", quoted(path)));
    let call = format!("{function}({}{root})", quoted(pick(rng, &TEXTS)));
    (format!("(SELECT {} FROM {call})", SHOWN.join(", ")), SHOWN.to_vec())
}

/// A table joined with the members of its JSON values.
pub fn lateral(rng: &mut Rng, schema: &Schema) -> String {
    let Some(table) = schema.any_source(rng) else { return "SELECT 1".to_owned() };
    let column = pick(rng, &table.columns);
    let function = pick(rng, &["json_each", "json_tree"]);
    let json = match rng.u32(0..3) {
        0 => format!("CASE WHEN json_valid(s.{column}) THEN s.{column} END"),
        1 => format!("json_array(quote(s.{column}), 2, json({}))", quoted(pick(rng, &TEXTS))),
        _ => format!("json_object('k', hex(s.{column}), 'l', {})", rng.i32(0..9)),
    };
    let join = pick(rng, &[", ", " JOIN ", " CROSS JOIN ", " LEFT JOIN "]);
    let filter = match rng.u32(0..4) {
        0 => format!(" WHERE j.type = '{}'", pick(rng, &["integer", "text", "array", "null"])),
        1 => " WHERE j.atom IS NOT NULL".to_owned(),
        2 => format!(" WHERE j.key = {}", pick(rng, &["0", "1", "'k'", "'a'"])),
        _ => String::new(),
    };
    let (first, second) = (pick(rng, &SHOWN), pick(rng, &SHOWN));
    if one_in(rng, 6) {
        // The argument as a condition on the hidden column, of several values.
        let text = quoted(pick(rng, &TEXTS));
        let condition = match rng.u32(0..4) {
            0 => format!("j.json IN ({json}, {text})"),
            1 => format!("j.json = {json} OR j.json = {text}"),
            2 => format!("(j.json = {json} AND j.type <> 'null') OR (j.json = {text} AND j.root = '$.a')"),
            _ => format!("j.json = {json} AND j.root IN ('$', '$.k')"),
        };
        let join = pick(rng, &[" JOIN ", " LEFT JOIN "]);
        // SQLite takes a row of the second branch for one of the first if both have the same rowid, also where the first does not meet IS NOT
        // NULL, and so loses it.
        let filter = if condition.contains(" OR ") { filter.replace(" WHERE j.atom IS NOT NULL", "") } else { filter };
        return format!(
            "SELECT quote(s.{column}), j.{first}, j.fullkey FROM {} AS s{join}{function} AS j ON {condition}{filter}",
            table.name
        );
    }
    if one_in(rng, 4) {
        return format!(
            "SELECT count(*), count(j.{first}) FROM {} AS s{join}{function}({json}) AS j{filter}",
            table.name
        );
    }
    format!(
        "SELECT quote(s.{column}), j.{first}, j.{second}, j.fullkey FROM {} AS s{join}{function}({json}) AS j{filter}",
        table.name
    )
}
