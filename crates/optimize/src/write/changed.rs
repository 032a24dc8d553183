//! Which columns an UPDATE changes, and what depends on them.

use lithe_catalog::{Result, Table};
use lithe_resolve::ir::{Child, ColumnIndex, Expr, SourceId, for_each_child};
use lithe_resolve::{Assigned, ChangeTarget, ChangedColumn, Resolver, Stored};

use crate::access::ColumnSet;

/// Which columns an UPDATE changes, generated ones included.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// Those of the table.
    columns: ColumnSet,
    /// The rowid gets a value.
    pub rowid: bool,
    /// The entries of all indexes are made anew.
    pub all_indexes: bool,
    /// Rows that REPLACE would delete are searched in all unique indexes, even in those that do not change.
    pub checks_all_indexes: bool,
}

impl Changed {
    /// What SET changes, with the generated columns that depend on it.
    pub fn of<'a>(resolver: &Resolver<'a>, change: &ChangeTarget<'a>, set: &[Assigned<'a>]) -> Result<Changed> {
        let table = change.table;
        let mut changed = Changed::default();
        for assigned in set {
            match assigned.column {
                ChangedColumn::Column(at) => changed.insert(at),
                ChangedColumn::Rowid => changed.rowid = true,
            }
        }
        // A generated column may depend on another one, so the loop runs until nothing changes.
        let mut grows = table.has_generated_columns();
        while grows {
            grows = false;
            for (at, column) in table.columns.iter().enumerate() {
                let Some(generated) = &column.generated else { continue };
                let value =
                    resolver.stored_expr(&generated.text, Stored::Generated, change.source, change.db, table)?;
                if !changed.has_column(at as u16) && changed.is_used_by(&value, change.source, table) {
                    changed.insert(at as u16);
                    grows = true;
                }
            }
        }
        Ok(changed)
    }

    fn insert(&mut self, column: u16) {
        self.columns.insert(ColumnIndex::new(usize::from(column)));
    }

    /// Whether the column at this position gets a value.
    pub fn has_column(&self, column: u16) -> bool {
        self.columns.contains(ColumnIndex::new(usize::from(column)))
    }

    /// Whether the column gets a value; the rowid's other name gets one with the rowid.
    pub fn has(&self, table: &Table, column: u16) -> bool {
        self.has_column(column) || self.rowid && table.rowid_column == Some(column)
    }

    /// Whether `expr` uses a changed column of the row `source` of the table.
    pub(crate) fn is_used_by(&self, expr: &Expr<'_>, source: SourceId, table: &Table) -> bool {
        if let Expr::Column(column) = expr {
            return column.source == source && self.has_index(table, column.index);
        }
        let mut found = false;
        for_each_child(expr, &mut |child| {
            if let Child::Expr(operand) = child {
                found = found || self.is_used_by(operand, source, table);
            }
        });
        found
    }

    fn has_index(&self, table: &Table, column: ColumnIndex) -> bool {
        match column.position() {
            Some(_) => self.columns.contains(column),
            None => self.rowid || table.rowid_column.is_some_and(|at| self.has_column(at)),
        }
    }
}
