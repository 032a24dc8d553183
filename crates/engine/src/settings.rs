//! What pragmas set for the connection and all its databases, those attached later included.

use std::cell::Cell;

use lithe_btree::{AutoVacuum, Btree, SecureDelete};
use lithe_format::PageSize;
use lithe_pager::LockingMode;

/// How many frames a log has before a commit checkpoints it.
const WAL_AUTOCHECKPOINT: u32 = 1000;

/// The settings of a connection that concern its files.
#[derive(Debug)]
pub(crate) struct StoreSettings {
    /// PRAGMA temp_store.
    pub(crate) temp_store: Cell<u8>,
    /// How many frames a log may have after a commit before it is copied into the database; 0: any number.
    pub(crate) wal_autocheckpoint: Cell<u32>,
    /// What the next VACUUM makes of a database that has pages: PRAGMA page_size and auto_vacuum.
    pub(crate) next_page_size: Cell<Option<PageSize>>,
    pub(crate) next_auto_vacuum: Cell<Option<AutoVacuum>>,
    /// What databases get that are attached from now on.
    pub(crate) locking_mode: Cell<LockingMode>,
    pub(crate) secure_delete: Cell<SecureDelete>,
    /// Unless somebody has set it, each is mapped as the pager does.
    pub(crate) mmap_size: Cell<Option<u64>>,
    /// PRAGMA read_uncommitted.
    pub(crate) read_uncommitted: Cell<bool>,
    /// The schema tables may have been written by hand since the schemas were read: statements were compiled under
    /// `writable_schema`.
    pub(crate) may_have_written_schema: Cell<bool>,
    /// A database of the connection has an encoding: that of the connection stays as it is.
    pub(crate) is_encoding_fixed: Cell<bool>,
    /// Switches that are remembered for those who ask: on this system they change nothing.
    pub(crate) remembered: Cell<u8>,
    pub(crate) threads: Cell<i64>,
}

impl Default for StoreSettings {
    fn default() -> StoreSettings {
        StoreSettings {
            temp_store: Cell::new(0),
            wal_autocheckpoint: Cell::new(WAL_AUTOCHECKPOINT),
            next_page_size: Cell::new(None),
            next_auto_vacuum: Cell::new(None),
            locking_mode: Cell::new(LockingMode::Normal),
            secure_delete: Cell::new(SecureDelete::Off),
            mmap_size: Cell::new(None),
            read_uncommitted: Cell::new(false),
            may_have_written_schema: Cell::new(false),
            is_encoding_fixed: Cell::new(false),
            remembered: Cell::new(0),
            threads: Cell::new(0),
        }
    }
}

impl StoreSettings {
    /// Gives a database that was just attached what all others have.
    pub(crate) fn apply_to(&self, btree: &Btree) {
        btree.pager().set_locking_mode(self.locking_mode.get());
        btree.set_secure_delete(self.secure_delete.get());
        if let Some(size) = self.mmap_size.get() {
            btree.pager().set_mmap_size(size);
        }
    }
}
