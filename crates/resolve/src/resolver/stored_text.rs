//! The texts that the catalog keeps, parsed.

use lithe_catalog::{CompileError, Result, fail};
use lithe_sql::ast::{self, ResultColumnKind, SelectCore, Stmt};
use lithe_sql::{Limits, parse_statement};

use super::Resolver;

impl<'a> Resolver<'a> {
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
        let limits = Limits { loading_schema: true, ..self.env.limits };
        let parsed = parse_statement(text, self.arena, &limits).map_err(|e| CompileError::new(e.message))?;
        let program = parsed.statement.and_then(|statement| statement.program());
        program.map_or_else(|| fail("malformed statement in the schema"), Ok)
    }

    /// Parses a SELECT that the catalog keeps, or that is generated to check a table.
    pub fn parse_stored_select(&self, text: &'a [u8]) -> Result<&'a ast::Select<'a>> {
        match self.parse_stored(text)? {
            Stmt::Select(select) => Ok(select),
            _ => fail("malformed SELECT in the schema"),
        }
    }
}

const PREFIX: &[u8] = b"SELECT ";
