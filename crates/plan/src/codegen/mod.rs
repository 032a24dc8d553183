//! Code generation: from the resolved tree and the join plans to a program.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `access` | where the columns of each source are at this point of the program |
//! | `usage` | which columns of each source the statement uses |
//! | `beside` | which of them beside the expressions that an index has |
//! | `cursors` | cursors on tables, indexes, temporary tables; the transactions they need |
//! | `expr` | expressions as values, as conditions with jumps |
//! | `select` | queries: loops, grouping, DISTINCT, ORDER BY, LIMIT, compounds, subqueries, recursion |
//! | `loops` | join plans as nested loops |
//! | `write` | INSERT, UPDATE, DELETE and what they entail |
//! | `ddl` | CREATE, DROP, ALTER and the like |
//! | `row_check` | the rows of a table under integrity_check |
//!
//! # How expressions become code
//!
//! [`Codegen::emit`] puts a value into a register of its choice (a constant's own register, a column's, a temporary
//! one) which the caller only reads and then gives to [`Codegen::release`]; [`Codegen::emit_into`] puts it into the
//! caller's register. Conditions are better emitted as jumps: [`Codegen::jump_if_false`], [`Codegen::jump_if_true`].
//! Before code that uses a source's columns is emitted, somebody must have said by [`Codegen::set_access`] how they
//! are read: the loops do it for the sources of a join, triggers for OLD and NEW, UPSERT for `excluded`.
//!
//! # How loops become code
//!
//! ```text
//! let plan = access::plan_join(cg, request)?;
//! let loops = loops::begin_loops(cg, &plan)?;   // opens cursors, sets the access of every source
//! ... body: jumps to loops.next skip the row, jumps to loops.done leave all loops ...
//! loops::end_loops(cg, loops)?;                 // places both labels
//! ```
//!
//! The body may be emitted only once, but may run as a subroutine (RIGHT JOIN), so it must be left through its end
//! or through those two labels.

pub mod loops;

mod access;
mod beside;
mod cursors;
pub(crate) mod ddl;
mod expr;
mod row_check;
mod select;
mod usage;
pub(crate) mod write;

use std::cell::RefCell;

use bumpalo::Bump;
use lithe_vm::builder::ProgramBuilder;
use lithe_vm::operand::{CollationId, Reg, ScanId};
use lithe_vm::program::{Program, Scan};

pub use access::{ColumnAccess, NOT_IN_INDEX};
pub use beside::Beside;
pub use expr::{Replacement, Value};
pub use row_check::{Fault, RowCheck, compile_row_check};
pub use select::{Coroutine, DerivedRows, Destination};
pub use usage::{ColumnSet, Usage};

use crate::environment::Environment;
use crate::error::Result;
use crate::explain::Explain;
use crate::ir::{Coll, Expr, Query, SourceId};
use crate::resolve::Resolver;
use crate::rewrite::Rewriter;

/// The state of code generation for one program.
pub struct Codegen<'a> {
    /// The program so far.
    pub b: ProgramBuilder,
    /// The connection.
    pub env: &'a Environment,
    /// The statement's arena.
    pub arena: &'a Bump,
    /// The resolver of the statement: for expressions that the catalog keeps as text.
    pub resolver: &'a Resolver<'a>,
    /// EXPLAIN QUERY PLAN's rows.
    pub explain: Explain,
    access: access::AccessMap<'a>,
    usage: usage::Usage,
    /// What `usage` was made of.
    noted_queries: Vec<&'a Query<'a>>,
    noted_exprs: Vec<Expr<'a>>,
    expr: expr::State<'a>,
    select: select::State,
    loops: loops::State,
    write: write::State<'a>,
    transactions: cursors::Transactions,
    /// The scans of virtual tables, which planning adds.
    scans: RefCell<Vec<Scan>>,
}

impl<'a> Codegen<'a> {
    /// Nothing generated yet.
    pub fn new(resolver: &'a Resolver<'a>, explain: Explain) -> Codegen<'a> {
        Codegen {
            b: ProgramBuilder::new(),
            env: resolver.env,
            arena: resolver.arena,
            resolver,
            explain,
            access: access::AccessMap::default(),
            usage: usage::Usage::default(),
            noted_queries: Vec::new(),
            noted_exprs: Vec::new(),
            expr: expr::State::default(),
            select: select::State::default(),
            loops: loops::State::default(),
            write: write::State::default(),
            transactions: cursors::Transactions::default(),
            scans: RefCell::default(),
        }
    }

    /// The finished program. `parameters` is the largest number of a parameter in the statement's text.
    pub fn finish(mut self, parameters: u32) -> Program {
        self.emit_transactions();
        write::finish(&mut self);
        self.b.uses_parameter(parameters);
        self.into_program()
    }

    /// The program as it stands: of a trigger, whose statement does the rest.
    pub(crate) fn into_program(self) -> Program {
        let mut program = self.b.finish();
        program.scans = self.scans.take().into();
        program.query_plan = self.explain.finish();
        program
    }

    /// Adds a way to scan a virtual table; the program's number of it.
    pub(crate) fn add_scan(&self, scan: Scan) -> ScanId {
        let mut scans = self.scans.borrow_mut();
        scans.push(scan);
        ScanId((scans.len() - 1) as u16)
    }

    /// From here on the columns of `source` are read like this. Gives back how they were read before.
    pub fn set_access(&mut self, source: SourceId, access: ColumnAccess<'a>) -> Option<ColumnAccess<'a>> {
        self.access.set(source, Some(access))
    }

    /// How the columns of `source` are read here.
    pub fn access(&self, source: SourceId) -> ColumnAccess<'a> {
        self.access.get(source)
    }

    /// The columns of `source` that the statement uses anywhere.
    pub fn used(&self, source: SourceId) -> &ColumnSet {
        self.usage.of(source)
    }

    /// What the statement uses of `source` beside expressions that an index has.
    pub fn used_beside<'e>(&self, source: SourceId, indexed: &'e [Expr<'a>]) -> Beside<'e, 'a> {
        let mut beside = Beside::new(source, indexed);
        self.noted_queries.iter().for_each(|query| beside.add_query(query));
        self.noted_exprs.iter().for_each(|expr| beside.add_expr(expr));
        beside
    }

    /// As [`Codegen::used`], for those who keep it: all that the statement uses is known by then.
    pub fn used_in_arena(&self, source: SourceId) -> &'a ColumnSet {
        self.arena.alloc(self.usage.of(source).clone())
    }

    /// The query as code should be generated from it: rewritten, and what it uses noted.
    pub fn prepare_query(&mut self, query: &'a Query<'a>) -> &'a Query<'a> {
        let query = Rewriter::new(self.resolver).rewrite(query);
        self.note_query(query);
        self.number_selects(query);
        query
    }

    /// The expression with the queries in it rewritten, and what it uses noted.
    pub fn prepare_expr(&mut self, expr: &Expr<'a>) -> Expr<'a> {
        let expr = Rewriter::new(self.resolver).expr(expr);
        self.note_expr(&expr);
        expr
    }

    /// Notes what the query uses: once for every tree that code will be generated from, before its joins are planned.
    pub fn note_query(&mut self, query: &'a Query<'a>) {
        self.usage.add_query(query);
        self.noted_queries.push(query);
    }

    /// As [`Codegen::note_query`], for an expression outside of queries.
    pub fn note_expr(&mut self, expr: &Expr<'a>) {
        self.usage.add_expr(expr);
        self.noted_exprs.push(*expr);
    }

    /// The program's number of a collation.
    pub fn collation(&mut self, collation: Coll<'a>) -> Result<CollationId> {
        let collation = self.env.collation(collation)?;
        Ok(if collation.is_binary() { CollationId::BINARY } else { self.b.collation(&collation) })
    }

    /// Frees `count` registers in a row that were temporary.
    pub(crate) fn free_registers(&mut self, start: Reg, count: usize) {
        (0..count).for_each(|n| self.b.free(start.at(n)));
    }
}
