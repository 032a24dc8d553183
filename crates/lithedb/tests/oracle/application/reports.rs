//! Reports: groups, totals and windows.

use super::tables::{Kind, Source, all_keys};
use super::{Query, World};

impl World {
    /// An aggregate whose value does not depend on the order of rows.
    fn aggregate(&mut self, sources: &[Source]) -> String {
        let (keys, integer, number) = (all_keys(sources), self.integer(sources), self.number(sources));
        let text = self.text(sources);
        let filter =
            if self.chance(20) { format!(" FILTER (WHERE {})", self.condition(sources, 0)) } else { String::new() };
        let aggregate = match self.rng.u32(0..18) {
            0 | 1 => "count(*)".to_owned(),
            2 => format!("count({})", self.expression(sources, 0)),
            3 => format!("count(DISTINCT {})", self.expression(sources, 0)),
            4 => format!("{}({integer})", self.one(&["sum", "avg", "total"])),
            5 => format!("{}({number} ORDER BY {keys})", self.one(&["sum", "avg", "total"])),
            6 => format!("{}({})", self.one(&["min", "max"]), self.settled(sources)),
            7 => format!("{}({})", self.one(&["min", "max"]), self.settled(sources)),
            8 => format!("group_concat({text}, '; ' ORDER BY {}{}, {keys})", self.any(sources), self.direction()),
            9 => format!("group_concat(DISTINCT {text} COLLATE BINARY ORDER BY {text} COLLATE BINARY)"),
            10 => return format!("round(sum({number}){filter}, 2)"),
            11 => format!("sum(CASE WHEN {} THEN 1 ELSE 0 END)", self.condition(sources, 0)),
            12 => format!("json_group_array({} ORDER BY {keys})", self.expression(sources, 0)),
            13 => format!("json_group_object(coalesce({text}, '-'), {number} ORDER BY {keys})"),
            14 => format!("sum(DISTINCT {integer})"),
            15 => format!("sum({integer} * {} ORDER BY {keys})", self.number(sources)),
            16 => format!("string_agg({text}, ',' ORDER BY {keys})"),
            _ => format!("sum({})", self.condition(sources, 0)),
        };
        aggregate + &filter
    }

    pub fn grouped(&mut self) -> Query {
        let joins = [0, 1, 1, 2, 2][self.rng.usize(0..5)];
        let (from, sources) = self.walk(joins);
        let count = [1, 1, 2][self.rng.usize(0..3)];
        // The result columns and the group keys: a text key is shown so that all texts of its group have the same form.
        let (mut shown, mut grouped, mut bare) = (Vec::new(), Vec::new(), String::new());
        for _ in 0..count {
            let key = self.settled(&sources);
            shown.push(key.clone());
            grouped.push(key);
        }
        let mut by_name = true;
        if self.chance(15) {
            let column = self.column(&sources, &[Kind::Text]).text;
            (shown[0], grouped[0]) = (format!("lower(rtrim({column}))"), column);
            by_name = false;
        } else if self.chance(20) {
            let source = sources[self.rng.usize(0..sources.len())].clone();
            if source.keys == ["id"] {
                let key = format!("{}.id", source.alias);
                (shown[0], grouped[0]) = (key.clone(), key);
                bare = format!(", {} AS bare", self.expression(&[source], 1));
            }
        }
        let aggregates = self.rng.usize(1..3);
        let shown = (0..count).map(|at| format!("{} AS g{at}, ", shown[at])).collect::<String>();
        let mut at = 0;
        let values = self.list(aggregates, |world| {
            at += 1;
            format!("{} AS n{}", world.aggregate(&sources), at - 1)
        });
        let exact = grouped.join(", ");
        let group = match self.rng.u32(0..3) {
            0 if by_name => (0..count).map(|at| format!("g{at}")).collect::<Vec<_>>().join(", "),
            1 if by_name => (0..count).map(|at| (at + 1).to_string()).collect::<Vec<_>>().join(", "),
            _ => exact.clone(),
        };
        let filter = self.filter(&sources);
        let body =
            format!("SELECT {shown}{values}{bare} FROM {from}{filter} GROUP BY {group}{}", self.having(&sources));
        let order = match self.rng.u32(0..5) {
            0 => return Query::unordered(body),
            1 => format!("n0 DESC, {exact}"),
            2 => format!("g0{}, {exact}", self.direction()),
            3 => format!("{} DESC, {exact}", self.aggregate(&sources)),
            _ => exact,
        };
        Query { body, order: format!(" ORDER BY {order}{}", self.limit()) }
    }

    fn having(&mut self, sources: &[Source]) -> String {
        match self.rng.u32(0..9) {
            0 => " HAVING count(*) > 1".to_owned(),
            1 => " HAVING n0 > 2".to_owned(),
            2 => format!(" HAVING {} > 3", self.aggregate(sources)),
            3 => format!(" HAVING max({}) IS NOT NULL", self.any(sources)),
            _ => String::new(),
        }
    }

    pub fn totals(&mut self) -> Query {
        let joins = self.rng.usize(0..3);
        let (from, sources) = self.walk(joins);
        let count = self.rng.usize(1..4);
        let values = self.list(count, |world| world.aggregate(&sources));
        Query::unordered(format!("SELECT {values} FROM {from}{}", self.filter(&sources)))
    }

    /// A window function with determined values: its order is total, or peers have the same value.
    fn window(&mut self, sources: &[Source], partition: &str) -> String {
        let frames = [
            "",
            " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
            " ROWS UNBOUNDED PRECEDING",
            " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW",
            " GROUPS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING",
            " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES",
            " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        ];
        let of_peers =
            ["", " GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW", " RANGE BETWEEN 2 PRECEDING AND 3 FOLLOWING"];
        let (number, integer, other) = (self.number(sources), self.integer(sources), self.integer(sources));
        let total = format!("ORDER BY {}{}, {}", self.any(sources), self.direction(), all_keys(sources));
        let (frame, of_peers) = (self.one(&frames), self.one(&of_peers));
        match self.rng.u32(0..14) {
            0 => format!("row_number() OVER ({partition}{total})"),
            1 => format!("rank() OVER ({partition}ORDER BY {})", self.any(sources)),
            2 => format!("dense_rank() OVER ({partition}ORDER BY {} DESC)", self.expression(sources, 0)),
            3 => format!("sum({number}) OVER ({partition}{total}{frame})"),
            4 => format!("lag({number}, {}, -1) OVER ({partition}{total})", self.one(&["1", "2"])),
            5 => format!("lead({}) OVER ({partition}{total})", self.any(sources)),
            6 => format!("first_value({number}) OVER ({partition}{total})"),
            7 => format!("avg({number}) OVER ({partition}{total}{frame})"),
            8 => format!("{} OVER ({partition}{total})", self.one(&["ntile(3)", "percent_rank()", "cume_dist()"])),
            9 => format!("count(*) OVER ({partition})"),
            10 => format!("sum({other}) OVER ({partition}ORDER BY {integer}{of_peers})"),
            11 => format!("max({integer}) FILTER (WHERE {}) OVER ({partition}{total})", self.condition(sources, 0)),
            12 => format!("nth_value({number}, 2) OVER ({partition}{total}{frame})"),
            // Where a removal leaves only empty texts, SQLite forgets a separator, and later cuts the front of the text.
            _ => format!("group_concat('<' || {}, ',') OVER ({partition}{total}{frame})", self.text(sources)),
        }
    }

    pub fn windowed(&mut self) -> Query {
        let joins = [0, 0, 1][self.rng.usize(0..3)];
        let (from, sources) = self.walk(joins);
        let partition =
            if self.rng.bool() { format!("PARTITION BY {} ", self.settled(&sources)) } else { String::new() };
        let (k, e, w) = (self.settled(&sources), self.settled(&sources), self.window(&sources, &partition));
        let integer = self.integer(&sources);
        let (last, terms) = match self.rng.u32(0..3) {
            0 => (String::new(), "3, 1, 2"),
            1 => (format!(", sum({integer}) OVER () AS tot"), "3, 1, 2, 4"),
            _ => (format!(", {integer} * 100.0 / sum({integer}) OVER ({partition}) AS pct"), "3 DESC, 4, 2, 1"),
        };
        let body = format!("SELECT {k} AS k, {e} AS e, {w} AS w{last} FROM {from}{}", self.filter(&sources));
        let limit = self.limit();
        match self.rng.u32(0..5) {
            0 => Query::unordered(body),
            1 => Query::unordered(format!("SELECT * FROM ({body}) WHERE w <= 2")),
            2 => {
                let body = format!("SELECT k, e, w FROM ({body}) WHERE w <= 2");
                Query { body, order: " ORDER BY k, e, w LIMIT 20".to_owned() }
            }
            3 => {
                let body = format!("WITH r AS ({body}) SELECT k, count(*), count(DISTINCT w) FROM r GROUP BY k");
                Query { body, order: " ORDER BY k".to_owned() }
            }
            _ => Query { body, order: format!(" ORDER BY {terms}{limit}") },
        }
    }
}
