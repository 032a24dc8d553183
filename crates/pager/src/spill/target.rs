//! The choice of a spill target: pure functions of the state at the time when the first page leaves the dirty set.

use lithe_format::PageNo;

/// One of the three places of pages that have left the dirty set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    TempFile,
    /// A frame of the log, before the commit.
    Log,
    /// The page's own place in the database file.
    Database,
}

/// Which pages go where: see the picture in [`crate::spill`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SpillTarget {
    elsewhere: Place,
    /// N: pages behind it go to their own place.
    behind: u32,
    /// The old content of a page goes to the journal before it is overwritten, one page at a time, and the journal restores it.
    /// If not, no page that a savepoint may need is overwritten.
    is_journaled: bool,
}

/// What the choice depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpillConditions {
    /// The transaction is the writer of a log.
    pub(crate) appends_to_log: bool,
    /// The database is a file, and commits do not go to a log.
    pub(crate) writes_file: bool,
    /// The VFS is the application's, and gets the calls that SQLite makes.
    pub(crate) is_foreign: bool,
    /// There is no journal, and the transaction has read only copies.
    pub(crate) may_overwrite: bool,
    /// Pages have another size than before: the old end of the file is within the new pages.
    pub(crate) is_reshaped: bool,
    /// Page 1 has a valid page count, so the size of the file does not count.
    pub(crate) counts_pages: bool,
    /// The last page on the sector of the database's last page: a write that a power loss interrupts may harm the sector.
    pub(crate) sector_end: u32,
    /// The log was restarted for a load past it: the last page of the file.
    pub(crate) past_log: Option<u32>,
}

/// No page is behind this number.
const NOWHERE: u32 = u32::MAX;

impl SpillTarget {
    pub(crate) fn choose(conditions: &SpillConditions) -> SpillTarget {
        assert!(!(conditions.appends_to_log && conditions.writes_file), "a commit goes to the log or to the file");
        let split = |elsewhere, behind| SpillTarget { elsewhere, behind, is_journaled: false };
        if conditions.appends_to_log {
            return split(Place::Log, conditions.past_log.unwrap_or(NOWHERE));
        }
        if !conditions.writes_file || conditions.is_reshaped {
            return split(Place::TempFile, NOWHERE);
        }
        if conditions.is_foreign {
            return SpillTarget { elsewhere: Place::TempFile, behind: 0, is_journaled: true };
        }
        if conditions.may_overwrite {
            return split(Place::TempFile, 0);
        }
        split(Place::TempFile, if conditions.counts_pages { conditions.sector_end } else { NOWHERE })
    }

    /// The place of page `no`. `kept_end` is the last page that an open savepoint may need; `has_frame`: the log has the page
    /// already, because this transaction has written it before.
    pub(crate) fn place_of(&self, no: PageNo, kept_end: u32, has_frame: bool) -> Place {
        let end = if self.is_journaled { self.behind } else { self.behind.max(kept_end) };
        // Page 1 has the page count, so it waits for the commit.
        let has_place = no > PageNo::FIRST && no.get() > end && !has_frame;
        if has_place { Place::Database } else { self.elsewhere }
    }

    /// Whether the old content of a page goes to the journal before the page is overwritten.
    pub(crate) fn is_journaled(&self) -> bool {
        self.is_journaled
    }

    /// N: the page behind which pages go to their own place.
    pub(crate) fn behind(&self) -> u32 {
        self.behind
    }

    /// The target for a transaction beside readers, which must not overwrite what they read.
    pub(crate) fn beside_readers(self, conditions: &SpillConditions) -> SpillTarget {
        assert!(!self.is_journaled, "in SQLite's order readers are looked for before each page");
        SpillTarget::choose(&SpillConditions { may_overwrite: false, ..*conditions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rollback journal, in a database of 100 pages.
    const ROLLBACK: SpillConditions = SpillConditions {
        appends_to_log: false,
        writes_file: true,
        is_foreign: false,
        may_overwrite: false,
        is_reshaped: false,
        counts_pages: true,
        sector_end: 100,
        past_log: None,
    };
    const LOG: SpillConditions = SpillConditions { appends_to_log: true, writes_file: false, ..ROLLBACK };
    const MEMORY: SpillConditions = SpillConditions { writes_file: false, ..ROLLBACK };

    /// The places of pages 1, 50, 101 and 105 without a savepoint, and of 50, 101 and 105 under one of 104 pages.
    fn check(conditions: SpillConditions, free: [Place; 4], kept: [Place; 3]) {
        let target = SpillTarget::choose(&conditions);
        let place = |n, kept_end| target.place_of(PageNo::new(n).unwrap(), kept_end, false);
        assert_eq!([1, 50, 101, 105].map(|n| place(n, 0)), free, "{conditions:?}");
        assert_eq!([50, 101, 105].map(|n| place(n, 104)), kept, "{conditions:?}");
    }

    #[test]
    fn the_table() {
        use Place::{Database as D, Log as L, TempFile as T};
        check(MEMORY, [T; 4], [T; 3]);
        check(ROLLBACK, [T, T, D, D], [T, T, D]);
        check(SpillConditions { sector_end: 104, ..ROLLBACK }, [T, T, T, D], [T, T, D]);
        check(SpillConditions { counts_pages: false, ..ROLLBACK }, [T; 4], [T; 3]);
        check(SpillConditions { is_reshaped: true, may_overwrite: true, ..ROLLBACK }, [T; 4], [T; 3]);
        check(SpillConditions { may_overwrite: true, ..ROLLBACK }, [T, D, D, D], [T, T, D]);
        check(SpillConditions { is_foreign: true, ..ROLLBACK }, [T, D, D, D], [D, D, D]);
        check(SpillConditions { is_foreign: true, is_reshaped: true, ..ROLLBACK }, [T; 4], [T; 3]);
        check(LOG, [L; 4], [L; 3]);
        check(SpillConditions { past_log: Some(100), ..LOG }, [L, L, D, D], [L, L, D]);
    }

    #[test]
    fn a_page_that_has_a_frame_gets_another() {
        let target = SpillTarget::choose(&SpillConditions { past_log: Some(100), ..LOG });
        let no = PageNo::new(105).unwrap();
        assert_eq!(target.place_of(no, 0, true), Place::Log);
        assert_eq!(target.place_of(no, 0, false), Place::Database);
    }

    #[test]
    fn beside_readers_nothing_is_overwritten() {
        let conditions = SpillConditions { may_overwrite: true, ..ROLLBACK };
        let target = SpillTarget::choose(&conditions);
        assert!(target.behind() == 0 && !target.is_journaled());
        let beside = target.beside_readers(&conditions);
        assert_eq!(beside, SpillTarget::choose(&ROLLBACK));
        assert_eq!(beside.behind(), 100);
    }
}
