//! Sorted runs in a temporary file.
//!
//! ```text
//!   file   | run 0 ................ | run 1 ................ | ...
//!   run    | row | row | row | ...
//!   row    | length, 4 bytes | prefix, 8 bytes | record |            little-endian: no one else reads it
//! ```

use std::ops::Range;
use std::sync::Arc;

use lithe_vfs::{File, ResultCode};

use crate::error::Error;

/// Bytes before each record.
const HEADER_LEN: usize = 12;
const PREFIX_AT: usize = 4;
/// Bytes that are written, or read, in one call.
const BUFFER_LEN: usize = 64 << 10;

/// A file of runs.
#[derive(Debug)]
pub struct RunFile {
    file: Arc<dyn File>,
    /// The range of each run in the file.
    runs: Vec<Range<u64>>,
    end: u64,
}

impl RunFile {
    pub fn new(file: Arc<dyn File>) -> RunFile {
        RunFile { file, runs: Vec::new(), end: 0 }
    }

    /// How many runs there are.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// Appends a run of sorted rows.
    pub fn write_run<'a>(&mut self, rows: impl Iterator<Item = (u64, &'a [u8])>) -> Result<(), Error> {
        let mut writer = self.writer();
        for (prefix, record) in rows {
            writer.row(prefix, record)?;
        }
        let run = writer.finish()?;
        self.add(run);
        Ok(())
    }

    /// A writer of one more run.
    pub fn writer(&self) -> RunWriter {
        RunWriter {
            file: Arc::clone(&self.file),
            start: self.end,
            at: self.end,
            buffer: Vec::with_capacity(BUFFER_LEN + HEADER_LEN),
        }
    }

    /// Adds the run that a writer has written.
    pub fn add(&mut self, run: Range<u64>) {
        assert!(run.start == self.end && run.end >= run.start, "runs lie one behind the other");
        self.end = run.end;
        self.runs.push(run);
    }

    /// A reader of each of the runs `which`.
    pub fn readers(&self, which: Range<usize>) -> Result<Vec<RunReader>, Error> {
        assert!(which.end <= self.runs.len(), "a run is read that was not written");
        self.runs[which].iter().map(|run| RunReader::open(Arc::clone(&self.file), run.clone())).collect()
    }
}

/// Writes one run.
#[derive(Debug)]
pub struct RunWriter {
    file: Arc<dyn File>,
    start: u64,
    at: u64,
    buffer: Vec<u8>,
}

impl RunWriter {
    pub fn row(&mut self, prefix: u64, record: &[u8]) -> Result<(), Error> {
        self.buffer.try_reserve(HEADER_LEN + record.len())?;
        self.buffer.extend_from_slice(&(record.len() as u32).to_le_bytes());
        self.buffer.extend_from_slice(&prefix.to_le_bytes());
        self.buffer.extend_from_slice(record);
        if self.buffer.len() >= BUFFER_LEN { self.flush() } else { Ok(()) }
    }

    /// Writes the rest; returns the range of the run.
    pub fn finish(mut self) -> Result<Range<u64>, Error> {
        self.flush()?;
        assert!(self.buffer.is_empty() && self.at >= self.start, "what is left of a run is written at its end");
        Ok(self.start..self.at)
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.file.write_at(&self.buffer, self.at)?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// Reads one run, with a current row.
#[derive(Debug)]
pub struct RunReader {
    file: Arc<dyn File>,
    /// The part of the run that has not been read into the buffer.
    rest: Range<u64>,
    buffer: Vec<u8>,
    /// The record of the current row in the buffer; `None` past the end.
    record: Option<Range<usize>>,
    prefix: u64,
}

impl RunReader {
    fn open(file: Arc<dyn File>, run: Range<u64>) -> Result<RunReader, Error> {
        let mut reader = RunReader { file, rest: run, buffer: Vec::new(), record: None, prefix: 0 };
        reader.read_row(0)?;
        Ok(reader)
    }

    /// The current row: its prefix and record.
    #[inline]
    pub fn row(&self) -> Option<(u64, &[u8])> {
        self.record.clone().map(|range| (self.prefix, &self.buffer[range]))
    }

    /// Goes to the next row.
    pub fn next(&mut self) -> Result<(), Error> {
        match self.record.take() {
            Some(range) => self.read_row(range.end),
            None => Ok(()),
        }
    }

    /// Reads the row whose header is at `at` of the buffer.
    fn read_row(&mut self, at: usize) -> Result<(), Error> {
        let Some(at) = self.fill_buffer(at, HEADER_LEN)? else {
            return Ok(());
        };
        let header: &[u8; HEADER_LEN] = self.buffer[at..].first_chunk().expect("so many bytes were wanted");
        let (len, prefix) = header.split_at(PREFIX_AT);
        let len = u32::from_le_bytes(len.try_into().expect("four bytes")) as usize;
        self.prefix = u64::from_le_bytes(prefix.try_into().expect("eight bytes"));
        let at = self.fill_buffer(at, HEADER_LEN + len)?.ok_or_else(cut_short)?;
        self.record = Some(at + HEADER_LEN..at + HEADER_LEN + len);
        Ok(())
    }

    /// Fills the buffer to hold `len` bytes from `at` on; returns their new position. `None` at the end of the run.
    fn fill_buffer(&mut self, at: usize, len: usize) -> Result<Option<usize>, Error> {
        assert!(at <= self.buffer.len(), "a row begins in the buffer");
        if self.buffer.len() - at >= len {
            return Ok(Some(at));
        }
        self.buffer.drain(..at);
        let have = self.buffer.len();
        let wanted = len.max(BUFFER_LEN) - have;
        let take = (self.rest.end - self.rest.start).min(wanted as u64) as usize;
        self.buffer.try_reserve(take)?;
        self.buffer.resize(have + take, 0);
        if self.file.read_at(&mut self.buffer[have..], self.rest.start)? < take {
            return Err(cut_short());
        }
        self.rest.start += take as u64;
        if self.buffer.len() >= len {
            return Ok(Some(0));
        }
        if self.buffer.is_empty() { Ok(None) } else { Err(cut_short()) }
    }
}

#[cold]
fn cut_short() -> Error {
    Error::from_code(ResultCode::IOERR_SHORT_READ)
}
