//! What the application is told of the columns of a statement's rows.
//!
//! ```text
//!   text     b|INTEGER|main|t|b|c|TEXT|main|t|c      one behind the other, without separators
//!   columns  | ends of the five texts, which of them are there, affinity |  ...
//! ```
//!
//! Most statements are prepared, run once, and nobody asks for more than a column's value: so the texts of all columns are one block, and not five for
//! each.

use std::borrow::Cow;

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
    /// Database, table and column that the value comes from, when it comes straight from one.
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

/// Name, declared type, database, table, column.
const TEXTS: usize = 5;
const DECLARED_TYPE: usize = 1;
const DATABASE: usize = 2;

/// How long the texts of a column usually are together.
const TEXT_LEN: usize = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Column {
    /// Where each text ends. It starts where the one before ends.
    ends: [u32; TEXTS],
    has_declared_type: bool,
    has_origin: bool,
    affinity: Option<Affinity>,
}

/// The texts of a column that is added, as bytes that are usually UTF-8.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewColumn<'n> {
    /// See [`ResultColumn`].
    pub name: &'n [u8],
    /// See [`ResultColumn`].
    pub declared_type: Option<&'n [u8]>,
    /// See [`ResultColumn`].
    pub affinity: Option<Affinity>,
    /// Database, table and column.
    pub origin: Option<[&'n [u8]; 3]>,
}

impl ResultColumns {
    /// Columns of which only the names are known.
    pub fn of_names(names: &[&str]) -> ResultColumns {
        ResultColumns::new(names.iter().map(|name| NewColumn { name: name.as_bytes(), ..NewColumn::default() }))
    }

    /// The columns, whose names and types are bytes that are usually UTF-8.
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

    /// The same, each text as `text` gives it. `None` if these are no UTF-8: which is asked once of all of them together.
    #[inline]
    fn of_bytes<'n>(
        columns: impl ExactSizeIterator<Item = NewColumn<'n>>,
        text: impl Fn(&'n [u8]) -> Cow<'n, [u8]>,
    ) -> Option<ResultColumns> {
        let mut all = Vec::with_capacity(columns.len() * TEXT_LEN);
        let mut placed = Vec::with_capacity(columns.len());
        for column in columns {
            let [database, table, origin] = column.origin.unwrap_or_default();
            let texts = [column.name, column.declared_type.unwrap_or_default(), database, table, origin];
            let ends = texts.map(|bytes| {
                all.extend_from_slice(&text(bytes));
                // The text of a statement is shorter than that, and so are the names of its columns together.
                u32::try_from(all.len()).expect("names take less than 4 GB")
            });
            placed.push(Column {
                ends,
                has_declared_type: column.declared_type.is_some(),
                has_origin: column.origin.is_some(),
                affinity: column.affinity,
            });
        }
        // Where a text ends, a character of the next one begins, even if all together are UTF-8 by accident.
        let is_end = |text: &str, column: &Column| column.ends.iter().all(|end| text.is_char_boundary(*end as usize));
        let text = String::from_utf8(all).ok()?;
        placed.iter().all(|column| is_end(&text, column)).then_some(ResultColumns { text, columns: placed })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Column `index`.
    pub fn get(&self, index: usize) -> Option<ResultColumn<'_>> {
        let column = self.columns.get(index)?;
        let text = |at: usize| self.text_of(index, at);
        let origin =
            || ColumnOrigin { database: text(DATABASE), table: text(DATABASE + 1), column: text(DATABASE + 2) };
        Some(ResultColumn {
            name: text(0),
            declared_type: column.has_declared_type.then(|| text(DECLARED_TYPE)),
            affinity: column.affinity,
            origin: column.has_origin.then(origin),
        })
    }

    /// All columns.
    pub fn iter(&self) -> impl Iterator<Item = ResultColumn<'_>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    fn text_of(&self, index: usize, at: usize) -> &str {
        let start = match (index, at) {
            (0, 0) => 0,
            (_, 0) => self.columns[index - 1].ends[TEXTS - 1],
            _ => self.columns[index].ends[at - 1],
        };
        &self.text[start as usize..self.columns[index].ends[at] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let new = |name| {
            let one = NewColumn { name: b"1 + 1", affinity: Some(Affinity::Integer), ..NewColumn::default() };
            let origin = Some([&b"main"[..], b"t", b"a"]);
            let other = NewColumn { name, declared_type: Some(b""), affinity: None, origin };
            ResultColumns::new([one, other].into_iter())
        };
        let columns = new(b"\xff\xc3\xbc");
        let plain = ResultColumn { name: "1 + 1", affinity: Some(Affinity::Integer), ..ResultColumn::default() };
        let origin = Some(ColumnOrigin { database: "main", table: "t", column: "a" });
        let other = ResultColumn { name: "\u{fffd}ü", declared_type: Some(""), affinity: None, origin };
        assert_eq!(columns.iter().collect::<Vec<_>>(), [plain, other]);
        assert_eq!((columns.len(), columns.get(2)), (2, None));
        assert_eq!(new("ü".as_bytes()).get(1).map(|column| column.name), Some("ü"));
        assert_eq!(ResultColumns::of_names(&["a", ""]).iter().map(|column| column.name).collect::<Vec<_>>(), ["a", ""]);
    }

    #[test]
    fn halves_of_a_character_in_two_texts_are_no_character() {
        let half = |name| NewColumn { name, ..NewColumn::default() };
        let columns = ResultColumns::new([half(b"\xc3"), half(b"\xbc")].into_iter());
        assert!(columns.iter().all(|column| column.name == "\u{fffd}"));
    }
}
