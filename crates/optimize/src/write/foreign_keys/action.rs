//! ON DELETE and ON UPDATE as a trigger on the parent, whose text is made from the key.

use std::fmt::Write;

use lithe_catalog::{Column, Table};
use lithe_resolve::environment::Environment;
use lithe_sql::ast::{ForeignKeyAction, Name};
use lithe_value::{Value, ValueRef};

use super::parent::ParentReference;

impl ParentReference<'_> {
    /// The text of a CREATE TRIGGER on the parent that performs the action; `None` if there is nothing to do.
    pub fn action_text(&self, env: &Environment, parent: &Table, is_update: bool) -> Option<String> {
        let action = self.action();
        let is_put_off = action == ForeignKeyAction::Restrict && env.flags.defer_foreign_keys;
        if is_put_off || env.flags.foreign_keys_no_action {
            return None;
        }
        trigger_text(parent, self, action, is_update)
    }
}

fn trigger_text(
    parent: &Table,
    reference: &ParentReference<'_>,
    action: ForeignKeyAction,
    is_update: bool,
) -> Option<String> {
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
        ForeignKeyAction::NoAction => return None,
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
    Some(text)
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

/// The name in double quotes.
pub fn quoted(name: Name<'_>) -> String {
    format!("\"{}\"", name.to_str_lossy().replace('"', "\"\""))
}
