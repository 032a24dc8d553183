//! Whether tokens stand one behind the other, without comparing positions: a comparison of two lists is as good as random, so that a processor
//! guesses wrong at every other position.
//!
//! ```text
//!   token 1 at 3, 90        marks      .  .  .  .  x  . ...  x      the places behind it
//!   token 2 at 5, 91                                ^        ^      is a mark there?
//! ```
//!
//! Each token of each row makes marks of another number, so that none is ever taken away. Places beyond the last one, and those of other columns, share the marks with
//! places before: then a mark says only that the tokens may be there.

use crate::position::{BIAS, COLUMN_MARK, COLUMN_MAX};
use crate::varint;

/// The number of places.
const LEN: usize = 1 << 13;
/// What a column's places are apart, so that few of them share marks with places of the columns before.
const COLUMN_STEP: u32 = 1471;

/// Longer phrases are not looked for.
const PHRASE_LEN_MAX: usize = 1 << 10;

/// The answer of [`Marks::follow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The tokens stand nowhere one behind the other.
    No,
    /// They do.
    Yes,
    /// They may: the positions have to be compared.
    Perhaps,
}

/// Marks behind the places of a token.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    /// The marks that were made last.
    number: u16,
    /// Those of every other token.
    places: [Vec<u16>; 2],
}

impl Marks {
    /// Whether tokens with these position lists stand one behind the other anywhere.
    pub fn follow<'l>(&mut self, lists: impl ExactSizeIterator<Item = &'l [u8]>) -> Found {
        if lists.len() > PHRASE_LEN_MAX {
            return Found::Perhaps;
        }
        self.begin(lists.len());
        let mut number = self.number;
        self.number += lists.len() as u16;
        let [mut read, mut write] = self.places.each_mut().map(|places| places.first_chunk_mut::<LEN>());
        let (count, mut is_exact) = (lists.len(), true);
        for (at, list) in lists.enumerate() {
            let (Some(before), Some(behind)) = (&mut read, &mut write) else { return Found::Perhaps };
            let walked = match at {
                _ if at + 1 == count => find_last(before, list, number),
                0 => mark_first(behind, list, number + 1),
                _ => mark_next(before, behind, list, number + 1),
            };
            let Some((is_near, is_there)) = walked else { return Found::Perhaps };
            if !is_there {
                return Found::No;
            }
            (is_exact, number) = (is_exact & is_near, number + 1);
            std::mem::swap(&mut read, &mut write);
        }
        if is_exact { Found::Yes } else { Found::Perhaps }
    }

    /// Makes sure that there are so many further numbers.
    fn begin(&mut self, count: usize) {
        if usize::from(u16::MAX - self.number) < count || self.places.iter().any(Vec::is_empty) {
            self.places = [vec![0; LEN], vec![0; LEN]];
            self.number = 0;
        }
    }
}

/// Marks the places behind those of a token. Whether each place has a mark of its own, and true. (Functions of their own: a loop needs most of a
/// processor's registers.)
#[inline(never)]
fn mark_first(marks: &mut [u16; LEN], list: &[u8], number: u16) -> Option<(bool, bool)> {
    let is_near = walk(list, |place| mark(marks, place, number));
    is_near.map(|is_near| (is_near, true))
}

/// Marks the places behind those that have a mark; the same, and whether there are any.
#[inline(never)]
fn mark_next(before: &[u16; LEN], marks: &mut [u16; LEN], list: &[u8], number: u16) -> Option<(bool, bool)> {
    let mut is_there = false;
    let is_near = walk(list, |place| {
        if mark_at(before, place) == number - 1 {
            is_there = true;
            mark(marks, place, number);
        }
    });
    is_near.map(|is_near| (is_near, is_there))
}

/// Whether each place has a mark of its own, and whether one has the mark.
#[inline(never)]
fn find_last(before: &[u16; LEN], list: &[u8], number: u16) -> Option<(bool, bool)> {
    let mut is_there = false;
    let is_near = walk(list, |place| is_there |= mark_at(before, place) == number);
    is_near.map(|is_near| (is_near, is_there))
}

/// Marks the place behind one.
#[inline]
fn mark(marks: &mut [u16; LEN], place: u32, number: u16) {
    if let Some(mark) = marks.get_mut(place.wrapping_add(1) as usize % LEN) {
        *mark = number;
    }
}

#[inline]
fn mark_at(marks: &[u16; LEN], place: u32) -> u16 {
    marks.get(place as usize % LEN).copied().unwrap_or(0)
}

/// Shows the places of a position list. A place is shown again before the last byte of the next number is read: there is no branch on the length
/// of a number, which is hard to guess. Whether each place has a mark of its own. None: the list is damaged.
#[inline(always)]
fn walk(list: &[u8], mut show: impl FnMut(u32)) -> Option<bool> {
    let (mut rest, mut is_near, mut has_mark) = (list, true, false);
    if let [first, behind @ ..] = list
        && u64::from(*first) == COLUMN_MARK
    {
        (rest, has_mark) = (behind, true);
    }
    loop {
        let (mut at, mut place) = (0, 0u32);
        if has_mark {
            let column = varint::read(rest, &mut at).filter(|column| *column <= COLUMN_MAX)?;
            (place, is_near) = ((column as u32).wrapping_mul(COLUMN_STEP), false);
        }
        place = place.wrapping_add(varint::read(rest, &mut at)?.checked_sub(BIAS)? as u32);
        show(place);
        let (mut bytes, mut number) = (rest.get(at..)?.iter(), 0u32);
        loop {
            let Some(byte) = bytes.next() else { return Some(is_near && (place as usize) < LEN - 1) };
            let mask = u32::from(byte >> 7).wrapping_sub(1);
            number = number << 7 | u32::from(byte & 0x7f);
            let step = number.wrapping_sub(BIAS as u32) & mask;
            if step.cast_signed() < 0 {
                break;
            }
            place = place.wrapping_add(step);
            number &= !mask;
            show(place);
        }
        if u64::from(number) != COLUMN_MARK {
            return None;
        }
        (rest, has_mark) = (bytes.as_slice(), true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::{Reader, Writer, position};

    fn list(positions: &[u64]) -> Vec<u8> {
        let (mut out, mut writer) = (Vec::new(), Writer::default());
        positions.iter().try_for_each(|position| writer.push(&mut out, *position)).unwrap();
        out
    }

    fn check(marks: &mut Marks, lists: &[&[u64]], expected: Found) {
        let bytes: Vec<Vec<u8>> = lists.iter().map(|one| list(one)).collect();
        assert_eq!(marks.follow(bytes.iter().map(Vec::as_slice)), expected, "{lists:?}");
    }

    #[test]
    fn tokens_are_found_behind_each_other() {
        let mut marks = Marks::default();
        check(&mut marks, &[&[3], &[4]], Found::Yes);
        check(&mut marks, &[&[3], &[3, 5]], Found::No);
        check(&mut marks, &[&[4], &[3]], Found::No);
        check(&mut marks, &[&[0], &[0]], Found::No);
        check(&mut marks, &[&[1, 200, 3000], &[7, 201]], Found::Yes);
        check(&mut marks, &[&[1, 200, 3000], &[7, 202, 3000]], Found::No);
        check(&mut marks, &[&[1, 5], &[2, 6], &[7]], Found::Yes);
        check(&mut marks, &[&[1, 5], &[2, 6], &[4, 8]], Found::No);
        check(&mut marks, &[&[1], &[2], &[3], &[4]], Found::Yes);
        check(&mut marks, &[&[1], &[2], &[3], &[2, 5]], Found::No);
        check(&mut marks, &[&[100_000], &[100_001]], Found::Perhaps);
        for place in LEN as u64 - 3..=LEN as u64 + 3 {
            let expected = if place < LEN as u64 - 2 { Found::Yes } else { Found::Perhaps };
            check(&mut marks, &[&[place], &[place + 1]], expected);
            check(&mut marks, &[&[place, place + 10], &[place + 2]], Found::No);
        }
        check(&mut marks, &[&[position(1, 3)], &[position(1, 4)]], Found::Perhaps);
        check(&mut marks, &[&[position(0, 3)], &[position(1, 4)]], Found::No);
    }

    #[test]
    fn no_tokens_are_missed() {
        let mut marks = Marks::default();
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for round in 0..200_000 {
            let mut positions = || {
                let spread = [10, 300, 20_000][round % 3];
                let mut all: Vec<u64> =
                    (0..random(12)).map(|_| position(random(3) as u32 / 2, random(spread) as u32)).collect();
                all.sort_unstable();
                all.dedup();
                all
            };
            let (one, other) = (positions(), positions());
            let is_there = one.iter().any(|position| other.contains(&(position + 1)));
            let (first, second) = (list(&one), list(&other));
            let found = marks.follow([first.as_slice(), second.as_slice()].into_iter());
            assert!(if is_there { found != Found::No } else { found != Found::Yes }, "{one:?} {other:?} {found:?}");
        }
    }

    #[test]
    fn damage_is_left_to_others() {
        let mut marks = Marks::default();
        for damage in [&[0x00][..], &[0x01], &[0x01, 0x81], &[0x01, 0xff, 0xff, 0xff, 0x7f, 0x02]] {
            assert_eq!(marks.follow([damage, damage].into_iter()), Found::Perhaps, "{damage:x?}");
        }
        let long = [0xff; 20];
        assert!(Reader::new(&long).count() < 3);
        let _ = marks.follow([long.as_slice(), long.as_slice()].into_iter());
    }
}
