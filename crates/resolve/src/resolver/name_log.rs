//! The names in a text that refer to a table or column, and those that are strings: ALTER TABLE replaces them.

use std::cell::RefCell;

use lithe_catalog::Table;
use lithe_sql::ast::{Ident, Span};

use super::source_columns::is_rowid_name;
use crate::ir::SourceId;

/// A log of the names in one text.
#[derive(Debug)]
pub struct NameLog<'a> {
    text: &'a [u8],
    tables: RefCell<Vec<(Ident<'a>, &'a Table)>>,
    columns: RefCell<Vec<(Ident<'a>, &'a Table, u16)>>,
    strings: RefCell<Vec<Ident<'a>>>,
    aliased: RefCell<Vec<SourceId>>,
}

impl<'a> NameLog<'a> {
    /// A log of the names in `text`; names in other texts, of the views that it uses, are not logged.
    pub fn new(text: &'a [u8]) -> NameLog<'a> {
        NameLog {
            text,
            tables: RefCell::default(),
            columns: RefCell::default(),
            strings: RefCell::default(),
            aliased: RefCell::default(),
        }
    }

    /// Whether it is a log of `text`.
    pub(super) fn is_about(&self, text: &[u8]) -> bool {
        std::ptr::eq(self.text, text)
    }

    /// The source has an alias: its columns are qualified by the alias, not by the table's name.
    pub(super) fn note_alias(&self, source: SourceId) {
        self.aliased.borrow_mut().push(source);
    }

    /// Whether the source has an alias.
    pub(super) fn is_aliased(&self, source: SourceId) -> bool {
        self.aliased.borrow().contains(&source)
    }

    /// `qualifier`, which stands in `text` before a column of `source`, is the name of its table, if the source has no alias.
    pub(super) fn note_qualifier(&self, text: &[u8], qualifier: Ident<'a>, source: SourceId, table: &'a Table) {
        if !self.is_aliased(source) && table.name == qualifier.name {
            self.note_table(text, qualifier, table);
        }
    }

    /// `name`, which stands in `text`, is a table.
    pub(super) fn note_table(&self, text: &[u8], name: Ident<'a>, table: &'a Table) {
        if std::ptr::eq(self.text, text) {
            self.tables.borrow_mut().push((name, table));
        }
    }

    /// `name`, which stands in `text`, is a column, by its own name or by one of the rowid's that it has.
    pub(super) fn note_column(&self, text: &[u8], name: Ident<'a>, table: &'a Table, at: u16) {
        let is_rowid = table.rowid_column == Some(at) && is_rowid_name(name.name);
        if std::ptr::eq(self.text, text) && (is_rowid || table.columns[usize::from(at)].name == name.name) {
            self.columns.borrow_mut().push((name, table, at));
        }
    }

    /// `name`, which stands in `text` in double quotes, is no name but a string.
    pub(super) fn note_string(&self, text: &[u8], name: Ident<'a>) {
        if std::ptr::eq(self.text, text) {
            self.strings.borrow_mut().push(name);
        }
    }

    /// Forgets the names in this part of the text.
    pub(super) fn forget(&self, part: Span) {
        let stays = |name: &Ident<'a>| !(part.start..part.end).contains(&name.span().start);
        self.tables.borrow_mut().retain(|(name, _)| stays(name));
        self.columns.borrow_mut().retain(|(name, ..)| stays(name));
        self.strings.borrow_mut().retain(stays);
    }

    /// The strings in double quotes.
    pub fn strings(&self) -> Vec<Ident<'a>> {
        self.strings.borrow().clone()
    }

    /// Where the table is named.
    pub fn names_of_table(&self, table: &Table) -> Vec<Ident<'a>> {
        let tables = self.tables.borrow();
        tables.iter().filter(|(_, named)| std::ptr::eq(*named, table)).map(|(name, _)| *name).collect()
    }

    /// Where the column is named.
    pub fn names_of_column(&self, table: &Table, at: u16) -> Vec<Ident<'a>> {
        let columns = self.columns.borrow();
        let is_it =
            |(_, named, named_at): &&(Ident<'a>, &'a Table, u16)| std::ptr::eq(*named, table) && *named_at == at;
        columns.iter().filter(is_it).map(|(name, ..)| *name).collect()
    }
}
