//! Triggers and foreign keys.

use lithe_sql::ast::{ForeignKeyAction, TriggerTime};

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
