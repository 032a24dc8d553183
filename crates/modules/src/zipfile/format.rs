//! The bytes of a ZIP archive. Integers are little-endian.
//!
//! ```text
//!   | header of member 1 | content | header of member 2 | content | … | central directory | end record |
//!
//!   header, 30 bytes and more:
//!   0      4        6       8        10     12     14    18           22     26         28
//!   | PK34 | needed | flags | method | time | date | crc | compressed | size | name len | extra len | name | extra
//!
//!   entry of the central directory, 46 bytes and more:
//!   0      4         6      … as in the header …   28         30          32            34     36         38         42
//!   | PK12 | made by | needed | … | size | name len | extra len | comment len | disk | internal | external | offset | name | extra | comment
//!
//!   end record, 22 bytes and more:
//!   0      4           8          10      12     16       20
//!   | PK56 | disks … | entries … | total | size | offset | comment len | comment
//!
//!   the extra field with the time:  55 54 | 05 00 | 01 | seconds since 1970, 4 bytes
//! ```

use lithe_vtab::{FunctionError, Grow, Result, date_of_day, day_of_date};

/// "PK" and the number of a kind of record.
const HEADER: u32 = 0x0403_4b50;
const ENTRY: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;

pub const HEADER_LEN: usize = 30;
pub const ENTRY_LEN: usize = 46;
pub const END_LEN: usize = 22;
/// The longest comment after the end record.
const COMMENT_MAX: usize = 0xffff;

/// The fields of a member that is made here: made on Unix by version 3.0, readable by version 2.0, names in UTF-8.
const MADE_BY: u16 = 3 << 8 | 30;
const NEEDED: u16 = 20;
const FLAGS: u16 = 0x0800;

pub const STORED: u16 = 0;
pub const DEFLATED: u16 = 8;

/// The kind of the extra field with times to the second, and the flag for its time of the last change.
const EXTENDED_TIME: u16 = 0x5455;
const HAS_MTIME: u8 = 1;

/// An entry of the central directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub made_by: u16,
    pub needed: u16,
    pub flags: u16,
    pub method: u16,
    pub time: u16,
    pub date: u16,
    pub crc: u32,
    pub compressed: u32,
    pub size: u32,
    pub disk: u16,
    pub internal: u16,
    /// Its higher half is the mode of the file.
    pub external: u32,
    /// The offset of the header.
    pub offset: u32,
    pub name: Vec<u8>,
    pub extra: Vec<u8>,
    pub comment: Vec<u8>,
}

/// Reads integers in sequence; None if bytes are missing.
struct Fields<'b>(&'b [u8]);

impl<'b> Fields<'b> {
    fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        self.bytes(2)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
    }

    fn u32(&mut self) -> Option<u32> {
        self.bytes(4)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
    }
}

impl Entry {
    /// The entry of a new member.
    pub fn new(name: Vec<u8>, mode: u32, mtime: u32) -> Entry {
        let (date, time) = dos_time(i64::from(mtime));
        Entry {
            made_by: MADE_BY,
            needed: NEEDED,
            flags: FLAGS,
            time,
            date,
            external: mode << 16,
            name,
            extra: extended_time(mtime),
            ..Entry::default()
        }
    }

    /// Reads an entry; answers it and the offset of the next one.
    pub fn read(bytes: &[u8]) -> Option<(Entry, usize)> {
        let mut fields = Fields(bytes);
        if fields.u32()? != ENTRY {
            return None;
        }
        let mut entry = Entry {
            made_by: fields.u16()?,
            needed: fields.u16()?,
            flags: fields.u16()?,
            method: fields.u16()?,
            time: fields.u16()?,
            date: fields.u16()?,
            crc: fields.u32()?,
            compressed: fields.u32()?,
            size: fields.u32()?,
            ..Entry::default()
        };
        let [name, extra, comment] = [fields.u16()?, fields.u16()?, fields.u16()?].map(usize::from);
        entry.disk = fields.u16()?;
        entry.internal = fields.u16()?;
        entry.external = fields.u32()?;
        entry.offset = fields.u32()?;
        entry.name = fields.bytes(name)?.to_vec();
        entry.extra = fields.bytes(extra)?.to_vec();
        entry.comment = fields.bytes(comment)?.to_vec();
        Some((entry, ENTRY_LEN + name + extra + comment))
    }

    /// Writes the fields that header and entry have in common.
    fn write_common(&self, out: &mut Vec<u8>) {
        for field in [self.needed, self.flags, self.method, self.time, self.date] {
            out.extend(field.to_le_bytes());
        }
        for field in [self.crc, self.compressed, self.size] {
            out.extend(field.to_le_bytes());
        }
        out.extend(length(&self.name));
        out.extend(length(&self.extra));
    }

    /// Writes the header, which precedes the content.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn write_header(&self, out: &mut Vec<u8>) -> Result {
        out.try_grow(HEADER_LEN + self.name.len() + self.extra.len())?;
        out.extend(HEADER.to_le_bytes());
        self.write_common(out);
        out.extend(&self.name);
        out.extend(&self.extra);
        Ok(())
    }

    /// Writes the entry.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn write(&self, out: &mut Vec<u8>) -> Result {
        out.try_grow(ENTRY_LEN + self.name.len() + self.extra.len() + self.comment.len())?;
        out.extend(ENTRY.to_le_bytes());
        out.extend(self.made_by.to_le_bytes());
        self.write_common(out);
        out.extend(length(&self.comment));
        out.extend(self.disk.to_le_bytes());
        out.extend(self.internal.to_le_bytes());
        out.extend(self.external.to_le_bytes());
        out.extend(self.offset.to_le_bytes());
        out.extend(&self.name);
        out.extend(&self.extra);
        out.extend(&self.comment);
        Ok(())
    }

    /// The type and permissions of the file.
    pub fn mode(&self) -> u32 {
        self.external >> 16
    }

    /// Whether the member is a directory.
    pub fn is_directory(&self) -> bool {
        self.size == 0 && self.name.last() == Some(&b'/')
    }

    /// The time of the file's last change, in seconds since 1970.
    pub fn mtime(&self) -> i64 {
        self.extended_mtime().map_or_else(|| unix_time(self.date, self.time), i64::from)
    }

    fn extended_mtime(&self) -> Option<u32> {
        let mut fields = Fields(&self.extra);
        loop {
            let (kind, length) = (fields.u16()?, fields.u16()?);
            let content = fields.bytes(usize::from(length))?;
            if kind == EXTENDED_TIME && content.first().is_some_and(|flags| flags & HAS_MTIME != 0) {
                return content.get(1..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
            }
        }
    }

    /// The entry as JSON, for `zipfile_cds()`.
    pub fn json(&self) -> String {
        let fields = [
            ("version-made-by", u32::from(self.made_by)),
            ("version-to-extract", u32::from(self.needed)),
            ("flags", u32::from(self.flags)),
            ("compression", u32::from(self.method)),
            ("time", u32::from(self.time)),
            ("date", u32::from(self.date)),
            ("crc32", self.crc),
            ("compressed-size", self.compressed),
            ("uncompressed-size", self.size),
            ("file-name-length", self.name.len() as u32),
            ("extra-field-length", self.extra.len() as u32),
            ("file-comment-length", self.comment.len() as u32),
            ("disk-number-start", u32::from(self.disk)),
            ("internal-attr", u32::from(self.internal)),
            ("external-attr", self.external),
            ("offset", self.offset),
        ];
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\" : {value}")).collect();
        format!("{{{} }}", fields.join(", "))
    }
}

fn length(bytes: &[u8]) -> [u8; 2] {
    (bytes.len().min(0xffff) as u16).to_le_bytes()
}

fn extended_time(mtime: u32) -> Vec<u8> {
    let mut extra = Vec::with_capacity(9);
    extra.extend(EXTENDED_TIME.to_le_bytes());
    extra.extend(5_u16.to_le_bytes());
    extra.push(HAS_MTIME);
    extra.extend(mtime.to_le_bytes());
    extra
}

/// The length of a header's name and extra field, which may differ from the entry's.
pub fn header_tail_len(header: &[u8]) -> Option<usize> {
    let mut fields = Fields(header);
    if fields.u32()? != HEADER {
        return None;
    }
    fields.bytes(22)?;
    Some(usize::from(fields.u16()?) + usize::from(fields.u16()?))
}

/// Writes the end record.
pub fn write_end(out: &mut Vec<u8>, count: usize, size: usize, offset: u64) -> Result {
    let too_big = || FunctionError::too_big();
    let count = u16::try_from(count).map_err(|_| too_big())?;
    let (size, offset) = (u32::try_from(size).map_err(|_| too_big())?, u32::try_from(offset).map_err(|_| too_big())?);
    out.try_grow(END_LEN)?;
    out.extend(END.to_le_bytes());
    out.extend([0; 4]);
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(offset.to_le_bytes());
    out.extend([0; 2]);
    Ok(())
}

/// The number of bytes at an archive's end that can contain its end record.
pub const TAIL_LEN: usize = END_LEN + COMMENT_MAX;

/// The position of the central directory.
#[derive(Clone, Copy, Debug)]
pub struct Directory {
    pub offset: u32,
    pub len: u32,
    /// The number of its entries.
    pub count: u16,
}

/// The position of the central directory, from the last end record in the archive's tail.
pub fn central_directory(tail: &[u8]) -> Option<Directory> {
    let at = tail.windows(4).rposition(|window| *window == END.to_le_bytes())?;
    let mut fields = Fields(tail.get(at..)?);
    fields.bytes(10)?;
    let count = fields.u16()?;
    let len = fields.u32()?;
    Some(Directory { offset: fields.u32()?, len, count })
}

const DAY_SECONDS: i64 = 86_400;

/// DOS date and time: from 1980 to 2107, in steps of two seconds, in UTC.
fn dos_time(seconds: i64) -> (u16, u16) {
    let (day, of_day) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
    let (year, month, day) = date_of_day(day);
    let date = ((year - 1980).clamp(0, 127) << 9) as u16 | (month << 5) as u16 | day as u16;
    let time = (of_day / 3600) << 11 | (of_day / 60 % 60) << 5 | (of_day % 60 / 2);
    (date, time as u16)
}

fn unix_time(date: u16, time: u16) -> i64 {
    let (date, time) = (i64::from(date), i64::from(time));
    let day = day_of_date(1980 + (date >> 9), date >> 5 & 15, date & 31);
    day * DAY_SECONDS + (time >> 11) * 3600 + (time >> 5 & 63) * 60 + (time & 31) * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_written() {
        let mut entry = Entry::new(b"dir/name".to_vec(), 0o100_644, 1_600_000_001);
        (entry.crc, entry.compressed, entry.size, entry.method, entry.offset) = (1, 2, 3, DEFLATED, 5);
        entry.comment = b"comment".to_vec();
        let mut bytes = Vec::new();
        entry.write(&mut bytes).unwrap();
        assert_eq!(Entry::read(&bytes), Some((entry.clone(), bytes.len())));
        assert!((0..bytes.len()).all(|end| Entry::read(&bytes[..end]).is_none()));
        assert_eq!((entry.mode(), entry.mtime()), (0o100_644, 1_600_000_001));
    }

    #[test]
    fn times_of_dos() {
        assert_eq!(dos_time(1_000_000_000), (11_049, 3540));
        assert_eq!(dos_time(1_600_000_001), (20_781, 25_428));
        for seconds in [315_532_800, 1_600_000_000, 951_782_400] {
            let (date, time) = dos_time(seconds);
            assert_eq!(unix_time(date, time), seconds);
        }
    }
}
