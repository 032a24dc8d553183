//! IN.
//!
//! A short list is compared member by member. Anything else becomes a set, built once unless it depends on the row
//! of an enclosing query, and the value is looked up in it. The answer is NULL, not false, when the value is not found and
//! it or a member is NULL; where that makes no difference (in WHERE), nobody looks for NULLs.

use lithe_catalog::{Result, fail};
use lithe_optimize::plan::{ExprQueryWay, QueryPlan};
use lithe_resolve::ir::{CompareOp, Expr, How, In, InSet, affinity_of, is_constant};
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, AffinityListId, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::{Codegen, Destination};
use super::subquery::NOT_PLANNED;

/// Lists up to this length are compared member by member even if they are constant.
const SHORT_LIST: usize = 2;

/// Where IN goes when it is not true.
#[derive(Clone, Copy)]
struct Ways {
    is_false: Addr,
    is_null: Addr,
}

impl<'a> Codegen<'a> {
    pub(super) fn jump_if_in(&mut self, set: &In<'a>, target: Addr, null_jumps: bool) -> Result<()> {
        let end = self.b.label();
        self.emit_in_ways(set, Ways { is_false: end, is_null: if null_jumps { target } else { end } })?;
        self.b.emit(Insn::Goto { target });
        self.b.place(end);
        Ok(())
    }

    pub(super) fn jump_if_not_in(&mut self, set: &In<'a>, target: Addr, null_jumps: bool) -> Result<()> {
        let end = self.b.label();
        self.emit_in_ways(set, Ways { is_false: target, is_null: if null_jumps { target } else { end } })?;
        self.b.place(end);
        Ok(())
    }

    pub(super) fn emit_in(&mut self, set: &In<'a>, dst: Reg) -> Result<()> {
        let (is_false, is_null, end) = (self.b.label(), self.b.label(), self.b.label());
        let result = self.b.register();
        self.emit_in_ways(set, Ways { is_false, is_null })?;
        self.b.emit(Insn::Integer { value: 1, dst: result });
        self.b.emit(Insn::Goto { target: end });
        self.b.place(is_false);
        self.b.emit(Insn::Integer { value: 0, dst: result });
        self.b.emit(Insn::Goto { target: end });
        self.b.place(is_null);
        self.b.emit(Insn::Null { start: result, count: 1 });
        self.b.place(end);
        self.emit_copy(result, dst);
        Ok(())
    }

    /// Falls through when the value is in the set.
    fn emit_in_ways(&mut self, set: &In<'a>, ways: Ways) -> Result<()> {
        match set.set {
            InSet::List([]) => {
                self.b.emit(Insn::Goto { target: ways.is_false });
                Ok(())
            }
            InSet::List(items) if items.len() <= SHORT_LIST || !items.iter().all(is_constant) => {
                self.emit_in_list(set, items, ways)
            }
            _ => self.emit_in_set(set, ways),
        }
    }

    /// Compares the value with each member.
    fn emit_in_list(&mut self, set: &In<'a>, items: &[Expr<'a>], ways: Ways) -> Result<()> {
        let how = set.how[0];
        let nulls_matter = ways.is_null != ways.is_false;
        let found = self.b.label();
        let value = self.emit(&set.value)?;
        let null_seen = nulls_matter.then(|| self.b.temporary());
        if let Some(dst) = null_seen {
            // NULL as soon as the value or a member is: AND of anything with NULL is never true again.
            self.b.emit(Insn::BitAnd { lhs: value.reg, rhs: value.reg, dst });
        }
        let last = items.len() - 1;
        for (at, item) in items.iter().enumerate() {
            let member = self.emit(item)?;
            if let Some(dst) = null_seen {
                self.b.emit(Insn::BitAnd { lhs: dst, rhs: member.reg, dst });
            }
            if at == last && !nulls_matter {
                self.jump_compare(CompareOp::Ne, &how, value.reg, member.reg, ways.is_false, true)?;
            } else {
                self.jump_compare(CompareOp::Eq, &how, value.reg, member.reg, found, false)?;
            }
            self.release(member);
        }
        if let Some(reg) = null_seen {
            self.b.emit(Insn::IsNull { reg, target: ways.is_null });
            self.b.emit(Insn::Goto { target: ways.is_false });
            self.b.free(reg);
        }
        self.release(value);
        self.b.place(found);
        Ok(())
    }

    /// Looks the value up in a set.
    fn emit_in_set(&mut self, set: &In<'a>, ways: Ways) -> Result<()> {
        let nulls_matter = ways.is_null != ways.is_false;
        let kind = if nulls_matter { CursorKind::EphemeralIndex } else { CursorKind::EphemeralSet };
        let cursor = match set.set {
            InSet::List(items) => self.list_set(set, items, kind)?,
            InSet::Query(query) => match self.planned(query, ExprQueryWay::is_set)? {
                ExprQueryWay::Rowids(db, table) => {
                    let cursor = self.open_once(|cg| cg.open_table(db, table))?;
                    return self.emit_in_rowids(set, cursor, ways);
                }
                ExprQueryWay::Index(db, table, index) if index.root == table.root => {
                    self.open_once(|cg| cg.open_table(db, table))?
                }
                ExprQueryWay::Index(db, _, index) => self.open_once(|cg| cg.open_index(db, index))?,
                ExprQueryWay::Set(plan) => self.query_set(set, plan, kind)?,
                ExprQueryWay::Row(_) | ExprQueryWay::Keys(_) => return fail(NOT_PLANNED),
            },
        };
        let count = set.how.len();
        let start = self.emit_row(&set.value)?;
        let affinities = self.value_affinities(set);
        if affinities != AffinityListId::NONE {
            self.b.emit(Insn::Affinity { start, affinities });
        }
        let key_count = count as u16;
        if !nulls_matter {
            self.b.emit(Insn::AnyNull { start, count: count as u32, target: ways.is_false });
            self.b.emit(Insn::NotFound { cursor, count: key_count, start, target: ways.is_false });
        } else if count == 1 {
            self.emit_lookup_with_nulls(cursor, start, ways);
        } else {
            self.emit_row_lookup_with_nulls(cursor, set, start, ways)?;
        }
        Ok(())
    }

    /// The members are the rowids of a table: none of them is NULL.
    fn emit_in_rowids(&mut self, set: &In<'a>, cursor: CursorId, ways: Ways) -> Result<()> {
        let value = self.emit(&set.value)?;
        let (found, is_null) = (self.b.label(), self.b.label());
        self.b.emit(Insn::IsNull { reg: value.reg, target: is_null });
        self.b.emit(Insn::SeekRowid { cursor, rowid: value.reg, target: ways.is_false });
        self.b.emit(Insn::Goto { target: found });
        self.b.place(is_null);
        self.b.emit(Insn::Rewind { cursor, target: ways.is_false });
        self.b.emit(Insn::Goto { target: ways.is_null });
        self.b.place(found);
        self.release(value);
        Ok(())
    }

    fn emit_lookup_with_nulls(&mut self, cursor: CursorId, start: Reg, ways: Ways) {
        let (found, value_is_null) = (self.b.label(), self.b.label());
        self.b.emit(Insn::IsNull { reg: start, target: value_is_null });
        self.b.emit(Insn::Found { cursor, count: 1, start, target: found });
        let null = self.b.temporary();
        self.b.emit(Insn::Null { start: null, count: 1 });
        self.b.emit(Insn::Found { cursor, count: 1, start: null, target: ways.is_null });
        self.b.free(null);
        self.b.emit(Insn::Goto { target: ways.is_false });
        self.b.place(value_is_null);
        self.b.emit(Insn::Rewind { cursor, target: ways.is_false });
        self.b.emit(Insn::Goto { target: ways.is_null });
        self.b.place(found);
    }

    /// A row that is not found makes NULL if it could be equal to a member but for NULLs: each member is looked at.
    fn emit_row_lookup_with_nulls(&mut self, cursor: CursorId, set: &In<'a>, start: Reg, ways: Ways) -> Result<()> {
        let hows = set.how;
        let count = hows.len();
        let (found, scan, next) = (self.b.label(), self.b.label(), self.b.label());
        self.b.emit(Insn::AnyNull { start, count: count as u32, target: scan });
        self.b.emit(Insn::Found { cursor, count: count as u16, start, target: found });
        self.b.place(scan);
        self.b.emit(Insn::Rewind { cursor, target: ways.is_false });
        let top = self.b.here();
        let member = self.b.temporary();
        for (at, how) in hows.iter().enumerate() {
            self.b.emit(Insn::Column { cursor, column: at as u16, dst: member });
            let how = How { affinity: None, ..*how };
            self.jump_compare(CompareOp::Ne, &how, member, start.at(at), next, false)?;
        }
        self.b.free(member);
        self.b.emit(Insn::Goto { target: ways.is_null });
        self.b.place(next);
        self.b.emit(Insn::Next { cursor, target: top });
        self.b.emit(Insn::Goto { target: ways.is_false });
        self.b.place(found);
        Ok(())
    }

    /// A cursor on the members, each different one once and in order: they are keys.
    pub(crate) fn key_set(&mut self, set: &In<'a>) -> Result<CursorId> {
        let kind = CursorKind::EphemeralIndex;
        let query = match set.set {
            InSet::List(items) => return self.list_set(set, items, kind),
            InSet::Query(query) => query,
        };
        match self.planned(query, |way| matches!(way, ExprQueryWay::Keys(_)))? {
            ExprQueryWay::Keys(plan) => self.query_set(set, plan, kind),
            _ => fail(NOT_PLANNED),
        }
    }

    /// A cursor on the rows of a query: built here, once unless the query depends on the row of an enclosing one.
    fn query_set(&mut self, set: &In<'a>, plan: &'a QueryPlan<'a>, kind: CursorKind) -> Result<CursorId> {
        let (cursor, affinities) = self.new_set(set, kind)?;
        self.once_unless_correlated(plan.query, |cg| {
            cg.b.emit(Insn::OpenEphemeral { cursor });
            cg.emit_query(plan, &Destination::Set { cursor, affinities })
        })?;
        Ok(cursor)
    }

    fn list_set(&mut self, set: &In<'a>, items: &[Expr<'a>], kind: CursorKind) -> Result<CursorId> {
        let (cursor, affinities) = self.new_set(set, kind)?;
        self.build_list(items, cursor, affinities)?;
        Ok(cursor)
    }

    fn new_set(&mut self, set: &In<'a>, kind: CursorKind) -> Result<(CursorId, AffinityListId)> {
        let orders: Vec<_> = set.how.iter().map(|how| (how.collation, false, false)).collect();
        let key = self.key_info(&orders)?;
        Ok((self.ephemeral(kind, key, set.how.len()), self.member_affinities(set)))
    }

    /// Opens a cursor the first time that this place is reached.
    fn open_once(&mut self, open: impl FnOnce(&mut Codegen<'a>) -> Result<CursorId>) -> Result<CursorId> {
        let opened = self.b.label();
        if self.expr.loops > 0 {
            self.b.emit(Insn::Once { target: opened });
        }
        let cursor = open(self)?;
        self.b.place(opened);
        Ok(cursor)
    }

    fn build_list(&mut self, items: &[Expr<'a>], cursor: CursorId, affinities: AffinityListId) -> Result<()> {
        let is_constant = items.iter().all(is_constant);
        let built = self.b.label();
        if is_constant && self.expr.loops > 0 {
            self.b.emit(Insn::Once { target: built });
        }
        self.b.emit(Insn::OpenEphemeral { cursor });
        let value = self.b.temporary();
        let loops = std::mem::take(&mut self.expr.loops);
        for item in items {
            self.emit_into(item, value)?;
            self.b.emit(Insn::IdxInsertRow { flags: 0, cursor, count: 1, affinities, start: value });
        }
        self.expr.loops = loops;
        self.b.free(value);
        self.b.place(built);
        Ok(())
    }

    /// The affinities that the value gets: those of the members, unless it has just this one, as a column has. A column that
    /// FULL JOIN USING has merged has that of the first table though its values may be the other table's: they stay as they
    /// are, in SQLite too.
    fn value_affinities(&mut self, set: &In<'a>) -> AffinityListId {
        match set.how {
            [how] if how.affinity == affinity_of(&set.value) => AffinityListId::NONE,
            hows => self.set_affinities(hows),
        }
    }

    /// The affinities that members get. An integer of a list stays one beside a column of reals: as a real it might equal
    /// others.
    fn member_affinities(&mut self, set: &In<'a>) -> AffinityListId {
        match (set.set, set.how) {
            (InSet::List(_), [how @ How { affinity: Some(Affinity::Real), .. }]) => {
                self.set_affinities(&[How { affinity: Some(Affinity::Numeric), ..*how }])
            }
            _ => self.set_affinities(set.how),
        }
    }

    /// The affinities that are compared with.
    fn set_affinities(&mut self, hows: &[How<'a>]) -> AffinityListId {
        if hows.iter().all(|how| how.affinity.is_none()) {
            return AffinityListId::NONE;
        }
        let list: Vec<Affinity> = hows.iter().map(|how| how.affinity.unwrap_or(Affinity::Blob)).collect();
        self.b.affinity_list(&list)
    }
}
