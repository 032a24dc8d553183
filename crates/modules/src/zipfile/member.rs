//! Members made from SQL values: by INSERT and UPDATE, and by the aggregate.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

use lithe_value::cast::{to_integer, to_text};
use lithe_vtab::{Change, FunctionError, Grow, Lossy, Result, ValueRef, as_number, code, copied};

use super::archive::Member;
use super::format::{DEFLATED, Entry, STORED};
use super::{DATA, METHOD, MODE, MTIME, NAME, RAW_DATA, SIZE};

/// The bit of a mode that marks a directory.
const DIRECTORY: u32 = 0o040_000;
const DIRECTORY_MODE: u32 = DIRECTORY | 0o755;
const FILE_MODE: u32 = 0o100_644;

fn constraint(message: impl Into<Cow<'static, str>>) -> FunctionError {
    FunctionError::with_code(code::CONSTRAINT, message)
}

/// The member that a change makes; `old` is the one that an UPDATE replaces.
///
/// # Errors
/// SQLITE_CONSTRAINT if the values are invalid.
pub fn made(change: &Change<'_>, old: Option<&Arc<Member>>, limit: usize) -> Result<Member> {
    let columns = change.columns().unwrap_or_default();
    let value = |column: usize| columns.get(column).copied().unwrap_or(ValueRef::Null);
    let kept = |column: usize| old.filter(|_| change.is_unchanged(column));
    for (column, name) in [(SIZE, "sz"), (RAW_DATA, "rawdata")] {
        if kept(column).is_none() && !value(column).is_null() {
            return Err(constraint(format!("{name} must be NULL")));
        }
    }
    let mut data = Some(to_text(value(DATA))).filter(|_| !value(DATA).is_null());
    if let Some(old) = kept(DATA) {
        data = if old.entry.is_directory() { None } else { old.data(limit)?.map(Cow::Owned) };
    }
    let mode = match kept(MODE) {
        Some(old) => Some(old.entry.mode()),
        None => mode(value(MODE))?,
    };
    let mode = mode.unwrap_or(if data.is_some() { FILE_MODE } else { DIRECTORY_MODE });
    if (mode & DIRECTORY != 0) == data.is_some() {
        return Err(constraint("zipfile: mode does not match data"));
    }
    let mtime = match kept(MTIME) {
        Some(old) => old.entry.mtime() as u32,
        None => mtime(value(MTIME)),
    };
    let method = match kept(METHOD) {
        Some(old) => Some(old.entry.method),
        None => method(value(METHOD)).map_err(|method| constraint(format!("unknown compression method: {method}")))?,
    };
    let mut name = copied(&to_text(value(NAME)))?;
    if data.is_none() && name.last() != Some(&b'/') {
        name.try_push(b'/')?;
    }
    let mut member = Member::new(Entry::new(name, mode, mtime), data.as_deref().unwrap_or_default(), method)?;
    if let Some(old) = old {
        member.entry.comment.clone_from(&old.entry.comment);
    }
    Ok(member)
}

/// A member of the aggregate `zipfile(name, [mode, mtime,] data [, method])`.
///
/// # Errors
/// If the values are invalid.
pub fn aggregated(args: &[ValueRef<'_>]) -> Result<Member> {
    let (name, mode_value, mtime_value, data, method_value) = match *args {
        [name, data] => (name, ValueRef::Null, ValueRef::Null, data, ValueRef::Null),
        [name, mode, mtime, data] => (name, mode, mtime, data, ValueRef::Null),
        [name, mode, mtime, data, method] => (name, mode, mtime, data, method),
        _ => return Err(FunctionError::new("wrong number of arguments to function zipfile()")),
    };
    if name.is_null() {
        return Err(FunctionError::new("first argument to zipfile() must be non-NULL"));
    }
    let mut name = copied(&to_text(name))?;
    let method =
        method(method_value).map_err(|method| FunctionError::new(format!("illegal method value: {method}")))?;
    let given = mode(mode_value)?;
    let is_directory = data.is_null();
    let mode = given.unwrap_or(if is_directory { DIRECTORY_MODE } else { FILE_MODE });
    if (mode & DIRECTORY != 0) != is_directory {
        return Err(FunctionError::new("zipfile: mode does not match data"));
    }
    match (is_directory, name.last() == Some(&b'/')) {
        (true, false) => name.try_push(b'/')?,
        (false, true) => return Err(FunctionError::new("non-directory name must not end with /")),
        _ => {}
    }
    let bytes = if is_directory { Default::default() } else { to_text(data) };
    Member::new(Entry::new(name, mode, mtime(mtime_value)), &bytes, method)
}

/// Type and permissions, from a number or the notation of `ls -l`. None for NULL.
fn mode(value: ValueRef<'_>) -> Result<Option<u32>> {
    if value.is_null() {
        return Ok(None);
    }
    if as_number(value).is_some() {
        return Ok(Some(to_integer(value) as u32 & 0xffff));
    }
    let text = to_text(value);
    let wrong = || {
        let shown = to_text(value);
        FunctionError::quoting(code::ERROR, format_args!("zipfile: parse error in mode: {}", Lossy(&shown)))
    };
    let (kind, letters) = text.split_first().ok_or_else(wrong)?;
    let kind = match kind {
        b'-' => 0o100_000,
        b'd' => DIRECTORY,
        b'l' => 0o120_000,
        _ => return Err(wrong()),
    };
    if letters.len() != 9 {
        return Err(wrong());
    }
    let mut mode = 0;
    for (letter, expected) in letters.iter().zip(b"rwxrwxrwx") {
        mode = mode << 1
            | match letter {
                b'-' => 0,
                letter if letter == expected => 1,
                _ => return Err(wrong()),
            };
    }
    Ok(Some(kind | mode))
}

/// The time of the file's last change; for NULL, the current time.
fn mtime(value: ValueRef<'_>) -> u32 {
    if value.is_null() {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        return now.map_or(0, |now| now.as_secs() as u32);
    }
    to_integer(value) as u32
}

/// The compression method; None, for NULL, means: deflate if that makes the content shorter.
fn method(value: ValueRef<'_>) -> std::result::Result<Option<u16>, i64> {
    match value {
        ValueRef::Null => Ok(None),
        value => match to_integer(value) {
            0 => Ok(Some(STORED)),
            8 => Ok(Some(DEFLATED)),
            other => Err(other),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes() {
        assert_eq!(mode(ValueRef::Text(b"-rw-r--r--")).unwrap(), Some(0o100_644));
        assert_eq!(mode(ValueRef::Text(b"drwxr-xr-x")).unwrap(), Some(0o040_755));
        assert_eq!(mode(ValueRef::Text(b"33188")).unwrap(), Some(33_188));
        assert_eq!(mode(ValueRef::Null).unwrap(), None);
        for wrong in ["", "-rwxrwxrw", "-rwxrwxrwz", "rrwxrwxrwx"] {
            assert!(mode(ValueRef::Text(wrong.as_bytes())).is_err(), "{wrong}");
        }
    }
}
