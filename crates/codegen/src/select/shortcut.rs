//! `SELECT count(*) FROM t`: counted from the pages, no row is visited.

use lithe_catalog::{Index, Result, Table, TableKind};
use lithe_resolve::ir::{Expr, Select, SourceKind};
use lithe_vm::insn::Insn;

use super::super::Codegen;
use super::sink::Sink;

impl<'a> Codegen<'a> {
    /// Emits the query if it is of that form.
    pub(super) fn emit_count(&mut self, select: &'a Select<'a>, sink: &Sink) -> Result<bool> {
        let Some((db, table)) = counted_table(select) else { return Ok(false) };
        let index = smallest_index(table);
        let cursor = match index {
            Some(index) => self.open_index(db, index)?,
            None => self.open_table(db, table)?,
        };
        self.explain.line(|| match index {
            Some(index) => format!("SCAN {} USING COVERING INDEX {}", select.sources[0].name, index.name),
            None => format!("SCAN {}", select.sources[0].name),
        });
        let end = self.b.label();
        self.emit_offset(sink, end);
        let row = self.row_registers(sink, false);
        self.b.emit(Insn::Count { cursor, dst: row });
        self.deliver(sink, row)?;
        self.b.place(end);
        Ok(true)
    }
}

/// The table, when the query does nothing but count its rows.
fn counted_table<'a>(select: &Select<'a>) -> Option<(lithe_vm::operand::Db, &'a Table)> {
    let ([source], [Expr::Aggregate(call)], [], None) = (select.sources, select.columns, select.terms, &select.having)
    else {
        return None;
    };
    let SourceKind::Table(db, table) = source.kind else { return None };
    let is_count = call.function.is_builtin()
        && call.function.name() == "count"
        && call.args.is_empty()
        && call.filter.is_none()
        && select.aggregates.iter().any(|own| own.id == call.id);
    let is_tree = matches!(table.kind, TableKind::Ordinary | TableKind::WithoutRowid);
    (is_count && is_tree && matches!(source.indexed, lithe_resolve::ir::Indexed::Any)).then_some((db, table))
}

/// The index with the fewest columns, if it has fewer than the table: its tree is likely the smallest.
fn smallest_index(table: &Table) -> Option<&Index> {
    let whole = table.indexes.iter().filter(|index| index.filter.is_none() && index.root != table.root);
    let index = whole.min_by_key(|index| index.columns.len())?;
    (index.columns.len() <= table.stored_columns()).then_some(index)
}
