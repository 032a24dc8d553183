//! Waiting for other connections.

use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::pager::{Pager, Store};
use crate::settings::WhenBusy;

/// Pauses between tries, in microseconds. Most locks are held for less than a sync takes.
const PAUSES: [u64; 10] = [50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 25_000];

impl Pager {
    /// Runs `attempt` until it answers something else than "busy", as long as the setting allows. No
    /// cell is borrowed while a handler runs.
    pub(crate) fn retry_while_busy<T>(&self, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
        let mut tries = 0;
        let mut begun = None;
        loop {
            let outcome = attempt();
            if !matches!(outcome, Err(Error::Busy | Error::BusyRecovery)) {
                return outcome;
            }
            let policy = self.settings.busy.borrow().clone();
            let again = match policy {
                WhenBusy::GiveUp => false,
                WhenBusy::Ask(handler) => handler(tries),
                WhenBusy::Wait(timeout) => self.wait(tries, timeout, *begun.get_or_insert_with(Instant::now)),
            };
            if !again {
                return outcome;
            }
            tries += 1;
        }
    }

    /// Pauses before the next try. `false`: the time is over.
    fn wait(&self, tries: u32, timeout: Duration, since: Instant) -> bool {
        let left = timeout.saturating_sub(since.elapsed());
        if left.is_zero() {
            return false;
        }
        let pause = PAUSES.get(tries as usize).unwrap_or(PAUSES.last().unwrap_or(&0));
        let pause = Duration::from_micros(*pause).min(left);
        match &self.store {
            Store::File(file) => file.vfs.sleep(pause),
            Store::Memory(_) => std::thread::sleep(pause),
        }
        true
    }
}
