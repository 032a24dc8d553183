//! Time zone files (RFC 9636).
//!
//! ```text
//!   header, data with times of 32 bits            the only part of version 1
//!   header, data with times of 64 bits            from version 2 on
//!   \n rule \n                                    for all times after the last
//!
//!   header  |TZif|version| 15 unused | 6 counts of 32 bits |
//!   data    | times | type of each | types: offset, is DST, name | names | leap seconds | indicators |
//! ```
//!
//! All integers are big-endian.

use super::rule::Rule;

const HEADER_LEN: usize = 44;
const VERSION_AT: usize = 4;
const COUNTS_AT: usize = 20;
const TYPE_LEN: usize = 6;
const _: () = assert!(COUNTS_AT + 6 * size_of::<u32>() == HEADER_LEN);

/// The changes of the offset, and the rule after the last change.
#[derive(Clone, Debug)]
pub(super) struct ZoneFile {
    /// The time of each change, in ascending order, and the offset from then on.
    changes: Vec<(i64, i32)>,
    /// The offset before the first change.
    first: i32,
    rule: Option<Rule>,
}

/// The number of entries of each kind in the data.
struct Counts {
    utc_indicators: usize,
    standard_indicators: usize,
    leap_seconds: usize,
    times: usize,
    types: usize,
    name_bytes: usize,
}

impl ZoneFile {
    pub(super) fn parse(bytes: &[u8]) -> Option<ZoneFile> {
        let (counts, version, data) = header(bytes)?;
        if version == 0 {
            return changes(&counts, data, 4).map(|(changes, first)| ZoneFile { changes, first, rule: None });
        }
        let (counts, _, data) = header(data.get(counts.data_len(4)?..)?)?;
        let (changes, first) = changes(&counts, data, 8)?;
        let footer = data.get(counts.data_len(8)?..)?.strip_prefix(b"\n")?;
        let rule = footer.split(|&byte| byte == b'\n').next().and_then(Rule::parse);
        Some(ZoneFile { changes, first, rule })
    }

    pub(super) fn offset(&self, unix_seconds: i64) -> i32 {
        let behind = self.changes.partition_point(|&(time, _)| time <= unix_seconds);
        match (&self.rule, behind.checked_sub(1).and_then(|last| self.changes.get(last))) {
            (Some(rule), _) if behind == self.changes.len() => rule.offset(unix_seconds),
            (_, Some((_, offset))) => *offset,
            (_, None) => self.first,
        }
    }
}

impl Counts {
    fn data_len(&self, time_len: usize) -> Option<usize> {
        let parts = [
            self.times.checked_mul(time_len + 1)?,
            self.types.checked_mul(TYPE_LEN)?,
            self.name_bytes,
            self.leap_seconds.checked_mul(time_len + 4)?,
            self.standard_indicators,
            self.utc_indicators,
        ];
        parts.into_iter().try_fold(0usize, usize::checked_add)
    }
}

/// The counts, the version, and the data after the header.
fn header(bytes: &[u8]) -> Option<(Counts, u8, &[u8])> {
    let (header, data) = bytes.split_at_checked(HEADER_LEN)?;
    if !header.starts_with(b"TZif") {
        return None;
    }
    let mut counts = header.get(COUNTS_AT..)?.chunks_exact(4).map(|count| be_u32(count) as usize);
    let mut next = || counts.next();
    let counts = Counts {
        utc_indicators: next()?,
        standard_indicators: next()?,
        leap_seconds: next()?,
        times: next()?,
        types: next()?,
        name_bytes: next()?,
    };
    Some((counts, *header.get(VERSION_AT)?, data))
}

/// The changes of the offset, and the offset before the first.
fn changes(counts: &Counts, data: &[u8], time_len: usize) -> Option<(Vec<(i64, i32)>, i32)> {
    let (times, rest) = data.split_at_checked(counts.times.checked_mul(time_len)?)?;
    let (indexes, rest) = rest.split_at_checked(counts.times)?;
    let types = rest.get(..counts.types.checked_mul(TYPE_LEN)?)?;
    let offsets: Vec<i32> = types.chunks_exact(TYPE_LEN).map(|kind| be_u32(kind) as i32).collect();
    let changes = times.chunks_exact(time_len).zip(indexes).map(|(time, &index)| {
        let time = match time.try_into() {
            Ok(bytes) => i64::from_be_bytes(bytes),
            Err(_) => i64::from(be_u32(time) as i32),
        };
        Some((time, *offsets.get(usize::from(index))?))
    });
    Some((changes.collect::<Option<_>>()?, *offsets.first()?))
}

/// The first four of the bytes.
fn be_u32(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |number, &byte| number << 8 | u32::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of version 2: UTC+1 until 1000, UTC+2 until 2000, then UTC.
    fn file() -> Vec<u8> {
        let header = |times: u32, types: u32| {
            let mut header = b"TZif2".to_vec();
            header.extend([0; 15]);
            for count in [0, 0, 0, times, types, 4] {
                header.extend(u32::to_be_bytes(count));
            }
            header
        };
        let kind = |offset: i32| [&offset.to_be_bytes()[..], &[0, 0]].concat();
        let first = [header(0, 1), kind(0), b"UTC\0".to_vec()].concat();
        let times = [1000i64.to_be_bytes(), 2000i64.to_be_bytes()].concat();
        let types = [kind(3600), kind(7200), kind(0)].concat();
        let second = [header(2, 3), times, vec![1, 2], types, b"UTC\0".to_vec()].concat();
        [first, second, b"\nUTC0\n".to_vec()].concat()
    }

    #[test]
    fn offsets_between_changes() {
        let zone = ZoneFile::parse(&file()).unwrap();
        for (time, offset) in [(-5, 3600), (999, 3600), (1000, 7200), (1999, 7200), (2000, 0), (1 << 40, 0)] {
            assert_eq!(zone.offset(time), offset, "{time}");
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let file = file();
        for len in 0..file.len() {
            // Cut off within the rule it is still a file, without one.
            let cut = ZoneFile::parse(&file[..len]);
            assert!(cut.is_none() || len >= file.len() - 5, "{len}");
        }
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] = 0xff;
            if let Some(zone) = ZoneFile::parse(&damaged) {
                zone.offset(1500);
                zone.offset(i64::MIN);
                zone.offset(i64::MAX);
            }
        }
    }
}
