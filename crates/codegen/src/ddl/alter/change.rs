//! What ALTER TABLE changes, as all objects that name the table or the column see it.

use lithe_sql::ast::{Ident, Span};

/// What happens to a table.
#[derive(Clone, Copy)]
pub(super) enum Change<'a> {
    /// It gets another name.
    Table(Ident<'a>),
    /// The column at this position gets another name.
    Column(u16, Ident<'a>),
    /// This part of its definition, a column's, goes.
    Cut(Span),
}
