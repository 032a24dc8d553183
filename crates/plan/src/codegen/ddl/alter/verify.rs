//! Whether a schema holds together: it is read into a catalog of its own, and its views and triggers are resolved there.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_sql::ast::{CreateTrigger, Name, Stmt, TriggerEvent};
use lithe_vm::operand::Db;

use super::edits::RowEdit;
use crate::authorize::Authorizer;
use crate::catalog::{BuildOptions, Catalog, FoundTable, NameBuf, Schema, SchemaRow, Trigger};
use crate::codegen::Codegen;
use crate::environment::Environment;
use crate::error::{CompileError, Result};
use crate::resolve::{ChangeTarget, Found, Resolver, Rules, Scope, ScopeSource};

/// Resolves everything in the schema of `db`, and in that of temp, as it will be after the edits. `when` is what has
/// happened to it, for messages: "after rename", or nothing if nothing has.
pub(super) fn verify(cg: &Codegen<'_>, db: Db, edits: &[(Db, &[RowEdit])], when: &str) -> Result<()> {
    let flags = &cg.env.flags;
    // Whoever writes the schema by hand answers for it.
    if flags.may_write_schema() {
        return Ok(());
    }
    let mut catalog = Catalog::clone(&cg.env.catalog);
    for (edited, edits) in edits {
        read(cg.env, &mut catalog, *edited, edits, when)?;
    }
    // PRAGMA legacy_alter_table: what views and triggers mean is not asked.
    if flags.legacy_alter_table {
        return Ok(());
    }
    let env = Environment { catalog: Arc::new(catalog), authorizer: Authorizer::default(), ..cg.env.clone() };
    let arena = Bump::new();
    let mut resolver = Resolver::new(&env, &arena);
    resolver.only_names = true;
    for of in [db, Db::TEMP].into_iter().take(if db == Db::TEMP { 1 } else { 2 }) {
        resolve_all(&resolver, of, when)?;
    }
    Ok(())
}

/// Reads the schema with its edited rows.
fn read(env: &Environment, catalog: &mut Catalog, db: Db, edits: &[RowEdit], when: &str) -> Result<()> {
    let old = Arc::clone(catalog.schema(db));
    let mut new = Schema::new(db == Db::TEMP);
    (new.cookie, new.file_format, new.encoding) = (old.cookie, old.file_format, old.encoding);
    catalog.set_schema(db, Arc::new(new));
    let options = BuildOptions {
        names: Some(env),
        limits: &env.limits,
        quoted_strings: env.flags.dqs_ddl,
        descending_indexes: true,
    };
    for row in rows_of(&old) {
        let row = edited(row, edits);
        let name = |name: &NameBuf| name.as_bytes().to_vec();
        let (row_name, table) = (name(&row.name), name(&row.table));
        let schema_row = SchemaRow {
            kind: Some(row.kind.as_bytes()),
            name: Some(&row_name),
            table_name: Some(&table),
            root_page: Some(row.root),
            sql: row.sql.as_deref(),
        };
        catalog
            .read_row(db, &schema_row, 0, &options)
            .map_err(|error| in_object(row.kind, row.name.name(), when, &error))?;
    }
    Ok(())
}

/// A row of a schema table.
struct Row {
    kind: &'static str,
    name: NameBuf,
    table: NameBuf,
    root: i64,
    sql: Option<Vec<u8>>,
}

/// The rows that make up a schema, the oldest first; each table with its indexes, no trigger before its table.
fn rows_of(schema: &Schema) -> Vec<Row> {
    let root = |root: Option<lithe_format::PageNo>| root.map_or(0, |root| i64::from(root.get()));
    let mut rows = Vec::new();
    for table in schema.tables().into_iter().skip(1) {
        let kind = if table.view().is_some() { "view" } else { "table" };
        let (name, sql) = (table.name.clone(), Some(table.sql.to_vec()));
        rows.push(Row { kind, name: name.clone(), table: name.clone(), root: root(table.root), sql });
        for index in table.indexes.iter().rev().filter(|index| index.root != table.root) {
            let sql = index.sql.as_ref().map(|sql| sql.to_vec());
            rows.push(Row {
                kind: "index",
                name: index.name.clone(),
                table: name.clone(),
                root: root(index.root),
                sql,
            });
        }
    }
    for trigger in schema.triggers() {
        let (name, table, sql) = (trigger.name.clone(), trigger.table.clone(), Some(trigger.sql.to_vec()));
        rows.push(Row { kind: "trigger", name, table, root: 0, sql });
    }
    let number = |row: &Row| {
        let own = if row.kind == "trigger" { schema.trigger_number(row.name.name()) } else { None };
        own.max(schema.table_number(row.table.name()))
    };
    rows.sort_by_cached_key(number);
    rows
}

fn edited(mut row: Row, edits: &[RowEdit]) -> Row {
    if let Some(edit) = edits.iter().find(|edit| edit.kind == row.kind && edit.name == row.name) {
        row.name = edit.new_name.clone().unwrap_or(row.name);
        row.table = edit.new_table.clone().unwrap_or(row.table);
        row.sql = edit.new_sql.clone().or(row.sql);
    }
    row
}

fn resolve_all<'a>(resolver: &Resolver<'a>, db: Db, when: &str) -> Result<()> {
    let schema = resolver.env.catalog.schema(db);
    let triggers = schema.triggers();
    let mut triggers = triggers.into_iter().peekable();
    // The oldest first, whatever it is: that is the one whose error is reported.
    for view in schema.tables().into_iter().filter(|table| table.view().is_some()) {
        let is_older = |trigger: &&Arc<Trigger>| {
            schema.trigger_number(trigger.name.name()) < schema.table_number(view.name.name())
        };
        while let Some(trigger) = triggers.next_if(is_older) {
            resolve_stored_trigger(resolver, db, trigger, when)?;
        }
        resolver.view(db, view).map_err(|error| in_object("view", view.name.name(), when, &error))?;
    }
    triggers.try_for_each(|trigger| resolve_stored_trigger(resolver, db, trigger, when))
}

fn resolve_stored_trigger<'a>(resolver: &Resolver<'a>, db: Db, trigger: &'a Trigger, when: &str) -> Result<()> {
    let resolved = resolver.parse_stored(&trigger.sql).and_then(|statement| match statement {
        Stmt::CreateTrigger(create) => resolve_trigger(resolver, db, create, &trigger.sql),
        _ => Err(CompileError::new("not a trigger")),
    });
    resolved.map_err(|error| in_object("trigger", trigger.name.name(), when, &error))
}

/// Resolves all that stands in a trigger, whose text is `text`.
pub(super) fn resolve_trigger<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    create: &'a CreateTrigger<'a>,
    text: &'a [u8],
) -> Result<()> {
    let target = trigger_target(resolver, db, create)?;
    let row = |name: &'static str| {
        let source = resolver.target_in_scope(&target, resolver.new_source(), Name::new(name.as_bytes()));
        ScopeSource { qualified_only: true, is_trigger_row: true, db: None, ..source }
    };
    let rows = match create.event {
        TriggerEvent::Insert => vec![row("new")],
        TriggerEvent::Delete => vec![row("old")],
        TriggerEvent::Update(_) => vec![row("old"), row("new")],
    };
    let found = Found::default();
    let fixed_db = (db != Db::TEMP).then_some(db);
    let rules = Rules { raise: true, ..Rules::default() };
    let scope = Scope { sources: &rows, rules, fixed_db, ..Scope::outermost(text, &found) };
    if let Some(when) = &create.when {
        resolver.expr(&scope, when)?;
    }
    for step in create.body {
        match &step.stmt {
            Stmt::Select(select) => resolver.query(&scope, select).map(|_| ())?,
            Stmt::Insert(insert) => resolver.insert(&scope, insert).map(|_| ())?,
            Stmt::Update(update) => resolver.update(&scope, update).map(|_| ())?,
            Stmt::Delete(delete) => resolver.delete(&scope, delete).map(|_| ())?,
            _ => {}
        }
    }
    Ok(())
}

/// The table of a trigger that stands in the schema of `db`.
fn trigger_target<'a>(resolver: &Resolver<'a>, db: Db, create: &CreateTrigger<'a>) -> Result<ChangeTarget<'a>> {
    let catalog = &resolver.env.catalog;
    let own = catalog.database_name(db).name();
    let schema = create.table.schema.map(|schema| schema.name).or((db != Db::TEMP).then_some(own));
    let found = catalog.find_table(schema, create.table.name.name);
    let FoundTable { db, table } = found.ok_or_else(|| {
        CompileError::new(match schema {
            Some(schema) => format!("no such table: {schema}.{}", create.table.name.name),
            None => format!("no such table: {}", create.table.name.name),
        })
    })?;
    resolver.target_at(db, table)
}

/// "error in view v after rename: no such column: a".
pub(super) fn in_object(kind: &str, name: Name<'_>, when: &str, error: &CompileError) -> CompileError {
    let when = if when.is_empty() { String::new() } else { format!(" {when}") };
    CompileError::new(format!("error in {kind} {name}{when}: {}", error.message))
}
