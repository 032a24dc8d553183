//! The lines of a query's plan.

use lithe_resolve::ir::{Aggregate, Core, CoreBody, Derived, OrderTerm, Select, Source, SourceKind};
use lithe_sql::ast::{CompoundOp, SelectNumber};

use super::path::{describe_again, describe_automatic_index, describe_branch, describe_filter, describe_loop};
use super::{Explain, Lines, Part};
use crate::access::{DistinctPlan, HashPath, JoinPlan, LogEst, Loop, OrBranch, Path};
use crate::plan::{
    AggregatePlan, CompoundPlan, CorePlan, CoresPlan, CountPlan, DerivedPlan, DerivedWay, ExprQueries, ExprQueryWay,
    FromPlan, GroupPlan, Grouping, InsertSource, PlainPlan, QueryBody, QueryPlan, RecursivePlan, RowsFor, RowsPlan,
    SelectPlan, Sorting, UnjoinedPlan, ValuesPlan, WindowPlan,
};

/// How VALUES is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum ShownValues {
    /// As a source: the whole statement is VALUES.
    #[default]
    AsClause,
    /// As a query of constants: in a view or common table, or as a list of IN.
    AsConstants,
    /// Not at all: the line of the loop that reads it shows it.
    Nowhere,
}

/// What a query in an expression is called that gives one row.
const SCALAR: &str = "SCALAR SUBQUERY";

impl Explain {
    /// The lines of a query that stands by itself.
    pub fn query(&mut self, plan: &QueryPlan<'_>) {
        if let Some(lines) = &mut self.lines {
            lines.rows_of(plan);
        }
    }

    /// The lines of a join without lines for the code of a row.
    pub fn join(&mut self, from: &FromPlan<'_>) {
        if let Some(lines) = &mut self.lines {
            lines.join_with_body(from, |_| {});
        }
    }

    /// The lines of how an UPDATE or DELETE finds its rows.
    pub fn changed_rows(&mut self, plan: &RowsPlan<'_>) {
        match plan {
            RowsPlan::Gathered(plan) => self.query(plan),
            RowsPlan::Found(plan) => {
                if let Some(lines) = &mut self.lines {
                    lines.join_with_body(&plan.from, |_| {});
                    lines.expr_queries(plan.queries);
                }
            }
        }
    }

    /// The lines of the source of an INSERT's rows.
    pub fn inserted_rows(&mut self, source: &InsertSource<'_>) {
        match source {
            InsertSource::Row { queries, .. } => self.expr_queries(queries),
            InsertSource::Query { plan, .. } => self.query(plan),
        }
    }

    /// The lines of queries in expressions.
    pub fn expr_queries(&mut self, queries: ExprQueries<'_>) {
        if let Some(lines) = &mut self.lines {
            lines.expr_queries(queries);
        }
    }
}

impl Lines {
    fn expr_queries(&mut self, queries: ExprQueries<'_>) {
        for query in queries {
            match query.way {
                ExprQueryWay::Row(plan) => self.subquery(plan, SCALAR),
                ExprQueryWay::Set(plan) | ExprQueryWay::Keys(plan) => self.subquery(plan, "LIST SUBQUERY"),
                ExprQueryWay::Rowids(_, table) | ExprQueryWay::RowidKeys(_, table) => {
                    self.line(format!("USING ROWID SEARCH ON TABLE {} FOR IN-OPERATOR", table.name));
                }
                ExprQueryWay::Index(_, _, index) => {
                    self.line(format!("USING INDEX {} FOR IN-OPERATOR", index.name));
                }
            }
        }
    }

    fn subquery(&mut self, plan: &QueryPlan<'_>, what: &str) {
        let correlated = if plan.query.is_correlated() { "CORRELATED " } else { "" };
        let number = plan.query.number();
        self.open(format!("{correlated}{what} {number}"));
        if what == SCALAR {
            self.mark(Part::Row, plan);
        }
        let shown = if plan.query.has_rows_apart { ShownValues::AsConstants } else { self.shown_values };
        let outer = std::mem::replace(&mut self.shown_values, shown);
        self.rows_of(plan);
        self.shown_values = outer;
        self.close();
    }

    fn rows_of(&mut self, plan: &QueryPlan<'_>) {
        self.expr_queries(plan.limit_queries);
        self.body(&plan.body, plan.rows);
    }

    fn body(&mut self, body: &QueryBody<'_>, rows: RowsFor) {
        match body {
            QueryBody::Cores(cores) => self.cores(cores, rows),
            QueryBody::Recursive(plan) => self.recursive(plan),
        }
    }

    fn cores(&mut self, cores: &CoresPlan<'_>, rows: RowsFor) {
        match cores {
            CoresPlan::One(core) => self.core(core, rows),
            CoresPlan::Compound(plan) => self.compound(plan, rows),
        }
    }

    fn core(&mut self, core: &CorePlan<'_>, rows: RowsFor) {
        match core {
            CorePlan::Select(plan) => self.select(plan, rows),
            CorePlan::Values(plan) => self.values(plan, rows),
            CorePlan::Compound(plan) => self.compound(plan, rows),
        }
    }

    fn compound(&mut self, plan: &CompoundPlan<'_>, rows: RowsFor) {
        if !plan.merges.is_empty() {
            self.merges(plan, rows);
            return self.appended(plan.appended, rows);
        }
        self.open("COMPOUND QUERY".to_owned());
        self.open("LEFT-MOST SUBQUERY".to_owned());
        self.core(&plan.first, rows);
        self.close();
        self.appended(plan.appended, rows);
        self.close();
    }

    fn appended(&mut self, cores: &[CorePlan<'_>], rows: RowsFor) {
        for core in cores {
            self.open("UNION ALL".to_owned());
            self.core(core, rows);
            self.close();
        }
    }

    /// Each merge is under the next one, as its left side.
    fn merges(&mut self, plan: &CompoundPlan<'_>, rows: RowsFor) {
        for merge in plan.merges.iter().rev() {
            self.open(format!("MERGE ({})", name_of(merge.op)));
            self.open("LEFT".to_owned());
        }
        self.core(&plan.first, RowsFor::Coroutine);
        for merge in plan.merges {
            self.close();
            self.open("RIGHT".to_owned());
            self.core(&merge.right, RowsFor::Coroutine);
            self.close();
            self.close();
        }
        // Once for each side of the last merge.
        self.filter_of_set(rows);
        self.filter_of_set(rows);
    }

    fn recursive(&mut self, plan: &RecursivePlan<'_>) {
        self.open("SETUP".to_owned());
        self.cores(&plan.setup, RowsFor::Use);
        self.close();
        self.open("RECURSIVE STEP".to_owned());
        match plan.steps {
            [step] => self.core(step, RowsFor::Use),
            steps => {
                self.open("COMPOUND QUERY".to_owned());
                for (at, step) in steps.iter().enumerate() {
                    self.open(if at == 0 { "LEFT-MOST SUBQUERY".to_owned() } else { "UNION ALL".to_owned() });
                    self.core(step, RowsFor::Use);
                    self.close();
                }
                self.close();
            }
        }
        self.close();
    }

    /// SQLite treats VALUES, except as the source of an INSERT, as a scan of a table of unknown size.
    fn values(&mut self, plan: &ValuesPlan<'_>, rows: RowsFor) {
        let count = plan.rows.len();
        let cost = if rows == RowsFor::Coroutine { LogEst::ONE } else { LogEst(216) };
        match self.shown_values {
            ShownValues::AsClause => {
                self.loop_line(cost, format!("SCAN {count}-ROW VALUES CLAUSE"));
                self.mark(Part::Loop, plan);
            }
            ShownValues::AsConstants => self.line(format!("SCAN {count} CONSTANT ROWS")),
            ShownValues::Nowhere => {}
        }
        self.expr_queries(plan.queries);
        // The rows of a list are SELECTs to SQLite, each with code of its own.
        let times = if self.shown_values == ShownValues::AsConstants { count } else { 1 };
        (0..times).for_each(|_| self.filter_of_set(rows));
    }

    fn select(&mut self, plan: &SelectPlan<'_>, rows: RowsFor) {
        match plan {
            SelectPlan::Windows(plan) => self.windows(plan, rows),
            SelectPlan::Count(plan) => self.count(plan),
            SelectPlan::Aggregate(plan) => self.aggregate(plan, rows),
            SelectPlan::Group(plan) => self.group(plan, rows),
            SelectPlan::Plain(plan) => self.plain(plan, rows),
        }
    }

    fn plain(&mut self, plan: &PlainPlan<'_>, rows: RowsFor) {
        let distinct = plan.from.join.distinct;
        self.join_with_body(&plan.from, |lines| {
            lines.expr_queries(plan.queries);
            // SQLite fills the filter if rows come directly from their loops.
            if plan.sorting == Sorting::Nothing {
                lines.filter_of_set(rows);
            }
        });
        if distinct == DistinctPlan::Remember {
            self.temporary_tree("DISTINCT");
        }
        if let Sorting::Blocks(_) = plan.sorting {
            self.order(plan.order_by, plan.from.join);
            self.mark(Part::Order, plan);
        }
    }

    fn count(&mut self, plan: &CountPlan<'_>) {
        if self.measures {
            return;
        }
        let name = &plan.table.name;
        self.line(match plan.index {
            Some(index) => format!("SCAN {name} USING COVERING INDEX {}", index.name),
            None => format!("SCAN {name}"),
        });
    }

    fn aggregate(&mut self, plan: &AggregatePlan<'_>, rows: RowsFor) {
        self.sources(&plan.from);
        self.aggregates(plan.select.aggregates, plan.distinct);
        self.loops(&plan.from, |lines| lines.expr_queries(plan.step_queries));
        self.expr_queries(plan.queries);
        self.filter_of_set(rows);
    }

    fn group(&mut self, plan: &GroupPlan<'_>, rows: RowsFor) {
        let is_streamed = plan.grouping == Grouping::Streamed;
        self.join_with_body(&plan.from, |lines| {
            if !is_streamed {
                lines.temporary_tree(plan.clause);
                lines.mark(Part::Group, plan);
            }
            lines.expr_queries(plan.term_queries);
            if is_streamed {
                lines.expr_queries(plan.step_queries);
            }
        });
        if !is_streamed {
            self.expr_queries(plan.step_queries);
        }
        self.aggregates(plan.select.aggregates, plan.distinct);
        self.expr_queries(plan.queries);
        self.end_of_select(plan, plan.select, plan.order_by, rows);
    }

    fn aggregates(&mut self, calls: &[&Aggregate<'_>], distinct: DistinctPlan) {
        for call in calls {
            let name = call.function.name();
            if call.distinct && distinct == DistinctPlan::Remember && !call.is_distinct_by_order() {
                self.temporary_tree(&format!("{name}(DISTINCT)"));
            }
            if !call.order_by.is_empty() {
                self.temporary_tree(&format!("{name}(ORDER BY)"));
            }
        }
    }

    /// SQLite computes each window in a subquery, which reads the rows of the subquery within it.
    fn windows(&mut self, plan: &WindowPlan<'_>, rows: RowsFor) {
        for number in plan.subqueries {
            self.open(format!("CO-ROUTINE (subquery-{number})"));
        }
        let mut open = plan.subqueries.iter().rev();
        self.select(&plan.input, RowsFor::Coroutine);
        for (at, pass) in plan.passes.iter().enumerate() {
            for within in 0..pass.subqueries {
                if at > 0 || within > 0 {
                    self.scan_window(open.next(), plan.scan);
                    self.mark(Part::Window, pass);
                }
                if within == 0 {
                    if pass.is_sorted {
                        self.temporary_tree("ORDER BY");
                        self.mark(Part::Order, pass);
                    }
                    self.expr_queries(pass.queries);
                }
            }
        }
        self.scan_window(open.next(), plan.scan);
        self.mark(Part::Window, plan);
        self.expr_queries(plan.queries);
        self.end_of_select(plan, plan.select, plan.order_by, rows);
    }

    /// Closes the innermost subquery of the windows that are open; the one around it reads its rows.
    fn scan_window(&mut self, innermost: Option<&SelectNumber>, cost: LogEst) {
        self.close();
        if let Some(number) = innermost {
            self.loop_line(cost, format!("SCAN (subquery-{number})"));
        }
    }

    /// The lines for what happens to the rows of groups and windows: DISTINCT and ORDER BY.
    fn end_of_select<T>(&mut self, plan: &T, select: &Select<'_>, order_by: &[OrderTerm<'_>], rows: RowsFor) {
        if order_by.is_empty() {
            self.filter_of_set(rows);
        }
        if select.distinct {
            self.temporary_tree("DISTINCT");
        }
        if !order_by.is_empty() {
            self.temporary_tree("ORDER BY");
            self.mark(Part::Order, plan);
        }
    }

    fn temporary_tree(&mut self, clause: &str) {
        self.line(format!("USE TEMP B-TREE FOR {clause}"));
    }

    fn filter_of_set(&mut self, rows: RowsFor) {
        if rows == (RowsFor::Set { shows_filter: true }) {
            self.line("CREATE BLOOM FILTER".to_owned());
        }
    }

    /// The line about ORDER BY that the loops do not satisfy, or not to the last term.
    fn order(&mut self, order_by: &[OrderTerm<'_>], join: &JoinPlan<'_>) {
        self.line(match order_by.len() - join.ordered_terms.min(order_by.len()) {
            _ if join.ordered_terms == 0 => "USE TEMP B-TREE FOR ORDER BY".to_owned(),
            1 => "USE TEMP B-TREE FOR LAST TERM OF ORDER BY".to_owned(),
            rest => format!("USE TEMP B-TREE FOR LAST {rest} TERMS OF ORDER BY"),
        });
    }

    /// The lines of a join; `body` adds those of the code for each row.
    fn join_with_body(&mut self, from: &FromPlan<'_>, body: impl FnOnce(&mut Lines)) {
        self.sources(from);
        self.loops(from, body);
    }

    fn sources(&mut self, from: &FromPlan<'_>) {
        from.derived.iter().for_each(|derived| self.derived(derived));
    }

    fn loops(&mut self, from: &FromPlan<'_>, body: impl FnOnce(&mut Lines)) {
        let join = from.join;
        if join.request.sources.is_empty() {
            self.line("SCAN CONSTANT ROW".to_owned());
        }
        self.expr_queries(from.constant_queries);
        for (at, planned) in join.loops.iter().enumerate() {
            self.join_loop(join, planned, from.queries_of_loop(at));
        }
        body(self);
        let right = join.loops.iter().filter(|planned| join.source_of(planned).join.keeps_right_rows());
        right.zip(from.unjoined).for_each(|(planned, unjoined)| self.unjoined(join, planned, unjoined));
    }

    /// The line of a loop and those of the queries in its conditions. Where plans are measured, SQLite notes a loop behind the queries.
    fn join_loop(&mut self, join: &JoinPlan<'_>, planned: &Loop<'_>, queries: ExprQueries<'_>) {
        let source = join.source_of(planned);
        let name = self.source_name(source);
        if let Path::Hash(path) = &planned.path
            && self.measures
        {
            let made = self.made_name_of(source);
            self.line(describe_automatic_index(join, source, path, &made));
            self.mark::<HashPath<'_>>(Part::Index, path);
        }
        if planned.shows_filter {
            self.line(describe_filter(join, planned, &name));
        }
        if let Path::Or(path) = planned.path {
            self.branches(join, source, path.branches, &name);
            return self.expr_queries(queries);
        }
        if self.measures {
            self.expr_queries(queries);
        }
        self.loop_line(planned.run, describe_loop(join, planned, &name));
        self.mark(Part::Loop, planned);
        if !self.measures {
            self.expr_queries(queries);
        }
    }

    fn branches(&mut self, join: &JoinPlan<'_>, source: &Source<'_>, branches: &[OrBranch<'_>], name: &str) {
        self.open("MULTI-INDEX OR".to_owned());
        for branch in branches {
            self.open(format!("INDEX {}", branch.number));
            self.loop_line(branch.run, describe_branch(join, source, branch, name));
            self.mark(Part::Loop, branch);
            self.close();
        }
        self.close();
    }

    fn unjoined(&mut self, join: &JoinPlan<'_>, planned: &Loop<'_>, unjoined: &UnjoinedPlan<'_>) {
        let name = self.source_name(unjoined.source);
        let made = self.made_name_of(unjoined.source);
        self.open(format!("RIGHT-JOIN {made}"));
        match (unjoined.join, planned.path) {
            (Some(join), _) => self.join_loop(join, &join.loops[0], &[]),
            (None, Path::Function(_) | Path::Virtual(_)) => {
                self.loop_line(planned.run, describe_again(join, planned, &name));
                self.mark(Part::Unjoined, unjoined);
            }
            (None, _) => {
                self.loop_line(join.scans[planned.source], format!("SCAN {name}"));
                self.mark(Part::Unjoined, unjoined);
            }
        }
        self.expr_queries(unjoined.queries);
        self.close();
    }

    /// SQLite does not treat VALUES in FROM as a query, so it has no line.
    fn derived(&mut self, planned: &DerivedPlan<'_>) {
        let what = match planned.rows {
            DerivedWay::Shared { is_first: false, .. } => return,
            DerivedWay::Coroutine { .. } => "CO-ROUTINE",
            DerivedWay::Table | DerivedWay::Shared { .. } => "MATERIALIZE",
        };
        let is_clause = is_values_clause(planned.derived);
        let shown = if is_clause { ShownValues::Nowhere } else { ShownValues::AsConstants };
        let outer = std::mem::replace(&mut self.shown_values, shown);
        if is_clause {
            self.rows_of(planned.plan);
        } else {
            let name = self.made_name(planned.source, planned.derived);
            self.open(format!("{what} {name}"));
            if !matches!(planned.rows, DerivedWay::Coroutine { .. }) {
                self.mark(Part::Table, planned.plan);
            }
            self.rows_of(planned.plan);
            self.close();
        }
        self.shown_values = outer;
    }

    /// How lines name a source that is read.
    fn source_name(&self, source: &Source<'_>) -> String {
        match source.kind {
            SourceKind::Subquery(derived) if is_values_clause(derived) || source.name.as_bytes().is_empty() => {
                self.derived_name(derived)
            }
            _ => written_name(source),
        }
    }

    /// How lines name a source apart from its alias.
    fn made_name_of(&self, source: &Source<'_>) -> String {
        match source.kind {
            SourceKind::Table(_, table) => table.name.to_string(),
            SourceKind::Subquery(derived) => self.made_name(source, derived),
            _ => self.source_name(source),
        }
    }

    /// How lines name a source that is materialised: views and common tables by their own names.
    fn made_name(&self, source: &Source<'_>, derived: &Derived<'_>) -> String {
        match (derived.cte, derived.view) {
            (Some(cte), _) => cte.name.to_string(),
            (None, Some(view)) => view.name.to_string(),
            (None, None) => self.source_name(source),
        }
    }

    fn derived_name(&self, derived: &Derived<'_>) -> String {
        let number = derived.query.number();
        match derived.query.cores {
            // SELECTs that were written as VALUES.
            [Core { body: CoreBody::Values(_), .. }] if derived.query.has_rows_apart => {
                "0-ROW VALUES CLAUSE".to_owned()
            }
            [Core { body: CoreBody::Values(rows), .. }] => format!("{}-ROW VALUES CLAUSE", rows.len()),
            _ if derived.is_join => format!("(join-{number})"),
            _ => format!("(subquery-{number})"),
        }
    }
}

/// The name of a source, of a table behind the schema that the statement writes, if it does.
fn written_name(source: &Source<'_>) -> String {
    match (source.schema, source.kind) {
        (Some(schema), SourceKind::Table(..)) => format!("{schema}.{}", source.name),
        _ => source.name.to_string(),
    }
}

/// Whether the source is VALUES in parentheses.
fn is_values_clause(derived: &Derived<'_>) -> bool {
    let is_values = matches!(derived.query.cores, [Core { body: CoreBody::Values(_), .. }]);
    is_values && !derived.query.has_rows_apart && derived.cte.is_none() && derived.view.is_none()
}

fn name_of(op: CompoundOp) -> &'static str {
    match op {
        CompoundOp::Union => "UNION",
        CompoundOp::UnionAll => "UNION ALL",
        CompoundOp::Except => "EXCEPT",
        CompoundOp::Intersect => "INTERSECT",
    }
}
