//! Triggers and foreign keys.

use std::ops::Deref;
use std::sync::Arc;

use lithe_sql::ast::{ForeignKeyAction, Name, TriggerTime};

use super::NameBuf;

/// A trigger. Its WHEN and its statements are parsed again from its text by the statement that fires it.
#[derive(Clone, Debug)]
pub struct Trigger {
    /// Its name.
    pub name: NameBuf,
    /// The database of its table, for a TEMP trigger on a table of another database; none for the trigger's own.
    pub table_schema: Option<NameBuf>,
    /// Its table or view.
    pub table: NameBuf,
    /// When it fires.
    pub time: TriggerTime,
    /// What makes it fire.
    pub event: TriggerEvent,
    /// The CREATE statement as the schema table has it.
    pub sql: Box<[u8]>,
}

/// What makes a trigger fire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TriggerEvent {
    /// DELETE
    Delete,
    /// INSERT
    Insert,
    /// UPDATE; no columns means any.
    Update(Vec<NameBuf>),
}

/// The triggers of a table. Each statement in the body of one asks whether its own table has any that it fires: a table with many triggers
/// mostly has none for that event.
#[derive(Clone, Debug, Default)]
pub struct TableTriggers {
    list: Vec<Arc<Trigger>>,
    /// The kinds of their events, by bits.
    events: u8,
}

const DELETE: u8 = 1;
const INSERT: u8 = 2;
const UPDATE: u8 = 4;

impl TableTriggers {
    /// Puts a trigger before the others.
    pub(crate) fn put_first(&mut self, trigger: Arc<Trigger>) {
        self.events |= kind_of(&trigger.event);
        self.list.insert(0, trigger);
    }

    /// Forgets a trigger.
    pub(crate) fn remove(&mut self, name: Name<'_>) {
        self.list.retain(|trigger| trigger.name != name);
        self.events = self.list.iter().fold(0, |events, trigger| events | kind_of(&trigger.event));
    }

    /// Whether any is for DELETE.
    pub fn has_delete(&self) -> bool {
        self.events & DELETE != 0
    }

    /// Whether any is for INSERT.
    pub fn has_insert(&self) -> bool {
        self.events & INSERT != 0
    }

    /// Whether any is for UPDATE, of whatever columns.
    pub fn has_update(&self) -> bool {
        self.events & UPDATE != 0
    }
}

fn kind_of(event: &TriggerEvent) -> u8 {
    match event {
        TriggerEvent::Delete => DELETE,
        TriggerEvent::Insert => INSERT,
        TriggerEvent::Update(_) => UPDATE,
    }
}

impl Deref for TableTriggers {
    type Target = [Arc<Trigger>];

    fn deref(&self) -> &[Arc<Trigger>] {
        &self.list
    }
}

/// A foreign key of the table that refers: the child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    /// The table referred to.
    pub parent: NameBuf,
    /// The child's columns.
    pub columns: Vec<u16>,
    /// The parent's columns; empty if not listed, which means its primary key.
    pub parent_columns: Vec<NameBuf>,
    /// ON DELETE
    pub on_delete: ForeignKeyAction,
    /// ON UPDATE
    pub on_update: ForeignKeyAction,
    /// DEFERRABLE INITIALLY DEFERRED.
    pub deferred: bool,
}
