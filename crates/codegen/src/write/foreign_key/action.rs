//! ON DELETE and ON UPDATE: a trigger on the parent, whose text is built from the key.

use std::fmt::Write;

use lithe_catalog::{Column, Result, Table};
use lithe_optimize::write::foreign_keys::ParentReference;
use lithe_sql::ast::{Conflict, ForeignKeyAction};
use lithe_value::{Value, ValueRef};
use lithe_vm::insn::Insn;

use super::child::quoted;
use crate::Codegen;
use crate::write::row::RowChange;
use crate::write::trigger::{BodySource, subprogram};

/// Distinguishes the tokens of foreign keys from those of triggers.
const FOREIGN_KEY_BIT: u64 = 1 << 55;

/// Runs the action for one parent row.
pub(super) fn emit<'a>(
    cg: &mut Codegen<'a>,
    reference: &ParentReference<'a>,
    change: &RowChange<'_, 'a>,
) -> Result<()> {
    let (action, is_update) = (reference.action(), change.new.is_some());
    let is_put_off = action == ForeignKeyAction::Restrict && cg.env.flags.defer_foreign_keys;
    if action == ForeignKeyAction::NoAction || is_put_off || cg.env.flags.foreign_keys_no_action {
        return Ok(());
    }
    let text = trigger_text(change.target.table, reference, action, is_update);
    let token = u64::from(reference.db.0) << 56 | FOREIGN_KEY_BIT | reference.number << 4 | u64::from(is_update);
    let text = cg.arena.alloc_slice_copy(text.as_bytes());
    let set_null = (action == ForeignKeyAction::SetNull).then_some(reference.key);
    let source = BodySource { text, name: String::new(), token, db: reference.db, set_null };
    cg.journal.note_more_changes();
    let change = RowChange { policy: Some(Conflict::Abort), ..*change };
    let program = subprogram(cg, &change, source)?;
    cg.b.emit(Insn::Subprogram { recursive: 1, program, ignore: change.ignore });
    Ok(())
}

/// The text of a CREATE TRIGGER that performs the action.
fn trigger_text(parent: &Table, reference: &ParentReference<'_>, action: ForeignKeyAction, is_update: bool) -> String {
    let child = reference.child;
    let pairs: Vec<(String, &Column)> = (reference.parent_key.columns.iter().zip(&reference.parent_key.child_columns))
        .map(|(&of_parent, &of_child)| {
            (quoted(parent.columns[usize::from(of_parent)].name.name()), &child.columns[usize::from(of_child)])
        })
        .collect();
    let list = |separator: &str, one: &dyn Fn(&str, &Column) -> String| {
        pairs.iter().map(|(parent, child)| one(parent, child)).collect::<Vec<_>>().join(separator)
    };
    let is_child = list(" AND ", &|parent, child| format!("OLD.{parent} = {}", quoted(child.name.name())));
    let table = quoted(child.name.name());
    let step = match action {
        ForeignKeyAction::NoAction => unreachable!("nothing has to be done"),
        ForeignKeyAction::Restrict => {
            format!("SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed') FROM {table} WHERE {is_child}")
        }
        ForeignKeyAction::Cascade if !is_update => format!("DELETE FROM {table} WHERE {is_child}"),
        action => {
            let set = list(", ", &|parent, child| {
                format!("{} = {}", quoted(child.name.name()), new_value(action, parent, child))
            });
            format!("UPDATE {table} SET {set} WHERE {is_child}")
        }
    };
    let mut text = format!("CREATE TRIGGER fk AFTER {} ON p ", if is_update { "UPDATE" } else { "DELETE" });
    if is_update {
        let stays = list(" AND ", &|parent, _| format!("OLD.{parent} IS NEW.{parent}"));
        let _ = write!(text, "WHEN NOT ({stays}) ");
    }
    let _ = write!(text, "BEGIN {step}; END");
    text
}

/// The new value of a column of a child.
fn new_value(action: ForeignKeyAction, parent_column: &str, child: &Column) -> String {
    match action {
        ForeignKeyAction::Cascade => format!("NEW.{parent_column}"),
        ForeignKeyAction::SetDefault => match &child.default {
            Some(default) => match default.value.as_ref().map(Value::as_ref) {
                // A default that is a name is a text; in the trigger's text it would be the name of a column.
                Some(ValueRef::Text(text)) => format!("'{}'", String::from_utf8_lossy(text).replace('\'', "''")),
                _ => format!("({})", String::from_utf8_lossy(&default.text)),
            },
            None => "NULL".to_owned(),
        },
        _ => "NULL".to_owned(),
    }
}
