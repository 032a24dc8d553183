//! AUTOINCREMENT: sqlite_sequence keeps the largest rowid that each such table ever had.

use lithe_sql::ast::Name;
use lithe_value::Value;
use lithe_vfs::ResultCode;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{ConstId, CursorId, Reg};

use super::target::Target;
use crate::catalog::SEQUENCE_TABLE;
use crate::codegen::Codegen;
use crate::codegen::ddl;
use crate::error::{CompileError, Result};

/// The largest rowid of a table, while rows are inserted.
pub(super) struct AutoIncrement {
    /// The register of the largest rowid so far.
    pub max: Reg,
    /// The table's name.
    name: ConstId,
    /// On sqlite_sequence.
    cursor: CursorId,
    /// The rowid of the table's row there; NULL if there is none yet.
    rowid: Reg,
}

impl AutoIncrement {
    /// Reads the largest rowid, if the table is AUTOINCREMENT.
    pub fn begin(cg: &mut Codegen<'_>, target: &Target<'_>) -> Result<Option<AutoIncrement>> {
        if !target.table.autoincrement {
            return Ok(None);
        }
        let sequence = cg.env.catalog.schema(target.db).table(Name::new(SEQUENCE_TABLE.as_bytes()));
        let corrupt = || CompileError::new("database disk image is malformed").with_code(ResultCode::CORRUPT_SEQUENCE);
        let cursor = ddl::open_system_table(cg, target.db, sequence.ok_or_else(corrupt)?)?;
        let (max, rowid) = (cg.b.register(), cg.b.register());
        let name = cg.b.constant(Value::text(target.table.name.as_bytes()));
        cg.b.emit(Insn::ReadSequence { cursor, name, rowid, max });
        Ok(Some(AutoIncrement { max, name, cursor, rowid }))
    }

    /// Writes it back.
    pub fn end(&self, cg: &mut Codegen<'_>) {
        let AutoIncrement { max, name, cursor, rowid } = *self;
        cg.b.emit(Insn::WriteSequence { cursor, name, rowid, max });
    }
}
