//! Compares the index with the documents: `integrity-check` and PRAGMA integrity_check.
//!
//! Each occurrence of a term has a checksum, and the checksums of all occurrences are combined by XOR: once over the index, once over the
//! documents.

use lithe_value::cast;
use lithe_vtab::{FunctionError, SqlConnection, ValueRef};

use crate::config::Content;
use crate::doclist::{Position, Positions, Reader};
use crate::index::{LEVELS, Wanted};
use crate::table::{Table, before_nul};
use crate::tokenizer::{Flow, Token};
use crate::{Result, corrupt};

/// An occurrence of a term.
struct Place {
    docid: i64,
    language: i32,
    index: usize,
    position: Position,
}

impl Place {
    /// The checksum of the occurrence, for a term.
    fn number(&self, term: &[u8]) -> u64 {
        let add = |sum: u64, value: i64| sum.wrapping_add((sum << 3).wrapping_add(value as u64));
        let parts =
            [i64::from(self.language), self.index as i64, i64::from(self.position.column), self.position.offset];
        let sum = parts.into_iter().fold(self.docid as u64, add);
        term.iter().fold(sum, |sum, byte| add(sum, i64::from(*byte as i8)))
    }
}

impl Table {
    /// Compares the index with the documents.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if they differ; those of reading.
    pub fn check(&self, connection: &dyn SqlConnection) -> Result {
        if self.config.content == Content::None {
            return Ok(());
        }
        let index = self.sum_of_index(connection)?;
        if index == self.sum_of_documents(connection)? { Ok(()) } else { Err(corrupt()) }
    }

    fn sum_of_index(&self, connection: &dyn SqlConnection) -> Result<u64> {
        let count = self.index.count();
        let mut languages = self.index.store.languages(connection, LEVELS * count as i64)?;
        let pending = self.index.pending().language;
        if !languages.contains(&pending) {
            languages.push(pending);
        }
        let mut sum = 0;
        for language in languages {
            for index in 0..count {
                let mut terms = self.index.reader(connection, language, index, &Wanted::All)?;
                while terms.next(connection, &self.index.store, &Wanted::All)? {
                    let mut rows = Reader::new(terms.doclist(), self.index.order);
                    while let Some(entry) = rows.read()? {
                        for position in Positions::new(entry.positions) {
                            sum ^= Place { docid: entry.docid, language, index, position }.number(&terms.term);
                        }
                    }
                }
            }
        }
        Ok(sum)
    }

    fn sum_of_documents(&self, connection: &dyn SqlConnection) -> Result<u64> {
        let scan = self.storage.scan_all();
        let mut statement = connection.statement(&scan).map_err(FunctionError::silent)?;
        let mut sum = 0;
        while statement.step().map_err(FunctionError::silent)? {
            let docid = cast::to_integer(statement.column(0));
            let language = self.storage.language(&*statement);
            let values = self.values(&*statement)?;
            for (column, value) in values.iter().enumerate() {
                if self.config.is_indexed(column) {
                    sum ^= self.sum_of_value(docid, language, column, value.as_ref())?;
                }
            }
        }
        Ok(sum)
    }

    fn sum_of_value(&self, docid: i64, language: i32, column: usize, value: ValueRef<'_>) -> Result<u64> {
        let mut sum = 0;
        if value.is_null() {
            return Ok(sum);
        }
        let text = cast::to_text(value);
        let mut sink = |token: Token<'_>| {
            let position = Position { column: column as u32, offset: token.position };
            let terms = std::iter::once((0, Some(token.text)));
            let prefixes = (1..).zip(self.index.prefix_lens().iter().map(|len| token.text.get(..*len)));
            for (index, term) in terms.chain(prefixes) {
                if let Some(term) = term {
                    sum ^= Place { docid, language, index, position }.number(term);
                }
            }
            Ok(Flow::More)
        };
        self.tokenizer.tokenize(before_nul(&text), language, &mut sink)?;
        Ok(sum)
    }
}
