//! Queries in FROM.
//!
//! A query whose rows are read once, from the first to the last, is a coroutine. Others are materialised in a temporary
//! table before the loops begin. A common table with several users is materialised by a subroutine that does its work
//! the first time it is called.

use lithe_catalog::Result;
use lithe_resolve::ir::{Derived, Query, Source, SubqueryId};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};

use super::super::Codegen;
use super::super::access::ColumnAccess;
use super::explain::{ShownValues, is_values_clause};
use super::{Coroutine, Destination};

/// The rows of a derived table.
#[derive(Clone, Copy, Debug)]
pub enum DerivedRows {
    /// Yield on `co` gives the next.
    Coroutine(Coroutine),
    /// In this temporary table.
    Table(CursorId),
}

/// A common table that is materialised for several users.
#[derive(Clone, Copy)]
pub(super) struct Materialized {
    id: SubqueryId,
    cursor: CursorId,
    entry: Addr,
    ret: Reg,
}

impl DerivedRows {
    /// How the columns are read.
    pub fn access<'a>(&self) -> ColumnAccess<'a> {
        match self {
            DerivedRows::Coroutine(coroutine) => ColumnAccess::Registers { start: coroutine.start, rowid: Reg::NONE },
            DerivedRows::Table(cursor) => ColumnAccess::Cursor { cursor: *cursor, first: 0 },
        }
    }

    /// The cursor on the temporary table.
    pub fn cursor(&self) -> Option<CursorId> {
        match self {
            DerivedRows::Coroutine(_) => None,
            DerivedRows::Table(cursor) => Some(*cursor),
        }
    }

    /// Goes to the first row, or to `done`. What it gives goes to the next row and jumps to the code behind.
    pub fn begin(&self, cg: &mut Codegen<'_>, reverse: bool, done: Addr) -> Insn {
        match *self {
            DerivedRows::Coroutine(Coroutine { co, .. }) => {
                let target = cg.b.here();
                cg.b.emit(Insn::Yield { co, target: done });
                Insn::Goto { target }
            }
            DerivedRows::Table(cursor) if reverse => {
                cg.b.emit(Insn::Last { cursor, target: done });
                Insn::Previous { cursor, target: cg.b.here() }
            }
            DerivedRows::Table(cursor) => {
                cg.b.emit(Insn::Rewind { cursor, target: done });
                Insn::Next { cursor, target: cg.b.here() }
            }
        }
    }

    /// All columns are NULL from here on.
    pub fn emit_null_row(&self, cg: &mut Codegen<'_>) {
        match *self {
            DerivedRows::Coroutine(Coroutine { start, count, .. }) => {
                cg.b.emit(Insn::Null { start, count: count as u32 });
            }
            DerivedRows::Table(cursor) => cg.b.emit(Insn::NullRow { cursor }),
        }
    }
}

impl<'a> Codegen<'a> {
    /// Makes the rows of a query in FROM ready to be read, and says how its columns are read from now on. Before the loops
    /// begin; the planner of the join says whether it reads them once only.
    pub(crate) fn prepare_derived(
        &mut self,
        source: &Source<'a>,
        derived: &'a Derived<'a>,
        as_coroutine: bool,
    ) -> Result<DerivedRows> {
        let rows = if as_coroutine {
            self.run_alongside(source, derived)?
        } else {
            DerivedRows::Table(self.materialize(source, derived)?)
        };
        self.set_access(source.id, rows.access());
        Ok(rows)
    }

    fn run_alongside(&mut self, source: &Source<'a>, derived: &'a Derived<'a>) -> Result<DerivedRows> {
        self.explain_derived(source, derived, "CO-ROUTINE");
        let coroutine = self.coroutine(derived.query.columns.len(), |cg, coroutine| {
            let Coroutine { co, start, .. } = *coroutine;
            cg.emit_derived(derived, &Destination::Coroutine { co, start })
        })?;
        self.close_derived(derived);
        Ok(DerivedRows::Coroutine(coroutine))
    }

    fn materialize(&mut self, source: &Source<'a>, derived: &'a Derived<'a>) -> Result<CursorId> {
        let is_shared = derived.cte.is_some_and(|cte| cte.uses.get() > 1) && !derived.query.is_correlated();
        if !is_shared {
            let cursor = self.ephemeral_table(derived.query.columns.len());
            self.fill(source, derived, cursor)?;
            return Ok(cursor);
        }
        let id = derived.cte.map(|cte| cte.id).expect("only common tables are shared");
        if let Some(Materialized { cursor, entry, ret, .. }) = self.materialized(id) {
            let own = self.ephemeral_table(derived.query.columns.len());
            self.b.emit(Insn::Gosub { ret, target: entry });
            self.b.emit(Insn::OpenDup { cursor: own, original: cursor });
            return Ok(own);
        }
        let cursor = self.ephemeral_table(derived.query.columns.len());
        let (entry, after, ret) = (self.b.label(), self.b.label(), self.b.register());
        self.b.emit(Insn::Gosub { ret, target: entry });
        self.b.emit(Insn::Goto { target: after });
        self.b.place(entry);
        self.in_loop(|cg| cg.fill(source, derived, cursor))?;
        self.b.emit(Insn::Return { ret });
        self.b.place(after);
        self.select.materialized.push(Materialized { id, cursor, entry, ret });
        // The table's own cursor must not be moved by two users.
        let own = self.ephemeral_table(derived.query.columns.len());
        self.b.emit(Insn::OpenDup { cursor: own, original: cursor });
        Ok(own)
    }

    fn materialized(&self, id: SubqueryId) -> Option<Materialized> {
        self.select.materialized.iter().find(|known| known.id == id).copied()
    }

    /// Fills a temporary table with the rows, once unless they depend on an enclosing query's row.
    fn fill(&mut self, source: &Source<'a>, derived: &'a Derived<'a>, cursor: CursorId) -> Result<()> {
        self.explain_derived(source, derived, "MATERIALIZE");
        self.once_unless_correlated(derived.query, |cg| {
            cg.b.emit(Insn::OpenEphemeral { cursor });
            cg.emit_derived(derived, &Destination::Table { cursor })
        })?;
        self.close_derived(derived);
        Ok(())
    }

    fn emit_derived(&mut self, derived: &'a Derived<'a>, destination: &Destination) -> Result<()> {
        let query: &'a Query<'a> = derived.query;
        let shown = if is_values_clause(derived) { ShownValues::Nowhere } else { ShownValues::AsConstants };
        let outer = std::mem::replace(&mut self.select.shown_values, shown);
        let sink = self.open_source_sink(query, destination)?;
        let result = match derived.cte {
            Some(cte) if cte.setup_cores.get().is_some() => self.emit_recursive(query, cte, &sink),
            _ => self.emit_into_sink(query, &sink),
        };
        self.select.shown_values = outer;
        result
    }

    /// Opens a line; [`Codegen::close_derived`] closes it. VALUES in FROM is no query to SQLite, and has no line.
    fn explain_derived(&mut self, source: &Source<'a>, derived: &Derived<'a>, what: &str) {
        if self.explain.is_on() && !is_values_clause(derived) {
            let name = self.made_name(source, derived);
            self.explain.open(|| format!("{what} {name}"));
        }
    }

    fn close_derived(&mut self, derived: &Derived<'a>) {
        if !is_values_clause(derived) {
            self.explain.close();
        }
    }
}
