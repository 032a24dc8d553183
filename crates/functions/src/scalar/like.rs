//! The functions of the operators LIKE, GLOB and MATCH.

use lithe_value::pattern::{self, Dialect, Pattern};
use lithe_value::{NumberText, ValueRef, cast, utf8};

use super::{arg, null, pure};
use crate::context::{CallSite, Connection, Context};
use crate::error::{FunctionError, Result};
use crate::function::{Function, Kind};
use crate::signature::{Arity, Flags, Scalar, ScalarFn, Shortcut};

pub(super) const FUNCTIONS: [Scalar; 3] =
    [pure("glob", 2, glob).or_shortcut(Shortcut::Condition(short_glob)), LIKE[0], LIKE[1]];

/// LIKE without and with ESCAPE.
const LIKE: [Scalar; 2] = [pure("like", 2, like).or_shortcut(Shortcut::Condition(short_like)), pure("like", 3, like)];

/// LIKE as PRAGMA case_sensitive_like defines it, with two and three arguments, in place of the application's. It is not deterministic,
/// because it depends on the setting.
pub fn like_of_pragma() -> [Function; 2] {
    let flags = Flags::INNOCUOUS.with(Flags::DEFINED_BY_PRAGMA);
    LIKE.map(|entry| Function::from(&Scalar { flags, ..entry }))
}

/// `match(pattern, text)`: `text MATCH pattern`. Only virtual tables define its meaning, by overloading it. As in SQLite, it is
/// not one of the built-in functions.
pub(crate) fn match_function() -> Function {
    let eval: ScalarFn = |_, _| Err(FunctionError::new("unable to use function MATCH in the requested context"));
    Function::custom("match", Arity::Exactly(2), Flags::default(), Kind::Scalar(eval))
}

/// `glob(pattern, text)`: `text GLOB pattern`
fn glob(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    matches(context, args, Dialect::Glob)
}

/// The most frequent call: a text, and the pattern of the previous call.
fn short_glob(pattern: &[u8], text: &[u8], site: &CallSite, _: &dyn Connection) -> Option<bool> {
    matches_as_before(pattern, text, site, Dialect::Glob)
}

/// `like(pattern, text, escape)`: `text LIKE pattern ESCAPE escape`
fn like(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let dialect = dialect_of_like(context.connection);
    matches(context, args, dialect)
}

/// As [`short_glob`].
fn short_like(pattern: &[u8], text: &[u8], site: &CallSite, connection: &dyn Connection) -> Option<bool> {
    matches_as_before(pattern, text, site, dialect_of_like(connection))
}

#[inline]
fn dialect_of_like(connection: &dyn Connection) -> Dialect {
    if connection.case_sensitive_like() { Dialect::LikeWithCase } else { Dialect::Like }
}

#[inline]
fn matches_as_before(pattern: &[u8], text: &[u8], site: &CallSite, dialect: Dialect) -> Option<bool> {
    let kept: &Prepared = site.get()?;
    kept.fits(pattern, dialect, None).then(|| kept.pattern.matches(text))
}

fn matches(context: &mut Context<'_>, args: &[ValueRef<'_>], dialect: Dialect) -> Result {
    let (mut pattern_scratch, mut text_scratch) = (NumberText::default(), NumberText::default());
    let pattern = cast::to_bytes(arg(args, 0), &mut pattern_scratch);
    if pattern.len() > context.connection.like_pattern_length_max() {
        return Err(FunctionError::new(pattern::TOO_COMPLEX));
    }
    let escape = match args.get(2) {
        None => None,
        Some(ValueRef::Null) => return null(context),
        Some(&escape) => Some(escape_character(escape)?),
    };
    if arg(args, 0).is_null() || arg(args, 1).is_null() {
        return null(context);
    }
    let text = cast::to_bytes(arg(args, 1), &mut text_scratch);
    let is_match = prepared(context.site, pattern, dialect, escape).matches(text);
    context.out.set_integer(i64::from(is_match));
    Ok(())
}

/// The escape character: the value as text must be a single character.
fn escape_character(value: ValueRef<'_>) -> Result<u32> {
    let mut scratch = NumberText::default();
    let text = utf8::until_nul(cast::to_bytes(value, &mut scratch));
    match utf8::decode(text) {
        Some((character, len)) if len == text.len() => Ok(character),
        _ => Err(FunctionError::new("ESCAPE expression must be a single character")),
    }
}

/// A compiled pattern, and its source.
struct Prepared {
    source: Box<[u8]>,
    dialect: Dialect,
    escape: Option<u32>,
    pattern: Pattern,
}

impl Prepared {
    #[inline]
    fn fits(&self, source: &[u8], dialect: Dialect, escape: Option<u32>) -> bool {
        self.dialect == dialect && self.escape == escape && *self.source == *source
    }
}

/// The pattern of the previous call at this site, if it is the same; it is compiled again otherwise. Usually it is a literal.
fn prepared<'a>(site: &'a mut CallSite, source: &[u8], dialect: Dialect, escape: Option<u32>) -> &'a Pattern {
    let fits = |kept: &Prepared| kept.fits(source, dialect, escape);
    let make = || Prepared { source: source.into(), dialect, escape, pattern: Pattern::new(source, dialect, escape) };
    &site.get_or_make(fits, make).pattern
}
