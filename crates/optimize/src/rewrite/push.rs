//! Conditions move into the queries in FROM whose columns they use: these give fewer rows, and can use indexes.

use lithe_resolve::ir::{
    Child, Coll, Core, CoreBody, Derived, Expr, JoinKind, Query, Select, SourceId, SourceKind, SourceSet, Term,
    TermOrigin, any, collation_of, for_each_child, has_correlated_query, has_query, is_deterministic, known_truth,
    same, skip_collate,
};
use lithe_sql::ast::CompoundOp;

use super::Rewriter;
use super::flatten::{Part, Replace, is_kept_apart};
use super::map::Map;

impl<'a> Rewriter<'a> {
    /// The SELECT with all its conditions moved as deep as possible.
    pub(super) fn push_all(&self, select: &'a Select<'a>) -> &'a Select<'a> {
        let mut select = select;
        for at in 0..select.sources.len() {
            if let SourceKind::Subquery(derived) = select.sources[at].kind {
                select = self.push_into(select, at, derived);
            }
        }
        select
    }

    /// Conditions of HAVING that are the same for all rows of a group drop rows before they are grouped.
    pub(super) fn push_having(&self, select: &'a Select<'a>) -> &'a Select<'a> {
        let Some(having) = select.having else { return select };
        let mut conditions = bumpalo::collections::Vec::new_in(self.arena);
        lithe_resolve::split_and(having, TermOrigin::Where, &mut conditions);
        let goes = |term: &Term<'a>| {
            is_deterministic(&term.expr) && !has_query(&term.expr) && is_about_rows(select, &term.expr)
        };
        let rows: Vec<Term<'a>> = conditions.iter().copied().filter(goes).collect();
        if rows.is_empty() {
            return select;
        }
        let groups = conditions.iter().filter(|term| !goes(term)).map(|term| term.expr);
        let having = groups.reduce(|left, right| Expr::And(self.arena.alloc(left), self.arena.alloc(right)));
        let terms: Vec<Term<'a>> = select.terms.iter().copied().chain(rows).collect();
        self.arena.alloc(Select { terms: self.arena.alloc_slice_copy(&terms), having, ..*select })
    }

    fn push_into(&self, select: &'a Select<'a>, at: usize, derived: &'a Derived<'a>) -> &'a Select<'a> {
        if !takes_conditions(select, derived) {
            return select;
        }
        let goes = |term: &Term<'a>| can_push(select, at, derived, term);
        let pushed: Vec<Term<'a>> = select.terms.iter().copied().filter(goes).collect();
        if pushed.is_empty() {
            return select;
        }
        let id = select.sources[at].id;
        let mut query = *derived.query;
        let part = match derived.query.cores {
            [Core { body: CoreBody::Select(first), .. }, _, ..] => Some(Part { first: first.columns, collates: true }),
            _ => None,
        };
        query.cores = self.arena.alloc_slice_fill_iter(query.cores.iter().map(|core| {
            let CoreBody::Select(inner) = core.body else { return *core };
            let columns = self.seen_from_outside(inner.columns);
            let mut replace = Replace { source: id, columns, part, resolver: self.resolver };
            let mut map = Map { arena: self.arena, change: &mut replace };
            // As in SQLite, the last one comes first.
            let conditions = pushed.iter().rev().map(|term| map.expr(&self.copy_queries(&term.expr)));
            let conditions: Vec<Expr<'a>> = conditions.collect();
            Core { body: CoreBody::Select(self.with_conditions(inner, &conditions)), ..*core }
        }));
        let source = self.with_query(&select.sources[at], derived, query, true);
        // The conditions stay outside, too, as in SQLite: they may be keys of an automatic index there, and a column's value may be another one
        // (integers may have become reals, a group whose rows are deleted while it is computed has NULLs).
        self.with_source(select, at, source)
    }

    /// The SELECT with further conditions on its result: in HAVING if it has groups. As in SQLite, they go from there to WHERE after its own
    /// queries in FROM have got theirs.
    fn with_conditions(&self, select: &Select<'a>, conditions: &[Expr<'a>]) -> &'a Select<'a> {
        let mut terms = bumpalo::collections::Vec::from_iter_in(select.terms.iter().copied(), self.arena);
        let mut having = select.having;
        for condition in conditions {
            if !select.is_aggregate {
                lithe_resolve::split_and(*condition, TermOrigin::Where, &mut terms);
            } else {
                having = Some(match having {
                    None => *condition,
                    Some(before) => Expr::And(self.arena.alloc(before), self.arena.alloc(*condition)),
                });
            }
        }
        self.arena.alloc(Select { terms: terms.into_bump_slice(), having, ..*select })
    }
}

/// Whether rows may be dropped inside the query.
fn takes_conditions(select: &Select<'_>, derived: &Derived<'_>) -> bool {
    let has_right = select.sources.iter().any(|s| s.join.keeps_right_rows());
    let is_shared = derived.cte.is_some_and(|cte| cte.uses.get() > 1);
    let is_open = |core: &Core<'_>| matches!(core.body, CoreBody::Select(_));
    !has_right
        && !is_shared
        && !is_kept_apart(derived)
        && derived.query.limit.is_none()
        && derived.query.cores.iter().all(is_open)
}

/// Whether the condition uses only this source, and may be checked earlier.
fn can_push(select: &Select<'_>, at: usize, derived: &Derived<'_>, term: &Term<'_>) -> bool {
    let source = &select.sources[at];
    let stands_well = match term.origin {
        TermOrigin::OuterOn(id) => id == source.id && source.join == JoinKind::Left,
        TermOrigin::Where | TermOrigin::InnerOn(_) => source.join != JoinKind::Left,
    };
    stands_well
        && (select.sources_of(&term.expr) == SourceSet::single(at) || is_about_no_source(select, &term.expr))
        && uses_no_outer_query(source.id, &term.expr)
        && is_deterministic(&term.expr)
        && !has_correlated_query(&term.expr)
        && (is_all_appended(derived.query) || has_binary_columns(derived.query))
        && !(derived.query.is_compound() && has_windows(derived.query))
        && derived.query.cores.iter().all(|core| is_about_partitions(core, source.id, &term.expr))
}

/// Whether the condition is about no source, as a constant or a query of its own is, and not just true or false, which SQLite does not push.
fn is_about_no_source(select: &Select<'_>, expr: &Expr<'_>) -> bool {
    select.sources_of(expr).is_empty() && known_truth(expr).is_none()
}

/// Whether the condition is about this source and constants alone. As in SQLite, one that compares with an enclosing query stays outside,
/// because the rows of the source, and an automatic index on them, serve all rows of the enclosing query.
fn uses_no_outer_query(id: SourceId, expr: &Expr<'_>) -> bool {
    !any(expr, &mut |part| match part {
        Expr::Column(column) => column.source != id,
        Expr::Aggregate(_) | Expr::Window(_) => true,
        _ => false,
    })
}

/// Whether the condition uses only columns by which every window of the SELECT is partitioned, and so drops whole
/// partitions.
fn is_about_partitions(core: &Core<'_>, id: SourceId, expr: &Expr<'_>) -> bool {
    let CoreBody::Select(select) = core.body else { return false };
    let partitions = |at: usize| {
        select.columns.get(at).is_some_and(|column| {
            select.windows.iter().all(|call| {
                let is_binary = |expr| collation_of(expr).unwrap_or_default() == Coll::Binary;
                call.window.partition_by.iter().any(|term| is_binary(term) && same(term, column))
            })
        })
    };
    select.windows.is_empty()
        || is_binary(expr)
            && !any(expr, &mut |part| match part {
                Expr::Column(column) if column.source == id => !column.index.position().is_some_and(partitions),
                _ => false,
            })
}

fn is_all_appended(query: &Query<'_>) -> bool {
    query.cores.iter().all(|core| core.op == CompoundOp::UnionAll)
}

/// Whether rows that a UNION treats as equal are the same: all columns of all cores have the collation BINARY.
fn has_binary_columns(query: &Query<'_>) -> bool {
    let is_binary = |column: &Expr<'_>| collation_of(column).unwrap_or_default() == Coll::Binary;
    query.cores.iter().all(|core| match core.body {
        CoreBody::Select(select) => select.columns.iter().all(is_binary),
        CoreBody::Values(_) | CoreBody::UnionAll(_) => false,
    })
}

fn has_windows(query: &Query<'_>) -> bool {
    query.cores.iter().any(|core| matches!(core.body, CoreBody::Select(select) if !select.windows.is_empty()))
}

/// Whether the condition involves only the collation BINARY.
fn is_binary(expr: &Expr<'_>) -> bool {
    !any(expr, &mut |expr| match expr {
        Expr::Column(column) => column.collation != Coll::Binary,
        Expr::Compare(compare) => compare.how.collation != Coll::Binary,
        Expr::Collate(..) => true,
        _ => false,
    })
}

/// Whether the condition uses only GROUP BY terms: then it is the same for all rows of a group, and rows can be dropped
/// before they are grouped.
fn is_about_rows<'a>(select: &Select<'a>, condition: &Expr<'a>) -> bool {
    if select.group_by.is_empty() {
        return false;
    }
    if select.group_by.iter().any(|term| term.collation == Coll::Binary && same(&skip_collate(term.expr), condition)) {
        return true;
    }
    if matches!(condition, Expr::Column(_) | Expr::Aggregate(_) | Expr::Window(_)) {
        return false;
    }
    let mut all = true;
    for_each_child(condition, &mut |child| match child {
        Child::Expr(operand) => all = all && is_about_rows(select, operand),
        Child::Query(_) => all = false,
    });
    all
}
