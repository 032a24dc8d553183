//! Settings of the files of a connection: pragmas set them for all its databases, including those attached later.

use std::cell::Cell;

use lithe_btree::{AutoVacuum, Btree, SecureDelete};
use lithe_format::PageSize;
use lithe_pager::LockingMode;

/// The number of frames at which a commit checkpoints the log.
const WAL_AUTOCHECKPOINT: u32 = 1000;

/// The settings of a connection that concern its files.
#[derive(Debug)]
pub(crate) struct StoreSettings {
    /// PRAGMA temp_store.
    pub(crate) temp_store: Cell<u8>,
    /// The number of frames in a log at which a commit copies it into the database; 0: never.
    pub(crate) wal_autocheckpoint: Cell<u32>,
    /// PRAGMA page_size and auto_vacuum: the next VACUUM applies them to a database that has pages.
    pub(crate) next_page_size: Cell<Option<PageSize>>,
    pub(crate) next_auto_vacuum: Cell<Option<AutoVacuum>>,
    /// PRAGMA locking_mode and secure_delete: applied to databases that are attached later.
    pub(crate) locking_mode: Cell<LockingMode>,
    pub(crate) secure_delete: Cell<SecureDelete>,
    /// PRAGMA mmap_size. `None`: it was not set, and the pager's default applies to each database.
    pub(crate) mmap_size: Cell<Option<u64>>,
    /// PRAGMA read_uncommitted.
    pub(crate) read_uncommitted: Cell<bool>,
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
        }
    }
}

impl StoreSettings {
    /// Applies the settings to a database that was just attached.
    pub(crate) fn apply_to(&self, btree: &Btree) {
        btree.pager().set_locking_mode(self.locking_mode.get());
        btree.set_secure_delete(self.secure_delete.get());
        if let Some(size) = self.mmap_size.get() {
            btree.pager().set_mmap_size(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_pager::{OpenOptions, Pager};

    #[test]
    fn an_attached_database_gets_the_settings() {
        let settings = StoreSettings::default();
        settings.locking_mode.set(LockingMode::Exclusive);
        settings.secure_delete.set(SecureDelete::Fast);
        let btree = Btree::new(Pager::open_in_memory(&OpenOptions::default()));
        settings.apply_to(&btree);
        assert_eq!(btree.pager().locking_mode(), LockingMode::Exclusive);
        assert_eq!(btree.secure_delete_mode(), SecureDelete::Fast);
    }
}
