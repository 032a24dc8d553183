//! The check that an edited schema is valid: it is read into a catalog of its own, and its views and triggers are resolved there.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_catalog::{
    BuildOptions, Catalog, CompileError, ErrorKind, FoundTable, Index, NameBuf, Result, Schema, SchemaRow, Table,
    Trigger, build_index, fail, qualified,
};
use lithe_resolve::authorize::Authorizer;
use lithe_resolve::environment::Environment;
use lithe_resolve::{ChangeTarget, Found, Resolver, Rules, Scope, ScopeSource};
use lithe_sql::ast::{CreateTable, CreateTrigger, Name, Select, Stmt, TableBody, TriggerEvent};
use lithe_sql::{Parsed, parse_statement};
use lithe_vm::operand::Db;

use super::super::build_options::stored_options;
use super::definitions::{resolve_column, resolve_constraints, resolve_index};
use super::edits::RowEdit;

use crate::Codegen;

/// The change after which a schema is checked.
#[derive(Clone, Copy)]
pub(super) enum After {
    /// A table was renamed.
    RenameTable,
    /// A column was renamed. Strings in double quotes have been put into single quotes by now: a word that is still in
    /// double quotes must be a name, in tables and indexes at least.
    RenameColumn,
    /// A column was dropped; otherwise as [`After::RenameColumn`].
    DropColumn,
}

impl After {
    /// The words for messages.
    fn words(self) -> &'static str {
        match self {
            After::RenameTable | After::RenameColumn => "after rename",
            After::DropColumn => "after drop column",
        }
    }

    fn has_quoted_strings(self) -> bool {
        matches!(self, After::RenameTable)
    }
}

/// Resolves all objects in the schema of `db`, and in that of temp, as they will be after the edits.
pub(super) fn verify(cg: &Codegen<'_>, db: Db, edits: &[(Db, &[RowEdit])], when: After) -> Result<()> {
    // With writable_schema the application is responsible for the schema.
    if cg.env.flags.may_write_schema() {
        return Ok(());
    }
    let mut env = Environment { authorizer: Authorizer::default(), ..cg.env.clone() };
    let mut catalog = Catalog::clone(&env.catalog);
    for (edited, edits) in edits {
        let read = read(&env, &mut catalog, *edited, edits, when);
        if let Err(error) = read {
            env.catalog = Arc::new(catalog);
            // Indexes before the object that cannot be read are checked before it.
            return test_indexes(&resolver_of(&env, &Bump::new()), *edited, when).and(Err(error));
        }
    }
    env.catalog = Arc::new(catalog);
    let arena = Bump::new();
    let resolver = resolver_of(&env, &arena);
    for of in [db, Db::TEMP].into_iter().take(if db == Db::TEMP { 1 } else { 2 }) {
        test(&resolver, of, when)?;
    }
    Ok(())
}

/// Resolves the definition of the last column of a table that is not in the schema yet; `text` is the table's.
pub(super) fn verify_last_column(cg: &Codegen<'_>, db: Db, table: &Table, text: &[u8], when: &str) -> Result<()> {
    let env = Environment { authorizer: Authorizer::default(), ..cg.env.clone() };
    let arena = Bump::new();
    let mut resolver = resolver_of(&env, &arena);
    resolver.is_new_definition = true;
    let resolved = match resolver.parse_stored(text)? {
        Stmt::CreateTable(CreateTable { body: TableBody::Columns(body), .. }) => {
            let column = body.columns.last();
            column.map_or(Ok(()), |column| resolve_column(&resolver, db, table, column, text))
        }
        _ => Ok(()),
    };
    resolved.map_err(|error| in_object("table", table.name.name(), when, &error))
}

fn resolver_of<'a>(env: &'a Environment, arena: &'a Bump) -> Resolver<'a> {
    let mut resolver = Resolver::new(env, arena);
    resolver.only_names = true;
    resolver
}

/// Checks the indexes of tables whose name another table shadows.
fn test_indexes(resolver: &Resolver<'_>, db: Db, when: After) -> Result<()> {
    let rows = rows_of(resolver.env.catalog.schema(db));
    rows.iter().filter(|row| row.kind == "index").try_for_each(|row| test_index(resolver, db, row, when))
}

fn test_index(resolver: &Resolver<'_>, db: Db, row: &Row, when: After) -> Result<()> {
    let Some(table) = resolver.env.catalog.schema(db).table(row.table.name()) else { return Ok(()) };
    let Some(index) = table.indexes.iter().find(|index| index.name == row.name) else { return Ok(()) };
    resolve_in_namesake(resolver, db, table, index, when.has_quoted_strings())
        .map_err(|error| in_object("index", row.name.name(), when.words(), &error))
}

/// Reads the schema with its edited rows.
fn read(env: &Environment, catalog: &mut Catalog, db: Db, edits: &[RowEdit], when: After) -> Result<()> {
    let old = Arc::clone(catalog.schema(db));
    let mut new = Schema::new(db == Db::TEMP);
    (new.cookie, new.file_format, new.encoding) = (old.cookie, old.file_format, old.encoding);
    catalog.set_schema(db, Arc::new(new));
    // SQLite loads the schema as ever before it checks the texts closely.
    let options = BuildOptions { quoted_strings: true, ..stored_options(env) };
    rows_of(&old).into_iter().try_for_each(|row| {
        let connected = old.table(row.name.name()).filter(|table| row.kind == "table" && table.connected().is_some());
        let row = edited(row, edits);
        read_row(catalog, db, &row, &options, when)?;
        if let Some(table) = connected {
            catalog.schema_mut(db).replace_table(renamed(table, &row.name));
        }
        Ok(())
    })
}

/// The connected virtual table under its new name. A hidden column that has the table's name, as those of full-text tables do, is renamed
/// with it.
fn renamed(table: &Table, name: &NameBuf) -> Table {
    let mut renamed = Table { name: name.clone(), ..table.clone() };
    for column in renamed.columns.iter_mut().filter(|column| column.hidden && column.name == table.name) {
        column.name = name.clone();
    }
    renamed
}

fn read_row(catalog: &mut Catalog, db: Db, row: &Row, options: &BuildOptions<'_>, when: After) -> Result<()> {
    let schema_row = SchemaRow {
        kind: Some(row.kind.as_bytes()),
        name: Some(row.name.as_bytes()),
        table_name: Some(row.table.as_bytes()),
        root_page: Some(row.root),
        sql: row.sql.as_deref(),
    };
    catalog
        .read_row(db, &schema_row, 0, options)
        .map_err(|error| in_object(row.kind, row.name.name(), when.words(), &error))
}

/// A row of a schema table.
struct Row {
    kind: &'static str,
    name: NameBuf,
    table: NameBuf,
    root: i64,
    sql: Option<Vec<u8>>,
}

/// An object of a schema.
#[derive(Clone, Copy)]
pub(super) enum Object<'s> {
    /// A table or view.
    Table(&'s Table),
    Index(&'s Table, &'s Index),
    Trigger(&'s Trigger),
}

impl Object<'_> {
    pub(super) fn is_view(self) -> bool {
        matches!(self, Object::Table(table) if table.view().is_some())
    }

    fn row(self) -> Row {
        let root = |root: Option<lithe_format::PageNo>| root.map_or(0, |root| i64::from(root.get()));
        match self {
            Object::Table(table) => {
                let kind = if table.view().is_some() { "view" } else { "table" };
                let (name, sql) = (table.name.clone(), Some(table.sql.to_vec()));
                Row { kind, table: name.clone(), name, root: root(table.root), sql }
            }
            Object::Index(table, index) => {
                let sql = index.sql.as_ref().map(|sql| sql.to_vec());
                let (name, table) = (index.name.clone(), table.name.clone());
                Row { kind: "index", name, table, root: root(index.root), sql }
            }
            Object::Trigger(trigger) => {
                let (name, table) = (trigger.name.clone(), trigger.table.clone());
                Row { kind: "trigger", name, table, root: 0, sql: Some(trigger.sql.to_vec()) }
            }
        }
    }
}

/// The objects of a schema, the oldest first; no index and no trigger before its table.
pub(super) fn objects_of(schema: &Schema) -> Vec<Object<'_>> {
    let mut objects = Vec::new();
    for table in schema.tables().into_iter().skip(1) {
        objects.push(Object::Table(table));
        let indexes = table.indexes.iter().rev().filter(|index| index.root != table.root);
        objects.extend(indexes.map(|index| Object::Index(table, index)));
    }
    objects.extend(schema.triggers().into_iter().map(|trigger| Object::Trigger(trigger)));
    objects.sort_by_cached_key(|object| match object {
        Object::Table(table) => schema.table_number(table.name.name()),
        Object::Index(table, index) => {
            schema.index_number(index.name.name()).max(schema.table_number(table.name.name()))
        }
        Object::Trigger(trigger) => {
            schema.trigger_number(trigger.name.name()).max(schema.table_number(trigger.table.name()))
        }
    });
    objects
}

/// The rows of a schema, in the order of [`objects_of`].
fn rows_of(schema: &Schema) -> Vec<Row> {
    objects_of(schema).into_iter().map(Object::row).collect()
}

fn edited(mut row: Row, edits: &[RowEdit]) -> Row {
    if let Some(edit) = edits.iter().find(|edit| edit.kind == row.kind && edit.name == row.name) {
        row.name = edit.new_name.clone().unwrap_or(row.name);
        row.table = edit.new_table.clone().unwrap_or(row.table);
        row.sql = edit.new_sql.clone().or(row.sql);
    }
    row
}

/// Checks every object of a schema that has been read. The error of the oldest is the one to report; under
/// `PRAGMA reverse_unordered_selects` that of the newest, because SQLite's check is a SELECT.
fn test<'a>(resolver: &Resolver<'a>, db: Db, when: After) -> Result<()> {
    let env = resolver.env;
    let schema = env.catalog.schema(db);
    let mut again = Catalog::clone(&env.catalog);
    again.set_schema(db, Arc::new(Schema::new(db == Db::TEMP)));
    let options = BuildOptions {
        names: None,
        limits: &env.limits,
        quoted_strings: false,
        descending_indexes: true,
        is_altering: true,
    };
    let mut tested = Ok(());
    for row in rows_of(schema) {
        let of_row = match row.kind {
            "index" => test_index(resolver, db, &row, when),
            _ => Ok(()),
        };
        // Of an index whose table is shadowed, SQLite has asked the shadowing one.
        let is_shadowed = row.kind == "index" && namesake(resolver, db, row.table.name()).is_some();
        let options = BuildOptions { quoted_strings: is_shadowed, ..options };
        let of_row = of_row.and_then(|()| match row.kind {
            "table" | "index" if !when.has_quoted_strings() => read_row(&mut again, db, &row, &options, when),
            _ => test_row(resolver, db, &row, when),
        });
        match of_row {
            Err(error) if env.flags.reverse_unordered_selects => tested = Err(error),
            of_row => of_row?,
        }
    }
    tested
}

fn test_row<'a>(resolver: &Resolver<'a>, db: Db, row: &Row, when: After) -> Result<()> {
    let (schema, name) = (resolver.env.catalog.schema(db), row.name.name());
    match row.kind {
        "table" | "index" => {
            resolve_definition(resolver, db, row).map_err(|error| in_object(row.kind, name, when.words(), &error))
        }
        // PRAGMA legacy_alter_table: views and triggers are not resolved.
        _ if resolver.env.flags.legacy_alter_table => Ok(()),
        "view" => {
            let table = schema.table(name);
            let view = table.and_then(|table| Some((table, table.view()?)));
            let resolved = view.map_or(Ok(()), |(table, view)| resolver.view(db, table, view).map(|_| ()));
            resolved.map_err(|error| in_object("view", name, when.words(), &error))
        }
        _ => schema.trigger(name).map_or(Ok(()), |trigger| resolve_stored_trigger(resolver, db, trigger, when.words())),
    }
}

/// Resolves the expressions in the definition of a table or an index.
fn resolve_definition<'a>(resolver: &Resolver<'a>, db: Db, row: &Row) -> Result<()> {
    let Some(table) = resolver.env.catalog.schema(db).table(row.table.name()) else { return Ok(()) };
    if row.kind == "table" {
        let Stmt::CreateTable(create) = resolver.parse_stored(&table.sql)? else { return Ok(()) };
        return resolve_constraints(resolver, db, table, create, &table.sql);
    }
    let Some(index) = table.indexes.iter().find(|index| index.name == row.name) else { return Ok(()) };
    let Some(sql) = &index.sql else { return Ok(()) };
    let Stmt::CreateIndex(create) = resolver.parse_stored(sql)? else { return Ok(()) };
    resolve_index(resolver, (db, table), create, sql, Some(table))
}

fn resolve_stored_trigger<'a>(resolver: &Resolver<'a>, db: Db, trigger: &'a Trigger, when: &str) -> Result<()> {
    let resolved = resolver.parse_stored(&trigger.sql).and_then(|statement| match statement {
        Stmt::CreateTrigger(create) => resolve_trigger(resolver, db, create, &trigger.sql),
        _ => Err(CompileError::new("not a trigger")),
    });
    resolved.map_err(|error| in_object("trigger", trigger.name.name(), when, &error))
}

/// Resolves all names in a trigger, whose text is `text`.
pub(super) fn resolve_trigger<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    create: &'a CreateTrigger<'a>,
    text: &'a [u8],
) -> Result<()> {
    let db = trigger_db(resolver, db, create);
    let target = trigger_target(resolver, db, create)?;
    let row = |name: &'static str| {
        let source = target.in_scope(resolver.new_source(), Name::new(name.as_bytes()));
        ScopeSource { qualified_only: true, is_trigger_row: true, db: None, ..source }
    };
    let rows = match create.event {
        TriggerEvent::Insert => vec![row("new")],
        TriggerEvent::Delete => vec![row("old")],
        TriggerEvent::Update(_) => vec![row("old"), row("new")],
    };
    let found = Found::default();
    let fixed_db = (db != Db::TEMP).then_some(db);
    let rules = Rules { raise: true, ..Rules::of_statements(&resolver.env.flags) };
    let scope = Scope { sources: &rows, rules, fixed_db, ..Scope::outermost(text, &found) };
    if let Some(when) = &create.when {
        resolver.expr(&scope, when)?;
    }
    for step in create.body {
        match &step.stmt {
            Stmt::Select(select) => query(resolver, &scope, select)?,
            Stmt::Insert(insert) => {
                // SQLite resolves the query before the table.
                if let Some(select) = insert.source {
                    query(resolver, &scope, select)?;
                }
                resolver.insert(&scope, insert)?;
            }
            Stmt::Update(update) => resolver.update(&scope, update).map(|_| ())?,
            Stmt::Delete(delete) => resolver.delete(&scope, delete).map(|_| ())?,
            _ => {}
        }
    }
    Ok(())
}

/// Resolves a query.
pub(super) fn query<'a>(resolver: &Resolver<'a>, scope: &Scope<'_, 'a>, select: &'a Select<'a>) -> Result<()> {
    resolver.query(scope, select).map(drop)
}

/// Resolves the terms of an index against the table that shadows its table: SQLite parses the index's text again, which has the
/// table's name without a schema.
pub(super) fn resolve_in_namesake<'a>(
    resolver: &Resolver<'a>,
    db: Db,
    table: &Table,
    index: &Index,
    quoted_strings: bool,
) -> Result<()> {
    let Some(sql) = &index.sql else { return Ok(()) };
    let Some(namesake) = namesake(resolver, db, table.name.name()) else { return Ok(()) };
    if namesake.view().is_some() {
        return fail("views may not be indexed");
    }
    if namesake.virtual_table().is_some() {
        return fail("virtual tables may not be indexed");
    }
    let parsed = parse_statement(sql, resolver.arena, &resolver.env.limits);
    let Ok(Parsed { statement: Some(statement), .. }) = parsed else { return Ok(()) };
    let Some(Stmt::CreateIndex(create)) = statement.program() else { return Ok(()) };
    let quoted_strings = quoted_strings && resolver.env.flags.has_quoted_strings_in_ddl();
    let limits = &resolver.env.limits;
    let options = BuildOptions { names: None, limits, quoted_strings, descending_indexes: true, is_altering: true };
    build_index(create, sql, namesake, &options).map(drop)
}

/// The table of temp that shadows the one of that name in `db` when the name has no schema. One of the main database does not shadow
/// those of attached databases here: SQLite parses the text as that of the database in which it stands.
pub(super) fn namesake<'a>(resolver: &Resolver<'a>, db: Db, name: Name<'_>) -> Option<&'a Arc<Table>> {
    resolver.env.catalog.schema(Db::TEMP).table(name).filter(|_| db != Db::TEMP)
}

/// The database of a trigger's table, if the trigger is in the schema of `db`: another one if the table is shadowed.
fn trigger_db<'a>(resolver: &Resolver<'a>, db: Db, create: &CreateTrigger<'a>) -> Db {
    let is_shadowed = create.table.schema.is_none() && namesake(resolver, db, create.table.name.name).is_some();
    if is_shadowed { Db::TEMP } else { db }
}

/// The table of a trigger whose table is in the schema of `db`.
fn trigger_target<'a>(resolver: &Resolver<'a>, db: Db, create: &CreateTrigger<'a>) -> Result<ChangeTarget<'a>> {
    let catalog = &resolver.env.catalog;
    let own = catalog.database_name(db).name();
    let schema = create.table.schema.map(|schema| schema.name).or((db != Db::TEMP).then_some(own));
    let found = catalog.find_table(schema, create.table.name.name);
    let missing = || CompileError::no_such("table", qualified(schema, create.table.name.name));
    let FoundTable { db, table } = found.ok_or_else(missing)?;
    resolver.target_at(db, table)
}

/// "error in view v after rename: no such column: a".
pub(super) fn in_object(kind: &str, name: Name<'_>, when: &str, error: &CompileError) -> CompileError {
    // (The statement is compiled again once the table is connected.)
    if let ErrorKind::Unconnected(table) = &error.kind {
        return CompileError::unconnected(table.db, &table.name);
    }
    let when = if when.is_empty() { String::new() } else { format!(" {when}") };
    CompileError::new(format!("error in {kind} {name}{when}: {}", error.message))
}
