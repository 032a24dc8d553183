//! The goals for point queries.

use crate::frame::goals::Better;
use crate::frame::judge::GoalSpec;

/// The part of the first core's rate that each further core has to add.
const SCALING: f64 = 0.9;

/// The goals, the headline first.
pub fn goals(threads: &[usize]) -> Vec<GoalSpec<'static>> {
    let wanted = |chart, row, against, what: &str, than, times| {
        let what = format!("Lithe answers point queries {what}");
        GoalSpec { chart, row, against, what, than, times, better: Better::Faster, limit: None }
    };
    let mut goals = vec![
        wanted("wal-hit", "lithe/1", "sqlite/1", "in WAL mode", "SQLite", 3.0),
        wanted("wal-miss", "lithe/1", "sqlite/1", "in WAL mode, most without a row,", "SQLite", 3.0),
        wanted("delete-hit", "lithe/1", "sqlite/1", "with a rollback journal", "SQLite", 1.5),
        wanted("delete-miss", "lithe/1", "sqlite/1", "with a rollback journal, most without a row,", "SQLite", 1.5),
        wanted("wal-miss", "lithe/2", "sqlite/2", "in WAL mode with two threads", "SQLite", 3.0),
    ];
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let one = "itself with one thread";
    if cores >= 2 && threads.contains(&2) {
        let two = 1.0 + SCALING;
        goals.push(wanted("wal-hit", "lithe/2", "lithe/1", "in WAL mode with two threads", one, two));
        let words = "in WAL mode, shared cache, with two threads";
        goals.push(wanted("wal-hit", "lithe-shared/2", "lithe-shared/1", words, one, two));
        goals.push(wanted("delete-hit", "lithe/2", "lithe/1", "with a rollback journal and two threads", one, two));
    }
    if cores == 2 {
        let words = "in WAL mode with eight threads on two cores";
        goals.push(wanted("wal-hit", "lithe/8", "lithe/2", words, "itself with two threads", 0.95));
    }
    goals
}
