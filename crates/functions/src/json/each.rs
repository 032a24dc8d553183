//! json_each() and json_tree(): a row for each element, or for everything within.

use lithe_value::buffer::OutOfMemory;
use lithe_value::{NumberText, Value, ValueRef, cast};

use super::output::{self, Output};
use super::path;
use super::render;
use super::tree::{Escapes, Json, Text};
use super::{argument, path_failure};
use crate::error::Result;

/// The columns of a row.
pub const EACH_COLUMNS: [&str; 8] = ["key", "value", "type", "atom", "id", "parent", "fullkey", "path"];

/// The rows of `json_each(json, root)`, or of `json_tree`.
pub fn each(json: ValueRef<'_>, root: Option<ValueRef<'_>>, is_tree: bool) -> Result<Vec<Vec<Value>>> {
    let mut number = NumberText::default();
    let Some(json) = argument(&json, &mut number)? else { return Ok(Vec::new()) };
    let root_path = match root {
        None => b"$".to_vec(),
        Some(ValueRef::Null) => return Ok(Vec::new()),
        Some(root) => output::copy(cast::to_bytes(root, &mut NumberText::default()))?,
    };
    let Some(start) = path::find(&json, &root_path).map_err(|failure| path_failure(failure, &root_path))? else {
        return Ok(Vec::new());
    };
    let mut walk = Walk { rows: Vec::new(), is_tree, next_id: 0 };
    if is_tree {
        let (parent_path, key) = split(&root_path)?;
        walk.row(start, key, None, &root_path, parent_path)?;
    } else {
        match start {
            Json::Array(_) | Json::Object(_) => walk.children(start, None, &root_path)?,
            // To json_each, what has no members is no member of anything.
            _ => walk.row(start, Value::NULL, None, &root_path, &root_path)?,
        }
    }
    Ok(walk.rows)
}

/// The path of what is around the last step, and that step as a key.
fn split(path: &[u8]) -> Result<(&[u8], Value)> {
    let mut rest = &path[1..];
    let mut last = None;
    while let Ok((step, behind)) = path::first_step(rest) {
        last = Some((path.len() - rest.len(), step));
        rest = behind;
    }
    Ok(match last {
        None => (path, Value::NULL),
        Some((at, path::Step::Label(label))) => (&path[..at], output::text_value(&label.to_sql()?)?),
        Some((at, path::Step::Index(index))) => (&path[..at], Value::from(index as i64)),
        Some((at, path::Step::FromEnd(_))) => (&path[..at], Value::NULL),
    })
}

struct Walk {
    rows: Vec<Vec<Value>>,
    is_tree: bool,
    next_id: i64,
}

impl Walk {
    fn row(&mut self, json: &Json<'_>, key: Value, parent: Option<i64>, fullkey: &[u8], path: &[u8]) -> Result<()> {
        let id = self.next_id;
        self.next_id += 1;
        let mut atom = Value::NULL;
        let is_scalar =
            render::with_sql_value(json, |value| copied(value).map(|copy| atom = copy))?.transpose()?.is_some();
        let value = if is_scalar {
            copied(atom.as_ref())?
        } else {
            let mut text = Output::default();
            render::push_json(json, &mut text);
            let mut value = Value::NULL;
            value.set_text_buffer(text.finish()?);
            value
        };
        let row = vec![
            key,
            value,
            Value::from(json.type_name()),
            atom,
            Value::from(id),
            parent.filter(|_| self.is_tree).map_or(Value::NULL, Value::from),
            output::text_value(fullkey)?,
            output::text_value(path)?,
        ];
        output::push(&mut self.rows, row)?;
        if self.is_tree {
            self.children(json, Some(id), fullkey)?;
        }
        Ok(())
    }

    fn children(&mut self, json: &Json<'_>, parent: Option<i64>, path: &[u8]) -> Result<()> {
        match json {
            Json::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    let fullkey = output::concat(&[path, format!("[{at}]").as_bytes()])?;
                    self.row(item, Value::from(at as i64), parent, &fullkey, path)?;
                }
            }
            Json::Object(members) => {
                for (label, value) in members {
                    let fullkey = label_step(path, label)?;
                    self.row(value, output::text_value(&label.to_sql()?)?, parent, &fullkey, path)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// The path with a label as its next step: quoted unless it is a plain word.
fn label_step(path: &[u8], label: &Text<'_>) -> Result<Vec<u8>, OutOfMemory> {
    let bytes = &label.bytes;
    let is_word = label.escapes == Escapes::None
        && bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.iter().all(u8::is_ascii_alphanumeric);
    if is_word { output::concat(&[path, b".", bytes]) } else { output::concat(&[path, b".\"", bytes, b"\""]) }
}

fn copied(value: ValueRef<'_>) -> Result<Value, OutOfMemory> {
    match value {
        ValueRef::Text(text) => output::text_value(text),
        value => Ok(Value::from(value)),
    }
}
