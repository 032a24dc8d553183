//! json_group_array(), json_group_object(), and the same for JSONB.

use std::collections::VecDeque;

use lithe_value::{NumberText, ValueRef, cast, utf8};

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
        Box::new(GroupState { group: *self, rows: Rows::default() })
    }

    fn has_inverse(&self) -> bool {
        true
    }
}

/// The rows so far.
#[derive(Default)]
struct Rows {
    /// Their bytes in the result, in a text each with a comma before it. Those of rows that have left a frame may still stand before them.
    bytes: Output,
    /// Where the first row begins.
    start: usize,
    /// The length of each; 0 for a row whose label is NULL.
    lengths: VecDeque<u32>,
}

impl Rows {
    /// What was written since `from` is a row.
    fn end_row(&mut self, from: usize) -> Result {
        self.bytes.check()?;
        self.lengths.try_reserve(1).map_err(|_| FunctionError::out_of_memory())?;
        let length = u32::try_from(self.bytes.len() - from).map_err(|_| FunctionError::too_big())?;
        self.lengths.push_back(length);
        Ok(())
    }

    fn remove_first(&mut self) {
        self.start += self.lengths.pop_front().map_or(0, |length| length as usize);
        if self.start > self.bytes.len() / 2 {
            self.bytes.remove_before(self.start);
            self.start = 0;
        }
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.written().get(self.start..).unwrap_or_default()
    }
}

/// The text of an [`element`].
fn push_element(value: ValueRef<'_>, subtype: u8, out: &mut Output) -> Result {
    match value {
        ValueRef::Text(text) if subtype != SUBTYPE => render::push_sql_text(text, out),
        ValueRef::Integer(integer) => out.extend(NumberText::from(integer).as_bytes()),
        _ => render::push_json(&element(value, subtype)?, out),
    }
    Ok(())
}

struct GroupState {
    group: Group,
    rows: Rows,
}

impl AggregateState for GroupState {
    fn step(&mut self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        let (label, value) = if self.group.is_object { (Some(arg(args, 0)), 1) } else { (None, 0) };
        let bytes = &mut self.rows.bytes;
        let from = bytes.len();
        if label.is_some_and(ValueRef::is_null) {
            return self.rows.end_row(from);
        }
        let (value, subtype) = (arg(args, value), context.arg_subtype(value));
        let mut number = NumberText::default();
        // SQLite reads a label as a string of C.
        let label = label.map(|label| utf8::until_nul(cast::to_bytes(label, &mut number)));
        if self.group.is_binary {
            let json = element(value, subtype)?;
            let label = label.map(Text::from_sql).transpose()?;
            label.into_iter().for_each(|label| binary::push(&Json::Text(label), bytes));
            binary::push(&json, bytes);
        } else {
            bytes.push(b',');
            if let Some(label) = label {
                render::push_sql_text(label, bytes);
                bytes.push(b':');
            }
            push_element(value, subtype, bytes)?;
        }
        self.rows.end_row(from)
    }

    fn inverse(&mut self, _context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
        self.rows.remove_first();
        Ok(())
    }

    fn value(&mut self, context: &mut Context<'_>) -> Result {
        let mut out = Output::appending_to(context.out.take_buffer());
        let rows = self.rows.bytes();
        if self.group.is_binary {
            binary::push_container(self.group.is_object, rows, &mut out);
            return context.answer_blob(out.finish()?);
        }
        let [open, close] = if self.group.is_object { *b"{}" } else { *b"[]" };
        out.expect(rows.len() + 2);
        out.push(open);
        out.extend(rows.strip_prefix(b",").unwrap_or(rows));
        out.push(close);
        context.subtype = SUBTYPE;
        context.answer_text(out.finish()?)
    }
}
