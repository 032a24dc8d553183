//! The constants of files: open flags, lock levels, sync flags, device characteristics.

use std::ops::BitOr;

/// A set of flags with SQLite's bits, so that they cross the C interface unchanged.
macro_rules! flag_set {
    ($(#[$doc:meta])* $set:ident { $($(#[$flag_doc:meta])* $flag:ident = $bits:expr;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $set(pub u32);

        impl $set {
            $($(#[$flag_doc])* pub const $flag: $set = $set($bits);)*

            /// Whether all of `flags` are set.
            #[inline]
            pub const fn contains(self, flags: $set) -> bool {
                self.0 & flags.0 == flags.0
            }

            /// Whether at least one of `flags` is set.
            #[inline]
            pub const fn intersects(self, flags: $set) -> bool {
                self.0 & flags.0 != 0
            }

            /// These flags without `flags`.
            #[must_use]
            pub const fn without(self, flags: $set) -> $set {
                $set(self.0 & !flags.0)
            }
        }

        impl BitOr for $set {
            type Output = $set;
            fn bitor(self, other: $set) -> $set {
                $set(self.0 | other.0)
            }
        }
    };
}

flag_set! {
    /// How a file is to be opened, and its kind.
    OpenFlags {
        /// Reading only.
        READONLY = 0x1;
        /// Reading and writing.
        READWRITE = 0x2;
        /// Created if it does not exist.
        CREATE = 0x4;
        /// Deleted when closed.
        DELETEONCLOSE = 0x8;
        /// Created by this call, or the call fails.
        EXCLUSIVE = 0x10;
        /// A main database.
        MAIN_DB = 0x100;
        /// A database for temporary tables.
        TEMP_DB = 0x200;
        /// A database for one statement.
        TRANSIENT_DB = 0x400;
        /// The rollback journal of a main database.
        MAIN_JOURNAL = 0x800;
        /// The rollback journal of a temporary database.
        TEMP_JOURNAL = 0x1000;
        /// A statement journal.
        SUBJOURNAL = 0x2000;
        /// A super-journal.
        SUPER_JOURNAL = 0x4000;
        /// A write-ahead log.
        WAL = 0x80000;
        /// Symbolic links are refused.
        NOFOLLOW = 0x0100_0000;
        /// The device may harm the neighbours of an interrupted write (`psow=0`). Not a bit of SQLite's.
        TORN_SECTORS = 0x4000_0000;
        /// The shared-memory file is only read (`readonly_shm=1`). Not a bit of SQLite's.
        READONLY_SHM = 0x2000_0000;
    }
}

flag_set! {
    /// How thoroughly content is forced to the device.
    SyncFlags {
        /// An ordinary sync.
        NORMAL = 0x2;
        /// A sync that also flushes the device's own cache, where the system distinguishes the two.
        FULL = 0x3;
        /// The content only; the file's times may stay behind.
        DATAONLY = 0x10;
    }
}

flag_set! {
    /// Guarantees of a device.
    DeviceCharacteristics {
        /// Every write is atomic.
        ATOMIC = 0x1;
        /// When a file grows by a write, the content is there before the new size is.
        SAFE_APPEND = 0x200;
        /// Writes reach the device in the order they were made.
        SEQUENTIAL = 0x400;
        /// An open file cannot be deleted.
        UNDELETABLE_WHEN_OPEN = 0x800;
        /// A write that a power loss interrupts harms no byte outside its range.
        POWERSAFE_OVERWRITE = 0x1000;
        /// The file is on read-only media and no other process will change it.
        IMMUTABLE = 0x2000;
    }
}

/// The five levels of locks on a database file, each including those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockLevel {
    /// Nothing is locked.
    #[default]
    None,
    /// Reading: any number of holders.
    Shared,
    /// Intends to write later: one holder, beside readers.
    Reserved,
    /// Waits to write: waits for the readers to end and lets no new one in.
    Pending,
    /// Writing: no other connection holds a lock.
    Exclusive,
}

/// How a lock slot of the shared memory is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShmLock {
    /// Together with other sharers.
    Shared,
    /// Exclusively.
    Exclusive,
}

/// A check by [`crate::Vfs::access`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Does it exist, and is it not empty? An empty journal counts as none.
    Exists,
    /// May it be read and written?
    ReadWrite,
}

/// An event of a database file that is reported to its VFS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileEvent<'e> {
    /// The file was opened, and its header was read.
    Opened,
    /// The pages of a transaction are written, and the file is about to be synced, or would be if `synchronous` were not
    /// OFF. With the name of the super-journal of a commit in several databases.
    Sync(Option<&'e str>),
    /// A transaction has committed, and its locks are about to be released.
    CommitPhaseTwo,
    /// A transaction has begun that replaces all of the database, which will have this many bytes.
    Overwrite(u64),
    /// A checkpoint is about to copy frames of the log.
    CheckpointStart,
    /// A checkpoint has copied the frames.
    CheckpointDone,
}
