//! Transactions through a rollback journal: the old pages are put aside, then the file is changed.
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
//! | `commit` | the phases of a commit, and rollback |
//! | `journal_file` | writing the journal, and ending it in the way of the journal mode |
//! | `playback` | putting old pages back from a journal |
//! | `hot` | journals that a crash left behind |
//! | `super_journal` | the file that joins the commits of several databases |

pub(crate) mod commit;
mod hot;
pub(crate) mod journal_file;
mod playback;
mod super_journal;

pub(crate) use journal_file::sector_size as journal_sector_size;
pub use super_journal::SuperJournal;
