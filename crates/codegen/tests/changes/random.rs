//! Random tables, indexes, triggers and changes. A seed replays its script: `CHANGES_SEED=17 cargo test random`.

use super::{Connection, check_statements};

/// How many scripts, and how many statements each.
const SCRIPTS: u64 = 100;
const STATEMENTS: usize = 40;

#[test]
fn random_changes() {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    if let Some(seed) = number("CHANGES_SEED") {
        return run(seed);
    }
    let failed: Vec<u64> = (0..number("CHANGES_WORLDS").unwrap_or(SCRIPTS))
        .filter(|&seed| std::panic::catch_unwind(|| run(seed)).is_err())
        .collect();
    assert_eq!(failed, [], "seeds whose scripts do not end as in SQLite");
}

fn run(seed: u64) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut script = Vec::new();
    let tables: Vec<Table> = (0..1 + random.below(2)).map(|at| table(&mut random, at, &mut script)).collect();
    script.push("create table log(what, x, y)".to_owned());
    for at in 0..random.below(4) {
        script.push(trigger(&mut random, at, &tables));
    }
    for at in 0..STATEMENTS {
        let target = &tables[random.below(tables.len())];
        let sql = match random.below(40) {
            0 => index(&mut random, &target.name, at),
            1 => "reindex".to_owned(),
            _ => change(&mut random, target, &tables),
        };
        script.push(sql);
        script.extend(tables.iter().map(dump));
        script.push("select * from log".to_owned());
    }
    check_statements(&script, &Connection::new());
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((self.next() >> 32) as usize * bound) >> 32
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

struct Table {
    name: String,
    columns: Vec<String>,
    /// The columns that can be given values.
    free: Vec<String>,
    has_rowid: bool,
}

const POLICIES: [&str; 5] = ["rollback", "abort", "fail", "ignore", "replace"];

fn table(random: &mut Random, at: usize, script: &mut Vec<String>) -> Table {
    let name = format!("t{at}");
    let mut has_rowid = !random.one_in(4);
    let mut definitions = Vec::new();
    let (mut columns, mut free) = (Vec::new(), Vec::new());
    let mut has_key = false;
    for column in ["a", "b", "c", "d"].iter().take(2 + random.below(3)) {
        let mut definition = format!("{column} {}", random.pick(&["", "int", "text", "real", "numeric", "integer"]));
        if columns.is_empty() && random.one_in(3) {
            definition = format!("{column} integer primary key{}", policy(random));
            has_key = true;
        } else if random.one_in(4) {
            definition += &format!(" unique{}", policy(random));
        } else if random.one_in(4) {
            definition += &format!(" not null{} default {}", policy(random), random.pick(&["1", "'x'", "null"]));
        } else if random.one_in(6) {
            definition += &format!(" check({column} < 5)");
        } else if free.len() > 1 && random.one_in(5) {
            let (from, stored) = (free[random.below(free.len())], random.pick(&["", "stored"]));
            definition += &format!(" as ({from} || 'g') {stored}");
            columns.push((*column).to_string());
            definitions.push(definition);
            continue;
        }
        columns.push((*column).to_string());
        free.push(*column);
        definitions.push(definition);
    }
    if random.one_in(3) {
        definitions.push(format!("unique(b, a){}", policy(random)));
    }
    if !has_rowid && !has_key {
        let key = random.pick(&["a", "b, a", "b"]);
        if key.split(", ").all(|column| free.contains(&column)) {
            definitions.push(format!("primary key({key})"));
            has_key = true;
        }
    }
    has_rowid = has_rowid || !has_key;
    let options = if has_rowid { "" } else { " without rowid" };
    script.push(format!("create table {name}({}){options}", definitions.join(", ")));
    for at in 0..random.below(3) {
        script.push(index(random, &name, at));
    }
    Table { name, columns, free: free.into_iter().map(str::to_owned).collect(), has_rowid }
}

fn index(random: &mut Random, table: &str, at: usize) -> String {
    let unique = if random.one_in(3) { "unique " } else { "" };
    let terms = random.pick(&["a", "b desc", "a, b", "b, a desc", "a || b", "length(b), a"]);
    let filter = random.pick(&["", "", " where a > 1", " where b is not null"]);
    format!("create {unique}index {table}_i{at} on {table}({terms}){filter}")
}

fn trigger(random: &mut Random, at: usize, tables: &[Table]) -> String {
    let table = &tables[random.below(tables.len())];
    let other = &tables[random.below(tables.len())];
    let time = random.pick(&["before", "after"]);
    let (event, row) = *[("insert", "new"), ("update", "old"), ("update of a", "new"), ("delete", "old")]
        .get(random.below(4))
        .expect("one of four");
    let when = if random.one_in(3) { format!(" when {row}.a > 2") } else { String::new() };
    let step = match random.below(6) {
        0 => format!("select raise(ignore) where {row}.b = 3"),
        1 => format!("select raise({}, 'raised') where {row}.b = 4", random.pick(&["abort", "fail", "rollback"])),
        2 => format!("update {}{} set b = {row}.a where a = {row}.b", or(random), other.name),
        3 => format!("delete from {} where a = {row}.b", other.name),
        4 => format!("insert {}into {}(a, b) values({row}.b, {row}.a)", or(random), other.name),
        _ => format!("insert into log values('{time} {event} {at}', {row}.a, {row}.b)"),
    };
    let log = format!("insert into log values('{at}', {row}.a, {row}.b)");
    format!("create trigger r{at} {time} {event} on {} {when} begin {log}; {step}; end", table.name)
}

fn policy(random: &mut Random) -> String {
    if random.one_in(3) { format!(" on conflict {}", random.pick(&POLICIES)) } else { String::new() }
}

fn or(random: &mut Random) -> String {
    if random.one_in(2) { format!("or {} ", random.pick(&POLICIES)) } else { String::new() }
}

fn value(random: &mut Random) -> String {
    match random.below(8) {
        0 => "null".to_owned(),
        1 => format!("'{}'", random.below(6)),
        2 => format!("{}.5", random.below(5)),
        3 => format!("'{}'", random.pick(&["x", "y", "z"])),
        4 => format!("{}.0", random.below(6)),
        _ => random.below(7).to_string(),
    }
}

fn change(random: &mut Random, table: &Table, tables: &[Table]) -> String {
    let returning = if random.one_in(5) { " returning *" } else { "" };
    match random.below(10) {
        0..5 => insert(random, table, tables) + returning,
        5..8 => update(random, table) + returning,
        _ => format!("delete from {}{}{returning}", table.name, filter(random, table, 6)),
    }
}

fn insert(random: &mut Random, table: &Table, tables: &[Table]) -> String {
    let or = or(random);
    let columns = &table.free;
    let names = columns.join(", ");
    let row = |random: &mut Random| {
        let values: Vec<String> = columns.iter().map(|_| value(random)).collect();
        format!("({})", values.join(", "))
    };
    let source = if random.one_in(4) {
        let from = &tables[random.below(tables.len())];
        let values: Vec<String> = columns.iter().map(|_| expression(random, from)).collect();
        let order = from.columns.join(", ");
        format!("select {} from {} where {} order by {order}", values.join(", "), from.name, condition(random, from))
    } else {
        let rows: Vec<String> = (0..1 + random.below(3)).map(|_| row(random)).collect();
        format!("values {}", rows.join(", "))
    };
    let upsert = if random.one_in(4) {
        let action = match random.below(3) {
            0 => "nothing".to_owned(),
            _ => format!("update set {}", assignments(random, table, "excluded.a")),
        };
        format!(" on conflict do {action}")
    } else {
        String::new()
    };
    format!("insert {or}into {}({names}) {source}{upsert}", table.name)
}

fn update(random: &mut Random, table: &Table) -> String {
    let or = or(random);
    let set = assignments(random, table, "a");
    format!("update {or}{} set {set}{}", table.name, filter(random, table, 4))
}

fn assignments(random: &mut Random, table: &Table, other: &str) -> String {
    let mut set = Vec::new();
    for _ in 0..1 + random.below(2) {
        let column = &table.free[random.below(table.free.len())];
        // SQLite computes a subquery of DO UPDATE once for each constraint that may be violated; we do once.
        let value = match expression(random, table) {
            _ if random.one_in(4) => other.to_owned(),
            value if other != "a" && value.contains("select") => other.to_owned(),
            value => value,
        };
        set.push(format!("{column} = {value}"));
    }
    if table.has_rowid && random.one_in(6) {
        set.push(format!("rowid = {}", random.pick(&["rowid + 1", "rowid - 2", "5", "-rowid"])));
    }
    set.join(", ")
}

fn expression(random: &mut Random, table: &Table) -> String {
    let column = &table.columns[random.below(table.columns.len())];
    match random.below(6) {
        0 => value(random),
        1 => format!("{column} + 1"),
        2 => format!("{column} - 1"),
        3 => format!("{column} || ''"),
        4 => format!("(select max({column}) from {})", table.name),
        _ => column.clone(),
    }
}

/// WHERE, or nothing once in `n` times.
fn filter(random: &mut Random, table: &Table, n: usize) -> String {
    if random.one_in(n) { String::new() } else { format!(" where {}", condition(random, table)) }
}

fn condition(random: &mut Random, table: &Table) -> String {
    let column = &table.columns[random.below(table.columns.len())];
    let operator = random.pick(&["=", "<", ">", ">=", "<>", "is not"]);
    match random.below(8) {
        0 => format!("{column} in ({}, {}, {})", value(random), value(random), value(random)),
        1 => format!("{column} is null"),
        2 if table.has_rowid => format!("rowid {operator} {}", random.below(6)),
        3 => format!("{column} {operator} {} and a {operator} {}", value(random), value(random)),
        4 => format!("{column} {operator} {} or b = {}", value(random), value(random)),
        _ => format!("{column} {operator} {}", value(random)),
    }
}

fn dump(table: &Table) -> String {
    let rowid = if table.has_rowid { "rowid, " } else { "" };
    let order: Vec<String> = (1..=table.columns.len()).map(|at| at.to_string()).collect();
    format!(
        "select {rowid}{columns}, {types} from {name} order by {order}",
        columns = table.columns.join(", "),
        types = table.columns.iter().map(|column| format!("typeof({column})")).collect::<Vec<_>>().join(", "),
        name = table.name,
        order = order.join(", ")
    )
}
