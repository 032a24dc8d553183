//! IN.
//!
//! A short list is compared member by member. Any other becomes a set, built once unless it depends on the row of an enclosing
//! query, and the value is searched in it. The result is NULL, not false, if the value is not found and the value or a member is
//! NULL. Where that makes no difference (in WHERE), the code does not search for NULLs.

use lithe_catalog::{Result, fail};
use lithe_optimize::plan::{ExprQueryWay, QueryPlan};
use lithe_resolve::ir::{CompareOp, Expr, How, In, InSet, affinity_of, is_constant};
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, AffinityListId, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::{Codegen, Destination};
use super::compare;
use super::subquery::{self, NOT_PLANNED};

/// Lists up to this length are compared member by member even if they are constant.
const SHORT_LIST: usize = 2;

/// The targets of IN when it is false or NULL.
#[derive(Clone, Copy)]
struct Ways {
    is_false: Addr,
    is_null: Addr,
}

pub(super) fn jump_if_in<'a>(cg: &mut Codegen<'a>, set: &In<'a>, target: Addr, null_jumps: bool) -> Result<()> {
    let end = cg.b.label();
    emit_in_ways(cg, set, Ways { is_false: end, is_null: if null_jumps { target } else { end } })?;
    cg.b.emit(Insn::Goto { target });
    cg.b.place(end);
    Ok(())
}

pub(super) fn jump_if_not_in<'a>(cg: &mut Codegen<'a>, set: &In<'a>, target: Addr, null_jumps: bool) -> Result<()> {
    let end = cg.b.label();
    emit_in_ways(cg, set, Ways { is_false: target, is_null: if null_jumps { target } else { end } })?;
    cg.b.place(end);
    Ok(())
}

pub(super) fn emit<'a>(cg: &mut Codegen<'a>, set: &In<'a>, dst: Reg) -> Result<()> {
    let (is_false, is_null, end) = (cg.b.label(), cg.b.label(), cg.b.label());
    let result = cg.b.register();
    emit_in_ways(cg, set, Ways { is_false, is_null })?;
    cg.b.emit(Insn::Integer { value: 1, dst: result });
    cg.b.emit(Insn::Goto { target: end });
    cg.b.place(is_false);
    cg.b.emit(Insn::Integer { value: 0, dst: result });
    cg.b.emit(Insn::Goto { target: end });
    cg.b.place(is_null);
    cg.b.emit(Insn::Null { start: result, count: 1 });
    cg.b.place(end);
    cg.emit_copy(result, dst);
    Ok(())
}

/// Falls through if the value is in the set.
fn emit_in_ways<'a>(cg: &mut Codegen<'a>, set: &In<'a>, ways: Ways) -> Result<()> {
    match set.set {
        InSet::List([]) => {
            cg.b.emit(Insn::Goto { target: ways.is_false });
            Ok(())
        }
        InSet::List(items) if items.len() <= SHORT_LIST || !items.iter().all(is_constant) => {
            emit_in_list(cg, set, items, ways)
        }
        _ => emit_in_set(cg, set, ways),
    }
}

/// Compares the value with each member.
fn emit_in_list<'a>(cg: &mut Codegen<'a>, set: &In<'a>, items: &[Expr<'a>], ways: Ways) -> Result<()> {
    let how = set.how[0];
    let nulls_matter = ways.is_null != ways.is_false;
    let found = cg.b.label();
    let value = cg.emit(&set.value)?;
    let null_seen = nulls_matter.then(|| cg.b.temporary());
    if let Some(dst) = null_seen {
        // `dst` is NULL once the value or a member is NULL: AND of anything and NULL is NULL.
        cg.b.emit(Insn::BitAnd { lhs: value.reg, rhs: value.reg, dst });
    }
    let last = items.len() - 1;
    for (at, item) in items.iter().enumerate() {
        let member = cg.emit(item)?;
        if let Some(dst) = null_seen {
            cg.b.emit(Insn::BitAnd { lhs: dst, rhs: member.reg, dst });
        }
        if at == last && !nulls_matter {
            compare::jump_compare(cg, CompareOp::Ne, &how, value.reg, member.reg, ways.is_false, true)?;
        } else {
            compare::jump_compare(cg, CompareOp::Eq, &how, value.reg, member.reg, found, false)?;
        }
        cg.release(member);
    }
    if let Some(reg) = null_seen {
        cg.b.emit(Insn::IsNull { reg, target: ways.is_null });
        cg.b.emit(Insn::Goto { target: ways.is_false });
        cg.b.free(reg);
    }
    cg.release(value);
    cg.b.place(found);
    Ok(())
}

/// Searches the value in a set.
fn emit_in_set<'a>(cg: &mut Codegen<'a>, set: &In<'a>, ways: Ways) -> Result<()> {
    let nulls_matter = ways.is_null != ways.is_false;
    let kind = if nulls_matter { CursorKind::EphemeralIndex } else { CursorKind::EphemeralSet };
    let cursor = match set.set {
        InSet::List(items) => list_set(cg, set, items, kind)?,
        InSet::Query(query) => match subquery::planned(cg, query, ExprQueryWay::is_set)? {
            ExprQueryWay::Rowids(db, table) => {
                let cursor = open_once(cg, |cg| cg.open_table(db, table))?;
                return emit_in_rowids(cg, set, cursor, ways);
            }
            ExprQueryWay::Index(db, table, index) if index.root == table.root => {
                open_once(cg, |cg| cg.open_table(db, table))?
            }
            ExprQueryWay::Index(db, _, index) => open_once(cg, |cg| cg.open_index(db, index))?,
            ExprQueryWay::Set(plan) => query_set(cg, set, plan, kind)?,
            ExprQueryWay::Row(_) | ExprQueryWay::Keys(_) | ExprQueryWay::RowidKeys(..) => return fail(NOT_PLANNED),
        },
    };
    let count = set.how.len();
    let start = compare::emit_row(cg, &set.value)?;
    let affinities = value_affinities(cg, set);
    if affinities != AffinityListId::NONE {
        cg.b.emit(Insn::Affinity { start, affinities });
    }
    let key_count = count as u16;
    if !nulls_matter {
        cg.b.emit(Insn::AnyNull { start, count: count as u32, target: ways.is_false });
        cg.b.emit(Insn::NotFound { cursor, count: key_count, start, target: ways.is_false });
    } else if count == 1 {
        emit_lookup_with_nulls(cg, cursor, start, ways);
    } else {
        emit_row_lookup_with_nulls(cg, cursor, set, start, ways)?;
    }
    Ok(())
}

/// The members are the rowids of a table, none of which is NULL.
fn emit_in_rowids<'a>(cg: &mut Codegen<'a>, set: &In<'a>, cursor: CursorId, ways: Ways) -> Result<()> {
    let value = cg.emit(&set.value)?;
    let (found, is_null) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::IsNull { reg: value.reg, target: is_null });
    cg.b.emit(Insn::SeekRowid { cursor, rowid: value.reg, target: ways.is_false });
    cg.b.emit(Insn::Goto { target: found });
    cg.b.place(is_null);
    cg.b.emit(Insn::Rewind { cursor, target: ways.is_false });
    cg.b.emit(Insn::Goto { target: ways.is_null });
    cg.b.place(found);
    cg.release(value);
    Ok(())
}

fn emit_lookup_with_nulls(cg: &mut Codegen<'_>, cursor: CursorId, start: Reg, ways: Ways) {
    let (found, value_is_null) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::IsNull { reg: start, target: value_is_null });
    cg.b.emit(Insn::Found { cursor, count: 1, start, target: found });
    let null = cg.b.temporary();
    cg.b.emit(Insn::Null { start: null, count: 1 });
    cg.b.emit(Insn::Found { cursor, count: 1, start: null, target: ways.is_null });
    cg.b.free(null);
    cg.b.emit(Insn::Goto { target: ways.is_false });
    cg.b.place(value_is_null);
    cg.b.emit(Insn::Rewind { cursor, target: ways.is_false });
    cg.b.emit(Insn::Goto { target: ways.is_null });
    cg.b.place(found);
}

/// A row that is not found gives NULL if NULLs alone make it differ from a member: each member is compared.
fn emit_row_lookup_with_nulls<'a>(
    cg: &mut Codegen<'a>,
    cursor: CursorId,
    set: &In<'a>,
    start: Reg,
    ways: Ways,
) -> Result<()> {
    let hows = set.how;
    let count = hows.len();
    let (found, scan, next) = (cg.b.label(), cg.b.label(), cg.b.label());
    cg.b.emit(Insn::AnyNull { start, count: count as u32, target: scan });
    cg.b.emit(Insn::Found { cursor, count: count as u16, start, target: found });
    cg.b.place(scan);
    cg.b.emit(Insn::Rewind { cursor, target: ways.is_false });
    let top = cg.b.here();
    let member = cg.b.temporary();
    for (at, how) in hows.iter().enumerate() {
        cg.b.emit(Insn::Column { cursor, column: at as u16, dst: member });
        let how = How { affinity: None, ..*how };
        compare::jump_compare(cg, CompareOp::Ne, &how, member, start.at(at), next, false)?;
    }
    cg.b.free(member);
    cg.b.emit(Insn::Goto { target: ways.is_null });
    cg.b.place(next);
    cg.b.emit(Insn::Next { cursor, target: top });
    cg.b.emit(Insn::Goto { target: ways.is_false });
    cg.b.place(found);
    Ok(())
}

/// The members of a set as keys: each distinct one once, in order.
#[derive(Clone, Copy)]
pub(crate) enum KeySet {
    /// The entries of a tree that was made for them.
    Made(CursorId),
    /// The rowids of a table.
    Rowids(CursorId),
}

/// A cursor on the members of a set whose members are keys of a search.
pub(crate) fn key_set<'a>(cg: &mut Codegen<'a>, set: &In<'a>) -> Result<KeySet> {
    let kind = CursorKind::EphemeralIndex;
    let query = match set.set {
        InSet::List(items) => return list_set(cg, set, items, kind).map(KeySet::Made),
        InSet::Query(query) => query,
    };
    let is_for_keys = |way: &ExprQueryWay<'_>| matches!(way, ExprQueryWay::Keys(_) | ExprQueryWay::RowidKeys(..));
    match subquery::planned(cg, query, is_for_keys)? {
        ExprQueryWay::Keys(plan) => query_set(cg, set, plan, kind).map(KeySet::Made),
        ExprQueryWay::RowidKeys(db, table) => open_once(cg, |cg| cg.open_table(db, table)).map(KeySet::Rowids),
        _ => fail(NOT_PLANNED),
    }
}

/// A tree that was made of the members of a set, each distinct one once and in order.
pub(crate) fn made_key_set<'a>(cg: &mut Codegen<'a>, set: &In<'a>) -> Result<CursorId> {
    match key_set(cg, set)? {
        KeySet::Made(cursor) => Ok(cursor),
        KeySet::Rowids(_) => fail(NOT_PLANNED),
    }
}

/// A cursor on the rows of a query, which are stored here: once, unless the query depends on the row of an enclosing one.
fn query_set<'a>(cg: &mut Codegen<'a>, set: &In<'a>, plan: &'a QueryPlan<'a>, kind: CursorKind) -> Result<CursorId> {
    let (cursor, affinities) = new_set(cg, set, kind)?;
    subquery::once_unless_correlated(cg, plan.query, |cg| {
        cg.b.emit(Insn::OpenEphemeral { cursor });
        cg.emit_query(plan, &Destination::Set { cursor, affinities })
    })?;
    Ok(cursor)
}

fn list_set<'a>(cg: &mut Codegen<'a>, set: &In<'a>, items: &[Expr<'a>], kind: CursorKind) -> Result<CursorId> {
    let (cursor, affinities) = new_set(cg, set, kind)?;
    build_list(cg, items, cursor, affinities)?;
    Ok(cursor)
}

fn new_set<'a>(cg: &mut Codegen<'a>, set: &In<'a>, kind: CursorKind) -> Result<(CursorId, AffinityListId)> {
    let orders: Vec<_> = set.how.iter().map(|how| (how.collation, false, false)).collect();
    let key = cg.key_info(&orders)?;
    Ok((cg.ephemeral(kind, key, set.how.len()), member_affinities(cg, set)))
}

/// Opens a cursor the first time that this place is reached.
fn open_once<'a>(cg: &mut Codegen<'a>, open: impl FnOnce(&mut Codegen<'a>) -> Result<CursorId>) -> Result<CursorId> {
    let opened = cg.b.label();
    if cg.expr.loops > 0 {
        cg.b.emit(Insn::Once { target: opened });
    }
    let cursor = open(cg)?;
    cg.b.place(opened);
    Ok(cursor)
}

fn build_list<'a>(
    cg: &mut Codegen<'a>,
    items: &[Expr<'a>],
    cursor: CursorId,
    affinities: AffinityListId,
) -> Result<()> {
    let is_constant = items.iter().all(is_constant);
    let built = cg.b.label();
    if is_constant && cg.expr.loops > 0 {
        cg.b.emit(Insn::Once { target: built });
    }
    cg.b.emit(Insn::OpenEphemeral { cursor });
    let value = cg.b.temporary();
    let loops = std::mem::take(&mut cg.expr.loops);
    for item in items {
        cg.emit_into(item, value)?;
        cg.b.emit(Insn::IdxInsertRow { flags: 0, cursor, count: 1, affinities, start: value });
    }
    cg.expr.loops = loops;
    cg.b.free(value);
    cg.b.place(built);
    Ok(())
}

/// The affinities to apply to the value: those of the members, unless the value is of one affinity already, as a column is. A
/// column that FULL JOIN USING has merged has the affinity of the first table, although its values may come from the other table:
/// they are not converted, in SQLite neither.
fn value_affinities<'a>(cg: &mut Codegen<'a>, set: &In<'a>) -> AffinityListId {
    match set.how {
        [how] if how.affinity == affinity_of(&set.value) => AffinityListId::NONE,
        hows => set_affinities(cg, hows),
    }
}

/// The affinities to apply to the members. An integer of a list is not converted for a column of REAL affinity, because as a real
/// it might equal other integers.
fn member_affinities<'a>(cg: &mut Codegen<'a>, set: &In<'a>) -> AffinityListId {
    match (set.set, set.how) {
        (InSet::List(_), [how @ How { affinity: Some(Affinity::Real), .. }]) => {
            set_affinities(cg, &[How { affinity: Some(Affinity::Numeric), ..*how }])
        }
        _ => set_affinities(cg, set.how),
    }
}

/// The affinities of a comparison.
fn set_affinities<'a>(cg: &mut Codegen<'a>, hows: &[How<'a>]) -> AffinityListId {
    if hows.iter().all(|how| how.affinity.is_none()) {
        return AffinityListId::NONE;
    }
    let list: Vec<Affinity> = hows.iter().map(|how| how.affinity.unwrap_or(Affinity::Blob)).collect();
    cg.b.affinity_list(&list)
}
