//! The counters of a statement, for `sqlite3_stmt_status`.

/// Counters of one statement, summed over its runs until they are reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Instructions executed (VM_STEP).
    pub vm_steps: u64,
    /// Rows that a scan of a whole table stepped to (FULLSCAN_STEP).
    pub fullscan_steps: u64,
    /// Sorts (SORT).
    pub sorts: u64,
    /// Rows put into automatic indexes and hash tables of joins (AUTOINDEX).
    pub autoindex_rows: u64,
    /// Runs begun (RUN).
    pub runs: u64,
}
