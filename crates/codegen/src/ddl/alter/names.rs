//! Names in CREATE TABLE and CREATE INDEX, where only one table is in scope.

use lithe_catalog::split_collation;
use lithe_resolve::is_rowid_name;
use lithe_sql::ast::{
    ColumnConstraintKind, CreateIndex, CreateTable, Direction, Expr, ExprKind, ForeignKeyTarget, Ident, Name, Node,
    OrderTerm, Span, TableBody, TableColumns, TableConstraintKind, walk_expr,
};

use super::Altered;
use super::change::Change;
use super::text::{TextEdits, in_quotes, renamed};
use crate::Codegen;

/// The names in CREATE TABLE.
pub(super) fn in_table(altered: Altered<'_>, change: Change<'_>, create: &CreateTable<'_>, is_own: bool) -> TextEdits {
    let mut edits = TextEdits::default();
    let TableBody::Columns(body) = create.body else { return edits };
    if is_own && let Change::Table(to) = change {
        edits.replace(create.name.name.span(), in_quotes(to.name));
    }
    for (at, column) in body.columns.iter().enumerate() {
        if is_own
            && let Change::Column(renamed_at, to) = change
            && usize::from(renamed_at) == at
        {
            edits.replace(column.name.span(), renamed(column.name, to));
        }
        for constraint in column.constraints {
            match &constraint.kind {
                ColumnConstraintKind::References(target) => in_foreign_key(altered, change, target, &mut edits),
                ColumnConstraintKind::Check(check) if is_own => in_expr(altered, change, &check.condition, &mut edits),
                ColumnConstraintKind::Generated { value, .. } if is_own => in_expr(altered, change, value, &mut edits),
                _ => {}
            }
        }
    }
    for (at, constraint) in body.constraints.iter().enumerate() {
        match &constraint.kind {
            TableConstraintKind::Unique { .. } if is_own && is_rowid_in_unique(altered, change, body, at) => {}
            TableConstraintKind::PrimaryKey { columns, .. } | TableConstraintKind::Unique { columns, .. } => {
                if is_own {
                    in_terms(altered, change, columns, &mut edits);
                }
            }
            TableConstraintKind::Check(check) if is_own => in_expr(altered, change, &check.condition, &mut edits),
            TableConstraintKind::Check(_) => {}
            TableConstraintKind::ForeignKey { columns, target } => {
                if is_own {
                    columns.iter().for_each(|column| in_name(altered, change, *column, &mut edits));
                }
                in_foreign_key(altered, change, target, &mut edits);
            }
        }
    }
    edits
}

/// Whether the renamed column is, for SQLite, not the one that the UNIQUE at `at` of the table's constraints names: an INTEGER PRIMARY KEY
/// is the rowid to what stands behind it, and of no other column in the end than that of a table with rowids.
fn is_rowid_in_unique(altered: Altered<'_>, change: Change<'_>, body: &TableColumns<'_>, at: usize) -> bool {
    let Change::Column(renamed, _) = change else { return false };
    let Some(column) = altered.table.columns.get(usize::from(renamed)) else { return false };
    let is_integer = column.declared_type.eq_ignore_ascii_case(b"INTEGER");
    let of_column = body.columns[usize::from(renamed)].constraints.iter().any(
        |constraint| matches!(constraint.kind, ColumnConstraintKind::PrimaryKey { direction, .. } if direction != Some(Direction::Desc)),
    );
    let before = body.constraints[..at].iter().any(|constraint| {
        matches!(&constraint.kind, TableConstraintKind::PrimaryKey { columns: [only], .. }
        if match &split_collation(&only.expr).0.kind {
            ExprKind::Column(name) => column.name == name.name,
            ExprKind::String(name) => column.name == Name::new(name),
            _ => false,
        })
    });
    let was_rowid = is_integer && (of_column || before);
    was_rowid != (altered.table.rowid_column == Some(renamed))
}

/// The names in CREATE TABLE that a rename of a table replaces under `legacy_alter_table`: its own name, and with `foreign_keys`
/// the names of parents.
pub(super) fn in_table_legacy(
    cg: &Codegen<'_>,
    altered: Altered<'_>,
    change: Change<'_>,
    create: &CreateTable<'_>,
    is_own: bool,
) -> TextEdits {
    let mut edits = TextEdits::default();
    let (TableBody::Columns(body), Change::Table(to)) = (create.body, change) else { return edits };
    if is_own {
        edits.replace(create.name.name.span(), in_quotes(to.name));
    }
    if cg.env.flags.foreign_keys {
        for constraint in body.columns.iter().flat_map(|column| column.constraints) {
            if let ColumnConstraintKind::References(target) = &constraint.kind {
                in_foreign_key(altered, change, target, &mut edits);
            }
        }
        for constraint in body.constraints {
            if let TableConstraintKind::ForeignKey { target, .. } = &constraint.kind {
                in_foreign_key(altered, change, target, &mut edits);
            }
        }
    }
    edits
}

fn in_foreign_key(altered: Altered<'_>, change: Change<'_>, target: &ForeignKeyTarget<'_>, edits: &mut TextEdits) {
    if altered.table.name != target.table.name {
        return;
    }
    match change {
        Change::Table(to) => edits.replace(target.table.span(), in_quotes(to.name)),
        Change::Column(..) | Change::Cut(_) => {
            target.columns.iter().for_each(|column| in_name(altered, change, *column, edits))
        }
    }
}

/// The names in CREATE INDEX.
pub(super) fn in_index(
    altered: Altered<'_>,
    change: Change<'_>,
    create: &CreateIndex<'_>,
    is_legacy: bool,
) -> TextEdits {
    let mut edits = TextEdits::default();
    if let Change::Table(to) = change {
        edits.replace(create.table.span(), in_quotes(to.name));
    }
    if is_legacy {
        return edits;
    }
    in_terms(altered, change, create.columns, &mut edits);
    if let Some(filter) = &create.filter {
        in_expr(altered, change, filter, &mut edits);
    }
    edits
}

fn in_terms(altered: Altered<'_>, change: Change<'_>, terms: &[OrderTerm<'_>], edits: &mut TextEdits) {
    for term in terms {
        // A term that is only a string is a name here.
        let (named, _) = split_collation(&term.expr);
        if let (ExprKind::String(name), Change::Column(at, to)) = (&named.kind, change)
            && altered.table.columns[usize::from(at)].name == Name::new(name)
        {
            edits.replace(named.span, in_quotes(to.name));
        }
        in_expr(altered, change, &term.expr, edits);
    }
}

/// The names in an expression whose scope is the table alone.
fn in_expr(altered: Altered<'_>, change: Change<'_>, expr: &Expr<'_>, edits: &mut TextEdits) {
    // SQLite does not visit these parts, so they are not renamed.
    let mut unseen: Vec<Span> = Vec::new();
    walk_expr(expr, &mut |node| {
        let Node::Expr(expr) = node else { return };
        if unseen.iter().any(|span| span.start <= expr.span.start && expr.span.end <= span.end) {
            return;
        }
        match &expr.kind {
            ExprKind::In(set) if set.is_in_nothing() => unseen.push(set.value.span),
            ExprKind::Column(name) => in_column(altered, change, *name, edits),
            ExprKind::QualifiedColumn(name) => match change {
                Change::Table(to) => edits.replace(name.table.span(), in_quotes(to.name)),
                Change::Column(..) | Change::Cut(_) => in_column(altered, change, name.column, edits),
            },
            _ => {}
        }
    });
}

pub(super) fn in_name(altered: Altered<'_>, change: Change<'_>, name: Ident<'_>, edits: &mut TextEdits) {
    if let Change::Column(at, to) = change
        && altered.table.columns[usize::from(at)].name == name.name
    {
        edits.replace(name.span(), renamed(name, to));
    }
}

/// A column in an expression. A name of the rowid refers to the column that is the rowid's alias.
fn in_column(altered: Altered<'_>, change: Change<'_>, name: Ident<'_>, edits: &mut TextEdits) {
    match change {
        Change::Column(at, to)
            if altered.table.rowid_column == Some(at)
                && is_rowid_name(name.name)
                && altered.table.column(name.name).is_none() =>
        {
            edits.replace(name.span(), renamed(name, to));
        }
        _ => in_name(altered, change, name, edits),
    }
}
