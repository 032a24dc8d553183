//! Indexes.

use lithe_format::PageNo;
use lithe_sql::ast::Conflict;

use super::{CollationName, Derived, IndexStatistics, NameBuf};

/// An index of a table, or the primary key of a WITHOUT ROWID table (which is the table itself).
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// Its name: sqlite_autoindex_T_N for those of constraints.
    pub name: NameBuf,
    /// The table's name.
    pub table: NameBuf,
    /// The root page of its B-tree; none only while CREATE makes it.
    pub root: Option<PageNo>,
    /// All columns of its entries: those that were listed, then those that identify the row (the rowid, or the columns
    /// of the primary key that are not listed).
    pub columns: Vec<IndexColumn>,
    /// How many of the columns were listed: those that are unique in a unique index.
    pub key_count: u16,
    /// UNIQUE, with its ON CONFLICT clause (`None`: no clause was written, which means ABORT).
    pub unique: Option<Option<Conflict>>,
    /// WHERE of a partial index, as text.
    pub filter: Option<Box<[u8]>>,
    /// Where it comes from.
    pub origin: IndexOrigin,
    /// The CREATE statement as the schema table has it; none for indexes of constraints.
    pub sql: Option<Box<[u8]>>,
    /// What ANALYZE found.
    pub statistics: Option<Box<IndexStatistics>>,
    /// Data that the code generator derived from the index.
    pub derived: Derived,
}

/// A column of an index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexColumn {
    /// What is indexed.
    pub term: IndexTerm,
    /// The collation by which its texts compare.
    pub collation: CollationName,
    /// DESC.
    pub descending: bool,
}

impl IndexColumn {
    /// The column of the table that it holds, if it holds one.
    pub fn table_column(&self) -> Option<u16> {
        match self.term {
            IndexTerm::Column(at) => Some(at),
            IndexTerm::Rowid | IndexTerm::Expr(_) => None,
        }
    }
}

/// What an index column holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexTerm {
    /// A column of the table.
    Column(u16),
    /// The rowid.
    Rowid,
    /// An expression, as text.
    Expr(Box<[u8]>),
}

/// Why an index exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexOrigin {
    /// CREATE INDEX: 'c' of PRAGMA index_list.
    #[default]
    Create,
    /// A UNIQUE constraint: 'u'.
    Unique,
    /// A PRIMARY KEY: 'pk'.
    PrimaryKey,
}

impl Index {
    /// Whether no two entries may have the same key.
    pub fn is_unique(&self) -> bool {
        self.unique.is_some()
    }

    /// The ON CONFLICT clause of the index or its constraint, if there is one.
    pub fn conflict(&self) -> Option<Conflict> {
        self.unique.flatten()
    }

    /// The listed columns.
    pub fn key_columns(&self) -> &[IndexColumn] {
        &self.columns[..usize::from(self.key_count)]
    }

    /// The place of table column `column` in the entries.
    pub fn position_of(&self, column: u16) -> Option<u16> {
        self.columns.iter().position(|c| c.term == IndexTerm::Column(column)).map(|at| at as u16)
    }

    /// Whether it indexes expressions.
    pub fn has_expressions(&self) -> bool {
        self.key_columns().iter().any(|column| matches!(column.term, IndexTerm::Expr(_)))
    }
}
