//! Expressions that the catalog keeps as text: CHECK, generated columns, indexed expressions, WHERE of partial indexes.

use bumpalo::Bump;
use lithe_base::Db;
use lithe_catalog::{CompileError, Result, Table};
use lithe_sql::ast;

use super::Resolver;
use super::expr::resolve_expr;
use super::scope::{Found, Rules, Scope, ScopeColumns, ScopeSource, Stored};
use crate::environment::Environment;
use crate::ir::{Expr, SourceId};

/// Resolves an expression in which nothing but the columns of one table can be seen: `source` stands for its row.
pub(super) fn resolve_stored_expr<'a>(
    resolver: &Resolver<'a>,
    text: &'a [u8],
    clause: Stored,
    source: SourceId,
    db: Db,
    table: &'a Table,
) -> Result<Expr<'a>> {
    let parsed = resolver.parse_stored_expr(text)?;
    // The expression is in the schema already: a name in double quotes may be a string in it, whatever the connection's
    // settings.
    let rules = Rules { is_loaded: true, no_strings_in_double_quotes: false, ..stored_rules(resolver, clause) };
    expr_of_table(resolver, &parsed, text, rules, source, db, table).map_err(CompileError::without_offset)
}

/// As [`resolve_stored_expr`], for the tree of a CREATE statement, which is parsed already.
pub(super) fn resolve_table_expr<'a>(
    resolver: &Resolver<'a>,
    expr: &ast::Expr<'a>,
    text: &'a [u8],
    clause: Stored,
    source: SourceId,
    db: Db,
    table: &'a Table,
) -> Result<Expr<'a>> {
    expr_of_table(resolver, expr, text, stored_rules(resolver, clause), source, db, table)
}

/// Calls the authorizer about the functions and columns in CHECK and generated columns of a new table.
///
/// # Errors
/// If the authorizer denies an action.
pub fn authorize_expressions(env: &Environment, db: Db, table: &Table) -> Result<()> {
    if env.authorizer.0.is_none() {
        return Ok(());
    }
    let arena = Bump::new();
    let resolver = Resolver::new(env, &arena);
    let source = resolver.new_source();
    let checks = table.checks.iter().map(|check| (&check.text, Stored::Check));
    let generated = table.columns.iter().filter_map(|column| column.generated.as_ref());
    let generated = generated.map(|generated| (&generated.text, Stored::Generated));
    for (text, clause) in checks.chain(generated) {
        let parsed = resolver.parse_stored_expr(text)?;
        let resolved = resolve_table_expr(&resolver, &parsed, text, clause, source, db, table);
        resolved.map_err(CompileError::without_offset)?;
    }
    Ok(())
}

fn stored_rules<'a>(resolver: &Resolver<'a>, clause: Stored) -> Rules {
    let no_strings_in_double_quotes = !resolver.env.flags.has_quoted_strings_in_ddl();
    Rules { stored: Some(clause), no_strings_in_double_quotes, ..Rules::default() }
}

fn expr_of_table<'a>(
    resolver: &Resolver<'a>,
    expr: &ast::Expr<'a>,
    text: &'a [u8],
    rules: Rules,
    source: SourceId,
    db: Db,
    table: &'a Table,
) -> Result<Expr<'a>> {
    let found = Found::default();
    let sources = [table_source(source, db, table)];
    let scope = Scope { sources: &sources, rules, ..Scope::outermost(text, &found) };
    resolve_expr(resolver, &scope, expr)
}

/// A table as the one source of a scope.
pub fn table_source<'a>(id: SourceId, db: Db, table: &'a Table) -> ScopeSource<'a> {
    ScopeSource {
        id,
        name: table.name.name(),
        table_name: table.name.name(),
        db: Some(db),
        columns: ScopeColumns::Table(table),
        join: ast::JoinKind::Comma,
        using: &[],
        qualified_only: false,
        is_trigger_row: false,
        is_returned: false,
    }
}
