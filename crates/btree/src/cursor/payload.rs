//! The row on which a cursor stands.

use super::{Cursor, State};
use crate::btree::Btree;
use crate::error::Result;
use lithe_format::cell::PayloadSpan;
use lithe_pager::PageRef;

/// The row or entry on which a cursor stands.
///
/// The local bytes live as long as the page: a caller that needs them beyond the next move of the cursor keeps a clone
/// of [`Row::page`], which costs nothing or a counter.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// The page that holds the row.
    pub page: &'a PageRef,
    /// Where on it.
    pub span: PayloadSpan,
}

impl<'a> Row<'a> {
    /// The part of the payload that is on the page; all of it unless it [overflows](PayloadSpan::overflows).
    #[inline]
    pub fn local(&self) -> &'a [u8] {
        &self.page[self.span.range()]
    }

    /// The length of the payload.
    #[inline]
    pub fn len(&self) -> u32 {
        self.span.len
    }

    /// Whether the payload has no bytes at all.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.span.len == 0
    }
}

impl Cursor {
    /// The rowid of the row on which the cursor stands, or stood before it was deleted.
    #[inline]
    pub fn rowid(&mut self) -> Result<i64> {
        debug_assert!(self.key_info.is_none() && self.state != State::Nowhere);
        Ok(self.parse()?.rowid)
    }

    /// The row or entry on which the cursor stands: as it was when the cursor came here, even if it has been
    /// changed or deleted since.
    ///
    /// # Panics
    /// If the cursor stands nowhere, or its row is gone: see [`Cursor::restore`].
    #[inline]
    pub fn row(&mut self, btree: &Btree) -> Result<Row<'_>> {
        if matches!(self.state, State::Written | State::Lost) {
            self.synchronise(btree)?;
        }
        assert!(self.state == State::Row, "the cursor stands on no row");
        let span = self.parse()?.span;
        Ok(Row { page: &self.here().node.page, span })
    }
}
