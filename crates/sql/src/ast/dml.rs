//! INSERT, UPDATE, DELETE with their clauses.

use super::{
    Expr, FromItem, Ident, Indexed, Limit, OrderTerm, QualifiedName, ResultColumn, Select, SelectNumber, Span, With,
};

/// `OR action` and `ON CONFLICT action`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// ROLLBACK
    Rollback,
    /// ABORT
    Abort,
    /// FAIL
    Fail,
    /// IGNORE
    Ignore,
    /// REPLACE
    Replace,
}

/// INSERT or REPLACE.
#[derive(Clone, Copy, Debug)]
pub struct Insert<'a> {
    /// WITH.
    pub with: Option<&'a With<'a>>,
    /// OR action; REPLACE INTO is OR REPLACE.
    pub or: Option<Conflict>,
    /// The table.
    pub table: QualifiedName<'a>,
    /// AS alias.
    pub alias: Option<Ident<'a>>,
    /// The columns; empty if not listed.
    pub columns: &'a [Ident<'a>],
    /// The rows. `None` for DEFAULT VALUES.
    pub source: Option<&'a Select<'a>>,
    /// The ON CONFLICT clauses in order.
    pub upserts: &'a [Upsert<'a>],
    /// RETURNING; empty if there is no such clause.
    pub returning: &'a [ResultColumn<'a>],
}

/// `ON CONFLICT [(target) [WHERE ...]] DO action`.
#[derive(Clone, Copy, Debug)]
pub struct Upsert<'a> {
    /// The columns or expressions of the unique index; empty if not listed.
    pub target: &'a [OrderTerm<'a>],
    /// WHERE of a partial unique index.
    pub target_filter: Option<Expr<'a>>,
    /// DO UPDATE; `None` is DO NOTHING.
    pub update: Option<&'a UpsertUpdate<'a>>,
}

/// `DO UPDATE SET ... [WHERE ...]`.
#[derive(Clone, Copy, Debug)]
pub struct UpsertUpdate<'a> {
    /// SET.
    pub set: &'a [Assignment<'a>],
    /// WHERE.
    pub filter: Option<Expr<'a>>,
}

/// `column = value` or `(columns) = row value`.
#[derive(Clone, Copy, Debug)]
pub struct Assignment<'a> {
    /// The columns.
    pub columns: &'a [Ident<'a>],
    /// Whether the columns are in parentheses: the value is then a row value with the same number of columns.
    pub row: bool,
    /// The new value.
    pub value: Expr<'a>,
}

/// UPDATE.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a> {
    /// WITH.
    pub with: Option<&'a With<'a>>,
    /// OR action.
    pub or: Option<Conflict>,
    /// The table.
    pub table: QualifiedName<'a>,
    /// AS alias.
    pub alias: Option<Ident<'a>>,
    /// INDEXED BY, NOT INDEXED.
    pub indexed: Indexed<'a>,
    /// SET.
    pub set: &'a [Assignment<'a>],
    /// FROM; empty if there is no such clause.
    pub from: &'a [FromItem<'a>],
    /// WHERE.
    pub filter: Option<Expr<'a>>,
    /// RETURNING; empty if there is no such clause.
    pub returning: &'a [ResultColumn<'a>],
    /// ORDER BY and LIMIT.
    pub limited: Option<&'a LimitedRows<'a>>,
}

/// DELETE.
#[derive(Clone, Copy, Debug)]
pub struct Delete<'a> {
    /// WITH.
    pub with: Option<&'a With<'a>>,
    /// The table.
    pub table: QualifiedName<'a>,
    /// AS alias.
    pub alias: Option<Ident<'a>>,
    /// INDEXED BY, NOT INDEXED.
    pub indexed: Indexed<'a>,
    /// WHERE.
    pub filter: Option<Expr<'a>>,
    /// RETURNING; empty if there is no such clause.
    pub returning: &'a [ResultColumn<'a>],
    /// ORDER BY and LIMIT.
    pub limited: Option<&'a LimitedRows<'a>>,
}

/// ORDER BY and LIMIT of an UPDATE or DELETE: the rows that the condition finds are ordered, and the first of them are changed.
#[derive(Clone, Copy, Debug)]
pub struct LimitedRows<'a> {
    /// ORDER BY; empty if there is no such clause.
    pub order_by: &'a [OrderTerm<'a>],
    /// LIMIT; none after ORDER BY is an error.
    pub limit: Option<&'a Limit<'a>>,
    /// The number of the query that finds the rows.
    pub number: SelectNumber,
    /// The text of the clauses.
    pub span: Span,
    /// The height of the highest expression within.
    pub height: u32,
}
