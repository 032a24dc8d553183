//! Goals, and whether they were reached.

use serde::{Deserialize, Serialize};

/// A ratio that an experiment aims at.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Goal {
    /// The sentence's subject: "Lithe reads 10 kB BLOBs through SQL".
    pub what: String,
    /// The sentence's object: "files".
    pub than: String,
    /// The ratio to reach.
    pub wanted: f64,
    /// The measured ratio; below 1 means worse.
    pub measured: f64,
    /// Whether it is the experiment's headline.
    pub is_headline: bool,
    /// What "better" means for it.
    #[serde(default)]
    pub better: Better,
    /// The ratio of the limit in the same run: no implementation can exceed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
}

/// What "better" means.
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
    /// The words for better, worse and equal.
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

    /// Whether the limit itself misses the goal.
    pub fn is_beyond_limit(&self) -> bool {
        self.limit.is_some_and(|limit| limit < self.wanted)
    }

    /// For a missed goal, the ratio of the limit: "the limit itself 1.6 times: out of reach".
    pub fn limit_note(&self) -> Option<String> {
        let limit = self.limit.filter(|_| !self.is_met())?;
        let verdict = if self.is_beyond_limit() { ": out of reach" } else { "" };
        Some(format!("the limit itself {} times{verdict}", digits_or_two(limit)))
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

/// Two significant digits below ten, no decimals above.
pub fn digits(ratio: f64) -> String {
    if ratio < 9.95 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

/// As [`digits`], with a second decimal if a goal has one: 0.95.
pub fn digits_or_two(ratio: f64) -> String {
    if (ratio * 10.0).fract().abs() < 1e-9 { digits(ratio) } else { format!("{ratio:.2}") }
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
        let goal = Goal { what, than, wanted: 2.0, measured, is_headline: false, better: Better::Faster, limit: None };
        assert_eq!(goal.sentence(), sentence);
    }
}
