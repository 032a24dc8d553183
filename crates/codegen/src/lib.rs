//! From plans to programs: one statement, compiled.
//!
//! ```text
//!   sql::ast ──resolve──▶ ir ──optimize──▶ plans
//!       │                                    │
//!       └────────────── compile ─────────────┤   Codegen: registers, cursors, labels
//!                                            ▼
//!                                       vm::Program
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `compile` | one statement, from tree to program |
//! | `access` | how the columns of each source are read at this point of the program |
//! | `derived` | descriptions of tables and indexes for programs, cached in the catalog |
//! | `cursors` | cursors on tables, indexes, temporary tables; the transactions they need |
//! | `journal` | whether the statement needs a statement journal |
//! | `expr` | expressions as values, as conditions with jumps |
//! | `rows` | the destinations of queries' rows, and the sources of those of queries in FROM |
//! | `select` | queries: loops, grouping, DISTINCT, ORDER BY, LIMIT, compounds, subqueries, recursion |
//! | `loops` | join plans as nested loops |
//! | `write` | INSERT, UPDATE, DELETE with their constraints, triggers and foreign keys |
//! | `ddl` | CREATE, DROP, ALTER, REINDEX, ANALYZE |
//! | `row_check` | the rows of a table under integrity_check |
//!
//! Read first: [`compile`], `Codegen`, `loops::Loops`.
//!
//! This crate must not know files, transactions or connections: its only input from them is an
//! [`Environment`](lithe_resolve::environment::Environment).
//!
//! # Functions over one generator
//!
//! Each kind of tree has functions in its module that emit its code and take the generator: `group::emit(cg, plan, sink)`.
//! `Codegen` itself has the state, and as methods the functions that the modules call of each other, because the language is
//! recursive: `emit_query` for a query, `emit`, `emit_into` and `jump_if_false` for an expression, `table_cursor` and its
//! siblings for cursors. A part of the state has methods of its own (`b`, `known`, `journal`, `transactions`, `common_tables`).
//! State of a single module is defined there and passed as a value (`PreparedJoin`, `Sink`, `Target`).
//!
//! # How expressions become code
//!
//! `Codegen::emit` puts a value into a register of its choice (a constant's own register, a column's, a temporary one), which the
//! caller only reads and then releases by `Codegen::release`; `Codegen::emit_into` puts it into the caller's register. Conditions
//! are better emitted as jumps: `Codegen::jump_if_false`, `Codegen::jump_if_true`. `Codegen::set_access` says how a source's
//! columns are read, before code that uses them is emitted: the loops call it for the sources of a join, triggers for OLD and
//! NEW, UPSERT for `excluded`.
//!
//! # How loops become code
//!
//! ```text
//! let join = loops::prepare_sources(cg, from)?;    // queries in FROM
//! let loops = loops::begin_loops(cg, &join)?;      // opens cursors, sets the access of every source
//! ... body: jumps to loops.next skip the row, jumps to loops.done leave all loops ...
//! loops::end_loops(cg, loops)?;                    // places both labels
//! ```
//!
//! The body is emitted once, but may run as a subroutine (RIGHT JOIN), so it must be left through its end or through those two
//! labels.

#![forbid(unsafe_code)]

mod access;
mod compile;
mod cursors;
mod ddl;
mod derived;
mod expr;
mod journal;
mod loops;
mod measure;
mod row_check;
mod rows;
mod select;
mod write;

use std::sync::Arc;

use bumpalo::Bump;
use lithe_catalog::Result;
use lithe_optimize::explain::Explain;
use lithe_optimize::explain::PlanLine;
use lithe_optimize::plan::{QueryPlan, RowsFor};
use lithe_optimize::planner::Planner;
use lithe_resolve::Resolver;
use lithe_resolve::environment::Environment;
use lithe_resolve::ir::{Coll, Query, SourceId};
use lithe_vm::builder::{ProgramBuilder, SpareBuilder};
use lithe_vm::operand::{CollationId, Reg};
use lithe_vm::program::Program;
use lithe_vm::program::QueryPlanRow;

pub use compile::{CompileRequest, compile};
pub use ddl::with_single_quotes;
pub use row_check::{Fault, RowCheck, compile_row_check};

pub(crate) use access::{ColumnAccess, NOT_IN_INDEX};
use cursors::Transactions;
pub(crate) use expr::{Known, Value};
pub(crate) use journal::JournalNeed;
pub(crate) use rows::{Coroutine, DerivedRows, Destination, Queue, QueueOrder};

/// The state of code generation for one program.
pub(crate) struct Codegen<'a> {
    /// The program so far.
    pub b: Box<ProgramBuilder>,
    /// The connection.
    pub env: &'a Environment,
    /// The statement's arena.
    pub arena: &'a Bump,
    /// The resolver of the statement: for expressions that the catalog keeps as text.
    pub resolver: &'a Resolver<'a>,
    /// EXPLAIN QUERY PLAN's rows.
    pub explain: Explain,
    /// The pool of builders, to which a builder returns when its program is finished.
    pub(crate) builders: Option<&'a SpareBuilder>,
    /// The runs and rows of loops are counted.
    pub is_measured: bool,
    /// The program reads rows of table-valued functions.
    pub calls_table_functions: bool,
    access: access::AccessMap<'a>,
    /// The state of planning.
    pub(crate) planner: Planner<'a>,
    /// Values that need not be computed.
    pub(crate) known: Known<'a>,
    expr: expr::State,
    /// The common tables for which code has been emitted.
    pub(crate) common_tables: loops::CommonTables,
    /// Whether the statement needs a statement journal.
    pub(crate) journal: JournalNeed,
    write: write::State<'a>,
    /// The databases that the program uses.
    pub(crate) transactions: Transactions<'a>,
}

impl<'a> Codegen<'a> {
    /// A generator with an empty program.
    #[inline]
    pub fn new(resolver: &'a Resolver<'a>, explain: Explain, builders: Option<&'a SpareBuilder>) -> Codegen<'a> {
        Codegen {
            b: builders.map_or_else(Box::default, SpareBuilder::take),
            builders,
            env: resolver.env,
            arena: resolver.arena,
            resolver,
            explain,
            is_measured: false,
            calls_table_functions: false,
            access: access::AccessMap::new(resolver.arena),
            planner: Planner::new(resolver),
            known: Known::new_in(resolver.arena),
            expr: expr::State::default(),
            journal: JournalNeed::default(),
            common_tables: loops::CommonTables::default(),
            write: write::State::default(),
            transactions: Transactions::new(resolver.arena),
        }
    }

    /// The finished program. `parameters` is the largest number of a parameter in the statement's text.
    pub fn finish(&mut self, parameters: u32) -> Arc<Program> {
        self.emit_transactions();
        write::finish(self);
        self.b.uses_parameter(parameters);
        let mut program = self.b.finish_shared();
        self.complete(new_program(&mut program));
        program
    }

    /// The program as it is: that of a trigger, whose statement emits the rest.
    pub(crate) fn take_program(&mut self) -> Program {
        let mut program = self.b.finish();
        self.complete(&mut program);
        program
    }

    /// Adds what the builder does not know of.
    fn complete(&mut self, program: &mut Program) {
        if self.is_measured && program.measured.is_none() {
            program.measured = Some(Box::default());
        }
        if self.planner.context.has_scans() {
            program.scans = self.planner.context.take_scans();
        }
        if !program.scans.is_empty() || self.calls_table_functions {
            program.find_columns_read();
        }
        if !self.explain.is_on() {
            return;
        }
        let row = |line: PlanLine| QueryPlanRow {
            id: line.id,
            parent: line.parent,
            cost: i32::from(line.cost.0),
            detail: line.detail,
        };
        program.query_plan = self.explain.take_lines().into_iter().map(row).collect();
    }

    /// Sets how the columns of `source` are read from here on. Returns the previous access.
    pub(crate) fn set_access(&mut self, source: SourceId, access: ColumnAccess<'a>) -> Option<ColumnAccess<'a>> {
        self.access.set(source, Some(access))
    }

    /// How the columns of `source` are read here.
    pub fn access(&self, source: SourceId) -> ColumnAccess<'a> {
        self.access.get(source)
    }

    /// The query as it is planned: rewritten, and with its uses recorded.
    pub fn prepare_query(&mut self, query: &'a Query<'a>) -> &'a Query<'a> {
        self.planner.prepare_query(query)
    }

    /// Plans a query that is not within another one.
    pub fn plan_query(&mut self, query: &'a Query<'a>, rows: RowsFor) -> Result<&'a QueryPlan<'a>> {
        let plan = self.planner.plan_query(query, rows)?;
        self.explain.query(plan);
        Ok(plan)
    }

    /// The program's number of a collation.
    pub fn collation(&mut self, collation: Coll<'a>) -> Result<CollationId> {
        let collation = self.env.collation(collation)?;
        Ok(if collation.is_binary() { CollationId::BINARY } else { self.b.collation(&collation) })
    }

    /// Frees `count` adjacent registers that were temporary.
    pub(crate) fn free_registers(&mut self, start: Reg, count: usize) {
        (0..count).for_each(|n| self.b.free(start.at(n)));
    }
}

/// A program that nobody else has yet, to be completed.
fn new_program(program: &mut Arc<Program>) -> &mut Program {
    Arc::get_mut(program).expect("a new program has one owner")
}
