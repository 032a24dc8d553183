//! Entries as rows of the table `sqlar(name, mode, mtime, sz, data)`: the content is compressed with zlib if that makes it shorter.

use std::io::{Read, Write};
use std::rc::Rc;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use lithe::{Connection, ValueRef, params};

use super::Store;
use super::entry::{Content, Entry};
use super::options::Verb;

type Result<T> = std::result::Result<T, String>;

pub const CREATE: &str = "CREATE TABLE IF NOT EXISTS sqlar(
  name TEXT PRIMARY KEY,  -- name of the file
  mode INT,               -- access permissions
  mtime INT,              -- last modification time
  sz INT,                 -- original file size
  data BLOB               -- compressed content
)";

/// A database with that table.
pub struct Sqlar {
    connection: Rc<Connection>,
    /// Whether a savepoint with uncommitted changes is open.
    is_pending: bool,
}

impl Sqlar {
    pub fn begin(connection: Rc<Connection>, verb: Verb) -> Result<Sqlar> {
        let exists = "SELECT 1 FROM sqlite_schema WHERE name = 'sqlar'";
        let has_table = connection.query_row(exists, [], |_| Ok(())).is_ok();
        if !has_table && !verb.makes() {
            return Err("database does not contain an 'sqlar' table".to_owned());
        }
        let mut archive = Sqlar { connection, is_pending: false };
        if !matches!(verb, Verb::List | Verb::Extract) {
            // Small pages waste little space on small files. A database with pages keeps its page size.
            archive.run("PRAGMA page_size = 512; SAVEPOINT ar")?;
            archive.is_pending = true;
        }
        if verb.makes() && verb != Verb::Create {
            archive.run(CREATE)?;
        }
        Ok(archive)
    }

    fn run(&self, sql: &str) -> Result<()> {
        self.connection.execute_batch(sql).map_err(message_of)
    }
}

fn message_of(error: lithe::Error) -> String {
    format!("SQL error: {error}")
}

impl Store for Sqlar {
    fn clear(&mut self) -> Result<()> {
        self.run("DROP TABLE IF EXISTS sqlar")?;
        self.run(CREATE)
    }

    fn list(&mut self) -> Result<Vec<Entry>> {
        let sql = "SELECT name, mode, mtime, sz FROM sqlar WHERE name IS NOT NULL";
        let mut statement = self.connection.prepare(sql).map_err(message_of)?;
        let number = |row: &lithe::Row<'_>, i| row.get::<Option<i64>>(i).map(Option::unwrap_or_default);
        let entry = |row: &lithe::Row<'_>| {
            let mode = u32::try_from(number(row, 1)?).unwrap_or_default();
            Ok(Entry { name: row.get(0)?, mode, mtime: number(row, 2)?, size: number(row, 3)? })
        };
        statement.query_map([], entry).map_err(message_of)
    }

    fn content(&mut self, entry: &Entry) -> Result<Content> {
        if entry.is_folder() {
            return Ok(Content::Folder);
        }
        let sql = "SELECT data FROM sqlar WHERE name = ?1";
        let mut statement = self.connection.prepare_cached(sql).map_err(message_of)?;
        statement.bind(1, entry.name.as_str()).map_err(message_of)?;
        let row =
            statement.step().map_err(message_of)?.ok_or_else(|| format!("not found in archive: {}", entry.name))?;
        let data = row.get_ref(0).bytes().unwrap_or_default();
        if entry.is_link() {
            return Ok(Content::Link(String::from_utf8_lossy(data).into_owned()));
        }
        uncompressed(data, entry.size).map(Content::File)
    }

    fn put(&mut self, entry: &Entry, content: Content) -> Result<()> {
        let sql = "REPLACE INTO sqlar(name, mode, mtime, sz, data) VALUES (?1, ?2, ?3, ?4, ?5)";
        let compressed;
        let data = match &content {
            Content::Folder => ValueRef::Null,
            Content::Link(to) => ValueRef::Text(to.as_bytes()),
            Content::File(bytes) => {
                compressed = compressed_if_shorter(bytes)?;
                ValueRef::Blob(&compressed)
            }
        };
        let size = if let Content::File(bytes) = &content { bytes.len() as i64 } else { entry.size };
        let parameters = params![entry.name.as_str(), i64::from(entry.mode), entry.mtime, size, data];
        self.connection.prepare_cached(sql).and_then(|mut insert| insert.execute(parameters)).map_err(message_of)?;
        Ok(())
    }

    fn remove(&mut self, names: &[String]) -> Result<()> {
        let mut delete = self.connection.prepare("DELETE FROM sqlar WHERE name = ?1").map_err(message_of)?;
        names.iter().try_for_each(|name| delete.execute([name.as_str()]).map(|_| ()).map_err(message_of))
    }

    fn commit(&mut self) -> Result<()> {
        self.run("RELEASE ar")?;
        self.is_pending = false;
        Ok(())
    }
}

impl Drop for Sqlar {
    fn drop(&mut self) {
        if self.is_pending {
            // The first error has been reported already.
            let _ = self.run("ROLLBACK TO ar; RELEASE ar");
        }
    }
}

fn compressed_if_shorter(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let compressed = encoder.write_all(bytes).and_then(|()| encoder.finish());
    let compressed = compressed.map_err(|_| "error in compress()".to_owned())?;
    Ok(if compressed.len() < bytes.len() { compressed } else { bytes.to_vec() })
}

/// Data of the stated size is not compressed. Compressed data must have that size, so that a small archive cannot fill the memory.
fn uncompressed(data: &[u8], size: i64) -> Result<Vec<u8>> {
    let size = u64::try_from(size).unwrap_or_default();
    if size == 0 || size == data.len() as u64 {
        return Ok(data.to_vec());
    }
    let mut bytes = Vec::new();
    let read = ZlibDecoder::new(data).take(size + 1).read_to_end(&mut bytes);
    if read.is_ok() && bytes.len() as u64 == size { Ok(bytes) } else { Err("error in uncompress()".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compressed_comes_back() {
        for bytes in [vec![], b"x".to_vec(), vec![7; 100_000]] {
            let compressed = compressed_if_shorter(&bytes).unwrap();
            assert!(compressed.len() <= bytes.len());
            assert_eq!(uncompressed(&compressed, bytes.len() as i64).unwrap(), bytes);
        }
        let bomb = compressed_if_shorter(&[0; 100_000]).unwrap();
        assert!(uncompressed(&bomb, 99_999).is_err());
        assert!(uncompressed(b"not zlib", 50).is_err());
    }
}
