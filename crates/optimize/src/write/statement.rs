//! The plan of any statement that changes rows.

use lithe_catalog::{Result, fail};
use lithe_resolve::{ResolvedChange, ResolvedInsert, Scope};
use lithe_sql::ast::Stmt;

use super::TriggerBody;
use super::delete::{self, DeletePlan};
use super::insert::{self, InsertPlan};
use super::update::{self, UpdatePlan};
use crate::planner::Planner;

/// What a statement does, with the statement as it is resolved.
#[derive(Debug)]
pub enum ChangePlan<'a> {
    /// INSERT
    Insert(&'a ResolvedInsert<'a>, InsertPlan<'a>),
    /// UPDATE
    Update(&'a ResolvedChange<'a>, UpdatePlan<'a>),
    /// DELETE
    Delete(&'a ResolvedChange<'a>, DeletePlan<'a>),
}

/// Resolves and plans an INSERT, UPDATE or DELETE that stands in a scope, and in the body of a trigger if there is one.
pub fn plan_change<'a>(
    planner: &mut Planner<'a>,
    scope: &Scope<'_, 'a>,
    stmt: &Stmt<'a>,
    body: Option<TriggerBody>,
) -> Result<ChangePlan<'a>> {
    Ok(match stmt {
        Stmt::Insert(statement) => {
            let (insert, plan) = insert::plan(planner, scope, statement, body)?;
            ChangePlan::Insert(insert, plan)
        }
        Stmt::Update(statement) => {
            let (change, plan) = update::plan(planner, scope, statement, body)?;
            ChangePlan::Update(change, plan)
        }
        Stmt::Delete(statement) => {
            let (change, plan) = delete::plan(planner, scope, statement, body)?;
            ChangePlan::Delete(change, plan)
        }
        _ => return fail("not a statement that changes rows"),
    })
}
