//! Many operations, each run by one library after the other: A B, A B, and so on, round by round.
//!
//! The first round warms up, and compares the results of the operations: an operation that a library cannot run, or whose result differs,
//! has no figures and is reported.

use crate::frame::Result;
use crate::frame::progress::Progress;
use crate::frame::results::{Name, Row, Side};

/// A library that runs operations.
pub trait Worker {
    /// The library's side.
    fn side(&self) -> Side;

    /// Begins a round in the same state as the first. The warm-up round is for comparing results.
    fn begin_round(&mut self, is_warm_up: bool) -> Result<()>;

    /// Runs an operation.
    fn operate(&mut self, operation: usize) -> Result<Outcome>;
}

/// The time and result of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// In milliseconds.
    pub millis: f64,
    /// The digest of all rows. `None` is not compared.
    pub digest: Option<u64>,
}

/// An operation's figures.
#[derive(Clone, Debug)]
pub struct Duel {
    /// Its name in ids.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// A row for each worker; without samples if the operation failed.
    pub rows: Vec<Row>,
}

impl Duel {
    /// The median of that side.
    pub fn median(&self, side: Side) -> Option<f64> {
        let row = self.rows.iter().find(|row| row.name.side == side)?;
        row.summary().map(|summary| summary.median)
    }

    /// How many times faster Lithe is than SQLite.
    pub fn advantage(&self) -> Option<f64> {
        Some(self.median(Side::Sqlite)? / self.median(Side::Lithe)?)
    }
}

/// Runs all operations on the workers; answers the figures, and messages about failed operations. Operations have ids and labels.
pub fn duel(
    title: &str,
    rounds: usize,
    operations: &[(String, String)],
    workers: &mut [Box<dyn Worker + '_>],
) -> Result<(Vec<Duel>, Vec<String>)> {
    let mut duels: Vec<Duel> = operations.iter().map(|(id, label)| empty(id, label, workers)).collect();
    let (mut failed, mut lines) = (vec![false; operations.len()], Vec::new());
    let progress = Progress::start(title, (rounds + 1) * operations.len());
    for round in 0..=rounds {
        for worker in workers.iter_mut() {
            worker.begin_round(round == 0)?;
        }
        for (at, duel) in duels.iter_mut().enumerate() {
            progress.now(&duel.label);
            let mut digest = None;
            for (worker, row) in workers.iter_mut().zip(&mut duel.rows) {
                let side = worker.side().name();
                let problem = match worker.operate(at) {
                    Err(error) => Some(format!("{} by {side}: {error}", duel.label)),
                    Ok(Outcome { digest: Some(found), .. }) if *digest.get_or_insert(found) != found => {
                        Some(format!("{} by {side}: its result differs from the others'", duel.label))
                    }
                    Ok(outcome) => {
                        if round > 0 {
                            row.samples.push(outcome.millis);
                        }
                        None
                    }
                };
                if let Some(problem) = problem
                    && !std::mem::replace(&mut failed[at], true)
                {
                    lines.push(problem);
                }
            }
            progress.step();
        }
    }
    progress.finish();
    for (duel, failed) in duels.iter_mut().zip(failed) {
        if failed {
            duel.rows.iter_mut().for_each(|row| row.samples.clear());
        }
    }
    Ok((duels, lines))
}

fn empty(id: &str, label: &str, workers: &[Box<dyn Worker + '_>]) -> Duel {
    let row = |side: Side| Row {
        name: Name::new(format!("{side}-{id}"), format!("{}: {label}", side.name()), side),
        samples: Vec::new(),
    };
    Duel { id: id.to_owned(), label: label.to_owned(), rows: workers.iter().map(|worker| row(worker.side())).collect() }
}

/// The operation in which Lithe compares worst with SQLite, and the ratio.
pub fn worst(duels: &[Duel]) -> Option<(&Duel, f64)> {
    duels.iter().filter_map(|duel| Some((duel, duel.advantage()?))).min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Error;

    struct Fake(Side, f64, u64);

    impl Worker for Fake {
        fn side(&self) -> Side {
            self.0
        }

        fn begin_round(&mut self, _: bool) -> Result<()> {
            Ok(())
        }

        fn operate(&mut self, operation: usize) -> Result<Outcome> {
            match operation {
                0 => Ok(Outcome { millis: self.1, digest: Some(0) }),
                1 => Ok(Outcome { millis: 1.0, digest: Some(self.2) }),
                _ => Err(Error::setup("no such operation")),
            }
        }
    }

    #[test]
    fn what_fails_or_differs_has_no_figures() {
        let names = ["a", "b", "c"].map(|name| (name.to_owned(), name.to_owned()));
        let mut workers: Vec<Box<dyn Worker>> =
            vec![Box::new(Fake(Side::Sqlite, 6.0, 1)), Box::new(Fake(Side::Lithe, 2.0, 2))];
        let (duels, lines) = duel("test", 2, &names, &mut workers).unwrap();
        assert_eq!(duels[0].advantage(), Some(3.0));
        assert_eq!((duels[1].advantage(), duels[2].advantage()), (None, None));
        assert_eq!(lines, ["b by Lithe: its result differs from the others'", "c by SQLite: no such operation"]);
        assert_eq!(worst(&duels).unwrap().1, 3.0);
    }
}
