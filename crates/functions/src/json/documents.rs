//! The texts that JSON functions have read last, as JSONB: several calls of a statement mostly read one document.

use lithe_value::Buffer;

use super::output::Output;
use super::parse::{self, Failure};
use crate::context::CallSite;

/// How many texts are kept, as in SQLite.
const KEPT: usize = 4;
/// Longer texts, with their JSONB, are not kept beyond the run of a statement.
const SPARE_MAX: usize = 1 << 14;

/// The last texts, each with its JSONB. They depend on nothing else, so any call may use them.
#[derive(Debug, Default)]
pub(super) struct Documents {
    kept: Vec<Document>,
    /// The place of the next text that is not known.
    next: usize,
}

#[derive(Debug, Default)]
struct Document {
    text: Vec<u8>,
    jsonb: Buffer,
}

/// Gives up long texts at the end of a statement's run.
pub fn trim(shared: &mut CallSite) {
    if let Some(documents) = shared.get_mut::<Documents>() {
        documents.trim();
    }
}

impl Documents {
    /// Those that the calls of a statement share.
    pub(super) fn of(shared: &mut CallSite) -> &mut Documents {
        shared.get_or_make(|_: &Documents| true, Documents::default)
    }

    /// The JSONB of a text.
    pub(super) fn jsonb_of(&mut self, text: &[u8]) -> Result<&[u8], Failure> {
        let known = self.kept.iter().position(|document| document.text == text && !document.jsonb.is_empty());
        let at = match known {
            Some(at) => at,
            None => self.read(text)?,
        };
        Ok(self.kept.get(at).map_or(b"", |document| document.jsonb.as_slice()))
    }

    /// Reads a text in place of the oldest one; returns its place.
    fn read(&mut self, text: &[u8]) -> Result<usize, Failure> {
        if self.kept.len() < KEPT {
            self.next = self.kept.len();
            self.kept.push(Document::default());
        }
        let at = self.next;
        self.next = (at + 1) % KEPT;
        if let Some(document) = self.kept.get_mut(at) {
            document.text.clear();
            document.text.try_reserve(text.len()).map_err(|_| Failure::OutOfMemory)?;
            let mut memory = std::mem::take(&mut document.jsonb);
            memory.clear();
            let mut out = Output::appending_to(memory);
            // JSONB is mostly shorter than its text.
            out.expect(text.len());
            parse::to_binary(text, &mut out)?;
            document.jsonb = out.finish().map_err(|_| Failure::OutOfMemory)?;
            document.text.extend_from_slice(text);
        }
        Ok(at)
    }

    fn trim(&mut self) {
        self.kept.retain(|document| document.text.capacity() + document.jsonb.capacity() <= SPARE_MAX);
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_four_are_kept() {
        let mut documents = Documents::default();
        for round in 0..3 {
            for number in 0..6 {
                let text = format!("[{number}, {number}]");
                let expected = [0x4b, 0x13, b'0' + number, 0x13, b'0' + number];
                assert_eq!(documents.jsonb_of(text.as_bytes()).unwrap(), expected, "{round}");
                assert_eq!(documents.jsonb_of(text.as_bytes()).unwrap(), expected, "{round}");
            }
            assert_eq!(documents.kept.len(), KEPT);
        }
        assert_eq!(documents.jsonb_of(b"[1"), Err(Failure::Malformed(2)));
        assert_eq!(documents.jsonb_of(b"[1"), Err(Failure::Malformed(2)));
        assert_eq!(documents.jsonb_of(b"").map(<[u8]>::len), Err(Failure::Malformed(0)));
        let long = format!("\"{}\"", "x".repeat(SPARE_MAX));
        assert_eq!(documents.jsonb_of(long.as_bytes()).map(<[u8]>::len), Ok(SPARE_MAX + 3));
        documents.trim();
        assert!(documents.kept.iter().all(|document| document.text.len() < 100));
        assert_eq!(documents.jsonb_of(b"true"), Ok(&[1][..]));
    }
}
