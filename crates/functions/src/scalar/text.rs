//! Text as a whole: its length, its case, its characters.

use lithe_value::{NumberText, ValueRef, cast, utf8};

use super::{arg, null, pure, pure_variadic, text_of};
use crate::context::Context;
use crate::error::Result;
use crate::signature::{Beside, Flags, Scalar, ShortText, Shortcut};

pub(super) const FUNCTIONS: [Scalar; 8] = [
    pure_variadic("char", 0, char),
    pure_variadic("concat", 1, concat),
    pure_variadic("concat_ws", 2, concat_ws),
    pure("length", 1, length).or_shortcut(Shortcut::Integer(short_length)).and(Flags::READS_LENGTH),
    pure("lower", 1, lower).or_shortcut(Shortcut::Value(short_lower)),
    pure("typeof", 1, type_of).or_shortcut(Shortcut::Name(|value| value.class().name())).and(Flags::READS_TYPE),
    pure("unicode", 1, unicode),
    pure("upper", 1, upper).or_shortcut(Shortcut::Value(short_upper)),
];

/// The number of characters of a text up to a NUL, of bytes of a BLOB, of digits of a number.
fn length(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let length = match arg(args, 0) {
        ValueRef::Null => return null(context),
        ValueRef::Blob(blob) => blob.len(),
        ValueRef::Text(text) => utf8::count_until_nul(text),
        number => cast::to_bytes(number, &mut NumberText::default()).len(),
    };
    context.out.set_integer(length as i64);
    Ok(())
}

fn short_length(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Text(text) => Some(utf8::count_until_nul(text) as i64),
        ValueRef::Blob(blob) => Some(blob.len() as i64),
        _ => None,
    }
}

fn type_of(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    context.out.set_text(arg(args, 0).class().name().as_bytes());
    Ok(())
}

fn upper(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    copy_then(context, arg(args, 0), <[u8]>::make_ascii_uppercase)
}

fn lower(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    copy_then(context, arg(args, 0), <[u8]>::make_ascii_lowercase)
}

fn short_upper<'a>(args: &[ValueRef<'a>], beside: Beside<'a>) -> Option<ValueRef<'a>> {
    copy_short(args, beside.memory, <[u8]>::make_ascii_uppercase)
}

fn short_lower<'a>(args: &[ValueRef<'a>], beside: Beside<'a>) -> Option<ValueRef<'a>> {
    copy_short(args, beside.memory, <[u8]>::make_ascii_lowercase)
}

/// A short text after `change`.
#[inline]
fn copy_short<'a>(
    args: &[ValueRef<'a>],
    memory: &'a mut ShortText,
    change: impl Fn(&mut [u8]),
) -> Option<ValueRef<'a>> {
    let [ValueRef::Text(text)] = *args else { return None };
    let copy = memory.get_mut(..text.len())?;
    copy.copy_from_slice(text);
    change(copy);
    Some(ValueRef::Text(copy))
}

/// Returns the text of `value` after `change`.
fn copy_then(context: &mut Context<'_>, value: ValueRef<'_>, change: fn(&mut [u8])) -> Result {
    let mut scratch = NumberText::default();
    let Some(text) = text_of(value, &mut scratch) else { return null(context) };
    let mut buffer = context.out.take_buffer();
    context.reserve(&mut buffer, text.len())?;
    buffer.extend(text);
    change(buffer.as_mut_slice());
    context.answer_text(buffer)
}

/// All arguments as text, concatenated; NULL counts as empty.
fn concat(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    join(context, b"", args)
}

/// Like `concat` with a separator between the arguments that are not NULL; NULL if the separator is NULL.
fn concat_ws(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut scratch = NumberText::default();
    let Some(separator) = text_of(arg(args, 0), &mut scratch) else { return null(context) };
    join(context, separator, args.get(1..).unwrap_or_default())
}

fn join(context: &mut Context<'_>, separator: &[u8], args: &[ValueRef<'_>]) -> Result {
    let mut buffer = context.out.take_buffer();
    let mut is_first = true;
    for &arg in args {
        let mut scratch = NumberText::default();
        let Some(text) = text_of(arg, &mut scratch) else { continue };
        let separator = if is_first { &[] } else { separator };
        is_first = false;
        context.reserve(&mut buffer, separator.len().saturating_add(text.len()))?;
        buffer.extend(separator);
        buffer.extend(text);
    }
    context.answer_text(buffer)
}

/// The text of the characters with these numbers. A number that is not a Unicode character becomes U+FFFD, except halves of
/// surrogate pairs.
fn char(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut buffer = context.out.take_buffer();
    for &arg in args {
        let character = match u32::try_from(cast::to_integer(arg)) {
            Ok(character) if character <= u32::from(char::MAX) => character,
            _ => utf8::REPLACEMENT,
        };
        utf8::encode(character, &mut buffer);
    }
    context.answer_text(buffer)
}

/// The number of the first character, NULL if there is none.
fn unicode(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut scratch = NumberText::default();
    let text = text_of(arg(args, 0), &mut scratch).unwrap_or_default();
    match utf8::decode(utf8::until_nul(text)) {
        // A signed 32-bit number: a run of stray continuation bytes can set the sign bit.
        Some((character, _)) => context.out.set_integer(i64::from(character as i32)),
        None => context.out.set_null(),
    }
    Ok(())
}
