//! The examples' common database of [`PAGES`] pages.

use std::path::Path;
use std::sync::Arc;

use lithe_format::db_header::DbHeader;
use lithe_format::{PageNo, PageSize};
use lithe_pager::{BeginKind, JournalMode, OpenOptions, Pager};
use lithe_vfs::UnixVfs;

pub const PAGES: u32 = 2000;

/// A new database.
pub fn create(path: &Path, mode: JournalMode, options: &OpenOptions) -> Pager {
    let pager = Pager::open(Arc::new(UnixVfs), path, options).unwrap();
    pager.begin_write(BeginKind::Immediate).unwrap();
    for n in 1..=PAGES {
        pager.new_page(PageNo::new(n).unwrap()).unwrap()[100] = 13;
    }
    DbHeader::new(PageSize::DEFAULT, 0).write(&mut pager.write(PageNo::FIRST).unwrap());
    pager.commit().unwrap();
    pager.end_read().unwrap();
    pager.set_journal_mode(mode).unwrap();
    pager
}
