//! group_concat and string_agg.
//!
//! ```text
//!   | value | separator | value | separator | value |
//! ```
//!
//! A separator is written before each value but the first, and is that of the row it is written for.
//!
//! One deliberate difference from SQLite: when only empty values are left in a window, SQLite 3.54 takes the next value for the
//! first one, leaves its separator out, and later removes that many bytes too many from the front of the text.

use std::collections::VecDeque;

use lithe_value::{Buffer, NumberText, Value, ValueRef, bytes, cast};

use crate::error::{FunctionError, Result};

/// The state of group_concat after the rows so far.
#[derive(Clone, Debug, Default)]
pub struct Concat {
    text: Buffer,
    /// How many values are in the text.
    count: u64,
    /// The length of the removed part at the front of the text.
    removed_len: usize,
    /// The length of each value and of the separator before it, if rows may be removed again.
    lengths: Option<VecDeque<(usize, usize)>>,
}

const SEPARATOR: ValueRef<'_> = ValueRef::Text(b",");

impl Concat {
    pub(super) fn for_window(self) -> Concat {
        Concat { lengths: Some(VecDeque::new()), ..self }
    }

    /// Adds a value; NULL is ignored. A separator that is NULL is empty.
    pub fn step(&mut self, value: ValueRef<'_>, separator: Option<ValueRef<'_>>, length_max: usize) -> Result {
        if value.is_null() {
            return Ok(());
        }
        let (mut value_scratch, mut separator_scratch) = (NumberText::default(), NumberText::default());
        let value = cast::to_bytes(value, &mut value_scratch);
        let separator = match self.count {
            0 => &[][..],
            _ => cast::to_bytes(separator.unwrap_or(SEPARATOR), &mut separator_scratch),
        };
        let length = self.text.len() - self.removed_len + value.len() + separator.len();
        if length > length_max {
            return Err(FunctionError::too_big());
        }
        self.text.try_reserve(separator.len() + value.len())?;
        self.text.extend(separator);
        self.text.extend(value);
        self.count += 1;
        if let Some(lengths) = &mut self.lengths {
            lengths.push_back((separator.len(), value.len()));
        }
        Ok(())
    }

    /// Removes the oldest value.
    pub fn inverse(&mut self, value: ValueRef<'_>) {
        if value.is_null() {
            return;
        }
        let Some(lengths) = &mut self.lengths else { return }; // only a window removes rows
        let Some((separator_len, value_len)) = lengths.pop_front() else { return };
        self.count -= 1;
        // The separator before the next value is removed as well, because that value becomes the first.
        let next_separator_len = lengths.front_mut().map_or(0, |(len, _)| std::mem::take(len));
        self.removed_len += separator_len + value_len + next_separator_len;
        self.forget_removed();
    }

    /// Moves the text to the front of the buffer when most of the buffer is removed text.
    fn forget_removed(&mut self) {
        if self.removed_len > self.text.len() / 2 {
            self.text.as_mut_slice().copy_within(self.removed_len.., 0);
            self.text.truncate(self.text.len() - self.removed_len);
            self.removed_len = 0;
        }
    }

    /// The text; NULL if there were no values.
    pub fn value(&self, out: &mut Value) -> Result {
        if self.count == 0 {
            out.set_null();
            return Ok(());
        }
        let text = bytes::after(self.text.as_slice(), self.removed_len);
        let mut buffer = out.take_buffer();
        buffer.try_reserve(text.len())?;
        buffer.extend(text);
        out.set_text_buffer(buffer);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(concat: &Concat, expected: &str) {
        let mut out = Value::NULL;
        concat.value(&mut out).unwrap();
        assert_eq!(out, Value::from(expected));
    }

    #[test]
    fn separators() {
        let mut concat = Concat::default();
        for (value, separator) in [(ValueRef::from("1"), "-"), (ValueRef::Null, "?"), (2.into(), "--")] {
            concat.step(value, Some(separator.into()), 100).unwrap();
        }
        concat.step(3.into(), Some(ValueRef::Null), 100).unwrap();
        check(&concat, "1--23");
        assert_eq!(concat.step("x".into(), None, 6), Err(FunctionError::too_big()));
    }

    #[test]
    fn a_window() {
        let mut concat = Concat::default().for_window();
        for (value, separator) in [("a", "-"), ("bb", "=="), ("c", "+")] {
            concat.step(value.into(), Some(separator.into()), 100).unwrap();
        }
        check(&concat, "a==bb+c");
        concat.inverse("a".into());
        check(&concat, "bb+c");
        concat.step("d".into(), None, 100).unwrap();
        concat.inverse("bb".into());
        check(&concat, "c,d");
        concat.inverse("c".into());
        concat.inverse("d".into());
        let mut out = Value::from(1);
        concat.value(&mut out).unwrap();
        assert!(out.is_null());
    }
}
