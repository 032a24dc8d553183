//! ORDER BY and LIMIT of UPDATE and DELETE.
//!
//! ```text
//!   DELETE FROM t WHERE x ORDER BY y LIMIT 5      is      DELETE FROM t WHERE rowid IN (SELECT rowid FROM t WHERE x ORDER BY y LIMIT 5)
//! ```
//!
//! The rows of a view, and those of UPDATE ... FROM, are found by a query in any case: it gets the clauses.

use lithe_catalog::{Result, Table, fail};
use lithe_sql::ast::{
    Expr, ExprKind, FromItem, Ident, In, InSet, Indexed, LimitedRows, Name, QualifiedName, Query, Quote, ResultColumn,
    ResultColumnKind, Select, SelectCore, Span,
};

use super::{ChangeTarget, RowOrder, target_item};
use crate::ir;
use crate::resolver::Resolver;
use crate::resolver::expr::query::columns::ResultItem;
use crate::resolver::expr::query::order::resolve_order_by;
use crate::resolver::expr::query::resolve_limit;
use crate::resolver::scope::Scope;

/// A statement whose rows are limited.
pub(super) struct Limitable<'s, 'a> {
    /// UPDATE or DELETE.
    pub name: &'static str,
    pub table: QualifiedName<'a>,
    pub alias: Option<Ident<'a>>,
    pub indexed: Indexed<'a>,
    pub filter: Option<&'s Expr<'a>>,
    pub limited: Option<&'a LimitedRows<'a>>,
    /// Whether it has a FROM.
    pub is_joined: bool,
}

impl<'a> Limitable<'_, 'a> {
    /// The target as an item of FROM. An index that must be used is one for the query that finds the rows.
    pub fn item(&self) -> FromItem<'a> {
        let indexed = if self.limited.is_some() && !self.is_joined { Indexed::Any } else { self.indexed };
        target_item(self.table, self.alias, indexed)
    }

    /// WHERE: its own, or that of the limited rows. It is its own where [`Self::order`] has the clauses.
    pub fn filter(&self, resolver: &Resolver<'a>, target: &ChangeTarget<'a>) -> Result<Option<Expr<'a>>> {
        let Some(limited) = self.limited.filter(|_| !self.is_gathered(target)) else { return Ok(self.filter.copied()) };
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

    /// The clauses, resolved as those of the query that finds the rows and computes these columns. Only a view can be ordered without a LIMIT.
    pub fn order(
        &self,
        resolver: &Resolver<'a>,
        scope: &Scope<'_, 'a>,
        target: &ChangeTarget<'a>,
        columns: &[ir::Expr<'a>],
    ) -> Result<RowOrder<'a>> {
        let Some(limited) = self.limited.filter(|_| self.is_gathered(target)) else { return Ok(RowOrder::default()) };
        if limited.limit.is_none() && target.table.view().is_none() {
            return fail(format!("ORDER BY without LIMIT on {}", self.name));
        }
        if target.table.virtual_table().is_some() {
            return fail("not supported yet: LIMIT of UPDATE with FROM of a virtual table");
        }
        let unnamed = |expr| ResultItem { is_alias: false, ..ResultItem::named(expr, Name::new(b""), None) };
        let items: Vec<_> = columns.iter().copied().map(unnamed).collect();
        let order_by = resolve_order_by(resolver, scope, limited.order_by, &items)?;
        let limit = limited.limit.map(|limit| resolve_limit(resolver, scope, limit)).transpose()?;
        Ok(RowOrder { order_by, limit })
    }

    fn is_gathered(&self, target: &ChangeTarget<'a>) -> bool {
        self.is_joined || target.table.view().is_some()
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
    debug_assert!(table.view().is_none(), "the rows of a view have no keys");
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
