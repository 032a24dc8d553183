//! ORDER BY and LIMIT of UPDATE and DELETE.
//!
//! ```text
//!   DELETE FROM t WHERE x ORDER BY y LIMIT 5      is      DELETE FROM t WHERE rowid IN (SELECT rowid FROM t WHERE x ORDER BY y LIMIT 5)
//! ```

use lithe_catalog::{Result, Table, fail};
use lithe_sql::ast::{
    Expr, ExprKind, FromItem, Ident, In, InSet, Indexed, LimitedRows, Name, QualifiedName, Query, Quote, ResultColumn,
    ResultColumnKind, Select, SelectCore, Span,
};

use super::{ChangeTarget, target_item};
use crate::resolver::Resolver;

/// A statement whose rows are limited.
pub(super) struct Limitable<'s, 'a> {
    /// UPDATE or DELETE.
    pub name: &'static str,
    pub table: QualifiedName<'a>,
    pub alias: Option<Ident<'a>>,
    pub indexed: Indexed<'a>,
    pub filter: Option<&'s Expr<'a>>,
    pub limited: Option<&'a LimitedRows<'a>>,
}

impl<'a> Limitable<'_, 'a> {
    /// The target as an item of FROM. An index that must be used is one for the query that finds the rows.
    pub fn item(&self) -> FromItem<'a> {
        let indexed = if self.limited.is_some() { Indexed::Any } else { self.indexed };
        target_item(self.table, self.alias, indexed)
    }

    /// WHERE: its own, or that of the limited rows.
    pub fn filter(&self, resolver: &Resolver<'a>, target: &ChangeTarget<'a>) -> Result<Option<Expr<'a>>> {
        let Some(limited) = self.limited else { return Ok(self.filter.copied()) };
        if limited.limit.is_none() {
            return fail(format!("ORDER BY without LIMIT on {}", self.name));
        }
        let keys = key_of(target.table, limited.span)?;
        let value = match *keys {
            [key] => key,
            _ => of_leaves(ExprKind::RowValue(resolver.arena.alloc_slice_copy(&keys)), limited.span),
        };
        let select = &*resolver.arena.alloc(self.rows(resolver, target, &keys, limited));
        let set = In { not: false, value, set: InSet::Select(select) };
        let height = select.height.max(value.height) + 1;
        Ok(Some(Expr { kind: ExprKind::In(resolver.arena.alloc(set)), span: limited.span, height }))
    }

    /// The query that finds the keys. Its table is named with the database, because a common table may have the name.
    fn rows(
        &self,
        resolver: &Resolver<'a>,
        target: &ChangeTarget<'a>,
        keys: &[Expr<'a>],
        limited: &LimitedRows<'a>,
    ) -> Select<'a> {
        let arena = resolver.arena;
        let database = resolver.env.catalog.database_name(target.db).name().as_bytes();
        let database = Ident::new(Name::new(arena.alloc_slice_copy(database)), limited.span, Quote::Other);
        let table = QualifiedName { schema: Some(database), name: self.table.name };
        let column = |key: &Expr<'a>| ResultColumn { kind: ResultColumnKind::Expr(*key), alias: None, span: key.span };
        let query = Query {
            columns: arena.alloc_slice_fill_iter(keys.iter().map(column)),
            from: std::slice::from_ref(arena.alloc(target_item(table, self.alias, self.indexed))),
            filter: self.filter.copied(),
            ..Query::default()
        };
        Select {
            with: None,
            first: SelectCore::Query(arena.alloc(query)),
            has_rows_apart: false,
            number: limited.number,
            rest: &[],
            order_by: limited.order_by,
            limit: limited.limit,
            span: limited.span,
            height: limited.height.max(self.filter.map_or(1, |filter| filter.height)),
        }
    }
}

/// What identifies a row of the table: its rowid, or the columns of the primary key.
fn key_of<'a>(table: &'a Table, span: Span) -> Result<Vec<Expr<'a>>> {
    let named = |name: &'a [u8]| of_leaves(ExprKind::Column(Ident::new(Name::new(name), span, Quote::Other)), span);
    if table.view().is_some() {
        return fail("not supported yet: LIMIT of the rows of a view");
    }
    if let Some(key) = table.row_key() {
        return Ok(key.map(|at| named(table.columns[usize::from(at)].name.as_bytes())).collect());
    }
    let names: [&[u8]; 3] = [b"rowid", b"_rowid_", b"oid"];
    match names.into_iter().find(|name| table.column(Name::new(name)).is_none()) {
        Some(name) => Ok(vec![named(name)]),
        None => fail("not supported yet: LIMIT where columns have all names of the rowid"),
    }
}

fn of_leaves<'a>(kind: ExprKind<'a>, span: Span) -> Expr<'a> {
    let height = if matches!(kind, ExprKind::RowValue(_)) { 2 } else { 1 };
    Expr { kind, span, height }
}
