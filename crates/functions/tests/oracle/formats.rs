//! `format()` with random formats.

use lithe_functions::{CallSite, Lookup, Registry};
use lithe_value::{Value, ValueRef};

use crate::support::{Random, ask, call_function, oracle, rounds, same, show, show_call};

#[test]
fn random_formats() {
    let oracle = oracle();
    let mut statement = oracle.prepare("SELECT format(?1, ?2, ?3, ?4)").unwrap();
    let registry = Registry::builtin();
    let Lookup::Found(function) = registry.find(b"format", 4) else { panic!("no format()") };
    let mut random = Random::new(1);
    let mut failures = Vec::new();
    for _ in 0..rounds(40_000) {
        let format = format(&mut random);
        let args = [Value::text(format), random.value(), random.value(), random.value()];
        let borrowed: Vec<ValueRef<'_>> = args.iter().map(Value::as_ref).collect();
        let ours = call_function(function, &borrowed, &mut CallSite::new());
        let theirs = ask(&mut statement, &borrowed);
        if !same(&ours, &theirs) && failures.len() < 20 {
            failures.push(format!("{}: {} is not {}", show_call("format", &args), show(&ours), show(&theirs)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn format(random: &mut Random) -> Vec<u8> {
    let mut format = Vec::new();
    for _ in 0..=random.below(3) {
        format.push(b'%');
        format.extend(random.text(&[b"-", b"+", b" ", b"#", b"0", b"!", b","], 3));
        format.extend_from_slice(random.pick::<&[u8]>(&[b"", b"", b"", b"1", b"5", b"12", b"*", b"30"]));
        let precisions: [&[u8]; 12] = [b"", b"", b"", b".", b".0", b".1", b".3", b".10", b".16", b".17", b".25", b".*"];
        format.extend_from_slice(random.pick::<&[u8]>(&precisions));
        format.extend_from_slice(random.pick::<&[u8]>(&[b"", b"", b"", b"", b"l", b"ll"]));
        format.push(*random.pick(b"diufeEgGxXoprcszqQwjJ%ndfgsy"));
        format.extend(random.text(&[b"|", b" ", b"a"], 1));
    }
    format
}
