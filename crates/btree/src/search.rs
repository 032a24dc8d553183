//! Finding a rowid among those of a page, with as few reads of keys as the rowids allow.
//!
//! Rowids mostly come without gaps, or with equal gaps: then linear interpolation between two known ones finds the
//! place. A read costs a cache line of the page that is probably not in the processor's cache, so a right guess saves
//! more than a division costs.

/// Bounds of all rowids of a page, from the pages above; `None`: no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Range {
    /// All rowids are greater.
    pub above: Option<i64>,
    /// All rowids are less or equal.
    pub to: Option<i64>,
}

impl Range {
    pub fn contains(&self, rowid: i64) -> bool {
        self.above.is_none_or(|above| above < rowid) && self.to.is_none_or(|to| rowid <= to)
    }
}

/// The child that has `wanted` if any has, of `count` and one more, whose largest keys are `key`; and the range of its keys. All
/// keys are within `range`. `None` if `key` answers `None`.
#[inline]
pub(crate) fn find_child(
    count: usize,
    wanted: i64,
    range: Range,
    key: impl Fn(usize) -> Option<i64>,
) -> Option<(usize, Range)> {
    if range == Range::default() {
        // The root is read in every search, so it is in the cache, and a guess saves nothing.
        halve(count, wanted, key)
    } else {
        lower_bound(true, count, wanted, range, key)
    }
}

/// The first of `count` ascending keys that is not less than `wanted` (or `count`), by halving, and the range between it and
/// the key before it. `None` if `key` answers `None`.
#[inline]
fn halve(count: usize, wanted: i64, key: impl Fn(usize) -> Option<i64>) -> Option<(usize, Range)> {
    // The outcome of a comparison cannot be predicted: so there is no branch, and the range is read when the place is
    // known.
    let (mut low, mut left) = (0, count);
    while left > 0 {
        let half = left / 2;
        let is_less = key(low + half)? < wanted;
        low = if is_less { low + half + 1 } else { low };
        left = if is_less { left - half - 1 } else { half };
    }
    debug_assert!(low <= count, "behind the last key");
    let above = if low > 0 { Some(key(low - 1)?) } else { None };
    let to = if low < count { Some(key(low)?) } else { None };
    Some((low, Range { above, to }))
}

/// The first of `count` ascending keys that is not less than `wanted` (or `count`), and if `tight`, the range between
/// it and the key before it. All keys must be within `range`. `None` if `key` answers `None`.
#[inline]
pub(crate) fn lower_bound(
    tight: bool,
    count: usize,
    wanted: i64,
    range: Range,
    key: impl Fn(usize) -> Option<i64>,
) -> Option<(usize, Range)> {
    // All keys before `low` are less than `wanted`, those from `high` on are not.
    let (mut low, mut high) = (0, count);
    let (mut above, mut to) = (range.above, range.to);
    if above.is_none() && low < high {
        let first = key(0)?;
        if first >= wanted {
            return Some((0, Range { above: None, to: Some(first) }));
        }
        (low, above) = (1, Some(first));
    }
    if to.is_none() && low < high {
        let last = key(high - 1)?;
        if last < wanted {
            return Some((high, Range { above: Some(last), to: None }));
        }
        (high, to) = (high - 1, Some(last));
    }
    let mut looks = 0;
    let mut last_was_less = false;
    // On a leaf, the largest key that a page above allows mostly exists, as the last one. On an interior page it is that of the last child,
    // behind all keys.
    let mut to_is_last = !tight && range.to.is_some();
    while low < high {
        let middle = match (looks, above, to) {
            // If keys are spread evenly at random, the first guess is off by the root of their number, and the second by
            // the root of that.
            (0 | 1 | 3, Some(above), Some(to)) => {
                low + guess(wanted, above, to, high - low, high - low + usize::from(!to_is_last))
            }
            // The guess was near: the neighbour on the side of `wanted` decides.
            (2 | 4, ..) if last_was_less => low,
            (2 | 4, ..) => high - 1,
            _ => low + (high - low) / 2,
        };
        debug_assert!((low..high).contains(&middle), "a guess outside of what is left");
        looks += 1;
        let found = key(middle)?;
        last_was_less = found < wanted;
        if last_was_less {
            (low, above) = (middle + 1, Some(found));
        } else {
            (high, to, to_is_last) = (middle, Some(found), false);
            if found == wanted {
                let above = if tight && middle > low { Some(key(middle - 1)?) } else { above };
                return Some((middle, Range { above, to }));
            }
        }
    }
    Some((low, Range { above, to }))
}

/// The place of `wanted` among `count` keys greater than `above`, if they ascend evenly, and `to` is `steps` keys from
/// `above`.
#[inline]
fn guess(wanted: i64, above: i64, to: i64, count: usize, steps: usize) -> usize {
    let span = to.wrapping_sub(above) as u64;
    let offset = wanted.wrapping_sub(above) as u64;
    // For numbers far apart, 48 bits are precise enough, and their product with a number of cells does not overflow.
    let shift = (u64::BITS - span.leading_zeros()).saturating_sub(48);
    let (span, offset) = ((span >> shift).max(1), offset >> shift);
    let place = (offset * steps as u64).div_ceil(span);
    (place as usize).saturating_sub(1).min(count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(keys: &[i64], range: Range, looks_max: usize) {
        check_page(true, keys, range, looks_max);
        check_page(false, keys, range, looks_max + 2);
    }

    fn check_page(tight: bool, keys: &[i64], range: Range, looks_max: usize) {
        let mut probes: Vec<i64> = keys.iter().flat_map(|k| [k.saturating_sub(1), *k, k.saturating_add(1)]).collect();
        probes.extend([i64::MIN, -1, 0, 1, i64::MAX]);
        for wanted in probes.into_iter().filter(|wanted| range.contains(*wanted)) {
            let looks = std::cell::Cell::new(0);
            let key = |index: usize| {
                looks.set(looks.get() + 1);
                Some(keys[index])
            };
            let (index, found) = lower_bound(tight, keys.len(), wanted, range, key).unwrap();
            assert_eq!(index, keys.partition_point(|key| *key < wanted), "{wanted} in {keys:?}");
            let before = if index > 0 { Some(keys[index - 1]) } else { range.above };
            if tight {
                assert_eq!(found, Range { above: before, to: keys.get(index).copied().or(range.to) }, "{wanted}");
            }
            assert!(looks.get() <= looks_max, "{} looks for {wanted}", looks.get());
            let between = Range { above: before.filter(|_| index > 0), to: keys.get(index).copied() };
            assert_eq!(halve(keys.len(), wanted, |index| Some(keys[index])).unwrap(), (index, between), "{wanted}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "millions of steps")]
    fn even_keys_take_few_looks() {
        let dense: Vec<i64> = (1000..1040).collect();
        check(&dense, Range { above: Some(999), to: Some(1039) }, 3);
        check_page(false, &dense, Range { above: Some(999), to: Some(1039) }, 2);
        check(&dense, Range::default(), 6);
        let spaced: Vec<i64> = (1..400).map(|n| n * 38).collect();
        check(&spaced, Range { above: Some(0), to: Some(400 * 38) }, 4);
    }

    #[test]
    #[cfg_attr(miri, ignore = "millions of steps")]
    fn keys_with_gaps_at_random_take_few_looks() {
        let mut state = 5u32;
        let mut key = 0;
        let keys = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            key += 1 + i64::from(state >> 31);
            key
        });
        let keys: Vec<i64> = keys.take(450).collect();
        check(&keys, Range { above: Some(0), to: None }, 9);
    }

    #[test]
    #[cfg_attr(miri, ignore = "millions of steps")]
    fn uneven_keys_are_found() {
        let squares: Vec<i64> = (0..300).map(|n| n * n * n - 5000).collect();
        check(&squares, Range::default(), 16);
        check(&squares, Range { above: Some(-6000), to: None }, 16);
        check(&[i64::MIN, -5, 0, 7, i64::MAX], Range::default(), 9);
        check(&[i64::MAX], Range { above: Some(3), to: Some(i64::MAX) }, 3);
        check(&[], Range::default(), 0);
        check(&[], Range { above: Some(-10), to: Some(10) }, 0);
    }

    #[test]
    fn keys_out_of_order_end_too() {
        let key = |index: usize| Some([5, 1, 9, -3, 7, 2][index]);
        for wanted in -5..12 {
            assert!(lower_bound(true, 6, wanted, Range::default(), key).unwrap().0 <= 6);
            assert!(lower_bound(true, 6, wanted, Range { above: Some(8), to: Some(-8) }, key).unwrap().0 <= 6);
        }
    }
}
