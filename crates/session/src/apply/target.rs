//! The statements of a table that changes are applied to.

use std::collections::HashMap;
use std::rc::Rc;

use lithe_vtab::{FunctionError, Kept, Result, RowOperation, SqlConnection, SqlStatement, ValueRef, code};

use crate::corrupt;
use crate::header::TableHeader;
use crate::iterator::Change;
use crate::record::{self, fields, is_defined};
use crate::schema::{STATISTICS, Schema};
use lithe_vtab::quoted;

/// The most UPDATE statements that are kept, one for each set of columns.
const UPDATES_MAX: usize = 32;

/// The result of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It has changed a row.
    Done,
    /// No row had the key and old values.
    Unchanged,
    /// A constraint failed.
    Constraint,
}

/// A table that changes are applied to.
pub(super) struct Target {
    /// The table in SQL.
    table: String,
    is_statistics: bool,
    /// The table's name, in quotes.
    name: String,
    /// The names of the changes' columns, in SQL.
    columns: Vec<String>,
    /// Their positions in the table; `None` for the rowid.
    positions: Vec<Option<usize>>,
    header: TableHeader,
    insert: Kept,
    delete: Kept,
    delete_by_key: Kept,
    select: Kept,
    has_new_values: Kept,
    /// By the columns that are set, and those whose old values are compared.
    updates: HashMap<(Vec<bool>, Vec<bool>), Rc<Kept>>,
}

impl Target {
    pub fn new(name: &str, header: &TableHeader, schema: Schema) -> Target {
        let count = header.column_count();
        let columns: Vec<String> = schema.columns.iter().take(count).map(|column| quoted(&column.name)).collect();
        let positions = schema.columns.iter().take(count).map(|column| column.position).collect();
        let is_statistics = name.eq_ignore_ascii_case(STATISTICS);
        let table = format!("main.{}", quoted(name));
        let key = conditions(&columns, |at| header.is_key(at).then_some(key_operator(is_statistics)));
        let all = conditions(&columns, |at| Some(if header.is_key(at) { key_operator(is_statistics) } else { "IS" }));
        // After the parameters of the key: whether the change leaves a column out, and the column's new value.
        let has_new = |(at, column): (usize, &String)| {
            (!header.is_key(at)).then(|| format!(" AND (?{} OR ?{} IS {column})", count + at + 1, 2 * count + at + 1))
        };
        let has_new: String = columns.iter().enumerate().filter_map(has_new).collect();
        let parameters: Vec<String> = (1..=count).map(|number| format!("?{number}")).collect();
        let (list, parameters) = (columns.join(", "), parameters.join(", "));
        Target {
            insert: Kept::new(format!("INSERT INTO {table}({list}) VALUES ({parameters})")),
            delete: Kept::new(format!("DELETE FROM {table} WHERE {all}")),
            delete_by_key: Kept::new(format!("DELETE FROM {table} WHERE {key}")),
            select: Kept::new(format!("SELECT {list} FROM {table} WHERE {key}")),
            has_new_values: Kept::new(format!("SELECT 1{has_new} FROM {table} WHERE {key}")),
            updates: HashMap::new(),
            table,
            is_statistics,
            name: quoted(name),
            columns,
            positions,
            header: header.clone(),
        }
    }

    /// Runs the change. With `by_key`, only the key identifies the row, without the old values.
    pub fn run(&mut self, connection: &dyn SqlConnection, change: &Change, by_key: bool) -> Result<Outcome> {
        match change.operation {
            // sqlite_stat1 has no UNIQUE constraint on its key.
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

    /// Does not set the key, because a key that is equal by its collation may be another text.
    fn update(&mut self, connection: &dyn SqlConnection, change: &Change, by_key: bool) -> Result<Outcome> {
        let given = || fields(&change.new).map(is_defined);
        let set: Vec<bool> = given().enumerate().map(|(at, is_given)| is_given && !self.header.is_key(at)).collect();
        if !set.contains(&true) {
            // A new key alone, or the inverse of such a change.
            let has_key = given().any(|is_given| is_given);
            return Err(if has_key { FunctionError::of_code(code::ERROR) } else { corrupt() });
        }
        let old = fields(&change.old).map(is_defined);
        let compared: Vec<bool> = set.iter().zip(old).map(|(set, has_old)| *set && has_old && !by_key).collect();
        let key = (set, compared);
        if self.updates.len() >= UPDATES_MAX && !self.updates.contains_key(&key) {
            self.updates.clear();
        }
        let kept = match self.updates.get(&key) {
            Some(kept) => Rc::clone(kept),
            None => {
                let kept = Rc::new(Kept::new(self.update_sql(&key.0, &key.1)));
                self.updates.insert(key.clone(), Rc::clone(&kept));
                kept
            }
        };
        let mut statement = connection.statement(&kept)?;
        let is_in = |columns: &[bool], at: usize| columns.get(at) == Some(&true);
        let is_old_bound = |at: usize| self.header.is_key(at) || is_in(&key.1, at);
        self.bind(&mut *statement, &change.old, 0, is_old_bound)?;
        self.bind(&mut *statement, &change.new, self.columns.len(), |at| is_in(&key.0, at))?;
        outcome_of(&mut *statement, || connection.changes())
    }

    /// The old values are the parameters from 1 on, the new ones follow.
    fn update_sql(&self, set: &[bool], compared: &[bool]) -> String {
        let count = self.columns.len();
        let assigned = self.columns.iter().zip(set).enumerate().filter(|(_, (_, is_set))| **is_set);
        let assignments: Vec<String> =
            assigned.map(|(at, (column, _))| format!("{column} = ?{}", count + at + 1)).collect();
        let condition = conditions(&self.columns, |at| match self.header.is_key(at) {
            true => Some(key_operator(self.is_statistics)),
            false => (compared.get(at) == Some(&true)).then_some("IS"),
        });
        format!("UPDATE {} SET {} WHERE {condition}", self.table, assignments.join(", "))
    }

    /// Sets the columns of unique indexes that an UPDATE changes to random values of the new values' types, so that the row conflicts with
    /// no other. [`Outcome::Unchanged`] if it changes no such column.
    pub fn displace(&self, connection: &dyn SqlConnection, change: &Change) -> Result<Outcome> {
        let unique = self.unique_positions(connection)?;
        let mut assignments = Vec::new();
        for ((at, new), (column, position)) in
            fields(&change.new).enumerate().zip(self.columns.iter().zip(&self.positions))
        {
            let is_unique = position.is_some_and(|position| unique.contains(&position));
            let random = match record::value(new) {
                Some(ValueRef::Text(_)) => "CAST(random() AS TEXT)",
                Some(ValueRef::Blob(_)) => "unhex(hex(random()))",
                _ => "random()",
            };
            if is_defined(new) && is_unique && !self.header.is_key(at) {
                assignments.push(format!("{column} = {random}"));
            }
        }
        if assignments.is_empty() {
            return Ok(Outcome::Unchanged);
        }
        let key = conditions(&self.columns, |at| self.header.is_key(at).then_some(key_operator(self.is_statistics)));
        let sql = format!("UPDATE {} SET {} WHERE {key}", self.table, assignments.join(", "));
        let mut statement = connection.prepare(&sql)?;
        self.bind(&mut *statement, &change.old, 0, |at| self.header.is_key(at))?;
        outcome_of(&mut *statement, || connection.changes())
    }

    /// The positions of the columns in unique indexes.
    fn unique_positions(&self, connection: &dyn SqlConnection) -> Result<Vec<usize>> {
        let mut indexes = Vec::new();
        let mut list = connection.prepare(&format!("PRAGMA main.index_list({})", self.name))?;
        while list.step()? {
            if list.column(2) == ValueRef::Integer(1) {
                indexes.push(String::from_utf8_lossy(list.column(1).bytes().unwrap_or_default()).into_owned());
            }
        }
        drop(list);
        let mut positions = Vec::new();
        for index in indexes {
            let mut columns = connection.prepare(&format!("PRAGMA main.index_info({})", quoted(&index)))?;
            while columns.step()? {
                if let ValueRef::Integer(position) = columns.column(1) {
                    positions.extend(usize::try_from(position)); // the positions of expressions are negative
                }
            }
        }
        Ok(positions)
    }

    /// Deletes the row with the key of the change.
    pub fn delete_by_key(&self, connection: &dyn SqlConnection, change: &Change) -> Result<Outcome> {
        let mut statement = connection.statement(&self.delete_by_key)?;
        self.bind(&mut *statement, change.key_record(), 0, |at| self.header.is_key(at))?;
        outcome_of(&mut *statement, || connection.changes())
    }

    /// The record of the row with the key of the change.
    pub fn row(&self, connection: &dyn SqlConnection, change: &Change) -> Result<Option<Vec<u8>>> {
        let mut statement = connection.statement(&self.select)?;
        self.bind(&mut *statement, change.key_record(), 0, |at| self.header.is_key(at))?;
        if !statement.step()? {
            return Ok(None);
        }
        let mut record = Vec::new();
        for at in 0..self.columns.len() {
            let value = statement.column(at);
            let has_null_index_name = self.is_statistics && at == 1 && value.is_null();
            record::push(&mut record, if has_null_index_name { ValueRef::Blob(&[]) } else { value })?;
        }
        Ok(Some(record))
    }

    /// Whether the row with the key of the change already has its new values. For a DELETE, NULLs stand for them.
    pub fn has_new_values(&self, connection: &dyn SqlConnection, change: &Change) -> Result<bool> {
        let mut statement = connection.statement(&self.has_new_values)?;
        let count = self.columns.len();
        self.bind(&mut *statement, change.key_record(), 0, |at| self.header.is_key(at))?;
        let is_unchanged = |new| match change.operation {
            RowOperation::Delete => ValueRef::Null,
            _ => ValueRef::Integer(i64::from(!is_defined(new))),
        };
        for (at, new) in fields(&change.new).enumerate().filter(|(at, _)| !self.header.is_key(*at)) {
            statement.bind(count + at + 1, is_unchanged(new))?;
        }
        self.bind(&mut *statement, &change.new, 2 * count, |at| !self.header.is_key(at))?;
        Ok(statement.step()? && statement.column(0) == ValueRef::Integer(1))
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
            // The index name of a row for a table without indexes.
            let has_null_index_name = self.is_statistics && at == 1 && value == ValueRef::Blob(&[]);
            statement.bind(before + at + 1, if has_null_index_name { ValueRef::Null } else { value })?;
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
        // The extended codes of single constraints.
        Err(error) if error.code & 0xff == code::CONSTRAINT => Ok(Outcome::Constraint),
        Err(error) => Err(error),
    }
}
