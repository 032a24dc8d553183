//! Work done by several threads at once, timed from the moment when all of them are ready.

use std::cell::Cell;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use crate::frame::{Error, Result};

/// Where a thread waits until all are ready. One that gives up before lets the others through when it is dropped.
pub struct Gate<'a> {
    barrier: &'a Barrier,
    is_passed: Cell<bool>,
}

impl Gate<'_> {
    /// Waits until all others have come here too. The clock starts then.
    pub fn pass(&self) {
        if !self.is_passed.replace(true) {
            self.barrier.wait();
        }
    }
}

impl Drop for Gate<'_> {
    fn drop(&mut self) {
        self.pass();
    }
}

/// A thread a worker: prepares what it needs, passes the gate, works. Gives the seconds from the opening of the gate until
/// the last has finished, and what the workers found, in their order.
pub fn together<W: Send, T: Send>(
    workers: Vec<W>,
    work: impl Fn(usize, W, &Gate<'_>) -> Result<T> + Sync,
) -> Result<(f64, Vec<T>)> {
    let barrier = Barrier::new(workers.len() + 1);
    thread::scope(|scope| {
        let (work, barrier) = (&work, &barrier);
        let spawn = |(at, worker)| {
            scope.spawn(move || {
                let gate = Gate { barrier, is_passed: Cell::new(false) };
                work(at, worker, &gate)
            })
        };
        let running: Vec<_> = workers.into_iter().enumerate().map(spawn).collect();
        barrier.wait();
        let start = Instant::now();
        let found: Vec<_> = running.into_iter().map(thread::ScopedJoinHandle::join).collect();
        let seconds = start.elapsed().as_secs_f64();
        let found = found.into_iter().map(|found| found.unwrap_or_else(|_| Err(Error::setup("a thread panicked"))));
        Ok((seconds, found.collect::<Result<_>>()?))
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
