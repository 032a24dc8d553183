//! Parts of a text or blob: taking, finding, replacing, trimming.

use lithe_value::{NumberText, ValueRef, bytes, cast, utf8};
use memchr::memmem;

use super::{arg, null, pure, text_of};
use crate::context::Context;
use crate::error::Result;
use crate::signature::{Beside, SHORT_TEXT_MAX, Scalar, Shortcut};

pub(super) const FUNCTIONS: [Scalar; 12] = [
    pure("instr", 2, instr).or_shortcut(Shortcut::Value(short_instr)),
    pure("ltrim", 1, ltrim),
    pure("ltrim", 2, ltrim),
    pure("replace", 3, replace),
    pure("rtrim", 1, rtrim),
    pure("rtrim", 2, rtrim),
    pure("substr", 2, substr).or_shortcut(Shortcut::Value(short_substr)),
    pure("substr", 3, substr).or_shortcut(Shortcut::Value(short_substr)),
    pure("substring", 2, substr).or_shortcut(Shortcut::Value(short_substr)),
    pure("substring", 3, substr).or_shortcut(Shortcut::Value(short_substr)),
    pure("trim", 1, trim),
    pure("trim", 2, trim),
];

/// `substr(x, start, count)`: characters of a text, bytes of a blob.
fn substr(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    if args.iter().any(|arg| arg.is_null()) {
        return null(context);
    }
    let start = cast::to_integer(arg(args, 1));
    let count = args.get(2).map(|&count| cast::to_integer(count));
    if let ValueRef::Blob(blob) = arg(args, 0) {
        if blob.is_empty() {
            return null(context); // an empty text has an empty result, an empty BLOB has NULL
        }
        let (from, to) = range(start, count, || blob.len());
        return context.answer(ValueRef::Blob(bytes::after(bytes::up_to(blob, to), from)));
    }
    let mut scratch = NumberText::default();
    let text = utf8::until_nul(cast::to_bytes(arg(args, 0), &mut scratch));
    let (from, to) = range(start, count, || count_from_the_end(text));
    let from_at = utf8::offset(text, from);
    let text = bytes::after(text, from_at);
    context.answer(ValueRef::Text(bytes::up_to(text, utf8::offset(text, to - from))))
}

/// A short part of a text that is ASCII up to the end of the part.
fn short_substr<'a>(args: &[ValueRef<'a>], _: Beside<'a>) -> Option<ValueRef<'a>> {
    let [ValueRef::Text(text), ValueRef::Integer(start @ 1..), ref count @ ..] = *args else { return None };
    let from = usize::try_from(start).ok()? - 1;
    let end = match *count {
        [] => text.len(),
        [ValueRef::Integer(count @ 0..)] => from.saturating_add(usize::try_from(count).ok()?).min(text.len()),
        _ => return None,
    };
    if end.saturating_sub(from) > SHORT_TEXT_MAX {
        return None;
    }
    let (from, whole) = (from.min(end), bytes::up_to(text, end));
    (utf8::plain_len(whole) == end).then_some(ValueRef::Text(bytes::after(whole, from)))
}

/// The range of `count` units from `start` on, or of `-count` units before it. `start` counts from 1, or from the end if it is
/// negative. `length` is called only in the latter case. Units outside the text count, but are cut off.
fn range(start: i64, count: Option<i64>, length: impl FnOnce() -> usize) -> (usize, usize) {
    // Arithmetic in 128 bits cannot overflow.
    let count = count.map_or(i128::from(i64::MAX), i128::from);
    let mut magnitude = count.abs();
    let mut from = i128::from(start);
    if from < 0 {
        from += length() as i128;
        if from < 0 {
            magnitude = (magnitude + from).max(0);
            from = 0;
        }
    } else if from > 0 {
        from -= 1;
    } else if magnitude > 0 {
        magnitude -= 1; // there is no character 0
    }
    if count < 0 {
        from -= magnitude;
        if from < 0 {
            magnitude += from;
            from = 0;
        }
    }
    let clamp = |unit: i128| usize::try_from(unit.max(0)).unwrap_or(usize::MAX);
    (clamp(from), clamp(from + magnitude.max(0)))
}

/// The number of characters, as `substr` counts from the end: each stray continuation byte counts as one.
fn count_from_the_end(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let mut rest = text;
    let mut count = 0;
    while let Some((_, len)) = utf8::decode(rest) {
        rest = bytes::after(rest, len);
        count += 1;
    }
    count
}

/// The position of a text in another one, in characters from 1, or of a BLOB in another one, in bytes; 0 if it does not occur.
fn instr(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let position = match (arg(args, 0), arg(args, 1)) {
        (ValueRef::Null, _) | (_, ValueRef::Null) => return null(context),
        (ValueRef::Blob(haystack), ValueRef::Blob(needle)) => memmem::find(haystack, needle).map_or(0, |at| at + 1),
        (haystack, needle) => {
            let (mut haystack_scratch, mut needle_scratch) = (NumberText::default(), NumberText::default());
            let haystack = cast::to_bytes(haystack, &mut haystack_scratch);
            let needle = cast::to_bytes(needle, &mut needle_scratch);
            position_of_text(haystack, needle)
        }
    };
    context.out.set_integer(position as i64);
    Ok(())
}

fn short_instr<'a>(args: &[ValueRef<'a>], _: Beside<'a>) -> Option<ValueRef<'a>> {
    let [ValueRef::Text(haystack), ValueRef::Text(needle)] = *args else { return None };
    Some(ValueRef::Integer(position_of_text(haystack, needle) as i64))
}

fn position_of_text(haystack: &[u8], needle: &[u8]) -> usize {
    // A match must begin at a character boundary. Only in malformed text can a match begin elsewhere.
    let is_start = |at: usize| at == 0 || !haystack.get(at).is_some_and(|&byte| utf8::is_continuation(byte));
    let mut from = 0;
    while let Some(found) = memmem::find(bytes::after(haystack, from), needle) {
        let at = from + found;
        if is_start(at) {
            let starts =
                bytes::up_to(haystack, at).iter().skip(1).filter(|&&byte| !utf8::is_continuation(byte)).count();
            return starts + usize::from(at > 0) + 1;
        }
        from = at + 1;
    }
    0
}

/// Every occurrence of a text replaced by another text. An empty pattern replaces nothing.
fn replace(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut scratch: [NumberText; 3] = Default::default();
    let [text_scratch, pattern_scratch, replacement_scratch] = &mut scratch;
    let (Some(text), Some(pattern)) = (text_of(arg(args, 0), text_scratch), text_of(arg(args, 1), pattern_scratch))
    else {
        return null(context);
    };
    if pattern.first().is_none_or(|&first| first == 0) {
        return context.answer(ValueRef::Text(text));
    }
    let Some(replacement) = text_of(arg(args, 2), replacement_scratch) else { return null(context) };
    let mut buffer = context.out.take_buffer();
    let mut copied = 0;
    for at in memmem::find_iter(text, pattern) {
        context.reserve(&mut buffer, at - copied + replacement.len())?;
        buffer.extend(text.get(copied..at).unwrap_or_default());
        buffer.extend(replacement);
        copied = at + pattern.len();
    }
    context.reserve(&mut buffer, text.len() - copied)?;
    buffer.extend(bytes::after(text, copied));
    context.answer_text(buffer)
}

fn trim(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    trim_ends(context, args, true, true)
}

fn ltrim(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    trim_ends(context, args, true, false)
}

fn rtrim(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    trim_ends(context, args, false, true)
}

fn trim_ends(context: &mut Context<'_>, args: &[ValueRef<'_>], at_start: bool, at_end: bool) -> Result {
    let (mut text_scratch, mut set_scratch) = (NumberText::default(), NumberText::default());
    let Some(mut text) = text_of(arg(args, 0), &mut text_scratch) else { return null(context) };
    let set = match args.get(1) {
        None => b" ",
        Some(&set) => match text_of(set, &mut set_scratch) {
            Some(set) => set,
            None => return null(context),
        },
    };
    if at_start {
        while let Some(len) = characters(set).find(|&one| text.starts_with(one)).map(<[u8]>::len) {
            text = bytes::after(text, len);
        }
    }
    if at_end {
        while let Some(len) = characters(set).find(|&one| text.ends_with(one)).map(<[u8]>::len) {
            text = bytes::up_to(text, text.len() - len);
        }
    }
    context.answer(ValueRef::Text(text))
}

/// The characters of `text` up to a NUL, each as its bytes.
fn characters(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = utf8::until_nul(text);
    std::iter::from_fn(move || {
        let (_, len) = utf8::decode(rest)?;
        let (character, behind) = rest.split_at(len);
        rest = behind;
        Some(character)
    })
}
