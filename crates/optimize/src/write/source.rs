//! Where the rows of an INSERT come from, and their rowids.

use lithe_catalog::{Result, Table};
use lithe_resolve::ir::{Child, CoreBody, Expr, Query, Source, SourceKind, for_each_child, for_each_in_query};
use lithe_resolve::{ChangedColumn, InsertRows, ResolvedInsert};

use crate::plan::{InsertSource, RowsFor};
use crate::planner::Planner;

/// Where the rowid of a new row comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewRowid {
    /// The table has none.
    Absent,
    /// It is generated: none is given, or NULL.
    Made,
    /// It is this one.
    Integer(i64),
    /// It is the value at this place of a row; it is generated where that is NULL.
    Value(usize),
}

impl NewRowid {
    pub(super) fn of(resolved: &ResolvedInsert<'_>, rows: &InsertSource<'_>) -> NewRowid {
        if !resolved.target.table.has_rowid() {
            return NewRowid::Absent;
        }
        let Some(place) = resolved.place_of(ChangedColumn::Rowid) else { return NewRowid::Made };
        match rows {
            InsertSource::Row { values, .. } => match values[place] {
                Expr::Null => NewRowid::Made,
                Expr::Integer(value) => NewRowid::Integer(value),
                _ => NewRowid::Value(place),
            },
            InsertSource::Query { .. } => NewRowid::Value(place),
        }
    }
}

impl<'a> InsertSource<'a> {
    /// Plans the rows of an INSERT.
    pub(super) fn of(
        planner: &mut Planner<'a>,
        resolved: &ResolvedInsert<'a>,
        has_triggers: bool,
    ) -> Result<InsertSource<'a>> {
        let query = match resolved.rows {
            InsertRows::Default => return Ok(InsertSource::Row { values: &[], queries: &[] }),
            InsertRows::Values(values) if !planner.context.resolver.has_subqueries() => {
                return Ok(InsertSource::Row { values, queries: &[] });
            }
            InsertRows::Values(values) => {
                // The values are computed in the order of the table's columns.
                let columns = (0..resolved.target.width() as u16).map(ChangedColumn::Column);
                let places = columns.chain([ChangedColumn::Rowid]).filter_map(|column| resolved.place_of(column));
                let queries = planner.plan_exprs(places.map(|place| &values[place]), &[])?;
                return Ok(InsertSource::Row { values, queries });
            }
            InsertRows::Query(query) => query,
        };
        let may_read = planner.context.resolver.has_subqueries() || !is_values(query);
        let is_collected = has_triggers || may_read && reads(query, resolved.target.table);
        let plan = planner.plan_query(query, if is_collected { RowsFor::Use } else { RowsFor::Coroutine })?;
        Ok(InsertSource::Query { plan, is_collected })
    }
}

impl InsertSource<'_> {
    /// Whether the column gets a literal other than NULL.
    pub(super) fn is_literal(&self, resolved: &ResolvedInsert<'_>, column: u16) -> bool {
        let Some(place) = resolved.place_of(ChangedColumn::Column(column)) else {
            let default = resolved.target.table.columns[usize::from(column)].default.as_ref();
            return default.and_then(|default| default.value.as_ref()).is_some_and(|value| !value.is_null());
        };
        match self {
            InsertSource::Row { values, .. } => {
                let value = values[place];
                matches!(value, Expr::Integer(_) | Expr::Boolean(_) | Expr::Real(_) | Expr::Text(_) | Expr::Blob(_))
            }
            InsertSource::Query { .. } => false,
        }
    }
}

/// Whether the query is a list of rows and nothing else, in whose expressions queries may stand.
fn is_values(query: &Query<'_>) -> bool {
    matches!(query.cores, [core] if matches!(core.body, CoreBody::Values(_)))
        && query.order_by.is_empty()
        && query.limit.is_none()
}

/// Whether the query reads the table, anywhere.
fn reads<'a>(query: &'a Query<'a>, table: &Table) -> bool {
    let mut found = false;
    let is_it = |source: &Source<'_>| matches!(source.kind, SourceKind::Table(_, t) if std::ptr::eq(t, table));
    for core in query.cores {
        core.for_each_part(&mut |part| {
            found |= matches!(part.body, CoreBody::Select(select) if select.sources.iter().any(is_it));
        });
    }
    for_each_in_query(query, &mut |child| found = found || child_reads(child, table));
    found
}

fn child_reads<'a>(child: Child<'_, 'a>, table: &Table) -> bool {
    match child {
        Child::Query(query) => reads(query, table),
        Child::Expr(expr) => {
            let mut found = false;
            for_each_child(expr, &mut |child| found = found || child_reads(child, table));
            found
        }
    }
}
