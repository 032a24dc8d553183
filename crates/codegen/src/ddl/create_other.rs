//! CREATE VIEW and CREATE TRIGGER, which write a row of the schema table and no more. CREATE VIRTUAL TABLE, which then calls its
//! module.

use lithe_catalog::{CompileError, Result, Trigger, build_trigger, build_view, fail, trigger_database};
use lithe_sql::ast::{CreateTrigger, CreateView, CreateVirtualTable, Indexed, Name, Span, Stmt};
use lithe_vm::operand::{Db, TextId};

use super::names::{as_written, database_of_table, is_new_table, refuse_reserved};
use super::system::{self, NewRow};
use crate::Codegen;

/// CREATE VIEW; `sql` is the statement's text, and `parameters` the number of its parameters.
pub(crate) fn create_view<'a>(
    cg: &mut Codegen<'a>,
    create: &'a CreateView<'a>,
    sql: &'a [u8],
    parameters: u32,
) -> Result<()> {
    if parameters > 0 {
        return fail("parameters are not allowed in views");
    }
    let db = database_of_table(cg, sql, create.name, create.temporary)?;
    if !is_new_table(cg, db, sql, create.name.name, create.if_not_exists)? {
        cg.transactions.use_database(db, false);
        return Ok(());
    }
    let name = create.name.name;
    cg.resolver.refuse_other_databases(db, name, sql, create.select)?;
    let view = build_view(create, sql);
    let text = Span::new(name.span().start, create.text.end);
    let text = [b"CREATE VIEW ", text.text(sql)].concat();
    cg.transactions.use_database(db, true);
    cg.journal.note_more_changes();
    cg.journal.note_may_abort();
    system::prepare_database(cg, db);
    let row_text = cg.b.register();
    system::load_text(cg, &text, row_text);
    let schema = system::open_schema_table(cg, db)?;
    let name = view.name.name();
    system::insert_schema_row(cg, schema, &NewRow { kind: "view", name, table: name, root: None, sql: Some(row_text) });
    cg.env.authorize_schema_row(db)?;
    system::bump_cookie(cg, db);
    system::load_object(cg, db, "table", name);
    Ok(())
}

/// CREATE VIRTUAL TABLE; `sql` is the statement's text.
pub(crate) fn create_virtual_table<'a>(
    cg: &mut Codegen<'a>,
    create: &'a CreateVirtualTable<'a>,
    sql: &'a [u8],
) -> Result<()> {
    let reading = |error: CompileError| error.while_reading(sql, create.module.span().end);
    let db = database_of_table(cg, sql, create.name, false).map_err(reading)?;
    if !is_new_table(cg, db, sql, create.name.name, create.if_not_exists).map_err(reading)? {
        cg.transactions.use_database(db, false);
        return Ok(());
    }
    let name = create.name.name.name;
    let text = [b"CREATE VIRTUAL TABLE ", create.text.text(sql)].concat();
    cg.transactions.use_database(db, true);
    cg.journal.note_more_changes();
    cg.journal.note_may_abort();
    system::prepare_database(cg, db);
    let row_text = cg.b.register();
    system::load_text(cg, &text, row_text);
    let schema = system::open_schema_table(cg, db)?;
    system::insert_schema_row(
        cg,
        schema,
        &NewRow { kind: "table", name, table: name, root: None, sql: Some(row_text) },
    );
    cg.env.authorize_schema_row(db)?;
    system::bump_cookie(cg, db);
    system::load_object(cg, db, "table", name);
    system::change_virtual(cg, db, system::virtual_change::CREATE, name, TextId::NONE);
    Ok(())
}

/// CREATE TRIGGER; `sql` is the statement's text, and `parameters` the number of its parameters.
pub(crate) fn create_trigger<'a>(
    cg: &mut Codegen<'a>,
    create: &'a CreateTrigger<'a>,
    sql: &'a [u8],
    parameters: u32,
) -> Result<()> {
    let begun = begin_trigger(cg, create, sql).map_err(|error| error.while_reading(sql, create.begin.start))?;
    for step in create.body {
        check_step(begun.0, &step.stmt).map_err(|error| error.while_reading(sql, step.span.end))?;
    }
    let (db, trigger) = match begun {
        (db, Some(trigger)) => (db, trigger),
        (db, None) => {
            cg.transactions.use_database(db, false);
            return Ok(());
        }
    };
    if parameters > 0 {
        return fail("trigger cannot use variables");
    }
    cg.resolver.refuse_other_databases_in_trigger(db, create)?;
    write_trigger(cg, db, &trigger, create.table.name.name, create.text.text(sql))
}

/// The database of the new trigger, and the trigger, unless it exists and the statement has IF NOT EXISTS.
fn begin_trigger<'a>(cg: &Codegen<'a>, create: &CreateTrigger<'a>, sql: &[u8]) -> Result<(Db, Option<Trigger>)> {
    let env = cg.env;
    let (db, target) = trigger_database(create, sql, &env.catalog)?;
    let name = create.name.name;
    refuse_reserved(cg, name.name)?;
    if env.catalog.schema(db).trigger(name.name).is_some() {
        if create.if_not_exists {
            return Ok((db, None));
        }
        return Err(CompileError::at(name.span(), format!("trigger {} already exists", as_written(sql, name))));
    }
    if env.shadow_tables.protects(create.table.name.name) {
        return fail("cannot create triggers on shadow tables");
    }
    Ok((db, Some(build_trigger(create, db, target, &env.catalog)?)))
}

/// Rejects what a statement must not have within a trigger of that database. Temporary triggers may change tables of any database.
fn check_step(db: Db, step: &Stmt<'_>) -> Result<()> {
    let (table, indexed) = match step {
        Stmt::Insert(insert) => (insert.table, Indexed::Any),
        Stmt::Update(update) => (update.table, update.indexed),
        Stmt::Delete(delete) => (delete.table, delete.indexed),
        _ => return Ok(()),
    };
    if table.schema.is_some() && db != Db::TEMP {
        let statements = "INSERT, UPDATE, and DELETE statements within triggers";
        return fail(format!("qualified table names are not allowed on {statements}"));
    }
    let clause = match indexed {
        Indexed::Any => return Ok(()),
        Indexed::By(_) => "INDEXED BY",
        Indexed::Not => "NOT INDEXED",
    };
    fail(format!("the {clause} clause is not allowed on UPDATE or DELETE statements within triggers"))
}

/// `table` is the table's name as written in the statement.
fn write_trigger(cg: &mut Codegen<'_>, db: Db, trigger: &Trigger, table: Name<'_>, text: &[u8]) -> Result<()> {
    let text = [b"CREATE TRIGGER ", text].concat();
    cg.transactions.use_database(db, true);
    let sql = cg.b.register();
    system::load_text(cg, &text, sql);
    let schema = system::open_schema_table(cg, db)?;
    let name = trigger.name.name();
    system::insert_schema_row(cg, schema, &NewRow { kind: "trigger", name, table, root: None, sql: Some(sql) });
    system::bump_cookie(cg, db);
    system::load_object(cg, db, "trigger", name);
    Ok(())
}
