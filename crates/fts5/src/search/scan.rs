//! The context in which leaves and nodes move.

use std::cmp::Ordering;

use crate::config::Detail;
use crate::index::{Order, Reader};

/// The context of a movement.
pub struct Scan<'s> {
    /// The index.
    pub reader: Reader<'s>,
    /// In which order rows come.
    pub order: Order,
    /// The option `detail` of the table.
    pub detail: Detail,
}

impl Scan<'_> {
    /// Compares rowids as the scan comes to them.
    pub fn compare(&self, one: i64, other: i64) -> Ordering {
        match self.order {
            Order::Ascending => one.cmp(&other),
            Order::Descending => other.cmp(&one),
        }
    }

    /// Whether one rowid comes before another.
    pub fn is_before(&self, one: i64, other: i64) -> bool {
        self.compare(one, other) == Ordering::Less
    }
}
