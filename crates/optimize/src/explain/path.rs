//! One loop of a join as a line of text.
//!
//! ```text
//!   SCAN t                                       all rows
//!   SEARCH t USING INTEGER PRIMARY KEY (rowid=?)
//!   SEARCH t USING COVERING INDEX i (a=? AND b>?)
//!   SEARCH t USING INDEX i (ANY(a) AND b=?)      skip-scan
//!   SEARCH t USING AUTOMATIC COVERING INDEX (a=?) here: a hash table
//! ```

use lithe_catalog::{Index, IndexTerm, Table};
use lithe_resolve::ir::{ColumnIndex, Expr, JoinKind, Source, SourceKind, has_query, is_deterministic};

use crate::access::{Bound, HashPath, IndexPath, JoinPlan, Key, Loop, OrBranch, Path, TreePath, WantedOrder};

/// The line of a loop. `name` is the source's, as EXPLAIN QUERY PLAN names it.
pub fn describe_loop(plan: &JoinPlan<'_>, planned: &Loop<'_>, name: &str) -> String {
    describe_path(plan, plan.source_of(planned), &planned.path, name)
}

/// The line of the loop that reads a source once more, for the rows that have not joined.
pub fn describe_again(plan: &JoinPlan<'_>, planned: &Loop<'_>, name: &str) -> String {
    let source = Source { join: JoinKind::Inner, ..*plan.source_of(planned) };
    describe_path(plan, &source, &planned.path, name)
}

/// The line of a branch of an OR.
pub fn describe_branch(plan: &JoinPlan<'_>, source: &Source<'_>, branch: &OrBranch<'_>, name: &str) -> String {
    describe_path(plan, source, &branch.path.into(), name)
}

fn describe_path(plan: &JoinPlan<'_>, source: &Source<'_>, path: &Path<'_>, name: &str) -> String {
    let is_min_max = matches!(plan.request.order, WantedOrder::MinMax(_));
    let verb = if is_search(path) || is_min_max { "SEARCH" } else { "SCAN" };
    let mut line = format!("{verb} {name}");
    if source.is_exists {
        line.push_str(" EXISTS");
    }
    match path {
        Path::Tree(TreePath::Scan) | Path::Or(_) => {}
        Path::Function(arguments) => {
            line.push_str(&format!(" VIRTUAL TABLE INDEX {}:", function_index(source, arguments)));
        }
        Path::Virtual(path) => line.push_str(&format!(" VIRTUAL TABLE INDEX {}", path.text)),
        Path::Tree(TreePath::Rowid(_)) => line.push_str(" USING INTEGER PRIMARY KEY (rowid=?)"),
        Path::Tree(TreePath::RowidRange(low, high)) => {
            let both = if low.is_some() && high.is_some() { " AND " } else { "" };
            let (low, high) = (low.map_or("", |_| "rowid>?"), high.map_or("", |_| "rowid<?"));
            line.push_str(&format!(" USING INTEGER PRIMARY KEY ({low}{both}{high})"));
        }
        Path::Tree(TreePath::Index(path)) => describe_index(path, is_min_max, &mut line),
        Path::Hash(path) => describe_hash(plan, source, path, &mut line),
    }
    if source.join.keeps_left_rows() {
        line.push_str(" LEFT-JOIN");
    }
    line
}

/// The index number of SQLite's JSON functions for the given arguments: 1 for the JSON alone, 3 with a root. Pragmas always have 0.
fn function_index(source: &Source<'_>, arguments: &[Option<Key<'_>>]) -> u8 {
    let SourceKind::Table(_, table) = source.kind else { return 0 };
    match arguments {
        [Some(_), root] if table.name.to_string().starts_with("json") => 1 + 2 * u8::from(root.is_some()),
        _ => 0,
    }
}

/// The line of the Bloom filter before a loop.
pub fn describe_filter(plan: &JoinPlan<'_>, planned: &Loop<'_>, name: &str) -> String {
    let source = plan.source_of(planned);
    let columns = match &planned.path {
        Path::Hash(path) => hash_columns(source, path),
        Path::Tree(TreePath::Index(path)) => conditions(path).into_iter().take(path.keys.len()).collect(),
        _ => vec![format!("{}=?", rowid_name(source))],
    };
    format!("BLOOM FILTER ON {name} ({})", columns.join(" AND "))
}

/// The name of the column that is the rowid.
fn rowid_name(source: &Source<'_>) -> String {
    match source.kind {
        SourceKind::Table(_, Table { rowid_column: Some(at), columns, .. }) => {
            columns[usize::from(*at)].name.to_string()
        }
        _ => "rowid".to_owned(),
    }
}

fn is_search(path: &Path<'_>) -> bool {
    match path {
        Path::Tree(TreePath::Scan) | Path::Or(_) | Path::Function(_) | Path::Virtual(_) => false,
        Path::Tree(TreePath::Rowid(_) | TreePath::RowidRange(..)) | Path::Hash(_) => true,
        Path::Tree(TreePath::Index(path)) => !path.keys.is_empty() || path.low.is_some() || path.high.is_some(),
    }
}

fn describe_index(path: &IndexPath<'_>, is_min_max: bool, line: &mut String) {
    let conditions = conditions(path);
    if path.table.is_without_rowid() && path.index.root == path.table.root {
        if conditions.is_empty() && !is_min_max {
            return;
        }
        line.push_str(" USING PRIMARY KEY");
    } else {
        let covering = if path.is_covering { "COVERING " } else { "" };
        line.push_str(&format!(" USING {covering}INDEX {}", path.index.name));
    }
    if !conditions.is_empty() {
        line.push_str(&format!(" ({})", conditions.join(" AND ")));
    }
}

/// The conditions on the columns of the index, one after the other.
fn conditions(path: &IndexPath<'_>) -> Vec<String> {
    let name = |at: usize| index_column_name(path.table, path.index, at);
    let mut conditions: Vec<String> = Vec::new();
    for (at, key) in path.keys.iter().enumerate() {
        conditions.push(match key {
            Key::Any => format!("ANY({})", name(at)),
            Key::Value { .. } | Key::Null | Key::In { .. } => format!("{}=?", name(at)),
        });
    }
    for (bound, sign) in [(&path.low, '>'), (&path.high, '<')] {
        if let Some(bound) = bound {
            conditions.push(describe_bound(path, bound, sign));
        }
    }
    conditions
}

fn describe_bound(path: &IndexPath<'_>, bound: &Bound<'_>, sign: char) -> String {
    let first = path.keys.len();
    let names: Vec<String> =
        (0..bound.values.len().max(1)).map(|at| index_column_name(path.table, path.index, first + at)).collect();
    match &names[..] {
        [name] => format!("{name}{sign}?"),
        names => format!("({}){sign}({})", names.join(","), vec!["?"; names.len()].join(",")),
    }
}

/// The name of an index's column.
fn index_column_name(table: &Table, index: &Index, at: usize) -> String {
    match &index.columns[at].term {
        IndexTerm::Column(at) => table.columns[usize::from(*at)].name.to_string(),
        IndexTerm::Rowid => "rowid".to_owned(),
        IndexTerm::Expr(_) => "<expr>".to_owned(),
    }
}

/// The line of making an automatic index, by the table's own name.
pub fn describe_automatic_index(plan: &JoinPlan<'_>, source: &Source<'_>, path: &HashPath<'_>, name: &str) -> String {
    let columns = path.keys.iter().map(|key| key.column).chain(path.columns.iter().copied());
    // The rowid is in every index, and has no name of its own there.
    let columns: Vec<String> =
        columns.filter(|column| !column.is_rowid()).map(|column| column_name(source, column)).collect();
    let condition = if is_partial(plan, source, path) { " WHERE <expr>" } else { "" };
    format!("CREATE AUTOMATIC INDEX ON {name}({}){condition}", columns.join(", "))
}

fn describe_hash(plan: &JoinPlan<'_>, source: &Source<'_>, path: &HashPath<'_>, line: &mut String) {
    let partial = if is_partial(plan, source, path) { "PARTIAL " } else { "" };
    let columns = hash_columns(source, path).join(" AND ");
    line.push_str(&format!(" USING AUTOMATIC {partial}COVERING INDEX ({columns})"));
}

/// SQLite calls an automatic index partial even if its only condition is a constant, which the rewrite of EXISTS leaves.
fn is_partial(plan: &JoinPlan<'_>, source: &Source<'_>, path: &HashPath<'_>) -> bool {
    let is_constant = |check: &Expr<'_>| is_deterministic(check) && !has_query(check);
    let has_constant =
        plan.constant_checks.iter().any(is_constant) || plan.request.sources.iter().any(|source| source.is_exists);
    let is_inner = matches!(source.join, JoinKind::Inner | JoinKind::Cross);
    let mut behind = plan.request.sources.iter().skip_while(|other| other.id != source.id).skip(1);
    if behind.any(|other| other.join.keeps_right_rows()) {
        return false;
    }
    !path.filter.is_empty() || is_inner && has_constant
}

fn hash_columns(source: &Source<'_>, path: &HashPath<'_>) -> Vec<String> {
    path.keys.iter().map(|key| format!("{}=?", column_name(source, key.column))).collect()
}

fn column_name(source: &Source<'_>, column: ColumnIndex) -> String {
    let Some(at) = column.position() else { return "rowid".to_owned() };
    match source.kind {
        SourceKind::Table(_, table) | SourceKind::Row(table) => table.columns[at].name.to_string(),
        SourceKind::Subquery(derived) => derived.columns[at].name.to_string(),
        SourceKind::Recursive(_) => String::new(),
    }
}
