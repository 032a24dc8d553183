//! The members of an archive: read from a file or a BLOB, made from values, appended to a file.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use flate2::read::{DeflateDecoder, DeflateEncoder};
use flate2::{Compression, Crc};
use lithe_value::grow::filled;
use lithe_vtab::{FunctionError, Grow, Result, code, copied};

use super::format::{self, DEFLATED, Entry, HEADER_LEN, STORED};
use crate::function::{compressor, failed, possible};

const INFLATE_FAILED: &str = "inflate() failed (-3)";

/// The bytes of an archive.
#[derive(Clone)]
pub enum Source {
    File(Arc<File>),
    Bytes(Arc<Vec<u8>>),
}

impl Source {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(name: &str) -> Result<Source> {
        let unreadable = |_| FunctionError::quoting(code::ERROR, format_args!("cannot open file: {name}"));
        let file = possible(name.as_ref()).and_then(File::open).map_err(unreadable)?;
        Ok(Source::File(Arc::new(file)))
    }

    fn len(&self) -> Result<u64> {
        match self {
            Source::File(file) => file.metadata().map(|metadata| metadata.len()).map_err(|_| unreadable()),
            Source::Bytes(bytes) => Ok(bytes.len() as u64),
        }
    }

    fn read(&self, at: u64, length: usize) -> Result<Vec<u8>> {
        let bytes = match self {
            Source::Bytes(bytes) => {
                let at = usize::try_from(at).unwrap_or(usize::MAX);
                copied(bytes.get(at..at.saturating_add(length)).ok_or_else(unreadable)?)?
            }
            Source::File(file) => {
                // Lengths come from the archive: no allocation may exceed the file.
                if at.saturating_add(length as u64) > self.len()? {
                    return Err(unreadable());
                }
                let mut bytes = filled(0, length)?;
                file.read_exact_at(&mut bytes, at).map_err(|_| unreadable())?;
                bytes
            }
        };
        Ok(bytes)
    }

    /// All members, in the order of the central directory. An empty file has none.
    ///
    /// # Errors
    /// If the bytes are not an archive.
    pub fn members(&self) -> Result<Vec<Arc<Member>>> {
        let length = self.len()?;
        if length == 0 && matches!(self, Source::File(_)) {
            return Ok(Vec::new());
        }
        let tail_len = length.min(format::TAIL_LEN as u64);
        let tail = self.read(length - tail_len, tail_len as usize)?;
        let directory = format::central_directory(&tail)
            .ok_or_else(|| FunctionError::new("cannot find end of central directory record"))?;
        let damaged = |at: usize| {
            FunctionError::new(format!("failed to read CDS at offset {}", u64::from(directory.offset) + at as u64))
        };
        let bytes = self.read(u64::from(directory.offset), directory.len as usize).map_err(or(|| damaged(0)))?;
        let (mut members, mut at) = (Vec::new(), 0);
        for _ in 0..directory.count {
            let (entry, entry_len) = bytes.get(at..).and_then(Entry::read).ok_or_else(|| damaged(at))?;
            at += entry_len;
            members.try_push(Arc::new(Member { entry, content: Content::In(self.clone()) }))?;
        }
        Ok(members)
    }
}

/// What an error of reading becomes: another one, unless the memory is short.
fn or(other: impl Fn() -> FunctionError) -> impl Fn(FunctionError) -> FunctionError {
    move |error| if error.code == code::NOMEM { error } else { other() }
}

fn unreadable() -> FunctionError {
    FunctionError::new("error in fread()")
}

/// A file, a directory or a link in an archive.
#[derive(Clone)]
pub struct Member {
    pub entry: Entry,
    pub content: Content,
}

/// The content of a member, compressed by its entry's method.
#[derive(Clone)]
pub enum Content {
    /// In an archive, at the offset of the entry.
    In(Source),
    /// In memory, still to be written.
    New(Vec<u8>),
}

impl Member {
    /// A member with this content, compressed by `method`; if that is None, compressed if that is shorter.
    ///
    /// # Errors
    /// SQLITE_TOOBIG if the content is too long for an archive.
    pub fn new(mut entry: Entry, content: &[u8], method: Option<u16>) -> Result<Member> {
        entry.size = u32::try_from(content.len()).map_err(|_| FunctionError::too_big())?;
        if entry.name.len() > usize::from(u16::MAX) {
            return Err(FunctionError::too_big());
        }
        let mut crc = Crc::new();
        crc.update(content);
        entry.crc = crc.sum();
        let mut bytes = None;
        if method != Some(STORED) && !(method.is_none() && content.is_empty()) {
            let mut deflated = Vec::new();
            let mut encoder = compressor(|| DeflateEncoder::new(content, Compression::best()))?;
            let done = encoder.read_to_end(&mut deflated);
            done.map_err(|error| failed(&error, "zipfile: deflate() failed"))?;
            bytes = Some(deflated).filter(|deflated| method.is_some() || deflated.len() < content.len());
        }
        entry.method = if bytes.is_some() { DEFLATED } else { STORED };
        let bytes = bytes.map_or_else(|| copied(content), Ok)?;
        entry.compressed = u32::try_from(bytes.len()).map_err(|_| FunctionError::too_big())?;
        Ok(Member { entry, content: Content::New(bytes) })
    }

    /// The content as stored.
    ///
    /// # Errors
    /// If the archive is damaged; SQLITE_TOOBIG.
    pub fn raw(&self, limit: usize) -> Result<Vec<u8>> {
        let length = self.entry.compressed as usize;
        if length > limit {
            return Err(FunctionError::too_big());
        }
        match &self.content {
            Content::New(bytes) => Ok(copied(bytes)?),
            Content::In(source) => {
                let offset = u64::from(self.entry.offset);
                let damaged = || FunctionError::new(format!("failed to read LFH at offset {offset}"));
                let header = source.read(offset, HEADER_LEN).map_err(or(damaged))?;
                let tail = format::header_tail_len(&header).ok_or_else(damaged)?;
                source.read(offset + (HEADER_LEN + tail) as u64, length)
            }
        }
    }

    /// The content. None if its compression method is unknown.
    ///
    /// # Errors
    /// As [`Member::raw`].
    pub fn data(&self, limit: usize) -> Result<Option<Vec<u8>>> {
        let size = self.entry.size as usize;
        if size > limit {
            return Err(FunctionError::too_big());
        }
        let raw = self.raw(limit)?;
        match self.entry.method {
            STORED => Ok(Some(raw)),
            DEFLATED => {
                let mut data = Vec::new();
                let read = DeflateDecoder::new(&*raw).take(size as u64).read_to_end(&mut data);
                match read {
                    Ok(length) if length == size => Ok(Some(data)),
                    Ok(_) => Err(FunctionError::new(INFLATE_FAILED)),
                    Err(error) => Err(failed(&error, INFLATE_FAILED)),
                }
            }
            _ => Ok(None),
        }
    }
}

/// Writes the new members at the end of the file, then a central directory. The file is the new archive once the new end record is written;
/// before that, the last end record is the old archive's.
///
/// # Errors
/// If the file cannot be written: it is truncated to its old length.
pub fn append(file: &File, members: &[Arc<Member>]) -> Result<()> {
    let unwritable = |_: std::io::Error| FunctionError::new("error in fwrite()");
    let start = file.metadata().map_err(unwritable)?.len();
    let mut at = start;
    let written = (|| {
        let mut directory = Vec::new();
        for member in members {
            let mut entry = member.entry.clone();
            if let Content::New(bytes) = &member.content {
                entry.offset = u32::try_from(at).map_err(|_| FunctionError::too_big())?;
                let mut header = Vec::new();
                entry.write_header(&mut header)?;
                file.write_all_at(&header, at).map_err(unwritable)?;
                file.write_all_at(bytes, at + header.len() as u64).map_err(unwritable)?;
                at += (header.len() + bytes.len()) as u64;
            }
            entry.write(&mut directory)?;
        }
        let length = directory.len();
        format::write_end(&mut directory, members.len(), length, at)?;
        file.write_all_at(&directory, at).map_err(unwritable)
    })();
    if written.is_err() {
        // Remove the appended bytes. If that fails, too, the file has bytes after its end record.
        let _ = file.set_len(start);
    }
    written
}

/// The bytes of an archive with new members.
///
/// # Errors
/// SQLITE_TOOBIG.
pub fn build(members: &[Member]) -> Result<Vec<u8>> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        let mut entry = member.entry.clone();
        entry.offset = u32::try_from(out.len()).map_err(|_| FunctionError::too_big())?;
        entry.write_header(&mut out)?;
        if let Content::New(bytes) = &member.content {
            out.try_append(bytes)?;
        }
        entry.write(&mut directory)?;
    }
    let (offset, size) = (out.len() as u64, directory.len());
    out.try_append(&directory)?;
    format::write_end(&mut out, members.len(), size, offset)?;
    Ok(out)
}
