//! `x IN (SELECT column FROM table)` without building a set: the table or one of its indexes is the set.

use lithe_catalog::{Index, IndexTerm, Result, Table, TableKind};
use lithe_resolve::ir::{Coll, Column, Expr, How, In, InSet, SourceKind};
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{CursorId, Db};

use super::super::Codegen;

/// Something that has the members of a set already.
pub(super) enum Existing {
    /// A table; the members are its rowids.
    Rowids(CursorId),
    /// An index; the members are the first columns of its entries.
    Index(CursorId),
}

impl<'a> Codegen<'a> {
    /// Opens what has the members of the set already, if there is such a thing.
    pub(super) fn existing_set(&mut self, set: &In<'a>) -> Result<Option<Existing>> {
        let Some((db, table, columns)) = plain_columns(set) else { return Ok(None) };
        if let [column] = columns[..]
            && column.index.is_rowid()
        {
            self.explain.line(|| format!("USING ROWID SEARCH ON TABLE {} FOR IN-OPERATOR", table.name));
            let cursor = self.open_once(|cg| cg.open_table(db, table))?;
            return Ok(Some(Existing::Rowids(cursor)));
        }
        let Some(index) = table.indexes.iter().find(|index| serves(index, &columns, set.how)) else { return Ok(None) };
        self.explain.line(|| format!("USING INDEX {} FOR IN-OPERATOR", index.name));
        let is_table = index.root == table.root;
        let cursor = self.open_once(|cg| if is_table { cg.open_table(db, table) } else { cg.open_index(db, index) })?;
        Ok(Some(Existing::Index(cursor)))
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
}

/// The columns that the query selects, if it selects nothing but columns of all rows of one table.
fn plain_columns<'a>(set: &In<'a>) -> Option<(Db, &'a Table, Vec<&'a Column<'a>>)> {
    let InSet::Query(query) = set.set else { return None };
    let select = query.single_select()?;
    let [source] = select.sources else { return None };
    let SourceKind::Table(db, table) = source.kind else { return None };
    let is_plain = query.limit.is_none()
        && select.terms.is_empty()
        && !select.is_aggregate
        && !select.distinct
        && select.windows.is_empty()
        && matches!(table.kind, TableKind::Ordinary | TableKind::WithoutRowid);
    let column = |expr: &Expr<'a>| match expr {
        Expr::Column(column) if column.source == source.id => Some(*column),
        _ => None,
    };
    let columns = select.columns.iter().map(column).collect::<Option<Vec<_>>>()?;
    is_plain.then_some((db, table, columns))
}

/// Whether the index begins with these columns, ordered as they are compared.
fn serves(index: &Index, columns: &[&Column<'_>], hows: &[How<'_>]) -> bool {
    let is_served = |at: usize| {
        let (key, column, how) = (&index.columns[at], columns[at], &hows[at]);
        let is_it = column.index.position().is_some_and(|position| key.term == IndexTerm::Column(position as u16));
        is_it && Coll::of(&key.collation) == how.collation && keeps_values(how.affinity, column.affinity)
    };
    index.filter.is_none() && columns.len() <= usize::from(index.key_count) && (0..columns.len()).all(is_served)
}

/// Whether values of a column are not changed when a comparison applies `applied` to them.
fn keeps_values(applied: Option<Affinity>, column: Option<Affinity>) -> bool {
    match (applied, column) {
        (None | Some(Affinity::Blob), _) => true,
        (Some(Affinity::Text), column) => column == Some(Affinity::Text),
        (Some(_), column) => column.is_some_and(Affinity::is_numeric),
    }
}
