//! Which triggers a change fires.

use lithe_base::Db;
use lithe_catalog::{FoundTrigger, Table, TriggerEvent};
use lithe_resolve::{Assigned, ChangeTarget, Resolver};
use lithe_sql::ast::{Expr, ExprKind, Name, Node, TriggerTime, walk_stmt};

/// What happens to rows.
#[derive(Clone, Copy, Debug)]
pub enum Event<'s, 'a> {
    /// INSERT
    Insert,
    /// DELETE
    Delete,
    /// UPDATE of these columns
    Update(&'s [Assigned<'a>]),
}

/// The triggers that an event fires, in their order.
#[derive(Clone, Debug, Default)]
pub struct Triggers<'a> {
    triggers: Vec<FoundTrigger<'a>>,
}

impl<'a> Triggers<'a> {
    /// None.
    pub fn none() -> Triggers<'a> {
        Triggers::default()
    }

    /// The triggers of the target that `event` fires.
    pub fn of(resolver: &Resolver<'a>, target: &ChangeTarget<'a>, event: Event<'_, 'a>) -> Triggers<'a> {
        let own = &target.table.triggers;
        let has_own = match event {
            Event::Insert => own.has_insert(),
            Event::Delete => own.has_delete(),
            Event::Update(_) => own.has_update(),
        };
        if !has_own && !resolver.env.catalog.schema(Db::TEMP).has_triggers() {
            return Triggers::none();
        }
        let fires = |trigger: &FoundTrigger<'a>| is_fired(target, &trigger.trigger.event, event);
        Triggers { triggers: enabled(resolver, target.db, target.table).filter(fires).collect() }
    }

    /// Whether the target has triggers, whatever fires them.
    pub fn exist(resolver: &Resolver<'a>, target: &ChangeTarget<'a>) -> bool {
        enabled(resolver, target.db, target.table).next().is_some()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.triggers.is_empty()
    }

    /// All of them, whatever their time.
    pub fn all(&self) -> impl Iterator<Item = FoundTrigger<'a>> + '_ {
        self.triggers.iter().copied()
    }

    /// Those with this time.
    pub fn at(&self, time: TriggerTime) -> impl Iterator<Item = FoundTrigger<'a>> + '_ {
        self.all().filter(move |trigger| trigger.trigger.time == time)
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
    pub(crate) fn has_instead(&self) -> bool {
        self.at(TriggerTime::InsteadOf).next().is_some()
    }

    /// The columns of NEW that the BEFORE triggers name.
    pub fn columns_named_before(&self, resolver: &Resolver<'a>, table: &Table) -> Vec<u16> {
        let mut columns = Vec::new();
        for trigger in self.at(TriggerTime::Before) {
            // A text that does not parse is an error when the trigger is compiled.
            let Ok(stmt) = resolver.parse_stored(&trigger.trigger.sql) else { continue };
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
}

/// The triggers of a table that may fire: SQLITE_DBCONFIG_ENABLE_TRIGGER says nothing about temporary ones.
pub(super) fn enabled<'a>(resolver: &Resolver<'a>, db: Db, table: &'a Table) -> impl Iterator<Item = FoundTrigger<'a>> {
    let all = resolver.env.flags.triggers;
    resolver.env.catalog.triggers_of(db, table).filter(move |found| all || found.db == Db::TEMP)
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
