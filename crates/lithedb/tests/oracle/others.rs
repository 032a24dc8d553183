//! Statements that may share a program with a statement: the same with other literals, or with other comments. They are prepared before
//! it, so that it runs the program of its template, or of its bare text, instead of one of its own.

use fastrand::Rng;
use lithe_sql::Templates;

/// Literals to be put in the place of others.
const LITERALS: [&str; 10] =
    ["5", "-7", "2.5", "'x'", "'it''s'", "x'00ff'", "'5'", "12345678", "9223372036854775807", "-1e300"];

/// How a statement is played.
pub struct Played {
    /// Prepared on Lithe before it.
    pub before: Vec<String>,
    /// Its text on both engines.
    pub sql: String,
}

/// The text decides how it is played, so that a world is the same whatever is left out of it.
pub fn played(sql: &str) -> Played {
    let as_it_is = || Played { before: Vec::new(), sql: sql.to_owned() };
    let mut rng =
        Rng::with_seed(sql.bytes().fold(0, |sum: u64, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)));
    match rng.u32(0..8) {
        0..4 => {
            let mut templates = Templates::default();
            let Some(read) = templates.read(sql.as_bytes()) else { return as_it_is() };
            let text = String::from_utf8_lossy(read.template.text()).into_owned();
            if text.matches('?').count() != read.template.literals().len() {
                return as_it_is(); // a question mark within a text
            }
            let other = |rng: &mut Rng| {
                let mut parts = text.split('?');
                let first = parts.next().unwrap_or_default().to_owned();
                parts.fold(first, |sql, part| sql + LITERALS[rng.usize(0..LITERALS.len())] + part)
            };
            Played { before: vec![other(&mut rng), other(&mut rng)], sql: sql.to_owned() }
        }
        4 if has_bare_text(sql) => {
            let commented = |number: u32| format!("/* {number} */ {sql} /* {number} */");
            Played { before: vec![commented(1), commented(2)], sql: commented(3) }
        }
        _ => as_it_is(),
    }
}

/// Whether comments at its ends may make no difference. (Beside what the test takes for one itself.)
fn has_bare_text(sql: &str) -> bool {
    ["SELECT", "WITH", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE"].iter().any(|verb| sql.starts_with(verb))
}
