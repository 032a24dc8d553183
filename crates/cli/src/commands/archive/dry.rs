//! `.archive -n`: the SQL that would change or read the archive.

use super::entry::{Content, Entry};
use super::options::{Options, Verb};
use super::sqlar::CREATE;
use super::{Result, Store, chosen};
use crate::quote;

/// An archive that records its changes as SQL.
struct Dry<'t> {
    /// The archive that is read.
    archive: Box<dyn Store>,
    /// The folder that names are relative to.
    folder: &'t str,
    sql: &'t mut String,
}

/// Writes the SQL for the options to `text`.
pub fn run(options: &Options, archive: Box<dyn Store>, text: &mut String) -> Result<()> {
    if matches!(options.verb, Verb::List | Verb::Extract) {
        let mut archive = archive;
        let names: Vec<String> =
            chosen(options, &mut *archive)?.iter().map(|entry| quote::string(&entry.name)).collect();
        let columns = if options.verb == Verb::List { "name, mode, mtime, sz" } else { "name, mode, mtime, sz, data" };
        text.push_str(&format!("SELECT {columns} FROM sqlar WHERE name IN ({});\n", names.join(", ")));
        return Ok(());
    }
    let mut names = String::new();
    super::run(options, &mut Dry { archive, folder: &options.folder, sql: text }, &mut names)
}

impl Store for Dry<'_> {
    fn clear(&mut self) -> Result<()> {
        self.sql.push_str(&format!("DROP TABLE IF EXISTS sqlar;\n{CREATE};\n"));
        Ok(())
    }

    fn list(&mut self) -> Result<Vec<Entry>> {
        self.archive.list()
    }

    fn content(&mut self, entry: &Entry) -> Result<Content> {
        self.archive.content(entry)
    }

    fn put(&mut self, entry: &Entry, content: Content) -> Result<()> {
        let (size, data) = match &content {
            Content::Folder => (entry.size, "NULL".to_owned()),
            Content::Link(to) => (entry.size, quote::string(to)),
            Content::File(bytes) => {
                let path = std::path::Path::new(self.folder).join(&entry.name);
                let read = format!("readfile({})", quote::string(&path.to_string_lossy()));
                (bytes.len() as i64, format!("sqlar_compress({read})"))
            }
        };
        let (name, mode, mtime) = (quote::string(&entry.name), entry.mode, entry.mtime);
        self.sql.push_str(&format!(
            "REPLACE INTO sqlar(name, mode, mtime, sz, data) VALUES ({name}, {mode}, {mtime}, {size}, {data});\n"
        ));
        Ok(())
    }

    fn remove(&mut self, names: &[String]) -> Result<()> {
        for name in names {
            self.sql.push_str(&format!("DELETE FROM sqlar WHERE name = {};\n", quote::string(name)));
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        Ok(())
    }
}
