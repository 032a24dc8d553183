//! The database of a new object, and whether its name may be used.

use lithe_catalog::{CompileError, Result, fail, is_system_name};
use lithe_sql::ast::{Ident, Name, QualifiedName};
use lithe_vm::operand::Db;

use crate::Codegen;

/// The database of the schema in `name`, main by default; `sql` is the statement's text.
pub(super) fn database_of(cg: &Codegen<'_>, sql: &[u8], name: QualifiedName<'_>) -> Result<Db> {
    name.schema.map_or(Ok(Db::MAIN), |schema| cg.env.catalog.named_database(schema, sql))
}

/// The database of a new table or view.
pub(super) fn database_of_table(cg: &Codegen<'_>, sql: &[u8], name: QualifiedName<'_>, temporary: bool) -> Result<Db> {
    let db = database_of(cg, sql, name)?;
    if temporary && name.schema.is_some() && db != Db::TEMP {
        return fail("temporary table name must be unqualified");
    }
    Ok(if temporary { Db::TEMP } else { db })
}

/// "object name reserved for internal use: sqlite_x".
pub(super) fn refuse_reserved(cg: &Codegen<'_>, name: Name<'_>) -> Result<()> {
    let is_reserved = is_system_name(name) && !cg.env.flags.may_write_schema();
    if is_reserved || cg.env.shadow_tables.protects(name) {
        return fail(format!("object name reserved for internal use: {name}"));
    }
    Ok(())
}

/// The name as written in the statement, quotes included.
pub(super) fn as_written(sql: &[u8], name: Ident<'_>) -> String {
    String::from_utf8_lossy(name.span().text(sql)).into_owned()
}

/// Whether a new table or view of that name must be created: `false` if it exists and the statement has IF NOT EXISTS.
pub(super) fn is_new_table(cg: &Codegen<'_>, db: Db, sql: &[u8], name: Ident<'_>, if_not_exists: bool) -> Result<bool> {
    refuse_reserved(cg, name.name)?;
    let schema = cg.env.catalog.schema(db);
    if let Some(table) = schema.table(name.name) {
        let kind = if table.view().is_some() { "view" } else { "table" };
        return if if_not_exists {
            Ok(false)
        } else {
            let message = format!("{kind} {} already exists", as_written(sql, name));
            Err(CompileError::at(name.span(), message).of_schema())
        };
    }
    if schema.index(name.name).is_some() {
        return fail(format!("there is already an index named {}", name.name));
    }
    Ok(true)
}

/// The name in quotes of this kind; a quote within it is doubled.
pub(super) fn quoted(name: Name<'_>, quote: char) -> String {
    let name = name.to_str_lossy();
    let doubled = name.replace(quote, &format!("{quote}{quote}"));
    format!("{quote}{doubled}{quote}")
}
