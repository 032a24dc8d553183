//! The module `fts5vocab`: the tokens of a full-text table as a table.
//!
//! | kind | columns | a row for |
//! | --- | --- | --- |
//! | `row` | term, doc, cnt | each token |
//! | `col` | term, col, doc, cnt | each column in which a token occurs |
//! | `instance` | term, doc, col, offset | each place where a token occurs |
//!
//! Values that the index does not have (detail=columns, detail=none) are NULL.

use std::sync::Arc;

use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::copied;
use lithe_value::{Grow, cast};
use lithe_vtab::{
    ColumnContext, ConnectRequest, Connected, FunctionError, IndexInfo, Module, Risk, Scan, ScanPlan, SqlConnection,
    Usage, ValueRef, Values, VirtualCursor, VirtualTable, code, constraint,
};

use crate::Result;
use crate::config::Detail;
use crate::cursor::Fts5Table;
use crate::index::Terms;
use crate::position::{column_of, offset_of};
use crate::search;
use crate::table::Table;

/// The bits of a plan's number above those of the columns that are read.
mod flag {
    /// The first argument is the token.
    pub const IS: i32 = 0x100;
    /// An argument is the least token.
    pub const FROM: i32 = 0x200;
    /// An argument is the greatest token.
    pub const TO: i32 = 0x400;
}

/// The module.
pub struct VocabularyModule;

/// The kind of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Row,
    Column,
    Instance,
}

/// A vocabulary.
struct Vocabulary {
    kind: Kind,
    database: String,
    table: String,
    own: String,
}

impl Module for VocabularyModule {
    fn connect(&self, _: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        let is_temporary = request.database.eq_ignore_ascii_case("temp");
        let (database, table, kind) = match request.arguments {
            [table, kind] => (request.database.to_owned(), table, kind),
            [database, table, kind] if is_temporary => (dequoted(database), table, kind),
            _ => return Err(FunctionError::new("wrong number of vtable arguments")),
        };
        let name = dequoted(kind);
        let known = [("row", Kind::Row), ("col", Kind::Column), ("instance", Kind::Instance)];
        let found = known.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(&name));
        let unknown = || FunctionError::new(format!("fts5vocab: unknown table type: '{}'", name.replace('\'', "''")));
        let (_, kind) = found.ok_or_else(unknown)?;
        let declaration = match kind {
            Kind::Row => "CREATE TABLE vocab(term, doc, cnt)",
            Kind::Column => "CREATE TABLE vocab(term, col, doc, cnt)",
            Kind::Instance => "CREATE TABLE vocab(term, doc, col, offset)",
        };
        let table = Vocabulary { kind, database, table: dequoted(table), own: request.table.to_owned() };
        Ok(Connected { table: Box::new(table), declaration: declaration.to_owned(), risk: Risk::Innocuous })
    }
}

/// A name without its quotes, which are of any kind. Text behind the quotes is ignored.
fn dequoted(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let close = match name.chars().next() {
        Some('[') => ']',
        Some(quote @ ('\'' | '"' | '`')) => quote,
        _ => return name.into_owned(),
    };
    let mut out = String::new();
    let mut chars = name.chars().skip(1).peekable();
    while let Some(char) = chars.next() {
        if char == close && chars.next_if_eq(&close).is_none() {
            break;
        }
        out.push(char);
    }
    out
}

impl VirtualTable for Vocabulary {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut chosen: [(i32, Option<usize>); 3] = [(flag::IS, None), (flag::FROM, None), (flag::TO, None)];
        for (at, asked) in info.constraints.iter().enumerate() {
            let which = match asked.op {
                constraint::EQ => 0,
                constraint::GE | constraint::GT => 1,
                constraint::LE | constraint::LT => 2,
                _ => continue,
            };
            if let Some((_, place)) = chosen.get_mut(which).filter(|_| asked.usable && asked.column == 0) {
                *place = Some(at);
            }
        }
        let [is, from, to] = chosen;
        info.plan.number = info.columns_used as i32 & 0xff;
        let used: Vec<(i32, usize)> = match is {
            (flag, Some(at)) => vec![(flag, at)],
            _ => [from, to].into_iter().filter_map(|(flag, at)| Some((flag, at?))).collect(),
        };
        info.estimated_cost = if is.1.is_some() { 100.0 } else { 1_000_000.0 / f64::from(1 << used.len()) };
        for (argument, (flag, at)) in (1..).zip(used) {
            info.plan.number |= flag;
            if let Some(usage) = info.usage.get_mut(at) {
                *usage = Usage { argument, omit: false, all_at_once: false };
            }
        }
        info.order_by_consumed = matches!(info.order_by.as_slice(), [order] if order.column == 0 && !order.descending);
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(VocabularyCursor::default()))
    }
}

/// A row of a vocabulary. `None` is NULL.
#[derive(Clone, Debug, Default)]
struct Row {
    column: Option<usize>,
    documents: Option<i64>,
    /// `cnt` or `offset`.
    last: Option<i64>,
}

/// A scan of a vocabulary.
#[derive(Default)]
struct VocabularyCursor {
    source: Option<Source>,
    /// The token of the rows.
    token: Vec<u8>,
    /// The remaining rows of the token in reverse, the current row first.
    rows: Vec<Row>,
    rowid: i64,
    is_at_end: bool,
    /// SQLite opens a cursor on the full-text table for each cursor on a vocabulary: it is counted.
    is_counted: bool,
}

/// The index that is scanned.
struct Source {
    table: Arc<Table>,
    terms: Terms,
    /// The last token that is wanted.
    until: Option<Vec<u8>>,
    generation: u64,
}

impl VocabularyCursor {
    /// Reads the rows of the next token.
    fn read(&mut self, connection: &dyn SqlConnection, kind: Kind) -> Result {
        self.rows.clear();
        while self.rows.is_empty() {
            let Some(source) = self.source.as_mut().filter(|source| source.has_more()) else {
                self.is_at_end = true;
                return Ok(());
            };
            self.token.clear();
            self.token.extend_from_slice(source.terms.token());
            self.rows = source.rows(connection, kind, &self.token)?;
        }
        self.rows.reverse();
        Ok(())
    }
}

impl Source {
    fn has_more(&self) -> bool {
        let is_wanted = |until: &Vec<u8>| self.terms.token() <= until.as_slice();
        !self.terms.is_at_end() && self.until.as_ref().is_none_or(is_wanted)
    }

    /// The rows of the current token; the terms are on the token behind it then.
    fn rows(&mut self, connection: &dyn SqlConnection, kind: Kind, token: &[u8]) -> Result<Vec<Row>> {
        let detail = self.table.config.detail;
        let reader = self.table.index.reader(connection);
        let mut counts = Counts::new(self.table.config.columns.len());
        let mut rows = Vec::new();
        while !self.terms.is_at_end() && self.terms.token() == token {
            let positions = search::positions(self.terms.positions()?, detail);
            if kind == Kind::Instance {
                instances(self.terms.rowid(), positions, detail, &mut rows)?;
            } else {
                counts.add(positions);
            }
            self.terms.next(&reader)?;
        }
        match kind {
            Kind::Instance => {}
            Kind::Row => rows.push(counts.total(detail)),
            Kind::Column => rows.extend(counts.columns(detail)),
        }
        Ok(rows)
    }
}

/// The rows of one document.
fn instances(
    rowid: i64,
    positions: impl Iterator<Item = u64>,
    detail: Detail,
    rows: &mut Vec<Row>,
) -> Result<(), OutOfMemory> {
    if detail == Detail::None {
        return rows.try_push(Row { documents: Some(rowid), ..Row::default() });
    }
    rows.try_extend(positions.map(|position| Row {
        column: Some(column_of(position)),
        documents: Some(rowid),
        last: (detail == Detail::Full).then(|| i64::from(offset_of(position))),
    }))
}

/// The number of documents with a token, and of its occurrences.
struct Counts {
    documents: i64,
    instances: i64,
    /// The same numbers for each column.
    columns: Vec<(i64, i64)>,
}

impl Counts {
    fn new(columns: usize) -> Counts {
        Counts { documents: 0, instances: 0, columns: vec![(0, 0); columns] }
    }

    /// Adds a document.
    fn add(&mut self, positions: impl Iterator<Item = u64>) {
        self.documents += 1;
        let mut last = None;
        for position in positions {
            self.instances += 1;
            let column = column_of(position);
            if let Some((documents, instances)) = self.columns.get_mut(column) {
                *documents += i64::from(last != Some(column));
                *instances += 1;
            }
            last = Some(column);
        }
    }

    fn total(&self, detail: Detail) -> Row {
        let last = Some(self.instances).filter(|_| detail == Detail::Full);
        Row { column: None, documents: Some(self.documents), last }
    }

    fn columns(&self, detail: Detail) -> Vec<Row> {
        if detail == Detail::None {
            return vec![self.total(detail)];
        }
        let found = self.columns.iter().enumerate().filter(|(_, (documents, _))| *documents > 0);
        let row = |(column, (documents, instances)): (usize, &(i64, i64))| Row {
            column: Some(column),
            documents: Some(*documents),
            last: Some(*instances).filter(|_| detail == Detail::Full),
        };
        found.map(row).collect()
    }
}

/// The full-text table of that name.
fn find(connection: &dyn SqlConnection, vocabulary: &Vocabulary) -> Result<Arc<Table>> {
    let (database, table) = (&vocabulary.database, &vocabulary.table);
    if table.eq_ignore_ascii_case(&vocabulary.own) {
        // (It is not even looked for: that would connect it again and again.)
        return Err(FunctionError::new(format!("no such fts5 table: {database}.{table}")));
    }
    let mut found = None;
    let looked = connection.with_virtual_table(database, table, &mut |table| {
        found = table.downcast_ref::<Fts5Table>().map(|table| Arc::clone(&table.table));
    });
    let missing = || FunctionError::new(format!("no such fts5 table: {database}.{table}"));
    looked.map_err(|_| missing()).and_then(|()| found.ok_or_else(missing))
}

impl VirtualCursor for VocabularyCursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        *self = VocabularyCursor { is_counted: self.is_counted, ..VocabularyCursor::default() };
        let vocabulary: &Vocabulary = scan.table()?;
        let table = find(scan.connection, vocabulary)?;
        if !std::mem::replace(&mut self.is_counted, true) {
            table.cursors.next();
        }
        table.flush(scan.connection)?;
        let mut arguments = arguments.values.iter();
        let mut argument = |flag: i32| {
            let value = if plan.number & flag != 0 { arguments.next().copied() } else { None };
            value.map(|value| copied(&cast::to_text(value))).transpose()
        };
        let is = argument(flag::IS)?;
        let from = argument(flag::FROM)?;
        let until = match (argument(flag::TO)?, &is) {
            (None, Some(is)) => Some(copied(is)?),
            (until, _) => until,
        };
        let from = is.or(from).unwrap_or_default();
        let generation = table.index.generation();
        let terms = table.index.reader(scan.connection).terms(&from)?;
        // (SQLite begins with 0 where the index knows nothing but rows.)
        self.rowid = i64::from(!(vocabulary.kind == Kind::Instance && table.config.detail == Detail::None));
        self.source = Some(Source { table, terms, until, generation });
        self.read(scan.connection, vocabulary.kind)
    }

    fn next(&mut self, scan: &Scan<'_>) -> Result {
        let is_changed = |source: &Source| source.table.index.generation() != source.generation;
        if self.source.as_ref().is_some_and(is_changed) {
            return Err(FunctionError::of_code(code::ABORT));
        }
        self.rowid += 1;
        self.rows.pop();
        if self.rows.is_empty() { self.read(scan.connection, scan.table::<Vocabulary>()?.kind) } else { Ok(()) }
    }

    fn eof(&self) -> bool {
        self.is_at_end
    }

    fn column(&mut self, scan: &Scan<'_>, context: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let Some((row, source)) = self.rows.last().zip(self.source.as_ref()) else { return Ok(()) };
        let integer = |value: Option<i64>| value.map_or(ValueRef::Null, ValueRef::Integer);
        let name = || {
            let column = row.column.and_then(|column| source.table.config.columns.get(column));
            column.map_or(ValueRef::Null, |column| ValueRef::Text(column.name.as_bytes()))
        };
        let kind = scan.table::<Vocabulary>()?.kind;
        context.context.answer(match (kind, column) {
            (_, 0) if self.token.is_empty() => ValueRef::Null,
            (_, 0) => ValueRef::Text(&self.token),
            (Kind::Row, 1) | (Kind::Column, 2) | (Kind::Instance, 1) => integer(row.documents),
            (Kind::Column, 1) | (Kind::Instance, 2) => name(),
            _ => integer(row.last),
        })
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.rowid)
    }
}
