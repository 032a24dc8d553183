//! RENAME TO and RENAME COLUMN: all names of the table or column in the schema's texts are found and replaced.
//!
//! In tables and indexes only one table can be seen, so every name is what it looks like. Views and triggers are resolved,
//! and the resolver keeps a log of which names meant the table or column.

use lithe_sql::ast::{
    ColumnConstraintKind, CreateIndex, CreateTable, CreateTrigger, Expr, ExprKind, ForeignKeyTarget, Ident, Name, Node,
    OrderTerm, Span, Stmt, TableBody, TableConstraintKind, TriggerEvent, walk_expr,
};
use lithe_vm::operand::Db;

use super::super::names::refuse_reserved;
use super::super::system;
use super::edits::{self, RowEdit};
use super::text::{TextEdits, in_quotes, renamed};
use super::{Altered, verify};
use crate::catalog::{NameBuf, SEQUENCE_TABLE, Schema, Table};
use crate::codegen::Codegen;
use crate::error::{CompileError, Result, fail};
use crate::resolve::{Found, NameLog, Resolver, Scope};

/// What gets another name.
#[derive(Clone, Copy)]
enum Renaming<'a> {
    /// The table.
    Table(Ident<'a>),
    /// The column at this position.
    Column(u16, Ident<'a>),
}

/// ALTER TABLE RENAME TO.
pub(super) fn rename_table<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, to: Ident<'a>) -> Result<()> {
    let Altered { db, table } = altered;
    let schema = cg.env.catalog.schema(db);
    if schema.table(to.name).is_some() || schema.index(to.name).is_some() {
        return fail(format!("there is already another table or index with this name: {}", to.name));
    }
    if table.is_system() {
        return fail(format!("table {} may not be altered", table.name));
    }
    refuse_reserved(cg, to.name)?;
    if table.virtual_table().is_none() {
        altered.check("view {} may not be altered")?;
    }
    rename(cg, altered, Renaming::Table(to))
}

/// ALTER TABLE RENAME COLUMN.
pub(super) fn rename_column<'a>(
    cg: &mut Codegen<'a>,
    altered: Altered<'a>,
    from: Ident<'a>,
    to: Ident<'a>,
) -> Result<()> {
    altered.check("cannot rename columns of view \"{}\"")?;
    let Some(at) = altered.table.column(from.name) else {
        return fail(format!("no such column: \"{}\"", from.name));
    };
    rename(cg, altered, Renaming::Column(at, to))
}

fn rename<'a>(cg: &mut Codegen<'a>, altered: Altered<'a>, renaming: Renaming<'a>) -> Result<()> {
    let Altered { db, table } = altered;
    verify::verify(cg, db, &[], "")?;
    let own = edits_of(cg, altered, renaming, db)?;
    let temporary = if db == Db::TEMP { Vec::new() } else { edits_of(cg, altered, renaming, Db::TEMP)? };
    let edited: [(Db, &[RowEdit]); 2] = [(db, &own), (Db::TEMP, &temporary)];
    verify::verify(cg, db, &edited[..if db == Db::TEMP { 1 } else { 2 }], "after rename")?;
    cg.use_database(db, true);
    cg.note_more_changes();
    edits::write(cg, db, &own)?;
    if let (Renaming::Table(to), Some(sequence)) = (renaming, system::system_table(cg, db, SEQUENCE_TABLE)) {
        system::rename_in(cg, db, sequence, table.name.name(), to.name)?;
    }
    if let (Renaming::Table(to), Some(_)) = (renaming, table.virtual_table()) {
        cg.note_may_abort();
        let new_name = cg.b.text(to.name.to_str_lossy().into_owned());
        system::change_virtual(cg, db, system::virtual_change::RENAME, table.name.name(), new_name);
    }
    edits::reload(cg, db, table.name.name());
    if !temporary.is_empty() {
        cg.use_database(Db::TEMP, true);
        edits::write(cg, Db::TEMP, &temporary)?;
        system::bump_cookie(cg, Db::TEMP);
        system::load_all(cg, Db::TEMP);
    }
    Ok(())
}

/// The rows of one schema that change.
fn edits_of<'a>(cg: &Codegen<'a>, altered: Altered<'a>, renaming: Renaming<'a>, of: Db) -> Result<Vec<RowEdit>> {
    let schema: &'a Schema = cg.env.catalog.schema(of);
    let mut edits = Vec::new();
    for table in schema.tables().into_iter().skip(1) {
        if table.view().is_some() && is_legacy(cg, renaming) {
            continue;
        }
        if table.view().is_some() {
            let new_sql = view_text(cg, altered, renaming, of, table)?;
            edits.extend(new_sql.map(|new_sql| RowEdit::text("view", &table.name, new_sql)));
            continue;
        }
        if of != altered.db {
            continue;
        }
        if table.virtual_table().is_some() {
            virtual_edits(cg, altered, renaming, table, &mut edits)?;
            continue;
        }
        table_edits(cg, altered, renaming, table, &mut edits)?;
    }
    for trigger in schema.triggers() {
        let is_own = trigger.table == altered.table.name
            && match &trigger.table_schema {
                None => of == altered.db,
                Some(schema) => *schema == *cg.env.catalog.database_name(altered.db),
            };
        let new_sql = trigger_text(cg, altered, renaming, of, &trigger.sql, is_own)?;
        let new_table = match renaming {
            Renaming::Table(to) if is_own => Some(NameBuf::from(to.name)),
            _ => None,
        };
        if new_sql.is_some() || new_table.is_some() {
            let name = trigger.name.clone();
            edits.push(RowEdit { kind: "trigger", name, new_name: None, new_table, new_sql });
        }
    }
    Ok(edits)
}

/// PRAGMA legacy_alter_table: a table's new name is not looked for in views, triggers and expressions.
fn is_legacy(cg: &Codegen<'_>, renaming: Renaming<'_>) -> bool {
    cg.env.flags.legacy_alter_table && matches!(renaming, Renaming::Table(_))
}

/// What becomes of a view or trigger that means nothing: where the schema is written by hand, it stays as it is.
fn if_unclear(cg: &Codegen<'_>, error: CompileError) -> Result<Option<Vec<u8>>> {
    match () {
        () if cg.env.flags.may_write_schema() => Ok(None),
        () if cg.env.flags.legacy_alter_table => fail("SQL logic error"),
        () => Err(error),
    }
}

/// The row of a virtual table.
fn virtual_edits<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    renaming: Renaming<'a>,
    table: &'a Table,
    edits: &mut Vec<RowEdit>,
) -> Result<()> {
    let Renaming::Table(to) = renaming else { return Ok(()) };
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

/// The rows of a table and its indexes.
fn table_edits<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    renaming: Renaming<'a>,
    table: &'a Table,
    edits: &mut Vec<RowEdit>,
) -> Result<()> {
    let is_own = std::ptr::eq(table, altered.table);
    let Stmt::CreateTable(create) = cg.resolver.parse_stored(&table.sql)? else { return Ok(()) };
    let text = match is_legacy(cg, renaming) {
        true => in_table_as_ever(cg, altered, renaming, create, is_own),
        false => in_table(altered, renaming, create, is_own),
    };
    let new_sql = (!text.is_empty()).then(|| text.apply(&table.sql));
    let to = match renaming {
        Renaming::Table(to) if is_own => Some(to),
        _ => None,
    };
    let new_table = to.map(|to| NameBuf::from(to.name));
    if new_sql.is_some() || new_table.is_some() {
        let (name, new_name) = (table.name.clone(), new_table.clone());
        edits.push(RowEdit { kind: "table", name, new_name, new_table: new_table.clone(), new_sql });
    }
    if !is_own {
        return Ok(());
    }
    for index in table.indexes.iter().filter(|index| index.root != table.root) {
        let name = index.name.clone();
        let Some(sql) = &index.sql else {
            // The indexes of constraints have the table's name in theirs.
            let number = String::from_utf8_lossy(name.as_bytes()).rsplit('_').next().map(str::to_owned);
            let new_name = to.zip(number).map(|(to, number)| format!("sqlite_autoindex_{}_{number}", to.name).into());
            if new_table.is_some() {
                edits.push(RowEdit { kind: "index", name, new_name, new_table: new_table.clone(), new_sql: None });
            }
            continue;
        };
        let Stmt::CreateIndex(create) = cg.resolver.parse_stored(sql)? else { continue };
        let text = in_index(altered, renaming, create, is_legacy(cg, renaming));
        let new_sql = (!text.is_empty()).then(|| text.apply(sql));
        if new_sql.is_some() || new_table.is_some() {
            edits.push(RowEdit { kind: "index", name, new_name: None, new_table: new_table.clone(), new_sql });
        }
    }
    Ok(())
}

/// The names in CREATE TABLE.
fn in_table(altered: Altered<'_>, renaming: Renaming<'_>, create: &CreateTable<'_>, is_own: bool) -> TextEdits {
    let mut edits = TextEdits::default();
    let TableBody::Columns(body) = create.body else { return edits };
    if is_own && let Renaming::Table(to) = renaming {
        edits.replace(create.name.name.span(), in_quotes(to.name));
    }
    for (at, column) in body.columns.iter().enumerate() {
        if is_own
            && let Renaming::Column(renamed_at, to) = renaming
            && usize::from(renamed_at) == at
        {
            edits.replace(column.name.span(), renamed(column.name, to));
        }
        for constraint in column.constraints {
            match &constraint.kind {
                ColumnConstraintKind::References(target) => in_foreign_key(altered, renaming, target, &mut edits),
                ColumnConstraintKind::Check(check) if is_own => {
                    in_expr(altered, renaming, &check.condition, &mut edits)
                }
                ColumnConstraintKind::Generated { value, .. } if is_own => {
                    in_expr(altered, renaming, value, &mut edits)
                }
                _ => {}
            }
        }
    }
    for constraint in body.constraints {
        match &constraint.kind {
            TableConstraintKind::PrimaryKey { columns, .. } | TableConstraintKind::Unique { columns, .. } => {
                if is_own {
                    in_terms(altered, renaming, columns, &mut edits);
                }
            }
            TableConstraintKind::Check(check) if is_own => in_expr(altered, renaming, &check.condition, &mut edits),
            TableConstraintKind::Check(_) => {}
            TableConstraintKind::ForeignKey { columns, target } => {
                if is_own {
                    columns.iter().for_each(|column| in_name(altered, renaming, *column, &mut edits));
                }
                in_foreign_key(altered, renaming, target, &mut edits);
            }
        }
    }
    edits
}

/// The names in CREATE TABLE that a table's new name replaces under `legacy_alter_table`: its own, and with `foreign_keys`
/// those of parents.
fn in_table_as_ever(
    cg: &Codegen<'_>,
    altered: Altered<'_>,
    renaming: Renaming<'_>,
    create: &CreateTable<'_>,
    is_own: bool,
) -> TextEdits {
    let mut edits = TextEdits::default();
    let (TableBody::Columns(body), Renaming::Table(to)) = (create.body, renaming) else { return edits };
    if is_own {
        edits.replace(create.name.name.span(), in_quotes(to.name));
    }
    if cg.env.flags.foreign_keys {
        for constraint in body.columns.iter().flat_map(|column| column.constraints) {
            if let ColumnConstraintKind::References(target) = &constraint.kind {
                in_foreign_key(altered, renaming, target, &mut edits);
            }
        }
        for constraint in body.constraints {
            if let TableConstraintKind::ForeignKey { target, .. } = &constraint.kind {
                in_foreign_key(altered, renaming, target, &mut edits);
            }
        }
    }
    edits
}

fn in_foreign_key(altered: Altered<'_>, renaming: Renaming<'_>, target: &ForeignKeyTarget<'_>, edits: &mut TextEdits) {
    if altered.table.name != target.table.name {
        return;
    }
    match renaming {
        Renaming::Table(to) => edits.replace(target.table.span(), in_quotes(to.name)),
        Renaming::Column(..) => target.columns.iter().for_each(|column| in_name(altered, renaming, *column, edits)),
    }
}

/// The names in CREATE INDEX.
fn in_index(altered: Altered<'_>, renaming: Renaming<'_>, create: &CreateIndex<'_>, is_legacy: bool) -> TextEdits {
    let mut edits = TextEdits::default();
    if let Renaming::Table(to) = renaming {
        edits.replace(create.table.span(), in_quotes(to.name));
    }
    if is_legacy {
        return edits;
    }
    in_terms(altered, renaming, create.columns, &mut edits);
    if let Some(filter) = &create.filter {
        in_expr(altered, renaming, filter, &mut edits);
    }
    edits
}

fn in_terms(altered: Altered<'_>, renaming: Renaming<'_>, terms: &[OrderTerm<'_>], edits: &mut TextEdits) {
    for term in terms {
        // A string alone is a name here.
        if let (ExprKind::String(name), Renaming::Column(at, to)) = (&term.expr.kind, renaming)
            && altered.table.columns[usize::from(at)].name == Name::new(name)
        {
            edits.replace(term.expr.span, in_quotes(to.name));
        }
        in_expr(altered, renaming, &term.expr, edits);
    }
}

/// The names in an expression that sees the table and nothing else.
fn in_expr(altered: Altered<'_>, renaming: Renaming<'_>, expr: &Expr<'_>, edits: &mut TextEdits) {
    // What SQLite does not look at, it does not rename.
    let mut unseen: Vec<Span> = Vec::new();
    walk_expr(expr, &mut |node| {
        let Node::Expr(expr) = node else { return };
        if unseen.iter().any(|span| span.start <= expr.span.start && expr.span.end <= span.end) {
            return;
        }
        match &expr.kind {
            ExprKind::In(set) if set.is_in_nothing() => unseen.push(set.value.span),
            ExprKind::Column(name) => in_name(altered, renaming, *name, edits),
            ExprKind::QualifiedColumn(name) => match renaming {
                Renaming::Table(to) => edits.replace(name.table.span(), in_quotes(to.name)),
                Renaming::Column(..) => in_name(altered, renaming, name.column, edits),
            },
            _ => {}
        }
    });
}

fn in_name(altered: Altered<'_>, renaming: Renaming<'_>, name: Ident<'_>, edits: &mut TextEdits) {
    if let Renaming::Column(at, to) = renaming
        && altered.table.columns[usize::from(at)].name == name.name
    {
        edits.replace(name.span(), renamed(name, to));
    }
}

/// The new text of a view, if it changes.
fn view_text<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    renaming: Renaming<'a>,
    of: Db,
    view: &'a Table,
) -> Result<Option<Vec<u8>>> {
    let resolver = logging(cg, &view.sql);
    let Stmt::CreateView(create) = resolver.parse_stored(&view.sql)? else { return Ok(None) };
    let found = Found::default();
    let fixed_db = (of != Db::TEMP).then_some(of);
    let scope = Scope { fixed_db, ..Scope::outermost(&view.sql, &found) };
    match resolver.query(&scope, create.select) {
        Ok(_) => Ok(from_log(altered, renaming, &resolver, TextEdits::default(), &view.sql)),
        Err(error) => if_unclear(cg, error),
    }
}

/// The new text of a trigger, if it changes.
fn trigger_text<'a>(
    cg: &Codegen<'a>,
    altered: Altered<'a>,
    renaming: Renaming<'a>,
    of: Db,
    text: &'a [u8],
    is_own: bool,
) -> Result<Option<Vec<u8>>> {
    let resolver = logging(cg, text);
    let Stmt::CreateTrigger(create) = resolver.parse_stored(text)? else { return Ok(None) };
    let mut edits = TextEdits::default();
    if is_own {
        in_trigger_head(altered, renaming, create, &mut edits);
    }
    if is_legacy(cg, renaming) {
        return Ok((!edits.is_empty()).then(|| edits.apply(text)));
    }
    if let Err(error) = verify::resolve_trigger(&resolver, of, create, text) {
        return if_unclear(cg, error);
    }
    Ok(from_log(altered, renaming, &resolver, edits, text))
}

/// ON table, and UPDATE OF columns.
fn in_trigger_head(altered: Altered<'_>, renaming: Renaming<'_>, create: &CreateTrigger<'_>, edits: &mut TextEdits) {
    if let Renaming::Table(to) = renaming {
        edits.replace(create.table.name.span(), in_quotes(to.name));
    }
    if let TriggerEvent::Update(columns) = create.event {
        columns.iter().for_each(|column| in_name(altered, renaming, *column, edits));
    }
}

fn logging<'a>(cg: &Codegen<'a>, text: &'a [u8]) -> Resolver<'a> {
    let mut resolver = Resolver::new(cg.env, cg.arena);
    resolver.only_names = true;
    resolver.log = Some(NameLog::new(text));
    resolver
}

fn from_log(
    altered: Altered<'_>,
    renaming: Renaming<'_>,
    resolver: &Resolver<'_>,
    mut edits: TextEdits,
    text: &[u8],
) -> Option<Vec<u8>> {
    let log = resolver.log.as_ref()?;
    match renaming {
        Renaming::Table(to) => {
            for token in log.names_of_table(altered.table) {
                edits.replace(token.span(), in_quotes(to.name));
            }
        }
        Renaming::Column(at, to) => {
            for token in log.names_of_column(altered.table, at) {
                edits.replace(token.span(), renamed(token, to));
            }
        }
    }
    (!edits.is_empty()).then(|| edits.apply(text))
}
