//! Comparing an entry, in its bytes on a page, with a key.

use super::{First, KeyColumn, Prefix, SearchKey, StartOrder, start_of, utf8_from};
use lithe_format::btree_page::POINTER_LEN;
use lithe_format::serial_type::SerialType;
use lithe_format::{Malformed, record, varint};
use lithe_value::{ValueRef, compare};
use std::cmp::Ordering;

/// A header of fewer bytes has a length of one byte, and so has a serial type below it.
const SHORT: u8 = 0x80;

/// The cells of a page of an index among which a key is sought.
pub(crate) struct Cells<'p> {
    pub page: &'p [u8],
    pub pointers: &'p [[u8; POINTER_LEN]],
    /// Bytes of a cell before the length of its payload.
    pub before: usize,
    /// No payload up to this length overflows, and its length takes one byte.
    pub short: u8,
}

impl<'p> Cells<'p> {
    /// The cell from the length of its payload on, with all that follows on the page. `None`: not known here, because the payload is
    /// long, the cell stands at the very end of the page, or it is malformed.
    #[inline]
    fn cell(&self, index: usize) -> Option<&'p [u8]> {
        let at = usize::from(u16::from_be_bytes(self.pointers[index]));
        let cell = self.page.get(at + self.before..)?;
        (cell.len() >= FRONT_LEN && cell[0] <= self.short).then_some(cell)
    }

    /// The first columns of all entries as numbers. `None` if one has no number, or is not read here.
    pub(crate) fn starts(&self, order: StartOrder) -> Option<Starts> {
        let first_columns: Option<Vec<_>> = (0..self.pointers.len()).map(|index| self.first_column(index)).collect();
        let first_columns = first_columns?;
        let common = if order.is_text { common_beginning(&first_columns) } else { &[] };
        let start = |value: &ValueRef<'_>| match *value {
            ValueRef::Integer(value) if !order.is_text => Some(order.of_integer(value)),
            ValueRef::Text(text) if order.is_text => Some(order.of_text(start_of(&text[common.len()..]))),
            _ => None,
        };
        let starts: Option<Box<[u64]>> = first_columns.iter().map(start).collect();
        Some(Starts { order, common: common.into(), starts: starts? })
    }

    /// The first column of an entry. `None` if it is not read here.
    fn first_column(&self, index: usize) -> Option<ValueRef<'p>> {
        let cell = self.cell(index)?;
        let entry = cell.get(1..)?.get(..usize::from(cell[0]))?;
        let (header_len, at) = record::header_len(entry).ok()?;
        let (serial, _) = varint::read_at(entry.get(..header_len as usize)?, at)?;
        SerialType(u32::try_from(serial).ok()?).decode(entry, header_len as usize)
    }

    /// See [`SearchKey::narrow`].
    #[inline]
    fn narrow<const DESCENDING: bool>(
        &self,
        (mut low, mut high): (usize, usize),
        order: impl Fn(&[u8]) -> Option<Ordering>,
    ) -> (usize, usize) {
        while low < high {
            let middle = (low + high) / 2;
            let found = match self.cell(middle) {
                Some(cell) => order(cell),
                None => None,
            };
            match found {
                None | Some(Ordering::Equal) => break,
                Some(order) if order.is_lt() != DESCENDING => low = middle + 1,
                Some(_) => high = middle,
            }
        }
        (low, high)
    }
}

/// The number of bytes of a cell that are read together.
const FRONT_LEN: usize = 4;

/// How far the first eight bytes of an integer's content are shifted to leave the integer, and the length of the content, by serial type.
const SHIFT_AND_LEN: [(u32, u8); 8] = [(0, 0), (56, 1), (48, 2), (40, 3), (32, 4), (16, 6), (0, 8), (0, 0)];

/// The order of a cell's entry, whose first column is an integer, or can be no less, relative to `value`.
#[inline]
fn order_of_integer(cell: &[u8], value: i64) -> Option<Ordering> {
    let &[len, header_len @ 2..SHORT, serial, ..] = cell else { return None };
    match serial {
        1..=6 => {
            let (shift, content_len) = SHIFT_AND_LEN[usize::from(serial & 7)];
            let found = i64::from_be_bytes(*cell.get(1 + usize::from(header_len)..)?.first_chunk()?) >> shift;
            if header_len + content_len > len { None } else { Some(found.cmp(&value)) }
        }
        8 | 9 => Some(i64::from(serial - 8).cmp(&value)),
        // NULL, which has flags, and reals.
        0 | 7 | 10 | 11 => None,
        _ => Some(Ordering::Greater),
    }
}

/// The order of a cell's entry, whose first column is a text, relative to `text`, whose [`start_of`] is `start`.
#[inline]
fn order_of_text(cell: &[u8], text: &[u8], start: u64) -> Option<Ordering> {
    let &[len, header_len @ 2..SHORT, first, second, ..] = cell else { return None };
    let serial = match (first, second) {
        (..SHORT, _) => u32::from(first),
        (_, ..SHORT) => u32::from(first & 0x7f) << 7 | u32::from(second),
        _ => return None,
    };
    if !SerialType(serial).is_text() {
        return None;
    }
    let (at, content_len) = (1 + usize::from(header_len), (serial as usize - 13) / 2);
    if at + content_len > 1 + usize::from(len) {
        return None;
    }
    let mut found = u64::from_be_bytes(*cell.get(at..)?.first_chunk()?);
    if content_len < 8 {
        found &= !(u64::MAX >> (8 * content_len));
    }
    match found.cmp(&start) {
        Ordering::Equal => Some(cell.get(at..at + content_len)?.cmp(text)),
        order => Some(order),
    }
}

/// The bytes with which all of these values begin, which are texts.
fn common_beginning<'v>(values: &[ValueRef<'v>]) -> &'v [u8] {
    let mut common: Option<&[u8]> = None;
    for value in values {
        let ValueRef::Text(text) = *value else { return &[] };
        let is_same = |(found, known): &(&u8, &u8)| found == known;
        let shared = common.map_or(text.len(), |common| text.iter().zip(common).take_while(is_same).count());
        common = Some(&text[..shared]);
    }
    common.unwrap_or_default()
}

/// The first columns of the entries of an interior page of an index, as numbers.
pub(crate) struct Starts {
    order: StartOrder,
    /// All first columns begin with these bytes, if they are texts.
    common: Box<[u8]>,
    /// The first eight bytes of each behind those, or the integer.
    starts: Box<[u64]>,
}

impl Starts {
    /// The range of cells before which the key may belong. `None`: the numbers are of another order.
    #[inline]
    pub fn narrow(&self, key: &SearchKey<'_>) -> Option<(usize, usize)> {
        if key.start_order() != Some(self.order) {
            return None;
        }
        let start = match key.start_behind(&self.common) {
            Ok(start) => start,
            Err(Ordering::Less) => return Some((0, 0)),
            Err(_) => return Some((self.starts.len(), self.starts.len())),
        };
        let low = self.starts.partition_point(|other| *other < start);
        let equal = match self.starts.get(low..)? {
            from @ [first, ..] if *first == start => from.partition_point(|other| *other <= start),
            _ => 0,
        };
        Some((low, low + equal))
    }

    /// How many bytes of memory they take.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.starts) + self.common.len()
    }
}

impl SearchKey<'_> {
    /// Narrows the range of cells before which the key may belong, from `low` to `high`, as long as first columns decide.
    /// Ends when the range is empty, or when the cell in its middle needs a full comparison.
    #[inline]
    pub(crate) fn narrow(&self, cells: &Cells<'_>, range: (usize, usize)) -> (usize, usize) {
        match self.first {
            First::Integer { value, descending: false } => {
                cells.narrow::<false>(range, |cell| order_of_integer(cell, value))
            }
            First::Integer { value, .. } => cells.narrow::<true>(range, |cell| order_of_integer(cell, value)),
            First::Text { bytes, start, descending: false } => {
                cells.narrow::<false>(range, |cell| order_of_text(cell, bytes, start))
            }
            First::Text { bytes, start, .. } => cells.narrow::<true>(range, |cell| order_of_text(cell, bytes, start)),
            First::Other => range,
        }
    }

    /// The order of the entry whose record is `entry` relative to this key.
    #[inline]
    pub fn compare_entry(&self, entry: &[u8]) -> Result<Ordering, Malformed> {
        match self.first {
            First::Integer { value, descending } => self.compare_integer_first(entry, value, descending),
            First::Text { bytes, descending, .. } => self.compare_text_first(entry, bytes, descending),
            First::Other => self.compare_from(entry, 0),
        }
    }

    #[inline]
    fn compare_integer_first(&self, entry: &[u8], value: i64, descending: bool) -> Result<Ordering, Malformed> {
        let &[header_len @ 1..SHORT, serial @ ..SHORT, ..] = entry else {
            return self.compare_from(entry, 0);
        };
        if header_len == 1 {
            return self.compare_from(entry, 0); // the entry has no columns
        }
        let serial = SerialType(u32::from(serial));
        let at = usize::from(header_len);
        let order = if serial.is_integer() {
            serial.decode_integer(entry, at).ok_or(CUT)?.cmp(&value)
        } else if serial.0 >= 12 {
            Ordering::Greater
        } else {
            return self.compare_from(entry, 0); // NULL, which has flags, and real
        };
        self.first_or_rest(entry, order, descending)
    }

    #[inline]
    fn compare_text_first(&self, entry: &[u8], text: &[u8], descending: bool) -> Result<Ordering, Malformed> {
        let Some((&header_len @ 1..SHORT, header)) = entry.split_first() else {
            return self.compare_from(entry, 0);
        };
        if header_len == 1 {
            return self.compare_from(entry, 0);
        }
        let (serial, _) = varint::read(header).ok_or(CUT)?;
        let serial = SerialType(u32::try_from(serial).map_err(|_| CUT)?);
        if !serial.is_text() {
            return self.compare_from(entry, 0);
        }
        let content = entry.get(usize::from(header_len)..).and_then(|rest| rest.get(..serial.len() as usize));
        self.first_or_rest(entry, content.ok_or(CUT)?.cmp(text), descending)
    }

    /// The order that the first column decides, or else the other columns.
    #[inline]
    fn first_or_rest(&self, entry: &[u8], first: Ordering, descending: bool) -> Result<Ordering, Malformed> {
        match first {
            Ordering::Equal if self.values.len() == 1 => Ok(self.when_all_equal()),
            Ordering::Equal => self.compare_from(entry, 1),
            order if descending => Ok(order.reverse()),
            order => Ok(order),
        }
    }

    /// Compares from column `from` on; the columns before it are equal.
    fn compare_from(&self, entry: &[u8], from: usize) -> Result<Ordering, Malformed> {
        let (header_len, mut type_at) = record::header_len(entry)?;
        let header_len = header_len as usize;
        let header = entry.get(..header_len.max(type_at)).ok_or(CUT)?;
        let mut content_at = header_len;
        for (index, (value, column)) in self.values.iter().zip(&self.info.columns).enumerate() {
            if type_at >= header_len {
                break; // the entry has fewer columns: the key's further values equal it
            }
            let (serial, after) = varint::read_at(header, type_at).ok_or(CUT)?;
            let serial = SerialType(u32::try_from(serial).map_err(|_| CUT)?);
            if index >= from {
                let found = serial.decode(entry, content_at).ok_or(CUT)?;
                let order = self.compare_column(found, value, index, column);
                if order.is_ne() {
                    return Ok(order);
                }
            }
            type_at = after;
            content_at += serial.len() as usize;
        }
        Ok(self.when_all_equal())
    }

    fn compare_column(&self, found: ValueRef<'_>, value: &ValueRef<'_>, index: usize, column: &KeyColumn) -> Ordering {
        let order = match (found, *value) {
            (ValueRef::Text(found), ValueRef::Text(value)) => self.compare_text(found, value, index, column),
            (ValueRef::Null, ValueRef::Null) => Ordering::Equal,
            (ValueRef::Null, _) if column.nulls_large => Ordering::Greater,
            (_, ValueRef::Null) if column.nulls_large => Ordering::Less,
            (found, value) => compare(found, value, &column.collation),
        };
        if column.descending { order.reverse() } else { order }
    }

    fn compare_text(&self, found: &[u8], value: &[u8], index: usize, column: &KeyColumn) -> Ordering {
        match self.encoded.get(index) {
            None => column.collation.compare(found, value),
            // BINARY orders the bytes in the file, and those of UTF-16 have another order than those of UTF-8.
            Some(encoded) if column.collation.is_binary() => found.cmp(encoded),
            Some(_) => column.collation.compare(&utf8_from(found, self.info.encoding), value),
        }
    }

    #[inline]
    fn when_all_equal(&self) -> Ordering {
        match self.prefix {
            Prefix::Equal => Ordering::Equal,
            Prefix::Before => Ordering::Greater,
            Prefix::After => Ordering::Less,
        }
    }
}

const CUT: Malformed = Malformed("index entry ends too soon");

#[cfg(test)]
mod tests {
    use super::super::{KeyColumn, KeyInfo, start_of};
    use super::*;
    use lithe_format::db_header::TextEncoding;
    use lithe_format::record::Builder;
    use lithe_value::Collation;

    fn column(collation: Collation, descending: bool) -> KeyColumn {
        KeyColumn { collation, descending, nulls_large: false }
    }

    /// Every pair of `ascending` compares as their positions do.
    fn check(info: &KeyInfo, ascending: &[&[ValueRef<'_>]]) {
        check_narrow(info, ascending);
        let mut builder = Builder::new();
        for (i, entry) in ascending.iter().enumerate() {
            let entry = builder.build(entry).to_vec();
            for (j, key) in ascending.iter().enumerate() {
                let key = SearchKey::new(info, key, Prefix::Equal);
                assert_eq!(key.compare_entry(&entry), Ok(i.cmp(&j)), "entry {i} key {j}");
            }
        }
    }

    /// Narrowing among the entries of `ascending` never leaves the key's place.
    fn check_narrow(info: &KeyInfo, ascending: &[&[ValueRef<'_>]]) {
        let (mut page, mut pointers) = (Vec::new(), Vec::new());
        for entry in ascending {
            let entry = Builder::new().build(entry).to_vec();
            pointers.push((page.len() as u16).to_be_bytes());
            page.push(entry.len().min(255) as u8);
            page.extend(entry);
        }
        let cells = Cells { page: &page, pointers: &pointers, before: 0, short: 127 };
        for (place, key) in ascending.iter().enumerate() {
            let sought = SearchKey::new(info, key, Prefix::Equal);
            let (low, high) = sought.narrow(&cells, (0, ascending.len()));
            assert!(low <= place && place <= high, "{key:?}: {low}..{high}");
            let Some(starts) = sought.start_order().and_then(|order| cells.starts(order)) else { continue };
            let (low, high) = starts.narrow(&sought).expect("numbers of the key's own order");
            assert!(low <= place && place < high, "{key:?}: {low}..{high}");
        }
    }

    #[test]
    fn starts_have_the_order_of_texts() {
        let texts: [&[u8]; 8] = [b"", b"\0", b"a", b"a\0", b"abcdefg", b"abcdefgh", b"abcdefghi", b"b"];
        for pair in texts.windows(2) {
            assert!(start_of(pair[0]) <= start_of(pair[1]), "{pair:?}");
        }
        let rows: Vec<[ValueRef<'_>; 1]> = texts.iter().map(|text| [ValueRef::Text(text)]).collect();
        let rows: Vec<&[ValueRef<'_>]> = rows.iter().map(|row| &row[..]).collect();
        check(&KeyInfo::new(vec![KeyColumn::default()], TextEncoding::Utf8), &rows);
    }

    #[test]
    fn texts_with_common_beginnings() {
        for common in ["", "a", "some path/", "a beginning of 23 bytes"] {
            let ends: [&[u8]; 12] = [
                b"",
                b"\0",
                b"\0\0",
                b"a",
                b"a\0",
                b"a\0b",
                b"aaaaaaaab",
                b"aaaaaaaac",
                b"ab",
                b"b",
                b"bbbbbbbbb",
                b"c",
            ];
            let texts = ends.map(|end| [common.as_bytes(), end].concat());
            let rows: Vec<[ValueRef<'_>; 1]> = texts.iter().map(|text| [ValueRef::Text(text)]).collect();
            let mut rows: Vec<&[ValueRef<'_>]> = rows.iter().map(|row| &row[..]).collect();
            check(&KeyInfo::new(vec![KeyColumn::default()], TextEncoding::Utf8), &rows);
            rows.reverse();
            check(&KeyInfo::new(vec![column(Collation::Binary, true)], TextEncoding::Utf8), &rows);
        }
    }

    #[test]
    fn keys_that_do_not_begin_as_all_entries_do() {
        let entries: [&[u8]; 3] = [b"name 1", b"name 2", b"name 22"];
        for descending in [false, true] {
            let mut rows: Vec<_> =
                entries.iter().map(|text| Builder::new().build(&[ValueRef::Text(text)]).to_vec()).collect();
            if descending {
                rows.reverse();
            }
            let (mut page, mut pointers) = (Vec::new(), Vec::new());
            for entry in rows {
                pointers.push((page.len() as u16).to_be_bytes());
                page.push(entry.len() as u8);
                page.extend(entry);
            }
            let cells = Cells { page: &page, pointers: &pointers, before: 0, short: 127 };
            let info = KeyInfo::new(vec![column(Collation::Binary, descending)], TextEncoding::Utf8);
            for (key, is_less) in [("", true), ("name", true), ("mame 1", true), ("name!", false), ("nb", false)] {
                let key = [ValueRef::Text(key.as_bytes())];
                let key = SearchKey::new(&info, &key, Prefix::Equal);
                let starts = cells.starts(key.start_order().unwrap()).unwrap();
                let place = if is_less == descending { 3 } else { 0 };
                assert_eq!(starts.narrow(&key), Some((place, place)), "{key:?}");
            }
        }
    }

    #[test]
    fn a_text_that_ends_behind_its_page_is_not_compared_here() {
        let page = [&[100, 2, 13 + 2 * 50][..], b"beginning of a text"].concat();
        let cells = Cells { page: &page, pointers: &[[0, 0]], before: 0, short: 127 };
        let info = KeyInfo::new(vec![KeyColumn::default()], TextEncoding::Utf8);
        let key = [ValueRef::Text(b"beginning of a text")];
        assert_eq!(SearchKey::new(&info, &key, Prefix::Equal).narrow(&cells, (0, 1)), (0, 1));
    }

    #[test]
    fn starts_have_the_order_of_integers() {
        let integers = [i64::MIN, -70_000, -1, 0, 1, 2, 300, i64::MAX - 1, i64::MAX];
        let rows: Vec<[ValueRef<'_>; 1]> = integers.iter().map(|value| [ValueRef::Integer(*value)]).collect();
        let mut rows: Vec<&[ValueRef<'_>]> = rows.iter().map(|row| &row[..]).collect();
        check(&KeyInfo::new(vec![KeyColumn::default()], TextEncoding::Utf8), &rows);
        rows.reverse();
        check(&KeyInfo::new(vec![column(Collation::Binary, true)], TextEncoding::Utf8), &rows);
    }

    #[test]
    fn classes_and_directions() {
        use ValueRef::{Blob, Integer, Null, Real, Text};
        let ascending: &[&[ValueRef]] = &[
            &[Null, Integer(1)],
            &[Real(-1e30), Integer(1)],
            &[Integer(-300), Integer(1)],
            &[Real(-0.5), Integer(2)],
            &[Integer(0), Null],
            &[Integer(0), Integer(70_000)],
            &[Integer(0), Integer(1 << 40)],
            &[Integer(1), Text(b"a")],
            &[Integer(1), Text(b"ab")],
            &[Integer(1), Blob(b"")],
            &[Text(b""), Null],
            &[Text(b"A"), Null],
            &[Text(b"a"), Null],
            &[Text(&[b'a'; 200]), Null],
            &[Blob(b"a"), Null],
        ];
        let info = KeyInfo::new(vec![KeyColumn::default(); 2], TextEncoding::Utf8);
        check(&info, ascending);
        let info = KeyInfo::new(vec![column(Collation::Binary, true); 2], TextEncoding::Utf8);
        let descending: Vec<_> = ascending.iter().rev().copied().collect();
        check(&info, &descending);
    }

    #[test]
    fn collations_and_nulls() {
        use ValueRef::{Null, Text};
        let info = KeyInfo::new(vec![column(Collation::NoCase, false)], TextEncoding::Utf8);
        check(&info, &[&[Null], &[Text(b"a")], &[Text(b"B")], &[Text(b"c")]]);
        let large = KeyColumn { nulls_large: true, ..KeyColumn::default() };
        let info = KeyInfo::new(vec![large], TextEncoding::Utf8);
        check(&info, &[&[Text(b"a")], &[Null]]);
    }

    #[test]
    fn prefixes() {
        use ValueRef::{Integer, Text};
        let info = KeyInfo::new(vec![KeyColumn::default(); 3], TextEncoding::Utf8);
        let entry = Builder::new().build(&[Integer(5), Text(b"x"), Integer(9)]).to_vec();
        for values in [&[Integer(5)][..], &[Integer(5), Text(b"x")], &[]] {
            let order = |prefix| SearchKey::new(&info, values, prefix).compare_entry(&entry).unwrap();
            assert_eq!(order(Prefix::Equal), Ordering::Equal);
            assert_eq!(order(Prefix::Before), Ordering::Greater);
            assert_eq!(order(Prefix::After), Ordering::Less);
        }
    }

    #[test]
    fn utf16_orders_by_its_bytes() {
        // U+0100 is 00 01 in little-endian and sorts before "a", 61 00; in UTF-8 it is c4 80.
        let info = KeyInfo::new(vec![KeyColumn::default()], TextEncoding::Utf16Le);
        let entry = Builder::new().build(&[ValueRef::Text(&[0x00, 0x01])]).to_vec();
        let order = |text: &str| {
            let key = [ValueRef::Text(text.as_bytes())];
            SearchKey::new(&info, &key, Prefix::Equal).compare_entry(&entry).unwrap()
        };
        assert_eq!(order("a"), Ordering::Less);
        assert_eq!(order("\u{100}"), Ordering::Equal);
        let info = KeyInfo::new(vec![column(Collation::NoCase, false)], TextEncoding::Utf16Be);
        let entry = Builder::new().build(&[ValueRef::Text(&[0, b'A', 0, b'b'])]).to_vec();
        let key = [ValueRef::Text(b"aB")];
        assert_eq!(SearchKey::new(&info, &key, Prefix::Equal).compare_entry(&entry), Ok(Ordering::Equal));
    }

    #[test]
    fn malformed_entries_are_errors_or_orders() {
        let info = KeyInfo::new(vec![KeyColumn::default(); 2], TextEncoding::Utf8);
        let keys: [&[ValueRef]; 3] =
            [&[ValueRef::Integer(5), ValueRef::Null], &[ValueRef::Text(b"a")], &[ValueRef::Blob(b"q"); 2]];
        for len in 0..4 {
            for bytes in 0..1u32 << (8 * len).min(18) {
                let entry = &bytes.to_le_bytes()[..len];
                for values in keys {
                    let _ = SearchKey::new(&info, values, Prefix::Equal).compare_entry(entry);
                }
            }
        }
    }
}
