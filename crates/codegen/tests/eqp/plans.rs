//! The plan of a query as text, without a program: `plans.txt` has queries, each with the tree of its plan. `UPDATE=1` rewrites
//! the file; the difference is then read.

use std::fmt::Write as _;

use bumpalo::Bump;
use lithe_optimize::access::{DistinctPlan, Path as AccessPath, TreePath};
use lithe_optimize::plan::{
    CompoundPlan, CorePlan, CoresPlan, DerivedPlan, DerivedWay, ExprQueries, ExprQueryWay, FromPlan, GroupPlan,
    PlainPlan, QueryBody, QueryPlan, RowsFor, SelectPlan, Sorting, WindowPlan,
};
use lithe_optimize::planner::Planner;
use lithe_resolve::{Found, Resolver, Scope};
use lithe_sql::ast::Stmt;

#[test]
fn plans_as_text() {
    check("plans.txt", include_str!("plans.txt"), plan);
}

/// Compares a file of statements and their plans with the plans that `plan` returns.
pub(super) fn check(file: &str, script: &str, plan: impl Fn(&rusqlite::Connection, &str) -> String) {
    let path = format!("{}/tests/eqp/{file}", env!("CARGO_MANIFEST_DIR"));
    let theirs = rusqlite::Connection::open_in_memory().unwrap();
    let mut found = String::new();
    for line in script.lines().filter(|line| !line.starts_with("  ")) {
        writeln!(found, "{line}").unwrap();
        match line.strip_prefix("? ") {
            Some(query) => found.push_str(&plan(&theirs, query)),
            None if line.starts_with("--") => {}
            None => theirs.execute_batch(line).unwrap_or_else(|error| panic!("{error}: {line}")),
        }
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &found).unwrap();
    } else {
        assert_eq!(found, script, "UPDATE=1 writes {path} anew");
    }
}

fn plan(theirs: &rusqlite::Connection, sql: &str) -> String {
    let env = crate::environment(theirs);
    let arena = Bump::new();
    let parsed = lithe_sql::parse_statement(sql.as_bytes(), &arena, &env.limits).unwrap();
    let parsed = parsed.statement.expect("a query is no comment");
    let Some(Stmt::Select(select)) = parsed.program() else { panic!("no query: {sql}") };
    let resolver = arena.alloc(Resolver::new(&env, &arena));
    let found = Found::default();
    let query = resolver.query(&Scope::outermost(sql.as_bytes(), &found), select).unwrap();
    let mut planner = Planner::new(resolver);
    let query = planner.prepare_query(query);
    let mut text = Text { text: String::new(), depth: 1 };
    text.query(planner.plan_query(query, RowsFor::Use).unwrap());
    text.text
}

/// A tree, one line a node.
pub(super) struct Text {
    pub text: String,
    pub depth: usize,
}

impl Text {
    pub fn line(&mut self, line: &str) {
        writeln!(self.text, "{}{line}", "  ".repeat(self.depth)).unwrap();
    }

    pub fn node(&mut self, line: &str, below: impl FnOnce(&mut Text)) {
        self.line(line);
        self.depth += 1;
        below(self);
        self.depth -= 1;
    }

    pub fn query(&mut self, plan: &QueryPlan<'_>) {
        self.queries("limit", plan.limit_queries);
        match &plan.body {
            QueryBody::Cores(cores) => self.cores(cores),
            QueryBody::Recursive(plan) => {
                self.node("setup", |text| text.cores(&plan.setup));
                plan.steps.iter().for_each(|step| self.node("step", |text| text.core(step)));
            }
        }
    }

    fn cores(&mut self, cores: &CoresPlan<'_>) {
        match cores {
            CoresPlan::One(core) => self.core(core),
            CoresPlan::Compound(plan) => self.compound(plan),
        }
    }

    fn compound(&mut self, plan: &CompoundPlan<'_>) {
        self.node("first", |text| text.core(&plan.first));
        for merge in plan.merges {
            let columns: Vec<_> = merge.order.iter().map(|term| term.column).collect();
            self.node(&format!("merge {:?} by {columns:?}", merge.op), |text| text.core(&merge.right));
        }
        plan.appended.iter().for_each(|core| self.node("append", |text| text.core(core)));
    }

    fn core(&mut self, core: &CorePlan<'_>) {
        match core {
            CorePlan::Select(plan) => self.select(plan),
            CorePlan::Compound(plan) => self.node("compound", |text| text.compound(plan)),
            CorePlan::Values(plan) => {
                self.node(&format!("{} rows", plan.rows.len()), |text| text.queries("value", plan.queries));
            }
        }
    }

    fn select(&mut self, plan: &SelectPlan<'_>) {
        match plan {
            SelectPlan::Count(plan) => {
                let index = plan.index.map_or(String::new(), |index| format!(" by {}", index.name));
                self.line(&format!("count {}{index}", plan.table.name));
            }
            SelectPlan::Plain(plan) => self.plain(plan),
            SelectPlan::Aggregate(plan) => {
                let decides = if plan.extreme.is_some() { ", the first row decides" } else { "" };
                self.node(&format!("aggregate{decides}"), |text| {
                    text.from(&plan.from);
                    text.queries("step", plan.step_queries);
                    text.queries("result", plan.queries);
                });
            }
            SelectPlan::Group(plan) => self.group(plan),
            SelectPlan::Windows(plan) => self.windows(plan),
        }
    }

    fn plain(&mut self, plan: &PlainPlan<'_>) {
        let sorting = match plan.sorting {
            Sorting::Nothing => String::new(),
            Sorting::Blocks(0) => ", sorted".to_owned(),
            Sorting::Blocks(terms) => format!(", sorted within {terms} terms"),
        };
        let distinct = match plan.from.join.distinct {
            DistinctPlan::Nothing => "",
            DistinctPlan::ComparePrevious => ", each compared with the last",
            DistinctPlan::Remember => ", each remembered",
        };
        self.node(&format!("rows{distinct}{sorting}"), |text| {
            text.from(&plan.from);
            text.queries("result", plan.queries);
        });
    }

    fn group(&mut self, plan: &GroupPlan<'_>) {
        let sorted = if plan.order_by.is_empty() { "" } else { ", the groups sorted" };
        self.node(&format!("groups {:?}{sorted}", plan.grouping), |text| {
            text.from(&plan.from);
            text.queries("term", plan.term_queries);
            text.queries("step", plan.step_queries);
            text.queries("result", plan.queries);
        });
    }

    fn windows(&mut self, plan: &WindowPlan<'_>) {
        self.node(&format!("windows over {} leaves", plan.leaves.len()), |text| {
            text.select(&plan.input);
            for pass in plan.passes {
                let names: Vec<_> = pass.calls.iter().map(|call| call.function.name()).collect();
                text.node(&format!("pass: {}", names.join(", ")), |text| text.queries("pass", pass.queries));
            }
            text.queries("result", plan.queries);
        });
    }

    pub fn from(&mut self, from: &FromPlan<'_>) {
        from.derived.iter().for_each(|derived| self.derived(derived));
        self.queries("constant", from.constant_queries);
        for (at, planned) in from.join.loops.iter().enumerate() {
            let source = from.join.source_of(planned);
            let reverse = if planned.reverse { ", backwards" } else { "" };
            let checks = planned.join_checks.len() + planned.row_checks.len();
            let checks = if checks > 0 { format!(", {checks} checked") } else { String::new() };
            let line = format!("loop {}: {}{reverse}{checks}", source.name, path(&planned.path));
            self.node(&line, |text| text.queries("condition", from.queries_of_loop(at)));
        }
        for unjoined in from.unjoined {
            let search = unjoined.join.map_or("again".to_owned(), |join| path(&join.loops[0].path));
            self.node(&format!("unjoined {}: {search}", unjoined.source.name), |text| {
                text.queries("condition", unjoined.queries);
            });
        }
    }

    fn derived(&mut self, planned: &DerivedPlan<'_>) {
        let name = &planned.source.name;
        match planned.rows {
            DerivedWay::Coroutine { is_buffered: false } => {
                self.node(&format!("coroutine {name}"), |text| text.query(planned.plan))
            }
            DerivedWay::Coroutine { is_buffered: true } => {
                self.node(&format!("coroutine {name}, buffered"), |text| text.query(planned.plan));
            }
            DerivedWay::Table => self.node(&format!("table {name}"), |text| text.query(planned.plan)),
            DerivedWay::Shared { is_first: true, .. } => {
                self.node(&format!("shared table {name}"), |text| text.query(planned.plan))
            }
            DerivedWay::Shared { is_first: false, .. } => self.line(&format!("shared table {name}, made before")),
        }
    }

    pub fn queries(&mut self, place: &str, queries: ExprQueries<'_>) {
        for query in queries {
            let correlated = if query.query.is_correlated() { ", correlated" } else { "" };
            match query.way {
                ExprQueryWay::Row(plan) => self.node(&format!("{place}: row{correlated}"), |text| text.query(plan)),
                ExprQueryWay::Set(plan) => self.node(&format!("{place}: set{correlated}"), |text| text.query(plan)),
                ExprQueryWay::Keys(plan) => self.node(&format!("{place}: keys{correlated}"), |text| text.query(plan)),
                ExprQueryWay::RowidKeys(_, table) => self.line(&format!("{place}: rowids of {} as keys", table.name)),
                ExprQueryWay::Rowids(_, table) => self.line(&format!("{place}: rowids of {}", table.name)),
                ExprQueryWay::Index(_, _, index) => self.line(&format!("{place}: entries of {}", index.name)),
            }
        }
    }
}

fn path(path: &AccessPath<'_>) -> String {
    match path {
        AccessPath::Tree(TreePath::Scan) => "scan".to_owned(),
        AccessPath::Tree(TreePath::Rowid(_)) => "rowid".to_owned(),
        AccessPath::Tree(TreePath::RowidRange(..)) => "range of rowids".to_owned(),
        AccessPath::Tree(TreePath::Index(path)) => {
            let bounds = [path.low.map(|_| "from"), path.high.map(|_| "to")];
            let bounds: String = bounds.into_iter().flatten().map(|bound| format!(", {bound}")).collect();
            let covering = if path.is_covering { ", covering" } else { "" };
            format!("index {}, {} keys{bounds}{covering}", path.index.name, path.keys.len())
        }
        AccessPath::Hash(path) => format!("hash table, {} keys", path.keys.len()),
        AccessPath::Function(_) => "function".to_owned(),
        AccessPath::Virtual(_) => "virtual table".to_owned(),
        AccessPath::Or(path) => format!("{} branches of OR", path.branches.len()),
    }
}
