//! The rows that REPLACE deletes: which triggers fire for them, and which foreign keys are checked.

use lithe_catalog::{CompileError, Result};
use lithe_resolve::{ChangeTarget, Resolver};

use super::foreign_keys::{Change, ForeignKeys};
use super::triggers::{Event, Triggers};

/// The effects of deleting a row that conflicts with a new one.
#[derive(Debug)]
pub struct Replaced<'a> {
    /// DELETE triggers fire only if triggers are recursive.
    pub triggers: Triggers<'a>,
    keys: Result<ForeignKeys<'a>>,
}

impl<'a> Replaced<'a> {
    /// The effects for rows of the target.
    pub fn of(resolver: &Resolver<'a>, target: &ChangeTarget<'a>) -> Replaced<'a> {
        let is_recursive = resolver.env.flags.recursive_triggers;
        let triggers = if is_recursive { Triggers::of(resolver, target, Event::Delete) } else { Triggers::none() };
        Replaced { triggers, keys: ForeignKeys::of(resolver, target, Change::Delete) }
    }

    /// The foreign keys that the deletion affects. An error in them is reported where the first row is deleted.
    pub fn keys(&self) -> Result<&ForeignKeys<'a>> {
        self.keys.as_ref().map_err(CompileError::clone)
    }
}
