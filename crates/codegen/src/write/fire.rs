//! Running the triggers of a table.

use lithe_catalog::{FoundTable, FoundTrigger, Result, Table, TriggerEvent};
use lithe_resolve::{Assigned, ChangeTarget};
use lithe_sql::ast::{Conflict, Expr, ExprKind, Name, Node, TriggerTime, walk_stmt};
use lithe_vm::insn::Insn;
use lithe_vm::operand::Addr;

use super::row::Row;
use super::trigger::{BodySource, subprogram};
use crate::Codegen;

/// What happens to rows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event<'s, 'a> {
    /// INSERT
    Insert,
    /// DELETE
    Delete,
    /// UPDATE of these columns
    Update(&'s [Assigned<'a>]),
}

/// The triggers that an event fires, in their order.
pub(super) struct Triggers<'a> {
    triggers: Vec<FoundTrigger<'a>>,
}

/// How triggers are fired at one place.
#[derive(Clone, Copy)]
pub(super) struct Firing {
    /// What the statement says about conflicts: it holds in the triggers too.
    pub policy: Option<Conflict>,
    /// Where RAISE(IGNORE) leads.
    pub ignore: Addr,
}

impl<'a> Triggers<'a> {
    /// None.
    pub fn none() -> Triggers<'a> {
        Triggers { triggers: Vec::new() }
    }

    /// The triggers of the target that `event` fires.
    pub fn of(cg: &Codegen<'a>, target: &ChangeTarget<'a>, event: Event<'_, 'a>) -> Triggers<'a> {
        if !cg.env.flags.triggers {
            return Triggers::none();
        }
        let catalog = &cg.env.catalog;
        let Some(table) = catalog.schema(target.db).table(target.table.name.name()) else { return Triggers::none() };
        let found = FoundTable { db: target.db, table };
        let fires = |trigger: &FoundTrigger<'a>| is_fired(target, &trigger.trigger.event, event);
        Triggers { triggers: catalog.triggers_of(found).filter(fires).collect() }
    }

    /// Whether the target has triggers, whatever fires them.
    pub fn exist(cg: &Codegen<'a>, target: &ChangeTarget<'a>) -> bool {
        let catalog = &cg.env.catalog;
        let table = catalog.schema(target.db).table(target.table.name.name());
        let has_any = |table| catalog.triggers_of(FoundTable { db: target.db, table }).next().is_some();
        cg.env.flags.triggers && table.is_some_and(has_any)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.triggers.is_empty()
    }

    /// Whether any runs before the change.
    pub fn has_before(&self) -> bool {
        self.at(TriggerTime::Before).next().is_some()
    }

    /// Whether any runs after the change.
    pub fn has_after(&self) -> bool {
        self.at(TriggerTime::After).next().is_some()
    }

    /// Whether any runs instead of the change.
    pub fn has_instead(&self) -> bool {
        self.at(TriggerTime::InsteadOf).next().is_some()
    }

    /// The columns that the triggers before the change name as those of NEW.
    pub fn columns_named_before(&self, cg: &Codegen<'a>, table: &Table) -> Vec<u16> {
        let mut columns = Vec::new();
        for trigger in self.at(TriggerTime::Before) {
            // A text that is no statement is an error when the trigger is compiled.
            let Ok(stmt) = cg.resolver.parse_stored(&trigger.trigger.sql) else { continue };
            walk_stmt(&stmt, &mut |node| {
                if let Node::Expr(Expr { kind: ExprKind::QualifiedColumn(name), .. }) = node
                    && name.table.name == Name::new(b"new")
                {
                    columns.extend(table.column(name.column.name));
                }
            });
        }
        columns
    }

    fn at(&self, time: TriggerTime) -> impl Iterator<Item = &FoundTrigger<'a>> {
        self.triggers.iter().filter(move |trigger| trigger.trigger.time == time)
    }

    /// Compiles all of them, whatever their time, before code fires any: of several that mean nothing SQLite tells the first in this order,
    /// because it looks for the columns of OLD that they read.
    pub fn compile(
        &self,
        cg: &mut Codegen<'a>,
        target: &ChangeTarget<'a>,
        old: Option<Row>,
        new: Option<Row>,
        firing: Firing,
    ) -> Result<()> {
        for trigger in &self.triggers {
            subprogram(cg, target, BodySource::of(cg, *trigger), old, new, firing.policy)?;
        }
        Ok(())
    }

    /// Runs those before the change.
    pub fn fire_before(
        &self,
        cg: &mut Codegen<'a>,
        target: &ChangeTarget<'a>,
        old: Option<Row>,
        new: Option<Row>,
        firing: Firing,
    ) -> Result<()> {
        self.fire(cg, TriggerTime::Before, target, old, new, firing)
    }

    /// Runs those after the change. The row of RETURNING is computed when the temporary triggers of another database's table
    /// have run, before the table's own.
    pub fn fire_after(
        &self,
        cg: &mut Codegen<'a>,
        target: &ChangeTarget<'a>,
        old: Option<Row>,
        new: Option<Row>,
        firing: Firing,
        returning: impl FnOnce(&mut Codegen<'a>) -> Result<()>,
    ) -> Result<()> {
        let (own, foreign): (Vec<_>, Vec<_>) =
            self.at(TriggerTime::After).copied().partition(|trigger| trigger.db == target.db);
        Triggers { triggers: foreign }.fire(cg, TriggerTime::After, target, old, new, firing)?;
        returning(cg)?;
        Triggers { triggers: own }.fire(cg, TriggerTime::After, target, old, new, firing)
    }

    /// Runs those instead of the change.
    pub fn fire_instead(
        &self,
        cg: &mut Codegen<'a>,
        target: &ChangeTarget<'a>,
        old: Option<Row>,
        new: Option<Row>,
        firing: Firing,
    ) -> Result<()> {
        self.fire(cg, TriggerTime::InsteadOf, target, old, new, firing)
    }

    fn fire(
        &self,
        cg: &mut Codegen<'a>,
        time: TriggerTime,
        target: &ChangeTarget<'a>,
        old: Option<Row>,
        new: Option<Row>,
        firing: Firing,
    ) -> Result<()> {
        for trigger in self.at(time) {
            let program = subprogram(cg, target, BodySource::of(cg, *trigger), old, new, firing.policy)?;
            let recursive = u8::from(cg.env.flags.recursive_triggers);
            cg.b.emit(Insn::Subprogram { recursive, program, ignore: firing.ignore });
        }
        Ok(())
    }
}

fn is_fired(target: &ChangeTarget<'_>, of: &TriggerEvent, event: Event<'_, '_>) -> bool {
    match (of, event) {
        (TriggerEvent::Insert, Event::Insert) | (TriggerEvent::Delete, Event::Delete) => true,
        (TriggerEvent::Update(columns), Event::Update(set)) => {
            let is_set = |assigned: &Assigned<'_>| {
                assigned.named.is_some_and(|at| columns.iter().any(|column| *column == target.column_name(at)))
            };
            columns.is_empty() || set.iter().any(is_set)
        }
        _ => false,
    }
}
