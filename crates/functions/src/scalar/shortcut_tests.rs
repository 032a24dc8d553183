//! The shortcut of a function has the same results as the function.

use lithe_value::{Collation, Value, ValueRef};

use super::TABLES;
use super::sample::NoConnection;
use crate::context::{CallSite, Context};
use crate::signature::{Arity, Beside, SHORT_TEXT_MAX, Scalar, Shortcut};

const VALUES: [ValueRef<'_>; 24] = [
    ValueRef::Null,
    ValueRef::Integer(i64::MIN),
    ValueRef::Integer(-3),
    ValueRef::Integer(0),
    ValueRef::Integer(1),
    ValueRef::Integer(2),
    ValueRef::Integer(9),
    ValueRef::Integer(i64::MAX),
    ValueRef::Real(-2.5),
    ValueRef::Real(-0.0),
    ValueRef::Real(1e300),
    ValueRef::Text(b""),
    ValueRef::Text(b"a"),
    ValueRef::Text(b"%B%"),
    ValueRef::Text(b"abc\0def"),
    ValueRef::Text(b"0123456789abcdefABCDEF"),
    ValueRef::Text(b"0123456789abcdefABCDEFG"),
    ValueRef::Text("gr\u{fc}\u{df}e 123456789".as_bytes()),
    ValueRef::Text(b"\xbf\xbfab\xffc\x80"),
    ValueRef::Text(b"abcdefgh\xbf\x80i"),
    ValueRef::Text(b"abcdefgh\0i"),
    ValueRef::Blob(b""),
    ValueRef::Blob(b"ab\0c"),
    ValueRef::Blob(&[0xff; 40]),
];

#[test]
fn shortcuts_have_the_same_results() {
    let mut count = 0;
    for entry in TABLES.iter().copied().flatten().filter(|entry| entry.shortcut.is_some()) {
        let Arity::Exactly(args) = entry.args else { panic!("{} takes any number of arguments", entry.name) };
        let all = VALUES.len().pow(u32::from(args));
        for number in 0..all {
            let value = |at: u16| VALUES[number / VALUES.len().pow(u32::from(at)) % VALUES.len()];
            let args: Vec<ValueRef<'_>> = (0..args).map(value).collect();
            count += usize::from(is_same(entry, &args));
        }
    }
    assert!(count > 500, "only {count} calls took a shortcut");
}

/// Whether there is a shortcut for these arguments. A site that has seen the function called, as a call in a loop has.
fn is_same(entry: &Scalar, args: &[ValueRef<'_>]) -> bool {
    let (mut out, mut site) = (Value::NULL, CallSite::default());
    let mut context = Context::new(&mut out, &Collation::Binary, &mut site, &NoConnection);
    let called = (entry.eval)(&mut context, args);
    let mut memory = [0; SHORT_TEXT_MAX];
    let beside = Beside { site: &site, connection: &NoConnection, memory: &mut memory };
    let shortcut = match (entry.shortcut, args) {
        (Some(Shortcut::Integer(integer)), [value]) => integer(*value).map(ValueRef::Integer),
        (Some(Shortcut::Name(name)), [value]) => Some(ValueRef::Text(name(*value).as_bytes())),
        (Some(Shortcut::Condition(condition)), [ValueRef::Text(first), ValueRef::Text(text)]) => {
            condition(first, text, beside.site, beside.connection).map(|truth| ValueRef::Integer(i64::from(truth)))
        }
        (Some(Shortcut::Value(value)), _) => value(args, beside),
        _ => None,
    };
    let Some(shortcut) = shortcut else { return false };
    let shown = |value: ValueRef<'_>| format!("{value:?}");
    assert!(called.is_ok(), "{}({args:?}) fails", entry.name);
    assert_eq!(shown(shortcut), shown(out.as_ref()), "{}({args:?})", entry.name);
    true
}
