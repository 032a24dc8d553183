//! How the cells of some sibling pages are best distributed: sizes in, page boundaries out.

/// What happens to the cell between two pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Divider {
    /// It stays on its page, and the parent gets a copy of its rowid: leaves of tables.
    Copied,
    /// It moves up to the parent: everything else.
    Moved,
}

/// How full the pages become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Full from the left, then evened out from the right, so that the last page is not starved.
    Even,
    /// Even, and one page more if the pages would be nearly full: else each of the next insertions would
    /// balance the same pages again.
    Loose,
    /// Full from the left: more cells will come on the right.
    Left,
}

/// A page's share of the cells: `start..end`. Under [`Divider::Moved`], the cell at `end` is the divider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub start: usize,
    pub end: usize,
}

/// Distributes cells of the given sizes (pointers included) over as few pages of `capacity` as will hold
/// them (one more at most, if free space is wanted). No page is empty if there is a cell for each.
pub(crate) fn distribute(sizes: &[u32], capacity: u32, divider: Divider, fill: Fill) -> Vec<Share> {
    assert!(capacity > 0, "a page has capacity");
    let mut shares = fill_from_left(sizes, capacity, divider);
    if fill == Fill::Loose && shares.len() > 1 {
        let total = sizes.iter().sum::<u32>();
        let spare = shares.len() as u32 * capacity - total.min(shares.len() as u32 * capacity);
        if spare < shares.len() as u32 * capacity / FREE_WANTED {
            let largest = sizes.iter().copied().max().unwrap_or(0);
            let level = total / (shares.len() as u32 + 1) + largest;
            shares = fill_from_left(sizes, level.min(capacity), divider);
        }
    }
    if fill != Fill::Left {
        even_out(sizes, &mut shares, divider);
    }
    let gap = usize::from(divider == Divider::Moved);
    debug_assert!(shares.windows(2).all(|pair| pair[0].end + gap == pair[1].start), "a cell without a page");
    assert!(shares.last().is_some_and(|last| last.end == sizes.len()), "cells behind the last page");
    shares
}

/// A page is nearly full if less than this part of it is free.
const FREE_WANTED: u32 = 12;

fn fill_from_left(sizes: &[u32], capacity: u32, divider: Divider) -> Vec<Share> {
    let mut shares = Vec::with_capacity(5);
    let mut start = 0;
    loop {
        let mut end = start;
        let mut used = 0;
        while end < sizes.len() && used + sizes[end] <= capacity {
            used += sizes[end];
            end += 1;
        }
        // A cell larger than a page cannot be: no cell is, by the limits on local payload.
        assert!(end > start || end == sizes.len(), "a cell that fits on no page");
        if divider == Divider::Moved && end + 1 == sizes.len() && end > start + 1 {
            end -= 1; // else only the divider would be left for the next page
        }
        shares.push(Share { start, end });
        if end == sizes.len() {
            return shares;
        }
        start = if divider == Divider::Moved { end + 1 } else { end };
    }
}

/// Moves cells from each page to its right neighbour, while the right one stays the smaller.
fn even_out(sizes: &[u32], shares: &mut [Share], divider: Divider) {
    let sum = |share: &Share| sizes[share.start..share.end].iter().sum::<u32>();
    for right in (1..shares.len()).rev() {
        let mut left_used = sum(&shares[right - 1]);
        let mut right_used = sum(&shares[right]);
        loop {
            let Share { start, end } = shares[right - 1];
            if end - start < 2 {
                break;
            }
            let leaves = sizes[end - 1];
            let arrives = if divider == Divider::Moved { sizes[end] } else { leaves };
            if right_used > 0 && right_used + arrives > left_used - leaves {
                break;
            }
            left_used -= leaves;
            right_used += arrives;
            shares[right - 1].end -= 1;
            shares[right].start -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sizes: &[u32], capacity: u32, divider: Divider, fill: Fill, ends: &[usize]) {
        let shares = distribute(sizes, capacity, divider, fill);
        assert_eq!(shares.iter().map(|share| share.end).collect::<Vec<_>>(), ends);
        let mut next = 0;
        for share in &shares {
            assert_eq!(share.start, next);
            assert!(sizes[share.start..share.end].iter().sum::<u32>() <= capacity);
            next = share.end + usize::from(divider == Divider::Moved);
        }
    }

    #[test]
    fn table_leaves() {
        let ten = [10; 12];
        check(&ten[..4], 50, Divider::Copied, Fill::Even, &[4]);
        check(&ten[..6], 50, Divider::Copied, Fill::Even, &[3, 6]);
        check(&ten[..6], 50, Divider::Copied, Fill::Left, &[5, 6]);
        check(&ten, 50, Divider::Copied, Fill::Even, &[5, 9, 12]);
        check(&[], 50, Divider::Copied, Fill::Even, &[0]);
        check(&[50, 1, 50], 50, Divider::Copied, Fill::Even, &[1, 2, 3]);
    }

    #[test]
    fn moved_dividers() {
        let ten = [10; 12];
        check(&ten[..6], 50, Divider::Moved, Fill::Even, &[3, 6]);
        // Five fit, the sixth alone would be a divider with nothing after it.
        check(&ten[..6], 50, Divider::Moved, Fill::Left, &[4, 6]);
        check(&ten[..7], 50, Divider::Moved, Fill::Left, &[5, 7]);
        check(&ten, 50, Divider::Moved, Fill::Even, &[4, 9, 12]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "millions of steps")]
    fn every_cell_has_one_place() {
        let mut state = 88172645463325252u64;
        let mut random = move |n: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % n
        };
        for _ in 0..2000 {
            let capacity = 400 + random(4000) as u32;
            let sizes: Vec<u32> = (0..random(60)).map(|_| 6 + random(u64::from(capacity) / 4 - 6) as u32).collect();
            for divider in [Divider::Copied, Divider::Moved] {
                for fill in [Fill::Even, Fill::Loose, Fill::Left] {
                    let shares = distribute(&sizes, capacity, divider, fill);
                    let gap = usize::from(divider == Divider::Moved);
                    for pair in shares.windows(2) {
                        assert_eq!(pair[1].start, pair[0].end + gap);
                    }
                    assert_eq!(shares.last().unwrap().end, sizes.len());
                    for share in &shares {
                        assert!(sizes[share.start..share.end].iter().sum::<u32>() <= capacity);
                        assert!(share.end > share.start || sizes.is_empty());
                    }
                }
            }
        }
    }
}
