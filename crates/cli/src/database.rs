//! Opening databases: by name, read-only, in memory, through another VFS, ZIP archives.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use lithe::{Config, Connection, Deserialize, OpenFlags};

use crate::appended::{self, AppendVfs};
use crate::quote;

/// Options for opening a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    pub readonly: bool,
    /// Whether a symbolic link is refused.
    pub nofollow: bool,
    /// Whether the file must exist.
    pub exists: bool,
    /// Whether the file's bytes are loaded into a database in memory, which does not change the file.
    pub deserialize: bool,
    /// Whether the file is a text of `.dbtotxt`, which is loaded into a database in memory.
    pub hexdb: bool,
    /// The greatest size of a database in memory that is made from bytes.
    pub maxsize: Option<u64>,
    /// Whether the database is appended to another file.
    pub append: bool,
    /// Whether the file is a ZIP archive, whose members become the rows of a table `zip` in memory.
    pub zip: bool,
    /// The VFS; None means the default.
    pub vfs: Option<String>,
    /// The bytes of the file that are mapped; None means the engine's default.
    pub mmap: Option<u64>,
    /// Whether SQL may do what can damage the database.
    pub testing: bool,
}

/// The length of a ZIP archive's end record, and its first bytes.
const ZIP_END_LEN: u64 = 22;
const ZIP_END: &[u8] = b"PK\x05\x06";

impl Opening {
    /// The options, with the kind of the file that its end shows, unless the user has stated the kind.
    fn deduced(&self, file: &str) -> Opening {
        let is_said = self.append || self.zip || self.deserialize || self.hexdb;
        let end = if is_said { None } else { end_of(file) };
        let end = end.as_deref().unwrap_or_default();
        let append = self.append || end.starts_with(appended::MARK);
        let from_end = end.len().saturating_sub(ZIP_END_LEN as usize);
        let zip = self.zip || end.get(from_end..).is_some_and(|end| end.starts_with(ZIP_END));
        Opening { append, zip, ..self.clone() }
    }
}

/// The last bytes of a file, as many as a trailer of [`appended`] has.
fn end_of(file: &str) -> Option<Vec<u8>> {
    let mut file = std::fs::File::open(file).ok()?;
    let length = file.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    file.seek(SeekFrom::Start(length.checked_sub(appended::TRAILER_LEN)?)).ok()?;
    let mut end = Vec::new();
    file.read_to_end(&mut end).ok()?;
    Some(end)
}

/// Opens a database with the shell's additional modules.
pub fn open(file: &str, how: &Opening) -> Result<Connection, String> {
    let how = &how.deduced(file);
    let connection = if how.zip {
        Connection::open_in_memory().map_err(|error| failed(file, &error.to_string()))?
    } else if how.deserialize || how.hexdb {
        from_bytes(file, how)?
    } else {
        from_file(file, how)?
    };
    // The handle of the C interface is for extensions.
    let connection = connection.with_handle(sqlite3::Handle::new).map_err(|error| failed(file, &error.to_string()))?;
    connection.add_extension(&lithe::extension::SHELL);
    set_switches(&connection, how.testing);
    if how.zip {
        let create = format!("CREATE VIRTUAL TABLE zip USING zipfile({})", quote::string(file));
        connection.execute_batch(&create).map_err(|error| failed(file, &error.to_string()))?;
    }
    if let Some(bytes) = how.mmap {
        let set = connection.execute_batch(&format!("PRAGMA mmap_size = {bytes}"));
        set.map_err(|error| failed(file, &error.to_string()))?;
    }
    Ok(connection)
}

/// Sets the switches that differ from those of other connections: strings need single quotes, and SQL cannot damage the database, nor
/// call what reaches beyond it from the schema.
fn set_switches(connection: &Connection, is_testing: bool) {
    connection.set_config(Config::Defensive, !is_testing);
    connection.set_config(Config::TrustedSchema, is_testing);
    connection.set_config(Config::DqsDdl, false);
    connection.set_config(Config::DqsDml, false);
}

fn from_file(file: &str, how: &Opening) -> Result<Connection, String> {
    let mut flags = if how.readonly { OpenFlags::READONLY | OpenFlags::URI } else { OpenFlags::DEFAULT };
    if how.exists {
        flags = flags.without(OpenFlags::CREATE);
    }
    if how.nofollow {
        flags = flags | OpenFlags::NOFOLLOW;
    }
    let vfs = match &how.vfs {
        Some(name) => Some(lithe::vfs::UnixVfs::named(name).ok_or_else(|| format!("no such VFS: \"{name}\""))?),
        None if how.append => Some(lithe::vfs::UnixVfs::named("unix").ok_or("no such VFS: \"unix\"")?),
        None => None,
    };
    let opened = match vfs {
        Some(vfs) if how.append => Connection::open_with_vfs(file, flags, Arc::new(AppendVfs::over(vfs))),
        Some(vfs) => Connection::open_with_vfs(file, flags, vfs),
        None => Connection::open_with_flags(file, flags),
    };
    opened.map_err(|error| failed(file, &error.to_string()))
}

fn from_bytes(file: &str, how: &Opening) -> Result<Connection, String> {
    let bytes = match how.hexdb {
        true => {
            let text = std::fs::read(file).map_err(|error| failed(file, &error.to_string()))?;
            bytes_of_text(&String::from_utf8_lossy(&text)).ok_or_else(|| failed(file, "not a text of .dbtotxt"))?
        }
        // A file that does not exist is an empty database.
        false => std::fs::read(file).unwrap_or_default(),
    };
    let connection = Connection::open_in_memory().map_err(|error| failed(file, &error.to_string()))?;
    let read_only = Deserialize { read_only: how.readonly, ..Deserialize::default() };
    connection.deserialize("main", &bytes, read_only).map_err(|error| failed(file, &error.to_string()))?;
    if let (Some(bytes), Some(database)) = (how.maxsize, connection.database_file("main")) {
        database.size_max(Some(bytes));
    }
    Ok(connection)
}

fn failed(file: &str, reason: &str) -> String {
    format!("Error: unable to open database \"{file}\": {reason}")
}

/// The most bytes of a database from a text.
const TEXT_BYTES_MAX: usize = 1 << 30;

/// The bytes that a text of `.dbtotxt` describes: `| size N …`, `| page K offset O`, `|  AT: 16 bytes …`.
fn bytes_of_text(text: &str) -> Option<Vec<u8>> {
    let mut bytes: Option<Vec<u8>> = None;
    let mut page_at = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.strip_prefix('|')?.split_whitespace().collect();
        match (words.as_slice(), &mut bytes) {
            (["size", size, ..], None) => {
                let size = size.parse::<usize>().ok().filter(|size| *size <= TEXT_BYTES_MAX)?;
                bytes = Some(vec![0; size]);
            }
            (["page", _, "offset", offset], Some(_)) => page_at = offset.parse::<usize>().ok()?,
            (["end", ..], Some(_)) => return bytes,
            ([at, digits @ ..], Some(bytes)) => {
                let at = page_at.checked_add(at.strip_suffix(':')?.parse().ok()?)?;
                for (i, digits) in digits.iter().take(16).enumerate() {
                    *bytes.get_mut(at + i)? = u8::from_str_radix(digits, 16).ok()?;
                }
            }
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::bytes_of_text;

    #[test]
    fn a_text_becomes_bytes() {
        let line = "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e ff";
        let text = format!(
            "| size 32 pagesize 16 filename x\n| page 2 offset 16\n|      0: {line}   ................\n| end x\n"
        );
        let bytes = bytes_of_text(&text).unwrap();
        assert_eq!((bytes.len(), bytes[15], bytes[17], bytes[31]), (32, 0, 1, 255));
        assert_eq!(bytes_of_text("| size 8\n|  0: 00 00 00 00 00 00 00 00 00\n| end x"), None);
        assert_eq!(bytes_of_text("hello"), None);
    }
}
