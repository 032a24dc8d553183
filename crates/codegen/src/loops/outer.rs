//! Outer joins.
//!
//! A LEFT JOIN records whether a row of its source has joined; if none has, the body runs once with NULLs:
//!
//! ```text
//!        matched ← 0
//!        ... search ...                      → none
//!   top: join checks                         → next
//!        matched ← 1
//!   row: row checks, inner loops, body
//!  next: IfNullRow                           → end    (this was the null row)
//!        Next top
//!  none: if matched                          → end
//!        NullRow; goto row
//!   end:
//! ```
//!
//! A RIGHT JOIN records the rows of its source that have joined. Its row part (`row:` up to `next:`) is a subroutine. After all
//! loops, a second scan of the source calls it for each row that is not recorded, with NULLs for all sources of outer loops.

use lithe_catalog::Result;
use lithe_resolve::ir::{Coll, Source};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::{Codegen, ColumnAccess};
use super::columns::{column_of, identity};
use super::source::Opened;

/// The state of a LEFT JOIN.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeftJoin {
    /// Whether a row has joined.
    matched: Reg,
    /// The row part.
    row: Addr,
}

impl LeftJoin {
    /// Begins the join, before the search.
    pub fn begin(cg: &mut Codegen<'_>) -> LeftJoin {
        let join = LeftJoin { matched: cg.b.register(), row: cg.b.label() };
        cg.b.emit(Insn::Integer { value: 0, dst: join.matched });
        join
    }

    /// Records that a row has joined, and begins the row part.
    pub fn row(&self, cg: &mut Codegen<'_>) {
        cg.b.emit(Insn::Integer { value: 1, dst: self.matched });
        cg.b.place(self.row);
    }

    /// Ends the row part, before the next row is sought.
    pub fn before_next(&self, cg: &mut Codegen<'_>, opened: &Opened, end: Addr) {
        cg.b.emit(Insn::IfNullRow { cursor: opened.any_cursor(), target: end });
    }

    /// Emits the null row if no row has joined, after the last row.
    pub fn end(&self, cg: &mut Codegen<'_>, opened: &Opened, end: Addr) {
        cg.b.emit(Insn::If { null_jumps: 0, reg: self.matched, target: end });
        opened.emit_null_row(cg);
        cg.b.emit(Insn::Integer { value: 1, dst: self.matched });
        cg.b.emit(Insn::Goto { target: self.row });
    }
}

/// The state of a RIGHT JOIN.
#[derive(Clone, Copy, Debug)]
pub(super) struct RightJoin<'a> {
    pub source: &'a Source<'a>,
    /// The set of the identities of rows that have joined.
    joined: CursorId,
    /// How the columns are read in the row part.
    pub access: ColumnAccess<'a>,
    /// The return register of the row part, its beginning, and its end.
    ret: Reg,
    row: Addr,
    end: Addr,
    /// The code after the call in the loop.
    next: Addr,
}

impl<'a> RightJoin<'a> {
    /// Begins the join, before all loops.
    pub fn begin(cg: &mut Codegen<'a>, source: &'a Source<'a>, access: ColumnAccess<'a>) -> Result<RightJoin<'a>> {
        let columns = vec![(Coll::Binary, false, false); identity(source).len()];
        let key = cg.key_info(&columns)?;
        let joined = cg.ephemeral(CursorKind::EphemeralSet, key, columns.len());
        cg.b.emit(Insn::OpenEphemeral { cursor: joined });
        Ok(RightJoin {
            source,
            joined,
            access,
            ret: cg.b.register(),
            row: cg.b.label(),
            end: cg.b.label(),
            next: cg.b.label(),
        })
    }

    /// Records that a row joins.
    pub fn note(&self, cg: &mut Codegen<'a>) -> Result<()> {
        let (start, count) = self.emit_identity(cg)?;
        let record = cg.b.temporary();
        let affinities = lithe_vm::operand::AffinityListId::NONE;
        cg.b.emit(Insn::MakeRecord { count, affinities, start, dst: record });
        cg.b.emit(Insn::IdxInsert { flags: 0, cursor: self.joined, count, record, start });
        cg.b.free(record);
        Ok(())
    }

    /// Calls the row part, and begins it here. Returns its end, the target for jumps out of it.
    pub fn row(&self, cg: &mut Codegen<'_>) -> Addr {
        cg.b.emit(Insn::Gosub { ret: self.ret, target: self.row });
        cg.b.emit(Insn::Goto { target: self.next });
        cg.b.place(self.row);
        self.end
    }

    /// Ends the row part.
    pub fn end_row(&self, cg: &mut Codegen<'_>) {
        cg.b.place(self.end);
        cg.b.emit(Insn::Return { ret: self.ret });
        cg.b.place(self.next);
    }

    /// After all loops: calls the row part for the row, unless it has joined. Then the row is recorded as joined, because the
    /// scan may find it again if it is changed meanwhile.
    pub fn emit_unless_joined(&self, cg: &mut Codegen<'a>) -> Result<()> {
        let joined = cg.b.label();
        let (start, count) = self.emit_identity(cg)?;
        cg.b.emit(Insn::Found { cursor: self.joined, count, start, target: joined });
        self.note(cg)?;
        cg.b.emit(Insn::Gosub { ret: self.ret, target: self.row });
        cg.b.place(joined);
        Ok(())
    }

    fn emit_identity(&self, cg: &mut Codegen<'a>) -> Result<(Reg, u16)> {
        let columns = identity(self.source);
        let start = cg.b.registers(columns.len());
        if let ColumnAccess::Cursor { cursor, .. } = self.access {
            // Rows of a query have a rowid in their temporary table, although no expression can refer to it.
            cg.b.emit(Insn::Rowid { cursor, dst: start });
            return Ok((start, 1));
        }
        for (at, &column) in columns.iter().enumerate() {
            cg.emit_into(&column_of(cg, self.source, column), start.at(at))?;
        }
        Ok((start, columns.len() as u16))
    }
}
