//! AUTOINCREMENT: sqlite_sequence keeps the largest rowid that each such table ever had.

use lithe_sql::ast::Name;
use lithe_value::Affinity;
use lithe_vfs::ResultCode;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{AffinityListId, CursorId, Reg};

use super::target::Target;
use crate::catalog::{NameBuf, SEQUENCE_TABLE};
use crate::codegen::Codegen;
use crate::codegen::ddl::{self, Is};
use crate::error::{CompileError, Result};

/// The columns of sqlite_sequence.
const NAME: u16 = 0;
const SEQ: u16 = 1;
const COUNT: u16 = 2;

/// The largest rowid of a table, while rows are inserted.
pub(super) struct AutoIncrement<'a> {
    /// The register of the largest rowid so far.
    pub max: Reg,
    table: &'a NameBuf,
    cursor: CursorId,
    /// The rowid of the table's row in sqlite_sequence; NULL if there is none yet.
    sequence_rowid: Reg,
}

impl<'a> AutoIncrement<'a> {
    /// Reads the largest rowid, if the table is AUTOINCREMENT.
    pub fn begin(cg: &mut Codegen<'a>, target: &Target<'a>) -> Result<Option<AutoIncrement<'a>>> {
        if !target.table.autoincrement {
            return Ok(None);
        }
        let sequence = cg.env.catalog.schema(target.db).table(Name::new(SEQUENCE_TABLE.as_bytes()));
        let corrupt = || CompileError::new("database disk image is malformed").with_code(ResultCode::CORRUPT_SEQUENCE);
        let sequence = sequence.ok_or_else(corrupt)?;
        let cursor = ddl::open_system_table(cg, target.db, sequence)?;
        let (max, sequence_rowid) = (cg.b.register(), cg.b.register());
        let table = &target.table.name;
        let (is_read, is_number) = (cg.b.label(), cg.b.label());
        cg.b.emit(Insn::Null { start: sequence_rowid, count: 1 });
        cg.b.emit(Insn::Null { start: max, count: 1 });
        ddl::for_each_row(cg, cursor, &[Is::Text(NAME, table.as_bytes())], |cg| {
            cg.b.emit(Insn::Rowid { cursor, dst: sequence_rowid });
            cg.b.emit(Insn::Column { cursor, column: SEQ, dst: max });
            cg.b.emit(Insn::Goto { target: is_read });
        });
        cg.b.place(is_read);
        // What somebody has written there need not be a number.
        cg.b.emit(Insn::Cast { affinity: Affinity::Integer as u8, reg: max });
        cg.b.emit(Insn::NotNull { reg: max, target: is_number });
        cg.b.emit(Insn::Integer { value: 0, dst: max });
        cg.b.place(is_number);
        Ok(Some(AutoIncrement { max, table, cursor, sequence_rowid }))
    }

    /// Writes it back.
    pub fn end(&self, cg: &mut Codegen<'a>) -> Result<()> {
        let cursor = self.cursor;
        let is_there = cg.b.label();
        cg.b.emit(Insn::NotNull { reg: self.sequence_rowid, target: is_there });
        cg.b.emit(Insn::NewRowid { cursor, dst: self.sequence_rowid, autoincrement: Reg::NONE });
        cg.b.place(is_there);
        let (values, record) = (cg.b.registers(usize::from(COUNT)), cg.b.register());
        ddl::load_text(cg, self.table.as_bytes(), values.at(usize::from(NAME)));
        cg.b.emit(Insn::Copy { src: self.max, dst: values.at(usize::from(SEQ)), count: 1 });
        cg.b.emit(Insn::MakeRecord { count: COUNT, affinities: AffinityListId::NONE, start: values, dst: record });
        cg.b.emit(Insn::Insert { flags: insert_flags::APPEND, cursor, rowid: self.sequence_rowid, record });
        Ok(())
    }
}
