//! Rollback journals: the old pages are saved, then the file is changed.
//!
//! ```text
//!   SHARED     RESERVED        PENDING, EXCLUSIVE                        SHARED
//!   read       write pages     journal   journal   database   journal
//!              privately       written   synced    written,   deleted:
//!                                                  synced     the commit
//! ```
//!
//! | module | subject |
//! | --- | --- |
//! | `journal_file` | writing a journal, and ending it as the journal mode says |
//! | `playback` | restoring old pages from a journal |
//! | `super_journal` | the file that joins the commits of several databases |
//!
//! `file_store::commit` and `file_store::hot` call these modules and take the locks.

pub(crate) mod journal_file;
pub(crate) mod playback;
mod super_journal;

pub use super_journal::SuperJournal;
pub(crate) use super_journal::delete_if_unused;

use hashbrown::HashSet;
use lithe_format::PageNo;

use self::journal_file::JournalFile;
use crate::dirty::PageHashes;
use crate::page_ref::PageRef;

/// How far the commit of the current transaction has come.
#[derive(Debug, Default)]
pub(crate) struct RollbackTxn {
    /// The journal file, where the mode has one.
    pub(crate) journal: Option<JournalFile>,
    /// The pages that are in the journal already, where old pages go there one by one.
    pub(crate) in_journal: HashSet<PageNo, PageHashes>,
    /// The pages of `in_journal` that were not synced: a crash would not restore them yet.
    pub(crate) unsealed: HashSet<PageNo, PageHashes>,
    /// A crash from here on leads back to the state before the transaction.
    pub(crate) is_hot: bool,
    /// The number of pages that was announced to the VFS as the coming size of the file.
    pub(crate) hinted: u32,
    /// The last page that went to its place before the commit.
    pub(crate) spilled_end: u32,
    /// The old pages, in mode MEMORY.
    pub(crate) old_pages: Vec<(PageNo, PageRef)>,
    /// The journal has the old versions of all pages that were written up to this change.
    pub(crate) journaled: Option<u64>,
    /// The database file was changed.
    pub(crate) file_changed: bool,
    /// The commit is decided, and only a panic can stop what is left to do: a rollback is not possible.
    pub(crate) is_decided: bool,
}
