//! Objects of other databases in a view or a trigger: "view v cannot reference objects in database x". A view or trigger that is not temporary
//! remains when other databases are detached. Of several, the one to report is the first in the order in which SQLite looks.

use std::collections::HashSet;

use lithe_base::Db;
use lithe_catalog::{Result, fail};
use lithe_sql::ast::{
    CreateTrigger, Expr, ExprKind, FromItem, Ident, InSet, JoinConstraint, Name, Node, QualifiedName, Query,
    ResultColumnKind, Select, SelectCore, Source, Stmt, Upsert, walk_expr,
};

use super::Resolver;

/// Refuses a view in `db`, whose name is written in `sql`, that names an object of another database.
pub(super) fn refuse_in_view<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    name: Ident<'_>,
    sql: &[u8],
    select: &Select<'a>,
) -> Result<()> {
    let mut search = Search::new(resolver, db);
    search.select(select);
    let written = String::from_utf8_lossy(name.span().text(sql));
    refuse("view", &written, search.found).map_err(|error| error.with_offset(Some(name.span().start)))
}

/// The same of a trigger.
pub(super) fn refuse_in_trigger<'a>(resolver: &Resolver<'a>, db: Db, create: &CreateTrigger<'a>) -> Result<()> {
    let mut search = Search::new(resolver, db);
    create.body.iter().for_each(|step| search.step(&step.stmt));
    search.exprs(create.when.iter());
    refuse("trigger", &create.name.name.name.to_str_lossy(), search.found)
}

fn refuse(kind: &str, name: &str, foreign: Option<Name<'_>>) -> Result<()> {
    match foreign {
        Some(database) => fail(format!("{kind} {name} cannot reference objects in database {database}")),
        None => Ok(()),
    }
}

/// The search for the first name of another database than `db`.
struct Search<'r, 'a> {
    resolver: &'r Resolver<'a>,
    db: Db,
    /// The addresses of the queries that have been searched: a walk of an expression comes to those within them once more.
    searched: HashSet<usize>,
    found: Option<Name<'a>>,
}

impl<'r, 'a> Search<'r, 'a> {
    fn new(resolver: &'r Resolver<'a>, db: Db) -> Search<'r, 'a> {
        Search { resolver, db, searched: HashSet::new(), found: None }
    }

    fn step(&mut self, stmt: &Stmt<'a>) {
        match stmt {
            Stmt::Select(select) => self.select(select),
            Stmt::Insert(insert) => {
                insert.source.into_iter().for_each(|select| self.select(select));
                insert.upserts.iter().for_each(|upsert| self.upsert(upsert));
            }
            Stmt::Update(update) => {
                self.exprs(update.filter.iter());
                self.exprs(update.set.iter().map(|assignment| &assignment.value));
                self.names(update.from);
                self.queries(update.from);
            }
            Stmt::Delete(delete) => self.exprs(delete.filter.iter()),
            _ => {}
        }
    }

    fn upsert(&mut self, upsert: &Upsert<'a>) {
        self.exprs(upsert.target.iter().map(|term| &term.expr).chain(&upsert.target_filter));
        if let Some(update) = upsert.update {
            self.exprs(update.set.iter().map(|assignment| &assignment.value).chain(&update.filter));
        }
    }

    /// The cores from the last to the first; the last has WITH, ORDER BY and LIMIT.
    fn select(&mut self, select: &Select<'a>) {
        if !self.searched.insert(std::ptr::from_ref(select).addr()) {
            return;
        }
        let cores = std::iter::once(&select.first).chain(select.rest.iter().map(|term| &term.core));
        let cores: Vec<&SelectCore<'a>> = cores.collect();
        for (at, core) in cores.iter().rev().enumerate() {
            let of_whole = (at == 0).then_some(select);
            match core {
                SelectCore::Query(query) => self.query(query, of_whole),
                SelectCore::Values(rows) => {
                    self.common_tables(of_whole);
                    rows.iter().rev().for_each(|row| self.exprs(row.iter()));
                    self.order_and_limit(of_whole);
                }
            }
        }
    }

    /// The tables of FROM, then the common tables, the expressions, and the queries of FROM.
    fn query(&mut self, query: &Query<'a>, of_whole: Option<&Select<'a>>) {
        self.names(query.from);
        self.common_tables(of_whole);
        let columns = query.columns.iter().filter_map(|column| match &column.kind {
            ResultColumnKind::Expr(expr) => Some(expr),
            ResultColumnKind::Star | ResultColumnKind::TableStar(_) => None,
        });
        self.exprs(columns.chain(&query.filter).chain(query.group_by).chain(&query.having));
        self.order_and_limit(of_whole);
        for definition in query.windows {
            self.exprs(definition.window.partition_by.iter());
            self.exprs(definition.window.order_by.iter().map(|term| &term.expr));
        }
        self.queries(query.from);
    }

    fn common_tables(&mut self, of_whole: Option<&Select<'a>>) {
        let with = of_whole.and_then(|select| select.with);
        with.iter().flat_map(|with| with.tables).for_each(|table| self.select(table.select));
    }

    fn order_and_limit(&mut self, of_whole: Option<&Select<'a>>) {
        let Some(select) = of_whole else { return };
        self.exprs(select.order_by.iter().map(|term| &term.expr));
        if let Some(limit) = select.limit {
            self.exprs(std::iter::once(&limit.limit).chain(&limit.offset));
        }
    }

    /// The names of tables in FROM, with the conditions of joins. What stands first in parentheses is part of the list.
    fn names(&mut self, items: &[FromItem<'a>]) {
        for (at, item) in items.iter().enumerate() {
            match &item.source {
                Source::Table(name) | Source::Function(name, _) => self.name(*name),
                Source::Nested(items) if at == 0 || items.len() == 1 => self.names(items),
                Source::Nested(_) | Source::Subquery(_) => {}
            }
            if let JoinConstraint::On(on) = &item.constraint {
                self.exprs(std::iter::once(on));
            }
        }
    }

    /// What [`Search::names`] leaves.
    fn queries(&mut self, items: &[FromItem<'a>]) {
        for (at, item) in items.iter().enumerate() {
            match &item.source {
                Source::Table(_) => {}
                Source::Function(_, arguments) => self.exprs(arguments.iter()),
                Source::Subquery(select) => self.select(select),
                Source::Nested(items) => {
                    if at > 0 && items.len() > 1 {
                        self.names(items);
                    }
                    self.queries(items);
                }
            }
        }
    }

    fn exprs<'t>(&mut self, exprs: impl Iterator<Item = &'t Expr<'a>>)
    where
        'a: 't,
    {
        for expr in exprs {
            walk_expr(expr, &mut |node| match node {
                Node::Select(select) => self.select(select),
                Node::Expr(Expr { kind: ExprKind::In(set), .. }) => {
                    if let InSet::Table(name, ..) = set.set {
                        self.name(name);
                    }
                }
                _ => {}
            });
        }
    }

    fn name(&mut self, name: QualifiedName<'a>) {
        let Some(schema) = name.schema else { return };
        if self.found.is_none()
            && self.db != Db::TEMP
            && self.resolver.env.catalog.find_database(schema.name) != Some(self.db)
        {
            self.found = Some(schema.name);
        }
    }
}
