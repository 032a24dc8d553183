//! The columns of a source as expressions.

use lithe_catalog::Table;
use lithe_sql::ast::Name;
use lithe_value::Affinity;

use super::Resolver;
use super::scope::{ScopeColumns, ScopeSource};
use crate::ir::{Coll, Column, ColumnIndex, Expr, OutputColumn, SourceId};

impl<'a> Resolver<'a> {
    /// Column `position` of a table that is a source.
    pub fn table_column(&self, source: SourceId, table: &'a Table, position: u16) -> Expr<'a> {
        if table.rowid_column == Some(position) {
            return self.rowid(source, table);
        }
        let column = &table.columns[usize::from(position)];
        self.source_column(Column {
            source,
            index: ColumnIndex::new(usize::from(position)),
            affinity: Some(column.affinity),
            collation: Coll::of(&column.collation),
            is_excluded: false,
            is_never_null: false,
            table: Some(table),
        })
    }

    /// The rowid of a table that is a source.
    pub fn rowid(&self, source: SourceId, table: &'a Table) -> Expr<'a> {
        let index = ColumnIndex::ROWID;
        let affinity = Some(Affinity::Integer);
        self.source_column(Column {
            source,
            index,
            affinity,
            collation: Coll::Binary,
            is_excluded: false,
            is_never_null: false,
            table: Some(table),
        })
    }

    /// Column `position` of a query that is a source.
    pub fn query_column(&self, source: SourceId, columns: &[OutputColumn<'a>], position: usize) -> Expr<'a> {
        let OutputColumn { affinity, collation, .. } = columns[position];
        self.source_column(Column {
            source,
            index: ColumnIndex::new(position),
            affinity,
            collation,
            is_excluded: false,
            is_never_null: false,
            table: None,
        })
    }

    pub(super) fn source_column(&self, column: Column<'a>) -> Expr<'a> {
        Expr::Column(self.arena.alloc(column))
    }
}

/// Whether it is one of the names that every rowid has.
pub fn is_rowid_name(name: Name<'_>) -> bool {
    name.is("rowid") || name.is("oid") || name.is("_rowid_")
}

impl<'a> Resolver<'a> {
    /// The column at `position` of a source.
    pub(super) fn column_at(&self, source: &ScopeSource<'a>, position: usize) -> Expr<'a> {
        match source.columns {
            ScopeColumns::Table(table) => self.table_column(source.id, table, position as u16),
            ScopeColumns::Query(columns) | ScopeColumns::Nested(columns, _) => {
                self.query_column(source.id, columns, position)
            }
        }
    }

    /// The column that USING names, which may be a hidden one.
    pub(super) fn column_for_using(&self, source: &ScopeSource<'a>, name: Name<'a>) -> Option<Expr<'a>> {
        match source.columns {
            ScopeColumns::Table(table) => Some(self.table_column(source.id, table, table.column(name)?)),
            ScopeColumns::Query(_) | ScopeColumns::Nested(..) => self.own_column(source, name),
        }
    }

    /// The column of that name, seen without a qualifier.
    pub(super) fn own_column(&self, source: &ScopeSource<'a>, name: Name<'a>) -> Option<Expr<'a>> {
        match source.columns {
            ScopeColumns::Table(table) => {
                let position = table.column(name).filter(|&at| !table.columns[usize::from(at)].hidden)?;
                Some(self.table_column(source.id, table, position))
            }
            ScopeColumns::Query(columns) | ScopeColumns::Nested(columns, _) => {
                let position = columns.iter().position(|column| column.name == name)?;
                Some(self.query_column(source.id, columns, position))
            }
        }
    }
}

/// A column that `*` shows.
#[derive(Clone, Copy)]
pub(super) struct Visible<'a> {
    /// Its name, for the result, USING and NATURAL.
    pub name: Name<'a>,
    /// Its position among the columns of the source.
    pub position: usize,
}

/// The columns that `*` shows of a source.
pub(super) fn visible_columns<'a>(source: &ScopeSource<'a>) -> Vec<Visible<'a>> {
    match source.columns {
        ScopeColumns::Table(table) => {
            let visible = table.columns.iter().enumerate().filter(|(_, column)| !column.hidden);
            visible.map(|(position, column)| Visible { name: column.name.name(), position }).collect()
        }
        ScopeColumns::Query(columns) => {
            let visible = columns.iter().enumerate().filter(|(_, column)| !column.hidden);
            visible.map(|(position, column)| Visible { name: column.name, position }).collect()
        }
        ScopeColumns::Nested(columns, names) => {
            let visible = columns.iter().zip(names).enumerate().filter(|(_, (_, name))| !name.qualified_only);
            visible.map(|(position, (column, _))| Visible { name: column.name, position }).collect()
        }
    }
}

/// The column, if the expression is one.
pub(super) fn as_column<'a>(expr: &Expr<'a>) -> Option<&'a Column<'a>> {
    if let Expr::Column(column) = expr { Some(column) } else { None }
}
