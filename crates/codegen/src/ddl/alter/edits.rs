//! The rows of the schema table that ALTER TABLE changes.

use lithe_catalog::{NameBuf, Result};
use lithe_sql::ast::Name;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{AffinityListId, Db};

use super::super::system::{self, Is, schema_column};
use crate::Codegen;

/// A row to edit: each field that is `Some` is replaced.
#[derive(Clone, Debug, Default)]
pub(super) struct RowEdit {
    /// "table", "index", "view" or "trigger".
    pub kind: &'static str,
    /// The object's current name.
    pub name: NameBuf,
    /// Its new name.
    pub new_name: Option<NameBuf>,
    /// The new name of its table.
    pub new_table: Option<NameBuf>,
    /// Its new text.
    pub new_sql: Option<Vec<u8>>,
}

impl RowEdit {
    /// Replaces the text of an object, and nothing else.
    pub fn text(kind: &'static str, name: &NameBuf, new_sql: Vec<u8>) -> RowEdit {
        RowEdit { kind, name: name.clone(), new_sql: Some(new_sql), ..RowEdit::default() }
    }
}

/// Emits the edits of the rows.
pub(super) fn write<'a>(cg: &mut Codegen<'a>, db: Db, edits: &[RowEdit]) -> Result<()> {
    if edits.is_empty() {
        return Ok(());
    }
    let schema = system::open_schema_table(cg, db)?;
    let count = schema_column::COUNT;
    let (values, rowid, record) = (cg.b.registers(usize::from(count)), cg.b.register(), cg.b.register());
    for edit in edits {
        let conditions =
            [Is::Text(schema_column::TYPE, edit.kind.as_bytes()), Is::Text(schema_column::NAME, edit.name.as_bytes())];
        system::for_each_row(cg, schema, &conditions, |cg| {
            cg.b.emit(Insn::Columns { cursor: schema, column: 0, dst: values, count: u32::from(count) });
            let new_texts = [
                (schema_column::NAME, edit.new_name.as_ref().map(NameBuf::as_bytes)),
                (schema_column::TBL_NAME, edit.new_table.as_ref().map(NameBuf::as_bytes)),
                (schema_column::SQL, edit.new_sql.as_deref()),
            ];
            for (column, text) in new_texts {
                if let Some(text) = text {
                    system::load_text(cg, text, values.at(usize::from(column)));
                }
            }
            cg.b.emit(Insn::Rowid { cursor: schema, dst: rowid });
            cg.b.emit(Insn::MakeRecord { count, affinities: AffinityListId::NONE, start: values, dst: record });
            cg.b.emit(Insn::Insert { flags: insert_flags::SAVE_POSITION, cursor: schema, rowid, record });
        });
    }
    Ok(())
}

/// Increments the cookie, and reloads the schema of `db`.
pub(super) fn reload(cg: &mut Codegen<'_>, db: Db, old_name: Name<'_>) {
    system::bump_cookie(cg, db);
    system::drop_table_from_catalog(cg, db, old_name);
    system::load_all(cg, db);
}

/// Edits rows of the temporary schema along with that of `db`. Only the other's cookie is incremented: running statements may
/// continue. As in SQLite, temporary triggers are read again even if none is edited: their table is the first of its name now.
pub(super) fn write_temporary<'a>(cg: &mut Codegen<'a>, db: Db, edits: &[RowEdit]) -> Result<()> {
    if edits.is_empty() && (db == Db::TEMP || cg.env.catalog.schema(Db::TEMP).triggers().is_empty()) {
        return Ok(());
    }
    cg.transactions.use_database(Db::TEMP, !edits.is_empty());
    write(cg, Db::TEMP, edits)?;
    system::load_all(cg, Db::TEMP);
    Ok(())
}
