//! Queries as code.
//!
//! A query's rows flow from its loops through a chain of steps into a [`Destination`]:
//!
//! ```text
//!   loops ─▶ [grouping] ─▶ result columns ─▶ [DISTINCT] ─▶ [sorter ⟳] ─▶ [OFFSET, LIMIT] ─▶ destination
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `sink` | the end of the chain: sorter, OFFSET, LIMIT, destination |
//! | `plain` | a SELECT without grouping; VALUES |
//! | `distinct` | DISTINCT |
//! | `aggregate` | aggregates: their steps and results; a SELECT of aggregates without GROUP BY |
//! | `group` | GROUP BY |
//! | `shortcut` | count(*) without visiting rows |
//! | `compound` | UNION, UNION ALL, EXCEPT, INTERSECT |
//! | `recursive`, `queue` | recursive common tables |
//! | `window` | window functions |

mod aggregate;
mod compound;
mod distinct;
mod group;
mod plain;
mod queue;
mod recursive;
mod shortcut;
mod sink;
mod window;

use lithe_catalog::Result;
use lithe_optimize::plan::{CorePlan, CoresPlan, QueryBody, QueryPlan, SelectPlan};

use super::{Codegen, Coroutine, Destination};
use sink::Sink;

impl<'a> Codegen<'a> {
    /// Runs the query and sends its rows to `destination`.
    pub fn emit_query(&mut self, plan: &'a QueryPlan<'a>, destination: &Destination<'a>) -> Result<()> {
        let sink = sink::open(self, plan.query, destination)?;
        self.emit_into_sink(plan, &sink)
    }

    /// Runs a query in FROM and sends its rows to `destination`.
    pub fn emit_source_query(&mut self, plan: &'a QueryPlan<'a>, destination: &Destination<'a>) -> Result<()> {
        let sink = sink::open_for_source(self, plan.query, destination)?;
        self.emit_into_sink(plan, &sink)
    }

    fn emit_into_sink(&mut self, plan: &'a QueryPlan<'a>, sink: &Sink<'a>) -> Result<()> {
        match &plan.body {
            QueryBody::Cores(cores) => self.emit_cores(cores, sink)?,
            QueryBody::Recursive(recursive) => recursive::emit(self, plan.query, recursive, sink)?,
        }
        self.b.place(sink.done);
        Ok(())
    }

    fn emit_cores(&mut self, cores: &'a CoresPlan<'a>, sink: &Sink<'a>) -> Result<()> {
        match cores {
            CoresPlan::One(core) => self.emit_core(core, sink),
            CoresPlan::Compound(plan) => compound::emit(self, plan, sink),
        }
    }

    /// One core, without the end of the sink.
    fn emit_core(&mut self, core: &'a CorePlan<'a>, sink: &Sink<'a>) -> Result<()> {
        match core {
            CorePlan::Select(select) => self.emit_select(select, sink),
            CorePlan::Values(plan) => plain::emit_values(self, plan, sink),
            CorePlan::Compound(plan) => compound::emit(self, plan, sink),
        }
    }

    fn emit_select(&mut self, plan: &'a SelectPlan<'a>, sink: &Sink<'a>) -> Result<()> {
        match plan {
            SelectPlan::Windows(plan) => window::emit(self, plan, sink),
            SelectPlan::Count(plan) => shortcut::emit_count(self, plan, sink),
            SelectPlan::Aggregate(plan) => aggregate::emit_single_group(self, plan, sink),
            SelectPlan::Group(plan) => group::emit(self, plan, sink),
            SelectPlan::Plain(plan) => plain::emit(self, plan, sink),
        }
    }

    /// A coroutine that returns the rows of the query. It starts when it is first resumed.
    pub fn emit_coroutine(&mut self, plan: &'a QueryPlan<'a>) -> Result<Coroutine> {
        let count = plan.query.columns.len();
        self.coroutine(count, |cg, coroutine| {
            let Coroutine { co, start, .. } = *coroutine;
            cg.emit_query(plan, &Destination::Coroutine { co, start, is_written: false })
        })
    }

    /// A coroutine whose body `f` emits.
    pub(crate) fn coroutine(
        &mut self,
        count: usize,
        f: impl FnOnce(&mut Codegen<'a>, &Coroutine) -> Result<()>,
    ) -> Result<Coroutine> {
        use lithe_vm::insn::Insn;
        let coroutine = Coroutine { co: self.b.register(), start: self.b.registers(count), count };
        let (entry, after) = (self.b.label(), self.b.label());
        self.b.emit(Insn::InitCoroutine { co: coroutine.co, entry, target: after });
        self.b.place(entry);
        f(self, &coroutine)?;
        self.b.emit(Insn::EndCoroutine { co: coroutine.co });
        self.b.place(after);
        Ok(coroutine)
    }
}
