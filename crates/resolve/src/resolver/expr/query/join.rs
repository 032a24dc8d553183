//! ON, USING and NATURAL.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use lithe_catalog::{CompileError, ErrorKind, Result};
use lithe_sql::ast::{self, JoinConstraint, JoinKind, Name, Node};

use crate::ir::{AndSide, CompareOp, Expr, Source, Term, TermOrigin, UnaryOp, split_and};
use crate::resolver::Resolver;
use crate::resolver::expr::function::coalesce;
use crate::resolver::expr::resolve_expr;
use crate::resolver::scope::{Scope, ScopeColumns, ScopeSource};
use crate::resolver::source_columns::visible_columns;

/// A FROM clause while it is resolved.
pub(crate) struct FromPart<'a> {
    /// The sources.
    pub sources: ArenaVec<'a, Source<'a>>,
    /// The sources by name.
    pub scope: ArenaVec<'a, ScopeSource<'a>>,
    /// The conditions of ON, USING and the arguments of table-valued functions, for the sources that have any.
    pub conditions: ArenaVec<'a, JoinCondition<'a>>,
    /// Whether there is a RIGHT or FULL JOIN in it.
    pub has_right: bool,
}

impl<'a> FromPart<'a> {
    /// An empty clause with capacity for `count` sources.
    pub fn with_capacity_in(count: usize, arena: &'a Bump) -> FromPart<'a> {
        FromPart {
            sources: ArenaVec::with_capacity_in(count, arena),
            scope: ArenaVec::with_capacity_in(count, arena),
            conditions: ArenaVec::new_in(arena),
            has_right: false,
        }
    }
}

/// The conditions that come with one source.
pub(crate) struct JoinCondition<'a> {
    pub origin: TermOrigin,
    /// ON, which is resolved once all sources are known.
    pub on: Option<ast::Expr<'a>>,
    /// Equalities of USING and NATURAL.
    pub equal: Vec<Expr<'a>>,
    /// Hidden columns of a table-valued function and the arguments that they must equal.
    pub arguments: Vec<(Expr<'a>, ast::Expr<'a>)>,
}

/// The conditions of a FROM clause.
pub(crate) struct JoinTerms<'a> {
    /// Those of ON and USING.
    pub terms: bumpalo::collections::Vec<'a, Term<'a>>,
    /// The first condition is not made of several.
    pub starts_with_one: bool,
    /// Hidden columns of table-valued functions are equal to their arguments.
    pub arguments: Vec<Term<'a>>,
}

impl<'a> JoinTerms<'a> {
    /// Those of a single source.
    pub fn none_in(arena: &'a Bump) -> JoinTerms<'a> {
        let terms = ArenaVec::new_in(arena);
        JoinTerms { terms, starts_with_one: false, arguments: Vec::new() }
    }
}

/// The condition under which `source` is joined to the sources of `part`, and the columns it has in common with them.
pub(super) fn resolve_join_condition<'a>(
    resolver: &Resolver<'a>,
    part: &FromPart<'a>,
    source: &mut ScopeSource<'a>,
    join: ast::Join,
    constraint: &JoinConstraint<'a>,
) -> Result<JoinCondition<'a>> {
    let is_outer = matches!(join.kind, JoinKind::Left | JoinKind::Right | JoinKind::Full);
    let origin = if is_outer { TermOrigin::OuterOn(source.id) } else { TermOrigin::InnerOn(source.id) };
    let mut condition = JoinCondition { origin, on: None, equal: Vec::new(), arguments: Vec::new() };
    match constraint {
        JoinConstraint::None if join.natural => source.using = natural_columns(resolver, part, source),
        JoinConstraint::None => {}
        _ if join.natural => return Err(join_error("a NATURAL join may not have an ON or USING clause")),
        JoinConstraint::On(on) => condition.on = Some(*on),
        JoinConstraint::Using(names) => {
            let names: Vec<Name<'a>> = names.iter().map(|name| name.name).collect();
            source.using = resolver.slice(&names);
        }
    }
    for &name in source.using {
        let left = left_of_using(resolver, part, name)?;
        let right = resolver.column_for_using(source, name).ok_or_else(|| cannot_join(name))?;
        condition.equal.push(resolver.compare_scalars(CompareOp::Eq, left, right));
    }
    Ok(condition)
}

/// ON and USING of all sources, resolved; and the equalities of arguments of table-valued functions, which follow all other
/// conditions.
pub(crate) fn resolve_join_terms<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    from: &FromPart<'a>,
) -> Result<JoinTerms<'a>> {
    let mut terms = bumpalo::collections::Vec::new_in(resolver.arena);
    let mut arguments = Vec::new();
    // How many conjuncts the first condition has.
    let mut first = None;
    for join in &from.conditions {
        for &expr in &join.equal {
            split_and(expr, join.origin, &mut terms);
            first.get_or_insert(terms.len());
        }
        for (column, argument) in &join.arguments {
            let argument = resolve_expr(resolver, scope, argument)?;
            // A column in an argument determines the rows of the function, and is not determined by them.
            let is_column = matches!(argument, Expr::Column(_));
            let value = if is_column { Expr::Unary(UnaryOp::Plus, resolver.alloc(argument)) } else { argument };
            let expr = resolver.compare_scalars(CompareOp::Eq, *column, value);
            arguments.push(Term { expr, origin: join.origin, side: AndSide::Apart });
        }
        if let Some(on) = &join.on {
            let on = resolve_expr(resolver, scope, on).map_err(|error| error_in_on(error, on))?;
            split_and(on, join.origin, &mut terms);
            first.get_or_insert(terms.len());
        }
    }
    Ok(JoinTerms { terms, starts_with_one: first == Some(1), arguments })
}

/// An error that may be in this ON, where it has a place only within a query, as in SQLite.
#[cold]
pub(super) fn error_in_on(error: CompileError, on: &ast::Expr<'_>) -> CompileError {
    let is_in_on = |offset: &u32| (on.span.start..on.span.end).contains(offset);
    let Some(offset) = error.offset.filter(is_in_on) else { return error };
    let mut is_in_query = false;
    ast::walk_expr(on, &mut |node| {
        if let Node::Select(select) = node {
            is_in_query |= select.span.start <= offset && offset < select.span.end;
        }
    });
    if is_in_query { error } else { error.without_offset() }
}

/// NATURAL: the columns that `source` and the left side share.
fn natural_columns<'a>(resolver: &Resolver<'a>, part: &FromPart<'a>, source: &ScopeSource<'a>) -> &'a [Name<'a>] {
    let is_common = |name: &Name<'a>| part.scope.iter().any(|left| resolver.own_column(left, *name).is_some());
    let names: Vec<Name<'a>> = match source.columns {
        // As in SQLite, rowids and what USING has merged count, under the names that the join in parentheses gives them.
        ScopeColumns::Nested(columns, _) => columns.iter().map(|column| column.name).collect(),
        _ => visible_columns(source).into_iter().map(|column| column.name).collect(),
    };
    let common: Vec<Name<'a>> = names.into_iter().filter(is_common).collect();
    resolver.slice(&common)
}

/// The left operand of USING: the leftmost column of that name. With RIGHT and FULL joins anywhere in FROM it is the
/// column that earlier USINGs have merged.
fn left_of_using<'a>(resolver: &Resolver<'a>, part: &FromPart<'a>, name: Name<'a>) -> Result<Expr<'a>> {
    let has_right = part.has_right;
    let mut matches: Vec<Expr<'a>> = Vec::new();
    for source in &part.scope {
        let Some(column) = resolver.column_for_using(source, name) else { continue };
        let is_joined = source.using.contains(&name);
        if !matches.is_empty() && has_right && !is_joined {
            return Err(join_error(format!("ambiguous reference to {name} in USING()")));
        }
        matches.push(column);
    }
    match matches[..] {
        [] => Err(cannot_join(name)),
        [first, ..] if !has_right => Ok(first),
        [one] => Ok(one),
        _ => Ok(coalesce(resolver, &matches)),
    }
}

fn cannot_join(name: Name<'_>) -> CompileError {
    join_error(format!("cannot join using column {name} - column not present in both tables"))
}

/// An error about NATURAL or USING.
fn join_error(message: impl Into<String>) -> CompileError {
    CompileError::new(message).of_kind(ErrorKind::Join)
}
