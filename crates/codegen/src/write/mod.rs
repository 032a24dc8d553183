//! INSERT, UPDATE, DELETE with their constraints, triggers and foreign keys.
//!
//! ```text
//!   insert ─┐                          ┌─ constraint   NOT NULL, CHECK
//!   update ─┼─ one row in registers ───┼─ unique       rowid, unique indexes; IGNORE, REPLACE, UPSERT
//!   delete ─┘   (target, row)          ├─ index        entries of indexes
//!                                      └─ trigger      before and after
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `target` | the table that is changed: its cursors and the expressions that belong to it |
//! | `row` | the new row in registers: defaults, generated columns, affinity, the record |
//! | `constraint` | NOT NULL and CHECK; failures of constraints |
//! | `unique` | unique keys and conflicts |
//! | `replace` | deleting the row that conflicts with a new one |
//! | `index` | index entries of new and old rows |
//! | `insert`, `rows`, `upsert` | INSERT, the source of its rows, ON CONFLICT |
//! | `transfer` | rows of a table with the same definition, inserted as records |
//! | `autoincrement` | sqlite_sequence |
//! | `change_loop` | the loop over the rows of UPDATE and DELETE, in one or two passes |
//! | `update`, `delete` | UPDATE, DELETE |
//! | `trigger`, `fire` | triggers' programs; running them |
//! | `view` | INSTEAD OF |
//! | `virtual_table` | rows of virtual tables |
//! | `preupdate` | calling the pre-update hook |
//! | `foreign_key` | foreign keys: counting violations, actions |
//! | `returning` | RETURNING |

mod autoincrement;
mod change_loop;
mod constraint;
mod delete;
mod fire;
mod foreign_key;
mod index;
mod insert;
mod preupdate;
mod replace;
mod returning;
mod row;
mod rows;
mod target;
mod transfer;
mod trigger;
mod unique;
mod update;
mod upsert;
mod view;
mod virtual_table;

use crate::expr::computed;

use lithe_catalog::Result;
use lithe_optimize::write::statement::{ChangePlan, plan_change};
use lithe_resolve::Scope;
use lithe_resolve::ir::OutputColumn;
use lithe_sql::ast::{Name, Stmt};
use lithe_vm::insn::Insn;
use lithe_vm::operand::Reg;

pub(crate) use constraint::emit_failure;
pub(crate) use delete::delete_rows_of_dropped;
pub(crate) use index::entry_affinities;
pub(crate) use row::{emit_affinities, generated_column_uses};

use super::Codegen;

/// Emits an INSERT, UPDATE or DELETE by its plan. Returns the columns of RETURNING.
type EmitChange = for<'a> fn(&mut Codegen<'a>, &ChangePlan<'a>) -> Result<&'a [OutputColumn<'a>]>;

/// The state of code generation of writes for one program.
pub(super) struct State<'a> {
    /// Emits the changes of a trigger's steps. (A function pointer, because the modules of INSERT, UPDATE and DELETE use this one.)
    change: EmitChange,
    /// DROP TABLE deletes rows as DELETE does.
    drops_rows: bool,
    /// The trigger programs of the statement, which all of its programs share.
    programs: trigger::SharedPrograms,
    /// The trigger whose body the program is.
    body: Option<Body<'a>>,
    /// The counter of rows for PRAGMA count_changes.
    row_count: Option<Reg>,
}

impl Default for State<'_> {
    fn default() -> Self {
        State { change: emit_plan, drops_rows: false, programs: Default::default(), body: None, row_count: None }
    }
}

/// Resolves, plans and emits an INSERT, UPDATE or DELETE in `scope`. Returns the columns of RETURNING.
pub(crate) fn emit_change<'a>(
    cg: &mut Codegen<'a>,
    scope: &Scope<'_, 'a>,
    stmt: &Stmt<'a>,
) -> Result<&'a [OutputColumn<'a>]> {
    let plan = plan_change(&mut cg.planner, scope, stmt, None);
    let emitted = plan.and_then(|plan| emit_plan(cg, &plan));
    // An error before it is reported instead.
    let returning = cg.resolver.report_returning();
    let columns = emitted?;
    returning.map(|()| columns)
}

fn emit_plan<'a>(cg: &mut Codegen<'a>, plan: &ChangePlan<'a>) -> Result<&'a [OutputColumn<'a>]> {
    match plan {
        ChangePlan::Insert(insert, plan) => insert::insert(cg, insert, plan),
        ChangePlan::Update(change, plan) => update::update(cg, change, plan),
        ChangePlan::Delete(change, plan) => delete::delete(cg, change, plan),
    }
}

/// A trigger's body, while it is compiled.
#[derive(Clone, Copy)]
struct Body<'a> {
    /// The trigger's name, for the authorizer; `None` for the action of a foreign key.
    within: Option<Name<'a>>,
}

impl<'a> Codegen<'a> {
    /// Whether the program is the body of a trigger.
    pub(super) fn is_body(&self) -> bool {
        self.write.body.is_some()
    }

    /// The trigger whose body the program is, for the authorizer.
    fn within(&self) -> Option<Name<'a>> {
        self.write.body.and_then(|body| body.within)
    }

    /// The register that counts rows for PRAGMA count_changes, if it is on.
    fn row_count(&self) -> Option<Reg> {
        self.write.row_count
    }

    /// Counts a row for PRAGMA count_changes.
    fn emit_row_count(&mut self) {
        if let Some(reg) = self.write.row_count {
            self.b.emit(Insn::AddImmediate { reg, value: 1 });
        }
    }

    /// Whether the statement is a DROP TABLE that deletes rows as DELETE does, which changes() reports.
    pub(crate) fn drops_rows(&self) -> bool {
        self.write.drops_rows
    }

    /// Whether an error may end the statement at once: nothing has changed by then, and no later change can repair the violation.
    pub(super) fn fails_at_once(&self) -> bool {
        !self.journal.changes_more_than_once && self.write.body.is_none() && !self.env.flags.defer_foreign_keys
    }
}

/// PRAGMA count_changes: begins to count the rows of a statement that is not a trigger's and returns no rows itself. Returns the
/// column of the count.
fn begin_row_count<'a>(cg: &mut Codegen<'a>, name: &'static str, has_returning: bool) -> &'a [OutputColumn<'a>] {
    if !cg.env.flags.count_changes || has_returning || cg.write.body.is_some() {
        return &[];
    }
    let counter = cg.b.register();
    cg.b.emit(Insn::Integer { value: 0, dst: counter });
    cg.write.row_count = Some(counter);
    let name = Name::new(name.as_bytes());
    let column = lithe_resolve::plain_output(&computed(counter, None));
    cg.arena.alloc_slice_copy(&[OutputColumn { name, ..column }])
}

/// Ends the changes of a statement: writes the largest rowids, and returns the rows of RETURNING or the count of PRAGMA
/// count_changes. Does nothing for a trigger's statement.
fn finish_statement<'a>(cg: &mut Codegen<'a>, returning: Option<&returning::Rows<'a>>) {
    if cg.write.body.is_some() {
        return;
    }
    autoincrement::emit_end(cg);
    let count = cg.write.row_count;
    if returning.is_some() || count.is_some() {
        cg.b.emit(Insn::FkCheck {});
    }
    if let Some(returning) = returning {
        returning.emit_results(cg);
    }
    if let Some(start) = count {
        cg.b.emit(Insn::ResultRow { start, count: 1 });
    }
}

/// Emits the rest of a statement's program, after the transactions: the statement journal, if it is needed, the largest rowids of
/// AUTOINCREMENT tables, and the triggers' programs.
pub(super) fn finish(cg: &mut Codegen<'_>) {
    if cg.journal.is_needed() {
        cg.b.prologue(|b| b.emit(Insn::StatementJournal {}));
    }
    autoincrement::emit_begin(cg);
    let Some(programs) = cg.write.programs.known() else { return };
    let programs = programs.borrow_mut().take_finished();
    for program in programs {
        cg.b.subprogram(program);
    }
}
