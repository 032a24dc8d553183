//! Rollback journals: the old pages are put aside, then the file is changed.
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
//! | `journal_file` | writing a journal, and ending it in the way of the journal mode |
//! | `kept_journal` | what is left of it between transactions |
//! | `playback` | putting old pages back from a journal |
//! | `super_journal` | the file that joins the commits of several databases |
//!
//! Who does this when, and with which locks, is `file_store::commit` and `file_store::hot`.

pub(crate) mod journal_file;
mod kept_journal;
pub(crate) mod playback;
mod super_journal;

pub(crate) use kept_journal::KeptJournal;
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
    /// The pages that are in it already, where they go there one by one.
    pub(crate) in_journal: HashSet<PageNo, PageHashes>,
    /// Those among them that a crash would not bring back yet.
    pub(crate) unsealed: HashSet<PageNo, PageHashes>,
    /// A crash from here on leads back to before the transaction.
    pub(crate) counts: bool,
    /// The VFS was told that the file will have so many pages.
    pub(crate) hinted: u32,
    /// The last page that went to its place before the commit.
    pub(crate) spilled_end: u32,
    /// The old pages, in mode MEMORY.
    pub(crate) old_pages: Vec<(PageNo, PageRef)>,
    /// The old pages are safe, of all that was written up to this change.
    pub(crate) journaled: Option<u64>,
    /// The database file was touched.
    pub(crate) file_changed: bool,
    /// The commit is decided, and what is left to do could only fail by a panic: there is no way back.
    pub(crate) is_decided: bool,
}
