//! What the application can read about the columns of a statement's rows: names, declared types, origins.
//!
//! ```text
//!   text     total|b|c              the concatenated names, without separators
//!   columns  | where the name ends, affinity, origin |  ...
//!                                              └─► INTEGER, main, t, b      shared by all programs that read the column
//! ```
//!
//! Most statements are prepared and run once, and only the values of their columns are read. Therefore all names are one block,
//! and the description of a table's column is built once for the table, not for each statement.

use std::borrow::Cow;
use std::sync::Arc;

use lithe_value::Affinity;

/// The result columns of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResultColumns {
    text: String,
    columns: Vec<Column>,
}

/// A result column's name and where it comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultColumn<'c> {
    /// The name (AS name, column name or the expression's text).
    pub name: &'c str,
    /// The declared type, when the column is a table's column.
    pub declared_type: Option<&'c str>,
    /// Its affinity, if it has one.
    pub affinity: Option<Affinity>,
    /// Database, table and column of the value, if it is read directly from one.
    pub origin: Option<ColumnOrigin<'c>>,
}

/// Where a result column comes from (sqlite3_column_origin_name and its siblings).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnOrigin<'c> {
    /// Schema name: main, temp, …
    pub database: &'c str,
    /// Table name.
    pub table: &'c str,
    /// Column name.
    pub column: &'c str,
}

/// A column of a table, as the application reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Its declared type, if it has one.
    pub declared_type: Option<String>,
    /// See [`ColumnOrigin`].
    pub database: String,
    /// See [`ColumnOrigin`].
    pub table: String,
    /// See [`ColumnOrigin`].
    pub column: String,
}

/// The usual length of a name.
const NAME_LEN: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    /// The end of its name, which starts at the end of the name before.
    end: u32,
    affinity: Option<Affinity>,
    origin: Option<Arc<TableColumn>>,
}

/// A column to be added.
#[derive(Clone, Debug, Default)]
pub struct NewColumn<'n> {
    /// Its name, as bytes that are usually UTF-8.
    pub name: &'n [u8],
    /// See [`ResultColumn`].
    pub affinity: Option<Affinity>,
    /// The table's column that it reads.
    pub origin: Option<Arc<TableColumn>>,
}

impl ResultColumns {
    /// Columns with nothing but names.
    pub fn of_names(names: &[&str]) -> ResultColumns {
        ResultColumns::new(names.iter().map(|name| NewColumn { name: name.as_bytes(), ..NewColumn::default() }))
    }

    /// The columns, whose names are bytes that are usually UTF-8.
    pub fn new<'n>(columns: impl ExactSizeIterator<Item = NewColumn<'n>> + Clone) -> ResultColumns {
        if columns.len() == 0 {
            return ResultColumns::default();
        }
        let all = columns.clone();
        ResultColumns::of_bytes(columns, Cow::Borrowed).unwrap_or_else(|| {
            let text = |bytes| Cow::Owned(String::from_utf8_lossy(bytes).into_owned().into_bytes());
            ResultColumns::of_bytes(all, text).unwrap_or_default()
        })
    }

    /// As [`ResultColumns::new`], with each name converted by `text`. `None` if the names are not UTF-8: they are
    /// checked all at once.
    #[inline]
    fn of_bytes<'n>(
        columns: impl ExactSizeIterator<Item = NewColumn<'n>>,
        text: impl Fn(&'n [u8]) -> Cow<'n, [u8]>,
    ) -> Option<ResultColumns> {
        let mut all = Vec::with_capacity(columns.len() * NAME_LEN);
        let mut placed = Vec::with_capacity(columns.len());
        for NewColumn { name, affinity, origin } in columns {
            all.extend_from_slice(&text(name));
            // The text of a statement is shorter than 4 GB, and so are the names of its columns together.
            let end = u32::try_from(all.len()).expect("names take less than 4 GB");
            placed.push(Column { end, affinity, origin });
        }
        // The end of each name must be a character boundary: two names that are not UTF-8 may be UTF-8 when
        // concatenated.
        let text = String::from_utf8(all).ok()?;
        let is_end = |column: &Column| text.is_char_boundary(column.end as usize);
        placed.iter().all(is_end).then_some(ResultColumns { text, columns: placed })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there are no result columns.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Column `index`.
    pub fn get(&self, index: usize) -> Option<ResultColumn<'_>> {
        let column = self.columns.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.columns[before].end);
        let origin = column.origin.as_deref();
        Some(ResultColumn {
            name: &self.text[start as usize..column.end as usize],
            declared_type: origin.and_then(|origin| origin.declared_type.as_deref()),
            affinity: column.affinity,
            origin: origin.map(|of| ColumnOrigin { database: &of.database, table: &of.table, column: &of.column }),
        })
    }

    /// All columns.
    pub fn iter(&self) -> impl Iterator<Item = ResultColumn<'_>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let stored = |declared_type: Option<&str>| {
            let (database, table, column) = ("main".to_owned(), "t".to_owned(), "a".to_owned());
            Arc::new(TableColumn { declared_type: declared_type.map(str::to_owned), database, table, column })
        };
        let new = |name| {
            let one = NewColumn { name: b"1 + 1", affinity: Some(Affinity::Integer), ..NewColumn::default() };
            let other = NewColumn { name, affinity: None, origin: Some(stored(Some(""))) };
            let untyped = NewColumn { name: b"", affinity: None, origin: Some(stored(None)) };
            ResultColumns::new([one, other, untyped].into_iter())
        };
        let columns = new(b"\xff\xc3\xbc");
        let plain = ResultColumn { name: "1 + 1", affinity: Some(Affinity::Integer), ..ResultColumn::default() };
        let origin = Some(ColumnOrigin { database: "main", table: "t", column: "a" });
        let other = ResultColumn { name: "\u{fffd}ü", declared_type: Some(""), affinity: None, origin };
        let untyped = ResultColumn { name: "", declared_type: None, affinity: None, origin };
        assert_eq!(columns.iter().collect::<Vec<_>>(), [plain, other, untyped]);
        assert_eq!((columns.len(), columns.get(3)), (3, None));
        assert_eq!(new("ü".as_bytes()).get(1).map(|column| column.name), Some("ü"));
        assert_eq!(ResultColumns::of_names(&["a", ""]).iter().map(|column| column.name).collect::<Vec<_>>(), ["a", ""]);
    }

    #[test]
    fn halves_of_a_character_in_two_names_are_no_character() {
        let half = |name| NewColumn { name, ..NewColumn::default() };
        let columns = ResultColumns::new([half(b"\xc3"), half(b"\xbc")].into_iter());
        assert!(columns.iter().all(|column| column.name == "\u{fffd}"));
    }
}
