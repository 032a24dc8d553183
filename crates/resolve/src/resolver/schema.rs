//! Resolution for CREATE statements: DEFAULT values, names in expressions, the check that views and triggers use only
//! their own database.

use bumpalo::Bump;
use lithe_base::Db;
use lithe_catalog::{CompileError, Result, fail};
use lithe_sql::ast::{
    self, BinaryOp, CreateTrigger, ExprKind, FromItem, Ident, InSet, Name, Node, QualifiedName, Quote, Select, Source,
    Stmt, walk_select, walk_stmt,
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

/// A bare name in an expression.
pub struct NameUse<'t> {
    /// The name.
    pub name: Name<'t>,
    /// Whether it stands in a comparison of row values.
    pub is_in_rows: bool,
}

/// The bare names in an expression's text, but for those in parts for which SQLite makes no code: those of an AND or OR whose truth is known,
/// and the left side of IN ().
pub fn names_in_text<'t>(arena: &'t Bump, text: &[u8], limits: &Limits) -> Vec<NameUse<'t>> {
    let select = arena.alloc_slice_copy(&[b"SELECT ", text].concat());
    let Ok(parsed) = parse_statement(select, arena, limits) else { return Vec::new() };
    let mut names = Vec::new();
    let (mut unused_until, mut rows_until) = (0, 0);
    if let Some(Stmt::Select(select)) = parsed.statement.and_then(|statement| statement.program()) {
        walk_select(select, &mut |node| {
            let Node::Expr(expr) = node else { return };
            match expr.kind {
                ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) if known_truth(expr).is_some() => {
                    unused_until = expr.span.end.max(unused_until);
                }
                ExprKind::In(set) if set.is_in_nothing() => unused_until = expr.span.end.max(unused_until),
                ExprKind::Binary(op, left, right) if op.is_comparison() && (is_row(left) || is_row(right)) => {
                    rows_until = expr.span.end.max(rows_until);
                }
                ExprKind::Column(name) if expr.span.start >= unused_until => {
                    names.push(NameUse { name: name.name, is_in_rows: expr.span.start < rows_until });
                }
                _ => {}
            }
        });
    }
    names
}

/// What SQLite knows of an expression's truth when it makes code.
fn known_truth(expr: &ast::Expr<'_>) -> Option<bool> {
    match expr.kind {
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
            let decides = Some(op == BinaryOp::Or);
            match (known_truth(left), known_truth(right)) {
                (left, right) if left == decides || right == decides => decides,
                (Some(_), right) => right,
                (_, _) => None,
            }
        }
        ExprKind::Column(name) if name.quote() == Quote::None && name.name.is("true") => Some(true),
        ExprKind::Column(name) if name.quote() == Quote::None && name.name.is("false") => Some(false),
        _ => expr.parsed_integer().map(|value| value != 0),
    }
}

fn is_row(expr: &ast::Expr<'_>) -> bool {
    matches!(expr.kind, ExprKind::RowValue(_))
}
