//! ON CONFLICT: which unique constraint a clause handles, and what it assigns.

use lithe_catalog::{Index, IndexColumn, IndexTerm, Result, fail};
use lithe_sql::ast::{self, Name};

use super::assign::resolve_assignments;
use super::{ChangeTarget, ChangedColumn, Constraint, ResolvedUpsert, UpsertSet, change_scope};
use crate::ir::{Coll, Expr, SourceId, same};
use crate::resolver::Resolver;
use crate::resolver::expr::resolve_expr;
use crate::resolver::expr::terms::ordinal;
use crate::resolver::scope::{Found, Scope, ScopeSource, Stored};
use crate::resolver::stored::resolve_stored_expr;

pub(super) fn resolve_upserts<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    target: &ChangeTarget<'a>,
    insert: &ast::Insert<'a>,
    (columns, excluded): (&[ChangedColumn], SourceId),
) -> Result<&'a [ResolvedUpsert<'a>]> {
    if let (Some(log), Some(_)) = (&resolver.log, insert.alias) {
        log.note_alias(target.source);
    }
    if insert.upserts.is_empty() {
        return Ok(&[]);
    }
    let found = Found::default();
    let name = insert.alias.map_or(target.table.name.name(), |alias| alias.name);
    let own = target.in_scope(target.source, name);
    let excluded = ScopeSource { qualified_only: true, ..target.in_scope(excluded, Name::new(b"excluded")) };
    let sources = [own, excluded];
    let of_target = change_scope(scope, &sources[..1], &found);
    let of_update = change_scope(scope, &sources, &found);
    let mut constraints = Vec::with_capacity(insert.upserts.len());
    for (at, upsert) in insert.upserts.iter().enumerate() {
        let place = (insert.upserts.len() > 1).then_some(at);
        constraints.push(find_constraint(resolver, &of_target, target, upsert, place)?);
    }
    let mut upserts = bumpalo::collections::Vec::with_capacity_in(insert.upserts.len(), resolver.arena);
    for (at, upsert) in insert.upserts.iter().enumerate() {
        let constraint = constraints[at];
        if !is_reached(target, columns, constraint, &constraints[..at]) && !resolver.only_names {
            continue; // As in SQLite, unknown names are allowed in a SET that no row can reach.
        }
        let update =
            upsert.update.map(|update| resolve_upsert_set(resolver, &of_update, target, update)).transpose()?;
        upserts.push(ResolvedUpsert { constraint, update });
    }
    Ok(upserts.into_bump_slice())
}

fn resolve_upsert_set<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    target: &ChangeTarget<'a>,
    update: &ast::UpsertUpdate<'a>,
) -> Result<UpsertSet<'a>> {
    let set = resolve_assignments(resolver, scope, target, update.set)?;
    let filter = update.filter.as_ref().map(|filter| resolve_expr(resolver, scope, filter)).transpose()?;
    Ok(UpsertSet { set, filter })
}

/// Whether a new row with these columns given can violate the constraint of a clause, and no clause before it is for the same one.
fn is_reached(
    target: &ChangeTarget<'_>,
    columns: &[ChangedColumn],
    constraint: Constraint,
    before: &[Constraint],
) -> bool {
    let is_left = |constraint: &Constraint| !before.contains(constraint) && !before.contains(&Constraint::Any);
    let may_violate = |constraint: &Constraint| match constraint {
        Constraint::Rowid => columns.contains(&ChangedColumn::Rowid),
        _ => true,
    };
    let indexes = target.table.indexes.iter().enumerate().filter(|(_, index)| index.is_unique());
    match constraint {
        Constraint::Any => {
            let all = indexes.map(|(at, _)| Constraint::Index(at)).chain([Constraint::Rowid]);
            all.filter(may_violate).any(|constraint| is_left(&constraint))
        }
        _ => may_violate(&constraint) && is_left(&constraint),
    }
}

/// The constraint that the target of an ON CONFLICT clause names. `place` is the number of the clause among several.
fn find_constraint<'a>(
    resolver: &Resolver<'a>,
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
        terms.push(resolve_expr(resolver, scope, &term.expr)?);
    }
    let filter = upsert.target_filter.as_ref().map(|filter| resolve_expr(resolver, scope, filter)).transpose()?;
    if let [term] = terms[..]
        && is_rowid(&term, target)
    {
        return Ok(Constraint::Rowid);
    }
    for (at, index) in target.table.indexes.iter().enumerate() {
        if index.is_unique() && is_target(resolver, target, index, &terms, filter.as_ref())? {
            return Ok(Constraint::Index(at));
        }
    }
    // SQLite does not look up the constraint when it verifies a schema.
    if resolver.only_names {
        return Ok(Constraint::Rowid);
    }
    let place = place.map_or(String::new(), |place| format!("{} ", ordinal(place)));
    fail(format!("{place}ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint"))
}

/// Whether the terms are the columns of the index, in any order.
pub(super) fn is_target<'a>(
    resolver: &Resolver<'a>,
    target: &ChangeTarget<'a>,
    index: &'a Index,
    terms: &[Expr<'a>],
    filter: Option<&Expr<'a>>,
) -> Result<bool> {
    if terms.len() != usize::from(index.key_count) {
        return Ok(false);
    }
    if let Some(text) = &index.filter {
        let of_index =
            resolve_stored_expr(resolver, text, Stored::PartialIndex, target.source, target.db, target.table)?;
        if !filter.is_some_and(|filter| same(filter, &of_index)) {
            return Ok(false);
        }
    }
    for column in index.key_columns() {
        if !has_column(resolver, target, column, terms)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn has_column<'a>(
    resolver: &Resolver<'a>,
    target: &ChangeTarget<'a>,
    column: &'a IndexColumn,
    terms: &[Expr<'a>],
) -> Result<bool> {
    let wanted = match &column.term {
        // For SQLite, the rowid under its column's name is no column of an index.
        IndexTerm::Column(at) if target.table.rowid_column == Some(*at) => return Ok(false),
        IndexTerm::Column(at) => resolver.table_column(target.source, target.table, *at),
        IndexTerm::Expr(text) => {
            resolve_stored_expr(resolver, text, Stored::Index, target.source, target.db, target.table)?
        }
        IndexTerm::Rowid => return Ok(true),
    };
    // A COLLATE that is written must be the index's; without one the index's collation does not matter.
    let is_same = |term: &Expr<'a>| match term {
        Expr::Collate(inner, collation) => **collation == Coll::of(&column.collation) && same(inner, &wanted),
        term => same(term, &wanted),
    };
    Ok(terms.iter().any(is_same))
}

fn is_rowid(term: &Expr<'_>, target: &ChangeTarget<'_>) -> bool {
    matches!(term, Expr::Column(column) if column.source == target.source && column.index.is_rowid())
}
