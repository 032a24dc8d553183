//! Counting the runs and rows of parts of a plan (sqlite3_stmt_scanstatus): instructions without effect mark the beginning of a run and of a
//! row, and the profile counts them. Statements that are not measured have none of them.
//!
//! ```text
//!        Noop            one run
//!        ... search ...
//!   top: Noop            one row
//! ```

use lithe_optimize::access::{JoinPlan, LogEst, Loop, Path, TreePath};
use lithe_optimize::explain::Part;
use lithe_optimize::plan::QueryPlan;
use lithe_resolve::ir::{Source, SourceKind};
use lithe_vm::operand::{Addr, CursorId};
use lithe_vm::program::{MeasuredCode, MeasuredPart};

use super::Codegen;

/// The number of rows that SQLite expects of a table whose size is unknown, for which it takes VALUES.
const ROWS_OF_UNKNOWN: f64 = 1_048_576.0;

/// A part that has begun: its line, and the address at which its runs are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    line: i32,
    run: Addr,
    /// Whether its runs are counted already.
    is_counted: bool,
}

impl Codegen<'_> {
    /// Marks the beginning of a run; `None` if the statement is not measured.
    pub(super) fn begin_run(&mut self) -> Option<Addr> {
        self.is_measured.then(|| self.b.counted())
    }

    /// Marks the beginning of a row of the loop whose runs are counted at `run`, and which has this line in the query plan.
    pub(super) fn measure_loop(
        &mut self,
        run: Option<Addr>,
        line: Option<i32>,
        source: &Source<'_>,
        path: &Path<'_>,
        rows: LogEst,
        cursors: Vec<CursorId>,
    ) {
        let (Some(run), Some(line)) = (run, line) else { return };
        let begun = Begun { line, run, is_counted: false };
        self.measure_rows(Some(begun), name_of(source, path), rows.to_f64(), cursors);
    }

    /// Marks the beginning of a run of a part of the plan; `None` if it is not measured, or has no line.
    pub(super) fn begin_part<T>(&mut self, part: Part, of: &T) -> Option<Begun> {
        let line = self.explain.line_of(part, of).filter(|_| self.is_measured)?;
        Some(Begun { line, run: self.b.counted(), is_counted: false })
    }

    /// Marks a row that a part reads, or gets.
    pub(super) fn measure_rows(
        &mut self,
        begun: Option<Begun>,
        name: Option<String>,
        estimated_rows: f64,
        cursors: Vec<CursorId>,
    ) {
        let Some(Begun { line, run, is_counted }) = begun else { return };
        let row = self.b.counted();
        let code = match cursors.is_empty() {
            true => MeasuredCode::Between(run, row), // the search: rows of a query have no cursor of the loop
            false => MeasuredCode::Cursors(cursors),
        };
        self.b.measure(MeasuredPart {
            line,
            name,
            estimated_rows,
            run: (!is_counted).then_some(run),
            row: Some(row),
            code,
        });
    }

    /// Marks a row of VALUES, whose rows stand one behind the other.
    pub(super) fn measure_values(&mut self, begun: &mut Option<Begun>) {
        self.measure_rows(*begun, None, ROWS_OF_UNKNOWN, Vec::new());
        if let Some(begun) = begun {
            begun.is_counted = true;
        }
    }

    /// Marks a row that comes from a query, which costs so much to be scanned.
    pub(super) fn measure_scan(&mut self, begun: Option<Begun>, run: LogEst) {
        self.measure_rows(begun, None, rows_of_scan(run).to_f64(), Vec::new());
    }

    /// Marks a row that is put into the tree or sorter of a part.
    pub(super) fn measure_insert(&mut self, begun: Option<Begun>, cursor: CursorId) {
        self.measure_rows(begun, None, 1.0, vec![cursor]);
    }

    /// Ends a query in an expression.
    pub(super) fn end_query(&mut self, begun: Option<Begun>) {
        let Some(Begun { line, run, .. }) = begun else { return };
        let code = MeasuredCode::Between(run, self.b.counted());
        self.b.measure(MeasuredPart { line, name: None, estimated_rows: 1.0, run: Some(run), row: None, code });
    }

    /// Ends a query that is materialised, whose runs are not counted.
    pub(super) fn end_table(&mut self, begun: Option<Begun>) {
        let Some(Begun { line, run, .. }) = begun else { return };
        let code = MeasuredCode::Between(run, self.b.counted());
        self.b.measure(MeasuredPart { line, name: None, estimated_rows: 1.0, run: None, row: None, code });
    }

    /// Marks the beginning of a run of a query in an expression.
    pub(super) fn begin_query(&mut self, plan: &QueryPlan<'_>) -> Option<Begun> {
        self.begin_part(Part::Row, plan)
    }
}

/// The number of rows that a loop is expected to have. SQLite does not count what conditions drop where a table is read alone, and in any order.
pub(super) fn expected_rows(plan: &JoinPlan<'_>, planned: &Loop<'_>) -> LogEst {
    match planned.path {
        Path::Tree(_) if plan.request.reads_one_source_in_any_order() => planned.found,
        _ => planned.rows,
    }
}

/// The number of rows that a scan is expected to have which costs so much: SQLite takes a row to cost 3.
pub(super) fn rows_of_scan(run: LogEst) -> LogEst {
    const COST_OF_ROW: i16 = 16;
    LogEst((run.0 - COST_OF_ROW).max(0))
}

/// The name of the source that is read: an index, or else the table, view or common table. Other queries have none.
fn name_of(source: &Source<'_>, path: &Path<'_>) -> Option<String> {
    match (path, source.kind) {
        (Path::Tree(TreePath::Index(path)), _) => Some(path.index.name.to_string()),
        (Path::Hash(_), _) => Some("auto-index".to_owned()),
        (_, SourceKind::Subquery(derived)) => match (derived.cte, derived.view) {
            (Some(cte), _) => Some(cte.name.to_string()),
            (None, Some(view)) => Some(view.name.to_string()),
            (None, None) => None,
        },
        (_, SourceKind::Row(_)) => None,
        (_, SourceKind::Table(_, table)) => Some(table.name.to_string()),
        (_, SourceKind::Recursive(table)) => Some(table.name.to_string()),
    }
}
