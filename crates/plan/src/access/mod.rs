//! Access paths: from the sources and conditions of one SELECT to a plan of nested loops.
//!
//! What goes in is a [`JoinRequest`], what comes out a [`JoinPlan`]: plain data that `codegen::loops` turns into
//! instructions and `explain` into text. A plan says for each loop, from the outermost to the innermost, which source it
//! runs over and by which path, which conditions it checks itself, and, for the whole join, how much of the wanted
//! order the rows come in.

use crate::codegen::Codegen;
use crate::error::Result;
use crate::ir::{Expr, OrderTerm, Source, SourceSet, Term};

/// The join to be planned.
#[derive(Clone, Copy, Debug)]
pub struct JoinRequest<'a> {
    /// FROM, from left to right.
    pub sources: &'a [Source<'a>],
    /// The conjuncts of WHERE and ON. Those that use no source at all are among them.
    pub terms: &'a [Term<'a>],
    /// The order that the rows should come in, if it costs little.
    pub order: WantedOrder<'a>,
    /// The most rows that will be read (LIMIT + OFFSET, when they are known), for costs.
    pub row_limit: Option<u64>,
    /// What the rows are for.
    pub purpose: Purpose,
}

/// An order that saves work when the rows come in it.
#[derive(Clone, Copy, Debug)]
pub enum WantedOrder<'a> {
    /// None.
    Any,
    /// Exactly this order: ORDER BY.
    OrderBy(&'a [OrderTerm<'a>]),
    /// Any order that brings equal rows together: GROUP BY. `order` is the ORDER BY behind it, to be met as well if
    /// possible.
    GroupBy(&'a [Expr<'a>], &'a [OrderTerm<'a>]),
    /// Any order that brings equal rows together: DISTINCT.
    Distinct(&'a [Expr<'a>]),
    /// Only the first row in this order is wanted: min() or max() alone.
    MinMax(&'a OrderTerm<'a>),
}

/// What a join's rows are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// They are read.
    Read,
    /// The one source's rows are updated or deleted: the table's cursor has to stand on the row.
    Write,
}

/// The plan of a join.
#[derive(Clone, Copy, Debug)]
pub struct JoinPlan<'a> {
    /// What was planned.
    pub request: JoinRequest<'a>,
    /// The loops, from the outermost to the innermost.
    pub loops: &'a [Loop<'a>],
    /// The order wanted is met (ORDER BY: fully).
    pub in_order: bool,
    /// For [`WantedOrder::Distinct`]: no two rows are equal, nothing has to be compared.
    pub is_unique: bool,
    /// At most one row comes out.
    pub one_row: bool,
}

/// One loop of a join.
#[derive(Clone, Copy, Debug)]
pub struct Loop<'a> {
    /// Position of its source in FROM.
    pub source: usize,
    /// Terms (positions in the request) that are checked in this loop.
    pub checks: &'a [usize],
    /// Sources of outer loops.
    pub outside: SourceSet,
    /// Keeps the arena's lifetime.
    pub marker: std::marker::PhantomData<&'a ()>,
}

/// Plans a join.
pub fn plan_join<'a>(cg: &Codegen<'a>, request: JoinRequest<'a>) -> Result<JoinPlan<'a>> {
    let mut outside = SourceSet::EMPTY;
    let mut loops = Vec::new();
    for source in 0..request.sources.len() {
        let checks = checks_of(&request, source, outside);
        loops.push(Loop { source, checks: cg.arena.alloc_slice_copy(&checks), outside, marker: std::marker::PhantomData });
        outside.insert(source);
    }
    let loops = cg.arena.alloc_slice_copy(&loops);
    Ok(JoinPlan { request, loops, in_order: false, is_unique: false, one_row: request.sources.is_empty() })
}

/// The terms that can first be checked when the row of `source` is there.
fn checks_of(request: &JoinRequest<'_>, source: usize, outside: SourceSet) -> Vec<usize> {
    let with = outside.union(SourceSet::single(source));
    let ready = |at: &usize| {
        let uses = crate::ir::sources_of(request.sources, &request.terms[*at].expr);
        uses.is_subset_of(with) && (source == 0 && uses.is_empty() || !uses.is_subset_of(outside))
    };
    (0..request.terms.len()).filter(ready).collect()
}
