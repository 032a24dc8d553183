//! Paths: `$`, `.label`, `."label"`, `[3]`, `[#]`, `[#-1]`.
//!
//! A path is read only as far as its steps lead to a value: the text after a step that leads nowhere is not checked.

use std::borrow::Cow;

use lithe_value::buffer::OutOfMemory;

use super::tree::{Escapes, Json, Text};

/// Why nothing was found or changed at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The path is malformed.
    BadPath,
    /// The memory for a label, or for the change, could not be allocated.
    OutOfMemory,
    /// The value is JSONB that is damaged at the place that the path leads to.
    Malformed,
    /// The operation inserts array elements, but the path ends with a label.
    NotAnElement,
}

impl From<OutOfMemory> for Failure {
    fn from(_: OutOfMemory) -> Failure {
        Failure::OutOfMemory
    }
}

type Result<T, E = Failure> = std::result::Result<T, E>;

/// One step.
pub enum Step<'p> {
    /// To a member of an object.
    Label(Text<'p>),
    /// To an element of an array, counted from its end.
    FromEnd(usize),
    /// To an element of an array.
    Index(usize),
}

/// The steps of a path after its `$`.
pub fn steps(path: &[u8]) -> Result<&[u8]> {
    path.strip_prefix(b"$").ok_or(Failure::BadPath)
}

/// The first step and the rest of the path.
pub fn first_step(path: &[u8]) -> Result<(Step<'_>, &[u8])> {
    match path {
        [b'.', rest @ ..] => label(rest),
        [b'[', rest @ ..] => index(rest),
        _ => Err(Failure::BadPath),
    }
}

fn label(path: &[u8]) -> Result<(Step<'_>, &[u8])> {
    if let Some(quoted) = path.strip_prefix(b"\"") {
        let mut end = 0;
        loop {
            match quoted.get(end) {
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
                None => return Err(Failure::BadPath),
            }
        }
        let (bytes, rest) = quoted.split_at_checked(end).ok_or(Failure::BadPath)?;
        let escapes = if bytes.contains(&b'\\') { Escapes::Json5 } else { Escapes::Raw };
        let rest = rest.strip_prefix(b"\"").ok_or(Failure::BadPath)?;
        return Ok((Step::Label(Text { escapes, bytes: Cow::Borrowed(bytes) }), rest));
    }
    let end = path.iter().position(|byte| matches!(byte, b'.' | b'[')).unwrap_or(path.len());
    let (bytes, rest) = path.split_at_checked(end).filter(|_| end > 0).ok_or(Failure::BadPath)?;
    Ok((Step::Label(Text { escapes: Escapes::Raw, bytes: Cow::Borrowed(bytes) }), rest))
}

fn index(path: &[u8]) -> Result<(Step<'_>, &[u8])> {
    let (from_end, rest) = match path {
        [b'#', b'-', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => (true, rest),
        [b'#', rest @ ..] => return close(rest).map(|rest| (Step::FromEnd(0), rest)),
        rest => (false, rest),
    };
    let len = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if len == 0 {
        return Err(Failure::BadPath);
    }
    let (digits, rest) = rest.split_at_checked(len).ok_or(Failure::BadPath)?;
    let number = digits.iter().fold(0_usize, |n, digit| n.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
    let step = if from_end { Step::FromEnd(number) } else { Step::Index(number) };
    Ok((step, close(rest)?))
}

fn close(rest: &[u8]) -> Result<&[u8]> {
    rest.strip_prefix(b"]").ok_or(Failure::BadPath)
}

impl Step<'_> {
    /// The index in an array of length `len`; `len` itself for an appended element.
    pub fn place(&self, len: usize) -> Option<usize> {
        match self {
            Step::Index(at) => Some(*at),
            Step::FromEnd(back) => len.checked_sub(*back),
            Step::Label(_) => None,
        }
    }
}

/// The last element, if its bytes are damaged: what follows them cannot be decoded.
pub fn damaged_element<'j, 'a>(items: &'j [Json<'a>]) -> Option<&'j Json<'a>> {
    items.last().filter(|last| matches!(last, Json::Damaged(_)))
}

/// The last member, if its bytes are damaged: what follows them cannot be decoded.
pub fn damaged_member<'j, 'a>(members: &'j [(Text<'a>, Json<'a>)]) -> Option<&'j (Text<'a>, Json<'a>)> {
    members.last().filter(|(_, last)| matches!(last, Json::Damaged(_)))
}
