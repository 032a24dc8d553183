//! What an expression brings to a comparison: affinity and collation.

use lithe_value::Affinity;

use super::{Coll, Expr, How, affinity_of, collation_of, comparison_affinity, has_explicit_collation};

/// The affinity and collation that an expression brings to a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared<'a> {
    /// Its affinity.
    pub affinity: Option<Affinity>,
    /// Its collation.
    pub collation: Option<Coll<'a>>,
    /// Whether the collation is that of an explicit COLLATE.
    pub is_explicit: bool,
}

impl<'a> Compared<'a> {
    /// The affinity and collation of the expression.
    pub fn of(expr: &Expr<'a>) -> Compared<'a> {
        Compared {
            affinity: affinity_of(expr),
            collation: collation_of(expr),
            is_explicit: has_explicit_collation(expr),
        }
    }

    /// How it is compared with `right`. The collation is that of an explicit COLLATE of the left one, of the right one, of a column on the
    /// left, of one on the right, else BINARY.
    pub fn with(&self, right: &Compared<'a>) -> How<'a> {
        let collation = match (self.is_explicit, right.is_explicit) {
            (true, _) => self.collation,
            (false, true) => right.collation,
            (false, false) => self.collation.or(right.collation),
        };
        How { affinity: comparison_affinity(self.affinity, right.affinity), collation: collation.unwrap_or_default() }
    }
}
