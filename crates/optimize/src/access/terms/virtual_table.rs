//! Constraints that only virtual tables can use: `<>`, IS NOT, IS NOT NULL, LIKE and the like, and the table's own
//! functions.

use lithe_resolve::ir::{Call, Column, CompareOp, Expr, How, SourceKind, skip_collate};
use lithe_vtab::constraint;

use super::analysis::Analysis;
use super::{Constraint, Left, MadeOf, Op, Right};

/// Whether any source is a virtual table.
pub(super) fn is_concerned(analysis: &Analysis<'_, '_>) -> bool {
    let is_virtual = |kind: &SourceKind<'_>| matches!(kind, SourceKind::Table(_, table) if table.connected().is_some());
    analysis.scope.sources.iter().any(|source| is_virtual(&source.kind))
}

/// Adds the constraint that the condition is for a virtual table.
pub(super) fn add<'a>(analysis: &mut Analysis<'_, 'a>, expr: Expr<'a>) {
    match expr {
        Expr::Compare(compare) => {
            let op = match compare.op {
                CompareOp::Ne => constraint::NE,
                CompareOp::IsNot => constraint::ISNOT,
                _ => return,
            };
            constrain(analysis, &compare.left, op, Right::Value(compare.right));
            constrain(analysis, &compare.right, op, Right::Value(compare.left));
        }
        Expr::IsNull(operand, true) => {
            constrain(analysis, operand, constraint::ISNOTNULL, Right::Null);
        }
        Expr::Function(call) => function(analysis, call),
        _ => {}
    }
}

fn function<'a>(analysis: &mut Analysis<'_, 'a>, call: &'a Call<'a>) {
    let [first, second] = call.args else { return };
    let op = match call.function.name() {
        "match" => constraint::MATCH,
        "like" => constraint::LIKE,
        "glob" => constraint::GLOB,
        "regexp" => constraint::REGEXP,
        _ => {
            if let Some(op) = own_op(analysis, call, first) {
                constrain(analysis, first, op, Right::Value(*second));
            }
            return;
        }
    };
    constrain(analysis, second, op, Right::Value(*first));
}

/// The constraint for a call of a table's own function.
fn own_op(analysis: &Analysis<'_, '_>, call: &Call<'_>, first: &Expr<'_>) -> Option<u8> {
    let Expr::Column(Column { table: Some(table), .. }) = first else { return None };
    let table = analysis.scope.context.env.virtual_tables.get(table.connected()?.id.0)?;
    table.find_function(call.function.name(), call.args.len())?.op
}

fn constrain<'a>(analysis: &mut Analysis<'_, 'a>, of: &Expr<'a>, op: u8, right: Right<'a>) {
    let Expr::Column(column) = skip_collate(*of) else { return };
    let is_it = |kind: &SourceKind<'_>| matches!(kind, SourceKind::Table(_, table) if table.connected().is_some());
    let sources = analysis.scope.sources;
    let position = sources.iter().position(|source| source.id == column.source && is_it(&source.kind));
    let Some(source) = position else { return };
    let needs = analysis.needs_of(&right);
    if needs.contains(source) {
        return;
    }
    let condition = analysis.condition();
    analysis.terms.constraints.push(Constraint {
        condition,
        part: 0,
        source,
        left: Left::Column(column.index),
        op: Op::Virtual(op),
        right,
        how: How::default(),
        needs,
        equivalent: None,
        made_of: MadeOf::Comparison,
        is_extra: true,
        follows: false,
    });
}
