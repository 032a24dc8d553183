//! Characters for full-text search: UTF-8 that may be damaged, categories, small letters, marks.
//!
//! The tables are those of SQLite (Unicode 6.1), so that both read an index alike.

mod tables;

use tables::{CATEGORIES, MARKED, MARKS, NAMES, SMALL};

/// How many bits of an entry of [`CATEGORIES`] are the category.
const CATEGORY_BITS: u32 = 5;
/// `Lu` and `Ll` in turn.
const ALTERNATING: u32 = NAMES.len() as u32 + 1;
/// The character that damaged UTF-8 is read as.
const REPLACEMENT: u32 = 0xfffd;
/// The number of code points.
pub(crate) const CODE_POINTS: u32 = 0x11_0000;

/// A set of categories: a bit each. Bit 0 stands for code points without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CategorySet(u32);

impl CategorySet {
    /// No categories.
    pub const NONE: CategorySet = CategorySet(0);

    /// This set with the categories of a name: two letters, or the first letter and `*`. `None` if no category has that
    /// name. Code points without a category belong to each set that is not empty.
    pub fn with(self, name: [u8; 2]) -> Option<CategorySet> {
        let is_meant = |one: &[u8; 2]| one[0] == name[0] && (name[1] == b'*' || one[1] == name[1]);
        let numbered = NAMES.iter().zip(1u32..).filter(|(one, _)| is_meant(one));
        let bits = numbered.fold(0, |bits, (_, number)| bits | 1 << number);
        (bits != 0).then_some(CategorySet(self.0 | bits | 1))
    }

    fn has(self, number: u32) -> bool {
        self.0 >> number & 1 != 0
    }

    /// Whether a code point has one of the categories.
    pub fn contains(self, code: u32) -> bool {
        if code >= CODE_POINTS {
            return self.has(0);
        }
        let found = CATEGORIES.partition_point(|entry| entry >> CATEGORY_BITS <= code).checked_sub(1);
        let Some(entry) = found.and_then(|at| CATEGORIES.get(at)) else { return false };
        self.of_run(*entry, code)
    }

    fn of_run(self, entry: u32, code: u32) -> bool {
        let (first, number) = (entry >> CATEGORY_BITS, entry & ((1 << CATEGORY_BITS) - 1));
        self.has(match number {
            ALTERNATING if (code - first).is_multiple_of(2) => number_of(b"Lu"),
            ALTERNATING => number_of(b"Ll"),
            number => number,
        })
    }

    /// Calls `f` with the code points below `end` that have one of the categories, in order.
    pub(crate) fn each_below(self, end: u32, mut f: impl FnMut(u32)) {
        let ends = CATEGORIES.iter().skip(1).map(|entry| entry >> CATEGORY_BITS).chain([CODE_POINTS]);
        for (entry, run_end) in CATEGORIES.iter().zip(ends) {
            let first = entry >> CATEGORY_BITS;
            (first..run_end.min(end)).filter(|code| self.of_run(*entry, *code)).for_each(&mut f);
        }
    }
}

fn number_of(name: &[u8; 2]) -> u32 {
    NAMES.iter().zip(1..).find(|(one, _)| **one == name).map_or(0, |(_, number)| number)
}

/// The marks that are removed from letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RemoveMarks {
    /// None.
    No,
    /// The marks of Latin letters with one mark.
    #[default]
    Single,
    /// The marks of Latin letters.
    All,
}

/// The small form of a character, with fewer marks. `None` for a mark that is removed.
pub fn fold(code: u32, remove: RemoveMarks) -> Option<u32> {
    if code < 0x80 {
        let small = if (u32::from(b'A')..=u32::from(b'Z')).contains(&code) { code + 32 } else { code };
        return Some(small);
    }
    let small = small(code);
    if remove == RemoveMarks::No {
        return Some(small);
    }
    (!is_mark(small)).then(|| without_marks(small, remove))
}

/// Whether the character is one of the marks that belong to the letter before them.
pub(crate) fn is_mark(code: u32) -> bool {
    MARKS.binary_search(&code).is_ok()
}

fn small(code: u32) -> u32 {
    let Some((first, count, step, by)) =
        SMALL.partition_point(|run| run.0 <= code).checked_sub(1).and_then(|at| SMALL.get(at))
    else {
        return code;
    };
    if is_in(code, *first, *count, *step) { code.wrapping_add_signed(*by) } else { code }
}

fn without_marks(code: u32, remove: RemoveMarks) -> u32 {
    // Runs with steps of two can overlap: the matching run begins at most a few runs earlier.
    let end = MARKED.partition_point(|run| run.0 <= code);
    let near = MARKED.get(end.saturating_sub(3)..end).unwrap_or_default();
    let found = near.iter().rev().find(|run| is_in(code, run.0, run.1, run.2));
    match found {
        Some((_, _, _, letter, is_complex)) if !is_complex || remove == RemoveMarks::All => u32::from(*letter),
        _ => code,
    }
}

fn is_in(code: u32, first: u32, count: u8, step: u8) -> bool {
    let (distance, step) = (code - first, u32::from(step));
    distance.is_multiple_of(step) && distance / step < u32::from(count)
}

/// Reads the character at `at`, and moves `at` behind it. `None` at the end. Malformed UTF-8 is read as SQLite reads it:
/// a byte that begins no character is one by itself, and a character takes all the continuation bytes that follow.
#[inline]
pub fn read(text: &[u8], at: &mut usize) -> Option<u32> {
    let first = *text.get(*at)?;
    *at += 1;
    if first < 0xc0 {
        return Some(u32::from(first));
    }
    let mut code = u32::from(match first {
        0xc0..=0xdf => first & 0x1f,
        0xe0..=0xef => first & 0x0f,
        0xf0..=0xf7 => first & 0x07,
        0xf8..=0xfb => first & 0x03,
        0xfc | 0xfd => first & 0x01,
        _ => 0,
    });
    while let Some(next) = text.get(*at).filter(|byte| **byte & 0xc0 == 0x80) {
        code = code << 6 | u32::from(next & 0x3f);
        *at += 1;
    }
    let is_wrong = code < 0x80 || code & 0xffff_f800 == 0xd800 || code & 0xffff_fffe == 0xfffe;
    Some(if is_wrong { REPLACEMENT } else { code })
}

/// The most bytes of a character.
pub const LEN_MAX: usize = 4;

/// Appends a character.
#[inline]
pub fn push(out: &mut Vec<u8>, code: u32) {
    let following = |shift: u32| 0x80 | (code >> shift & 0x3f) as u8;
    match code {
        0..0x80 => out.push(code as u8),
        0x80..0x800 => out.extend_from_slice(&[0xc0 | (code >> 6 & 0x1f) as u8, following(0)]),
        0x800..0x1_0000 => out.extend_from_slice(&[0xe0 | (code >> 12 & 0x0f) as u8, following(6), following(0)]),
        _ => out.extend_from_slice(&[0xf0 | (code >> 18 & 0x07) as u8, following(12), following(6), following(0)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories() {
        let letters = CategorySet::NONE.with(*b"L*").unwrap();
        for (code, expected) in [('a', true), ('1', false), ('É', true), ('\u{378}', true), ('\u{300}', false)] {
            assert_eq!(letters.contains(code as u32), expected, "{code:?}");
        }
        let capitals = CategorySet::NONE.with(*b"Lu").unwrap();
        assert!(capitals.contains(0x100) && !capitals.contains(0x101) && capitals.contains(0x102));
        assert_eq!(CategorySet::NONE.with(*b"Lx"), None);
        let mut found = Vec::new();
        capitals.each_below(0x400, |code| found.push(code));
        assert_eq!(found, (0..0x400).filter(|code| capitals.contains(*code)).collect::<Vec<_>>());
    }

    #[test]
    fn folding() {
        let check = |char: char, remove, expected: Option<char>| {
            assert_eq!(fold(char as u32, remove), expected.map(u32::from), "{char:?}");
        };
        check('É', RemoveMarks::No, Some('é'));
        check('É', RemoveMarks::Single, Some('e'));
        check('Ệ', RemoveMarks::Single, Some('ệ'));
        check('Ệ', RemoveMarks::All, Some('e'));
        check('\u{301}', RemoveMarks::No, Some('\u{301}'));
        check('\u{301}', RemoveMarks::Single, None);
        check('Ω', RemoveMarks::All, Some('ω'));
        check('\u{10400}', RemoveMarks::All, Some('\u{10428}'));
    }

    #[test]
    fn damaged_characters() {
        let all = |bytes: &[u8]| {
            let mut at = 0;
            std::iter::from_fn(|| read(bytes, &mut at)).collect::<Vec<_>>()
        };
        assert_eq!(all("aé€😀".as_bytes()), [0x61, 0xe9, 0x20ac, 0x1f600]);
        assert_eq!(all(b"\x80a\xc0\x80\xff\xed\xa0\x80"), [0x80, 0x61, 0xfffd, 0xfffd, 0xfffd]);
        assert_eq!(all(&[0xc3; 3]), [0xfffd; 3]);
    }
}
