//! json_each() and json_tree(): a row for each element, or for all values within. jsonb_each() and jsonb_tree() return arrays and
//! objects as JSONB.
//!
//! Both iterate over JSONB, to which texts are converted first. The id of an element is its offset there, that of a member of an
//! object the offset of its label.

use std::borrow::Cow;

use lithe_value::buffer::OutOfMemory;
use lithe_value::{NumberText, Value, ValueRef, cast, utf8};

use super::node::{Key, Node, find};
use super::output::{self, Output};
use super::render;
use super::tree::{DEPTH_MAX, Escapes, Text};
use super::{SUBTYPE, TextOrJsonb, binary, jsonb_of, kind, path_failure, text_or_jsonb};
use crate::error::{FunctionError, Result};
use crate::row_table::RowTable;

/// The columns of a row.
pub const EACH_COLUMNS: [&str; 8] = ["key", "value", "type", "atom", "id", "parent", "fullkey", "path"];

/// The positions of columns.
const KEY: usize = 0;
const VALUE: usize = 1;
const TYPE: usize = 2;
const ATOM: usize = 3;
const ID: usize = 4;
const PARENT: usize = 5;
const FULLKEY: usize = 6;
const PATH: usize = 7;

/// The subtype of a column of a row: an array or object is JSON to the function that it is passed to.
pub fn each_subtype(rows: &RowTable, row: usize, column: usize) -> u8 {
    let is_json = || {
        let name = rows.get(row, TYPE).map(Value::as_ref);
        name.is_some_and(|name| matches!(name, ValueRef::Text(b"array" | b"object")))
    };
    if column == VALUE && is_json() { SUBTYPE } else { 0 }
}

/// Which of the four functions is called.
#[derive(Clone, Copy, Debug)]
pub struct EachForm {
    /// `json_tree`: all values within, not only the children.
    pub is_tree: bool,
    /// `jsonb_each`: arrays and objects are JSONB, not text.
    pub is_binary: bool,
    /// The columns that are read, by bits.
    pub columns_read: u64,
}

impl EachForm {
    fn reads(&self, column: usize) -> bool {
        self.columns_read >> column & 1 != 0
    }

    /// The columns that the rows get. The type of an array or object says that the value is JSON.
    fn columns(&self) -> u64 {
        let all = (1 << EACH_COLUMNS.len()) - 1;
        (self.columns_read | u64::from(self.reads(VALUE)) << TYPE) & all
    }
}

/// The rows of `json_each(json, root)`, or of one of its siblings.
pub fn each(json: ValueRef<'_>, root: Option<ValueRef<'_>>, form: EachForm) -> Result<RowTable> {
    let mut number = NumberText::default();
    let Some(document) = binary_of(json, &mut number)? else { return Ok(RowTable::default()) };
    let root_path = match root {
        None => b"$".to_vec(),
        Some(ValueRef::Null) => return Ok(RowTable::default()),
        Some(root) => output::copy(utf8::until_nul(cast::to_bytes(root, &mut NumberText::default())))?,
    };
    let found = find(&document, &root_path).map_err(|failure| path_failure(failure, &root_path))?;
    let Some(root) = found else { return Ok(RowTable::default()) };
    let mut walk = Walk { rows: RowTable::new(form.columns()), form };
    if form.is_tree {
        let (parent_path, key) = split(&document, &root, &root_path)?;
        walk.row(&root, key, None, &root_path, parent_path, 0)?;
    } else if root.content().is_some_and(|(kind, _)| kind >= kind::ARRAY) {
        walk.children(&root, None, &root_path, 0)?;
    } else {
        // For json_each, a value without members is a member of no value.
        walk.row(&root, Value::NULL, None, &root_path, &root_path, 0)?;
    }
    Ok(walk.rows)
}

/// The argument as JSONB; `None` for NULL.
fn binary_of<'v>(json: ValueRef<'v>, number: &'v mut NumberText) -> Result<Option<Cow<'v, [u8]>>> {
    Ok(match text_or_jsonb(json, number)? {
        None => None,
        Some(TextOrJsonb::Jsonb(blob)) => Some(Cow::Borrowed(blob)),
        Some(TextOrJsonb::Text(text)) => Some(Cow::Owned(jsonb_of(text)?.into_vec())),
    })
}

/// The path of the container of a value, and the step from there as a key. As in SQLite, the container is the longest prefix of
/// the path whose first child is the value, or the whole document.
fn split<'p>(document: &[u8], root: &Node<'_>, path: &'p [u8]) -> Result<(&'p [u8], Value)> {
    let is_around = |at: &usize| {
        let prefix = path.get(..*at).unwrap_or_default();
        let around = find(document, prefix).ok().flatten();
        around.and_then(|around| around.content_at()) == Some(root.id)
    };
    let ends = (2..path.len()).rev().filter(|&at| matches!(path.get(at), Some(b'[' | b'.')));
    let end = { ends }.find(is_around).unwrap_or(1);
    let (around, step) = path.split_at_checked(end).unwrap_or((path, b""));
    let key = match step {
        [b'[', index @ ..] => {
            let digits = index.iter().take_while(|byte| byte.is_ascii_digit());
            let add = |number: i64, digit: &u8| number.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
            Value::from(digits.fold(0, add))
        }
        [_, b'"', label @ ..] => output::text_value(label.split_last().map_or(b"", |(_, label)| label))?,
        [_, label @ ..] => output::text_value(label)?,
        [] => Value::NULL,
    };
    Ok((around, key))
}

struct Walk {
    rows: RowTable,
    form: EachForm,
}

impl Walk {
    fn row(
        &mut self,
        node: &Node<'_>,
        key: Value,
        parent: Option<i64>,
        fullkey: &[u8],
        path: &[u8],
        depth: usize,
    ) -> Result<()> {
        let malformed = || FunctionError::new("malformed JSON");
        let type_name = node.type_name().ok_or_else(malformed)?;
        let (kind, content) = node.content().ok_or_else(malformed)?;
        let (form, is_container) = (self.form, kind >= kind::ARRAY);
        let id = node.id as i64;
        if matches!(kind, kind::INT..=kind::FLOAT5) && content.is_empty() {
            return Err(malformed());
        }
        if form.reads(KEY) {
            self.rows.push(key)?;
        }
        if form.reads(VALUE) {
            let value = if is_container { self.container(node)? } else { atom(node)? };
            self.rows.push(value)?;
        }
        if self.rows.has(TYPE) {
            self.rows.push(Value::from(type_name))?;
        }
        if form.reads(ATOM) {
            self.rows.push(if is_container { Value::NULL } else { atom(node)? })?;
        }
        if form.reads(ID) {
            self.rows.push(Value::from(id))?;
        }
        if form.reads(PARENT) {
            self.rows.push(parent.filter(|_| form.is_tree).map_or(Value::NULL, Value::from))?;
        }
        for (column, text) in [(FULLKEY, fullkey), (PATH, path)] {
            if form.reads(column) {
                self.rows.push(output::text_value(text)?)?;
            }
        }
        self.rows.end_row();
        if form.is_tree && is_container {
            self.children(node, Some(id), fullkey, depth + 1)?;
        }
        Ok(())
    }

    /// The column `value` of an array or object.
    fn container(&self, node: &Node<'_>) -> Result<Value> {
        if self.form.is_binary {
            return Ok(Value::blob(output::copy(node.bytes.get(..node.len()).unwrap_or_default())?));
        }
        let mut text = Output::default();
        render::push_binary(node.bytes, &mut text);
        let mut value = Value::NULL;
        value.set_text_buffer(text.finish()?);
        Ok(value)
    }

    fn children(&mut self, node: &Node<'_>, parent: Option<i64>, path: &[u8], depth: usize) -> Result<()> {
        // The path of a value within is the key of the value around it.
        let has_fullkey = self.form.reads(FULLKEY) || (self.form.is_tree && self.form.reads(PATH));
        if depth > DEPTH_MAX {
            return Err(FunctionError::new("malformed JSON"));
        }
        let mut children = node.children();
        while let Some(child) = children.next() {
            let (key, child) = child.map_err(|failure| path_failure(failure, path))?;
            let fullkey = match &key {
                _ if !has_fullkey => Vec::new(),
                Key::Index(at) => output::concat(&[path, format!("[{at}]").as_bytes()])?,
                Key::Label(label) => label_step(path, label)?,
            };
            let key = match key {
                _ if !self.form.reads(KEY) => Value::NULL,
                Key::Index(at) => Value::from(at as i64),
                Key::Label(label) => output::text_value(&label.to_sql()?)?,
            };
            self.row(&child, key, parent, &fullkey, path, depth)?;
        }
        Ok(())
    }
}

/// The path with a label as its next step: quoted unless it is a plain word.
fn label_step(path: &[u8], label: &Text<'_>) -> Result<Vec<u8>, OutOfMemory> {
    let bytes = &label.bytes;
    let is_word = matches!(label.escapes, Escapes::None | Escapes::Raw)
        && bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.iter().all(u8::is_ascii_alphanumeric);
    if is_word { output::concat(&[path, b".", bytes]) } else { output::concat(&[path, b".\"", bytes, b"\""]) }
}

/// The SQL value of a scalar.
fn atom(scalar: &Node<'_>) -> Result<Value> {
    let json = binary::parse(scalar.bytes)?;
    Ok(render::with_sql_value(&json, copied)?.transpose()?.unwrap_or(Value::NULL))
}

fn copied(value: ValueRef<'_>) -> Result<Value, OutOfMemory> {
    match value {
        ValueRef::Text(text) => output::text_value(text),
        value => Ok(Value::from(value)),
    }
}
