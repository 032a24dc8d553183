//! A table that changes are applied to: its statements.

use std::collections::HashMap;
use std::rc::Rc;

use lithe_vtab::{Kept, Result, RowOperation, SqlConnection, SqlStatement, ValueRef, code};

use crate::header::TableHeader;
use crate::iterator::Change;
use crate::record::{self, fields, is_defined};
use crate::schema::{STATISTICS, Schema};
use lithe_vtab::quoted;

/// So many UPDATE statements are kept, one for each set of columns.
const UPDATES_MAX: usize = 32;

/// What a statement has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It has changed a row.
    Done,
    /// No row was as expected.
    Unchanged,
    /// A constraint does not allow it.
    Constraint,
}

/// See above.
pub(super) struct Target {
    /// The table in SQL.
    table: String,
    is_statistics: bool,
    /// The names of the columns that changes have, in SQL.
    columns: Vec<String>,
    header: TableHeader,
    insert: Kept,
    delete: Kept,
    delete_by_key: Kept,
    select: Kept,
    /// By the columns that are set, and whether old values are compared.
    updates: HashMap<(Vec<bool>, bool), Rc<Kept>>,
}

impl Target {
    pub fn new(name: &str, header: &TableHeader, schema: Schema) -> Target {
        let count = header.column_count();
        let columns: Vec<String> = schema.columns.iter().take(count).map(|column| quoted(&column.name)).collect();
        let is_statistics = name.eq_ignore_ascii_case(STATISTICS);
        let table = format!("main.{}", quoted(name));
        let key = conditions(&columns, |at| header.is_key(at).then_some(key_operator(is_statistics)));
        let all = conditions(&columns, |at| Some(if header.is_key(at) { key_operator(is_statistics) } else { "IS" }));
        let parameters: Vec<String> = (1..=count).map(|number| format!("?{number}")).collect();
        let (list, parameters) = (columns.join(", "), parameters.join(", "));
        Target {
            insert: Kept::new(format!("INSERT INTO {table}({list}) VALUES ({parameters})")),
            delete: Kept::new(format!("DELETE FROM {table} WHERE {all}")),
            delete_by_key: Kept::new(format!("DELETE FROM {table} WHERE {key}")),
            select: Kept::new(format!("SELECT {list} FROM {table} WHERE {key}")),
            updates: HashMap::new(),
            table,
            is_statistics,
            columns,
            header: header.clone(),
        }
    }

    /// Makes the change. With `by_key` the key alone says which row it is about.
    pub fn run(&mut self, connection: &dyn SqlConnection, change: &Change, by_key: bool) -> Result<Outcome> {
        match change.operation {
            // No constraint says that there is one row of a key.
            RowOperation::Insert if self.is_statistics && self.row(connection, change)?.is_some() => {
                Ok(Outcome::Constraint)
            }
            RowOperation::Insert => {
                let mut statement = connection.statement(&self.insert)?;
                self.bind(&mut *statement, &change.new, 0, |_| true)?;
                outcome_of(&mut *statement, || 1)
            }
            RowOperation::Delete => {
                let mut statement = connection.statement(if by_key { &self.delete_by_key } else { &self.delete })?;
                self.bind(&mut *statement, &change.old, 0, |at| !by_key || self.header.is_key(at))?;
                outcome_of(&mut *statement, || connection.changes())
            }
            RowOperation::Update => self.update(connection, change, by_key),
        }
    }

    fn update(&mut self, connection: &dyn SqlConnection, change: &Change, by_key: bool) -> Result<Outcome> {
        let set: Vec<bool> = fields(&change.new).map(is_defined).collect();
        if !set.contains(&true) {
            return Ok(Outcome::Done);
        }
        let key = (set, by_key);
        if self.updates.len() >= UPDATES_MAX && !self.updates.contains_key(&key) {
            self.updates.clear();
        }
        let kept = match self.updates.get(&key) {
            Some(kept) => Rc::clone(kept),
            None => {
                let kept = Rc::new(Kept::new(self.update_sql(&key.0, by_key)));
                self.updates.insert(key.clone(), Rc::clone(&kept));
                kept
            }
        };
        let mut statement = connection.statement(&kept)?;
        let is_set = |at: usize| key.0.get(at) == Some(&true);
        let is_old_bound = |at: usize| self.header.is_key(at) || !by_key && is_set(at);
        self.bind(&mut *statement, &change.old, 0, is_old_bound)?;
        self.bind(&mut *statement, &change.new, self.columns.len(), is_set)?;
        outcome_of(&mut *statement, || connection.changes())
    }

    /// Old values are the parameters from 1 on, new ones those behind them.
    fn update_sql(&self, set: &[bool], by_key: bool) -> String {
        let count = self.columns.len();
        let assigned = self.columns.iter().zip(set).enumerate().filter(|(_, (_, is_set))| **is_set);
        let assignments: Vec<String> =
            assigned.map(|(at, (column, _))| format!("{column} = ?{}", count + at + 1)).collect();
        let condition = conditions(&self.columns, |at| match self.header.is_key(at) {
            true => Some(key_operator(self.is_statistics)),
            false => (!by_key && set.get(at) == Some(&true)).then_some("IS"),
        });
        format!("UPDATE {} SET {} WHERE {condition}", self.table, assignments.join(", "))
    }

    /// Deletes the row that has the key of the change.
    pub fn delete_by_key(&self, connection: &dyn SqlConnection, change: &Change) -> Result<Outcome> {
        let mut statement = connection.statement(&self.delete_by_key)?;
        self.bind(&mut *statement, change.key_record(), 0, |at| self.header.is_key(at))?;
        outcome_of(&mut *statement, || connection.changes())
    }

    /// The record of the row that has the key of the change.
    pub fn row(&self, connection: &dyn SqlConnection, change: &Change) -> Result<Option<Vec<u8>>> {
        let mut statement = connection.statement(&self.select)?;
        self.bind(&mut *statement, change.key_record(), 0, |at| self.header.is_key(at))?;
        if !statement.step()? {
            return Ok(None);
        }
        let mut record = Vec::new();
        for at in 0..self.columns.len() {
            let value = statement.column(at);
            let is_unnamed = self.is_statistics && at == 1 && value.is_null();
            record::push(&mut record, if is_unnamed { ValueRef::Blob(&[]) } else { value });
        }
        Ok(Some(record))
    }

    fn bind(
        &self,
        statement: &mut dyn SqlStatement,
        record: &[u8],
        before: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result {
        for (at, field) in fields(record).enumerate().filter(|(at, _)| is_wanted(*at)) {
            let value = record::value(field).unwrap_or(ValueRef::Null);
            // The key of a row about a table without indexes.
            let is_unnamed = self.is_statistics && at == 1 && value == ValueRef::Blob(&[]);
            statement.bind(before + at + 1, if is_unnamed { ValueRef::Null } else { value })?;
        }
        Ok(())
    }
}

/// Rows of sqlite_stat1 may have NULL in their key.
fn key_operator(is_statistics: bool) -> &'static str {
    if is_statistics { "IS" } else { "=" }
}

fn conditions<'o>(columns: &[String], operator: impl Fn(usize) -> Option<&'o str>) -> String {
    let compared = columns.iter().enumerate().filter_map(|(at, column)| {
        let operator = operator(at)?;
        Some(format!("{column} {operator} ?{}", at + 1))
    });
    compared.collect::<Vec<_>>().join(" AND ")
}

fn outcome_of(statement: &mut dyn SqlStatement, changes: impl FnOnce() -> i64) -> Result<Outcome> {
    match statement.step() {
        Ok(_) if changes() == 0 => Ok(Outcome::Unchanged),
        Ok(_) => Ok(Outcome::Done),
        // The codes of single constraints are extensions of SQLITE_CONSTRAINT.
        Err(error) if error.code & 0xff == code::CONSTRAINT => Ok(Outcome::Constraint),
        Err(error) => Err(error),
    }
}
