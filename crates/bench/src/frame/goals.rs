//! What was to be reached, and was it.

use serde::{Deserialize, Serialize};

use crate::frame::results::Experiment;

/// One ratio that an experiment is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Goal {
    /// The sentence's subject: "Lithe reads 10 kB BLOBs through SQL".
    pub what: String,
    /// The sentence's object: "files".
    pub than: String,
    /// How many times better it was to be.
    pub wanted: f64,
    /// How many times better it was: below 1 it is worse.
    pub measured: f64,
    /// Whether it is the experiment's headline.
    pub is_headline: bool,
    /// What is better.
    #[serde(default)]
    pub better: Better,
}

/// What is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// To be faster.
    #[default]
    Faster,
    /// To be smaller.
    Smaller,
}

impl Better {
    /// Better, worse, the same.
    fn words(self) -> [&'static str; 3] {
        match self {
            Better::Faster => ["faster than", "slower than", "as fast as"],
            Better::Smaller => ["smaller than", "larger than", "as large as"],
        }
    }
}

impl Goal {
    /// Whether it was reached.
    pub fn is_met(&self) -> bool {
        self.measured >= self.wanted
    }

    /// "Lithe reads 10 kB BLOBs through SQL 2.4 times faster than files."
    pub fn sentence(&self) -> String {
        let Goal { what, than, measured, .. } = self;
        let [better, worse, same] = self.better.words();
        match *measured {
            ratio if ratio >= 1.095 => format!("{what} {} times {better} {than}.", digits(ratio)),
            ratio if ratio >= 1.005 => format!("{what} {}% {better} {than}.", (100.0 * ratio - 100.0).round()),
            ratio if ratio > 0.995 => format!("{what} {same} {than}."),
            ratio if ratio > 0.905 => format!("{what} {}% {worse} {than}.", (100.0 / ratio - 100.0).round()),
            ratio => format!("{what} {} times {worse} {than}.", digits(1.0 / ratio)),
        }
    }
}

/// A goal in terms of a chart's rows, to be filled with what was measured.
pub struct Wanted<'a> {
    /// The chart.
    pub chart: &'a str,
    /// Lithe's row.
    pub row: &'a str,
    /// The row that it is compared with.
    pub against: &'a str,
    /// See [`Goal::what`].
    pub what: String,
    /// See [`Goal::than`].
    pub than: &'a str,
    /// See [`Goal::wanted`].
    pub times: f64,
    /// See [`Goal::better`].
    pub better: Better,
}

impl Experiment {
    /// Adds the goal to be so many times faster, of which the ratio is known; the first is the headline.
    pub fn judge_ratio(&mut self, what: String, than: &str, wanted: f64, measured: f64) {
        let (than, is_headline) = (than.to_owned(), self.goals.is_empty());
        self.goals.push(Goal { what, than, wanted, measured, is_headline, better: Better::Faster });
    }

    /// Adds those goals whose rows were measured; the first of them is the headline.
    pub fn judge(&mut self, wanted: &[Wanted<'_>]) {
        for goal in wanted {
            let Some(chart) = self.chart(goal.chart) else { continue };
            let (Some(row), Some(against)) = (chart.row(goal.row), chart.row(goal.against)) else { continue };
            let measured = chart.advantage(row, against);
            if measured.is_finite() {
                let is_headline = self.goals.is_empty();
                let (what, than) = (goal.what.clone(), goal.than.to_owned());
                self.goals.push(Goal { what, than, wanted: goal.times, measured, is_headline, better: goal.better });
            }
        }
    }
}

/// Two significant digits below ten, none behind the point above.
pub fn digits(ratio: f64) -> String {
    if ratio < 9.95 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences() {
        check(2.4321, "Lithe reads 2.4 times faster than files.");
        check(12.7, "Lithe reads 13 times faster than files.");
        check(1.07, "Lithe reads 7% faster than files.");
        check(1.0, "Lithe reads as fast as files.");
        check(0.96, "Lithe reads 4% slower than files.");
        check(0.5, "Lithe reads 2.0 times slower than files.");
    }

    fn check(measured: f64, sentence: &str) {
        let (what, than) = ("Lithe reads".to_owned(), "files".to_owned());
        let goal = Goal { what, than, wanted: 2.0, measured, is_headline: false, better: Better::Faster };
        assert_eq!(goal.sentence(), sentence);
    }
}
