//! The module `fts4aux`: the terms of a full-text table as a table.
//!
//! Each term has a row for all columns (`col` is `*`), and one for each column that has it. Pending terms do not count.

use lithe_value::grow::{collected, copied};
use lithe_value::{Grow, cast};
use lithe_vtab::{
    ColumnContext, ConnectRequest, Connected, FunctionError, IndexInfo, Module, Names, Risk, Scan, ScanPlan,
    SqlConnection, Usage, ValueRef, Values, VirtualCursor, VirtualTable, constraint,
};

use crate::config::Config;
use crate::doclist::{Positions, Reader};
use crate::index::reader::MergeReader;
use crate::index::{Index, Wanted};
use crate::{Result, words};

/// The bits of a plan's number.
mod flag {
    /// The term is equal.
    pub const IS: i32 = 1;
    /// The term has a lower bound.
    pub const FROM: i32 = 2;
    /// The term has an upper bound.
    pub const TO: i32 = 4;
}

/// The columns.
const TERM: i32 = 0;
const LANGUAGE: i32 = 4;
/// The costs of scans.
const EQUAL_COST: f64 = 5.0;
const SCAN_COST: f64 = 20_000.0;

/// The module.
pub struct TermsModule;

struct TermsTable(Index);

impl Module for TermsModule {
    fn connect(&self, _: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        let is_temporary = request.database.eq_ignore_ascii_case("temp");
        let (database, table) = match request.arguments {
            [table] => (request.database.to_owned(), table),
            [database, table] if is_temporary => (String::from_utf8_lossy(database).into_owned(), table),
            _ => return Err(FunctionError::new("invalid arguments to fts4aux constructor")),
        };
        let table = String::from_utf8_lossy(&words::dequoted(table)).into_owned();
        // (As in SQLite, the table is taken to have no index of prefixes; this matters only for languages.)
        let index = Index::new(&Config::default(), &Names::new(&database, &table), 0);
        let declaration = "CREATE TABLE x(term, col, documents, occurrences, languageid HIDDEN)".to_owned();
        Ok(Connected { table: Box::new(TermsTable(index)), declaration, risk: Risk::Innocuous })
    }
}

impl VirtualTable for TermsTable {
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let (mut is, mut from, mut to, mut language) = (None, None, None, None);
        for (at, asked) in info.constraints.iter().enumerate().filter(|(_, asked)| asked.usable) {
            match (asked.column, asked.op) {
                (TERM, constraint::EQ) => is = Some(at),
                (TERM, constraint::LT | constraint::LE) => to = Some(at),
                (TERM, constraint::GT | constraint::GE) => from = Some(at),
                (LANGUAGE, constraint::EQ) => language = Some(at),
                _ => {}
            }
        }
        let used = match is {
            Some(_) => vec![(flag::IS, is)],
            None => vec![(flag::FROM, from), (flag::TO, to)],
        };
        info.estimated_cost = if is.is_some() { EQUAL_COST } else { SCAN_COST };
        if language.is_some() {
            info.estimated_cost -= 1.0;
        }
        let mut argument = 0;
        for (flag, at) in used.into_iter().chain([(0, language)]) {
            let Some(usage) = at.and_then(|at| info.usage.get_mut(at)) else { continue };
            argument += 1;
            *usage = Usage { argument, omit: false, all_at_once: false };
            info.plan.number |= flag;
            if flag & (flag::FROM | flag::TO) != 0 {
                info.estimated_cost /= 2.0;
            }
        }
        info.order_by_consumed =
            matches!(info.order_by.as_slice(), [order] if order.column == TERM && !order.descending);
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(TermsCursor::default()))
    }
}

/// The number of rows and of occurrences of a term, in one column or in all.
type Counts = (i64, i64);

#[derive(Default)]
struct TermsCursor {
    terms: Option<MergeReader>,
    until: Option<Vec<u8>>,
    language: i32,
    /// The further rows of the term, the next one last, and the current row.
    rows: Vec<(Option<usize>, Counts)>,
    row: (Option<usize>, Counts),
    rowid: i64,
}

impl TermsCursor {
    /// Goes to the next term.
    fn advance(&mut self, scan: &Scan<'_>) -> Result {
        let index = &scan.table::<TermsTable>()?.0;
        let Some(terms) = &mut self.terms else { return Ok(()) };
        let is_wanted = |term: &[u8]| self.until.as_ref().is_none_or(|until| term <= until.as_slice());
        if !terms.next(scan.connection, &index.store, &Wanted::All)? || !is_wanted(&terms.term) {
            self.terms = None;
            return Ok(());
        }
        let (mut all, mut columns) = ((0, 0), Vec::<Counts>::new());
        let mut rows = Reader::new(terms.doclist(), index.order);
        while let Some(entry) = rows.read()? {
            all.0 += 1;
            let mut last = None;
            for position in Positions::new(entry.positions) {
                let column = position.column as usize;
                if columns.len() <= column {
                    columns.try_resize(column.min(i16::MAX as usize) + 1, (0, 0))?;
                }
                let Some(counts) = columns.get_mut(column) else { return Err(crate::corrupt()) };
                counts.0 += i64::from(last != Some(column));
                counts.1 += 1;
                all.1 += 1;
                last = Some(column);
            }
        }
        let of_columns = columns.into_iter().enumerate().rev().filter(|(_, counts)| counts.0 > 0);
        self.rows = collected(of_columns.map(|(column, counts)| (Some(column), counts)))?;
        self.row = (None, all);
        Ok(())
    }
}

impl VirtualCursor for TermsCursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        let index = &scan.table::<TermsTable>()?.0;
        *self = TermsCursor::default();
        let mut values = arguments.values.iter();
        let mut next = |flag: i32| (plan.number & flag != 0).then(|| values.next().copied()).flatten();
        let text = |value: Option<ValueRef<'_>>| {
            let value = value.filter(|value| !value.is_null());
            value.map(|value| copied(&cast::to_text(value))).transpose()
        };
        let is = text(next(flag::IS))?;
        let from = text(next(flag::FROM))?;
        let to = text(next(flag::TO))?;
        self.until = is.as_deref().map(copied).transpose()?.or(to);
        // The remaining argument is the language.
        self.language = values.next().map_or(0, |value| cast::to_integer(*value) as i32).max(0);
        let mut terms = index.reader(scan.connection, self.language, 0, &Wanted::All)?;
        if let Some(first) = is.or(from) {
            terms.skip_to(scan.connection, &index.store, &first)?;
        }
        self.terms = Some(terms);
        self.rowid = 1;
        self.advance(scan)
    }

    fn next(&mut self, scan: &Scan<'_>) -> Result {
        self.rowid += 1;
        match self.rows.pop() {
            Some(row) => {
                self.row = row;
                Ok(())
            }
            None => self.advance(scan),
        }
    }

    fn eof(&self) -> bool {
        self.terms.is_none()
    }

    fn column(&mut self, _: &Scan<'_>, context: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let (of_column, (rows, places)) = self.row;
        let term = self.terms.as_ref().map_or(&[][..], |terms| &terms.term);
        context.context.answer(match column {
            0 => ValueRef::Text(term),
            1 => of_column.map_or(ValueRef::Text(b"*"), |column| ValueRef::Integer(column as i64)),
            2 => ValueRef::Integer(rows),
            3 => ValueRef::Integer(places),
            _ => ValueRef::Integer(i64::from(self.language)),
        })
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.rowid)
    }
}
