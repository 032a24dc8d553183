//! Reading a database that SQLite made, in place.

use std::sync::Arc;

use lithe_format::PageNo;
use lithe_pager::{OpenOptions, Pager};
use lithe_vfs::UnixVfs;

#[test]
fn pages_of_a_file() {
    let path = std::env::temp_dir().join(format!("lithe-mapped-{}.db", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let sqlite = rusqlite::Connection::open(&path).unwrap();
    sqlite.execute_batch("PRAGMA page_size=1024; CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(5000));").unwrap();
    drop(sqlite);
    let bytes = std::fs::read(&path).unwrap();
    for mmap_size in [u64::MAX, 3000, 0] {
        let options = OpenOptions { mmap_size, ..OpenOptions::default() };
        let pager = Pager::open(Arc::new(UnixVfs), &path, &options).unwrap();
        pager.begin_read().unwrap();
        assert_eq!(pager.page_count() as usize * 1024, bytes.len());
        for n in 1..=pager.page_count() {
            let page = pager.page(PageNo::new(n).unwrap()).unwrap();
            assert_eq!(&page[..], &bytes[(n as usize - 1) * 1024..][..1024]);
        }
        assert!(pager.page(PageNo::new(pager.page_count() + 1).unwrap()).is_err());
    }
    std::fs::remove_file(&path).unwrap();
}
