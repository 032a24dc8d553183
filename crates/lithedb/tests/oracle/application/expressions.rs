//! Expressions and conditions over the columns of a join.

use super::World;
use super::tables::{Kind, Source, TABLES, all_keys};

/// A column in an expression.
pub struct Column {
    pub text: String,
    name: &'static str,
    pub kind: Kind,
}

const NUMBERS: &[Kind] = &[Kind::Integer, Kind::Real];

impl World {
    /// A column of one of these kinds; of any kind if the list is empty or no column has one of them.
    pub fn column(&mut self, sources: &[Source], kinds: &[Kind]) -> Column {
        let of_source = |source: &Source| -> Vec<Column> {
            let text = |name| format!("{}.{name}", source.alias);
            source.table.columns.iter().map(|&(name, kind)| Column { text: text(name), name, kind }).collect()
        };
        let mut all: Vec<Column> = sources.iter().flat_map(of_source).collect();
        if all.iter().any(|column| kinds.contains(&column.kind)) {
            all.retain(|column| kinds.contains(&column.kind));
        }
        let at = self.rng.usize(0..all.len());
        all.swap_remove(at)
    }

    pub fn any(&mut self, sources: &[Source]) -> String {
        self.column(sources, &[]).text
    }

    pub fn text(&mut self, sources: &[Source]) -> String {
        self.column(sources, &[Kind::Text]).text
    }

    pub fn number(&mut self, sources: &[Source]) -> String {
        self.column(sources, NUMBERS).text
    }

    pub fn integer(&mut self, sources: &[Source]) -> String {
        self.column(sources, &[Kind::Integer]).text
    }

    /// An expression whose equal values are identical.
    pub fn settled(&mut self, sources: &[Source]) -> String {
        let column = self.column(sources, &[]);
        let text = &column.text;
        match column.kind {
            Kind::Integer | Kind::Flag if self.rng.bool() => column.text,
            Kind::Integer | Kind::Real | Kind::Flag if self.chance(30) => format!("CAST({text} AS TEXT)"),
            Kind::Integer | Kind::Real | Kind::Flag => format!("round({text}, 1)"),
            Kind::Text if column.name == "note" => format!("CAST({text} AS TEXT) COLLATE BINARY"),
            Kind::Text if self.rng.bool() => format!("{text} COLLATE BINARY"),
            Kind::Text => self.of_text(sources, text),
            Kind::Date => self.of_date(text),
            Kind::Json => self.of_json(text),
        }
    }

    /// An expression; with `depth`, it may have a correlated subquery.
    pub fn expression(&mut self, sources: &[Source], depth: u32) -> String {
        let column = self.column(sources, &[]);
        if self.chance(30) {
            return column.text;
        }
        match column.kind {
            Kind::Date => self.of_date(&column.text),
            Kind::Json => self.of_json(&column.text),
            Kind::Text => self.of_text(sources, &column.text),
            _ if depth > 0 && self.chance(12) => format!("({})", self.scalar_subquery(sources)),
            _ => self.of_number(sources),
        }
    }

    fn of_date(&mut self, c: &str) -> String {
        match self.rng.u32(0..10) {
            0 => format!("date({c})"),
            1 => format!("strftime('%Y-%m', {c})"),
            2 => {
                let formats = ["%H:%M", "%w", "%j", "%W", "%s", "%f", "%Y", "%d/%m", "%G-%V", "%I%p", "%e", "%u"];
                format!("strftime('{}', {c})", self.one(&formats))
            }
            3 => {
                let modifiers = ["start of month", "+1 month", "-7 days", "weekday 0", "start of year', '+5 months"];
                format!("date({c}, '{}')", self.one(&modifiers))
            }
            4 => format!("datetime({c}, '+90 minutes')"),
            5 => self.one(&["time(#)", "unixepoch(#)", "julianday(#) - julianday('2020-01-01')"]).replace('#', c),
            6 => format!("substr({c}, 1, 7)"),
            7 => format!("timediff({c}, '2020-02-29')"),
            8 => format!("CAST(strftime('%Y', {c}) AS INTEGER)"),
            _ => format!("coalesce({c}, '') || ''"),
        }
    }

    fn of_json(&mut self, c: &str) -> String {
        let paths = ["$.color", "$.size", "$.dims[1]", "$.nested.k.v", "$[0].sku", "$.price", "$"];
        let value = match self.rng.u32(0..5) {
            0 => format!("json_extract({c}, '{}')", self.one(&paths)),
            1 => format!("{c} ->> '{}'", self.one(&["color", "size", "dims"])),
            2 => format!("json_type({c})"),
            3 => format!("json_array_length({c})"),
            _ => format!("json_set({c}, '$.n', 1)"),
        };
        format!("CASE WHEN json_valid({c}) THEN {value} END")
    }

    fn of_text(&mut self, sources: &[Source], c: &str) -> String {
        match self.rng.u32(0..14) {
            0 => self.one(&["upper(#)", "lower(#)", "length(#)", "unicode(#)", "quote(#)", "hex(#)"]).replace('#', c),
            1 => format!("substr({c}, 1, {})", 1 + self.below(3)),
            2 => self.one(&["trim(#)", "rtrim(#)", "substr(#, -3, 2)", "format('%s', #)"]).replace('#', c),
            3 => format!("replace({c}, 'a', '-')"),
            4 => format!("{c} || ' ' || 1"),
            5 => format!("{c} || ' ' || coalesce({}, '')", self.text(sources)),
            6 => format!("instr({c}, 'a')"),
            7 => format!("coalesce(nullif({c}, ''), '-')"),
            8 => {
                let (real, integer) = (self.column(sources, &[Kind::Real]).text, self.integer(sources));
                format!("printf('%-8s|%5.1f|%03d', {c}, {real}, {integer})")
            }
            9 => format!("{c} LIKE 'a%'"),
            10 => format!("ifnull({c}, 'none')"),
            11 => format!("concat_ws('/', {c}, {})", self.any(sources)),
            12 => format!("iif({c} = 'paid', 'P', {c} || '')"),
            _ => format!("CASE {c} WHEN 'paid' THEN 'P' WHEN 'Ann' THEN 'A' END"),
        }
    }

    fn of_number(&mut self, sources: &[Source]) -> String {
        let x = self.number(sources);
        match self.rng.u32(0..16) {
            0 => format!("round({x} * 1.19, {})", self.below(3)),
            1 => format!("{x} * 2"),
            2 => format!("{x} + {}", self.number(sources)),
            3 => format!("coalesce({x}, 0)"),
            4 => format!("CASE WHEN {x} > {} THEN 'hi' WHEN {x} > 5 THEN 'mid' ELSE 'lo' END", self.below(60)),
            5 => format!("CASE {x} WHEN 1 THEN 'one' WHEN '2' THEN 'two' END"),
            6 => format!("CAST({x} AS {})", self.one(&["INT", "TEXT", "REAL"])),
            7 => format!("abs({x} - 50)"),
            8 => format!("{x} % 7"),
            9 => format!("{x} / {}", 1 + self.below(3)),
            10 => format!("iif({x} IS NULL, 'n', {x})"),
            11 => format!("max({x}, {})", self.number(sources)),
            12 => format!("min({x}, 10)"),
            13 => format!("-{x}"),
            14 => format!("{x} BETWEEN 5 AND 50"),
            _ => format!("typeof({x})"),
        }
    }

    /// A scalar subquery: over the rows that refer to a row of the sources, or over a whole table.
    pub fn scalar_subquery(&mut self, sources: &[Source]) -> String {
        let (parent, children) = self.parent_and_children(sources);
        if children.is_empty() {
            let table = &TABLES[self.rng.usize(0..TABLES.len())];
            let column = table.columns[self.rng.usize(0..table.columns.len())].0;
            return format!("SELECT {} FROM {}", self.one(&["count(*)", &format!("count({column})")]), table.name);
        }
        let (table, column) = children[self.rng.usize(0..children.len())];
        let child = [self.source(table)];
        let (value, keys) = (self.any(&child), all_keys(&child));
        let filter = if self.chance(30) { format!(" AND {}", self.condition(&child, 0)) } else { String::new() };
        let (shown, end) = match self.rng.u32(0..8) {
            0 => ("count(*)".to_owned(), String::new()),
            1 => (format!("max({})", self.settled(&child)), String::new()),
            2 => (format!("min({})", self.settled(&child)), String::new()),
            3 => (format!("{}({})", self.one(&["sum", "avg", "total"]), self.integer(&child)), String::new()),
            4 => (format!("count(DISTINCT {value})"), String::new()),
            5 => (format!("group_concat({value} ORDER BY {keys})"), String::new()),
            6 => ("count(*)".to_owned(), format!(" ORDER BY {value} DESC LIMIT 1")),
            _ => {
                let direction = self.one(&["", " DESC"]);
                (value, format!(" ORDER BY {}{direction}, {keys} LIMIT 1", self.any(&child)))
            }
        };
        let alias = &child[0].alias;
        format!("SELECT {shown} FROM {} {alias} WHERE {alias}.{column} = {parent}.id{filter}{end}", table.name)
    }

    /// A source, and the tables that refer to it.
    fn parent_and_children(
        &mut self,
        sources: &[Source],
    ) -> (String, Vec<(&'static super::tables::Table, &'static str)>) {
        let source = &sources[self.rng.usize(0..sources.len())];
        (source.alias.clone(), source.table.children())
    }

    /// A condition; with `depth`, it may combine several ones, and have subqueries.
    pub fn condition(&mut self, sources: &[Source], depth: u32) -> String {
        if depth > 0 {
            match self.rng.u32(0..100) {
                0..30 => {
                    let operator = self.one(&["AND", "OR", "OR"]);
                    let (left, right) = (self.condition(sources, depth - 1), self.condition(sources, depth - 1));
                    return format!("({left} {operator} {right})");
                }
                30..36 => return format!("NOT {}", self.condition(sources, 0)),
                36..48 => return self.condition_with_subquery(sources),
                _ => {}
            }
        }
        let column = self.column(sources, &[]);
        match column.kind {
            Kind::Date => self.on_date(&column.text),
            Kind::Json => self.on_json(&column.text),
            Kind::Text => self.on_text(sources, &column.text),
            Kind::Flag => {
                let tests = ["#", "NOT #", "# = 1", "# IS TRUE", "# IS NOT FALSE", "# = true"];
                self.one(&tests).replace('#', &column.text)
            }
            Kind::Integer | Kind::Real => self.on_number(sources, &column),
        }
    }

    fn condition_with_subquery(&mut self, sources: &[Source]) -> String {
        let (parent, children) = self.parent_and_children(sources);
        let not = self.one(&["", "NOT "]);
        if children.is_empty() || self.chance(30) {
            return format!("({}) {} {}", self.scalar_subquery(sources), self.one(&[">", "=", "<"]), self.below(5));
        }
        let (table, column) = children[self.rng.usize(0..children.len())];
        let child = [self.source(table)];
        let alias = &child[0].alias;
        let filter = self.condition(&child, 0);
        let name = table.name;
        match self.rng.u32(0..5) {
            0 => format!("{not}EXISTS (SELECT 1 FROM {name} {alias} WHERE {alias}.{column} = {parent}.id)"),
            1 => {
                format!("{not}EXISTS (SELECT 1 FROM {name} {alias} WHERE {alias}.{column} = {parent}.id AND {filter})")
            }
            2 => format!("{parent}.id {not}IN (SELECT {column} FROM {name})"),
            3 => format!("{parent}.id {not}IN (SELECT {column} FROM {name} WHERE {column} IS NOT NULL)"),
            _ => format!("{parent}.id {not}IN (SELECT {alias}.{column} FROM {name} {alias} WHERE {filter})"),
        }
    }

    fn on_date(&mut self, c: &str) -> String {
        match self.rng.u32(0..7) {
            0 => format!("{c} >= '{}'", self.one(&["2020-06-01", "2021-01-01", "2020"])),
            1 => format!("{c} BETWEEN '2020-01-01' AND '2021-12-31'"),
            2 => format!("date({c}) = {}", self.date()),
            3 => format!("{c} IS {}NULL", self.one(&["", "NOT "])),
            4 => format!("strftime('%Y', {c}) = '{}'", self.one(&["2020", "2021"])),
            5 => format!("{c} < date('2024-01-15', '-1 year')"),
            _ => format!("{c} LIKE '2020%'"),
        }
    }

    fn on_json(&mut self, c: &str) -> String {
        match self.rng.u32(0..4) {
            0 => format!("{c} IS NOT NULL"),
            1 => format!("json_valid({c})"),
            2 => format!("{c} LIKE '%red%'"),
            _ => {
                let test = self.one(&["'$.color') = 'red'", "'$.size') = 2", "'$.size') > 1", "'$.color') = 'blue'"]);
                format!("CASE WHEN json_valid({c}) THEN json_extract({c}, {test} END")
            }
        }
    }

    fn on_text(&mut self, sources: &[Source], c: &str) -> String {
        match self.rng.u32(0..12) {
            0 => format!("{c} = {}", self.value(Kind::Text)),
            1 => format!("{c} LIKE '{}'", self.one(&["a%", "%o%", "_nn", "S-01%", "%", "b_%"])),
            2 => format!("{c} IN ('Berlin', 'new', 'buy', 'ann', 'sale')"),
            3 => format!("{c} <> {}", self.one(&["'paid'", "'view'"])),
            4 => format!("{c} IS NULL"),
            5 => format!("{c} COLLATE NOCASE = 'ANN'"),
            6 => format!("lower({c}) = {}", self.one(&["'ann'", "'berlin'"])),
            7 => format!("{c} >= 'b' AND {c} < 's'"),
            8 => format!("{c} GLOB '[A-D]*'"),
            9 => format!("length({c}) > 3"),
            10 => format!("{c} {}IN ('shipped', 'paid')", self.one(&["", "NOT "])),
            _ => format!("{c} > {}", self.text(sources)),
        }
    }

    fn on_number(&mut self, sources: &[Source], column: &Column) -> String {
        let c = &column.text;
        match self.rng.u32(0..12) {
            0 => format!("{c} = {}", 1 + self.below(self.size)),
            1 => format!("{c} > {}", self.below(60)),
            2 => format!("{c} BETWEEN {} AND {}", self.below(20), 20 + self.below(50)),
            3 => format!("{c} IN ({}, {}, {})", self.below(9), self.below(30), self.below(30)),
            4 => format!("{c} IS {}NULL", self.one(&["", "NOT "])),
            5 => format!("{c} <= {}", self.number(sources)),
            6 => format!("{c} % 3 = {}", self.below(3)),
            7 => {
                let alias = c.split('.').next().unwrap_or_default();
                let table =
                    sources.iter().find(|source| source.alias == alias).map_or("tag", |source| source.table.name);
                let column = if table == "tag" { "id" } else { column.name };
                format!("{c} = (SELECT {}({column}) FROM {table})", self.one(&["max", "min"]))
            }
            8 => {
                let (other, value) = (self.any(sources), self.one(&["'b'", "5"]));
                format!("({c}, {other}) {} ({}, {value})", self.one(&[">", "<", "=", ">="]), self.below(30))
            }
            9 => format!("{c} = '{}'", self.below(30)),
            10 => format!("+{c} < 10"),
            _ => format!("{c} <> 3"),
        }
    }
}
