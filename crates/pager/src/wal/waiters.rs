//! Group commit: how long a committer waits for others before it syncs.
//!
//! ```text
//!   A   append | sync ........... | append | wait for B . . | (synced by B)
//!   B       append | wait ........ (not covered) ... append | sync ...........  |
//! ```
//!
//! Writers that commit one transaction after the other are back with their next commit in less time than a sync
//! takes. If the first one back synced at once, the others would need a second sync. So committers wait until as many
//! commits are pending as were in flight when the last sync ended, and the committer that completes them syncs.
//! While no commit is appended, they wait for part of a sync at most. If a wait was in vain, the next
//! syncs begin without one. A single writer never waits.

use std::time::Duration;

/// The number of a commit, counted from 1 as long as the log is open.
pub(super) type Ticket = u64;

/// The longest wait while no commit is appended.
const PAUSE_MAX: Duration = Duration::from_millis(1);

/// After several waits in vain in a row, at most two to the power of this many syncs begin without a wait.
const IN_VAIN_MAX: u32 = 6;

/// What the next sync waits for.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    /// The number of pending commits that complete a group.
    expected: usize,
    /// A running mean of how long a sync takes.
    sync_time: Duration,
    /// The commit of the one committer whose sleep has a time limit; the others sleep until they are woken.
    pub(super) timed: Option<Ticket>,
    /// The number of waits in vain in a row.
    in_vain: u32,
    /// The number of coming syncs that begin without a wait, because of waits in vain.
    skipped: u32,
}

impl Waiters {
    /// No other writer can append: the next sync begins without a wait.
    pub(super) fn expect_none(&mut self) {
        self.expected = 0;
    }

    /// Whether more commits are expected than the `pending` ones.
    pub(super) fn expects_more_than(&self, pending: usize) -> bool {
        pending < self.expected
    }

    /// How long to wait while no commit is appended.
    pub(super) fn pause(&self) -> Duration {
        (self.sync_time / 2).min(PAUSE_MAX)
    }

    /// A pause has passed without a new commit, with `pending` ones. The wait was not in vain if most of the expected ones are there.
    pub(super) fn give_up(&mut self, pending: usize) {
        if pending * 2 <= self.expected {
            self.in_vain = (self.in_vain + 1).min(IN_VAIN_MAX);
            self.skipped = 1 << self.in_vain;
        }
        self.expected = 0;
    }

    /// A sync has ended with `in_flight` commits pending: those that it covers, and those appended while it ran.
    pub(super) fn note_sync(&mut self, took: Duration, in_flight: usize) {
        self.sync_time = if self.sync_time.is_zero() { took } else { (self.sync_time * 7 + took) / 8 };
        if self.skipped > 0 {
            self.skipped -= 1;
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
    fn writers_in_flight_are_expected_back() {
        let mut waiters = Waiters::default();
        assert!(!waiters.expects_more_than(1), "no sync has ended yet");
        waiters.note_sync(SYNC, 3);
        assert!(waiters.expects_more_than(1) && waiters.expects_more_than(2) && !waiters.expects_more_than(3));
        assert_eq!(waiters.pause(), SYNC / 2);
        waiters.note_sync(SYNC, 1);
        assert!(!waiters.expects_more_than(1), "a single writer does not wait");
        waiters.note_sync(Duration::from_secs(60), 3);
        assert_eq!(waiters.pause(), PAUSE_MAX);
    }

    #[test]
    fn after_waits_in_vain_syncs_do_not_wait() {
        let mut waiters = Waiters::default();
        for skipped in [2, 4, 8, 16, 32, 64, 64] {
            waiters.note_sync(SYNC, 2);
            assert!(waiters.expects_more_than(1));
            waiters.give_up(1);
            for _ in 0..skipped {
                assert!(!waiters.expects_more_than(1));
                waiters.note_sync(SYNC, 2);
            }
        }
        // A wait that pays starts the count again.
        waiters.note_sync(SYNC, 2);
        waiters.note_sync(SYNC, 2);
        waiters.give_up(1);
        waiters.note_sync(SYNC, 2);
        waiters.note_sync(SYNC, 2);
        assert!(!waiters.expects_more_than(1));
        waiters.note_sync(SYNC, 2);
        assert!(waiters.expects_more_than(1));
    }

    #[test]
    fn one_late_writer_does_not_end_the_waits() {
        let mut waiters = Waiters::default();
        waiters.note_sync(SYNC, 8);
        waiters.give_up(7);
        assert!(!waiters.expects_more_than(7));
        waiters.note_sync(SYNC, 8);
        assert!(waiters.expects_more_than(7));
    }
}
