//! The constraints of a scan: comparisons of coordinates, and geometries of the application.

use std::rc::Rc;

use crate::error::Result;

/// How much of an entry's box lies within the queried region, by the numbers of SQLite's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Within {
    /// Outside.
    Not = 0,
    /// Perhaps partly inside.
    Partly = 1,
    /// Entirely inside.
    Fully = 2,
}

/// The result of a geometry for an entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// How much of its box lies inside.
    pub within: Within,
    /// Entries of lower scores come first.
    pub score: f64,
}

/// An entry that a geometry rates.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'q> {
    /// Its coordinates.
    pub coordinates: &'q [f64],
    /// The number of queued entries at each level, the highest level last.
    pub queued: &'q [u32],
    /// Its level: 0 is a row.
    pub level: usize,
    /// The level of the root.
    pub level_max: usize,
    /// The rowid, at level 0.
    pub rowid: i64,
    /// The rating on the node that contains it.
    pub parent: Rating,
}

/// A callback of the application that decides which boxes match.
pub trait Geometry {
    /// Rates an entry.
    ///
    /// # Errors
    /// Ends the query.
    fn rate(&self, candidate: &Candidate<'_>) -> Result<Rating>;
}

/// How a coordinate is compared with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<=`
    AtMost,
    /// `<`
    Below,
    /// `>=`
    AtLeast,
    /// `>`
    Above,
}

/// One constraint of a scan.
#[derive(Clone)]
pub enum Constraint {
    /// No row satisfies it: a comparison with NULL.
    Never,
    /// Every row satisfies it.
    Always,
    /// A coordinate (0: the minimum of the first dimension, 1: its maximum, …) compared with a number.
    Compare(usize, Comparison, f64),
    /// A geometry.
    Match(Rc<dyn Geometry>),
}

impl Constraint {
    /// Whether a row's coordinates satisfy a comparison.
    pub fn holds_for_row(&self, coordinates: &[f64]) -> bool {
        match *self {
            Constraint::Never => false,
            Constraint::Always | Constraint::Match(_) => true,
            Constraint::Compare(index, comparison, value) => {
                coordinates.get(index).is_some_and(|at| comparison.holds(*at, value))
            }
        }
    }

    /// Whether a row within this box could satisfy a comparison.
    pub fn can_hold_within(&self, coordinates: &[f64]) -> bool {
        match *self {
            Constraint::Never => false,
            Constraint::Always | Constraint::Match(_) => true,
            Constraint::Compare(index, comparison, value) => {
                let (Some(min), Some(max)) = (coordinates.get(index & !1), coordinates.get(index | 1)) else {
                    return false;
                };
                comparison.can_hold(*min, *max, value)
            }
        }
    }
}

impl Comparison {
    /// Whether it holds for a coordinate and a number.
    #[inline]
    pub fn holds(self, coordinate: f64, value: f64) -> bool {
        match self {
            Comparison::Equal => coordinate == value,
            Comparison::AtMost => coordinate <= value,
            Comparison::Below => coordinate < value,
            Comparison::AtLeast => coordinate >= value,
            Comparison::Above => coordinate > value,
        }
    }

    /// Whether it could hold for a coordinate within bounds.
    #[inline]
    pub fn can_hold(self, min: f64, max: f64, value: f64) -> bool {
        match self {
            Comparison::Equal => min <= value && value <= max,
            Comparison::AtMost | Comparison::Below => min <= value,
            Comparison::AtLeast | Comparison::Above => max >= value,
        }
    }
}
