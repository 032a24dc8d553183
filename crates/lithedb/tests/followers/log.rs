//! The valid frames of a log, found without either engine.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::fs::FileExt;
use std::path::Path;

pub const HEADER_LEN: usize = 32;
const FRAME_HEADER_LEN: usize = 24;

/// The header of a log, in the form of the file.
pub type Header = [u8; HEADER_LEN];

/// A frame of a log.
#[derive(Clone)]
pub struct Frame {
    pub page: u32,
    /// The size of the database in pages, if this is a commit frame.
    pub commits: Option<u32>,
    /// The whole frame, in the form of the file.
    pub bytes: Vec<u8>,
}

impl Frame {
    pub fn image(&self) -> &[u8] {
        &self.bytes[FRAME_HEADER_LEN..]
    }
}

/// The content of a log file.
pub struct Log {
    pub header: Header,
    bytes: Vec<u8>,
}

/// The state of a log in its index.
pub struct Published {
    /// The salts, in the form of the log.
    pub salts: [u8; 8],
    pub frames: usize,
}

/// The current state in an index. Its numbers are in the byte order of the machine.
pub fn published(index: &File) -> Option<Published> {
    let mut header = [0; 48];
    index.read_exact_at(&mut header, 0).ok()?;
    let frames = u32::from_ne_bytes(header[16..20].try_into().unwrap());
    Some(Published { salts: header[32..40].try_into().unwrap(), frames: frames as usize })
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

impl Log {
    /// Reads a log; `None` if it does not exist, or has no valid header. A log that restarts during the read is read again.
    pub fn read(path: &Path) -> Option<Log> {
        let mut file = File::open(path).ok()?;
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            file.rewind().ok()?;
            file.read_to_end(&mut bytes).ok()?;
            let mut header = [0; HEADER_LEN];
            if file.read_exact_at(&mut header, 0).is_err() || bytes.starts_with(&header) {
                break;
            }
        }
        let header: Header = bytes.get(..HEADER_LEN)?.try_into().ok()?;
        let sum = checksum(&header, &header[..24], [0, 0]);
        let is_whole = word(&header, 0) & !1 == 0x377f_0682 && sum == [word(&header, 24), word(&header, 28)];
        is_whole.then_some(Log { header, bytes })
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn page_size(&self) -> usize {
        match word(&self.header, 8) {
            1 => 65536,
            size => size as usize,
        }
    }

    pub fn frame_len(&self) -> usize {
        FRAME_HEADER_LEN + self.page_size()
    }

    pub fn bytes_at(&self, offset: usize, len: usize) -> Option<&[u8]> {
        self.bytes.get(offset..offset + len)
    }

    /// The frames up to the last commit frame.
    pub fn frames(&self) -> Vec<Frame> {
        let mut sum = [word(&self.header, 24), word(&self.header, 28)];
        let (mut frames, mut committed) = (Vec::new(), 0);
        for bytes in self.bytes[HEADER_LEN..].chunks_exact(self.frame_len()) {
            sum = checksum(&self.header, &bytes[..8], sum);
            sum = checksum(&self.header, &bytes[FRAME_HEADER_LEN..], sum);
            if bytes[8..16] != self.header[16..24] || sum != [word(bytes, 16), word(bytes, 20)] {
                break;
            }
            let commits = Some(word(bytes, 4)).filter(|size| *size > 0);
            frames.push(Frame { page: word(bytes, 0), commits, bytes: bytes.to_vec() });
            if commits.is_some() {
                committed = frames.len();
            }
        }
        frames.truncate(committed);
        frames
    }
}

/// Continues the checksum `sum` over `bytes`, in the byte order that the header names.
fn checksum(header: &Header, bytes: &[u8], sum: [u32; 2]) -> [u32; 2] {
    let is_big = header[3] & 1 == 1;
    let words = bytes.chunks_exact(4).map(|word| {
        let word: [u8; 4] = word.try_into().unwrap();
        if is_big { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
    });
    let words: Vec<u32> = words.collect();
    words.chunks_exact(2).fold(sum, |[a, b], pair| {
        let a = a.wrapping_add(pair[0]).wrapping_add(b);
        [a, b.wrapping_add(pair[1]).wrapping_add(a)]
    })
}
