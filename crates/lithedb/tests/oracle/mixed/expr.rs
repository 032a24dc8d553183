//! Expressions over the columns of a scope, with subqueries; aggregates and windows.

use super::World;

const TEXTS: [&str; 11] = ["'a'", "'b'", "'abc'", "'B'", "'Abc'", "''", "'10'", "'2'", "'zz'", "'5.0'", "' 7'"];
const REALS: [&str; 6] = ["1.5", "-0.5", "2.0", "1e3", "0.1", "3.25"];
const BLOBS: [&str; 4] = ["x'61'", "x''", "x'00ff'", "x'616263'"];
const LARGE: [&str; 9] = [
    "9223372036854775807",
    "-9223372036854775808",
    "4294967296",
    "0x10",
    "1_000",
    // Integers that reals cannot represent exactly.
    "9007199254740993",
    "9007199254740992.0",
    "9200000000000000001",
    "9.2e18",
];
const JSON: [&str; 4] = ["'{\"a\":1,\"b\":[1,2,3]}'", "'[1,2,\"x\"]'", "'2024-03-04'", "'2024-03-07'"];
const COMPARISONS: [&str; 11] =
    ["=", "<", ">", "<=", ">=", "<>", "IS", "IS NOT", "==", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"];
const OF_ONE: [&str; 16] = [
    "abs",
    "length",
    "typeof",
    "upper",
    "lower",
    "hex",
    "quote",
    "trim",
    "sign",
    "unicode",
    "ltrim",
    "json_valid",
    "json_type",
    "json_quote",
    "date",
    "jsonb",
];
const OF_TWO: [&str; 12] =
    ["nullif", "ifnull", "max", "min", "instr", "substr", "round", "json_array", "concat", "glob", "like", "coalesce"];
const AGGREGATES: [&str; 8] = ["count", "sum", "avg", "min", "max", "total", "group_concat", "json_group_array"];
const FRAMES: [&str; 7] = [
    "BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "2 PRECEDING",
    "BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
    "BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "BETWEEN 2 PRECEDING AND 1 PRECEDING",
];
const RANGES: [&str; 2] =
    ["BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", "BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"];
const EXCLUDED: [&str; 5] = ["", "", " EXCLUDE CURRENT ROW", " EXCLUDE TIES", " EXCLUDE GROUP"];

impl World {
    pub fn literal(&mut self) -> String {
        match self.rng.u32(0..14) {
            0..5 => self.rng.i32(-3..12).to_string(),
            5..7 => self.one(&TEXTS).to_owned(),
            7 => "NULL".to_owned(),
            8 => self.one(&REALS).to_owned(),
            9 => self.one(&BLOBS).to_owned(),
            10 => self.one(&["true", "false"]).to_owned(),
            11 => self.one(&LARGE).to_owned(),
            12 => self.one(&JSON).to_owned(),
            _ => self.one(&["3", "'b'", "NULL"]).to_owned(),
        }
    }

    /// A column of the scope, or a literal if the scope is empty.
    pub fn column(&mut self, scope: &[String]) -> String {
        if scope.is_empty() { self.literal() } else { scope[self.rng.usize(0..scope.len())].clone() }
    }

    pub fn expr(&mut self, scope: &[String], depth: u32) -> String {
        if depth == 0 || self.chance(30) {
            return if self.chance(75) { self.column(scope) } else { self.literal() };
        }
        match self.rng.u32(0..26) {
            0..9 => self.operator(scope, depth),
            9..15 => self.condition_of_values(scope, depth),
            15..22 => self.call(scope, depth),
            22..26 if depth >= 2 => self.subquery(scope, depth),
            _ => format!("({} {} {})", self.expr(scope, depth - 1), self.one(&["+", "-", "*"]), self.literal()),
        }
    }

    fn operator(&mut self, scope: &[String], depth: u32) -> String {
        let below = depth - 1;
        let (first, second) = (self.expr(scope, below), self.expr(scope, below));
        match self.rng.u32(0..9) {
            0..3 => {
                let operator = self.one(&["+", "-", "*", "||", "%", "/", "&", "|", "<<", ">>"]);
                format!("({first} {operator} {second})")
            }
            3..6 => format!("({} {} {second})", self.column(scope), self.one(&COMPARISONS)),
            6 => format!("({first} {} {second})", self.one(&["AND", "OR"])),
            7 => format!("(NOT {first})"),
            _ => format!("(-{first})"),
        }
    }

    fn condition_of_values(&mut self, scope: &[String], depth: u32) -> String {
        let below = depth - 1;
        let (first, second) = (self.expr(scope, below), self.expr(scope, below));
        let (column, not) = (self.column(scope), self.one(&["", "", "NOT "]));
        match self.rng.u32(0..8) {
            0 => format!("({column} {not}BETWEEN {first} AND {second})"),
            1 => {
                let members: Vec<String> = (0..self.rng.usize(0..5)).map(|_| self.literal()).collect();
                format!("({column} {not}IN ({}))", members.join(", "))
            }
            2 => format!("({first} {not}LIKE {})", self.one(&["'a%'", "'%b%'", "'_'", "'abc'"])),
            3 => format!("({first} {not}GLOB {})", self.one(&["'a*'", "'A*'", "'?'", "'abc'"])),
            4 => {
                let test = self.one(&["ISNULL", "NOTNULL", "IS TRUE", "IS NOT FALSE", "IS NOT TRUE"]);
                format!("({first} {test})")
            }
            5 => {
                let (operator, third) = (self.one(&["=", "<", ">=", "IS"]), self.expr(scope, below));
                format!("(({column}, {first}) {operator} ({second}, {third}))")
            }
            6 => format!("CASE WHEN {first} THEN {second} ELSE {} END", self.expr(scope, below)),
            _ => {
                let (other, last) = (self.literal(), self.expr(scope, below));
                format!("CASE {column} WHEN {first} THEN {second} WHEN {other} THEN {last} END")
            }
        }
    }

    fn call(&mut self, scope: &[String], depth: u32) -> String {
        let below = depth - 1;
        let (first, second) = (self.expr(scope, below), self.expr(scope, below));
        match self.rng.u32(0..10) {
            0..3 => format!("{}({first})", self.one(&OF_ONE)),
            3..6 => format!("{}({first}, {second})", self.one(&OF_TWO)),
            6 => format!("({first} COLLATE {})", self.one(&["NOCASE", "BINARY", "RTRIM"])),
            7 => format!("CAST({first} AS {})", self.one(&["TEXT", "INTEGER", "REAL", "BLOB", "NUMERIC"])),
            8 => format!("printf({}, {first})", self.one(&["'%s'", "'%d'", "'%5.2f'", "'%x'", "'%Q'"])),
            _ => match self.rng.u32(0..7) {
                0 => format!("json_extract({first}, '$.a')"),
                1 => format!("({first} -> '$.b')"),
                2 => format!("({first} ->> 'a')"),
                3 => format!("json_object('k', {first})"),
                4 => format!("json_set({first}, '$.z', {second})"),
                5 => format!("json_insert('[1]', '$[#]', {first})"),
                _ => format!("strftime('%Y', {first})"),
            },
        }
    }

    fn subquery(&mut self, scope: &[String], depth: u32) -> String {
        let below = depth - 2;
        match self.rng.u32(0..4) {
            0 => format!("({})", self.scalar_query(scope, below)),
            1 => {
                let columns = self.rng.usize(1..3);
                format!("{}EXISTS ({})", self.one(&["", "NOT "]), self.query(scope, below, columns))
            }
            2 => {
                let (column, not) = (self.column(scope), self.one(&["", "NOT "]));
                format!("({column} {not}IN ({}))", self.query(scope, below, 1))
            }
            _ => {
                let (first, second) = (self.expr(scope, depth - 1), self.expr(scope, depth - 1));
                let operator = self.one(&["=", "<", ">=", "IS", "IN"]);
                let query = self.query(scope, below, 2);
                // The + prevents the use of an index: beside a NULL, SQLite looks at the first row alone of one whose first column is DESC.
                let query = match query.strip_prefix("SELECT ") {
                    Some(rest) if operator == "IN" && !rest.starts_with("DISTINCT") => format!("SELECT +{rest}"),
                    _ => query,
                };
                format!("(({first}, {second}) {operator} ({query}))")
            }
        }
    }

    pub fn aggregate(&mut self, scope: &[String], depth: u32) -> String {
        let value = self.expr(scope, depth);
        if !self.is_open {
            return self.decided_aggregate(scope, &value);
        }
        let call = match self.rng.u32(0..11) {
            0 => "count(*)".to_owned(),
            1 => {
                let order = if self.chance(40) { format!(" ORDER BY {}", self.expr(scope, 1)) } else { String::new() };
                format!("string_agg({value}, '-'{order})")
            }
            2 => format!("json_group_object(coalesce({value}, 'n'), {})", self.expr(scope, 1)),
            _ => {
                let distinct = if self.chance(15) { "DISTINCT " } else { "" };
                let order = match self.chance(15) {
                    true => format!(" ORDER BY {}{}", self.expr(scope, 1), self.one(&["", " DESC"])),
                    false => String::new(),
                };
                format!("{}({distinct}{value}{order})", self.one(&AGGREGATES))
            }
        };
        if self.chance(15) { format!("{call} FILTER (WHERE {})", self.expr(scope, 1)) } else { call }
    }

    /// An aggregate whose result does not depend on the order of its rows. sum() and avg() of reals are rounded row by row, so their
    /// arguments are integers.
    fn decided_aggregate(&mut self, scope: &[String], value: &str) -> String {
        let distinct = if self.chance(15) { "DISTINCT " } else { "" };
        let call = match self.rng.u32(0..8) {
            0 => "count(*)".to_owned(),
            1 => format!("count({distinct}{value})"),
            2 => format!("{}({distinct}CAST({value} AS INTEGER) % 1000)", self.one(&["sum", "avg", "total"])),
            3 => format!("group_concat(quote({value}), '-' ORDER BY quote({value}))"),
            4 => format!("json_group_array(quote({value}) ORDER BY quote({value}) DESC)"),
            _ => format!("{}(quote({value}) COLLATE BINARY)", self.one(&["min", "max"])),
        };
        if self.chance(15) { format!("{call} FILTER (WHERE {})", self.expr(scope, 1)) } else { call }
    }

    /// A window with a determined order of rows, or whose result does not depend on it.
    fn decided_window(&mut self, scope: &[String]) -> String {
        let (value, key) = (self.expr(scope, 1), self.expr(scope, 1));
        let function = match self.rng.u32(0..6) {
            0 => "count(*)".to_owned(),
            1 => "rank()".to_owned(),
            2 => "dense_rank()".to_owned(),
            3 => format!("count({value})"),
            4 => format!("sum(CAST({value} AS INTEGER) % 1000)"),
            _ => format!("{}(quote({value}))", self.one(&["min", "max"])),
        };
        let partition = if self.chance(50) { format!("PARTITION BY {key} ") } else { String::new() };
        let frame = match self.rng.u32(0..4) {
            0 => format!(" GROUPS {}{}", self.one(&FRAMES), self.one(&["", " EXCLUDE GROUP"])),
            1 => format!(" RANGE {}", self.one(&RANGES)),
            _ => String::new(),
        };
        let direction = self.one(&["", " DESC", " NULLS LAST", " DESC NULLS FIRST"]);
        format!("{function} OVER ({partition}ORDER BY {}{direction}{frame})", self.expr(scope, 1))
    }

    pub fn window(&mut self, scope: &[String]) -> String {
        if !self.is_open {
            return self.decided_window(scope);
        }
        let value = self.expr(scope, 1);
        let function = match self.rng.u32(0..18) {
            0..5 => self.one(&["row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()"]).to_owned(),
            5 => format!("ntile({})", self.rng.u32(1..4)),
            6 => format!("lag({value}, {}, {})", self.rng.u32(0..3), self.literal()),
            7 => format!("nth_value({value}, 2)"),
            8..11 => format!("{}({value})", self.one(&["lead", "first_value", "last_value"])),
            _ => {
                let call = self.one(&["sum", "count", "max", "min", "group_concat", "avg", "total"]);
                let filter =
                    if self.chance(20) { format!(" FILTER (WHERE {})", self.expr(scope, 1)) } else { String::new() };
                format!("{call}({value}){filter}")
            }
        };
        let partition = if self.chance(50) { format!("PARTITION BY {} ", self.expr(scope, 1)) } else { String::new() };
        if !self.chance(75) {
            return format!("{function} OVER ({partition})");
        }
        let direction = self.one(&["", " DESC", " NULLS LAST", " DESC NULLS FIRST"]);
        let second = if self.chance(40) { format!(", {}", self.expr(scope, 1)) } else { String::new() };
        let frame = match self.rng.u32(0..6) {
            0..3 => {
                let (kind, frame) = (self.one(&["ROWS", "GROUPS"]), self.one(&FRAMES));
                format!(" {kind} {frame}{}", self.one(&EXCLUDED))
            }
            3 => format!(" RANGE {}", self.one(&RANGES)),
            _ => String::new(),
        };
        format!("{function} OVER ({partition}ORDER BY {}{direction}{second}{frame})", self.expr(scope, 1))
    }
}
