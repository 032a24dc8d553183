//! JSON functions on text and JSONB.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `tree` | a JSON value |
//! | `parse` | text to tree or JSONB: JSON and JSON5 |
//! | `binary` | JSONB to tree and back |
//! | `kind` | the kinds of values in JSONB |
//! | `node` | looking up values in JSONB |
//! | `documents` | the last texts, as JSONB |
//! | `render` | tree and JSONB to text and to SQL's values |
//! | `output` | writing bytes, with errors when memory runs out |
//! | `path` | `$.a[3]` |
//! | `edit` | changing a tree |
//! | `group` | the aggregates |
//!
//! No input, be it text, JSONB or path, causes a panic: the code has no index, no `unwrap` and no `expect`.

mod binary;
mod documents;
mod each;
mod edit;
mod group;
mod kind;
mod node;
mod output;
mod parse;
mod path;
mod render;
mod tree;

use std::borrow::Cow;

use lithe_value::{Buffer, NumberText, ValueRef, cast, utf8};

pub use documents::trim;
pub use each::{EACH_COLUMNS, EachForm, each, each_subtype};
pub(crate) use group::{AGGREGATES, Group};

use crate::context::Context;
use crate::error::{FunctionError, Result};
use crate::signature::{Arity, Flags, Scalar, ScalarFn, arg};
use documents::Documents;
use edit::Edit;
use node::Node;
use output::Output;
use parse::Failure;
use tree::{Escapes, Json, Text};

/// The subtype that marks a text as JSON when it is passed from one function to another.
pub const SUBTYPE: u8 = 74;

const PURE: Flags = Flags::INNOCUOUS.with(Flags::DETERMINISTIC).with(Flags::STABLE);
const BUILDS: Flags = PURE.with(Flags::SUBTYPE).with(Flags::RESULT_SUBTYPE);
const MAKES: Flags = PURE.with(Flags::MAKES_JSON);
const MAKES_OF_JSON: Flags = BUILDS.with(Flags::MAKES_JSON);

const fn entry(name: &'static str, args: Arity, flags: Flags, eval: ScalarFn) -> Scalar {
    Scalar { name, args, flags, eval, shortcut: None }
}

const ANY: Arity = Arity::AtLeast(0);

pub(crate) const FUNCTIONS: [Scalar; 32] = [
    entry("->", Arity::Exactly(2), MAKES, arrow),
    entry("->>", Arity::Exactly(2), PURE, double_arrow),
    entry("json", Arity::Exactly(1), MAKES, json),
    entry("json_array", ANY, MAKES_OF_JSON, array::<false>),
    entry("json_array_insert", ANY, MAKES_OF_JSON, |c, a| change::<false>(c, a, Edit::ArrayInsert, "array_insert")),
    entry("json_array_length", Arity::Exactly(1), PURE, array_length),
    entry("json_array_length", Arity::Exactly(2), PURE, array_length),
    entry("json_error_position", Arity::Exactly(1), PURE, error_position),
    entry("json_extract", ANY, PURE.with(Flags::RESULT_SUBTYPE), extract::<false>),
    entry("json_insert", ANY, MAKES_OF_JSON, |c, a| change::<false>(c, a, Edit::Insert, "insert")),
    entry("json_object", ANY, MAKES_OF_JSON, object::<false>),
    entry("json_patch", Arity::Exactly(2), MAKES, patch::<false>),
    entry("json_pretty", Arity::Exactly(1), PURE, pretty),
    entry("json_pretty", Arity::Exactly(2), PURE, pretty),
    entry("json_quote", Arity::Exactly(1), MAKES_OF_JSON, quote),
    entry("json_remove", ANY, MAKES, remove::<false>),
    entry("json_replace", ANY, MAKES_OF_JSON, |c, a| change::<false>(c, a, Edit::Replace, "replace")),
    entry("json_set", ANY, MAKES_OF_JSON, |c, a| change::<false>(c, a, Edit::Set, "set")),
    entry("json_type", Arity::Exactly(1), PURE, type_of),
    entry("json_type", Arity::Exactly(2), PURE, type_of),
    entry("json_valid", Arity::Exactly(1), PURE, valid),
    entry("json_valid", Arity::Exactly(2), PURE, valid),
    entry("jsonb", Arity::Exactly(1), PURE, jsonb),
    entry("jsonb_array", ANY, BUILDS, array::<true>),
    entry("jsonb_array_insert", ANY, BUILDS, |c, a| change::<true>(c, a, Edit::ArrayInsert, "array_insert")),
    entry("jsonb_extract", ANY, PURE, extract::<true>),
    entry("jsonb_insert", ANY, BUILDS, |c, a| change::<true>(c, a, Edit::Insert, "insert")),
    entry("jsonb_object", ANY, BUILDS, object::<true>),
    entry("jsonb_patch", Arity::Exactly(2), PURE, patch::<true>),
    entry("jsonb_remove", ANY, PURE, remove::<true>),
    entry("jsonb_replace", ANY, BUILDS, |c, a| change::<true>(c, a, Edit::Replace, "replace")),
    entry("jsonb_set", ANY, BUILDS, |c, a| change::<true>(c, a, Edit::Set, "set")),
];

/// Whether functions that take JSON accept the BLOB as JSONB.
pub fn is_jsonb(blob: &[u8]) -> bool {
    binary::has_plausible_header(blob).unwrap_or(false)
}

/// A JSON argument.
enum TextOrJsonb<'v> {
    Text(&'v [u8]),
    Jsonb(&'v [u8]),
}

/// A JSON argument: text, JSONB, or a number, which is JSON, too. `None` for NULL.
fn text_or_jsonb<'v>(value: ValueRef<'v>, number: &'v mut NumberText) -> Result<Option<TextOrJsonb<'v>>> {
    let text = match value {
        ValueRef::Null => return Ok(None),
        ValueRef::Blob(blob) if binary::has_plausible_header(blob)? => return Ok(Some(TextOrJsonb::Jsonb(blob))),
        ValueRef::Blob(text) => text,
        ValueRef::Text(text) => utf8::until_nul(text),
        ValueRef::Integer(integer) => {
            *number = NumberText::from(integer);
            number.as_bytes()
        }
        ValueRef::Real(real) => {
            *number = NumberText::of_real(real);
            number.as_bytes()
        }
    };
    Ok(Some(TextOrJsonb::Text(text)))
}

/// The same as a tree.
fn argument<'v>(value: ValueRef<'v>, number: &'v mut NumberText) -> Result<Option<Json<'v>>> {
    Ok(match text_or_jsonb(value, number)? {
        None => None,
        Some(TextOrJsonb::Text(text)) => Some(parse::parse(text)?),
        Some(TextOrJsonb::Jsonb(blob)) => Some(binary::parse(blob)?),
    })
}

/// A text as JSONB.
fn jsonb_of(text: &[u8]) -> Result<Buffer> {
    let mut out = Output::default();
    // JSONB is mostly shorter than its text.
    out.expect(text.len());
    parse::to_binary(text, &mut out)?;
    Ok(out.finish()?)
}

/// Calls `f` with a JSON argument as JSONB. `None` for NULL.
fn with_jsonb<T>(
    context: &mut Context<'_>,
    value: ValueRef<'_>,
    f: impl FnOnce(&mut Context<'_>, &[u8]) -> Result<T>,
) -> Result<Option<T>> {
    let mut number = NumberText::default();
    match text_or_jsonb(value, &mut number)? {
        None => Ok(None),
        Some(TextOrJsonb::Jsonb(blob)) => f(context, blob).map(Some),
        Some(TextOrJsonb::Text(text)) => with_jsonb_of(context, text, f).map(Some),
    }
}

/// Calls `f` with a text as JSONB.
fn with_jsonb_of<T>(
    context: &mut Context<'_>,
    text: &[u8],
    f: impl FnOnce(&mut Context<'_>, &[u8]) -> Result<T>,
) -> Result<T> {
    let Some(shared) = context.shared.take() else {
        return f(context, jsonb_of(text)?.as_slice());
    };
    let result = match Documents::of(shared).jsonb_of(text) {
        Ok(jsonb) => f(context, jsonb),
        Err(failure) => Err(failure.into()),
    };
    context.shared = Some(shared);
    result
}

/// Calls `f` with a JSON argument of which some parts are changed: of a text, no tree is made of the others. Returns NULL for NULL.
fn with_changeable(
    context: &mut Context<'_>,
    value: ValueRef<'_>,
    f: impl FnOnce(&mut Context<'_>, Json<'_>) -> Result,
) -> Result {
    let mut number = NumberText::default();
    match text_or_jsonb(value, &mut number)? {
        None => null(context),
        Some(TextOrJsonb::Jsonb(blob)) => f(context, binary::parse(blob)?),
        Some(TextOrJsonb::Text(text)) => with_jsonb_of(context, text, |context, jsonb| f(context, Json::Binary(jsonb))),
    }
}

/// The value that a path leads to.
fn find<'j>(jsonb: &'j [u8], path: &[u8]) -> Result<Option<Node<'j>>> {
    node::find(jsonb, path).map_err(|failure| path_failure(failure, path))
}

/// A value as an element of JSON: the result of a JSON function is JSON, another text is a string.
fn element<'v>(value: ValueRef<'v>, subtype: u8) -> Result<Json<'v>> {
    match value {
        ValueRef::Text(text) if subtype == SUBTYPE => Ok(parse::parse(text)?),
        ValueRef::Blob(blob) if binary::has_plausible_header(blob)? => Ok(binary::parse(blob)?),
        ValueRef::Blob(_) => Err(FunctionError::new("JSON cannot hold BLOB values")),
        value => Ok(render::of_sql_value(value)?),
    }
}

/// A value that replaces one in JSON. Unlike an [`element`], a text without the subtype is not escaped, and infinities are
/// written as the shortest number that is infinite.
fn replacement<'v>(value: ValueRef<'v>, subtype: u8) -> Result<Json<'v>> {
    match value {
        ValueRef::Text(text) if subtype != SUBTYPE => {
            Ok(Json::Text(Text { escapes: Escapes::Raw, bytes: Cow::Borrowed(text) }))
        }
        ValueRef::Real(real) if real.is_infinite() => {
            let digits: &[u8] = if real > 0.0 { b"9e999" } else { b"-9e999" };
            Ok(Json::Real(Cow::Borrowed(digits)))
        }
        _ => element(value, subtype),
    }
}

/// Returns JSON, as text or as JSONB.
fn answer<const BINARY: bool>(context: &mut Context<'_>, json: &Json<'_>) -> Result {
    let mut bytes = Output::appending_to(context.out.take_buffer());
    if BINARY {
        binary::push(json, &mut bytes);
        return context.answer_blob(bytes.finish()?);
    }
    render::push_json(json, &mut bytes);
    context.subtype = SUBTYPE;
    context.answer_text(bytes.finish()?)
}

/// Returns a value of JSONB as JSON text.
fn answer_jsonb(context: &mut Context<'_>, jsonb: &[u8]) -> Result {
    let mut text = Output::appending_to(context.out.take_buffer());
    render::push_binary(jsonb, &mut text);
    context.subtype = SUBTYPE;
    context.answer_text(text.finish()?)
}

fn answer_bytes(context: &mut Context<'_>, bytes: &[u8]) -> Result {
    context.answer(ValueRef::Text(bytes))
}

fn null(context: &mut Context<'_>) -> Result {
    context.out.set_null();
    Ok(())
}

/// The text of a path; `None` for NULL.
fn path_text(value: ValueRef<'_>) -> Result<Option<Cow<'_, [u8]>>> {
    Ok(match value {
        ValueRef::Null => None,
        ValueRef::Text(text) => Some(Cow::Borrowed(utf8::until_nul(text))),
        _ => Some(Cow::Owned(output::copy(utf8::until_nul(cast::to_bytes(value, &mut NumberText::default())))?)),
    })
}

/// The error of a path that could not be followed.
fn path_failure(failure: path::Failure, path: &[u8]) -> FunctionError {
    match failure {
        path::Failure::BadPath => about_path("bad JSON path", path),
        path::Failure::OutOfMemory => FunctionError::out_of_memory(),
        path::Failure::Malformed => FunctionError::new("malformed JSON"),
        path::Failure::NotAnElement => about_path("not an array element", path),
    }
}

/// An error that quotes a path.
fn about_path(what: &str, path: &[u8]) -> FunctionError {
    let mut message = Output::default();
    message.extend(what.as_bytes());
    message.extend(b": '");
    for chunk in path.utf8_chunks() {
        for (at, part) in chunk.valid().split('\'').enumerate() {
            message.extend(if at > 0 { b"''" } else { b"" });
            message.extend(part.as_bytes());
        }
        message.extend(if chunk.invalid().is_empty() { b"" } else { "\u{fffd}".as_bytes() });
    }
    message.push(b'\'');
    match message.finish() {
        Ok(message) => FunctionError::new(String::from_utf8(message.into_vec()).unwrap_or_default()),
        Err(error) => error.into(),
    }
}

fn json(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    with_jsonb(context, arg(args, 0), answer_jsonb)?.map_or_else(|| null(context), Ok)
}

fn jsonb(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut number = NumberText::default();
    let mut out = Output::appending_to(context.out.take_buffer());
    match text_or_jsonb(arg(args, 0), &mut number)? {
        None => return null(context),
        Some(TextOrJsonb::Text(text)) => {
            out.expect(text.len());
            parse::to_binary(text, &mut out)?;
        }
        Some(TextOrJsonb::Jsonb(blob)) => binary::push(&binary::parse(blob)?, &mut out),
    }
    context.answer_blob(out.finish()?)
}

fn array<const BINARY: bool>(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut items = Vec::new();
    for (at, value) in args.iter().enumerate() {
        output::push(&mut items, element(*value, context.arg_subtype(at))?)?;
    }
    answer::<BINARY>(context, &Json::Array(items))
}

fn object<const BINARY: bool>(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    if !args.len().is_multiple_of(2) {
        return Err(FunctionError::new("json_object() requires an even number of arguments"));
    }
    let mut members = Vec::new();
    for (at, pair) in args.chunks_exact(2).enumerate() {
        let [ValueRef::Text(label), value] = pair else {
            return Err(FunctionError::new("json_object() labels must be TEXT"));
        };
        let value = element(*value, context.arg_subtype(2 * at + 1))?;
        output::push(&mut members, (Text::from_sql(label)?, value))?;
    }
    answer::<BINARY>(context, &Json::Object(members))
}

fn quote(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let json = element(arg(args, 0), context.arg_subtype(0))?;
    answer::<false>(context, &json)
}

/// Calls `f` with the value at a path, for a function whose path argument is optional. The answer is NULL where there is none.
fn with_target(
    context: &mut Context<'_>,
    args: &[ValueRef<'_>],
    f: impl FnOnce(&mut Context<'_>, &Node<'_>) -> Result,
) -> Result {
    let answered = with_jsonb(context, arg(args, 0), |context, jsonb| {
        let path = match args.get(1) {
            None => Cow::Borrowed(&b"$"[..]),
            Some(path) => match path_text(*path)? {
                Some(path) => path,
                None => return null(context),
            },
        };
        match find(jsonb, &path)? {
            Some(found) => f(context, &found),
            None => null(context),
        }
    })?;
    answered.map_or_else(|| null(context), Ok)
}

fn array_length(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    with_target(context, args, |context, found| {
        let length = if found.kind() == Some(kind::ARRAY) { found.children().count() } else { 0 };
        context.out.set_integer(length as i64);
        Ok(())
    })
}

fn type_of(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    with_target(context, args, |context, found| {
        let name = found.type_name().ok_or_else(|| FunctionError::new("malformed JSON"))?;
        answer_bytes(context, name.as_bytes())
    })
}

/// Returns a value that was found: a scalar as an SQL value, any other as JSON.
fn answer_found<const BINARY: bool>(context: &mut Context<'_>, found: &Node<'_>) -> Result {
    if !BINARY && matches!(found.kind(), Some(kind::ARRAY | kind::OBJECT)) {
        return answer_jsonb(context, found.bytes);
    }
    let json = binary::parse(found.bytes)?;
    if matches!(json, Json::Array(_) | Json::Object(_)) {
        return answer::<BINARY>(context, &json);
    }
    render::with_sql_value(&json, |value| context.answer(value))?.unwrap_or(Ok(()))
}

fn extract<const BINARY: bool>(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let answered = match args {
        [] | [_] => None,
        [first, path] => with_jsonb(context, *first, |context, jsonb| {
            let Some(path) = path_text(*path)? else { return null(context) };
            match find(jsonb, &path)? {
                Some(found) => answer_found::<BINARY>(context, &found),
                None => null(context),
            }
        })?,
        [first, paths @ ..] => {
            with_jsonb(context, *first, |context, jsonb| extract_all::<BINARY>(context, jsonb, paths))?
        }
    };
    answered.map_or_else(|| null(context), Ok)
}

/// Returns the array of the values that the paths lead to.
fn extract_all<const BINARY: bool>(context: &mut Context<'_>, jsonb: &[u8], paths: &[ValueRef<'_>]) -> Result {
    let mut items = Vec::new();
    for path in paths {
        let Some(path) = path_text(*path)? else { return null(context) };
        let item = match find(jsonb, &path)? {
            Some(found) => binary::parse(found.bytes)?,
            None => Json::Null,
        };
        output::push(&mut items, item)?;
    }
    answer::<BINARY>(context, &Json::Array(items))
}

/// The path for the right operand of an arrow: the operand itself, an index, or a label.
fn arrow_path(value: ValueRef<'_>) -> Result<Option<Cow<'_, [u8]>>> {
    let Some(text) = path_text(value)? else { return Ok(None) };
    Ok(Some(match value {
        ValueRef::Integer(index) if index >= 0 => format!("$[{index}]").into_bytes().into(),
        ValueRef::Integer(index) => format!("$[#{index}]").into_bytes().into(),
        _ if text.is_empty() || text.starts_with(b"$") => text,
        _ if text.len() > 2 && text.starts_with(b"[") && text.ends_with(b"]") => output::concat(&[b"$", &text])?.into(),
        _ => output::concat(&[b"$.\"", &text, b"\""])?.into(),
    }))
}

fn arrow(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    arrow_to(context, args, |context, found| answer_jsonb(context, found.bytes))
}

fn double_arrow(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    arrow_to(context, args, |context, found| {
        answer_found::<false>(context, found)?;
        context.subtype = 0;
        Ok(())
    })
}

fn arrow_to(
    context: &mut Context<'_>,
    args: &[ValueRef<'_>],
    answer: impl FnOnce(&mut Context<'_>, &Node<'_>) -> Result,
) -> Result {
    let operand = arg(args, 1);
    let answered = with_jsonb(context, arg(args, 0), |context, jsonb| {
        let Some(path) = arrow_path(operand)? else { return null(context) };
        match node::find(jsonb, &path) {
            Ok(Some(found)) => answer(context, &found),
            Ok(None) => null(context),
            Err(failure) => Err(path_failure(failure, &path_text(operand)?.unwrap_or_default())),
        }
    })?;
    answered.map_or_else(|| null(context), Ok)
}

fn change<const BINARY: bool>(context: &mut Context<'_>, args: &[ValueRef<'_>], edit: Edit, name: &str) -> Result {
    let [first, changes @ ..] = args else { return null(context) };
    if !changes.len().is_multiple_of(2) {
        return Err(FunctionError::new(format!("json_{name}() needs an odd number of arguments")));
    }
    with_changeable(context, *first, |context, json| {
        let mut json = json; // with what it will hold of the arguments
        for (at, pair) in changes.chunks_exact(2).enumerate() {
            let [path, value] = pair else { continue };
            let Some(path) = path_text(*path)? else { continue };
            path::steps(&path).map_err(|failure| path_failure(failure, &path))?;
            let value = replacement(*value, context.arg_subtype(2 * at + 2))?;
            edit::edit(&mut json, &path, edit, &value).map_err(|failure| path_failure(failure, &path))?;
        }
        answer::<BINARY>(context, &json)
    })
}

fn remove<const BINARY: bool>(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let [first, paths @ ..] = args else { return null(context) };
    with_changeable(context, *first, |context, mut json| {
        for path in paths {
            let Some(path) = path_text(*path)? else { return null(context) };
            if !edit::remove(&mut json, &path).map_err(|failure| path_failure(failure, &path))? {
                return null(context);
            }
        }
        answer::<BINARY>(context, &json)
    })
}

fn patch<const BINARY: bool>(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut numbers = [NumberText::default(), NumberText::default()];
    let [first, second] = &mut numbers;
    let Some(mut target) = argument(arg(args, 0), first)? else { return null(context) };
    let Some(patch) = argument(arg(args, 1), second)? else { return null(context) };
    edit::patch(&mut target, patch)?;
    answer::<BINARY>(context, &target)
}

fn pretty(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut number = NumberText::default();
    let Some(json) = argument(arg(args, 0), &mut number)? else { return null(context) };
    let indent = args.get(1).map_or(Ok(None), |indent| path_text(*indent))?.unwrap_or(Cow::Borrowed(b"    "));
    let mut text = Output::appending_to(context.out.take_buffer());
    render::push_pretty(&json, &indent, 0, &mut text);
    context.answer_text(text.finish()?)
}

fn valid(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    const JSON: i64 = 1;
    const JSON5: i64 = 2;
    const JSONB: i64 = 4;
    const JSONB_STRICTLY: i64 = 8;
    let flags = match args.get(1) {
        None => JSON,
        Some(flags) => cast::to_integer(*flags),
    };
    if !(1..=15).contains(&flags) {
        return Err(FunctionError::new("FLAGS parameter to json_valid() must be between 1 and 15"));
    }
    let json = arg(args, 0);
    if json.is_null() {
        return null(context);
    }
    let has = |flag: i64| flags & flag != 0;
    if let ValueRef::Blob(blob) = json
        && ((has(JSONB) && binary::has_plausible_header(blob)?) || (has(JSONB_STRICTLY) && binary::is_valid(blob)?))
    {
        context.out.set_integer(1);
        return Ok(());
    }
    let mut number = NumberText::default();
    let text = cast::to_bytes(json, &mut number);
    let is_valid = match parse::is_json5(utf8::until_nul(text)) {
        Ok(is_json5) => has(JSON5) || (has(JSON) && !is_json5),
        Err(Failure::Malformed(_)) => false,
        Err(failure) => return Err(failure.into()),
    };
    context.out.set_integer(i64::from(is_valid));
    Ok(())
}

/// The number of the character at which a text stops being JSON5, from 1; 0 if the whole text is.
fn error_position(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let json = arg(args, 0);
    if json.is_null() {
        return null(context);
    }
    if let ValueRef::Blob(blob) = json
        && binary::is_valid(blob)?
    {
        context.out.set_integer(0);
        return Ok(());
    }
    let mut number = NumberText::default();
    let text = utf8::until_nul(cast::to_bytes(json, &mut number));
    let position = match parse::is_json5(text) {
        Ok(_) => 0,
        Err(failure @ Failure::OutOfMemory) => return Err(failure.into()),
        Err(Failure::Malformed(at)) => 1 + text.iter().take(at).filter(|&&byte| byte & 0xc0 != 0x80).count() as i64,
    };
    context.out.set_integer(position);
    Ok(())
}
