//! The parser compared with SQLite: which statements it refuses, with which message, at which offset.
//!
//! Random statements, most of them damaged afterwards, are prepared by SQLite on a small schema. If the message is that of
//! SQLite's parser, Lithe's must be the same; if SQLite accepts the statement, or does not find a name, Lithe must accept it.
//!
//! `SQL_SEED=n SQL_COUNT=n cargo test -p lithe-sql --test oracle` runs other statements, and another number of them.

mod compare;
mod generate;
mod mutate;
mod nesting;
mod places;
mod precedence;
mod random;
mod schema_text;

use compare::{Oracle, Verdict};
use random::Random;

#[test]
fn random_statements() {
    let seed = env_number("SQL_SEED").unwrap_or(1);
    let count = env_number("SQL_COUNT").unwrap_or(20_000);
    let oracle = Oracle::new();
    let mut accepted = 0;
    let mut failures = Vec::new();
    for number in 0..count {
        let mut random = Random::new(seed.wrapping_mul(1_000_000_007).wrapping_add(number));
        let mut tokens = generate::statement(&mut random);
        mutate::damage(&mut tokens, &mut random);
        let sql = generate::join(&tokens, &mut random);
        match oracle.compare(&sql) {
            Verdict::Accepted => accepted += 1,
            Verdict::Refused => {}
            Verdict::Differs(how) => failures.push(format!("{sql}\n    {how}")),
        }
        if failures.len() >= 40 {
            break;
        }
    }
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
    // If no random statement were valid, the test would cover little.
    assert!(accepted * 5 > count, "only {accepted} of {count} statements are accepted");
}

/// Statements whose results once differed, or that the generator does not produce.
#[test]
fn known_statements() {
    let oracle = Oracle::new();
    for sql in include_str!("statements.sql").lines().filter(|line| !line.is_empty()) {
        if let Verdict::Differs(how) = oracle.compare(sql) {
            panic!("{sql}\n    {how}");
        }
    }
}

fn env_number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
