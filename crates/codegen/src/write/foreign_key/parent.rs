//! The parent's side: a row is inserted or deleted, and children may refer to it.

use crate::expr::computed;
use lithe_catalog::{IndexTerm, Result, Table};
use lithe_optimize::access::{JoinRequest, Purpose};
use lithe_optimize::write::foreign_keys::{ParentKey, ParentReference};
use lithe_resolve::ir::{Coll, CompareOp, Expr, Indexed, JoinKind, Source, SourceId, SourceKind, Term, TermOrigin};
use lithe_vm::insn::Insn;

use super::child::{note_failure_at_end, register_of};
use crate::Codegen;
use crate::loops::{PreparedJoin, begin_loops, end_loops};
use crate::write::row::Row;
use crate::write::target::Target;

/// Counts a row that is deleted (`delta` 1) or inserted (-1): each child is one violation more or less.
pub(super) fn emit_check<'a>(
    cg: &mut Codegen<'a>,
    reference: &ParentReference<'a>,
    target: &Target<'a>,
    row: Row,
    delta: i32,
) -> Result<()> {
    let deferred = u8::from(reference.key.deferred);
    let done = cg.b.label();
    if delta < 0 {
        cg.b.emit(Insn::FkIfZero { deferred, target: done });
    }
    let source = cg.resolver.new_source();
    let terms = terms(cg, reference, target, row, source, delta)?;
    let sources = [Source {
        id: source,
        kind: SourceKind::Table(reference.db, reference.child),
        name: reference.child.name.name(),
        is_alias: false,
        join: JoinKind::Inner,
        is_exists: false,
        indexed: Indexed::Any,
    }];
    let (sources, terms) = (cg.arena.alloc_slice_copy(&sources), cg.arena.alloc_slice_copy(&terms));
    let request = JoinRequest::of_rows(sources, terms, Purpose::Read);
    let from = cg.plan_from(request)?;
    let loops = begin_loops(cg, &PreparedJoin::without_queries(from))?;
    cg.b.emit(Insn::FkCounter { deferred, delta });
    end_loops(cg, loops)?;
    cg.b.place(done);
    if delta > 0 && !reference.key.deferred {
        note_failure_at_end(cg);
    }
    Ok(())
}

/// The conditions that find the children of the row: their columns equal its key, compared as the parent's columns are.
fn terms<'a>(
    cg: &mut Codegen<'a>,
    reference: &ParentReference<'a>,
    target: &Target<'a>,
    row: Row,
    source: SourceId,
    delta: i32,
) -> Result<Vec<Term<'a>>> {
    let ParentKey { columns, child_columns, .. } = &reference.parent_key;
    let mut terms = Vec::with_capacity(columns.len() + 1);
    for (&column, &child_column) in columns.iter().zip(child_columns) {
        let value = parent_value(cg, target.table, row, column);
        let name = reference.child.columns[usize::from(child_column)].name.name();
        let is_readable = cg.env.authorize_read(reference.child.name.name(), name, reference.db, cg.within())?;
        let of_child =
            if is_readable { cg.resolver.table_column(source, reference.child, child_column) } else { Expr::Null };
        terms.push(where_term(cg.resolver.compare_scalars(CompareOp::Eq, value, of_child)));
    }
    if delta > 0 && std::ptr::eq(reference.child, target.table) {
        // A row that refers to itself is deleted with itself.
        terms.push(where_term(other_row(cg, reference, target, row, source)));
    }
    terms.iter().for_each(|term| cg.planner.context.note_expr(&term.expr));
    Ok(terms)
}

/// The condition that the child is another row than `row`.
fn other_row<'a>(
    cg: &Codegen<'a>,
    reference: &ParentReference<'a>,
    target: &Target<'a>,
    row: Row,
    source: SourceId,
) -> Expr<'a> {
    let Some(key) = target.key() else {
        let rowid = cg.resolver.rowid(source, reference.child);
        let own = computed(row.rowid, rowid_affinity());
        return cg.resolver.compare_scalars(CompareOp::Ne, own, rowid);
    };
    let mut differs: Option<Expr<'a>> = None;
    for column in key.index.key_columns() {
        let IndexTerm::Column(at) = column.term else { continue };
        let own = parent_value(cg, target.table, row, at);
        let other = cg.resolver.table_column(source, reference.child, at);
        let one = cg.resolver.compare_scalars(CompareOp::Ne, own, other);
        differs = Some(match differs {
            None => one,
            Some(others) => Expr::Or(cg.resolver.alloc(others), cg.resolver.alloc(one)),
        });
    }
    differs.expect("a primary key has columns")
}

/// A column of the parent's row with the affinity and the collation that it has in its table.
fn parent_value<'a>(cg: &Codegen<'a>, table: &'a Table, row: Row, column: u16) -> Expr<'a> {
    let definition = &table.columns[usize::from(column)];
    let affinity = if table.rowid_column == Some(column) { rowid_affinity() } else { Some(definition.affinity) };
    let register = computed(register_of(table, row, column), affinity);
    Expr::Collate(cg.resolver.alloc(register), cg.arena.alloc(Coll::of(&definition.collation)))
}

fn rowid_affinity() -> Option<lithe_value::Affinity> {
    Some(lithe_value::Affinity::Integer)
}

fn where_term(expr: Expr<'_>) -> Term<'_> {
    Term { expr, origin: TermOrigin::Where }
}
