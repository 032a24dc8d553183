//! Keys that index entries are compared with: a few values, under collations and directions.
//!
//! An entry is a record on a page. It is compared column by column, from its bytes, and no column is decoded after the
//! first that decides. The first column decides nearly always, so the two most common kinds of first column, an integer
//! and a text under BINARY, have fast paths.

mod compare;
mod entry;

pub(crate) use compare::{Cells, Starts};
pub(crate) use entry::{column_behind_key, with_entry_as_key};

use lithe_format::db_header::TextEncoding;
use lithe_value::{Buffer, Collation, Encoding, ValueRef};
use std::borrow::Cow;
use std::cmp::Ordering;

/// How one column of an index is ordered.
#[derive(Clone, Debug, Default)]
pub struct KeyColumn {
    /// How texts compare.
    pub collation: Collation,
    /// Whether the order is reversed (DESC).
    pub descending: bool,
    /// Whether NULL counts as larger than everything instead of smaller, before `descending` applies. Indexes in the
    /// file never have this; sorters do.
    pub nulls_large: bool,
}

/// How the entries of an index are ordered. Shared by all cursors on it.
#[derive(Clone, Debug, Default)]
pub struct KeyInfo {
    columns: Box<[KeyColumn]>,
    encoding: TextEncoding,
}

impl KeyInfo {
    /// An order by the given columns, and no others: for an index of a table all its columns and the rowid, for a table
    /// WITHOUT ROWID the columns of its primary key.
    pub fn new(columns: Vec<KeyColumn>, encoding: TextEncoding) -> KeyInfo {
        KeyInfo { columns: columns.into_boxed_slice(), encoding }
    }

    /// The columns that are compared.
    pub fn columns(&self) -> &[KeyColumn] {
        &self.columns
    }

    /// The encoding of texts in the database.
    pub fn encoding(&self) -> TextEncoding {
        self.encoding
    }
}

/// The place of a key among the entries that begin with its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Prefix {
    /// It equals each of them: the search stops at any one. For keys that name all columns.
    #[default]
    Equal,
    /// Before all of them: a search finds the first (>=) or what precedes it (<).
    Before,
    /// After all of them: a search finds the last (<=) or what follows it (>).
    After,
}

/// A key that is searched in a tree.
#[derive(Clone, Debug)]
pub struct SearchKey<'a> {
    info: &'a KeyInfo,
    values: &'a [ValueRef<'a>],
    prefix: Prefix,
    first: First<'a>,
    /// The texts among `values` in the encoding of the database, where that is not UTF-8.
    encoded: Vec<Vec<u8>>,
}

/// The first column, if it is of a kind that has a fast path.
#[derive(Clone, Copy, Debug)]
enum First<'a> {
    Integer {
        value: i64,
        descending: bool,
    },
    /// `start`: the first eight bytes, as a number; zeros stand for bytes that the text does not have.
    Text {
        bytes: &'a [u8],
        start: u64,
        descending: bool,
    },
    Other,
}

/// The order of entries' first columns, where a number represents each: all are integers, or all are texts in the order of their
/// bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StartOrder {
    is_text: bool,
    descending: bool,
}

impl StartOrder {
    /// The number of an integer: the order of the numbers is that of the integers.
    #[inline]
    fn of_integer(self, value: i64) -> u64 {
        self.directed(value as u64 ^ 1 << 63)
    }

    /// The number of a text that begins with `start`. Different texts may have the same number.
    #[inline]
    fn of_text(self, start: u64) -> u64 {
        self.directed(start)
    }

    #[inline]
    fn directed(self, number: u64) -> u64 {
        if self.descending { !number } else { number }
    }
}

/// The first eight bytes of a text as a number: numbers that differ have the order of their texts.
#[inline]
fn start_of(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => text.iter().rev().fold(0, |start, byte| start >> 8 | u64::from(*byte) << 56),
    }
}

impl<'a> SearchKey<'a> {
    /// A key of `values`, which may be fewer than the columns of the index; values beyond the columns of `info` are not
    /// compared.
    pub fn new(info: &'a KeyInfo, values: &'a [ValueRef<'a>], prefix: Prefix) -> SearchKey<'a> {
        let values = &values[..values.len().min(info.columns.len())];
        let first = match (values.first(), info.columns.first()) {
            (Some(ValueRef::Integer(value)), Some(column)) => {
                First::Integer { value: *value, descending: column.descending }
            }
            (Some(ValueRef::Text(bytes)), Some(column))
                if column.collation.is_binary() && info.encoding == TextEncoding::Utf8 =>
            {
                First::Text { bytes, start: start_of(bytes), descending: column.descending }
            }
            _ => First::Other,
        };
        let encoded = if info.encoding == TextEncoding::Utf8 { Vec::new() } else { encode(values, info.encoding) };
        SearchKey { info, values, prefix, first, encoded }
    }

    /// The order of numbers that represent first columns, if there is one for the first value.
    #[inline]
    pub(crate) fn start_order(&self) -> Option<StartOrder> {
        match self.first {
            First::Integer { descending, .. } => Some(StartOrder { is_text: false, descending }),
            First::Text { descending, .. } => Some(StartOrder { is_text: true, descending }),
            First::Other => None,
        }
    }

    /// The number of the first value among entries whose first columns, if they are texts, all begin with `common`, which their numbers leave
    /// out. If the value does not, it comes before or behind all of them, which the error says.
    #[inline]
    pub(crate) fn start_behind(&self, common: &[u8]) -> Result<u64, Ordering> {
        let order = self.start_order().unwrap_or_default();
        match self.first {
            First::Integer { value, .. } => Ok(order.of_integer(value)),
            First::Text { start, .. } if common.is_empty() => Ok(order.of_text(start)),
            First::Text { bytes, descending, .. } => match bytes.strip_prefix(common) {
                Some(rest) => Ok(order.of_text(start_of(rest))),
                None if descending => Err(common.cmp(bytes)),
                None => Err(bytes.cmp(common)),
            },
            First::Other => Err(Ordering::Equal),
        }
    }

    /// The values that are compared.
    pub fn values(&self) -> &[ValueRef<'a>] {
        self.values
    }
}

/// The texts of `values` in `encoding`; other values have an empty place.
fn encode(values: &[ValueRef<'_>], encoding: TextEncoding) -> Vec<Vec<u8>> {
    let text = |value: &ValueRef<'_>| match value {
        ValueRef::Text(bytes) => encoded(bytes, encoding),
        _ => Vec::new(),
    };
    values.iter().map(text).collect()
}

/// A text in UTF-8 as the database encodes it.
fn encoded(text: &[u8], encoding: TextEncoding) -> Vec<u8> {
    let mut out = Buffer::new();
    encoding_of(encoding).encode(text, &mut out);
    out.into_vec()
}

/// A text of the database as UTF-8, for collations that need that.
fn utf8_from(text: &[u8], encoding: TextEncoding) -> Cow<'_, [u8]> {
    if encoding == TextEncoding::Utf8 {
        return Cow::Borrowed(text);
    }
    let mut out = Buffer::new();
    encoding_of(encoding).decode(text, &mut out);
    Cow::Owned(out.into_vec())
}

fn encoding_of(encoding: TextEncoding) -> Encoding {
    match encoding {
        TextEncoding::Utf8 => Encoding::Utf8,
        TextEncoding::Utf16Le => Encoding::Utf16le,
        TextEncoding::Utf16Be => Encoding::Utf16be,
    }
}
