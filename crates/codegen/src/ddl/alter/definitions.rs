//! The expressions in the definitions of tables and indexes are resolved, and the collations of their keys looked up.

use lithe_catalog::{Result, Table, split_collation};
use lithe_resolve::ir::Coll;
use lithe_resolve::{Resolver, Stored};
use lithe_sql::ast::{
    ColumnConstraintKind, ColumnDef, CreateIndex, CreateTable, ExprKind, Name, OrderTerm, TableBody,
    TableConstraintKind,
};
use lithe_vm::operand::Db;

/// Resolves the expressions of a table's constraints and generated columns.
pub(super) fn resolve_constraints<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    table: &'a Table,
    create: &'a CreateTable<'a>,
    text: &'a [u8],
) -> Result<()> {
    let TableBody::Columns(body) = create.body else { return Ok(()) };
    body.columns.iter().try_for_each(|column| resolve_column(resolver, db, table, column, text))?;
    let source = resolver.new_source();
    for constraint in body.constraints {
        match &constraint.kind {
            TableConstraintKind::Check(check) => {
                resolver.table_expr(&check.condition, text, Stored::Check, source, db, table)?;
            }
            TableConstraintKind::PrimaryKey { columns, .. } | TableConstraintKind::Unique { columns, .. } => {
                find_collations(resolver, columns)?;
            }
            TableConstraintKind::ForeignKey { .. } => {}
        }
    }
    Ok(())
}

/// Resolves the expressions in the definition of a column.
pub(super) fn resolve_column<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    table: &'a Table,
    column: &'a ColumnDef<'a>,
    text: &'a [u8],
) -> Result<()> {
    let source = resolver.new_source();
    column.constraints.iter().try_for_each(|constraint| match &constraint.kind {
        ColumnConstraintKind::Check(check) => {
            resolver.table_expr(&check.condition, text, Stored::Check, source, db, table).map(drop)
        }
        ColumnConstraintKind::Generated { value, .. } => {
            resolver.table_expr(value, text, Stored::Generated, source, db, table).map(drop)
        }
        _ => Ok(()),
    })
}

/// Looks up the collation of a term of an index: the one that it names, or that of the column that it is.
fn find_index_collation(resolver: &Resolver<'_>, table: &Table, term: &OrderTerm<'_>) -> Result<()> {
    let (expr, named) = split_collation(&term.expr);
    let column = match expr.kind {
        ExprKind::Column(name) => table.column(name.name),
        ExprKind::String(name) => table.column(Name::new(name)),
        _ => None,
    };
    let of_column = || column.map(|at| Coll::of(&table.columns[usize::from(at)].collation));
    let collation = named.map(Coll::named).or_else(of_column);
    collation.map_or(Ok(()), |collation| resolver.env.collation(collation).map(drop))
}

/// Looks up the collations that the terms of a table's key name themselves. (Those of columns, and of expressions within a term, need not be
/// known.)
fn find_collations(resolver: &Resolver<'_>, terms: &[OrderTerm<'_>]) -> Result<()> {
    let named = terms.iter().filter_map(|term| split_collation(&term.expr).1);
    named.map(Coll::named).try_for_each(|collation| resolver.env.collation(collation).map(drop))
}

/// Resolves the WHERE of an index and then, one by one, its terms; behind each its collation is looked up, if those of the table `of` are asked
/// for.
pub(super) fn resolve_index<'a>(
    resolver: &Resolver<'a>,
    (db, table): (Db, &'a Table),
    create: &'a CreateIndex<'a>,
    text: &'a [u8],
    of: Option<&Table>,
) -> Result<()> {
    let source = resolver.new_source();
    let resolve = |expr, clause| resolver.table_expr(expr, text, clause, source, db, table).map(drop);
    create.filter.iter().try_for_each(|filter| resolve(filter, Stored::PartialIndex))?;
    create.columns.iter().try_for_each(|term| {
        resolve(&term.expr, Stored::Index)?;
        of.map_or(Ok(()), |of| find_index_collation(resolver, of, term))
    })
}
