//! The random worlds of a test, chosen by environment variables.

use std::env;
use std::ops::Range;

/// The number in a variable.
pub fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The worlds that two variables choose: the first one, and how many.
pub fn range(first: &str, count: &str, default_count: u64) -> Range<u64> {
    let first = number(first, 0);
    first..first + number(count, default_count)
}

/// Fails if there is another variable with the prefix of these: the test would not read it.
pub fn refuse_others(known: &[&str]) {
    let prefix = known.first().and_then(|name| name.split_once('_')).map_or("", |(prefix, _)| prefix);
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        let is_alike = name.split_once('_').is_some_and(|(other, _)| other == prefix);
        assert!(!is_alike || known.contains(&&*name), "the test does not read {name}");
    }
}

/// The seeds of a list of those that are known to differ, each with a reason.
pub fn listed(known: &str) -> Vec<u64> {
    known.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect()
}

/// A script for each seed.
pub fn scripts(
    seeds: impl Iterator<Item = u64>,
    line: impl Fn(u64) -> String,
) -> impl Iterator<Item = (String, Vec<String>)> {
    seeds.map(move |seed| (format!("seed {seed}"), vec![line(seed)]))
}
