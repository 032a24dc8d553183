//! LIKE and GLOB.

use lithe_value::pattern::{Dialect, Pattern};
use lithe_value::{Value, ValueRef, utf8};

use crate::{Random, ask, oracle, rounds};

const PIECES: [&[u8]; 18] = [
    b"a",
    b"a",
    b"b",
    b"B",
    b"c",
    b"%",
    b"%",
    b"_",
    b"*",
    b"?",
    b"[",
    b"]",
    b"^",
    b"-",
    b"\\",
    b"\xc3\xa9",
    b"d",
    b"e",
];
const MALFORMED: [&[u8]; 6] = [b"\x80", b"\xc3", b"\xe0\x83\xa9", b"\xed\xa0\x80", b"\xff", b"\0"];

#[test]
fn random_patterns() {
    check(&PIECES, 7, rounds(150_000));
}

#[test]
fn malformed_patterns() {
    let pieces: Vec<&[u8]> = PIECES.into_iter().chain(MALFORMED).chain(MALFORMED).collect();
    check(&pieces, 8, rounds(100_000));
}

fn check(pieces: &[&[u8]], stream: u64, rounds: u32) {
    let oracle = oracle();
    let sensitive = crate::oracle();
    sensitive.execute_batch("PRAGMA case_sensitive_like = 1").unwrap();
    let mut plain = oracle.prepare("SELECT ?2 LIKE ?1, ?2 GLOB ?1, ?2 LIKE ?1 ESCAPE ?3").unwrap();
    let mut with_case = sensitive.prepare("SELECT ?2 LIKE ?1").unwrap();
    let mut random = Random::new(stream);
    for _ in 0..rounds {
        let pattern = random.text(pieces, 7);
        let text = if random.below(2) == 0 { random.text(pieces, 8) } else { like_the_pattern(&mut random, &pattern) };
        let escape = *random.pick(&[&b"\\"[..], b"%", b"_", b"a", b"\xc3\xa9"]);
        let args = [ValueRef::Text(&pattern), ValueRef::Text(&text), ValueRef::Text(escape)];
        let mut answers = ask(&mut plain, &args).unwrap();
        answers.extend(ask(&mut with_case, &args[..2]).unwrap());
        let escape = utf8::decode(escape).map(|(character, _)| character);
        let cases =
            [(Dialect::Like, None), (Dialect::Glob, None), (Dialect::Like, escape), (Dialect::LikeWithCase, None)];
        for ((dialect, escape), answer) in cases.into_iter().zip(answers) {
            let matches = Pattern::new(&pattern, dialect, escape).matches(&text);
            assert_eq!(
                Value::from(matches),
                answer,
                "{} {dialect:?} {} escape {escape:?} ({text:x?})",
                text.escape_ascii(),
                pattern.escape_ascii(),
            );
        }
    }
}

/// The pattern's own text with its wildcards filled in, so that matches are not rare.
fn like_the_pattern(random: &mut Random, pattern: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for &byte in pattern {
        match byte {
            b'%' | b'*' => text.extend(random.text(&[b"a", b"b", b"\xc3\xa9", b"c"], 3)),
            b'_' | b'?' => text.extend_from_slice(random.pick::<&[u8]>(&[&b"a"[..], b"\xc3\xa9", b"_"])),
            b'\\' if random.below(2) == 0 => {}
            other => text.push(other),
        }
    }
    text
}
