//! The change that ALTER TABLE makes, for all objects that name the table or the column.

use lithe_sql::ast::{Ident, Span};

/// The change to a table.
#[derive(Clone, Copy)]
pub(super) enum Change<'a> {
    /// The table gets a new name.
    Table(Ident<'a>),
    /// The column at this position gets a new name.
    Column(u16, Ident<'a>),
    /// This part of its definition, a column's, is removed.
    Cut(Span),
}
