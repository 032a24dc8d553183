//! Opening databases: by name, read-only, in memory, through another VFS.

use lithe::{Connection, Deserialize, OpenFlags};

/// How a database is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    pub readonly: bool,
    /// A symbolic link is refused.
    pub nofollow: bool,
    /// A file that does not exist is not made.
    pub exists: bool,
    /// The file's bytes become a database in memory, which leaves the file as it is.
    pub deserialize: bool,
    /// The file is a text as `.dbtotxt` writes it, and becomes a database in memory.
    pub hexdb: bool,
    /// Bytes that a database in memory made from bytes may grow to.
    pub maxsize: Option<u64>,
    /// The VFS; none is the machine's.
    pub vfs: Option<String>,
    /// Bytes of the file that are mapped; none is what the engine chooses.
    pub mmap: Option<u64>,
}

/// Opens a database with what the shell has beyond the library.
pub fn open(file: &str, how: &Opening) -> Result<Connection, String> {
    let connection = if how.deserialize || how.hexdb { from_bytes(file, how)? } else { from_file(file, how)? };
    connection.add_extension(&lithe::extension::SHELL);
    if let Some(bytes) = how.mmap {
        let set = connection.execute_batch(&format!("PRAGMA mmap_size = {bytes}"));
        set.map_err(|error| failed(file, &error.to_string()))?;
    }
    Ok(connection)
}

fn from_file(file: &str, how: &Opening) -> Result<Connection, String> {
    let mut flags = if how.readonly { OpenFlags::READONLY | OpenFlags::URI } else { OpenFlags::DEFAULT };
    if how.exists {
        flags = flags.without(OpenFlags::CREATE);
    }
    if how.nofollow {
        flags = flags | OpenFlags::NOFOLLOW;
    }
    let opened = match &how.vfs {
        Some(name) => {
            let vfs = lithe::vfs::UnixVfs::named(name).ok_or_else(|| format!("no such VFS: \"{name}\""))?;
            Connection::open_with_vfs(file, flags, vfs)
        }
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

/// A file of more bytes would not be a text that a person made.
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
