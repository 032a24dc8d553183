//! Cursors: scans of a table, and the state that auxiliary functions read of the current row.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use lithe_value::cast;
use lithe_vtab::{
    ColumnContext, FunctionError, Kept, Pointer, Scan, ScanPlan, SqlConnection, Value, ValueRef, Values, VirtualCursor,
    code,
};

use crate::doclist::Order;
use crate::plan;
use crate::query::{self, Dialect};
use crate::search::Search;
use crate::table::{Fts3Table, Table, before_nul};
use crate::{Result, corrupt};

/// The kind of the pointer that is the value of the hidden column named like the table.
pub const POINTER_KIND: &[u8] = b"fts3cursor";

/// The state of a scan, shared by its cursor and the auxiliary functions.
pub type SharedState = Rc<RefCell<CursorState>>;

/// Values that auxiliary functions keep during a scan.
#[derive(Default)]
pub struct KeptByFunctions {
    /// The totals over all rows that matchinfo() counts.
    pub totals: Option<Arc<Totals>>,
}

/// The totals for matchinfo's `x`: hits in all rows, and rows with hits, of each phrase in each column.
#[derive(Debug, Default)]
pub struct Totals(pub Vec<(u32, u32)>);

/// The state of a scan. Auxiliary functions get it as the value of the hidden column named like the table.
pub struct CursorState {
    /// The table.
    pub table: Arc<Table>,
    /// The query; None in a scan without MATCH, and for a text without tokens.
    pub search: Option<Rc<Search>>,
    /// The row.
    pub docid: i64,
    /// Values that auxiliary functions keep during a scan.
    pub kept: KeptByFunctions,
    /// The statement that reads the row, and its current row.
    reader: Kept,
    read: Option<i64>,
    /// Whether the content table lacks the row.
    is_missing: bool,
    /// Whether the reader is the statement that scans the content: it is on the current row already.
    is_scan: bool,
}

impl CursorState {
    fn new(table: &Arc<Table>) -> CursorState {
        CursorState {
            table: Arc::clone(table),
            search: None,
            docid: 0,
            kept: KeptByFunctions::default(),
            reader: table.storage.lookup(),
            read: None,
            is_missing: false,
            is_scan: false,
        }
    }

    /// A column of the reader's row, counted from 1: the columns of the table, then the language.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if the row is missing; those of reading it.
    pub fn column(&mut self, connection: &dyn SqlConnection, column: usize) -> Result<Value> {
        let mut statement = connection.resume(&self.reader).map_err(FunctionError::silent)?;
        if !self.is_scan && self.read != Some(self.docid) {
            self.read = None;
            statement.reset();
            statement.bind(1, ValueRef::Integer(self.docid))?;
            self.is_missing = !statement.step().map_err(FunctionError::silent)?;
            if self.is_missing && self.table.config.has_own_content() {
                return Err(corrupt());
            }
            self.read = Some(self.docid);
        }
        if self.is_missing && !self.is_scan {
            return Ok(Value::default());
        }
        Ok(Value::try_copy(statement.column(column))?)
    }
}

/// The rows that a scan visits.
enum Progress {
    /// No (further) row.
    Ended,
    /// The rows of the content.
    Content,
    /// The rows of a query; `next` is the position of the next one.
    Found { search: Rc<Search>, next: usize },
}

/// A scan.
pub struct Fts3Cursor {
    state: SharedState,
    pointer: Rc<Pointer>,
    progress: Progress,
    order: Order,
    docid: i64,
    low: i64,
    high: i64,
    /// The language of a MATCH.
    language: Option<i32>,
}

impl Fts3Cursor {
    /// A scan that has not begun.
    pub fn new(table: &Arc<Table>) -> Fts3Cursor {
        let state = Rc::new(RefCell::new(CursorState::new(table)));
        let value = Box::new(Rc::clone(&state));
        Fts3Cursor {
            state,
            pointer: Rc::new(Pointer { kind: POINTER_KIND.into(), value, number: None }),
            progress: Progress::Ended,
            order: Order::Ascending,
            docid: 0,
            low: i64::MIN,
            high: i64::MAX,
            language: None,
        }
    }

    fn state(&self) -> Result<std::cell::RefMut<'_, CursorState>> {
        self.state.try_borrow_mut().map_err(|_| FunctionError::of_code(code::INTERNAL))
    }

    fn go_to(&mut self, docid: i64) -> Result {
        self.docid = docid;
        self.state()?.docid = docid;
        Ok(())
    }

    /// Finds the rows of a query.
    fn search(&mut self, scan: &Scan<'_>, table: &Table, text: ValueRef<'_>, column: usize) -> Result {
        let language = self.language.unwrap_or(0);
        self.language = Some(language);
        if text.is_null() {
            return Ok(());
        }
        let text = cast::to_text(text);
        let columns = &table.config.columns;
        let dialect = Dialect {
            tokenizer: &*table.tokenizer,
            language,
            columns,
            column: (column < columns.len()).then_some(column),
            is_fts4: table.config.is_fts4,
        };
        let Some(expr) = query::parse(before_nul(&text), &dialect)? else { return Ok(()) };
        let search = Rc::new(Search::new(table, scan.connection, language, expr)?);
        self.state()?.search = Some(Rc::clone(&search));
        let from = match self.order {
            Order::Ascending => search.docids.partition_point(|docid| *docid < self.low),
            Order::Descending => search.docids.partition_point(|docid| *docid <= self.high),
        };
        self.progress = Progress::Found { search, next: from };
        self.next(scan)
    }

    /// Starts a scan of the content.
    fn scan_content(&mut self, scan: &Scan<'_>, kept: Kept, bounds: &[ValueRef<'_>]) -> Result {
        let mut statement = scan.connection.resume(&kept).map_err(FunctionError::silent)?;
        for (number, bound) in (1..).zip(bounds) {
            statement.bind(number, *bound)?;
        }
        drop(statement);
        let mut state = self.state()?;
        (state.reader, state.is_scan) = (kept, true);
        drop(state);
        self.progress = Progress::Content;
        self.next(scan)
    }
}

impl VirtualCursor for Fts3Cursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        let table = Arc::clone(&scan.table::<Fts3Table>()?.table);
        self.progress = Progress::Ended;
        let fresh = CursorState::new(&table);
        *self.state()? = fresh;
        let number = plan.number;
        let mut values = arguments.values.iter().copied();
        let kind = number & 0xffff;
        let main = (kind != plan::SCAN).then(|| values.next()).flatten();
        let mut argument = |flag: i32| (number & flag != 0).then(|| values.next()).flatten();
        self.language = argument(plan::HAS_LANGUAGE).map(|value| cast::to_integer(value) as i32);
        // The engine itself checks a bound that is not an integer.
        self.low = argument(plan::HAS_LOWER).and_then(lithe_vtab::as_integer).unwrap_or(i64::MIN);
        self.high = argument(plan::HAS_UPPER).and_then(lithe_vtab::as_integer).unwrap_or(i64::MAX);
        self.order = match plan.text.as_deref() {
            Some("DESC") => Order::Descending,
            Some(_) => Order::Ascending,
            None => table.config.order,
        };
        match kind {
            plan::SCAN => {
                self.language = None;
                let bounds = [ValueRef::Integer(self.low), ValueRef::Integer(self.high)];
                self.scan_content(scan, table.storage.scan(self.order), &bounds)
            }
            plan::BY_DOCID => {
                self.language = None;
                self.scan_content(scan, table.storage.lookup(), &[main.unwrap_or_default()])
            }
            kind => self.search(scan, &table, main.unwrap_or_default(), (kind - plan::MATCH) as usize),
        }
    }

    fn next(&mut self, scan: &Scan<'_>) -> Result {
        match &mut self.progress {
            Progress::Ended => Ok(()),
            Progress::Content => {
                let docid = {
                    let state = self.state()?;
                    let mut statement = scan.connection.resume(&state.reader).map_err(FunctionError::silent)?;
                    let is_row = statement.step().map_err(FunctionError::silent)?;
                    is_row.then(|| cast::to_integer(statement.column(0)))
                };
                match docid {
                    Some(docid) => self.go_to(docid),
                    None => {
                        self.progress = Progress::Ended;
                        Ok(())
                    }
                }
            }
            Progress::Found { search, next } => {
                let docid = match self.order {
                    Order::Ascending => {
                        *next += 1;
                        search.docids.get(*next - 1).copied()
                    }
                    Order::Descending => {
                        let at = next.checked_sub(1);
                        *next = at.unwrap_or(0);
                        at.and_then(|at| search.docids.get(at)).copied()
                    }
                };
                match docid.filter(|docid| (self.low..=self.high).contains(docid)) {
                    Some(docid) => self.go_to(docid),
                    None => {
                        self.progress = Progress::Ended;
                        Ok(())
                    }
                }
            }
        }
    }

    fn eof(&self) -> bool {
        matches!(self.progress, Progress::Ended)
    }

    fn column(&mut self, scan: &Scan<'_>, context: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let mut state = self.state()?;
        let count = state.table.config.columns.len();
        let context = &mut *context.context;
        match (column.checked_sub(count), self.language) {
            (Some(0), _) => {
                drop(state);
                context.pointer = Some(Rc::clone(&self.pointer));
                context.answer(ValueRef::Null)
            }
            (Some(1), _) => context.answer(ValueRef::Integer(self.docid)),
            (Some(_), Some(language)) => context.answer(ValueRef::Integer(i64::from(language))),
            (Some(_), None) if state.table.config.language.is_none() => context.answer(ValueRef::Integer(0)),
            (found, _) => {
                let at = if found.is_some() { count } else { column };
                let value = state.column(scan.connection, 1 + at)?;
                context.answer(value.as_ref())
            }
        }
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.docid)
    }
}
