//! Whom a sync is worth waiting for.
//!
//! ```text
//!   A   append | sync ........... | append | wait for B . . | (synced by B)
//!   B       append | wait ........ (not covered) ... append | sync ...........  |
//! ```
//!
//! Writers that commit one transaction after the other come back, once they are told, within less time than a
//! sync takes. Who comes first would sync alone, and the others together only after that: two syncs instead of
//! one. So the first ones wait until as many have appended as were in flight when the last sync ended; the one
//! who completes them syncs. While nobody comes they wait for part of a sync at most; if that was in vain, the next
//! syncs do not wait. Who commits alone never waits.

use std::time::Duration;

/// The number of a commit, counted from 1 as long as the log is open.
pub(super) type Ticket = u64;

/// The longest time that is waited while nobody comes.
const PAUSE_MAX: Duration = Duration::from_millis(1);

/// After waiting in vain several times at a stretch, no more than two to the power of this many syncs do without.
const IN_VAIN_MAX: u32 = 6;

/// Who commits together.
#[derive(Debug, Default)]
pub(super) struct Company {
    /// So many commits are waited for.
    expected: usize,
    /// About how long a sync takes.
    sync_time: Duration,
    /// The commit, not settled yet, of whoever sleeps with a limit.
    pub(super) watch: Option<Ticket>,
    /// How often it was in vain at a stretch, and how many syncs do not wait therefore.
    in_vain: u32,
    rest: u32,
}

impl Company {
    /// Nobody else can come.
    pub(super) fn expect_nobody(&mut self) {
        self.expected = 0;
    }

    /// Whether more commits are expected than the `here` that are pending.
    pub(super) fn is_awaited(&self, here: usize) -> bool {
        here < self.expected
    }

    /// How long to wait while nobody comes.
    pub(super) fn pause(&self) -> Duration {
        (self.sync_time / 2).min(PAUSE_MAX)
    }

    /// Nobody has come for as long as that, and `here` are pending. If most of them are, it was not in vain.
    pub(super) fn give_up(&mut self, here: usize) {
        if here * 2 <= self.expected {
            self.in_vain = (self.in_vain + 1).min(IN_VAIN_MAX);
            self.rest = 1 << self.in_vain;
        }
        self.expected = 0;
    }

    /// A sync has ended, with so many commits pending: those that are told now, and those who come too late for it.
    pub(super) fn note_sync(&mut self, took: Duration, in_flight: usize) {
        self.sync_time = if self.sync_time.is_zero() { took } else { (self.sync_time * 7 + took) / 8 };
        if self.rest > 0 {
            self.rest -= 1;
            return;
        }
        if self.expected > 1 {
            self.in_vain = 0;
        }
        self.expected = in_flight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNC: Duration = Duration::from_micros(100);

    #[test]
    fn who_was_in_flight_is_expected_back() {
        let mut company = Company::default();
        assert!(!company.is_awaited(1), "nothing is known yet");
        company.note_sync(SYNC, 3);
        assert!(company.is_awaited(1) && company.is_awaited(2) && !company.is_awaited(3));
        assert_eq!(company.pause(), SYNC / 2);
        company.note_sync(SYNC, 1);
        assert!(!company.is_awaited(1), "who is alone waits for nobody");
        company.note_sync(Duration::from_secs(60), 3);
        assert_eq!(company.pause(), PAUSE_MAX);
    }

    #[test]
    fn after_waiting_in_vain_syncs_do_not_wait() {
        let mut company = Company::default();
        for rest in [2, 4, 8, 16, 32, 64, 64] {
            company.note_sync(SYNC, 2);
            assert!(company.is_awaited(1));
            company.give_up(1);
            for _ in 0..rest {
                assert!(!company.is_awaited(1));
                company.note_sync(SYNC, 2);
            }
        }
        // It pays again.
        company.note_sync(SYNC, 2);
        company.note_sync(SYNC, 2);
        company.give_up(1);
        company.note_sync(SYNC, 2);
        company.note_sync(SYNC, 2);
        assert!(!company.is_awaited(1));
        company.note_sync(SYNC, 2);
        assert!(company.is_awaited(1));
    }

    #[test]
    fn one_who_is_late_does_not_spoil_it() {
        let mut company = Company::default();
        company.note_sync(SYNC, 8);
        company.give_up(7);
        assert!(!company.is_awaited(7));
        company.note_sync(SYNC, 8);
        assert!(company.is_awaited(7));
    }
}
