//! How a database is opened: flags, and URI filenames (<https://www.sqlite.org/uri.html>).

use std::rc::Rc;
use std::sync::Arc;

use lithe_vfs::{MemoryVfs, ResultCode, UnixVfs, Vfs};

use crate::error::{Error, Result};
use crate::setting_text::boolean;
use crate::shared_cache;

/// Open flags, with the values of SQLITE_OPEN_*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFlags(pub u32);

impl OpenFlags {
    /// Read only.
    pub const READONLY: OpenFlags = OpenFlags(0x0000_0001);
    /// Read and write; read only if the file cannot be written.
    pub const READWRITE: OpenFlags = OpenFlags(0x0000_0002);
    /// Create the file if it does not exist.
    pub const CREATE: OpenFlags = OpenFlags(0x0000_0004);
    /// The filename may be a `file:` URI.
    pub const URI: OpenFlags = OpenFlags(0x0000_0040);
    /// A database in memory.
    pub const MEMORY: OpenFlags = OpenFlags(0x0000_0080);
    /// The connection is used by one thread at a time.
    pub const NOMUTEX: OpenFlags = OpenFlags(0x0000_8000);
    /// The connection may be used by several threads.
    pub const FULLMUTEX: OpenFlags = OpenFlags(0x0001_0000);
    /// Share the cache with other connections of the process.
    pub const SHAREDCACHE: OpenFlags = OpenFlags(0x0002_0000);
    /// A private cache, whatever the process's default is.
    pub const PRIVATECACHE: OpenFlags = OpenFlags(0x0004_0000);
    /// A symbolic link is an error.
    pub const NOFOLLOW: OpenFlags = OpenFlags(0x0100_0000);
    /// Extended result codes are on.
    pub const EXRESCODE: OpenFlags = OpenFlags(0x0200_0000);

    /// The flags that most programs use: read, write, create, URIs understood.
    pub const DEFAULT: OpenFlags = OpenFlags(0x0000_0002 | 0x0000_0004 | 0x0000_0040);

    /// Whether all bits of `other` are set.
    pub const fn contains(self, other: OpenFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// With the bits of `other`.
    #[must_use]
    pub const fn with(self, other: OpenFlags) -> OpenFlags {
        OpenFlags(self.0 | other.0)
    }

    /// Without the bits of `other`.
    #[must_use]
    pub const fn without(self, other: OpenFlags) -> OpenFlags {
        OpenFlags(self.0 & !other.0)
    }
}

impl std::ops::BitOr for OpenFlags {
    type Output = OpenFlags;

    fn bitor(self, other: OpenFlags) -> OpenFlags {
        self.with(other)
    }
}

/// A filename, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The path; empty for a temporary database, ":memory:" for a database in memory.
    pub path: Vec<u8>,
    /// The flags, after the changes that the URI makes.
    pub flags: OpenFlags,
    /// `vfs=`
    pub vfs: Option<String>,
    /// All parameters of the URI, decoded, in their order.
    pub parameters: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Target {
    /// The value of the parameter `key`: the first one of that name.
    pub fn parameter(&self, key: &str) -> Option<&[u8]> {
        self.parameters.iter().find(|(k, _)| k == key.as_bytes()).map(|(_, v)| v.as_slice())
    }

    /// Whether the database is in memory.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.path == b":memory:" || self.flags.contains(OpenFlags::MEMORY)
    }

    /// Whether the database shares its cache with other connections: because its flags or the process's default say so,
    /// unless it is opened with a private cache. A database in memory can only be shared by connections that name it in
    /// a URI.
    pub(crate) fn is_shared(&self) -> bool {
        let by_default = shared_cache::is_enabled() && !self.flags.contains(OpenFlags::PRIVATECACHE);
        let wanted = self.flags.contains(OpenFlags::SHAREDCACHE) || by_default;
        wanted && !self.path.is_empty() && (!self.is_in_memory() || self.flags.contains(OpenFlags::URI))
    }

    /// Whether the boolean parameter `key` is on: "yes", "on", "true" or a number other than 0.
    pub fn boolean(&self, key: &str, default: bool) -> bool {
        self.parameter(key).map_or(default, |value| boolean(value, default))
    }
}

/// Returns the VFS of that name for that file; `None` if the engine's own VFS of that name is to be used.
pub type VfsFinder = Rc<dyn Fn(&str, &Target) -> Result<Option<Arc<dyn Vfs>>>>;

/// The engine's own VFS of that name for `target`.
pub fn builtin_vfs(name: &str, target: &Target) -> Option<Arc<dyn Vfs>> {
    match name {
        "memdb" if target.path.starts_with(b"/") => {
            Some(shared_cache::memory_files(&[b"memdb:", target.path.as_slice()].concat()))
        }
        "memdb" => Some(Arc::new(MemoryVfs::new())),
        name => UnixVfs::named(name),
    }
}

/// The VFS of the files of `target`: the one that `target` names, else `default`.
pub(crate) fn vfs(target: &Target, default: &Arc<dyn Vfs>) -> Result<Arc<dyn Vfs>> {
    match target.vfs.as_deref() {
        None => Ok(Arc::clone(default)),
        Some(name) if name == default.name() => Ok(Arc::clone(default)),
        Some(name) => builtin_vfs(name, target).ok_or_else(|| Error::generic(format!("no such vfs: {name}"))),
    }
}

/// Parses a filename. It is a URI if the flags allow URIs and it begins with `file:`.
pub fn target(filename: &[u8], flags: OpenFlags) -> Result<Target> {
    match filename.strip_prefix(b"file:") {
        Some(rest) if flags.contains(OpenFlags::URI) => uri_target(rest, flags),
        _ => Ok(Target { path: filename.to_vec(), flags, vfs: None, parameters: Vec::new() }),
    }
}

fn uri_target(rest: &[u8], flags: OpenFlags) -> Result<Target> {
    let rest = without_authority(rest)?;
    let rest = rest.split(|&b| b == b'#').next().unwrap_or_default();
    let (path, query) = match rest.iter().position(|&b| b == b'?') {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, &[][..]),
    };
    let parameters: Vec<(Vec<u8>, Vec<u8>)> = query.split(|&b| b == b'&').filter_map(parameter).collect();
    let mut target = Target { path: decoded(path), flags, vfs: None, parameters };
    for (key, value) in target.parameters.clone() {
        match key.as_slice() {
            b"vfs" => target.vfs = Some(String::from_utf8_lossy(&value).into_owned()),
            b"mode" => target.flags = with_mode(target.flags, &value)?,
            b"cache" => target.flags = with_cache(target.flags, &value)?,
            _ => {}
        }
    }
    Ok(target)
}

/// Skips `//authority`, which must be empty or localhost.
fn without_authority(rest: &[u8]) -> Result<&[u8]> {
    let Some(after) = rest.strip_prefix(b"//") else { return Ok(rest) };
    let end = after.iter().position(|&b| b == b'/').unwrap_or(after.len());
    let (authority, path) = after.split_at(end);
    if authority.is_empty() || authority == b"localhost" {
        return Ok(path);
    }
    Err(Error::new(ResultCode::ERROR, format!("invalid uri authority: {}", String::from_utf8_lossy(authority))))
}

fn parameter(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut parts = text.splitn(2, |&b| b == b'=');
    let key = decoded(parts.next().unwrap_or_default());
    let value = decoded(parts.next().unwrap_or_default());
    (!key.is_empty()).then_some((key, value))
}

/// Decodes `%HH` escapes. An escaped NUL ends the text, as in a C string.
fn decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let escape = (byte == b'%').then(|| text.get(at + 1..at + 3).and_then(hex_byte)).flatten();
        match escape {
            Some(0) => break,
            Some(decoded) => out.push(decoded),
            None => out.push(byte),
        }
        at += if escape.is_some() { 3 } else { 1 };
    }
    out
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16);
    let value = digit(digits[0])? * 16 + digit(digits[1])?;
    u8::try_from(value).ok()
}

fn with_mode(flags: OpenFlags, mode: &[u8]) -> Result<OpenFlags> {
    let all = OpenFlags::READONLY | OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::MEMORY;
    let wanted = match mode {
        b"ro" => OpenFlags::READONLY,
        b"rw" => OpenFlags::READWRITE,
        b"rwc" => OpenFlags::READWRITE | OpenFlags::CREATE,
        b"memory" => OpenFlags::MEMORY,
        _ => return Err(unknown("access mode", mode)),
    };
    // A URI may restrict the access that the program has allowed, but not extend it.
    if wanted.without(OpenFlags::MEMORY).0 > flags.0 & (all.without(OpenFlags::MEMORY)).0 {
        let mode = String::from_utf8_lossy(mode);
        return Err(Error::new(ResultCode::PERM, format!("access mode not allowed: {mode}")));
    }
    // A database in memory that is asked for here is never read-only: no other connection could have filled it.
    let kept = flags.without(if wanted == OpenFlags::MEMORY { OpenFlags::READONLY } else { all });
    Ok(kept.with(wanted))
}

fn with_cache(flags: OpenFlags, mode: &[u8]) -> Result<OpenFlags> {
    let neither = flags.without(OpenFlags::SHAREDCACHE | OpenFlags::PRIVATECACHE);
    match mode {
        b"shared" => Ok(neither.with(OpenFlags::SHAREDCACHE)),
        b"private" => Ok(neither.with(OpenFlags::PRIVATECACHE)),
        _ => Err(unknown("cache mode", mode)),
    }
}

fn unknown(what: &str, value: &[u8]) -> Error {
    Error::new(ResultCode::ERROR, format!("no such {what}: {}", String::from_utf8_lossy(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(uri: &str, path: &str, flags: OpenFlags) {
        let target = target(uri.as_bytes(), OpenFlags::DEFAULT).unwrap();
        assert_eq!(String::from_utf8_lossy(&target.path), path, "{uri}");
        assert_eq!(target.flags, flags, "{uri}");
    }

    fn check_error(uri: &str, message: &str) {
        assert_eq!(target(uri.as_bytes(), OpenFlags::DEFAULT).unwrap_err().message(), message, "{uri}");
    }

    #[test]
    fn uris_are_taken_apart() {
        let ro = OpenFlags::READONLY | OpenFlags::URI;
        check("plain name?mode=ro", "plain name?mode=ro", OpenFlags::DEFAULT);
        check("file:data.db", "data.db", OpenFlags::DEFAULT);
        check("file:///home/fred/data.db", "/home/fred/data.db", OpenFlags::DEFAULT);
        check("file://localhost/home/data.db#x?mode=ro", "/home/data.db", OpenFlags::DEFAULT);
        check("file:a%20b%3f.db?mode=ro", "a b?.db", ro);
        check("file:a%00b?mode=ro&&x", "a", ro);
        check("file:m?mode=memory&cache=shared", "m", OpenFlags::DEFAULT | OpenFlags::MEMORY | OpenFlags::SHAREDCACHE);
        check_error("file://darkstar/home", "invalid uri authority: darkstar");
        check_error("file:a?mode=rx", "no such access mode: rx");
        check_error("file:a?cache=x", "no such cache mode: x");
        let read_only = OpenFlags::READONLY | OpenFlags::URI;
        assert_eq!(target(b"file:a?mode=rw", read_only).unwrap_err().message(), "access mode not allowed: rw");
    }

    #[test]
    fn boolean_parameters() {
        let target = target(b"file:a?immutable=1&nolock=off&psow=yes", OpenFlags::DEFAULT).unwrap();
        assert!(target.boolean("immutable", false) && target.boolean("psow", false));
        assert!(!target.boolean("nolock", true) && target.boolean("other", true));
        assert!(boolean(b"0x10", false) && !boolean(b"9223372036854775807", true) && boolean(b"full", true));
    }
}
