//! Work of several threads at once, timed from the moment when all of them are ready.

use std::cell::Cell;
use std::sync::{Barrier, OnceLock};
use std::thread;
use std::time::Instant;

use crate::frame::{Error, Result};

/// The barrier at which a thread waits until all are ready. If a thread fails earlier, the drop of its gate releases the other threads.
pub struct Gate<'a> {
    barrier: &'a Barrier,
    is_passed: Cell<bool>,
    /// When the first thread passed.
    opened: &'a OnceLock<Instant>,
}

impl Gate<'_> {
    /// Waits until all other threads are here, too. The clock starts then.
    pub fn pass(&self) {
        if !self.is_passed.replace(true) {
            self.barrier.wait();
            self.opened.get_or_init(Instant::now);
        }
    }
}

impl Drop for Gate<'_> {
    fn drop(&mut self) {
        self.pass();
    }
}

/// Runs a thread for each worker: the thread prepares its work, passes the gate, and works. Answers the seconds from the opening of the
/// gate until the last thread has finished, and the workers' results in order.
pub fn together<W: Send, T: Send>(
    workers: Vec<W>,
    work: impl Fn(usize, W, &Gate<'_>) -> Result<T> + Sync,
) -> Result<(f64, Vec<T>)> {
    let (barrier, opened) = (Barrier::new(workers.len()), OnceLock::new());
    thread::scope(|scope| {
        let (work, barrier, opened) = (&work, &barrier, &opened);
        let spawn = |(at, worker)| {
            scope.spawn(move || {
                let gate = Gate { barrier, is_passed: Cell::new(false), opened };
                let found = work(at, worker, &gate);
                (found, Instant::now())
            })
        };
        let running: Vec<_> = workers.into_iter().enumerate().map(spawn).collect();
        let ended: Vec<_> = running.into_iter().map(thread::ScopedJoinHandle::join).collect();
        let (mut all, mut last) = (Vec::new(), None);
        for thread in ended {
            let (found, end) = thread.map_err(|_| Error::setup("a thread panicked"))?;
            all.push(found?);
            last = last.max(Some(end));
        }
        let seconds = opened.get().zip(last).map_or(0.0, |(first, last)| last.duration_since(*first).as_secs_f64());
        Ok((seconds, all))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_pass_the_gate_together() {
        let (seconds, found) = together(vec![1, 2, 3], |at, worker, gate| {
            gate.pass();
            Ok(worker * 10 + at)
        })
        .unwrap();
        assert!(seconds >= 0.0);
        assert_eq!(found, [10, 21, 32]);
    }

    #[test]
    fn a_worker_that_fails_early_holds_nobody_up() {
        let result = together(vec![1, 2], |_, worker, gate| {
            if worker == 1 {
                return Err(Error::setup("no"));
            }
            gate.pass();
            Ok(())
        });
        assert_eq!(result.unwrap_err().to_string(), "no");
    }
}
