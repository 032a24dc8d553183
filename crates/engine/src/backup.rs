//! Copying a database page by page.

use lithe_format::PageNo;
use lithe_pager::BeginKind;
use lithe_sql::ast::Name;

use crate::connection::Connection;
use crate::error::Result;
use crate::open::OpenFlags;

impl Connection {
    /// Copies the database `schema` to the file `path`, which becomes the same page for page.
    pub fn backup(&self, schema: &str, path: &[u8]) -> Result<()> {
        let db = self.catalog().database(Name::new(schema.as_bytes()))?;
        let source = self.database(db)?;
        let source = source.btree().pager();
        let target = Connection::open(path, OpenFlags::DEFAULT)?;
        let target = target.database(lithe_vm::operand::Db::MAIN)?;
        let target = target.btree().pager();
        let was_reading = source.is_reading();
        source.begin_read()?;
        target.begin_write(BeginKind::Exclusive)?;
        target.set_page_count(source.page_count())?;
        for no in (1..=source.page_count()).filter_map(PageNo::new) {
            if no != source.page_size().lock_byte_page() {
                target.new_page(no)?.copy_from_slice(&source.page(no)?);
            }
        }
        target.commit()?;
        target.end_read()?;
        if !was_reading {
            source.end_read()?;
        }
        Ok(())
    }
}
