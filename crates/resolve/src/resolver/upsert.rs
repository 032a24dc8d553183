//! Which unique constraint an ON CONFLICT clause is about.

use lithe_catalog::{Index, IndexColumn, IndexTerm, Result, fail};
use lithe_sql::ast;

use super::Resolver;
use super::change::{ChangeTarget, Constraint};
use super::order::ordinal;
use super::scope::{Scope, Stored};
use crate::ir::{Coll, Expr, same};

impl<'a> Resolver<'a> {
    /// The constraint that the target of an ON CONFLICT clause names. `place` tells which of several clauses it is.
    pub(super) fn upsert_constraint(
        &self,
        scope: &Scope<'_, 'a>,
        target: &ChangeTarget<'a>,
        upsert: &ast::Upsert<'a>,
        place: Option<usize>,
    ) -> Result<Constraint> {
        if upsert.target.is_empty() {
            return Ok(Constraint::Any);
        }
        let mut terms = Vec::with_capacity(upsert.target.len());
        for term in upsert.target {
            terms.push(self.expr(scope, &term.expr)?);
        }
        let filter = upsert.target_filter.as_ref().map(|filter| self.expr(scope, filter)).transpose()?;
        if let [term] = terms[..]
            && is_rowid(&term, target)
        {
            return Ok(Constraint::Rowid);
        }
        for (at, index) in target.table.indexes.iter().enumerate() {
            if index.is_unique() && self.is_target(target, index, &terms, filter.as_ref())? {
                return Ok(Constraint::Index(at));
            }
        }
        // SQLite does not look for it when it verifies a schema.
        if self.only_names {
            return Ok(Constraint::Rowid);
        }
        let place = place.map_or(String::new(), |place| format!("{} ", ordinal(place)));
        fail(format!("{place}ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint"))
    }

    /// Whether the terms are the columns of the index, in any order.
    fn is_target(
        &self,
        target: &ChangeTarget<'a>,
        index: &'a Index,
        terms: &[Expr<'a>],
        filter: Option<&Expr<'a>>,
    ) -> Result<bool> {
        if terms.len() != usize::from(index.key_count) {
            return Ok(false);
        }
        if let Some(text) = &index.filter {
            let of_index = self.stored_expr(text, Stored::PartialIndex, target.source, target.db, target.table)?;
            if !filter.is_some_and(|filter| same(filter, &of_index)) {
                return Ok(false);
            }
        }
        for column in index.key_columns() {
            if !self.has_column(target, column, terms)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn has_column(&self, target: &ChangeTarget<'a>, column: &'a IndexColumn, terms: &[Expr<'a>]) -> Result<bool> {
        let wanted = match &column.term {
            // The rowid under its column's name is no column of an index to SQLite.
            IndexTerm::Column(at) if target.table.rowid_column == Some(*at) => return Ok(false),
            IndexTerm::Column(at) => self.table_column(target.source, target.table, *at),
            IndexTerm::Expr(text) => self.stored_expr(text, Stored::Index, target.source, target.db, target.table)?,
            IndexTerm::Rowid => return Ok(true),
        };
        // A COLLATE that is written must be the index's; without one the index's collation does not matter.
        let is_same = |term: &Expr<'a>| match term {
            Expr::Collate(inner, collation) => **collation == Coll::of(&column.collation) && same(inner, &wanted),
            term => same(term, &wanted),
        };
        Ok(terms.iter().any(is_same))
    }
}

fn is_rowid(term: &Expr<'_>, target: &ChangeTarget<'_>) -> bool {
    matches!(term, Expr::Column(column) if column.source == target.source && column.index.is_rowid())
}
