//! INSERT.

use std::sync::Arc;

use lithe_catalog::{Index, Result, Table};
use lithe_optimize::insert::{transferred, value_for};
use lithe_resolve::ir::{Expr, OutputColumn};
use lithe_resolve::{ChangedColumn, Constraint, InsertRows, ResolvedInsert, Scope};
use lithe_sql::ast;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{Addr, Reg, Sequence};

use super::constraint::{Checked, emit_checks, emit_not_null, is_never_null};
use super::fire::{Event, Firing, Triggers};
use super::foreign_key::{Change, ForeignKeys};
use super::refuse;
use super::returning::Rows as ReturningRows;
use super::row::{self, Row};
use super::rows::{RowValue, Rows};
use super::stored_reals::StoredRow;
use super::target::{Target, prepare_target};
use super::unique::{Unique, Uniqueness, emit_unique};
use super::upsert::Upserts;
use crate::Codegen;

/// Code for an INSERT that stands in `base`. Gives the columns of RETURNING.
pub(crate) fn insert<'a>(
    cg: &mut Codegen<'a>,
    base: &Scope<'_, 'a>,
    insert: &ast::Insert<'a>,
) -> Result<&'a [OutputColumn<'a>]> {
    refuse::early(cg, base, insert.table, Event::Insert, !insert.returning.is_empty())?;
    let resolved = cg.resolver.insert(base, insert)?;
    let triggers = Triggers::of(cg, &resolved.target, Event::Insert);
    refuse::read_only(cg, &resolved.target, &triggers, resolved.returning.is_some())?;
    let resolved = super::prepare::insert(cg, resolved);
    let counted = super::begin_row_count(cg, "rows inserted", resolved.returning.is_some());
    if resolved.target.table.view().is_some() {
        super::view::insert(cg, &resolved, &triggers)?;
    } else if let Some(connected) = resolved.target.table.connected() {
        super::virtual_table::insert(cg, &resolved, connected)?;
    } else {
        insert_rows(cg, insert, &resolved, &triggers)?;
    }
    Ok(resolved.returning.map_or(counted, |returning| returning.columns))
}

/// One INSERT while its code is generated.
struct Inserting<'c, 'a> {
    resolved: &'c ResolvedInsert<'a>,
    triggers: &'c Triggers<'a>,
    keys: &'c ForeignKeys<'a>,
    target: Target<'a>,
    row: Row,
    /// The largest rowid ever, of an AUTOINCREMENT table.
    sequence: Sequence,
    returning: Option<ReturningRows<'a>>,
    /// Where to go on when a row is left out, or done.
    next: Addr,
}

fn insert_rows<'a>(
    cg: &mut Codegen<'a>,
    insert: &ast::Insert<'a>,
    resolved: &ResolvedInsert<'a>,
    triggers: &Triggers<'a>,
) -> Result<()> {
    let is_single = !matches!(resolved.rows, InsertRows::Query(_));
    if !is_single || !triggers.is_empty() {
        cg.journal.note_more_changes();
    }
    let may_replace = may_replace(resolved, super::statement_policy(cg, resolved.or));
    if cg.env.flags.foreign_keys && (resolved.returning.is_some() || may_replace) {
        cg.journal.note_more_changes();
    }
    super::upsert::note_changes(cg, resolved)?;
    let keys = ForeignKeys::of(cg, &resolved.target, Change::Insert)?;
    let mut target = prepare_target(cg, &resolved.target, |_| true)?;
    target.open(cg)?;
    let reads_values = !triggers.is_empty() || !keys.is_empty() || cg.env.flags.preupdate_hook;
    if !reads_values && let Some(source) = transferred(insert, resolved) {
        super::transfer::emit(cg, &target, super::statement_policy(cg, resolved.or), source)?;
        super::finish_statement(cg, None);
        return Ok(());
    }
    let returning = ReturningRows::open(cg, resolved.returning, is_single)?;
    let sequence = super::autoincrement::sequence_of(cg, &target)?;
    let row = Row::new(cg, target.table.columns.len());
    let place = whole_row(resolved, target.table).then_some(row.columns);
    let plan = cg.plan_insert(resolved, !triggers.is_empty() || resolved.returning.is_some())?;
    let rows = Rows::begin(cg, &plan, place)?;
    let inserting = Inserting { resolved, triggers, keys: &keys, target, row, sequence, returning, next: rows.next() };
    if is_single {
        emit_row(cg, &inserting, &rows)?;
    } else {
        cg.in_loop(|cg| emit_row(cg, &inserting, &rows))?;
    }
    rows.end(cg);
    super::finish_statement(cg, inserting.returning.as_ref());
    Ok(())
}

/// Whether a row may have to be deleted for the new one.
fn may_replace(resolved: &ResolvedInsert<'_>, policy: Option<ast::Conflict>) -> bool {
    let table = resolved.target.table;
    let is_replace = |conflict| row::policy_of(policy, conflict) == ast::Conflict::Replace;
    let is_given = value_for(resolved, ChangedColumn::Rowid).is_some();
    // ON CONFLICT DO NOTHING without a target leaves nothing to be replaced, and a clause for an index counts more than what
    // the index says.
    if resolved.upserts.iter().any(|upsert| upsert.constraint == Constraint::Any && upsert.update.is_none()) {
        return false;
    }
    let has_clause = |constraint| resolved.upserts.iter().any(|upsert| upsert.constraint == constraint);
    let may_replace = |(at, index): (usize, &Arc<Index>)| {
        index.is_unique() && is_replace(index.conflict()) && !has_clause(Constraint::Index(at))
    };
    is_given && is_replace(table.rowid_conflict) && !has_clause(Constraint::Rowid)
        || table.indexes.iter().enumerate().any(may_replace)
}

/// Whether the values of a row are those of the columns, one after the other: a query may put them where they belong.
fn whole_row(resolved: &ResolvedInsert<'_>, table: &Table) -> bool {
    let is_own = |(at, column): (usize, &ChangedColumn)| *column == ChangedColumn::Column(at as u16);
    resolved.columns.len() == table.columns.len() && resolved.columns.iter().enumerate().all(is_own)
}

fn emit_row<'a>(cg: &mut Codegen<'a>, inserting: &Inserting<'_, 'a>, rows: &Rows<'a>) -> Result<()> {
    let Inserting { resolved, triggers, keys, target, row, next, .. } = inserting;
    let policy = super::statement_policy(cg, resolved.or);
    emit_values(cg, inserting, rows)?;
    if triggers.has_before() {
        fire_before(cg, inserting, rows)?;
    }
    let rowid = emit_rowid(cg, inserting, rows)?;
    cg.set_access(target.source, row.access());
    let checked = Checked { target, row: *row, policy, changed: None, ignore: *next };
    let needs_final_values = row::needs_final_values(target.table);
    if needs_final_values {
        row::emit_affinity(cg, target.table, *row, |_| true);
    }
    row::emit_generated_of_given(cg, target, *row)?;
    // REPLACE may put a default where NULL was given, on which generated columns depend.
    emit_not_null(cg, &checked, &never_null(inserting, rows), false)?;
    if row::may_become_default(target.table, policy) {
        row::emit_generated(cg, target, *row)?;
    }
    emit_not_null(cg, &checked, &[], true)?;
    if !row::checks_types_late(target.table) {
        row::emit_type_check(cg, target, *row);
    }
    let has_checked = emit_checks(cg, &checked)?;
    let upserts = Upserts::new(cg, resolved.upserts);
    // ON CONFLICT of the rowid is looked at even where a new one will be made, and so are its triggers.
    let is_named = upserts.branches.iter().any(|branch| branch.constraint == Constraint::Rowid);
    let is_asked = is_named && value_for(resolved, ChangedColumn::Rowid).is_some();
    let rowid_is_given = rowid == GivenRowid::Yes || is_asked;
    let affinity_waits = !needs_final_values && !target.indexes.is_empty();
    let unique = Uniqueness { checked, old_key: None, rowid_is_given, affinity_waits, upserts: &upserts.branches };
    let unique = emit_unique(cg, &unique)?;
    upserts.emit_updates(cg, resolved, target, *row, *next, inserting.returning.as_ref(), &unique)?;
    // Not before: `excluded` has the values as they were given.
    if triggers.has_after() || inserting.returning.is_some() || !keys.is_empty() {
        row::emit_affinity(cg, target.table, *row, |_| true);
    }
    keys.check_new(cg, target, *row)?;
    emit_write(cg, inserting, rowid, &unique);
    cg.emit_row_count();
    let firing = Firing { policy, ignore: *next };
    triggers.fire_after(cg, &resolved.target, None, Some(*row), firing, |cg| {
        let Some(returning) = &inserting.returning else { return Ok(()) };
        // A CHECK and an index have the affinities applied before the record is made.
        if target.table.has_rowid() && target.indexes.is_empty() && !has_checked {
            return returning.emit_stored_row(cg, StoredRow { source: target.source, table: target.table });
        }
        returning.emit_row(cg)
    })
}

/// Puts the values of a row where they belong, defaults where there are none.
fn emit_values<'a>(cg: &mut Codegen<'a>, inserting: &Inserting<'_, 'a>, rows: &Rows<'a>) -> Result<()> {
    let Inserting { resolved, target, row, .. } = inserting;
    let mut copies = Copies::default();
    for (at, column) in target.table.columns.iter().enumerate() {
        let at = at as u16;
        if target.table.rowid_column == Some(at) || column.is_generated() {
            continue;
        }
        let dst = row.column(at);
        match value_for(resolved, ChangedColumn::Column(at)).map(|place| rows.value(place)) {
            Some(RowValue::Register(src)) => copies.add(cg, src, dst),
            Some(RowValue::Expr(expr)) => cg.emit_into(&expr, dst)?,
            None => {
                let value = row::default_value(cg, column)?;
                cg.emit_into(&value, dst)?;
            }
        }
    }
    copies.finish(cg);
    Ok(())
}

/// Copies of registers; those that follow each other become one.
#[derive(Default)]
struct Copies {
    pending: Option<(Reg, Reg, u32)>,
}

impl Copies {
    fn add(&mut self, cg: &mut Codegen<'_>, src: Reg, dst: Reg) {
        match &mut self.pending {
            Some((from, to, count)) if from.at(*count as usize) == src && to.at(*count as usize) == dst => *count += 1,
            _ => {
                self.finish(cg);
                self.pending = Some((src, dst, 1));
            }
        }
    }

    fn finish(&mut self, cg: &mut Codegen<'_>) {
        if let Some((src, dst, count)) = self.pending.take()
            && src != dst
        {
            cg.b.emit(Insn::Copy { src, dst, count });
        }
    }
}

/// Whether the rowid was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GivenRowid {
    /// Given, or perhaps NULL: it may be there already.
    Yes,
    /// Made, and therefore new.
    No,
}

fn emit_rowid<'a>(cg: &mut Codegen<'a>, inserting: &Inserting<'_, 'a>, rows: &Rows<'a>) -> Result<GivenRowid> {
    let Inserting { resolved, target, row, sequence, .. } = inserting;
    if !target.table.has_rowid() {
        return Ok(GivenRowid::No);
    }
    let cursor = target.cursor;
    let new_rowid = Insn::NewRowid { cursor, dst: row.rowid, sequence: *sequence };
    let Some(place) = value_for(resolved, ChangedColumn::Rowid) else {
        cg.b.emit(new_rowid);
        return Ok(GivenRowid::No);
    };
    match rows.value(place) {
        RowValue::Expr(Expr::Null) => {
            cg.b.emit(new_rowid);
            return Ok(GivenRowid::No);
        }
        RowValue::Expr(Expr::Integer(value)) => {
            cg.emit_integer(value, row.rowid);
            // To SQLite, it may be no integer.
            cg.journal.note_may_abort();
        }
        _ => {
            let (is_given, is_there) = (cg.b.label(), cg.b.label());
            rows.emit_value(cg, place, row.rowid)?;
            cg.b.emit(Insn::NotNull { reg: row.rowid, target: is_given });
            cg.b.emit(new_rowid);
            cg.b.emit(Insn::Goto { target: is_there });
            cg.b.place(is_given);
            cg.b.emit(Insn::MustBeInteger { reg: row.rowid, target: Addr::NONE });
            cg.b.place(is_there);
            cg.journal.note_may_abort();
        }
    }
    if *sequence != Sequence::NONE {
        cg.b.emit(Insn::RaiseSequence { sequence: *sequence, rowid: row.rowid });
    }
    Ok(GivenRowid::Yes)
}

/// BEFORE triggers see the row with its affinities, with a rowid of -1 if it is not known yet.
fn fire_before<'a>(cg: &mut Codegen<'a>, inserting: &Inserting<'_, 'a>, rows: &Rows<'a>) -> Result<()> {
    let Inserting { resolved, triggers, target, row, next, .. } = inserting;
    let width = target.table.columns.len();
    let new = Row::new(cg, width);
    cg.b.emit(Insn::Copy { src: row.columns, dst: new.columns, count: width as u32 });
    row::emit_affinity(cg, target.table, new, |_| true);
    cg.b.emit(Insn::Integer { value: -1, dst: new.rowid });
    if target.table.has_rowid()
        && let Some(place) = value_for(resolved, ChangedColumn::Rowid)
    {
        let (unknown, known) = (cg.b.label(), cg.b.label());
        rows.emit_value(cg, place, new.rowid)?;
        cg.b.emit(Insn::IsNull { reg: new.rowid, target: unknown });
        cg.b.emit(Insn::MustBeInteger { reg: new.rowid, target: Addr::NONE });
        cg.b.emit(Insn::Goto { target: known });
        cg.b.place(unknown);
        cg.b.emit(Insn::Integer { value: -1, dst: new.rowid });
        cg.b.place(known);
    }
    cg.set_access(target.source, new.access());
    row::emit_given_type_check(cg, target, new);
    row::emit_generated(cg, target, new)?;
    row::emit_generated_type_check(cg, target, new);
    let policy = super::statement_policy(cg, resolved.or);
    triggers.fire_before(cg, &resolved.target, None, Some(new), Firing { policy, ignore: *next })
}

/// Which columns get a literal.
fn never_null(inserting: &Inserting<'_, '_>, rows: &Rows<'_>) -> Vec<bool> {
    let table = inserting.target.table;
    if table.columns.iter().all(|column| column.not_null.is_none()) {
        return Vec::new();
    }
    let is_literal = |at: usize| match value_for(inserting.resolved, ChangedColumn::Column(at as u16)) {
        Some(place) => matches!(rows.value(place), RowValue::Expr(expr) if is_never_null(&expr)),
        None => {
            let default = table.columns[at].default.as_ref();
            default.and_then(|default| default.value.as_ref()).is_some_and(|value| !value.is_null())
        }
    };
    (0..table.columns.len()).map(is_literal).collect()
}

/// Inserts the row and its index entries.
fn emit_write<'a>(cg: &mut Codegen<'a>, inserting: &Inserting<'_, 'a>, rowid: GivenRowid, unique: &Unique) {
    let Inserting { target, row, .. } = inserting;
    super::index::emit_insert_entries(cg, target, &unique.entries);
    let mut flags = insert_flags::COUNT_CHANGE;
    if unique.is_sought {
        flags |= insert_flags::USE_SEEK;
    }
    super::preupdate::emit_insert(cg, target, *row);
    if target.table.is_without_rowid() {
        super::index::emit_insert_row_entry(cg, target, &unique.entries, flags);
        return;
    }
    if rowid == GivenRowid::No {
        flags |= insert_flags::APPEND;
    }
    row::emit_insert_row(cg, target, *row, flags | insert_flags::LAST_ROWID);
}
