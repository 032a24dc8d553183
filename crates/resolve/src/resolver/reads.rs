//! Authorizer calls about columns and tables that are read.

use lithe_base::Db;
use lithe_catalog::Result;
use lithe_sql::ast::Name;

use super::Resolver;
use super::query_checks::{QueryCheck, WrittenTable};
use super::scope::{Scope, ScopeColumns, ScopeSource};
use crate::ir::Expr;

/// The column, if the authorizer allows it to be read; NULL if it answers SQLITE_IGNORE.
pub(super) fn may_read<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    sources: &[ScopeSource<'a>],
    expr: Expr<'a>,
) -> Result<Expr<'a>> {
    let (Expr::Column(column), Some(_)) = (expr, &resolver.env.authorizer.0) else { return Ok(expr) };
    // For the definition of a table or index, the authorizer was called when that was created.
    if scope.rules.is_loaded {
        return Ok(expr);
    }
    let Some(source) = sources.iter().find(|source| source.id == column.source) else { return Ok(expr) };
    // `excluded` is no table: the authorizer is not called.
    if source.qualified_only && !source.is_trigger_row {
        return Ok(expr);
    }
    let position = column.index.position();
    let (table, name, db) = match source.columns {
        ScopeColumns::Table(table) => {
            if position.is_some() {
                resolver.checks.note_read(source.id);
            }
            let named = position.or(table.rowid_column.map(usize::from)).map(|at| table.columns[at].name.name());
            let db = source.db.or_else(|| Some(resolver.env.catalog.find_table(None, table.name.name())?.db));
            (table.name.name(), named.unwrap_or(Name::new(b"ROWID")), db)
        }
        // Of queries, only views belong to a database.
        ScopeColumns::Query(columns) => match position {
            Some(at) if source.db.is_some() => (source.table_name, columns[at].name, source.db),
            _ => return Ok(expr),
        },
        ScopeColumns::Nested(..) => return Ok(expr),
    };
    let is_allowed = resolver.env.authorize_read(table, name, db.unwrap_or(Db::MAIN), scope.within)?;
    Ok(if is_allowed { expr } else { Expr::Null })
}

/// Calls the authorizer about a table of which rows, but no columns, are read.
pub(super) fn note_tables_without_columns<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    sources: &[ScopeSource<'a>],
) {
    if resolver.env.authorizer.0.is_none() {
        return;
    }
    for source in sources {
        if let ScopeColumns::Table(table) = source.columns
            && !resolver.checks.is_read(source.id)
        {
            let written = resolver.checks.written(source.id);
            let written = written.unwrap_or(WrittenTable { database: None, name: table.name.name() });
            // In a view a table without a database is one of the view's.
            let of_view = || Some(resolver.env.catalog.database_name(scope.fixed_db.and(source.db)?).name());
            let written = WrittenTable { database: written.database.or_else(of_view), ..written };
            resolver.checks.note_table(QueryCheck::rows_of(written, scope.within));
        }
    }
}
