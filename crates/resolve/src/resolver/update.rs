//! UPDATE: what it assigns, and to which rows.

use lithe_catalog::{IndexTerm, Result};
use lithe_sql::ast::{self, FromItem};

use super::change::{Assigned, ChangeTarget, ResolvedChange, change_scope, check_target_is_not_in, target_item};
use super::from::FromPart;
use super::scope::{Found, Rules, Scope};
use super::select::SelectPart;
use super::{Resolver, plain_output};
use crate::ir::{CoreBody, Query, Select, Source, Term};

impl<'a> Resolver<'a> {
    /// Resolves an UPDATE.
    pub fn update(&self, base: &Scope<'_, 'a>, update: &ast::Update<'a>) -> Result<ResolvedChange<'a>> {
        self.asking_at_end(|| self.resolve_update(base, update))
    }

    fn resolve_update(&self, base: &Scope<'_, 'a>, update: &ast::Update<'a>) -> Result<ResolvedChange<'a>> {
        let found = Found::default();
        let item = target_item(update.table, update.alias, update.indexed);
        let mut from = self.from(base, &[item], &found, None)?;
        let target = self.target_of(base, update.table, &from)?;
        self.with_tables(base, update.with, |scope| {
            if !update.from.is_empty() {
                // What SET names is looked up before FROM, what it assigns after it.
                for column in update.set.iter().flat_map(|assignment| assignment.columns.iter()) {
                    self.assigned_column(&target, column.name)?;
                }
            }
            let joined = self.joined_to_target(scope, update.from, &found)?;
            // ON sees the tables of FROM only.
            let on = change_scope(scope, &joined.scope, &found);
            let terms = self.join_terms(&on, &joined)?;
            from.sources.extend(joined.sources);
            from.scope.extend(joined.scope);
            let row = change_scope(scope, &from.scope, &found);
            // With FROM, SET has the place of the result columns of a SELECT.
            let is_select =
                !update.from.is_empty() && target.table.view().is_none() && target.table.virtual_table().is_none();
            let rules = Rules { aggregates: is_select, windows: is_select, ..row.rules };
            let set = self.assignments(&row.with_rules(rules), &target, update.set)?;
            let terms = self.add_filter(&row, &from.sources, update.filter.as_ref(), terms)?;
            check_target_is_not_in(&from, &target)?;
            let sources = self.slice(&from.sources);
            let gathered = self.gathered(&target, sources, terms, set, &found);
            let returning = self.returning(base, &target, update.returning)?;
            Ok(ResolvedChange { target, or: update.or, sources, terms, set, gathered, returning })
        })
    }

    /// The query of [`ResolvedChange::gathered`].
    fn gathered(
        &self,
        target: &ChangeTarget<'a>,
        sources: &'a [Source<'a>],
        terms: &'a [Term<'a>],
        set: &[Assigned<'a>],
        found: &Found<'a>,
    ) -> Option<&'a Query<'a>> {
        let (aggregates, windows) = (found.aggregates.borrow(), found.windows.borrow());
        if aggregates.is_empty() && windows.is_empty() {
            return None;
        }
        let mut exprs = match target.table.primary_key().filter(|_| target.table.is_without_rowid()) {
            None => vec![self.rowid(target.source, target.table)],
            Some(key) => {
                let column = |term: &IndexTerm| match *term {
                    IndexTerm::Column(at) => Some(self.table_column(target.source, target.table, at)),
                    IndexTerm::Rowid | IndexTerm::Expr(_) => None,
                };
                key.key_columns().iter().filter_map(|key| column(&key.term)).collect()
            }
        };
        exprs.extend(set.iter().map(|assigned| assigned.value));
        let columns = self.arena.alloc_slice_fill_iter(exprs.iter().map(plain_output));
        let body = CoreBody::Select(self.arena.alloc(Select {
            distinct: false,
            columns: self.slice(&exprs),
            sources,
            terms,
            group_by: &[],
            having: None,
            aggregates: self.slice(&aggregates),
            is_aggregate: !aggregates.is_empty(),
            windows: self.slice(&windows),
        }));
        let uses = found.outer.borrow().clone();
        Some(self.plain_query(SelectPart { body, columns, order_by: &[], uses, span: ast::Span::default() }))
    }

    /// The FROM of an UPDATE. The target joins all of it: where a RIGHT JOIN makes a difference, it is a join of its own.
    fn joined_to_target(
        &self,
        scope: &Scope<'_, 'a>,
        items: &'a [FromItem<'a>],
        found: &Found<'a>,
    ) -> Result<FromPart<'a>> {
        let mut joined = FromPart::with_capacity_in(items.len(), self.arena);
        let (Some(first), true) = (items.first(), items.iter().any(super::from::is_right)) else {
            for item in items {
                self.from_item(scope, item, item.join, &mut joined, found, None)?;
            }
            return Ok(joined);
        };
        let item = FromItem {
            join: ast::Join { natural: false, kind: ast::JoinKind::Comma },
            source: ast::Source::Nested(items),
            alias: None,
            indexed: ast::Indexed::Any,
            constraint: ast::JoinConstraint::None,
            span: first.span,
        };
        self.whole_item(scope, &item, item.join, &mut joined, found, None)?;
        Ok(joined)
    }
}
