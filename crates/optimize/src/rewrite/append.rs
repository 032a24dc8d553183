//! A UNION ALL in FROM: the SELECT around it becomes one UNION ALL of itself over each of the parts. As a core of a compound, it remains
//! one core.

use lithe_resolve::ir::{
    Core, CoreBody, Derived, Expr, JOIN_SOURCES_MAX, JoinKind, OrderTerm, Output, OutputColumn, Query, Select, Source,
    affinity_of,
};
use lithe_sql::ast::CompoundOp;

use super::flatten::{Part, Replace};
use super::map::Map;
use super::{Draft, Rewriter, recursive};

/// The most SELECTs that a query may get, because memory ends.
const CORES_MAX: usize = 500;

impl<'a> Rewriter<'a> {
    /// Splits the core whose SELECT is `outer` by its source at `at`, if that is such a UNION ALL and the core is plain enough.
    pub(super) fn append(
        &self,
        draft: &mut Draft<'a>,
        core_at: usize,
        outer: &'a Select<'a>,
        at: usize,
        derived: &'a Derived<'a>,
    ) -> bool {
        let inner = derived.query;
        let Some(parts) = appended_parts(inner) else { return false };
        let Some(order_by) = self.order_of_outputs(&draft.query) else { return false };
        // A join of views that are compounds multiplies their parts.
        let count = draft.parts + parts.len() - 1;
        if count > CORES_MAX || recursive::reads_step(outer) || !fits(outer, at, inner, &parts) {
            return false;
        }
        draft.parts = count;
        let (inner, parts) = match derived.cte {
            Some(cte) if cte.uses.get() > 1 => {
                let copy = self.copy_query(inner);
                (copy, appended_parts(copy).unwrap_or(parts))
            }
            _ => (inner, parts),
        };
        let source = outer.sources[at];
        let as_part = Part { first: parts[0].columns, collates: false };
        let copies = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        let parts = parts.iter().zip(inner.cores).enumerate().map(|(number, (part, core))| {
            let outer = if number == 0 { outer } else { self.copy_select(outer) };
            let id = outer.sources[at].id;
            let columns = self.seen_from_outside(part.columns);
            let mut replace = Replace { source: id, columns, part: Some(as_part), resolver: self.resolver };
            let replaced = Map { arena: self.arena, change: &mut replace }.select(outer).unwrap_or(outer);
            let select = self.spliced(replaced, at, Source { id, ..source }, part);
            Core { op: CompoundOp::UnionAll, body: CoreBody::Select(select), number: core.number }
        });
        let parts = self.arena.alloc_slice_copy(&parts.collect::<Vec<_>>());
        match draft.query.is_compound() {
            true => self.set_body(draft, core_at, CoreBody::UnionAll(parts)),
            false => draft.query.cores = parts,
        }
        draft.query.order_by = order_by;
        // The copies of the SELECT have their own of the other sources, but none of this one any more.
        derived.cte.inspect(|cte| cte.uses.set(cte.uses.get().saturating_sub(copies)));
        true
    }

    fn spliced(&self, outer: &Select<'a>, at: usize, source: Source<'a>, part: &Select<'a>) -> &'a Select<'a> {
        let sources = self.spliced_sources(outer, at, part);
        let terms = self.spliced_terms(outer, at, &source, part);
        self.arena.alloc(Select { sources, terms, ..*outer })
    }

    /// ORDER BY by result columns, as a compound needs it; none if a term is another expression.
    fn order_of_outputs(&self, query: &Query<'a>) -> Option<&'a [OrderTerm<'a>]> {
        if query.is_compound() {
            return Some(query.order_by);
        }
        let mut terms = Vec::with_capacity(query.order_by.len());
        for term in query.order_by {
            let position = term.output?;
            let OutputColumn { affinity, collation, .. } = query.columns[usize::from(position)];
            let expr = Expr::Output(self.arena.alloc(Output { position, affinity, collation }));
            terms.push(OrderTerm { expr, ..*term });
        }
        Some(self.arena.alloc_slice_copy(&terms))
    }
}

/// The parts of a compound of plain SELECTs that are all appended. Its ORDER BY is one that has no effect.
fn appended_parts<'a>(query: &Query<'a>) -> Option<Vec<&'a Select<'a>>> {
    if !query.is_compound() || query.limit.is_some() {
        return None;
    }
    query
        .cores
        .iter()
        .map(|core| match core.body {
            CoreBody::Select(select) if core.op == CompoundOp::UnionAll && is_plain(select) => Some(select),
            _ => None,
        })
        .collect()
}

fn is_plain(select: &Select<'_>) -> bool {
    let has_right = select.sources.iter().any(|s| s.join.keeps_right_rows());
    !select.sources.is_empty() && !select.is_aggregate && !select.distinct && select.windows.is_empty() && !has_right
}

fn fits<'a>(outer: &Select<'a>, at: usize, inner: &Query<'a>, parts: &[&'a Select<'a>]) -> bool {
    let widest = parts.iter().map(|part| part.sources.len()).max().unwrap_or(0);
    let same_affinities = (0..inner.columns.len()).all(|column| {
        let first = affinity_of(&parts[0].columns[column]);
        parts.iter().all(|part| affinity_of(&part.columns[column]) == first)
    });
    !outer.is_aggregate
        && !outer.distinct
        && outer.windows.is_empty()
        && outer.sources[at].join != JoinKind::Left
        && !outer.sources.iter().any(|source| source.join.keeps_right_rows())
        && outer.sources.len() + widest - 1 <= JOIN_SOURCES_MAX
        && same_affinities
}
