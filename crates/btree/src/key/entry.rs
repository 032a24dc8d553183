//! An entry's own columns as a key, to seek it again.

use super::{KeyInfo, utf8_from};
use lithe_format::Malformed;
use lithe_format::db_header::TextEncoding;
use lithe_format::record::{Located, View};
use lithe_value::ValueRef;
use std::borrow::Cow;

/// Calls `with` with the columns of an entry that are compared, texts in UTF-8, as a search needs them. `entry` is the
/// start of the record of `len` bytes; if it ends before the last of these columns does, the answer is `None`.
pub(crate) fn with_entry_as_key<T>(
    info: &KeyInfo,
    entry: &[u8],
    len: u32,
    with: impl FnOnce(&[ValueRef<'_>]) -> T,
) -> Result<Option<T>, Malformed> {
    let Some(values) = columns(info, entry, len)? else { return Ok(None) };
    if info.encoding == TextEncoding::Utf8 {
        return Ok(Some(with(&values)));
    }
    let texts: Vec<_> = values
        .iter()
        .map(|value| match value {
            ValueRef::Text(bytes) => utf8_from(bytes, info.encoding),
            _ => Cow::Borrowed(&[] as &[u8]),
        })
        .collect();
    let as_utf8 = |(value, text)| if matches!(value, ValueRef::Text(_)) { ValueRef::Text(text) } else { value };
    let values: Vec<_> = values.into_iter().zip(texts.iter().map(|text| &text[..])).map(as_utf8).collect();
    Ok(Some(with(&values)))
}

/// The column behind those that are compared, in the file's encoding: in a table WITHOUT ROWID the first that is not part of the
/// key. `None` if there is none; an error if `entry`, the start of the record, ends before the column does.
pub(crate) fn column_behind_key<'a>(
    info: &KeyInfo,
    entry: &'a [u8],
    len: u32,
) -> Result<Option<ValueRef<'a>>, EndsTooSoon> {
    let mut view = View::new();
    view.reset(len);
    match view.locate(entry, info.columns.len()) {
        Ok(Located::At(column)) => column.value(entry).map(Some).ok_or(EndsTooSoon),
        Ok(Located::Absent) | Err(_) => Ok(None),
        Ok(Located::NeedsBytes(_)) => Err(EndsTooSoon),
    }
}

/// The bytes that are available end before those that are needed.
pub(crate) struct EndsTooSoon;

fn columns<'a>(info: &KeyInfo, entry: &'a [u8], len: u32) -> Result<Option<Vec<ValueRef<'a>>>, Malformed> {
    let mut view = View::new();
    view.reset(len);
    let mut values = Vec::with_capacity(info.columns.len());
    while values.len() < info.columns.len() {
        match view.locate(entry, values.len())? {
            Located::At(column) => match column.value(entry) {
                Some(value) => values.push(value),
                None => return Ok(None),
            },
            Located::NeedsBytes(_) => return Ok(None),
            Located::Absent => break,
        }
    }
    Ok(Some(values))
}
