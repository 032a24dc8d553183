//! CREATE TRIGGER to [`Trigger`].

use lithe_base::Db;
use lithe_sql::ast::{CreateTrigger, TriggerEvent as Event, TriggerTime};

use crate::error::{CompileError, Result, fail};
use crate::{Catalog, FoundTable, NameBuf, Trigger, TriggerEvent, display_name, qualified};

/// The database that a trigger will be in, and its table.
///
/// A trigger is in the database that qualifies its name, else in the database of its table; a TEMP trigger may be on a
/// table of any database. `sql` is the text that the tree's spans are about.
pub fn trigger_database<'c>(
    create: &CreateTrigger<'_>,
    sql: &[u8],
    catalog: &'c Catalog,
) -> Result<(Db, FoundTable<'c>)> {
    if create.temporary && create.name.schema.is_some() {
        return fail("temporary trigger may not have qualified name");
    }
    let named = create.name.schema.map(|schema| catalog.named_database(schema, sql)).transpose()?;
    let home = if create.temporary { Some(Db::TEMP) } else { named };
    // The table's name is looked up in the trigger's database, unless that is temp: then in all databases.
    let schema = match (create.table.schema, home) {
        (Some(schema), _) => Some(schema.name),
        (None, Some(db)) if db != Db::TEMP => Some(catalog.database_name(db).name()),
        (None, None) if catalog.find_table(None, create.table.name.name).is_none_or(|found| found.db != Db::TEMP) => {
            Some(catalog.database_name(Db::MAIN).name())
        }
        (None, _) => None,
    };
    if let Some(schema) = create.table.schema
        && home != Some(Db::TEMP)
        && let named = catalog.find_database(schema.name)
        && named != Some(home.unwrap_or(Db::MAIN))
        // A trigger of a temporary table is temporary.
        && (home.is_some() || named != Some(Db::TEMP))
    {
        let place = create.name.name.span();
        let written = String::from_utf8_lossy(place.text(sql));
        let message = format!("trigger {written} cannot reference objects in database {}", schema.name);
        return Err(CompileError::at(place, message));
    }
    let Some(found) = catalog.find_table(schema, create.table.name.name) else {
        return Err(CompileError::no_such("table", qualified(schema, create.table.name.name)));
    };
    Ok((home.unwrap_or(found.db), found))
}

/// The trigger that `create` describes, in database `db`, on `target`. Its text is left empty.
pub fn build_trigger(create: &CreateTrigger<'_>, db: Db, target: FoundTable<'_>, catalog: &Catalog) -> Result<Trigger> {
    check_target(create, target)?;
    let event = match create.event {
        Event::Delete => TriggerEvent::Delete,
        Event::Insert => TriggerEvent::Insert,
        Event::Update(columns) => {
            TriggerEvent::Update(columns.iter().map(|column| NameBuf::from(column.name)).collect())
        }
    };
    Ok(Trigger {
        name: create.name.name.name.into(),
        table_schema: (target.db != db).then(|| catalog.database_name(target.db).clone()),
        table: target.table.name.clone(),
        time: create.time,
        event,
        sql: Box::default(),
    })
}

fn check_target(create: &CreateTrigger<'_>, target: FoundTable<'_>) -> Result<()> {
    let table = target.table;
    if table.is_system() {
        return fail("cannot create trigger on system table");
    }
    if table.virtual_table().is_some() {
        return fail("cannot create triggers on virtual tables");
    }
    let name = display_name(create.table);
    match (table.view().is_some(), create.time) {
        (true, TriggerTime::Before) => fail(format!("cannot create BEFORE trigger on view: {name}")),
        (true, TriggerTime::After) => fail(format!("cannot create AFTER trigger on view: {name}")),
        (false, TriggerTime::InsteadOf) => fail(format!("cannot create INSTEAD OF trigger on table: {name}")),
        _ => Ok(()),
    }
}
