//! ANALYZE of one index: how often its keys repeat, and samples of them.
//!
//! The index is read once, from its first entry to its last. For every number of leading columns a *group* is a run of
//! entries that are equal in them:
//!
//! ```text
//!   a  b  rowid     groups of 1 column     of 2      of 3
//!   1  1  7         ┐ equal 3              ┐ 2       ─ 1
//!   1  1  9         │ less 0               ┘         ─ 1
//!   1  4  2         ┘ distinct_less 0      ─ 1       ─ 1
//!   2  0  5         ─ equal 1, less 3, distinct_less 1
//! ```
//!
//! `sqlite_stat1` has the average size of the groups. `sqlite_stat4` has samples: entries with the size of their groups, and
//! how many entries and groups come before them. Samples are the first entries of the largest groups of one column, and
//! entries at regular distances between them.

use lithe_btree::KeyInfo;
use lithe_format::db_header::TextEncoding;
use lithe_format::record::Builder;
use lithe_value::{Encoding, Value, ValueRef};

use crate::cursor::VmCursor;
use crate::error::Error;
use crate::host::Host;
use crate::keys::{Columns, equal_columns};
use crate::machine::Machine;
use crate::operand::{CursorId, Reg};
use crate::program::Program;
use crate::register::{BytesKind, Register};
use crate::row::texts::EncodedTexts;

/// Samples at regular distances.
const REGULAR: usize = 8;
/// Samples of large groups.
const LARGEST: usize = 16;
/// Entries between two looks whether the statement is interrupted.
const ENTRIES_BETWEEN_CHECKS: u64 = 1000;

/// What is asked about an index.
pub struct Shape {
    /// The averages of so many of its first columns.
    pub columns: usize,
    /// It is unique, and has one column.
    pub is_one_unique: bool,
}

/// Reads the whole index under `cursor`. The text for sqlite_stat1 goes to `dst`, about the first columns of `shape`; a row for
/// each sample (nEq, nLt, nDLt, sample) to the temporary table `samples`.
#[inline(never)]
pub fn analyze_index(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    cursor: CursorId,
    samples: CursorId,
    shape: Shape,
    dst: Reg,
) -> Result<(), Error> {
    let key = program.cursor(cursor).key.as_deref().ok_or_else(not_an_index)?;
    let entries = match m.cursor(cursor).settled()? {
        VmCursor::Tree(tree) => tree.place.cursor.count(&tree.btree)?,
        _ => return Err(not_an_index()),
    };
    let takes_samples = host.facts().takes_samples();
    let mut groups = Groups { is_one_unique: shape.is_one_unique, takes_samples, ..Groups::new(key, entries) };
    let mut record = Register::Null;
    let mut stands = m.cursor(cursor).first()?;
    while stands {
        let VmCursor::Tree(tree) = m.cursor(cursor).settled()? else { return Err(not_an_index()) };
        match tree.record_quickly() {
            Some(bytes) => groups.add(bytes),
            None => {
                tree.record(&mut record)?;
                groups.add(record.as_ref().bytes().unwrap_or_default());
            }
        }
        if groups.entries.is_multiple_of(ENTRIES_BETWEEN_CHECKS) && host.is_interrupted() {
            return Err(Error::Interrupt);
        }
        let VmCursor::Tree(tree) = m.cursor(cursor) else { return Err(not_an_index()) };
        stands = tree.next_quickly() || tree.next()?;
    }
    groups.end();
    let text = groups.averages(shape.columns);
    m.reg_mut(dst).set_bytes(BytesKind::Text, text.as_bytes());
    if takes_samples {
        write_samples(m, host, &groups, samples)?;
    }
    Ok(())
}

fn write_samples(m: &mut Machine, host: &dyn Host, groups: &Groups<'_>, table: CursorId) -> Result<(), Error> {
    let Machine { cursors, temporary, .. } = m;
    let VmCursor::Ephemeral(table) = cursors[usize::from(table.0)].settled()? else { return Err(not_an_index()) };
    let mut builder = Builder::new();
    for (at, sample) in groups.chosen().into_iter().enumerate() {
        let numbers = [&sample.equal, &sample.less, &sample.distinct_less].map(|numbers| Value::from(list(numbers)));
        let record = groups.encoded(&sample.record);
        let [equal, less, distinct_less] = numbers.each_ref().map(Value::as_ref);
        let row = builder.build(&[equal, less, distinct_less, ValueRef::Blob(&record)]);
        table.insert_row(at as i64 + 1, row, host, temporary)?;
    }
    Ok(())
}

fn list(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

fn not_an_index() -> Error {
    Error::new(lithe_vfs::ResultCode::INTERNAL, "only an index is analysed")
}

/// An entry with what is known about its groups, one number for each count of columns.
#[derive(Clone, Debug, Default)]
struct Sample {
    record: Vec<u8>,
    /// Entries in the group. While it goes on, 0.
    equal: Vec<u64>,
    /// Entries before the group.
    less: Vec<u64>,
    /// Groups before it.
    distinct_less: Vec<u64>,
}

impl Sample {
    /// Becomes a sample of the current entry, whose groups go on.
    fn begin(&mut self, current: &Sample) {
        self.record.clone_from(&current.record);
        self.less.clone_from(&current.less);
        self.distinct_less.clone_from(&current.distinct_less);
        self.equal.clear();
        self.equal.resize(current.equal.len(), 0);
    }
}

/// The groups that the entries so far make up.
struct Groups<'k> {
    key: &'k KeyInfo,
    entries: u64,
    /// The index is unique, of one column: behind an entry that is not NULL SQLite takes all for different, even NULLs.
    is_one_unique: bool,
    has_value: bool,
    /// Somebody wants them.
    takes_samples: bool,
    /// Every so many entries one is a regular sample.
    distance: u64,
    /// The current entry; its groups are counted here as they grow.
    current: Sample,
    /// The first entry of the current group of one column.
    first: Sample,
    regular: Vec<Sample>,
    /// In no order, and not more than [`LARGEST`].
    largest: Vec<Sample>,
}

impl<'k> Groups<'k> {
    fn new(key: &'k KeyInfo, entries: u64) -> Groups<'k> {
        let distance = if entries <= (REGULAR + LARGEST) as u64 { 1 } else { entries / (REGULAR as u64 + 1) };
        let width = key.columns().len();
        let current =
            Sample { equal: vec![0; width], less: vec![0; width], distinct_less: vec![0; width], ..Sample::default() };
        Groups {
            key,
            entries: 0,
            is_one_unique: false,
            has_value: false,
            takes_samples: true,
            distance,
            current,
            first: Sample::default(),
            regular: Vec::new(),
            largest: Vec::new(),
        }
    }

    /// The next entry.
    fn add(&mut self, record: &[u8]) {
        let width = self.key.columns().len();
        let is_new = self.entries == 0 || self.is_one_unique && self.has_value;
        let changed = if is_new { 0 } else { self.first_difference(record) };
        self.has_value |= self.is_one_unique && !Columns::new(record).value().is_null();
        if self.entries > 0 {
            if self.takes_samples {
                self.close(changed);
            }
            for at in changed..width {
                self.current.less[at] += self.current.equal[at];
                self.current.distinct_less[at] += 1;
                self.current.equal[at] = 0;
            }
        }
        self.current.equal.iter_mut().for_each(|equal| *equal += 1);
        self.current.record.clear();
        self.current.record.extend_from_slice(record);
        self.entries += 1;
        if !self.takes_samples {
            return;
        }
        if changed == 0 {
            self.first.begin(&self.current);
        }
        if self.entries.is_multiple_of(self.distance) {
            let mut sample = Sample::default();
            sample.begin(&self.current);
            self.regular.push(sample);
        }
    }

    /// There are no more entries.
    fn end(&mut self) {
        if self.entries > 0 {
            self.close(0);
        }
    }

    /// In how many leading columns the record is equal to the entry before.
    fn first_difference(&self, record: &[u8]) -> usize {
        equal_columns(&self.current.record, record, self.key)
    }

    /// The groups of more than `from` columns end: samples learn how large they were.
    fn close(&mut self, from: usize) {
        let sizes = &self.current.equal;
        let learn = |sample: &mut Sample| {
            let open = sample.equal.iter_mut().zip(sizes).skip(from).filter(|(equal, _)| **equal == 0);
            open.for_each(|(equal, size)| *equal = *size);
        };
        self.regular.iter_mut().rev().take_while(|sample| sample.equal.contains(&0)).for_each(learn);
        learn(&mut self.first);
        if from == 0 {
            self.keep_if_large();
        }
    }

    fn keep_if_large(&mut self) {
        // Most groups of most indexes: their sample's memory serves the next one.
        if self.first.equal.first().is_none_or(|&size| size < 2) {
            return;
        }
        let sample = std::mem::take(&mut self.first);
        if self.largest.len() < LARGEST {
            self.largest.push(sample);
            return;
        }
        let smallest = self.largest.iter_mut().min_by_key(|other| other.equal[0]);
        if let Some(smallest) = smallest.filter(|smallest| smallest.equal[0] < sample.equal[0]) {
            *smallest = sample;
        }
    }

    /// The samples in the order of the index, each once.
    fn chosen(&self) -> Vec<&Sample> {
        let mut chosen: Vec<&Sample> = self.regular.iter().chain(&self.largest).collect();
        chosen.sort_by(|a, b| a.less.cmp(&b.less));
        chosen.dedup_by(|a, b| a.less == b.less);
        chosen.truncate(REGULAR + LARGEST);
        chosen
    }

    /// The text for sqlite_stat1: entries, and for 1, 2, ... columns the average size of a group, rounded up.
    fn averages(&self, columns: usize) -> String {
        let mut numbers = vec![self.entries];
        for at in 0..columns.min(self.current.distinct_less.len()) {
            let groups = if self.entries == 0 { 1 } else { self.current.distinct_less[at] + 1 };
            // Few exceptions do not make a unique column another one.
            let is_nearly_unique = self.entries.saturating_mul(10) <= groups.saturating_mul(11);
            let average = self.entries.div_ceil(groups);
            numbers.push(if is_nearly_unique && average == 2 { 1 } else { average });
        }
        list(&numbers)
    }

    /// The record's key columns, in the encoding of the database.
    fn encoded(&self, record: &[u8]) -> Vec<u8> {
        let mut columns = Columns::new(record);
        let values: Vec<ValueRef<'_>> = self.key.columns().iter().map(|_| columns.value()).collect();
        let encoding = match self.key.encoding() {
            TextEncoding::Utf8 => return Builder::new().build(&values).to_vec(),
            TextEncoding::Utf16Le => Encoding::Utf16le,
            TextEncoding::Utf16Be => Encoding::Utf16be,
        };
        let texts = EncodedTexts::new(&values, encoding);
        Builder::new().build(&texts.replace(&values)).to_vec()
    }
}
