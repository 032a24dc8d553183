//! json_group_array() and json_group_object(), and their twins that make JSONB.

use std::collections::VecDeque;

use lithe_value::{ValueRef, cast};

use super::tree::{Json, Text};
use super::{SUBTYPE, binary, element, render};
use crate::aggregate::{AggregateFunction, AggregateState};
use crate::context::Context;
use crate::error::Result;

/// One of the aggregates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    is_object: bool,
    is_binary: bool,
}

/// The table.
pub(crate) const AGGREGATES: [Group; 4] = [
    Group { name: "json_group_array", is_object: false, is_binary: false },
    Group { name: "json_group_object", is_object: true, is_binary: false },
    Group { name: "jsonb_group_array", is_object: false, is_binary: true },
    Group { name: "jsonb_group_object", is_object: true, is_binary: true },
];

impl Group {
    /// How many arguments it takes.
    pub(crate) fn args(&self) -> u16 {
        if self.is_object { 2 } else { 1 }
    }
}

impl AggregateFunction for Group {
    fn start(&self) -> Box<dyn AggregateState> {
        Box::new(GroupState { group: *self, rows: VecDeque::new() })
    }

    fn has_inverse(&self) -> bool {
        true
    }
}

/// The rows so far, each as the bytes that it adds; nothing for a row whose label is NULL.
struct GroupState {
    group: Group,
    rows: VecDeque<Option<Vec<u8>>>,
}

impl AggregateState for GroupState {
    fn step(&mut self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        let (label, value) = if self.group.is_object { (Some(args[0]), 1) } else { (None, 0) };
        if label.is_some_and(ValueRef::is_null) {
            self.rows.push_back(None);
            return Ok(());
        }
        let json = element(&args[value], context.arg_subtype(value))?;
        let label = label.map(|label| Text::from_sql(&cast::to_text(label)));
        let mut bytes = Vec::new();
        if self.group.is_binary {
            label.into_iter().for_each(|label| binary::push(&Json::Text(label), &mut bytes));
            binary::push(&json, &mut bytes);
        } else {
            if let Some(label) = label {
                render::push_json(&Json::Text(label), &mut bytes);
                bytes.push(b':');
            }
            render::push_json(&json, &mut bytes);
        }
        self.rows.push_back(Some(bytes));
        Ok(())
    }

    fn inverse(&mut self, _context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
        self.rows.pop_front();
        Ok(())
    }

    fn value(&mut self, context: &mut Context<'_>) -> Result {
        let mut buffer = context.out.take_buffer();
        let rows = || self.rows.iter().flatten();
        if self.group.is_binary {
            let content: Vec<u8> = rows().flatten().copied().collect();
            let mut bytes = Vec::new();
            binary::push_container(self.group.is_object, &content, &mut bytes);
            buffer.extend(&bytes);
            return context.answer_blob(buffer);
        }
        let [open, close] = if self.group.is_object { *b"{}" } else { *b"[]" };
        buffer.push(open);
        for (at, row) in rows().enumerate() {
            if at > 0 {
                buffer.push(b',');
            }
            buffer.extend(row);
        }
        buffer.push(close);
        context.subtype = SUBTYPE;
        context.answer_text(buffer)
    }
}
