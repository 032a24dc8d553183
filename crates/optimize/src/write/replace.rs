//! The rows that REPLACE deletes: which triggers fire for them, and which foreign keys are about them.

use lithe_catalog::{CompileError, Result};
use lithe_resolve::{ChangeTarget, Resolver};

use super::foreign_keys::{Change, ForeignKeys};
use super::triggers::{Event, Triggers};

/// What is entailed by the deletion of a row that is in the way of a new one.
#[derive(Debug)]
pub struct Replaced<'a> {
    /// DELETE triggers fire only if triggers are recursive.
    pub triggers: Triggers<'a>,
    keys: Result<ForeignKeys<'a>>,
}

impl<'a> Replaced<'a> {
    /// That of the rows of the target.
    pub fn of(resolver: &Resolver<'a>, target: &ChangeTarget<'a>) -> Replaced<'a> {
        let is_recursive = resolver.env.flags.recursive_triggers;
        let triggers = if is_recursive { Triggers::of(resolver, target, Event::Delete) } else { Triggers::none() };
        Replaced { triggers, keys: ForeignKeys::of(resolver, target, Change::Delete) }
    }

    /// The foreign keys that the deletion is about. What is wrong with them is an error where the first row is deleted.
    pub fn keys(&self) -> Result<&ForeignKeys<'a>> {
        self.keys.as_ref().map_err(CompileError::clone)
    }

    /// The error about foreign keys of a row that REPLACE would delete, or `error`, which SQLite has found before: it tells the last one.
    pub fn error_of(&self, error: CompileError) -> CompileError {
        self.keys().err().unwrap_or(error)
    }
}
