//! The plan of an INSERT, UPDATE or DELETE as text, without a program: `writes.txt` has statements, each with its plan.
//! `UPDATE=1` rewrites the file; the difference is then read.

use bumpalo::Bump;
use lithe_catalog::Table;
use lithe_optimize::plan::{InsertSource, RowsPlan};
use lithe_optimize::planner::Planner;
use lithe_optimize::write::constraints::Constraints;
use lithe_optimize::write::delete::{self, DeletePlan};
use lithe_optimize::write::foreign_keys::ForeignKeys;
use lithe_optimize::write::insert::{self, InsertPlan, InsertRowsPlan};
use lithe_optimize::write::replace::Replaced;
use lithe_optimize::write::returning::ReturningPlan;
use lithe_optimize::write::table::WrittenTable;
use lithe_optimize::write::triggers::Triggers;
use lithe_optimize::write::unique::{UniqueKey, UniquePlan};
use lithe_optimize::write::update::{self, RowUpdate, UpdatePlan};
use lithe_optimize::write::upsert::UpsertPlan;
use lithe_optimize::write::view::ViewChange;
use lithe_optimize::write::virtual_table::VirtualChange;
use lithe_resolve::{Found, Resolver, Scope};
use lithe_sql::ast::Stmt;

use crate::plans::Text;

#[test]
fn plans_of_changes_as_text() {
    crate::plans::check("writes.txt", include_str!("writes.txt"), plan);
}

fn plan(theirs: &rusqlite::Connection, sql: &str) -> String {
    let mut env = crate::environment(theirs);
    env.flags.foreign_keys = true;
    let arena = Bump::new();
    let parsed = lithe_sql::parse_statement(sql.as_bytes(), &arena, &env.limits).unwrap();
    let parsed = parsed.statement.expect("a statement is no comment");
    let resolver: &Resolver<'_> = arena.alloc(Resolver::new(&env, &arena));
    let found = Found::default();
    let scope = Scope::outermost(sql.as_bytes(), &found);
    let mut planner = Planner::new(resolver);
    let mut text = Text { text: String::new(), depth: 1 };
    match parsed.program() {
        Some(Stmt::Insert(statement)) => {
            let (_, plan) = insert::plan(&mut planner, &scope, statement, None).unwrap();
            text.insert(&plan);
        }
        Some(Stmt::Update(statement)) => {
            let (_, plan) = update::plan(&mut planner, &scope, statement, None).unwrap();
            text.update(&plan);
        }
        Some(Stmt::Delete(statement)) => {
            let (_, plan) = delete::plan(&mut planner, &scope, statement, None).unwrap();
            text.delete(&plan);
        }
        _ => panic!("not a statement that changes rows: {sql}"),
    }
    text.text
}

fn once(changes_more_than_once: bool) -> &'static str {
    if changes_more_than_once { "" } else { " once" }
}

impl Text {
    fn insert(&mut self, plan: &InsertPlan<'_>) {
        match plan {
            InsertPlan::Records(plan) => self.node(&format!("insert the records of {}", plan.from.1.name), |text| {
                text.checks(&plan.table, &plan.unique, plan.replaced.as_ref());
            }),
            InsertPlan::Rows(plan) => {
                self.node(&format!("insert{}, rowid {:?}", once(plan.changes_more_than_once), plan.rowid), |text| {
                    text.insert_rows(plan);
                });
            }
            InsertPlan::View(plan) => self.node("insert into a view", |text| {
                text.triggers(&plan.triggers);
                text.inserted_rows(&plan.rows);
            }),
            InsertPlan::Virtual(plan) => {
                self.node("insert into a virtual table", |text| text.inserted_rows(&plan.rows));
            }
        }
    }

    fn insert_rows(&mut self, plan: &InsertRowsPlan<'_>) {
        self.watchers(plan.table.table, &plan.triggers, &plan.keys);
        self.constraints(plan.table.table, &plan.constraints);
        self.checks(&plan.table, &plan.unique, plan.replaced.as_ref());
        for (at, update) in plan.upserts.iter().enumerate() {
            match update {
                None => {}
                Some(UpsertPlan { queries, row: Ok(row), returning }) => {
                    self.node(&format!("clause {at}: update"), |text| {
                        text.row_update(&plan.table, row);
                        text.queries("set", queries.as_ref().unwrap());
                        text.returning(returning.as_ref());
                    });
                }
                Some(UpsertPlan { row: Err(error), .. }) => self.line(&format!("clause {at}: {}", error.message)),
            }
        }
        self.inserted_rows(&plan.rows);
        self.returning(plan.returning.as_ref());
    }

    fn constraints(&mut self, table: &Table, constraints: &Constraints<'_>) {
        for not_null in constraints.not_null.iter().filter(|not_null| !not_null.is_known) {
            let name = &table.columns[usize::from(not_null.column)].name;
            self.line(&format!("{name} NOT NULL: {:?}", not_null.on_null));
        }
        for planned in constraints.checks().unwrap() {
            let text = String::from_utf8_lossy(&planned.check.text);
            let failure = planned.failure.map_or("Ignore".to_owned(), |conflict| format!("Fail({conflict:?})"));
            self.line(&format!("CHECK {text}: {failure}"));
        }
    }

    fn returning(&mut self, returning: Option<&ReturningPlan<'_>>) {
        let Some(returning) = returning else { return };
        self.node(&format!("returning {} values", returning.exprs.len()), |text| {
            text.queries("value", returning.queries().unwrap());
        });
    }

    fn inserted_rows(&mut self, rows: &InsertSource<'_>) {
        match *rows {
            InsertSource::Row { queries, .. } => self.node("one row", |text| text.queries("value", queries)),
            InsertSource::Query { plan, is_collected } => {
                let collected = if is_collected { ", all of them first" } else { "" };
                self.node(&format!("rows of a query{collected}"), |text| text.query(plan));
            }
        }
    }

    fn update(&mut self, plan: &UpdatePlan<'_>) {
        match plan {
            UpdatePlan::Rows(plan) => self.node(&format!("update{}", once(plan.changes_more_than_once)), |text| {
                text.row_update(&plan.table, &plan.row);
                text.changed_rows(&plan.rows);
                text.returning(plan.returning.as_ref());
            }),
            UpdatePlan::View(plan) => self.view("update of a view", plan),
            UpdatePlan::Virtual(plan) => self.virtual_table("update of a virtual table", plan),
        }
    }

    fn view(&mut self, what: &str, plan: &ViewChange<'_>) {
        self.node(what, |text| {
            text.triggers(&plan.triggers);
            text.node("rows of a query", |text| text.query(plan.rows));
            text.returning(plan.returning.as_ref());
        });
    }

    fn virtual_table(&mut self, what: &str, plan: &VirtualChange<'_>) {
        self.node(what, |text| {
            text.from(plan.from);
            text.queries("argument", plan.queries);
        });
    }

    fn row_update(&mut self, table: &WrittenTable<'_>, row: &RowUpdate<'_>) {
        let columns = table.table.columns.iter().zip(0..);
        let changed: Vec<_> = columns.filter(|(_, at)| row.changed.has(table.table, *at)).collect();
        let changed: Vec<_> = changed.iter().map(|(column, _)| column.name.to_string()).collect();
        let moves = if row.changes_key { ", which moves the row" } else { "" };
        self.line(&format!("changes {}{moves}", changed.join(", ")));
        self.watchers(table.table, &row.triggers, &row.keys);
        self.constraints(table.table, &row.constraints);
        self.checks(table, &row.unique, row.replaced.as_ref());
    }

    fn delete(&mut self, plan: &DeletePlan<'_>) {
        match plan {
            DeletePlan::All => self.line("delete all: the trees are emptied"),
            DeletePlan::Rows(plan) => self.node(&format!("delete{}", once(plan.changes_more_than_once)), |text| {
                text.watchers(plan.table.table, &plan.triggers, &plan.keys);
                let indexes = plan.table.indexes.iter().filter(|index| !index.is_table);
                indexes.for_each(|index| text.line(&format!("entries of {}", index.index.name)));
                text.changed_rows(&plan.rows);
                text.returning(plan.returning.as_ref());
            }),
            DeletePlan::View(plan) => self.view("delete from a view", plan),
            DeletePlan::Virtual(plan) => self.virtual_table("delete from a virtual table", plan),
        }
    }

    fn triggers(&mut self, triggers: &Triggers<'_>) {
        for found in triggers.all() {
            self.line(&format!("trigger {} {:?}", found.trigger.name, found.trigger.time));
        }
    }

    fn watchers(&mut self, table: &Table, triggers: &Triggers<'_>, keys: &ForeignKeys<'_>) {
        self.triggers(triggers);
        for key in &keys.of_child {
            self.line(&format!("foreign key of {} to {}", table.name, key.parent.name));
        }
        for reference in &keys.to_parent {
            let (child, action) = (&reference.child.name, reference.action());
            self.line(&format!("foreign key of {child} to {}: {action:?}", table.name));
        }
    }

    fn checks(&mut self, table: &WrittenTable<'_>, unique: &UniquePlan, replaced: Option<&Replaced<'_>>) {
        for check in &unique.checks {
            let (name, entry) = match check.key {
                UniqueKey::Rowid => ("rowid".to_owned(), ""),
                UniqueKey::Index(at) if check.makes_entry => (table.indexes[at].index.name.to_string(), ", new entry"),
                UniqueKey::Index(at) => (table.indexes[at].index.name.to_string(), ", entry stays"),
            };
            let conflict = check.on_conflict.map_or(String::new(), |conflict| format!(", a conflict: {conflict:?}"));
            self.line(&format!("{name}{entry}{conflict}"));
        }
        let Some(replaced) = replaced else { return };
        self.node("REPLACE deletes", |text| match replaced.keys() {
            Ok(keys) => text.watchers(table.table, &replaced.triggers, keys),
            Err(error) => text.line(&error.message),
        });
    }

    fn changed_rows(&mut self, rows: &RowsPlan<'_>) {
        match rows {
            RowsPlan::Gathered(plan) => self.node("rows of a query", |text| text.query(plan)),
            RowsPlan::Found(plan) => {
                let passes = if plan.is_one_pass { "in one pass" } else { "in two passes" };
                let scanned =
                    plan.scanned.map_or(String::new(), |index| format!(", entries of {} where found", index.name));
                self.node(&format!("rows {passes}{scanned}"), |text| {
                    text.from(&plan.from);
                    text.queries("set", plan.queries);
                });
            }
        }
    }
}
