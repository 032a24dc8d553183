//! `x IN table`.

use lithe_catalog::Result;
use lithe_sql::ast::{self, FromItem, JoinConstraint, SelectNumber};

use super::plain_query;
use super::select::resolve_select;
use crate::ir::Query;
use crate::resolver::Resolver;
use crate::resolver::scope::Scope;

/// `x IN table`: all columns of the table.
pub(crate) fn table_as_query<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    name: ast::QualifiedName<'a>,
    args: &[ast::Expr<'a>],
    number: SelectNumber,
) -> Result<&'a Query<'a>> {
    let number = resolver.select_number(number);
    let item = item_of_set(name, resolver.slice(args));
    let star = ast::ResultColumn { kind: ast::ResultColumnKind::Star, alias: None, span: name.span() };
    let query = ast::Query {
        distinct: false,
        columns: resolver.slice(&[star]),
        from: resolver.slice(&[item]),
        filter: None,
        group_by: &[],
        having: None,
        windows: &[],
    };
    Ok(plain_query(resolver, resolve_select(resolver, scope, &query, &[], None)?, number))
}

/// `x IN table` is `x IN (SELECT * FROM table)`: the item of that FROM.
pub(super) fn item_of_set<'a>(name: ast::QualifiedName<'a>, args: &'a [ast::Expr<'a>]) -> FromItem<'a> {
    FromItem {
        join: ast::Join { natural: false, kind: ast::JoinKind::Comma },
        source: if args.is_empty() { ast::Source::Table(name) } else { ast::Source::Function(name, args) },
        alias: None,
        indexed: ast::Indexed::Any,
        constraint: JoinConstraint::None,
        number: None,
        span: name.span(),
    }
}
