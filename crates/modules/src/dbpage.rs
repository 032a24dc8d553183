//! `sqlite_dbpage`: the pages of a database, readable and writable.

use std::cell::RefCell;

use lithe_value::cast;
use lithe_vtab::{
    Change, ColumnContext, ConnectRequest, Connected, FunctionError, IndexInfo, Module, ModuleKind, PageAccess, Result,
    Risk, Scan, ScanPlan, SqlConnection, ValueRef, Values, VirtualCursor, VirtualTable, code, constraint,
};

use crate::function::database_named;

/// The greatest page number.
const PAGE_MAX: u32 = 0xffff_fffe;
const DECLARATION: &str = "CREATE TABLE x(pgno INTEGER PRIMARY KEY, data BLOB, schema HIDDEN)";

const PGNO: i32 = 0;
const SCHEMA: i32 = 2;
const ROWID: i32 = -1;

/// Bits of the plan's number: the arguments that the scan gets.
const WITH_PGNO: i32 = 1;
const WITH_SCHEMA: i32 = 2;

/// The offset of the page count in page 1.
const PAGE_COUNT_AT: usize = 28;

/// The module.
pub struct Dbpage;

impl Module for Dbpage {
    fn kind(&self) -> ModuleKind {
        ModuleKind::Eponymous
    }

    fn connect(&self, _: &dyn SqlConnection, _: &ConnectRequest<'_>) -> Result<Connected> {
        Ok(Connected {
            table: Box::new(PageTable::default()),
            declaration: DECLARATION.to_owned(),
            risk: Risk::DirectOnly,
        })
    }
}

#[derive(Default)]
struct PageTable {
    /// The page counts in those pages 1 that this transaction has written, with their databases.
    claimed: RefCell<Vec<(String, u32)>>,
}

impl PageTable {
    /// Writes a page. A page beyond the end extends the database if the written page 1 has a sufficient page count; otherwise the write is
    /// ignored.
    fn write(&self, pages: &dyn PageAccess, database: &str, page: u32, bytes: &[u8]) -> Result {
        if page == 1
            && let Some(count) = bytes.get(PAGE_COUNT_AT..).and_then(<[u8]>::first_chunk)
        {
            let mut claimed = self.claimed.borrow_mut();
            claimed.retain(|(of, _)| of != database);
            claimed.push((database.to_owned(), u32::from_be_bytes(*count)));
        }
        if page > pages.page_count() {
            let claimed = self.claimed.borrow();
            let claim = claimed.iter().find(|(of, _)| of == database);
            if claim.is_none_or(|(_, count)| page > *count) {
                return Ok(());
            }
            let blank = vec![0; pages.page_size()];
            for between in pages.page_count() + 1..page {
                pages.write(between, &blank)?;
            }
        }
        pages.write(page, bytes)
    }
}

impl VirtualTable for PageTable {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut arguments = 0;
        let is_schema = |of: &lithe_vtab::IndexConstraint| of.column == SCHEMA && of.op == constraint::EQ;
        if let Some((at, schema)) = info.constraints.iter().enumerate().find(|(_, of)| is_schema(of)) {
            if !schema.usable {
                return Ok(false);
            }
            arguments += 1;
            info.pass(at, arguments, true);
            info.plan.number |= WITH_SCHEMA;
        }
        info.estimated_cost = 1.0e6;
        let is_page = |of: &lithe_vtab::IndexConstraint| {
            (of.column == PGNO || of.column == ROWID) && of.op == constraint::EQ && of.usable
        };
        if let Some(at) = info.constraints.iter().position(is_page) {
            (info.estimated_rows, info.estimated_cost, info.finds_one_row) = (1, 1.0, true);
            info.pass(at, arguments + 1, true);
            info.plan.number |= WITH_PGNO;
        }
        if let [order] = &*info.order_by
            && (order.column == PGNO || order.column == ROWID)
            && !order.descending
        {
            info.order_by_consumed = true;
        }
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(PageCursor::default()))
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn update(&self, connection: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        if connection.is_defensive() {
            return Err(FunctionError::new("read-only"));
        }
        let Some(columns) = change.columns() else { return Err(FunctionError::new("cannot delete")) };
        let given = |at: usize| columns.get(at).copied().unwrap_or(ValueRef::Null);
        let integer = cast::to_integer;
        let page = match change.old_key() {
            None => integer(given(0)),
            Some(old) if change.new_key().map(integer) != Some(integer(old)) => {
                return Err(FunctionError::new("cannot insert"));
            }
            Some(old) => integer(old),
        };
        let database = match given(2) {
            ValueRef::Null => "main".to_owned(),
            name => {
                let known = database_named(connection, name.bytes().unwrap_or_default());
                known.ok_or_else(|| FunctionError::new("no such schema"))?
            }
        };
        let page = u32::try_from(page).ok().filter(|page| (1..=PAGE_MAX).contains(page));
        let page = page.ok_or_else(|| FunctionError::new("bad page number"))?;
        let pages = connection.pages(&database)?;
        let is_insert = change.old_key().is_none();
        let bytes = match given(1) {
            ValueRef::Blob(bytes) if bytes.len() == pages.page_size() => Some(bytes),
            ValueRef::Null if is_insert && page > 1 => None,
            _ => return Err(FunctionError::new("bad page value")),
        };
        pages.begin_write().map_err(|error| match error.code {
            code::NOMEM => error,
            _ => FunctionError::new("failed to open transaction"),
        })?;
        match bytes {
            Some(bytes) => self.write(&*pages, &database, page, bytes)?,
            None => pages.truncate(page - 1)?,
        }
        Ok(None)
    }

    fn commit(&self, _: &dyn SqlConnection) {
        self.claimed.take();
    }

    fn rollback(&self, _: &dyn SqlConnection) {
        self.claimed.take();
    }
}

#[derive(Default)]
struct PageCursor {
    database: String,
    page: u32,
    last: u32,
    bytes: Vec<u8>,
}

impl VirtualCursor for PageCursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        let mut values = arguments.values.iter().copied();
        let mut given = |bit: i32| if plan.number & bit != 0 { values.next() } else { None };
        let (schema, page) = (given(WITH_SCHEMA), given(WITH_PGNO));
        (self.page, self.last) = (1, 0);
        let name = schema.map_or(&b"main"[..], |name| name.bytes().unwrap_or_default());
        let Some(database) = database_named(scan.connection, name) else { return Ok(()) };
        self.last = scan.connection.pages(&database)?.page_count();
        self.database = database;
        if let Some(page) = page {
            let wanted = u32::try_from(cast::to_integer(page)).unwrap_or(0);
            let is_there = (1..=self.last).contains(&wanted);
            (self.page, self.last) = if is_there { (wanted, wanted) } else { (1, 0) };
        }
        Ok(())
    }

    fn next(&mut self, _: &Scan<'_>) -> Result {
        self.page += 1;
        Ok(())
    }

    fn eof(&self) -> bool {
        self.page > self.last
    }

    fn column(&mut self, scan: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let out = &mut *answer.context.out;
        match column {
            0 => out.set_integer(i64::from(self.page)),
            1 => {
                scan.connection.pages(&self.database)?.read(self.page, &mut self.bytes)?;
                out.set(ValueRef::Blob(&self.bytes));
            }
            _ => out.set_text(self.database.as_bytes()),
        }
        Ok(())
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(i64::from(self.page))
    }
}
