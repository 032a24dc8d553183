//! The counters of a statement (`sqlite3_stmt_status`).

use crate::connection::statement::Statement;

/// A counter of a statement, by SQLite's numbers (SQLITE_STMTSTATUS_*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Counter {
    /// Steps of full table scans.
    FullscanStep = 1,
    /// Sorts.
    Sort = 2,
    /// Rows put into automatic indexes.
    AutoIndex = 3,
    /// Instructions.
    VmStep = 4,
    /// Compilations because of a changed schema.
    Reprepare = 5,
    /// Runs begun.
    Run = 6,
    /// Lookups that a Bloom filter did not save. There are no Bloom filters.
    FilterMiss = 7,
    /// Lookups that a Bloom filter saved. There are no Bloom filters.
    FilterHit = 8,
    /// Bytes of memory, roughly.
    MemoryUsed = 99,
}

impl Counter {
    /// The counter of that number.
    pub fn from_number(number: i32) -> Option<Counter> {
        const ALL: [Counter; 9] = [
            Counter::FullscanStep,
            Counter::Sort,
            Counter::AutoIndex,
            Counter::VmStep,
            Counter::Reprepare,
            Counter::Run,
            Counter::FilterMiss,
            Counter::FilterHit,
            Counter::MemoryUsed,
        ];
        ALL.into_iter().find(|counter| *counter as i32 == number)
    }
}

impl Statement {
    /// The value of a counter; `reset` sets it to 0.
    pub fn status(&mut self, counter: Counter, reset: bool) -> u64 {
        if counter == Counter::MemoryUsed {
            return self.memory_used();
        }
        if counter == Counter::Reprepare {
            return if reset { std::mem::take(&mut self.reprepares) } else { self.reprepares };
        }
        let Some(counters) = self.counters_mut() else { return 0 };
        let count = match counter {
            Counter::FullscanStep => &mut counters.fullscan_steps,
            Counter::Sort => &mut counters.sorts,
            Counter::AutoIndex => &mut counters.autoindex_rows,
            Counter::VmStep => &mut counters.vm_steps,
            Counter::Run => &mut counters.runs,
            Counter::Reprepare | Counter::FilterMiss | Counter::FilterHit | Counter::MemoryUsed => return 0,
        };
        if reset { std::mem::take(count) } else { *count }
    }
}
