//! The child's side: a row that comes or goes, and whether its parent is there.

use lithe_base::ResultCode;
use lithe_catalog::{CompileError, ForeignKey, Result, Table};
use lithe_resolve::ChangeTarget;
use lithe_sql::ast::{Conflict, Name};
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CollationId, CompareFlags, Db, Reg};

use super::Change;
use super::parent_key::{self, ParentKey};
use crate::Codegen;
use crate::write::constraint::emit_failure;
use crate::write::row::Row;
use crate::write::target::{Changed, Target};

/// A foreign key of the table whose rows change.
pub(super) struct ChildKey<'a> {
    db: Db,
    key: &'a ForeignKey,
    parent: &'a Table,
    parent_key: ParentKey<'a>,
}

impl ChildKey<'_> {
    /// Whether the table is the parent.
    pub fn is_to(&self, table: &Table) -> bool {
        std::ptr::eq(self.parent, table)
    }

    /// Whether an UPDATE gives a value to one of its columns.
    pub fn is_changed(&self, table: &Table, changed: &Changed) -> bool {
        self.key.columns.iter().any(|&column| is_changed(table, changed, column))
    }
}

/// Whether the change is about any key of the table.
pub(super) fn is_concerned(target: &ChangeTarget<'_>, change: Change<'_>) -> bool {
    target.table.foreign_keys.iter().any(|key| match change {
        Change::Insert | Change::Delete => true,
        Change::Update(changed) => key.columns.iter().any(|&column| is_changed(target.table, changed, column)),
    })
}

/// The keys of the table that the change is about. If it is about `any` key, it is about those that refer to the table itself.
pub(super) fn keys_of<'a>(
    cg: &Codegen<'a>,
    target: &ChangeTarget<'a>,
    change: Change<'_>,
    any: bool,
) -> Result<Vec<ChildKey<'a>>> {
    let (db, table) = (target.db, target.table);
    let schema = cg.env.catalog.schema(db);
    let is_concerned = |key: &&ForeignKey| match change {
        Change::Insert | Change::Delete => true,
        Change::Update(changed) => {
            any && key.parent == table.name || key.columns.iter().any(|&column| is_changed(table, changed, column))
        }
    };
    let mut keys = Vec::new();
    for key in table.foreign_keys.iter().filter(is_concerned) {
        let parent = schema.table(key.parent.name()).ok_or_else(|| {
            CompileError::new(format!("no such table: {}.{}", cg.env.catalog.database_name(db), key.parent))
        })?;
        keys.push(ChildKey { db, key, parent, parent_key: parent_key::find(table, key, parent)? });
    }
    Ok(keys)
}

/// The keys of the table that have a parent they fit.
pub(super) fn fitting_keys_of<'a>(cg: &Codegen<'a>, target: &ChangeTarget<'a>) -> Vec<ChildKey<'a>> {
    let (db, table) = (target.db, target.table);
    let schema = cg.env.catalog.schema(db);
    let fitting = |key: &'a ForeignKey| {
        let parent = schema.table(key.parent.name())?;
        let parent_key = parent_key::find(table, key, parent).ok()?;
        Some(ChildKey { db, key, parent, parent_key })
    };
    table.foreign_keys.iter().filter_map(fitting).collect()
}

/// The keys of the table that name a parent which is not there.
pub(super) fn orphaned_keys_of<'a>(cg: &Codegen<'a>, target: &ChangeTarget<'a>) -> Vec<&'a ForeignKey> {
    let schema = cg.env.catalog.schema(target.db);
    target.table.foreign_keys.iter().filter(|key| schema.table(key.parent.name()).is_none()).collect()
}

/// A row without a parent goes with its table: one violation less, unless the key has a NULL.
pub(super) fn emit_orphan_goes<'a>(cg: &mut Codegen<'a>, target: &Target<'a>, key: &ForeignKey, row: Row) {
    let fine = cg.b.label();
    for &column in &key.columns {
        cg.b.emit(Insn::IsNull { reg: register_of(target.table, row, column), target: fine });
    }
    cg.b.emit(Insn::FkCounter { deferred: u8::from(key.deferred), delta: -1 });
    cg.b.place(fine);
}

/// Whether an UPDATE gives the column a value; the rowid's other name gets one with the rowid.
pub(super) fn is_changed(table: &Table, changed: &Changed, column: u16) -> bool {
    changed.has_column(column) || changed.rowid && table.rowid_column == Some(column)
}

impl<'a> ChildKey<'a> {
    /// The row comes (`delta` 1) or goes (-1): if it has no parent, the violations are one more or one less.
    ///
    /// A row that comes is not looked at behind the SET NULL of the key itself, as in SQLite, which means the rows that SET NULL changes: so REPLACE puts
    /// rows without a parent into a table that refers to itself.
    pub fn emit_check(&self, cg: &mut Codegen<'a>, target: &Target<'a>, row: Row, delta: i32) -> Result<()> {
        let deferred = u8::from(self.key.deferred);
        let is_readable = self.may_read_parent(cg)?;
        if delta > 0 && cg.write.programs.borrow().end_with_set_null(self.key) {
            return Ok(());
        }
        let fine = cg.b.label();
        if delta < 0 {
            cg.b.emit(Insn::FkIfZero { deferred, target: fine });
        }
        for &column in &self.parent_key.child_columns {
            cg.b.emit(Insn::IsNull { reg: register_of(target.table, row, column), target: fine });
        }
        match self.parent_key.index {
            // A parent that may not be read is not there.
            _ if !is_readable => {}
            None => self.emit_rowid_search(cg, target, row, delta, fine)?,
            Some(_) => self.emit_index_search(cg, target, row, delta, fine)?,
        }
        emit_violation(cg, self.key.deferred, delta);
        cg.b.place(fine);
        Ok(())
    }

    /// Asks the authorizer about the parent's key.
    fn may_read_parent(&self, cg: &Codegen<'a>) -> Result<bool> {
        let mut is_readable = true;
        for &column in &self.parent_key.columns {
            let name = self.parent.columns[usize::from(column)].name.name();
            is_readable &= cg.env.ask_read(self.parent.name.name(), name, self.db, cg.within())?;
        }
        Ok(is_readable)
    }

    /// Goes to `found` if the parent is there, by its rowid.
    fn emit_rowid_search(
        &self,
        cg: &mut Codegen<'a>,
        target: &Target<'a>,
        row: Row,
        delta: i32,
        found: Addr,
    ) -> Result<()> {
        let missing = cg.b.label();
        let key = cg.b.register();
        let child = self.parent_key.child_columns[0];
        cg.b.emit(Insn::Copy { src: register_of(target.table, row, child), dst: key, count: 1 });
        // What is no integer is nobody's rowid.
        cg.b.emit(Insn::MustBeInteger { reg: key, target: missing });
        if delta > 0 && self.is_own_parent(target) {
            let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
            cg.b.emit(Insn::Eq { flags, collation, lhs: row.rowid, rhs: key, target: found });
        }
        let cursor = cg.open_table(self.db, self.parent)?;
        cg.b.emit(Insn::SeekRowid { cursor, rowid: key, target: missing });
        cg.b.emit(Insn::Goto { target: found });
        cg.b.place(missing);
        Ok(())
    }

    /// Goes to `found` if the parent is there, by an index.
    fn emit_index_search(
        &self,
        cg: &mut Codegen<'a>,
        target: &Target<'a>,
        row: Row,
        delta: i32,
        found: Addr,
    ) -> Result<()> {
        let ParentKey { index, columns, child_columns } = &self.parent_key;
        let index = index.expect("the parent is found by an index");
        let count = columns.len();
        if delta > 0 && self.is_own_parent(target) {
            self.emit_own_key(cg, target, row, found);
        }
        let key = cg.b.registers(count);
        for (at, &column) in child_columns.iter().enumerate() {
            cg.b.emit(Insn::Copy { src: register_of(target.table, row, column), dst: key.at(at), count: 1 });
        }
        let affinities: Vec<Affinity> =
            columns.iter().map(|&column| self.parent.columns[usize::from(column)].affinity).collect();
        if affinities.iter().any(|affinity| *affinity != Affinity::Blob) {
            let affinities = cg.b.affinity_list(&affinities);
            cg.b.emit(Insn::Affinity { start: key, affinities });
        }
        let is_table = self.parent.is_without_rowid() && index.root == self.parent.root;
        let cursor = if is_table { cg.open_table(self.db, self.parent)? } else { cg.open_index(self.db, index)? };
        cg.b.emit(Insn::Found { cursor, count: count as u16, start: key, target: found });
        Ok(())
    }

    /// A new row may be its own parent. Its columns are compared as they are: the child's do not get the parent's affinity.
    fn emit_own_key(&self, cg: &mut Codegen<'a>, target: &Target<'a>, row: Row, found: Addr) {
        let differs = cg.b.label();
        let ParentKey { columns, child_columns, .. } = &self.parent_key;
        let (flags, collation) = (CompareFlags(CompareFlags::NULL_JUMPS), CollationId::BINARY);
        for (&of_parent, &of_child) in columns.iter().zip(child_columns) {
            let (lhs, rhs) = (register_of(target.table, row, of_parent), register_of(target.table, row, of_child));
            cg.b.emit(Insn::Ne { flags, collation, lhs, rhs, target: differs });
        }
        cg.b.emit(Insn::Goto { target: found });
        cg.b.place(differs);
    }

    fn is_own_parent(&self, target: &Target<'a>) -> bool {
        std::ptr::eq(self.parent, target.table)
    }
}

/// The register of a column in a row: that of the rowid for its other name.
pub(super) fn register_of(table: &Table, row: Row, column: u16) -> Reg {
    if table.rowid_column == Some(column) { row.rowid } else { row.column(column) }
}

/// One violation more or less. A statement that makes a single change can as well fail at once.
fn emit_violation(cg: &mut Codegen<'_>, deferred: bool, delta: i32) {
    if delta > 0 && !deferred && cg.fails_at_once() {
        let message = "FOREIGN KEY constraint failed".to_owned();
        emit_failure(cg, Conflict::Abort, ResultCode::CONSTRAINT_FOREIGNKEY, message);
        return;
    }
    cg.b.emit(Insn::FkCounter { deferred: u8::from(deferred), delta });
    if delta > 0 && !deferred {
        note_failure_at_end(cg);
    }
}

/// The statement may fail when it ends, all changes being made.
pub(super) fn note_failure_at_end(cg: &mut Codegen<'_>) {
    cg.journal.note_more_changes();
    cg.journal.note_may_abort();
}

/// The name in double quotes.
pub(in crate::write) fn quoted(name: Name<'_>) -> String {
    format!("\"{}\"", name.to_str_lossy().replace('"', "\"\""))
}
