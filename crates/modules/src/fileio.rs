//! Files: `readfile(F)`, `writefile(F, DATA [, MODE [, MTIME]])`, `lsmode(MODE)`.
//!
//! Only statements of the application may call the first two: a schema from an untrusted source must not access files.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use lithe_value::cast::{to_integer, to_text};
use lithe_vtab::{Arity, Context, Function, FunctionError, Result, ValueRef, code, lossy, lossy_copy};

use crate::function::{argument, direct_only, possible, scalar};

const TYPE_MASK: i64 = 0o170_000;
const DIRECTORY: i64 = 0o040_000;
const REGULAR: i64 = 0o100_000;
const LINK: i64 = 0o120_000;
const PERMISSIONS: i64 = 0o7777;

/// The functions.
pub fn functions() -> Vec<Arc<Function>> {
    vec![
        direct_only("readfile", Arity::Exactly(1), read_file),
        direct_only("writefile", Arity::AtLeast(0), write_file),
        scalar("lsmode", Arity::Exactly(1), list_mode),
    ]
}

/// A file name from SQL: up to its first NUL, as a C string.
fn path(value: ValueRef<'_>) -> Result<Option<PathBuf>> {
    if value.is_null() {
        return Ok(None);
    }
    let text = to_text(value);
    let name = text.split(|byte| *byte == 0).next().unwrap_or_default();
    Ok(Some(PathBuf::from(lossy_copy(name)?)))
}

/// The content of a file; NULL if it cannot be read.
fn read_file(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match path(argument(args, 0))? {
        Some(path) => answer_file(context, &path),
        None => context.answer(ValueRef::Null),
    }
}

/// Answers the content of a file; NULL if it cannot be read.
pub fn answer_file(context: &mut Context<'_>, path: &Path) -> Result {
    let Ok(file) = possible(path).and_then(File::open) else { return context.answer(ValueRef::Null) };
    // One byte beyond the limit shows that the file is too long, however long it is.
    let limit = context.connection.length_max();
    let mut bytes = Vec::new();
    match file.take(limit as u64 + 1).read_to_end(&mut bytes) {
        Err(error) if error.kind() == ErrorKind::OutOfMemory => return Err(FunctionError::out_of_memory()),
        Err(_) => return context.answer(ValueRef::Null),
        Ok(_) => {}
    }
    if bytes.len() > limit { Err(FunctionError::too_big()) } else { context.answer(ValueRef::Blob(&bytes)) }
}

fn write_file(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    if !(2..=4).contains(&args.len()) {
        return Err(FunctionError::new("wrong number of arguments to function writefile()"));
    }
    let Some(path) = path(argument(args, 0))? else { return context.answer(ValueRef::Null) };
    let mode = args.get(2).map_or(0, |mode| to_integer(*mode));
    let time = args.get(3).filter(|time| !time.is_null()).map(|time| to_integer(*time));
    let data = argument(args, 1);
    let mut done = write(&path, data, mode, time);
    if done.as_ref().is_err_and(|error| error.kind() == ErrorKind::NotFound)
        && let Some(parent) = path.parent()
        && fs::create_dir_all(parent).is_ok()
    {
        done = write(&path, data, mode, time);
    }
    match done {
        Ok(Some(written)) => context.answer(ValueRef::Integer(written as i64)),
        Ok(None) => context.answer(ValueRef::Null),
        Err(error) if error.kind() == ErrorKind::OutOfMemory => Err(FunctionError::out_of_memory()),
        Err(_) if args.len() == 2 => context.answer(ValueRef::Null),
        Err(_) => {
            let what = match mode & TYPE_MASK {
                LINK => "create symlink",
                DIRECTORY => "create directory",
                _ => "write file",
            };
            Err(FunctionError::quoting(code::ERROR, format_args!("failed to {what}: {}", path.display())))
        }
    }
}

/// Makes a file, a directory or a symbolic link, as the type in its mode says; for a file, answers the number of bytes written.
fn write(path: &Path, data: ValueRef<'_>, mode: i64, time: Option<i64>) -> std::io::Result<Option<usize>> {
    let path = possible(path)?;
    match mode & TYPE_MASK {
        LINK => {
            let target = to_text(data);
            let target = lossy(&target).map_err(|_| ErrorKind::OutOfMemory)?;
            std::os::unix::fs::symlink(possible(target.as_ref().as_ref())?, path)?;
            Ok(None)
        }
        DIRECTORY => {
            match fs::create_dir(path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => {}
                done => done?,
            }
            set_mode(path, mode)?;
            set_time(path, time)?;
            Ok(None)
        }
        _ => {
            let mut file = File::create(path)?;
            let bytes = if data.is_null() { Default::default() } else { to_text(data) };
            file.write_all(&bytes)?;
            if mode & PERMISSIONS != 0 {
                set_mode(path, mode)?;
            }
            drop(file);
            set_time(path, time)?;
            Ok(Some(bytes.len()))
        }
    }
}

fn set_mode(path: &Path, mode: i64) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode((mode & PERMISSIONS) as u32))
}

fn set_time(path: &Path, seconds: Option<i64>) -> std::io::Result<()> {
    let Some(seconds) = seconds else { return Ok(()) };
    let distance = Duration::from_secs(seconds.unsigned_abs());
    let epoch = SystemTime::UNIX_EPOCH;
    let time = if seconds < 0 { epoch.checked_sub(distance) } else { epoch.checked_add(distance) };
    let time = time.ok_or(ErrorKind::InvalidInput)?;
    File::open(path)?.set_modified(time)
}

/// The mode of a file as `ls -l` shows it.
fn list_mode(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    context.answer(ValueRef::Text(mode_text(to_integer(argument(args, 0))).as_bytes()))
}

fn mode_text(mode: i64) -> String {
    let kind = match mode & TYPE_MASK {
        LINK => 'l',
        REGULAR => '-',
        DIRECTORY => 'd',
        _ => '?',
    };
    let bits = "rwxrwxrwx".chars().rev().enumerate();
    let mut text: Vec<char> = bits.map(|(bit, letter)| if mode >> bit & 1 == 1 { letter } else { '-' }).collect();
    text.push(kind);
    text.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes() {
        assert_eq!(mode_text(0o100_644), "-rw-r--r--");
        assert_eq!(mode_text(0o040_755), "drwxr-xr-x");
        assert_eq!(mode_text(0o120_777), "lrwxrwxrwx");
        assert_eq!(mode_text(0), "?---------");
    }

    #[test]
    fn files_directories_and_links() {
        let folder = std::env::temp_dir().join(format!("lithe-fileio-{}", std::process::id()));
        let file = folder.join("file");
        assert!(write(&file, ValueRef::Text(b"text"), 0, None).is_err(), "its folder is not there");
        write(&folder, ValueRef::Null, DIRECTORY | 0o755, None).unwrap();
        assert_eq!(write(&file, ValueRef::Text(b"text"), REGULAR | 0o600, Some(86_400)).unwrap(), Some(4));
        let metadata = fs::metadata(&file).unwrap();
        assert_eq!(metadata.modified().unwrap(), SystemTime::UNIX_EPOCH + Duration::from_secs(86_400));
        write(&folder.join("link"), ValueRef::Text(b"file"), LINK, None).unwrap();
        assert_eq!(fs::read(folder.join("link")).unwrap(), b"text");
        fs::remove_dir_all(&folder).unwrap();
    }
}
