//! Entries as members of a ZIP file. A changed archive is written to a new file, which replaces the old one.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};

use zip::write::FullFileOptions;
use zip::{CompressionMethod, DateTime, ExtraField, ZipArchive, ZipWriter};

use super::Store;
use super::entry::{Content, Entry, TYPE_FILE, TYPE_FOLDER, TYPE_MASK};

type Result<T> = std::result::Result<T, String>;

/// A ZIP file, with the changes for its next version.
pub struct Zipped {
    file: String,
    /// `None` if the file does not exist yet.
    archive: Option<ZipArchive<BufReader<File>>>,
    added: Vec<(Entry, Content)>,
    removed: HashSet<String>,
}

impl Zipped {
    pub fn open(file: &str) -> Result<Zipped> {
        let archive = match File::open(file) {
            Ok(opened) => {
                Some(ZipArchive::new(BufReader::new(opened)).map_err(|e| format!("cannot open file: {file} ({e})"))?)
            }
            Err(_) => None,
        };
        Ok(Zipped { file: file.to_owned(), archive, added: Vec::new(), removed: HashSet::new() })
    }

    fn message_of(&self, error: impl std::fmt::Display) -> String {
        format!("{}: {error}", self.file)
    }
}

/// The extra field of times in seconds since 1970.
const EXTENDED_TIMESTAMP: u16 = 0x5455;

/// The name of an entry: the member's without the trailing slash that marks a folder.
fn name_of(member: &str) -> String {
    member.trim_end_matches('/').to_owned()
}

impl Store for Zipped {
    fn clear(&mut self) -> Result<()> {
        self.archive = None;
        Ok(())
    }

    fn list(&mut self) -> Result<Vec<Entry>> {
        let Some(archive) = &mut self.archive else { return Ok(Vec::new()) };
        let mut entries = Vec::new();
        for i in 0..archive.len() {
            let member = archive.by_index_raw(i).map_err(|e| e.to_string())?;
            let kind = if member.is_dir() { TYPE_FOLDER | 0o755 } else { TYPE_FILE | 0o644 };
            let mode = member.unix_mode().filter(|mode| mode & TYPE_MASK != 0).unwrap_or(kind);
            let exact = member.extra_data_fields().find_map(|field| match field {
                ExtraField::ExtendedTimestamp(times) => times.mod_time(),
                _ => None,
            });
            let mtime = exact.map_or_else(|| member.last_modified().map_or(0, seconds_of), i64::from);
            let size = member.size().cast_signed();
            let name = name_of(&member.name().map_err(|e| e.to_string())?);
            entries.push(Entry { name, mode, mtime, size });
        }
        Ok(entries)
    }

    fn content(&mut self, entry: &Entry) -> Result<Content> {
        if entry.is_folder() {
            return Ok(Content::Folder);
        }
        let missing = || format!("not found in archive: {}", entry.name);
        let archive = self.archive.as_mut().ok_or_else(missing)?;
        let member = archive.by_name(&entry.name).map_err(|e| format!("{}: {e}", entry.name))?;
        let mut bytes = Vec::new();
        // At most the stated size is read, so that a small archive cannot fill the memory.
        let size = member.size();
        member.take(size.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| format!("{}: {e}", entry.name))?;
        if bytes.len() as u64 != size {
            return Err(format!("{}: the size is wrong", entry.name));
        }
        Ok(if entry.is_link() {
            Content::Link(String::from_utf8_lossy(&bytes).into_owned())
        } else {
            Content::File(bytes)
        })
    }

    fn put(&mut self, entry: &Entry, content: Content) -> Result<()> {
        self.removed.insert(entry.name.clone());
        self.added.push((entry.clone(), content));
        Ok(())
    }

    fn remove(&mut self, names: &[String]) -> Result<()> {
        self.removed.extend(names.iter().cloned());
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        let partial = format!("{}.partial", self.file);
        let target = File::create(&partial).map_err(|e| format!("cannot open file: {partial} ({e})"))?;
        let mut writer = ZipWriter::new(BufWriter::new(target));
        let written = self.write_into(&mut writer);
        let finished = written.and_then(|()| {
            let mut target = writer.finish().map_err(|e| self.message_of(e))?;
            target.flush().and_then(|()| target.get_ref().sync_all()).map_err(|e| self.message_of(e))?;
            std::fs::rename(&partial, &self.file).map_err(|e| self.message_of(e))
        });
        if finished.is_err() {
            let _ = std::fs::remove_file(&partial);
        }
        finished
    }
}

impl Zipped {
    fn write_into(&mut self, writer: &mut ZipWriter<BufWriter<File>>) -> Result<()> {
        if let Some(archive) = &mut self.archive {
            for i in 0..archive.len() {
                let member = archive.by_index_raw(i).map_err(|e| e.to_string())?;
                let name = name_of(&member.name().map_err(|e| e.to_string())?);
                if !self.removed.contains(&name) {
                    writer.raw_copy_file(member).map_err(|e| e.to_string())?;
                }
            }
        }
        self.added.iter().try_for_each(|(entry, content)| add(writer, entry, content)).map_err(|e| self.message_of(e))
    }
}

fn add(writer: &mut ZipWriter<BufWriter<File>>, entry: &Entry, content: &Content) -> zip::result::ZipResult<()> {
    let mut options = FullFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .unix_permissions(entry.mode & 0o7777)
        .last_modified_time(time_of(entry.mtime));
    if let Ok(seconds) = u32::try_from(entry.mtime) {
        // The extra field has the time to the second: a byte with the times that follow, then the time of the last change.
        let [a, b, c, d] = seconds.to_le_bytes();
        options.add_extra_field(EXTENDED_TIMESTAMP, [1, a, b, c, d], false)?;
    }
    match content {
        Content::Folder => writer.add_directory(entry.name.as_str(), options),
        Content::Link(to) => writer.add_symlink(entry.name.as_str(), to.as_str(), options),
        Content::File(bytes) => {
            writer.start_file(entry.name.as_str(), options.large_file(bytes.len() as u64 >= u64::from(u32::MAX)))?;
            writer.write_all(bytes)?;
            Ok(())
        }
    }
}

/// The time in the form of a ZIP file: from 1980 to 2107, in steps of two seconds.
fn time_of(seconds: i64) -> DateTime {
    let (year, month, day) = lithe::date_of_day(seconds.div_euclid(86_400));
    let of_day = seconds.rem_euclid(86_400);
    let part = |value: i64| u8::try_from(value).unwrap_or_default();
    let time = DateTime::from_date_and_time(
        u16::try_from(year).unwrap_or_default(),
        month as u8,
        day as u8,
        part(of_day / 3600),
        part(of_day / 60 % 60),
        part(of_day % 60),
    );
    time.unwrap_or_default()
}

fn seconds_of(time: DateTime) -> i64 {
    let day = lithe::day_of_date(i64::from(time.year()), i64::from(time.month()), i64::from(time.day()));
    day * 86_400 + i64::from(time.hour()) * 3600 + i64::from(time.minute()) * 60 + i64::from(time.second())
}
