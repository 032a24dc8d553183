//! ON, USING and NATURAL.

use lithe_catalog::{CompileError, ErrorKind, Result};
use lithe_sql::ast::{self, JoinConstraint, JoinKind, Name};

use super::Resolver;
use super::from::{FromPart, JoinCondition};
use super::scope::{Scope, ScopeColumns, ScopeSource};
use super::select::split_and;
use crate::ir::{Column, CompareOp, Expr, Term, TermOrigin};

/// The conditions of a FROM clause.
pub(super) struct JoinTerms<'a> {
    /// Those of ON and USING.
    pub terms: bumpalo::collections::Vec<'a, Term<'a>>,
    /// Hidden columns of table-valued functions are equal to their arguments.
    pub arguments: Vec<Term<'a>>,
}

impl<'a> Resolver<'a> {
    /// The condition under which `source` is joined to the sources of `part`, and the columns it has in common with them.
    pub(super) fn join_condition(
        &self,
        part: &FromPart<'a>,
        source: &mut ScopeSource<'a>,
        join: ast::Join,
        constraint: &JoinConstraint<'a>,
    ) -> Result<JoinCondition<'a>> {
        let is_outer = matches!(join.kind, JoinKind::Left | JoinKind::Right | JoinKind::Full);
        let origin = if is_outer { TermOrigin::OuterOn(source.id) } else { TermOrigin::InnerOn(source.id) };
        let mut condition = JoinCondition { origin, on: None, equal: Vec::new(), arguments: Vec::new() };
        match constraint {
            JoinConstraint::None if join.natural => source.using = self.natural_columns(part, source),
            JoinConstraint::None => {}
            _ if join.natural => return Err(join_error("a NATURAL join may not have an ON or USING clause")),
            JoinConstraint::On(on) => condition.on = Some(*on),
            JoinConstraint::Using(names) => {
                let names: Vec<Name<'a>> = names.iter().map(|name| name.name).collect();
                source.using = self.slice(&names);
            }
        }
        for &name in source.using {
            let left = self.left_of_using(part, name)?;
            let right = self.column_for_using(source, name).ok_or_else(|| cannot_join(name))?;
            condition.equal.push(self.compare_scalars(CompareOp::Eq, left, right));
        }
        Ok(condition)
    }

    /// ON and USING of all sources, resolved; and what the arguments of table-valued functions demand, which comes behind all other
    /// conditions.
    pub(super) fn join_terms(&self, scope: &Scope<'_, 'a>, from: &FromPart<'a>) -> Result<JoinTerms<'a>> {
        let mut terms = bumpalo::collections::Vec::new_in(self.arena);
        let mut arguments = Vec::new();
        for join in &from.conditions {
            join.equal.iter().for_each(|&expr| terms.push(Term { expr, origin: join.origin }));
            for (column, argument) in &join.arguments {
                let expr = self.compare_scalars(CompareOp::Eq, *column, self.expr(scope, argument)?);
                arguments.push(Term { expr, origin: join.origin });
            }
            if let Some(on) = &join.on {
                // SQLite has lost the place of what is wrong in ON.
                let on = self.expr(scope, on).map_err(CompileError::without_offset)?;
                split_and(on, join.origin, &mut terms);
            }
        }
        Ok(JoinTerms { terms, arguments })
    }

    /// NATURAL: the columns of `source` that the left side has too.
    fn natural_columns(&self, part: &FromPart<'a>, source: &ScopeSource<'a>) -> &'a [Name<'a>] {
        let is_common = |name: &Name<'a>| part.scope.iter().any(|left| self.own_column(left, *name).is_some());
        let names = visible_columns(source).into_iter().map(|column| column.name);
        let common: Vec<Name<'a>> = names.filter(is_common).collect();
        self.slice(&common)
    }

    /// The left operand of USING: the leftmost column of that name. With RIGHT and FULL joins anywhere in FROM it is the
    /// column that earlier USINGs have made of several.
    fn left_of_using(&self, part: &FromPart<'a>, name: Name<'a>) -> Result<Expr<'a>> {
        let has_right = part.has_right;
        let mut matches: Vec<Expr<'a>> = Vec::new();
        for source in &part.scope {
            let Some(column) = self.column_for_using(source, name) else { continue };
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
            _ => Ok(self.coalesce(&matches)),
        }
    }

    /// The column at `position` of a source.
    pub(super) fn column_at(&self, source: &ScopeSource<'a>, position: usize) -> Expr<'a> {
        match source.columns {
            ScopeColumns::Table(table) => self.table_column(source.id, table, position as u16),
            ScopeColumns::Query(columns) | ScopeColumns::Nested(columns, _) => {
                self.query_column(source.id, columns, position)
            }
        }
    }

    /// The column that USING means, which may be a hidden one.
    fn column_for_using(&self, source: &ScopeSource<'a>, name: Name<'a>) -> Option<Expr<'a>> {
        match source.columns {
            ScopeColumns::Table(table) => Some(self.table_column(source.id, table, table.column(name)?)),
            ScopeColumns::Query(_) | ScopeColumns::Nested(..) => self.own_column(source, name),
        }
    }

    /// The column of that name, seen without a qualifier.
    pub(super) fn own_column(&self, source: &ScopeSource<'a>, name: Name<'a>) -> Option<Expr<'a>> {
        match source.columns {
            ScopeColumns::Table(table) => {
                let position = table.column(name).filter(|&at| !table.columns[usize::from(at)].hidden)?;
                Some(self.table_column(source.id, table, position))
            }
            ScopeColumns::Query(columns) => {
                let position = columns.iter().position(|column| column.name == name)?;
                Some(self.query_column(source.id, columns, position))
            }
            ScopeColumns::Nested(columns, names) => {
                let is_meant = |at: &usize| names[*at].column == name && !names[*at].qualified_only;
                let position = (0..columns.len()).find(is_meant)?;
                Some(self.query_column(source.id, columns, position))
            }
        }
    }
}

/// A column that `*` shows.
#[derive(Clone, Copy)]
pub(super) struct Visible<'a> {
    /// The name by which USING and NATURAL know it.
    pub name: Name<'a>,
    /// The name that the result gets.
    pub shown: Name<'a>,
    /// Its position among the columns of the source.
    pub position: usize,
}

/// The columns that `*` shows of a source.
pub(super) fn visible_columns<'a>(source: &ScopeSource<'a>) -> Vec<Visible<'a>> {
    match source.columns {
        ScopeColumns::Table(table) => {
            let visible = table.columns.iter().enumerate().filter(|(_, column)| !column.hidden);
            let visible = visible.map(|(position, column)| (position, column.name.name()));
            visible.map(|(position, name)| Visible { name, shown: name, position }).collect()
        }
        ScopeColumns::Query(columns) => {
            let visible = columns.iter().enumerate().filter(|(_, column)| !column.hidden);
            visible.map(|(position, column)| Visible { name: column.name, shown: column.name, position }).collect()
        }
        ScopeColumns::Nested(columns, names) => {
            let visible = names.iter().enumerate().filter(|(_, origin)| !origin.qualified_only);
            let shown = |position: usize| columns[position].name;
            visible
                .map(|(position, origin)| Visible { name: origin.column, shown: shown(position), position })
                .collect()
        }
    }
}

fn cannot_join(name: Name<'_>) -> CompileError {
    join_error(format!("cannot join using column {name} - column not present in both tables"))
}

/// The column behind an expression, if it is one.
pub(super) fn as_column<'a>(expr: &Expr<'a>) -> Option<&'a Column<'a>> {
    if let Expr::Column(column) = expr { Some(column) } else { None }
}

/// An error about NATURAL or USING.
fn join_error(message: impl Into<String>) -> CompileError {
    CompileError::new(message).of_kind(ErrorKind::Join)
}
