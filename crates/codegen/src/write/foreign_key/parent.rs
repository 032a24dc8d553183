//! The parent's side: a row that comes or goes, and the children that refer to it.

use crate::expr::computed;
use lithe_catalog::{ForeignKey, IndexColumn, IndexOrigin, IndexTerm, NameBuf, Result, Table};
use lithe_optimize::access::{JoinRequest, Purpose};
use lithe_resolve::ChangeTarget;
use lithe_resolve::ir::{Coll, CompareOp, Expr, Indexed, JoinKind, Source, SourceId, SourceKind, Term, TermOrigin};
use lithe_sql::ast::ForeignKeyAction;
use lithe_vm::insn::Insn;
use lithe_vm::operand::Db;

use super::Change;
use super::child::{is_changed, note_failure_at_end, register_of};
use super::parent_key::{self, ParentKey};
use crate::Codegen;
use crate::loops::{PreparedJoin, begin_loops, end_loops};
use crate::write::row::Row;
use crate::write::target::{Changed, Target};

/// A foreign key that refers to the table whose rows change.
pub(super) struct ParentReference<'a> {
    /// The database of both tables.
    pub db: Db,
    /// The child.
    pub child: &'a Table,
    /// Its key.
    pub key: &'a ForeignKey,
    /// The number of the key among all of the schema's.
    pub number: u64,
    /// What it refers to.
    pub parent_key: ParentKey<'a>,
    is_update: bool,
}

/// The keys that refer to the table and that the change is about.
pub(super) fn references_to<'a>(
    cg: &Codegen<'a>,
    target: &ChangeTarget<'a>,
    change: Change<'_>,
) -> Result<Vec<ParentReference<'a>>> {
    let (db, table) = (target.db, target.table);
    let mut references = Vec::new();
    for (number, (child, key)) in numbered_references(cg, db, table) {
        // Whether the key fits its parent is asked only if the change is about it.
        if is_about(cg, table, key, change) {
            let parent_key = parent_key::find(child, key, table)?;
            let is_update = matches!(change, Change::Update(_));
            references.push(ParentReference { db, child, key, number, parent_key, is_update });
        }
    }
    Ok(references)
}

/// Whether the change is about any key that refers to the table.
pub(super) fn is_concerned<'a>(cg: &Codegen<'a>, target: &ChangeTarget<'a>, change: Change<'_>) -> bool {
    numbered_references(cg, target.db, target.table).any(|(_, (_, key))| is_about(cg, target.table, key, change))
}

/// Whether all keys that refer to the table fit it, or "foreign key mismatch" for the oldest that does not.
pub(super) fn check_fit<'a>(cg: &Codegen<'a>, target: &ChangeTarget<'a>) -> Result<()> {
    last_misfit(target.table, numbered_references(cg, target.db, target.table))
}

/// Whether the keys with an action for the change fit the table, or "foreign key mismatch" for the oldest that does not.
pub(super) fn check_fit_of_actions<'a>(cg: &Codegen<'a>, target: &ChangeTarget<'a>, change: Change<'_>) -> Result<()> {
    let acts = |key: &ForeignKey| {
        let action = match change {
            Change::Insert => ForeignKeyAction::NoAction,
            Change::Delete => key.on_delete,
            Change::Update(_) => key.on_update,
        };
        action != ForeignKeyAction::NoAction && is_about(cg, target.table, key, change)
    };
    let references = numbered_references(cg, target.db, target.table);
    last_misfit(target.table, references.filter(|(_, (_, key))| acts(key)))
}

fn last_misfit<'a>(
    table: &'a Table,
    references: impl Iterator<Item = (u64, (&'a Table, &'a ForeignKey))>,
) -> Result<()> {
    let misfit = |(_, (child, key))| parent_key::find(child, key, table).err();
    references.filter_map(misfit).last().map_or(Ok(()), Err)
}

fn is_about(cg: &Codegen<'_>, table: &Table, key: &ForeignKey, change: Change<'_>) -> bool {
    match change {
        // A single new row cannot mend anything: the statement began without an immediate violation.
        Change::Insert => key.deferred || !cg.fails_at_once(),
        Change::Delete => true,
        Change::Update(changed) => is_key_changed(key, table, changed),
    }
}

/// Whether an UPDATE gives a value to a column that the key names, or to the primary key if it names none.
fn is_key_changed(key: &ForeignKey, table: &Table, changed: &Changed) -> bool {
    if !key.parent_columns.is_empty() {
        let column = |name: &NameBuf| table.column(name.name());
        return key.parent_columns.iter().filter_map(column).any(|at| is_changed(table, changed, at));
    }
    let primary = table.indexes.iter().find(|index| index.origin == IndexOrigin::PrimaryKey);
    let is_in_key = |term: &IndexColumn| match term.term {
        IndexTerm::Column(at) => is_changed(table, changed, at),
        IndexTerm::Rowid | IndexTerm::Expr(_) => false,
    };
    changed.rowid || primary.is_some_and(|index| index.key_columns().iter().any(is_in_key))
}

/// The keys that refer to the table and fit it.
pub(super) fn fitting_references_to<'a>(cg: &Codegen<'a>, target: &ChangeTarget<'a>) -> Vec<ParentReference<'a>> {
    let (db, table) = (target.db, target.table);
    let fitting = |(number, (child, key)): (u64, (&'a Table, &'a ForeignKey))| {
        let parent_key = parent_key::find(child, key, table).ok()?;
        Some(ParentReference { db, child, key, number, parent_key, is_update: false })
    };
    numbered_references(cg, db, table).filter_map(fitting).collect()
}

/// The foreign keys of the schema that name the table, the newest first, each with its child and its number.
fn numbered_references<'a>(
    cg: &Codegen<'a>,
    db: Db,
    table: &'a Table,
) -> impl Iterator<Item = (u64, (&'a Table, &'a ForeignKey))> {
    let tables = cg.env.catalog.schema(db).tables();
    let all = tables.into_iter().rev().flat_map(|child| child.foreign_keys.iter().map(move |key| (&**child, key)));
    (0..).zip(all).filter(move |(_, (_, key))| key.parent == table.name)
}

impl<'a> ParentReference<'a> {
    /// Whether the table is the child.
    pub fn is_from(&self, table: &Table) -> bool {
        std::ptr::eq(self.child, table)
    }

    /// What happens to the children.
    pub fn action(&self) -> ForeignKeyAction {
        if self.is_update { self.key.on_update } else { self.key.on_delete }
    }

    /// The row goes (`delta` 1) or comes (-1): each child is one violation more or less.
    pub fn emit_check(&self, cg: &mut Codegen<'a>, target: &Target<'a>, row: Row, delta: i32) -> Result<()> {
        let deferred = u8::from(self.key.deferred);
        let done = cg.b.label();
        if delta < 0 {
            cg.b.emit(Insn::FkIfZero { deferred, target: done });
        }
        let source = cg.resolver.new_source();
        let terms = self.terms(cg, target, row, source, delta)?;
        let sources = [Source {
            id: source,
            kind: SourceKind::Table(self.db, self.child),
            name: self.child.name.name(),
            is_alias: false,
            join: JoinKind::Inner,
            is_exists: false,
            indexed: Indexed::Any,
        }];
        let (sources, terms) = (cg.arena.alloc_slice_copy(&sources), cg.arena.alloc_slice_copy(&terms));
        let request = JoinRequest::of_rows(sources, terms, Purpose::Read);
        let from = cg.plan_from(request)?;
        let loops = begin_loops(cg, &PreparedJoin::without_queries(from))?;
        cg.b.emit(Insn::FkCounter { deferred, delta });
        end_loops(cg, loops)?;
        cg.b.place(done);
        if delta > 0 && !self.key.deferred {
            note_failure_at_end(cg);
        }
        Ok(())
    }

    /// The children of the row: those whose columns are equal to its key, compared as the parent's columns are.
    fn terms(
        &self,
        cg: &mut Codegen<'a>,
        target: &Target<'a>,
        row: Row,
        source: SourceId,
        delta: i32,
    ) -> Result<Vec<Term<'a>>> {
        let ParentKey { columns, child_columns, .. } = &self.parent_key;
        let mut terms = Vec::with_capacity(columns.len() + 1);
        for (&column, &child_column) in columns.iter().zip(child_columns) {
            let value = parent_value(cg, target.table, row, column);
            let name = self.child.columns[usize::from(child_column)].name.name();
            let is_readable = cg.env.ask_read(self.child.name.name(), name, self.db, cg.within())?;
            let of_child =
                if is_readable { cg.resolver.table_column(source, self.child, child_column) } else { Expr::Null };
            terms.push(where_term(cg.resolver.compare_scalars(CompareOp::Eq, value, of_child)));
        }
        if delta > 0 && std::ptr::eq(self.child, target.table) {
            // A row that refers to itself goes with itself.
            terms.push(where_term(self.other_row(cg, target, row, source)));
        }
        terms.iter().for_each(|term| cg.planner.context.note_expr(&term.expr));
        Ok(terms)
    }

    /// The child is another row than `row`.
    fn other_row(&self, cg: &Codegen<'a>, target: &Target<'a>, row: Row, source: SourceId) -> Expr<'a> {
        let Some(key) = target.key() else {
            let rowid = cg.resolver.rowid(source, self.child);
            let own = computed(row.rowid, rowid_affinity());
            return cg.resolver.compare_scalars(CompareOp::Ne, own, rowid);
        };
        let mut differs: Option<Expr<'a>> = None;
        for column in key.index.key_columns() {
            let lithe_catalog::IndexTerm::Column(at) = column.term else { continue };
            let own = parent_value(cg, target.table, row, at);
            let other = cg.resolver.table_column(source, self.child, at);
            let one = cg.resolver.compare_scalars(CompareOp::Ne, own, other);
            differs = Some(match differs {
                None => one,
                Some(others) => Expr::Or(cg.resolver.alloc(others), cg.resolver.alloc(one)),
            });
        }
        differs.expect("a primary key has columns")
    }
}

/// A column of the parent's row with the affinity and the collation that it has in its table.
fn parent_value<'a>(cg: &Codegen<'a>, table: &'a Table, row: Row, column: u16) -> Expr<'a> {
    let definition = &table.columns[usize::from(column)];
    let affinity = if table.rowid_column == Some(column) { rowid_affinity() } else { Some(definition.affinity) };
    let register = computed(register_of(table, row, column), affinity);
    Expr::Collate(cg.resolver.alloc(register), cg.arena.alloc(Coll::of(&definition.collation)))
}

fn rowid_affinity() -> Option<lithe_value::Affinity> {
    Some(lithe_value::Affinity::Integer)
}

fn where_term(expr: Expr<'_>) -> Term<'_> {
    Term { expr, origin: TermOrigin::Where }
}
