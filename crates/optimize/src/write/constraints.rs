//! NOT NULL and CHECK: which of them a change can violate, and what happens to a row that violates one.

use lithe_catalog::{Check, Column, Result, Table};
use lithe_resolve::ir::Expr;
use lithe_resolve::{Resolver, Stored};
use lithe_sql::ast::Conflict;

use super::changed::Changed;
use super::table::WrittenTable;
use super::unique::policy_of;

/// The constraints of a row that a change can violate.
#[derive(Debug)]
pub struct Constraints<'a> {
    /// NOT NULL, by column.
    pub not_null: &'a [NotNull],
    /// Generated columns are computed anew once NOT NULL is checked, which may put a default where NULL was.
    pub computes_anew: bool,
    checks: Result<&'a [CheckPlan<'a>]>,
}

/// NOT NULL of a column.
#[derive(Clone, Copy, Debug)]
pub struct NotNull {
    /// The column.
    pub column: u16,
    /// Generated columns are checked after the others.
    pub is_generated: bool,
    /// The value is a literal other than NULL: there is nothing to check.
    pub is_known: bool,
    /// What happens on NULL.
    pub on_null: OnNull,
}

/// What happens to a row with NULL in a NOT NULL column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnNull {
    /// The row is left out.
    Ignore,
    /// The column gets its default.
    Default,
    /// The statement fails.
    Fail(Conflict),
}

/// A CHECK constraint.
#[derive(Clone, Copy, Debug)]
pub struct CheckPlan<'a> {
    /// The constraint.
    pub check: &'a Check,
    /// The condition, which must not be false.
    pub condition: Expr<'a>,
    /// How the statement fails; `None`: the row is left out.
    pub failure: Option<Conflict>,
}

impl<'a> Constraints<'a> {
    /// The constraints of a row that is written to a table. `policy` is the conflict action of the statement, `changed` the columns that
    /// an UPDATE changes. `is_known` is true for a column whose value is a literal other than NULL.
    pub(super) fn of(
        resolver: &Resolver<'a>,
        written: &WrittenTable<'a>,
        policy: Option<Conflict>,
        changed: Option<&Changed>,
        is_known: impl Fn(u16) -> bool,
    ) -> Constraints<'a> {
        let table = written.table;
        let mut not_null = bumpalo::collections::Vec::new_in(resolver.arena);
        for (column, at) in table.columns.iter().zip(0..) {
            let is_same = changed.is_some_and(|changed| !changed.has_column(at));
            if let Some(own) = column.not_null
                && !is_same
                && table.rowid_column != Some(at)
            {
                let on_null = on_null(column, policy_of(policy, Some(own)));
                let is_generated = column.is_generated();
                not_null.push(NotNull { column: at, is_generated, is_known: !is_generated && is_known(at), on_null });
            }
        }
        let checks = checks(resolver, written, policy, changed);
        Constraints { not_null: not_null.into_bump_slice(), computes_anew: may_become_default(table, policy), checks }
    }

    /// The CHECK constraints. An error in one is reported where they are checked.
    pub fn checks(&self) -> Result<&'a [CheckPlan<'a>]> {
        self.checks.clone()
    }

    /// Whether there is a CHECK constraint.
    pub(super) fn has_checks(&self) -> bool {
        self.checks.as_ref().is_ok_and(|checks| !checks.is_empty())
    }
}

fn on_null(column: &Column, policy: Conflict) -> OnNull {
    match policy {
        Conflict::Ignore => OnNull::Ignore,
        Conflict::Replace if column.default.is_some() => OnNull::Default,
        // REPLACE without a default is ABORT.
        Conflict::Replace => OnNull::Fail(Conflict::Abort),
        policy => OnNull::Fail(policy),
    }
}

/// Whether NOT NULL may replace NULL by a default, on which generated columns depend.
fn may_become_default(table: &Table, policy: Option<Conflict>) -> bool {
    let is_replaced = |column: &Column| {
        column.not_null.is_some_and(|own| on_null(column, policy_of(policy, Some(own))) == OnNull::Default)
    };
    table.has_generated_columns() && table.columns.iter().any(is_replaced)
}

fn checks<'a>(
    resolver: &Resolver<'a>,
    written: &WrittenTable<'a>,
    policy: Option<Conflict>,
    changed: Option<&Changed>,
) -> Result<&'a [CheckPlan<'a>]> {
    let WrittenTable { db, table, source, .. } = *written;
    let mut planned = bumpalo::collections::Vec::new_in(resolver.arena);
    if resolver.env.flags.ignore_check_constraints {
        return Ok(&[]);
    }
    // REPLACE is ABORT here.
    let failure = match policy {
        Some(Conflict::Ignore) => None,
        None | Some(Conflict::Replace) => Some(Conflict::Abort),
        policy => policy,
    };
    for check in &table.checks {
        let condition = resolver.stored_expr(&check.text, Stored::Check, source, db, table)?;
        if changed.is_none_or(|changed| written.depends_on(&condition, changed)) {
            planned.push(CheckPlan { check, condition, failure });
        }
    }
    Ok(planned.into_bump_slice())
}
