//! The new text of each object when a table or column is renamed, or a column is dropped.
//!
//! In tables and indexes only one table is in scope, so every name is unambiguous. Views and triggers are resolved, and the
//! resolver logs which names referred to the table or column. It also logs which names in double quotes were strings: if names of
//! columns change, those become strings in single quotes, so that they cannot become names.

use bumpalo::Bump;
use lithe_catalog::{CompileError, ErrorKind, Index, NameBuf, Result, Schema, Table, Trigger, split_collation};
use lithe_resolve::environment::Environment;
use lithe_resolve::{Found, NameLog, Resolver, Rules, Scope};
use lithe_sql::ast::{CreateTrigger, ExprKind, Quote, Stmt, TriggerEvent};
use lithe_vm::operand::Db;

use super::change::Change;
use super::definitions::{resolve_constraints, resolve_index};
use super::edits::RowEdit;
use super::names::{in_index, in_name, in_table, in_table_legacy};
use super::text::{TextEdits, as_string, in_quotes, renamed};
use super::verify::{Object, in_object, objects_of};
use super::{Altered, verify};
use crate::Codegen;

/// The rows to edit in the schema of the table, and in that of temp.
pub(super) fn edits_of_both<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    change: Change<'a>,
) -> Result<(Vec<RowEdit>, Vec<RowEdit>)> {
    let is_unclear =
        |error: &CompileError| !matches!(change, Change::Table(_)) && error.kind == ErrorKind::UnclearObject;
    let is_temporary = altered.db == Db::TEMP;
    match edits_of(cg, altered, change, altered.db) {
        Ok(own) if is_temporary => Ok((own, Vec::new())),
        Ok(own) => Ok((own, edits_of(cg, altered, change, Db::TEMP)?)),
        // Under `legacy_alter_table`, tables and indexes of temp are checked before views and triggers of any schema.
        Err(error) if is_unclear(&error) && !is_temporary => {
            let in_temp = edits_of(cg, altered, change, Db::TEMP).err().filter(|other| !is_unclear(other));
            Err(in_temp.unwrap_or(error))
        }
        Err(error) => Err(error),
    }
}

/// The rows of one schema to edit, the oldest object first. Each object is resolved once, for its names and for what is wrong with it.
fn edits_of<'a>(cg: &Codegen<'a>, altered: Altered<'a>, change: Change<'a>, of: Db) -> Result<Vec<RowEdit>> {
    let schema: &'a Schema = cg.env.catalog.schema(of);
    let mut edits = Vec::new();
    let mut objects = objects_of(schema);
    if of != altered.db && matches!(change, Change::Table(_)) {
        // The tables and indexes of temp are only checked, once the table has its new name.
        objects.retain(|object| matches!(object, Object::Trigger(_)) || object.is_view());
    }
    if cg.env.flags.legacy_alter_table {
        // Of views and triggers SQLite only reports in this mode that something is wrong, after it has checked all tables and indexes.
        objects.sort_by_key(|object| matches!(object, Object::Trigger(_)) || object.is_view());
    }
    if cg.env.flags.reverse_unordered_selects && !matches!(change, Change::Table(_)) {
        // SQLite checks before it renames a column, with a SELECT, whose first error is that of the newest object.
        objects.reverse();
    }
    for object in objects {
        match object {
            Object::Trigger(trigger) => trigger_edit(cg, altered, change, of, trigger, &mut edits)?,
            Object::Index(table, index) => index_edit(cg, altered, change, of, (table, index), &mut edits)?,
            Object::Table(table) => match (table.view(), table.virtual_table()) {
                (Some(_), _) if is_legacy(cg, change) => {}
                (Some(_), _) => {
                    let new_sql = view_text(cg, altered, change, of, table)?;
                    edits.extend(new_sql.map(|new_sql| RowEdit::text("view", &table.name, new_sql)));
                }
                (None, Some(_)) => virtual_edits(cg, altered, change, table, &mut edits)?,
                (None, None) => table_edits(cg, altered, change, of, table, &mut edits)?,
            },
        }
    }
    Ok(edits)
}

/// The row of a trigger.
fn trigger_edit<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    change: Change<'a>,
    of: Db,
    trigger: &'a Trigger,
    edits: &mut Vec<RowEdit>,
) -> Result<()> {
    let is_own = trigger.table == altered.table.name
        && match &trigger.table_schema {
            None => of == altered.db,
            Some(schema) => *schema == *cg.env.catalog.database_name(altered.db),
        };
    let new_sql = trigger_text(cg, altered, change, of, trigger, is_own)?;
    let new_table = match change {
        Change::Table(to) if is_own => Some(NameBuf::from(to.name)),
        _ => None,
    };
    if new_sql.is_some() || new_table.is_some() {
        let name = trigger.name.clone();
        edits.push(RowEdit { kind: "trigger", name, new_name: None, new_table, new_sql });
    }
    Ok(())
}

/// PRAGMA legacy_alter_table: a renamed table is not replaced in views, triggers and expressions.
fn is_legacy(cg: &Codegen<'_>, change: Change<'_>) -> bool {
    cg.env.flags.legacy_alter_table && matches!(change, Change::Table(_))
}

/// The result for a view or trigger that cannot be resolved: with writable_schema it stays as it is.
fn if_unclear(cg: &Codegen<'_>, error: impl FnOnce() -> CompileError) -> Result<Option<Vec<u8>>> {
    match () {
        () if cg.env.flags.may_write_schema() => Ok(None),
        () if cg.env.flags.legacy_alter_table => {
            Err(CompileError::new("SQL logic error").of_kind(ErrorKind::UnclearObject))
        }
        () => Err(error()),
    }
}

/// The row of a virtual table.
fn virtual_edits<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    change: Change<'a>,
    table: &'a Table,
    edits: &mut Vec<RowEdit>,
) -> Result<()> {
    let Change::Table(to) = change else { return Ok(()) };
    if !std::ptr::eq(table, altered.table) {
        return Ok(());
    }
    let Stmt::CreateVirtualTable(create) = cg.resolver.parse_stored(&table.sql)? else { return Ok(()) };
    let mut text = TextEdits::default();
    text.replace(create.name.name.span(), in_quotes(to.name));
    let new_name = Some(NameBuf::from(to.name));
    let (name, new_table, new_sql) = (table.name.clone(), new_name.clone(), Some(text.apply(&table.sql)));
    edits.push(RowEdit { kind: "table", name, new_name, new_table, new_sql });
    Ok(())
}

/// The row of a table.
fn table_edits<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    change: Change<'a>,
    of: Db,
    table: &'a Table,
    edits: &mut Vec<RowEdit>,
) -> Result<()> {
    let is_own = std::ptr::eq(table, altered.table);
    let resolver = logging(cg.env, cg.arena, &table.sql);
    let Stmt::CreateTable(create) = resolver.parse_stored(&table.sql)? else { return Ok(()) };
    let mut text = match change {
        _ if of != altered.db => TextEdits::default(),
        Change::Table(_) if is_legacy(cg, change) => in_table_legacy(cg, altered, change, create, is_own),
        _ => in_table(altered, change, create, is_own),
    };
    resolve_constraints(&resolver, of, table, create, &table.sql)
        .map_err(|error| in_object("table", table.name.name(), "", &error))?;
    if !matches!(change, Change::Table(_)) {
        replace_strings(&resolver, &table.sql, &mut text);
    }
    if let (true, Change::Cut(span)) = (is_own, change) {
        text.replace(span, "");
    }
    let new_sql = (!text.is_empty()).then(|| text.apply(&table.sql));
    let to = match change {
        Change::Table(to) if is_own => Some(to),
        _ => None,
    };
    let new_table = to.map(|to| NameBuf::from(to.name));
    if new_sql.is_some() || new_table.is_some() {
        let (name, new_name) = (table.name.clone(), new_table.clone());
        edits.push(RowEdit { kind: "table", name, new_name, new_table: new_table.clone(), new_sql });
    }
    Ok(())
}

/// The error of SQLite for a view or trigger of temp in which a column is renamed: SQLite resolves the old text of temp's objects
/// twice, and the second time the column has its new name.
pub(super) fn refuse_in_temp<'a>(cg: &Codegen<'a>, edits: &[RowEdit]) -> Result<()> {
    for edit in edits {
        let Some(new_sql) = &edit.new_sql else { continue };
        let text: &'a [u8] = cg.arena.alloc_slice_copy(new_sql);
        let resolver = logging(cg.env, cg.arena, text);
        let found = Found::default();
        let resolved = match (edit.kind, resolver.parse_stored(text)?) {
            ("view", Stmt::CreateView(create)) => {
                verify::query(&resolver, &Scope::outermost(text, &found), create.select)
            }
            ("trigger", Stmt::CreateTrigger(create)) => verify::resolve_trigger(&resolver, Db::TEMP, create, text),
            _ => Ok(()),
        };
        if let Err(error) = resolved {
            if_unclear(cg, || in_object(edit.kind, edit.name.name(), "", &error))?;
        }
    }
    Ok(())
}

/// The row of an index.
fn index_edit<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    change: Change<'a>,
    of: Db,
    (table, index): (&'a Table, &'a Index),
    edits: &mut Vec<RowEdit>,
) -> Result<()> {
    let is_own = std::ptr::eq(table, altered.table);
    let to = match change {
        Change::Table(to) if is_own => Some(to),
        _ => None,
    };
    let new_table = to.map(|to| NameBuf::from(to.name));
    let name = index.name.clone();
    if matches!(change, Change::Table(_)) && !is_own {
        return Ok(());
    }
    let Some(sql) = &index.sql else {
        // The names of indexes of constraints contain the table's name.
        let number = String::from_utf8_lossy(name.as_bytes()).rsplit('_').next().map(str::to_owned);
        let new_name = to.zip(number).map(|(to, number)| format!("sqlite_autoindex_{}_{number}", to.name).into());
        if new_table.is_some() {
            edits.push(RowEdit { kind: "index", name, new_name, new_table, new_sql: None });
        }
        return Ok(());
    };
    let resolver = logging(cg.env, cg.arena, sql);
    let Stmt::CreateIndex(create) = resolver.parse_stored(sql)? else { return Ok(()) };
    let is_checked = match change {
        Change::Table(_) => is_own,
        Change::Column(..) | Change::Cut(_) => is_own || !cg.env.flags.may_write_schema(),
    };
    let namesake = verify::namesake(&resolver, of, table.name.name());
    // Where a table of temp has the name of the index's table, SQLite takes the columns for that one's, and does not rename them.
    let is_shadowed = matches!(change, Change::Column(..)) && namesake.is_some();
    let mut text = match is_own && !is_shadowed {
        true => in_index(altered, change, create, is_legacy(cg, change)),
        false => TextEdits::default(),
    };
    // Whether a word in double quotes is a name or a string, SQLite asks the table that shadows the index's.
    let shadowing = namesake.filter(|shadowing| {
        !matches!(change, Change::Table(_)) && shadowing.view().is_none() && shadowing.virtual_table().is_none()
    });
    let (of_terms, terms) = shadowing.map_or((of, table), |shadowing| (Db::TEMP, &**shadowing));
    let resolved = resolve_index(&resolver, (of_terms, terms), create, sql, is_checked.then_some(table));
    if is_checked {
        let in_namesake = || verify::resolve_in_namesake(&resolver, of, table, index, true);
        let checked =
            if shadowing.is_some() { resolved.and_then(|()| in_namesake()) } else { in_namesake().and(resolved) };
        checked.map_err(|error| in_object("index", index.name.name(), "", &error))?;
    }
    if !matches!(change, Change::Table(_)) {
        replace_strings(&resolver, sql, &mut text);
    }
    let new_sql = (!text.is_empty()).then(|| text.apply(sql));
    if new_sql.is_some() || new_table.is_some() {
        edits.push(RowEdit { kind: "index", name, new_name: None, new_table, new_sql });
    }
    Ok(())
}

/// Rejects a term of an index that is only a name in double quotes and no column: once it is in single quotes, it must be the
/// name of a column.
pub(super) fn refuse_strings_as_terms<'a>(cg: &Codegen<'a>, table: &'a Table) -> Result<()> {
    // The oldest comes first.
    for index in table.indexes.iter().rev() {
        let Some(sql) = &index.sql else { continue };
        let Stmt::CreateIndex(create) = cg.resolver.parse_stored(sql)? else { continue };
        for term in create.columns {
            if let ExprKind::Column(name) = &split_collation(&term.expr).0.kind
                && name.quote() == Quote::Double
                && table.column(name.name).is_none()
            {
                let error = CompileError::no_such("column", name.name);
                return Err(in_object("index", index.name.name(), "", &error));
            }
        }
    }
    Ok(())
}

/// The new text of a view, if it changes.
fn view_text<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    change: Change<'a>,
    of: Db,
    view: &'a Table,
) -> Result<Option<Vec<u8>>> {
    let resolver = logging(cg.env, cg.arena, &view.sql);
    let Stmt::CreateView(create) = resolver.parse_stored(&view.sql)? else { return Ok(None) };
    let resolved = match change {
        Change::Table(_) => {
            let found = Found::default();
            let fixed_db = (of != Db::TEMP).then_some(of);
            let rules = Rules::of_statements(&cg.env.flags);
            let scope = Scope { rules, fixed_db, ..Scope::outermost(&view.sql, &found) };
            verify::query(&resolver, &scope, create.select)
        }
        Change::Column(..) | Change::Cut(_) => resolver.view_names(of, view, create.select, &view.sql),
    };
    match resolved {
        Ok(()) => Ok(from_log(altered, change, &resolver, TextEdits::default(), &view.sql)),
        Err(error) => if_unclear(cg, || in_object("view", view.name.name(), "", &error)),
    }
}

/// The new text of a trigger, if it changes.
fn trigger_text<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    change: Change<'a>,
    of: Db,
    trigger: &'a Trigger,
    is_own: bool,
) -> Result<Option<Vec<u8>>> {
    let text: &'a [u8] = &trigger.sql;
    let resolver = logging(cg.env, cg.arena, text);
    let Stmt::CreateTrigger(create) = resolver.parse_stored(text)? else { return Ok(None) };
    let mut edits = TextEdits::default();
    // Where a table of temp has the name of the trigger's table, SQLite takes that one for it here.
    let is_shadowed =
        create.table.schema.is_none() && verify::namesake(&resolver, of, create.table.name.name).is_some();
    if is_own && !is_shadowed {
        in_trigger_head(altered, change, create, &mut edits);
    }
    if is_legacy(cg, change) {
        return Ok((!edits.is_empty()).then(|| edits.apply(text)));
    }
    let resolved = verify::resolve_trigger(&resolver, of, create, text);
    if let Err(error) = resolved {
        // SQLite checks the triggers of temp on a table of that name with the new name in place.
        let is_renamed = matches!(change, Change::Table(_)) && of != altered.db && trigger.table == altered.table.name;
        let when = if is_renamed { "after rename" } else { "" };
        return if_unclear(cg, || in_object("trigger", trigger.name.name(), when, &error));
    }
    Ok(from_log(altered, change, &resolver, edits, text))
}

/// The names in ON table, and in UPDATE OF columns.
fn in_trigger_head(altered: Altered<'_>, change: Change<'_>, create: &CreateTrigger<'_>, edits: &mut TextEdits) {
    if let Change::Table(to) = change {
        edits.replace(create.table.name.span(), in_quotes(to.name));
    }
    if let TriggerEvent::Update(columns) = create.event {
        columns.iter().for_each(|column| in_name(altered, change, *column, edits));
    }
}

/// A resolver that keeps a log of the names in `text`.
pub(super) fn logging<'a>(env: &'a Environment, arena: &'a Bump, text: &'a [u8]) -> Resolver<'a> {
    let mut resolver = Resolver::new(env, arena);
    resolver.only_names = true;
    resolver.log = Some(NameLog::new(text));
    resolver
}

fn from_log(
    altered: Altered<'_>,
    change: Change<'_>,
    resolver: &Resolver<'_>,
    mut edits: TextEdits,
    text: &[u8],
) -> Option<Vec<u8>> {
    let log = resolver.log.as_ref()?;
    match change {
        Change::Table(to) => {
            for token in log.names_of_table(altered.table) {
                edits.replace(token.span(), in_quotes(to.name));
            }
        }
        Change::Column(at, to) => {
            for token in log.names_of_column(altered.table, at) {
                edits.replace(token.span(), renamed(token, to));
            }
            replace_strings(resolver, text, &mut edits);
        }
        Change::Cut(_) => replace_strings(resolver, text, &mut edits),
    }
    (!edits.is_empty()).then(|| edits.apply(text))
}

/// Replaces the strings in double quotes that the resolver found in `text` by strings in single quotes.
pub(super) fn replace_strings(resolver: &Resolver<'_>, text: &[u8], edits: &mut TextEdits) {
    for name in resolver.log.iter().flat_map(NameLog::strings) {
        edits.replace(name.span(), as_string(text, name));
    }
}
