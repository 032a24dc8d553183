//! Recursive queries: their rows go into a queue as they come, so that some orders and DISTINCTs have no effect in them.

use bumpalo::Bump;
use lithe_resolve::ir::{Core, CoreBody, Query, Select, SourceKind};
use lithe_sql::ast::CompoundOp;

/// The query without the DISTINCTs of its cores, if it is a recursive one whose UNION drops equal rows anyway. As in SQLite, cores that are
/// merged first keep their own, which may compare by other collations, but for the last one of the start.
pub(super) fn without_distinct<'a>(arena: &'a Bump, query: &'a Query<'a>) -> &'a Query<'a> {
    let is_distinct = |core: &Core<'a>| matches!(core.body, CoreBody::Select(select) if select.distinct);
    if !query.cores.iter().any(is_distinct) {
        return query;
    }
    let Some(setup) = setup_cores(query).filter(|setup| query.cores[*setup].op == CompoundOp::Union) else {
        return query;
    };
    let cores = arena.alloc_slice_copy(query.cores);
    for (at, core) in cores.iter_mut().enumerate() {
        if let CoreBody::Select(select) = core.body
            && (!is_sorted(query, at) || at + 1 == setup)
        {
            core.body = CoreBody::Select(arena.alloc(Select { distinct: false, ..*select }));
        }
    }
    arena.alloc(Query { cores, ..*query })
}

/// Whether the rows of the core at `at` are sorted, by ORDER BY or to be merged. The ORDER BY of a recursive query is that of its queue.
pub(super) fn is_sorted(query: &Query<'_>, at: usize) -> bool {
    match setup_cores(query) {
        Some(setup) => at < Query { cores: &query.cores[..setup], order_by: &[], ..*query }.merged_cores(),
        None => !query.order_by.is_empty() || at < query.merged_cores(),
    }
}

/// Whether a core of the query reads the rows of the step before.
pub(super) fn is_recursive(query: &Query<'_>) -> bool {
    setup_cores(query).is_some()
}

/// How many cores make the start of a recursive query; none if it is no such query.
fn setup_cores(query: &Query<'_>) -> Option<usize> {
    let is_step = |core: &Core<'_>| matches!(core.body, CoreBody::Select(select) if reads_step(select));
    query.cores.iter().position(is_step).filter(|_| query.is_compound())
}

/// Whether the SELECT reads the rows of the step before it of a recursive query.
pub(super) fn reads_step(select: &Select<'_>) -> bool {
    select.sources.iter().any(|source| matches!(source.kind, SourceKind::Recursive(_)))
}
