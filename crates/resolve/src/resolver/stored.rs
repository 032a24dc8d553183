//! Expressions and queries that the catalog keeps as text: views, CHECK, DEFAULT, generated columns, indexed
//! expressions, WHERE of partial indexes.

use lithe_base::Db;
use lithe_catalog::{CompileError, ErrorKind, NameBuf, Result, Table, fail};
use lithe_sql::ast::{self, ResultColumnKind, SelectCore, Stmt};
use lithe_sql::parse_statement;

use super::Resolver;
use super::scope::{Found, Rules, Scope, ScopeColumns, ScopeSource, Stored};
use crate::ir::{Derived, Expr, OutputColumn, SourceId};

impl<'a> Resolver<'a> {
    /// Resolves an expression in which nothing but the columns of one table can be seen: `source` stands for its row.
    pub fn stored_expr(
        &self,
        text: &'a [u8],
        clause: Stored,
        source: SourceId,
        db: Db,
        table: &'a Table,
    ) -> Result<Expr<'a>> {
        let parsed = self.parse_stored_expr(text)?;
        // What the schema has already means what it has ever meant.
        let rules = Rules { is_loaded: true, no_strings_in_double_quotes: false, ..self.stored_rules(clause) };
        self.expr_of_table(&parsed, text, rules, source, db, table)
    }

    /// As [`Resolver::stored_expr`], of a tree that is there already: a CREATE statement's.
    pub fn table_expr(
        &self,
        expr: &ast::Expr<'a>,
        text: &'a [u8],
        clause: Stored,
        source: SourceId,
        db: Db,
        table: &'a Table,
    ) -> Result<Expr<'a>> {
        self.expr_of_table(expr, text, self.stored_rules(clause), source, db, table)
    }

    fn stored_rules(&self, clause: Stored) -> Rules {
        let no_strings_in_double_quotes = !self.env.flags.has_quoted_strings_in_ddl();
        Rules { stored: Some(clause), no_strings_in_double_quotes, ..Rules::default() }
    }

    fn expr_of_table(
        &self,
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
        self.expr(&scope, expr).map_err(CompileError::without_offset)
    }

    /// Parses an expression that the catalog keeps.
    pub fn parse_stored_expr(&self, text: &'a [u8]) -> Result<ast::Expr<'a>> {
        let mut select = bumpalo::collections::Vec::with_capacity_in(text.len() + PREFIX.len(), self.arena);
        select.extend_from_slice(PREFIX);
        select.extend_from_slice(text);
        let statement = self.parse_stored(select.into_bump_slice())?;
        if let Stmt::Select(ast::Select { first: SelectCore::Query(query), .. }) = statement
            && let [ast::ResultColumn { kind: ResultColumnKind::Expr(expr), .. }] = query.columns
        {
            return Ok(*expr);
        }
        fail("malformed expression in the schema")
    }

    /// Parses a statement that the catalog keeps.
    pub fn parse_stored(&self, text: &'a [u8]) -> Result<Stmt<'a>> {
        let parsed = parse_statement(text, self.arena, &self.env.limits).map_err(|e| CompileError::new(e.message))?;
        let program = parsed.statement.and_then(|statement| statement.program());
        program.map_or_else(|| fail("malformed statement in the schema"), Ok)
    }

    /// A view as a source.
    pub fn view(&self, db: Db, table: &'a Table) -> Result<&'a Derived<'a>> {
        let view = table.view().expect("only views are expanded");
        if !self.env.flags.views {
            return fail(format!("access to view \"{}\" prohibited", table.name));
        }
        if self.views.borrow().iter().any(|open| std::ptr::eq(*open, table)) {
            let message = format!("view {} is circularly defined", table.name);
            return Err(CompileError::new(message).of_kind(ErrorKind::Recursion));
        }
        let Stmt::Select(select) = self.parse_stored(&view.select)? else {
            return fail(format!("malformed view {}", table.name));
        };
        self.views.borrow_mut().push(table);
        self.has_nested.set(true);
        let found = Found::default();
        let fixed_db = (db != Db::TEMP).then_some(db);
        let rules = Rules { no_strings_in_double_quotes: !self.env.flags.dqs_ddl, ..Rules::default() };
        let within = Some(table.name.name());
        let scope = Scope { rules, fixed_db, within, ..Scope::outermost(&view.select, &found) };
        let query = self.query(&scope, select).map_err(CompileError::without_offset);
        self.views.borrow_mut().pop();
        let query = query?;
        let columns = match self.only_names {
            true => self.named_columns(query.columns, &view.columns),
            false => view_columns(query.columns, &view.columns, table)?,
        };
        Ok(self.derived(query, &columns, Some(table), None))
    }

    /// As [`view_columns`], for a schema that is verified: SQLite does not count the columns then, and knows those of the list.
    fn named_columns(&self, columns: &[OutputColumn<'a>], names: &'a [NameBuf]) -> Vec<OutputColumn<'a>> {
        if names.is_empty() {
            return columns.to_vec();
        }
        let null = super::plain_output(&Expr::Null);
        let column = |at| columns.get(at).copied().unwrap_or(null);
        names.iter().enumerate().map(|(at, name)| column(at).renamed(name.name())).collect()
    }
}

const PREFIX: &[u8] = b"SELECT ";

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
    }
}

fn view_columns<'a>(columns: &[OutputColumn<'a>], names: &'a [NameBuf], view: &Table) -> Result<Vec<OutputColumn<'a>>> {
    let mut columns = columns.to_vec();
    if names.is_empty() {
        return Ok(columns);
    }
    if names.len() != columns.len() {
        let message = format!("expected {} columns for '{}' but got {}", names.len(), view.name, columns.len());
        return fail(message);
    }
    columns.iter_mut().zip(names).for_each(|(column, name)| *column = column.renamed(name.name()));
    Ok(columns)
}
