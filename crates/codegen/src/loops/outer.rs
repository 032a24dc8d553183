//! Outer joins.
//!
//! A LEFT JOIN notes whether a row of its source has joined; if none has, the body runs once with NULLs:
//!
//! ```text
//!        matched ← 0
//!        ... search ...                      → none
//!   top: join checks                         → next
//!        matched ← 1
//!   row: row checks, inner loops, body
//!  next: IfNullRow                           → end    (this was the row of NULLs)
//!        Next top
//!  none: if matched                          → end
//!        NullRow; goto row
//!   end:
//! ```
//!
//! A RIGHT JOIN notes the rows of its source that have joined. Its row part (`row:` up to `next:`) is a subroutine; when
//! all loops are done, a second scan of the source calls it for each row that has not been noted, with NULLs for all
//! sources outside.

use lithe_catalog::Result;
use lithe_resolve::ir::{Coll, Source};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::{Codegen, ColumnAccess};
use super::columns::{column_of, identity};
use super::source::Opened;

/// What a LEFT JOIN remembers.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeftJoin {
    /// Whether a row has joined.
    matched: Reg,
    /// The row part.
    row: Addr,
}

impl LeftJoin {
    /// Before the search.
    pub fn begin(cg: &mut Codegen<'_>) -> LeftJoin {
        let join = LeftJoin { matched: cg.b.register(), row: cg.b.label() };
        cg.b.emit(Insn::Integer { value: 0, dst: join.matched });
        join
    }

    /// A row has joined; the row part begins.
    pub fn row(&self, cg: &mut Codegen<'_>) {
        cg.b.emit(Insn::Integer { value: 1, dst: self.matched });
        cg.b.place(self.row);
    }

    /// The row part has ended; before the next row is sought.
    pub fn before_next(&self, cg: &mut Codegen<'_>, opened: &Opened, end: Addr) {
        cg.b.emit(Insn::IfNullRow { cursor: opened.any_cursor(), target: end });
    }

    /// No (more) rows: the row of NULLs, if it is due.
    pub fn end(&self, cg: &mut Codegen<'_>, opened: &Opened, end: Addr) {
        cg.b.emit(Insn::If { null_jumps: 0, reg: self.matched, target: end });
        opened.emit_null_row(cg);
        cg.b.emit(Insn::Integer { value: 1, dst: self.matched });
        cg.b.emit(Insn::Goto { target: self.row });
    }
}

/// What a RIGHT JOIN remembers.
#[derive(Clone, Copy, Debug)]
pub(super) struct RightJoin<'a> {
    pub source: &'a Source<'a>,
    /// The set of what identifies rows that have joined.
    joined: CursorId,
    /// How the columns are read in the row part.
    pub access: ColumnAccess<'a>,
    /// Where the row part returns to, where it begins, and its end.
    ret: Reg,
    row: Addr,
    end: Addr,
    /// Behind the call in the loop.
    next: Addr,
}

impl<'a> RightJoin<'a> {
    /// Before all loops.
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

    /// A row joins: it is noted, and the row part is called.
    pub fn note(&self, cg: &mut Codegen<'a>) -> Result<()> {
        let (start, count) = self.emit_identity(cg)?;
        let record = cg.b.temporary();
        let affinities = lithe_vm::operand::AffinityListId::NONE;
        cg.b.emit(Insn::MakeRecord { count, affinities, start, dst: record });
        cg.b.emit(Insn::IdxInsert { flags: 0, cursor: self.joined, count, record, start });
        cg.b.free(record);
        Ok(())
    }

    /// Calls the row part, which begins here. Gives where it is left.
    pub fn row(&self, cg: &mut Codegen<'_>) -> Addr {
        cg.b.emit(Insn::Gosub { ret: self.ret, target: self.row });
        cg.b.emit(Insn::Goto { target: self.next });
        cg.b.place(self.row);
        self.end
    }

    /// The row part ends here.
    pub fn end_row(&self, cg: &mut Codegen<'_>) {
        cg.b.place(self.end);
        cg.b.emit(Insn::Return { ret: self.ret });
        cg.b.place(self.next);
    }

    /// After all loops: calls the row part for the row, unless it has joined. It counts as joined then: the scan may meet it again if
    /// somebody changes it meanwhile.
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
            // Rows of a query have a rowid where they are kept, though no expression can ask for it.
            cg.b.emit(Insn::Rowid { cursor, dst: start });
            return Ok((start, 1));
        }
        for (at, &column) in columns.iter().enumerate() {
            cg.emit_into(&column_of(cg, self.source, column), start.at(at))?;
        }
        Ok((start, columns.len() as u16))
    }
}
