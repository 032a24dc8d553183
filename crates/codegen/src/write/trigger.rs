//! The programs of triggers.
//!
//! A trigger is compiled for each place that fires it: for the registers of OLD and NEW, and for the conflict policy of the
//! firing statement. The steps of its body are planned (`optimize::write::trigger_body`) and emitted one after the other. All programs are in one table of the statement's own program. Their numbers are assigned before they are
//! compiled, so that a trigger can fire itself.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use lithe_catalog::{CompileError, ForeignKey, FoundTrigger, Result, fail};
use lithe_optimize::explain::Explain;
use lithe_optimize::write::TriggerBody;
use lithe_optimize::write::trigger_body::{StepPlan, plan_step, plan_when};
use lithe_resolve::{Found, Rules, Scope, ScopeSource};
use lithe_sql::ast::{Conflict, CreateTrigger, Expr, ExprKind, Name, Node, Stmt, walk_stmt};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Db, SubprogramId};
use lithe_vm::program::Subprogram;

use super::Body;
use super::row::{Row, RowChange};
use crate::{Codegen, ColumnAccess, Destination};

/// The trigger programs of a statement, which all of its programs share; made at the first use.
#[derive(Clone, Default)]
pub(super) struct SharedPrograms(OnceCell<Rc<RefCell<Programs>>>);

impl SharedPrograms {
    /// The programs.
    pub fn get(&self) -> &RefCell<Programs> {
        self.0.get_or_init(Rc::default)
    }

    /// The programs, if there has been a use for them.
    pub fn known(&self) -> Option<&Rc<RefCell<Programs>>> {
        self.0.get()
    }

    /// The same programs for another program of the statement.
    fn share(&self) -> SharedPrograms {
        self.get();
        self.clone()
    }
}

/// The trigger programs of a statement, by their numbers.
#[derive(Default)]
pub(super) struct Programs {
    programs: Vec<TriggerProgram>,
    /// The foreign key whose SET NULL is the trigger that was begun last, by its address in the catalog.
    set_null: Option<usize>,
    /// How many triggers are being compiled.
    depth: u32,
    /// The error of a trigger that was compiled again while it was being compiled. SQLite compiles a trigger once for all rows, so that the
    /// first compilation meets the error in its turn.
    met_again: Option<CompileError>,
    /// The AUTOINCREMENT tables of all programs, the statement's own included.
    pub sequences: super::autoincrement::Sequences,
}

struct TriggerProgram {
    key: Key,
    /// `None` while it is being compiled, and if that failed.
    program: Option<Arc<Subprogram>>,
    has_failed: bool,
}

/// The properties for which a program is compiled.
#[derive(PartialEq, Eq)]
struct Key {
    token: u64,
    policy: Option<Conflict>,
    old: Option<Row>,
    new: Option<Row>,
}

impl Key {
    fn is_of(&self, other: &Key) -> bool {
        self.token == other.token && self.policy == other.policy
    }
}

impl Programs {
    /// Whether the trigger that was begun last is the ON DELETE or ON UPDATE SET NULL of the key.
    pub fn end_with_set_null(&self, key: &ForeignKey) -> bool {
        self.set_null == Some(std::ptr::from_ref(key).addr())
    }

    /// Begins a program; returns its number.
    fn begin(&mut self, key: Key, set_null: Option<&ForeignKey>) -> usize {
        // SQLite takes programs for other rows as the same one.
        if !self.programs.iter().any(|program| program.key.is_of(&key)) {
            self.set_null = set_null.map(|key| std::ptr::from_ref(key).addr());
        }
        self.programs.push(TriggerProgram { key, program: None, has_failed: false });
        self.programs.len() - 1
    }

    /// All programs, by their numbers.
    pub fn take_finished(&mut self) -> Vec<Arc<Subprogram>> {
        let programs = std::mem::take(&mut self.programs).into_iter();
        programs.map(|program| program.program.expect("every trigger that was begun is compiled")).collect()
    }
}

/// The source of a trigger's body: the catalog, or a foreign key's action.
pub(super) struct BodySource<'a> {
    /// The CREATE TRIGGER statement.
    pub text: &'a [u8],
    /// The trigger's name.
    pub name: String,
    /// Its identity: unique among all databases of the connection.
    pub token: u64,
    /// The database to which it belongs.
    pub db: Db,
    /// The foreign key whose ON DELETE or ON UPDATE SET NULL it is.
    pub set_null: Option<&'a ForeignKey>,
}

impl<'a> BodySource<'a> {
    /// The source of a trigger in the catalog.
    pub fn of(cg: &Codegen<'a>, trigger: FoundTrigger<'a>) -> BodySource<'a> {
        let FoundTrigger { db, trigger } = trigger;
        let number = cg.env.catalog.schema(db).trigger_number(trigger.name.name()).unwrap_or(0);
        let token = u64::from(db.0) << 56 | number;
        BodySource { text: &trigger.sql, name: trigger.name.to_string(), token, db, set_null: None }
    }
}

/// The program of a trigger, compiled at its first use.
pub(super) fn subprogram<'a>(
    cg: &mut Codegen<'a>,
    change: &RowChange<'_, 'a>,
    source: BodySource<'a>,
) -> Result<SubprogramId> {
    let key = Key { token: source.token, policy: change.policy, old: change.old, new: change.new };
    let (at, is_again) = {
        let mut programs = cg.write.programs.get().borrow_mut();
        let is_it = |program: &TriggerProgram| program.key == key && !program.has_failed;
        if let Some(at) = programs.programs.iter().position(is_it) {
            return id(at);
        }
        let is_open =
            |program: &TriggerProgram| program.program.is_none() && !program.has_failed && program.key.is_of(&key);
        let is_again = programs.programs.iter().any(is_open);
        if is_again && programs.met_again.is_some() {
            // The statement fails anyway. Compiling each trigger again at each place would take exponential time.
            return id(0);
        }
        programs.depth += 1;
        (programs.begin(key, source.set_null), is_again)
    };
    let compiled = compile(cg, change, source);
    let mut programs = cg.write.programs.get().borrow_mut();
    programs.depth -= 1;
    programs.programs[at].has_failed = compiled.is_err();
    match compiled {
        Ok(program) => programs.programs[at].program = Some(Arc::new(program)),
        Err(error) if is_again => _ = programs.met_again.get_or_insert(error),
        Err(error) => return Err(error),
    }
    match programs.depth {
        0 => programs.met_again.take().map_or_else(|| id(at), Err),
        _ => id(at),
    }
}

fn id(at: usize) -> Result<SubprogramId> {
    match u16::try_from(at) {
        Ok(at) => Ok(SubprogramId(at)),
        Err(_) => fail("too many triggers"),
    }
}

fn compile<'a>(cg: &mut Codegen<'a>, change: &RowChange<'_, 'a>, source: BodySource<'a>) -> Result<Subprogram> {
    let BodySource { text, name, token, db, .. } = source;
    let Stmt::CreateTrigger(create) = cg.resolver.parse_stored(text)? else {
        return fail(format!("malformed trigger {name}"));
    };
    let is_explained = cg.explain.is_on() && cg.env.flags.trigger_eqp;
    let explain = if is_explained { Explain::on() } else { Explain::off() };
    let mut body = Codegen::new(cg.resolver, explain, cg.builders);
    body.write.programs = cg.write.programs.share();
    let rows = old_and_new(&mut body, change);
    let found = Found::default();
    // A trigger that is not temporary can refer to its own database only.
    let fixed_db = (db != Db::TEMP).then_some(db);
    let rules = Rules { raise: true, ..Rules::of_statements(&cg.env.flags) };
    let within = (!name.is_empty()).then(|| Name::new(&*cg.arena.alloc_slice_copy(name.as_bytes())));
    body.write.body = Some(Body { within });
    let scope = Scope { sources: rows, rules, fixed_db, within, ..Scope::outermost(text, &found) };
    if !name.is_empty() {
        emit_trace(&mut body, &format!("TRIGGER {name}"));
    }
    let of_trigger = TriggerBody { policy: change.policy };
    emit_body(&mut body, &scope, create, of_trigger).map_err(lithe_catalog::CompileError::without_offset)?;
    take_needs(cg, &body, create);
    let program = body.take_program();
    if let Some(builders) = body.builders {
        builders.put(body.b);
    }
    Ok(Subprogram { program, token, name })
}

/// Adds the requirements of a trigger's program to those of the statement.
fn take_needs<'a>(cg: &mut Codegen<'a>, body: &Codegen<'a>, create: &'a CreateTrigger<'a>) {
    if body.journal.may_abort || raises(create) {
        cg.journal.note_may_abort();
    }
    cg.journal.note_more_changes();
    cg.transactions.add(&body.transactions);
}

/// Whether the trigger has a RAISE anywhere.
fn raises<'a>(create: &'a CreateTrigger<'a>) -> bool {
    let mut found = false;
    walk_stmt(&Stmt::CreateTrigger(create), &mut |node| {
        found = found || matches!(node, Node::Expr(Expr { kind: ExprKind::Raise(_), .. }));
    });
    found
}

/// OLD and NEW, in registers of the frame that fires the trigger.
fn old_and_new<'a>(body: &mut Codegen<'a>, change: &RowChange<'_, 'a>) -> &'a [ScopeSource<'a>] {
    let mut rows = bumpalo::collections::Vec::new_in(body.arena);
    for (name, row) in [("old", change.old), ("new", change.new)] {
        if let Some(row) = row {
            let id = body.resolver.new_source();
            let source = change.target.in_scope(id, Name::new(name.as_bytes()));
            rows.push(ScopeSource { qualified_only: true, is_trigger_row: true, db: None, ..source });
            body.set_access(id, ColumnAccess::ParentRegisters { start: row.columns, rowid: row.rowid });
        }
    }
    rows.into_bump_slice()
}

fn emit_body<'a>(
    body: &mut Codegen<'a>,
    scope: &Scope<'_, 'a>,
    create: &'a CreateTrigger<'a>,
    of_trigger: TriggerBody,
) -> Result<()> {
    let end = body.b.label();
    if let Some(when) = &create.when {
        let plan = plan_when(&mut body.planner, scope, when)?;
        body.explain.expr_queries(plan.queries);
        body.jump_if_false(&plan.condition, end, true)?;
    }
    for step in create.body {
        if scope.within.is_some() {
            emit_trace(body, &String::from_utf8_lossy(step.span.text(scope.text)));
        }
        let plan = plan_step(&mut body.planner, scope, &step.stmt, of_trigger)?;
        emit_step(body, &plan)?;
    }
    body.b.place(end);
    body.b.emit(Insn::Halt {});
    Ok(())
}

fn emit_trace(cg: &mut Codegen<'_>, text: &str) {
    let text = cg.b.text(format!("-- {text}"));
    cg.b.emit(Insn::TraceTrigger { text });
}

fn emit_step<'a>(body: &mut Codegen<'a>, plan: &StepPlan<'a>) -> Result<()> {
    match plan {
        StepPlan::Query(plan) => {
            body.explain.query(plan);
            body.emit_query(plan, &Destination::Discard)
        }
        StepPlan::Change(plan) => {
            (body.write.change)(body, plan)?;
            body.b.emit(Insn::ResetCount {});
            Ok(())
        }
    }
}
