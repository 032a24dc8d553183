//! Resolution for CREATE statements: DEFAULT values, names in expressions, the check that views and triggers use only
//! their own database.

use bumpalo::Bump;
use lithe_base::Db;
use lithe_catalog::{CompileError, Result, fail};
use lithe_sql::ast::{
    BinaryOp, CreateTrigger, ExprKind, FromItem, Ident, InSet, Name, Node, QualifiedName, Select, Source, Stmt,
    is_folded_to_zero, walk_select, walk_stmt,
};
use lithe_sql::{Limits, parse_statement};

use super::Resolver;
use super::expr::resolve_expr;
use super::scope::{Found, Rules, Scope};
use crate::ir::Expr;

/// Resolves a DEFAULT, which sees no names at all.
pub(super) fn resolve_default<'a>(resolver: &Resolver<'a>, text: &'a [u8]) -> Result<Expr<'a>> {
    let parsed = resolver.parse_stored_expr(text)?;
    let found = Found::default();
    let no_strings_in_double_quotes = !resolver.env.flags.has_quoted_strings_in_ddl();
    let rules = Rules { no_strings_in_double_quotes, in_default: true, is_loaded: true, ..Rules::default() };
    // A default is part of a schema, whichever that is, so only functions that a schema may call are allowed.
    let scope = Scope { rules, fixed_db: Some(Db::MAIN), ..Scope::outermost(text, &found) };
    resolve_expr(resolver, &scope, &parsed).map_err(CompileError::without_offset)
}

/// "view v cannot reference objects in database x", because a view that is not temporary remains when other databases
/// are detached.
pub(super) fn refuse_other_databases<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    name: Ident<'_>,
    sql: &[u8],
    select: &Select<'a>,
) -> Result<()> {
    let mut foreign = None;
    walk_select(select, &mut |node| foreign = foreign.or_else(|| foreign_name(resolver, db, node)));
    let written = String::from_utf8_lossy(name.span().text(sql));
    refuse("view", &written, foreign).map_err(|error| error.with_offset(Some(name.span().start)))
}

/// The same of a trigger.
pub(super) fn refuse_other_databases_in_trigger<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    create: &'a CreateTrigger<'a>,
) -> Result<()> {
    let mut foreign = None;
    walk_stmt(&Stmt::CreateTrigger(create), &mut |node| foreign = foreign.or_else(|| foreign_name(resolver, db, node)));
    refuse("trigger", &create.name.name.name.to_str_lossy(), foreign)
}

/// The database of a table's name that is not `db`.
fn foreign_name<'a>(resolver: &Resolver<'a>, db: Db, node: Node<'_, 'a>) -> Option<Name<'a>> {
    let name: QualifiedName<'a> = match node {
        Node::FromItem(FromItem { source: Source::Table(name) | Source::Function(name, _), .. }) => *name,
        Node::Expr(expr) => match &expr.kind {
            ExprKind::In(set) => match set.set {
                InSet::Table(name, ..) => name,
                InSet::List(_) | InSet::Select(_) => return None,
            },
            _ => return None,
        },
        _ => return None,
    };
    let schema = name.schema?.name;
    let is_foreign = db != Db::TEMP && resolver.env.catalog.find_database(schema) != Some(db);
    is_foreign.then_some(schema)
}

fn refuse(kind: &str, name: &str, foreign: Option<Name<'_>>) -> Result<()> {
    match foreign {
        Some(database) => fail(format!("{kind} {name} cannot reference objects in database {database}")),
        None => Ok(()),
    }
}

/// The bare names in an expression's text, but for those in an AND that the parser replaces by 0.
pub fn names_in_text<'t>(arena: &'t Bump, text: &[u8], limits: &Limits) -> Vec<Name<'t>> {
    let select = arena.alloc_slice_copy(&[b"SELECT ", text].concat());
    let Ok(parsed) = parse_statement(select, arena, limits) else { return Vec::new() };
    let mut names = Vec::new();
    let mut replaced_until = 0;
    if let Some(Stmt::Select(select)) = parsed.statement.and_then(|statement| statement.program()) {
        walk_select(select, &mut |node| {
            let Node::Expr(expr) = node else { return };
            match expr.kind {
                ExprKind::Binary(BinaryOp::And, left, right) if is_folded_to_zero(left, right) => {
                    replaced_until = expr.span.end.max(replaced_until);
                }
                ExprKind::Column(name) if expr.span.start >= replaced_until => names.push(name.name),
                _ => {}
            }
        });
    }
    names
}
