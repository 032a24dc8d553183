//! Visiting all nodes of a tree, in the order of the text except for a few lists.

use super::{
    CommonTable, CreateTrigger, Expr, ExprKind, Frame, FrameBound, FromItem, InSet, JoinConstraint, Limit, LimitedRows,
    OrderTerm, Over, Query, ResultColumnKind, Select, SelectCore, Source, Stmt, TriggerStep, Upsert, Window, With,
};

/// A node that a walk visits.
#[derive(Clone, Copy, Debug)]
pub enum Node<'t, 'a> {
    /// An expression.
    Expr(&'t Expr<'a>),
    /// A select, at any place.
    Select(&'t Select<'a>),
    /// An item of FROM, also one in parentheses.
    FromItem(&'t FromItem<'a>),
    /// A common table expression.
    CommonTable(&'t CommonTable<'a>),
    /// A statement: the root of the walk, or a step of a trigger.
    Stmt(&'t Stmt<'a>),
}

/// Calls `f` with the expression and all nodes below it.
pub fn walk_expr<'a>(expr: &Expr<'a>, f: &mut dyn FnMut(Node<'_, 'a>)) {
    f(Node::Expr(expr));
    match &expr.kind {
        ExprKind::Null
        | ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::HexTooBig(_)
        | ExprKind::String(_)
        | ExprKind::Blob(_)
        | ExprKind::Current(_)
        | ExprKind::Parameter(_)
        | ExprKind::Column(_)
        | ExprKind::QualifiedColumn(_) => {}
        ExprKind::Unary(_, operand) => walk_expr(operand, f),
        ExprKind::Binary(_, left, right) => each(&[**left, **right], f),
        ExprKind::Like(like) => {
            each(&[like.value, like.pattern], f);
            option(&like.escape, f);
        }
        ExprKind::Between(between) => each(&[between.value, between.low, between.high], f),
        ExprKind::In(set) => {
            walk_expr(&set.value, f);
            match &set.set {
                InSet::List(items) => each(items, f),
                InSet::Select(select) => walk_select(select, f),
                InSet::Table(_, arguments, _) => each(arguments, f),
            }
        }
        ExprKind::Case(case) => {
            option(&case.operand, f);
            for when in case.whens {
                each(&[when.condition, when.value], f);
            }
            option(&case.otherwise, f);
        }
        ExprKind::Cast(cast) => walk_expr(&cast.value, f),
        ExprKind::Collate(collate) => walk_expr(&collate.value, f),
        ExprKind::Function(call) => {
            each(call.args, f);
            order_terms(call.order_by, f);
            option(&call.filter, f);
            if let Some(Over::Window(window)) = &call.over {
                walk_window(window, f);
            }
        }
        ExprKind::Exists(select) | ExprKind::Subquery(select) => walk_select(select, f),
        ExprKind::RowValue(items) => each(items, f),
        ExprKind::Raise(raise) => option(&raise.message, f),
    }
}

/// Calls `f` with the select and all nodes below it.
pub fn walk_select<'a>(select: &Select<'a>, f: &mut dyn FnMut(Node<'_, 'a>)) {
    f(Node::Select(select));
    walk_with(select.with, f);
    walk_core(&select.first, f);
    for term in select.rest {
        walk_core(&term.core, f);
    }
    order_terms(select.order_by, f);
    walk_limit(select.limit, f);
}

fn walk_limit<'a>(limit: Option<&Limit<'a>>, f: &mut dyn FnMut(Node<'_, 'a>)) {
    if let Some(limit) = limit {
        walk_expr(&limit.limit, f);
        option(&limit.offset, f);
    }
}

fn walk_limited<'a>(limited: Option<&LimitedRows<'a>>, f: &mut dyn FnMut(Node<'_, 'a>)) {
    if let Some(limited) = limited {
        order_terms(limited.order_by, f);
        walk_limit(limited.limit, f);
    }
}

/// Calls `f` with the statement and all nodes below it. Statements other than SELECT, INSERT, UPDATE, DELETE, CREATE VIEW and
/// CREATE TRIGGER have no nodes below them here.
pub fn walk_stmt<'a>(stmt: &Stmt<'a>, f: &mut dyn FnMut(Node<'_, 'a>)) {
    f(Node::Stmt(stmt));
    match stmt {
        Stmt::Select(select) => walk_select(select, f),
        Stmt::Insert(insert) => {
            walk_with(insert.with, f);
            if let Some(source) = insert.source {
                walk_select(source, f);
            }
            insert.upserts.iter().for_each(|upsert| walk_upsert(upsert, f));
            result_columns(insert.returning, f);
        }
        Stmt::Update(update) => {
            walk_with(update.with, f);
            update.set.iter().for_each(|assignment| walk_expr(&assignment.value, f));
            walk_from(update.from, f);
            option(&update.filter, f);
            result_columns(update.returning, f);
            walk_limited(update.limited, f);
        }
        Stmt::Delete(delete) => {
            walk_with(delete.with, f);
            option(&delete.filter, f);
            result_columns(delete.returning, f);
            walk_limited(delete.limited, f);
        }
        Stmt::CreateView(view) => walk_select(view.select, f),
        Stmt::CreateTrigger(trigger) => walk_trigger(trigger, f),
        _ => {}
    }
}

fn walk_trigger<'a>(trigger: &CreateTrigger<'a>, f: &mut dyn FnMut(Node<'_, 'a>)) {
    option(&trigger.when, f);
    for TriggerStep { stmt, .. } in trigger.body {
        walk_stmt(stmt, f);
    }
}

fn walk_upsert<'a>(upsert: &Upsert<'a>, f: &mut dyn FnMut(Node<'_, 'a>)) {
    order_terms(upsert.target, f);
    option(&upsert.target_filter, f);
    if let Some(update) = upsert.update {
        update.set.iter().for_each(|assignment| walk_expr(&assignment.value, f));
        option(&update.filter, f);
    }
}

fn walk_with<'a>(with: Option<&With<'a>>, f: &mut dyn FnMut(Node<'_, 'a>)) {
    for table in with.map_or(&[][..], |with| with.tables) {
        f(Node::CommonTable(table));
        walk_select(table.select, f);
    }
}

fn walk_core<'a>(core: &SelectCore<'a>, f: &mut dyn FnMut(Node<'_, 'a>)) {
    match core {
        SelectCore::Query(query) => walk_query(query, f),
        SelectCore::Values(rows) => rows.iter().for_each(|row| each(row, f)),
    }
}

fn walk_query<'a>(query: &Query<'a>, f: &mut dyn FnMut(Node<'_, 'a>)) {
    result_columns(query.columns, f);
    walk_from(query.from, f);
    option(&query.filter, f);
    each(query.group_by, f);
    option(&query.having, f);
    query.windows.iter().for_each(|definition| walk_window(&definition.window, f));
}

fn walk_from<'a>(items: &[FromItem<'a>], f: &mut dyn FnMut(Node<'_, 'a>)) {
    for item in items {
        f(Node::FromItem(item));
        match &item.source {
            Source::Table(_) => {}
            Source::Function(_, arguments) => each(arguments, f),
            Source::Subquery(select) => walk_select(select, f),
            Source::Nested(items) => walk_from(items, f),
        }
        if let JoinConstraint::On(on) = &item.constraint {
            walk_expr(on, f);
        }
    }
}

fn walk_window<'a>(window: &Window<'a>, f: &mut dyn FnMut(Node<'_, 'a>)) {
    each(window.partition_by, f);
    order_terms(window.order_by, f);
    if let Some(Frame { start, end, .. }) = &window.frame {
        for bound in [start, end] {
            if let FrameBound::Preceding(distance) | FrameBound::Following(distance) = bound {
                walk_expr(distance, f);
            }
        }
    }
}

fn result_columns<'a>(columns: &[super::ResultColumn<'a>], f: &mut dyn FnMut(Node<'_, 'a>)) {
    for column in columns {
        if let ResultColumnKind::Expr(expr) = &column.kind {
            walk_expr(expr, f);
        }
    }
}

fn order_terms<'a>(terms: &[OrderTerm<'a>], f: &mut dyn FnMut(Node<'_, 'a>)) {
    terms.iter().for_each(|term| walk_expr(&term.expr, f));
}

fn each<'a>(exprs: &[Expr<'a>], f: &mut dyn FnMut(Node<'_, 'a>)) {
    exprs.iter().for_each(|expr| walk_expr(expr, f));
}

fn option<'a>(expr: &Option<Expr<'a>>, f: &mut dyn FnMut(Node<'_, 'a>)) {
    expr.iter().for_each(|expr| walk_expr(expr, f));
}
