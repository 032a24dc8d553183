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
//! how many entries and groups come before them; `samples` says which ones.
//!
//! Under `PRAGMA analysis_limit` only some entries are read, no samples are taken, and averages are those of what was read ([`Limit`]).

mod samples;

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
use crate::seek;
use samples::{Sample, Selection};

/// Entries between two checks for an interrupt.
const ENTRIES_BETWEEN_CHECKS: u64 = 1000;

/// What to compute for an index.
#[derive(Clone, Copy)]
pub struct IndexAnalysis {
    /// The number of leading columns whose averages go to sqlite_stat1.
    pub columns: usize,
    /// The index is unique, and has one column.
    pub is_one_unique: bool,
}

/// Reads the whole index under `cursor`. The text for sqlite_stat1, about the first columns of `analysis`, goes to `dst`; a row for
/// each sample (nEq, nLt, nDLt, sample) goes to the temporary table `samples`.
#[inline(never)]
pub fn analyze_index(
    m: &mut Machine,
    program: &Program,
    host: &dyn Host,
    cursor: CursorId,
    samples: CursorId,
    analysis: IndexAnalysis,
    dst: Reg,
) -> Result<(), Error> {
    let key = program.cursor(cursor).key.as_deref().ok_or_else(not_an_index)?;
    let entries = match m.cursor(cursor).settled()? {
        VmCursor::Tree(tree) => tree.inner.cursor.count(&tree.btree)?,
        _ => return Err(not_an_index()),
    };
    let selection = host.state().takes_samples().then(|| Selection::new(key.columns().len(), entries));
    let mut groups = Groups::new(key, analysis.is_one_unique, selection);
    let mut limit = Limit::new(host.state().analysis_limit.get());
    let mut record = Register::Null;
    let mut stands = m.cursor(cursor).first()?;
    while stands {
        let VmCursor::Tree(tree) = m.cursor(cursor).settled()? else { return Err(not_an_index()) };
        match tree.record_in_place() {
            Some(bytes) => groups.add(bytes),
            None => {
                tree.record(&mut record)?;
                groups.add(record.as_ref().bytes().unwrap_or_default());
            }
        }
        if groups.entries.is_multiple_of(ENTRIES_BETWEEN_CHECKS) && host.is_interrupted() {
            return Err(Error::Interrupt);
        }
        if limit.is_reached(groups.entries) {
            // The first of the entries that follow is passed over, as in SQLite.
            stands = !groups.has_second_group() && seek::past_first_column(m, cursor, key, groups.first_column())?;
            if !stands {
                break;
            }
        }
        let VmCursor::Tree(tree) = m.cursor(cursor) else { return Err(not_an_index()) };
        stands = tree.next_in_leaf() || tree.next()?;
    }
    groups.end();
    let text = groups.averages(analysis.columns, if limit.skips > 0 { entries } else { groups.entries });
    m.reg_mut(dst).set_bytes(BytesKind::Text, text.as_bytes());
    if let Some(selection) = groups.selection.take() {
        write_samples(m, host, &groups, &selection.into_samples(), samples)?;
    }
    Ok(())
}

fn write_samples(
    m: &mut Machine,
    host: &dyn Host,
    groups: &Groups<'_>,
    samples: &[Sample],
    table: CursorId,
) -> Result<(), Error> {
    let Machine { cursors, temporary, .. } = m;
    let VmCursor::Ephemeral(table) = cursors[usize::from(table.0)].settled()? else { return Err(not_an_index()) };
    let mut builder = Builder::new();
    for (at, sample) in samples.iter().enumerate() {
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

/// `PRAGMA analysis_limit`: how many entries of a group of the first column are read before the next group. After as many entries again, the
/// analysis ends with the second group that has begun.
struct Limit {
    /// 0: all entries are read.
    entries: u64,
    skips: u64,
}

impl Limit {
    fn new(limit: i64) -> Limit {
        Limit { entries: limit.unsigned_abs(), skips: 0 }
    }

    /// Whether more entries have been read than the limit allows since the last skip, which is counted.
    fn is_reached(&mut self, read: u64) -> bool {
        let is_reached = self.entries > 0 && read > self.entries.saturating_mul(self.skips + 1);
        self.skips += u64::from(is_reached);
        is_reached
    }
}

/// The groups that the entries so far make up.
struct Groups<'k> {
    key: &'k KeyInfo,
    entries: u64,
    /// The index is unique and has one column: after an entry that is not NULL, SQLite takes all entries as different,
    /// even NULLs.
    is_one_unique: bool,
    has_value: bool,
    /// The current entry, with the sizes of its groups so far.
    current: Sample,
    /// `None` if no samples are taken.
    selection: Option<Selection>,
}

impl<'k> Groups<'k> {
    /// No entries yet.
    fn new(key: &'k KeyInfo, is_one_unique: bool, selection: Option<Selection>) -> Groups<'k> {
        debug_assert!(!is_one_unique || !key.columns().is_empty(), "a unique index has a column");
        let current = Sample::before_all(key.columns().len());
        Groups { key, entries: 0, is_one_unique, has_value: false, current, selection }
    }

    /// The next entry.
    fn add(&mut self, record: &[u8]) {
        let is_new = self.entries == 0 || self.is_one_unique && self.has_value;
        let changed = if is_new { 0 } else { self.first_difference(record) };
        self.has_value |= self.is_one_unique && !Columns::new(record).value().is_null();
        if self.entries > 0 {
            self.close(changed);
            for at in changed..self.key.columns().len() {
                self.current.less[at] += self.current.equal[at];
                self.current.distinct_less[at] += 1;
                self.current.equal[at] = 0;
            }
        }
        self.current.equal.iter_mut().for_each(|equal| *equal += 1);
        debug_assert!(self.current.equal.is_sorted_by(|a, b| a >= b), "groups of more columns are no larger");
        self.current.record.clear();
        self.current.record.extend_from_slice(record);
        self.entries += 1;
        if let Some(selection) = &mut self.selection {
            selection.add(&mut self.current, changed);
        }
    }

    /// Ends the last groups.
    fn end(&mut self) {
        if self.entries > 0 {
            self.close(0);
        }
    }

    /// The groups of more than `from` columns end.
    fn close(&mut self, from: usize) {
        if let Some(selection) = &mut self.selection {
            selection.close(&self.current, from);
        }
    }

    /// The number of leading columns in which the record is equal to the entry before.
    fn first_difference(&self, record: &[u8]) -> usize {
        equal_columns(&self.current.record, record, self.key)
    }

    /// Whether the first column has had a second value.
    fn has_second_group(&self) -> bool {
        self.current.distinct_less.first().is_some_and(|less| *less > 0)
    }

    /// The first column of the current entry.
    fn first_column(&self) -> ValueRef<'_> {
        Columns::new(&self.current.record).value()
    }

    /// The text for sqlite_stat1: the entries of the index, and for 1, 2, ... columns the average size of a group, rounded up.
    fn averages(&self, columns: usize, entries: u64) -> String {
        let mut numbers = vec![entries];
        debug_assert!(self.current.distinct_less.is_sorted(), "there are no fewer groups of more columns");
        for at in 0..columns.min(self.current.distinct_less.len()) {
            let groups = if self.entries == 0 { 1 } else { self.current.distinct_less[at] + 1 };
            // As in SQLite, a column with few repeated keys counts as unique.
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
