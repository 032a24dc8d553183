//! The pages of a database, for modules that show them (`sqlite_dbpage`).

use std::rc::Rc;

use lithe_format::PageNo;
use lithe_functions::PageAccess;
use lithe_pager::BeginKind;
use lithe_sql::ast::Name;
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;

use crate::connection::Connection;
use crate::database::Database;
use crate::error::{Error, Result};

/// The offset of the page count in page 1.
const PAGE_COUNT_AT: usize = 28;

/// The pages of one database.
pub(crate) struct ModulePages<'c> {
    connection: &'c Connection,
    db: Db,
    database: Rc<Database>,
}

impl ModulePages<'_> {
    /// The pages of the database of that name, which is read until no statement runs any more.
    pub(crate) fn open<'c>(connection: &'c Connection, name: &str) -> Result<ModulePages<'c>> {
        let db = connection.catalog().find_database(Name::new(name.as_bytes()));
        let db = db.ok_or_else(|| Error::generic(format!("no such database: {name}")))?;
        let database = connection.databases.get(db)?;
        connection.begin_reading(&database)?;
        Ok(ModulePages { connection, db, database })
    }

    fn page_no(&self, page: u32) -> Result<PageNo> {
        PageNo::new(page).ok_or_else(|| Error::from_code(ResultCode::CORRUPT))
    }

    fn read_page(&self, page: u32, bytes: &mut Vec<u8>) -> Result<()> {
        let pager = self.database.btree().pager();
        bytes.clear();
        let no = self.page_no(page)?;
        if self.database.btree().page_size().lock_byte_page() == no {
            bytes.resize(self.page_size(), 0);
            return Ok(());
        }
        if page > pager.page_count() {
            return Err(Error::from_code(ResultCode::CORRUPT));
        }
        let held = pager.page(no)?;
        bytes.extend_from_slice(&held);
        if no == PageNo::FIRST
            && let Some(count) = bytes.get_mut(PAGE_COUNT_AT..PAGE_COUNT_AT + 4)
        {
            // The file has the count at the commit only, and a database in memory not at all.
            count.copy_from_slice(&pager.page_count().to_be_bytes());
        }
        self.connection.databases.check_mappings()
    }

    fn write_page(&self, page: u32, bytes: &[u8]) -> Result<()> {
        let pager = self.database.btree().pager();
        let no = self.page_no(page)?;
        if self.database.btree().page_size().lock_byte_page() == no {
            return Ok(());
        }
        let page = if page <= pager.page_count() { pager.write(no) } else { pager.new_page(no) };
        let mut page = page?;
        let len = page.len().min(bytes.len());
        page[..len].copy_from_slice(&bytes[..len]);
        Ok(())
    }
}

impl PageAccess for ModulePages<'_> {
    fn page_size(&self) -> usize {
        self.database.btree().page_size().bytes()
    }

    fn usable_size(&self) -> usize {
        self.database.btree().usable_size() as usize
    }

    fn page_count(&self) -> u32 {
        self.database.btree().pager().page_count()
    }

    fn read(&self, page: u32, bytes: &mut Vec<u8>) -> lithe_functions::Result {
        Ok(self.read_page(page, bytes)?)
    }

    fn begin_write(&self) -> lithe_functions::Result {
        if self.connection.settings.flags().query_only && self.db != Db::TEMP {
            let message = ResultCode::READONLY.text();
            return Err(Error::new(ResultCode::READONLY, message).into());
        }
        Ok(self.connection.begin_write_on(&self.database, BeginKind::Immediate)?)
    }

    fn write(&self, page: u32, bytes: &[u8]) -> lithe_functions::Result {
        Ok(self.write_page(page, bytes)?)
    }

    fn truncate(&self, page_count: u32) -> lithe_functions::Result {
        let pager = self.database.btree().pager();
        if page_count >= pager.page_count() {
            return Ok(());
        }
        pager.set_page_count(page_count).map_err(|error| Error::from(error).into())
    }
}
