//! Every scalar function, with arguments of every kind.

use lithe_functions::{Arity, CallSite, Flags, Function, Kind, Registry};
use lithe_value::{Value, ValueRef};

use crate::support::{Random, ask, call_function, oracle, rounds, same, show, show_call};

/// Functions whose results differ each time, or describe the library itself.
const NOT_COMPARED: [&str; 12] = [
    "random",
    "randomblob",
    "changes",
    "total_changes",
    "last_insert_rowid",
    "sqlite_version",
    "sqlite_source_id",
    "sqlite_compileoption_get",
    "sqlite_compileoption_used",
    "sqlite_log",
    "likelihood",
    "subtype",
];

#[test]
fn random_arguments() {
    let registry = Registry::builtin();
    let mut failures = Vec::new();
    for (stream, function) in registry.iter().enumerate() {
        let is_scalar = matches!(function.kind(), Kind::Scalar(_));
        // Functions that read the clock have their own tests.
        let is_timeless = !function.flags().contains(Flags::USES_CLOCK);
        // Nearly no random text is JSON, and for BLOBs that are not JSONB the results of SQLite are arbitrary: the JSON functions
        // are tested with suitable arguments in lithedb.
        let is_json = function.name().starts_with("json") || function.name().starts_with("->");
        if is_scalar && is_timeless && !is_json && !NOT_COMPARED.contains(&function.name()) {
            let mut random = Random::new(stream as u64);
            failures.extend(check(function, &mut random));
        }
    }
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
}

/// Functions that SQLite does not have in any build: none yet. Their results are tested in `crates/lithedb/tests/functions.rs`.
const OURS: [&str; 0] = [];

/// Whether SQLite may lack the function: one of [`OURS`], or a mathematical one, without which SQLite can be built.
pub fn is_optional(name: &str) -> bool {
    const MATH: &str = "acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 \
                        log2 mod pi pow power radians sin sinh sqrt tan tanh trunc";
    OURS.contains(&name) || MATH.split_whitespace().any(|function| function == name)
}

/// The first few calls of `function` with a result that differs from SQLite's.
fn check(function: &Function, random: &mut Random) -> Vec<String> {
    let oracle = oracle();
    let mut failures = Vec::new();
    let counts = match function.args() {
        Arity::Exactly(count) => count..=count,
        // min and max of one argument are aggregates.
        Arity::AtLeast(count) => count.max(u16::from(["min", "max"].contains(&function.name())) * 2)..=count + 4,
    };
    for count in counts {
        let places: Vec<String> = (1..=count).map(|number| format!("?{number}")).collect();
        let sql = format!("SELECT \"{}\"({})", function.name(), places.join(","));
        let Ok(mut statement) = oracle.prepare(&sql) else {
            // The oracle is built without the mathematical functions, unless LIBSQLITE3_FLAGS says otherwise.
            assert!(is_optional(function.name()), "{sql}");
            continue;
        };
        let mut site = CallSite::new();
        for _ in 0..rounds(if count == 0 { 1 } else { 1500 }) {
            let args: Vec<Value> = (0..count).map(|_| random.value()).collect();
            let borrowed: Vec<ValueRef<'_>> = args.iter().map(Value::as_ref).collect();
            let (ours, theirs) = (call_function(function, &borrowed, &mut site), ask(&mut statement, &borrowed));
            if !same(&ours, &theirs) && failures.len() < 4 {
                let call = show_call(function.name(), &args);
                failures.push(format!("{call}: {} is not {}", show(&ours), show(&theirs)));
            }
        }
    }
    failures
}
