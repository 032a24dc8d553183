//! json_group_array(), json_group_object(), and the same for JSONB.

use std::collections::VecDeque;

use lithe_value::{Buffer, ValueRef, cast};

use super::output::Output;
use super::tree::{Json, Text};
use super::{SUBTYPE, binary, element, render};
use crate::aggregate::{AggregateFunction, AggregateState};
use crate::context::Context;
use crate::error::{FunctionError, Result};
use crate::signature::arg;

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

/// The rows so far, each as its bytes in the result; `None` for a row whose label is NULL.
struct GroupState {
    group: Group,
    rows: VecDeque<Option<Buffer>>,
}

impl GroupState {
    fn push(&mut self, row: Option<Buffer>) -> Result {
        self.rows.try_reserve(1).map_err(|_| FunctionError::out_of_memory())?;
        self.rows.push_back(row);
        Ok(())
    }
}

impl AggregateState for GroupState {
    fn step(&mut self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        let (label, value) = if self.group.is_object { (Some(arg(args, 0)), 1) } else { (None, 0) };
        if label.is_some_and(ValueRef::is_null) {
            return self.push(None);
        }
        let json = element(arg(args, value), context.arg_subtype(value))?;
        let label = label.map(cast::to_text);
        // SQLite reads a label as a string of C.
        let label = label.as_deref().map(|label| label.split(|&byte| byte == 0).next().unwrap_or_default());
        let label = label.map(Text::from_sql).transpose()?;
        let mut bytes = Output::default();
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
        self.push(Some(bytes.finish()?))
    }

    fn inverse(&mut self, _context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
        self.rows.pop_front();
        Ok(())
    }

    fn value(&mut self, context: &mut Context<'_>) -> Result {
        let buffer = context.out.take_buffer();
        let rows = || self.rows.iter().flatten();
        if self.group.is_binary {
            let (mut content, mut bytes) = (Output::default(), Output::appending_to(buffer));
            rows().for_each(|row| content.extend(row.as_slice()));
            binary::push_container(self.group.is_object, content, &mut bytes);
            return context.answer_blob(bytes.finish()?);
        }
        let [open, close] = if self.group.is_object { *b"{}" } else { *b"[]" };
        let mut text = Output::appending_to(buffer);
        text.push(open);
        for (at, row) in rows().enumerate() {
            if at > 0 {
                text.push(b',');
            }
            text.extend(row.as_slice());
        }
        text.push(close);
        context.subtype = SUBTYPE;
        context.answer_text(text.finish()?)
    }
}
