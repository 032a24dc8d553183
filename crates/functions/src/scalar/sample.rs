//! The function that docs/internals/extending.md adds as an example: the page quotes this code.

use lithe_value::{Collation, Encoding, NumberText, Value, ValueRef};

use super::{arg, null, pure, text_of};
use crate::context::{CallSite, Connection, Context};
use crate::error::Result;
use crate::signature::Scalar;

const FUNCTIONS: [Scalar; 1] = [pure("shout", 1, shout)];

fn shout(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut scratch = NumberText::default();
    let Some(text) = text_of(arg(args, 0), &mut scratch) else { return null(context) };
    let mut buffer = context.out.take_buffer();
    context.reserve(&mut buffer, text.len() + 1)?;
    buffer.extend(text);
    buffer.extend(b"!");
    context.answer_text(buffer)
}

#[test]
fn shout_adds_an_exclamation_mark() {
    let call = |value: ValueRef<'_>| {
        let (mut out, mut site) = (Value::NULL, CallSite::default());
        let mut context = Context::new(&mut out, &Collation::Binary, &mut site, &NoConnection);
        (FUNCTIONS[0].eval)(&mut context, &[value]).map(|()| out)
    };
    assert_eq!(call(ValueRef::Text(b"hello")).unwrap(), Value::from("hello!"));
    assert_eq!(call(ValueRef::Integer(7)).unwrap(), Value::from("7!"));
    assert_eq!(call(ValueRef::Null).unwrap(), Value::NULL);
    assert!(call(ValueRef::Text(&[b'x'; LENGTH_MAX])).is_err(), "the result is longer than SQLITE_LIMIT_LENGTH");
}

pub(super) const LENGTH_MAX: usize = 100;

/// The function asks the connection for the longest value alone.
pub(super) struct NoConnection;

impl Connection for NoConnection {
    fn changes(&self) -> i64 {
        0
    }
    fn total_changes(&self) -> i64 {
        0
    }
    fn last_insert_rowid(&self) -> i64 {
        0
    }
    fn encoding(&self) -> Encoding {
        Encoding::Utf8
    }
    fn length_max(&self) -> usize {
        LENGTH_MAX
    }
    fn like_pattern_length_max(&self) -> usize {
        LENGTH_MAX
    }
    fn case_sensitive_like(&self) -> bool {
        false
    }
    fn now(&self) -> i64 {
        0
    }
    fn local_offset(&self, _: i64) -> Option<i32> {
        None
    }
    fn randomness(&self, _: &mut [u8]) {}
}
