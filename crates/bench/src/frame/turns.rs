//! Contestants take turns, round by round: A B C A B C …
//!
//! Other load of the machine thus affects all contestants alike, and no contestant runs only on a machine that is cold or hot. The first
//! round warms up and checks the data read; its times are dropped.

use std::time::Instant;

use crate::frame::Result;
use crate::frame::progress::Progress;
use crate::frame::results::{Name, Row};

/// One round: all contestants get the same value.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// Counted from 0.
    pub number: usize,
    /// The seed of this round's random choices.
    pub seed: u64,
    /// The number of reads, if it differs from the contestant's default.
    pub reads: Option<usize>,
}

impl Round {
    /// Whether times do not count, and all data read is checked.
    pub fn is_warm_up(self) -> bool {
        self.number == 0
    }
}

/// A participant, which does the same work as the other contestants in its own way.
pub trait Contestant {
    /// Its name.
    fn name(&self) -> Name;

    /// Does the work once; answers its duration in the chart's unit. The work before and after (opening, checking, cleaning up) is not
    /// timed.
    fn turn(&mut self, round: Round) -> Result<f64>;
}

/// A contestant made of a name and a closure.
pub struct Turn<F>(pub Name, pub F);

impl<F: FnMut(Round) -> Result<f64>> Contestant for Turn<F> {
    fn name(&self) -> Name {
        self.0.clone()
    }

    fn turn(&mut self, round: Round) -> Result<f64> {
        (self.1)(round)
    }
}

/// The contestants of an experiment.
pub type Contestants<'a> = Vec<Box<dyn Contestant + 'a>>;

/// Runs the turns of the contestants: one warm-up round, then `rounds` measured ones.
pub fn take_turns(
    title: &str,
    rounds: usize,
    seed: u64,
    contestants: &mut [Box<dyn Contestant + '_>],
) -> Result<Vec<Row>> {
    let progress = Progress::start(title, (rounds + 1) * contestants.len());
    let rows = turns(rounds, seed, contestants, Some(&progress))?;
    progress.finish();
    Ok(rows)
}

/// As [`take_turns`], without progress, for one of many parts of an experiment.
pub fn quiet_turns(rounds: usize, seed: u64, contestants: &mut [Box<dyn Contestant + '_>]) -> Result<Vec<Row>> {
    turns(rounds, seed, contestants, None)
}

fn turns(
    rounds: usize,
    seed: u64,
    contestants: &mut [Box<dyn Contestant + '_>],
    progress: Option<&Progress>,
) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = contestants.iter().map(|c| Row { name: c.name(), samples: Vec::new() }).collect();
    for number in 0..=rounds {
        let round = Round { number, seed: seed.wrapping_add(number as u64), reads: None };
        for (contestant, row) in contestants.iter_mut().zip(&mut rows) {
            if let Some(progress) = progress {
                progress.now(&row.name.label);
            }
            let sample = contestant.turn(round)?;
            if !round.is_warm_up() {
                row.samples.push(sample);
            }
            if let Some(progress) = progress {
                progress.step();
            }
        }
    }
    Ok(rows)
}

/// Runs `work`; answers the microseconds for each of `count` operations.
pub fn micros_each<T>(count: usize, work: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let start = Instant::now();
    let result = work()?;
    Ok((start.elapsed().as_secs_f64() * 1e6 / count.max(1) as f64, result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::results::Side;
    use std::cell::RefCell;

    #[test]
    fn turns_are_interleaved_and_the_first_round_is_dropped() {
        let order = RefCell::new(String::new());
        let act = |who: &'static str| -> Box<dyn Contestant + '_> {
            let order = &order;
            Box::new(Turn(Name::new(who, who, Side::Limit), move |round: Round| {
                order.borrow_mut().push_str(who);
                Ok(round.number as f64)
            }))
        };
        let rows = take_turns("test", 2, 7, &mut [act("a"), act("b")]).unwrap();
        assert_eq!(*order.borrow(), "ababab");
        assert_eq!(rows[1].samples, [1.0, 2.0]);
    }
}
