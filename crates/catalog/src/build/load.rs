//! Loading the rows of a schema table. The text in them may be anything: text that cannot be read gives the error
//! "malformed database schema (x) - reason".

use bumpalo::Bump;
use lithe_base::Db;
use lithe_base::ResultCode;
use lithe_format::PageNo;
use lithe_sql::ast::{Name, QualifiedName, Stmt, TableBody};
use lithe_sql::parse_statement;
use lithe_value::utf8;

use super::{BuildOptions, build_index, build_table, build_trigger, build_view, build_virtual_table, trigger_database};
use crate::error::{CompileError, Result, fail};
use crate::{Catalog, NameBuf, Table, Trigger, qualified};

/// A row of a schema table.
#[derive(Clone, Copy, Debug, Default)]
pub struct SchemaRow<'r> {
    /// "table", "index", "view" or "trigger".
    pub kind: Option<&'r [u8]>,
    /// The object's name.
    pub name: Option<&'r [u8]>,
    /// The name of its table.
    pub table_name: Option<&'r [u8]>,
    /// The root page as it is stored; `None` for NULL, -1 for a value that is no integer.
    pub root_page: Option<i64>,
    /// The CREATE statement; `None` for the indexes of constraints.
    pub sql: Option<&'r [u8]>,
}

/// An object whose rows CREATE has written to a schema table, by its name. Objects of different kinds may have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewObject<'o> {
    /// A table or view, with the indexes that a table's constraints bring.
    Table(&'o str),
    /// An index.
    Index(&'o str),
    /// A trigger.
    Trigger(&'o str),
}

impl<'o> NewObject<'o> {
    /// Reads the condition of the instruction `ParseSchema`: "table", "index" or "trigger", a space, and the name.
    pub fn parse(condition: &'o str) -> Option<NewObject<'o>> {
        match condition.split_once(' ')? {
            ("table", name) => Some(NewObject::Table(name)),
            ("index", name) => Some(NewObject::Index(name)),
            ("trigger", name) => Some(NewObject::Trigger(name)),
            _ => None,
        }
    }
}

impl SchemaRow<'_> {
    /// Whether the row is one of the object's.
    pub fn is_about(&self, object: NewObject<'_>) -> bool {
        let is = |column: Option<&[u8]>, text: &str| column.is_some_and(|c| c.eq_ignore_ascii_case(text.as_bytes()));
        match object {
            NewObject::Table(name) if is(self.kind, "index") => self.sql.is_none() && is(self.table_name, name),
            NewObject::Table(name) => !is(self.kind, "trigger") && is(self.name, name),
            NewObject::Index(name) => is(self.kind, "index") && is(self.name, name),
            NewObject::Trigger(name) => is(self.kind, "trigger") && is(self.name, name),
        }
    }

    /// Whether this row of the object is the first one that CREATE writes. The rows of a table's indexes follow the table's row.
    pub fn begins(&self, object: NewObject<'_>) -> bool {
        let is_index = self.kind.is_some_and(|kind| kind.eq_ignore_ascii_case(b"index"));
        !(matches!(object, NewObject::Table(_)) && is_index)
    }
}

impl Catalog {
    /// Adds the object of one row of `db`'s schema table to the catalog. `page_count` is the size of the database;
    /// no root page is larger. What the row's text creates is in the catalog even where the row says another name or kind:
    /// under `PRAGMA writable_schema` the text counts, and the caller ignores the error.
    pub fn load_row(&mut self, db: Db, row: &SchemaRow<'_>, page_count: u32, options: &BuildOptions<'_>) -> Result<()> {
        self.read_row(db, row, page_count, options).map_err(|error| malformed(row, &error))
    }

    /// As [`Catalog::load_row`], with an error that has only the reason.
    pub fn read_row(&mut self, db: Db, row: &SchemaRow<'_>, page_count: u32, options: &BuildOptions<'_>) -> Result<()> {
        match row.sql {
            _ if row.root_page.is_none() => fail(""),
            Some(sql) if is_create(sql) => self.load_object(db, row, sql, page_count, options),
            Some(sql) if row.name.is_none() || !sql.is_empty() => fail(""),
            _ => self.load_constraint_index(db, row, page_count),
        }
    }

    fn load_object(
        &mut self,
        db: Db,
        row: &SchemaRow<'_>,
        sql: &[u8],
        page_count: u32,
        options: &BuildOptions<'_>,
    ) -> Result<()> {
        let root = root_page(row, page_count)?;
        // As a C string, a text ends before a NUL.
        let sql = utf8::until_nul(sql);
        let arena = Bump::new();
        let parsed = parse_statement(sql, &arena, options.limits).map_err(|error| CompileError::new(error.message))?;
        let Some(statement) = parsed.statement else { return fail("") };
        self.load_created(db, row, (statement.program(), sql), root, options)?;
        // What stands behind the statement is not run.
        if parsed.tail < sql.len() { fail("") } else { Ok(()) }
    }

    /// Adds what the statement creates; `sql` is its text.
    fn load_created(
        &mut self,
        db: Db,
        row: &SchemaRow<'_>,
        (statement, sql): (Option<Stmt<'_>>, &[u8]),
        root: Option<PageNo>,
        options: &BuildOptions<'_>,
    ) -> Result<()> {
        let schema = self.schema(db);
        let file_options = BuildOptions { descending_indexes: schema.file_format >= 4, ..*options };
        let name = statement.and_then(created_name);
        if name.is_some_and(|name| name.schema.is_some()) {
            return fail("corrupt database");
        }
        match statement {
            Some(Stmt::CreateTable(create)) => {
                self.refuse_relation(db, create.name.name.name)?;
                if root == Some(PageNo::FIRST) || matches!(create.body, TableBody::Select(_)) {
                    return fail("");
                }
                let mut table = build_table(create, sql, &file_options)?;
                table.sql = sql.into();
                table.set_root(root);
                self.load_table(db, row, b"table", table)
            }
            Some(Stmt::CreateView(create)) => {
                self.refuse_relation(db, create.name.name.name)?;
                if root.is_some() {
                    return fail("");
                }
                let view = build_view(create, sql);
                self.load_table(db, row, b"view", Table { sql: sql.into(), ..view })
            }
            Some(Stmt::CreateVirtualTable(create)) => {
                self.refuse_relation(db, create.name.name.name)?;
                let table = build_virtual_table(create);
                self.load_table(db, row, b"table", Table { sql: sql.into(), ..table })
            }
            Some(Stmt::CreateIndex(create)) => {
                let table = schema.table(create.table.name);
                let table = table.ok_or_else(|| self.no_such_table(db, create.table.name))?;
                let mut index = build_index(create, sql, table, &file_options)?;
                if schema.index(create.name.name.name).is_some() {
                    return fail(format!("index {} already exists", create.name.name.name));
                }
                index.root = Some(root.ok_or_else(|| CompileError::new("invalid rootpage"))?);
                if table.indexes.iter().any(|other| other.root == index.root) {
                    return fail("invalid rootpage");
                }
                index.sql = Some(sql.into());
                self.schema_mut(db).add_index(index);
                check_names(row, b"index", create.name.name.name.as_bytes(), create.table.name.as_bytes())
            }
            Some(Stmt::CreateTrigger(create)) => self.load_trigger(db, row, create, sql),
            _ => fail(""),
        }
    }

    /// A temporary trigger whose table is not there waits until the schema is read again.
    fn load_trigger(
        &mut self,
        db: Db,
        row: &SchemaRow<'_>,
        create: &lithe_sql::ast::CreateTrigger<'_>,
        sql: &[u8],
    ) -> Result<()> {
        let (name, table) = (create.name.name.name, create.table.name.name);
        let written = create.table.schema.map(|schema| schema.name);
        if db == Db::TEMP && self.find_table(written, table).is_none() {
            self.schema_mut(db).has_waiting_triggers = true;
            return Ok(());
        }
        let target = self.loaded_trigger_target(db, create, sql)?;
        let trigger = build_trigger(create, db, target, self)?;
        if self.schema(db).trigger(name).is_some() {
            return fail(format!("trigger {name} already exists"));
        }
        self.schema_mut(db).add_trigger(Trigger { sql: sql.into(), ..trigger });
        check_names(row, b"trigger", name.as_bytes(), table.as_bytes())
    }

    /// The table of a trigger of `db`. The text in the schema table has neither TEMP nor the trigger's schema, because
    /// CREATE does not store them.
    fn loaded_trigger_target(
        &self,
        db: Db,
        create: &lithe_sql::ast::CreateTrigger<'_>,
        sql: &[u8],
    ) -> Result<crate::FoundTable<'_>> {
        if db == Db::TEMP {
            let create = lithe_sql::ast::CreateTrigger { temporary: true, ..*create };
            return trigger_database(&create, sql, self).map(|(_, found)| found);
        }
        let table = self.schema(db).table(create.table.name.name);
        let table = table.ok_or_else(|| self.no_such_table(db, create.table.name.name))?;
        Ok(crate::FoundTable { db, table })
    }

    /// "no such table: main.t".
    fn no_such_table(&self, db: Db, name: Name<'_>) -> CompileError {
        CompileError::no_such("table", qualified(Some(self.database_name(db).name()), name))
    }

    /// Fails if a table, a view or an index of that name has been read already.
    fn refuse_relation(&self, db: Db, name: Name<'_>) -> Result<()> {
        let schema = self.schema(db);
        match schema.table(name) {
            Some(table) if table.view().is_some() => fail(format!("view {name} already exists")),
            Some(_) => fail(format!("table {name} already exists")),
            None if schema.index(name).is_some() => fail(format!("there is already an index named {name}")),
            None => Ok(()),
        }
    }

    fn load_table(&mut self, db: Db, row: &SchemaRow<'_>, kind: &[u8], table: Table) -> Result<()> {
        let name = table.name.clone();
        self.schema_mut(db).add_table(table);
        check_names(row, kind, name.as_bytes(), name.as_bytes())
    }

    /// The row of a constraint's index: it only adds the root page.
    fn load_constraint_index(&mut self, db: Db, row: &SchemaRow<'_>, page_count: u32) -> Result<()> {
        let name = NameBuf::from(String::from_utf8_lossy(row.name.unwrap_or_default()).into_owned());
        let root = root_page(row, page_count);
        let schema = self.schema_mut(db);
        // With writable_schema the errors below are ignored, and the root page counts.
        if let (Some(index), Ok(root)) = (schema.index_mut(name.name()), &root) {
            index.root = *root;
        }
        let root = root?;
        let Some(index) = schema.index(name.name()) else { return fail("orphan index") };
        let table = schema.table(index.table.name());
        let is_taken = table.is_some_and(|table| {
            let others = table.indexes.iter().filter(|other| other.name != name);
            !table.is_without_rowid() && table.root == root || others.into_iter().any(|other| other.root == root)
        });
        let is_table =
            index.origin == crate::IndexOrigin::PrimaryKey && table.is_some_and(|table| table.is_without_rowid());
        if root.is_none_or(|root| root == PageNo::FIRST) || is_taken || is_table {
            return fail("invalid rootpage");
        }
        Ok(())
    }
}

/// The name of what a statement creates.
fn created_name(statement: Stmt<'_>) -> Option<QualifiedName<'_>> {
    match statement {
        Stmt::CreateTable(create) => Some(create.name),
        Stmt::CreateView(create) => Some(create.name),
        Stmt::CreateVirtualTable(create) => Some(create.name),
        Stmt::CreateIndex(create) => Some(create.name),
        Stmt::CreateTrigger(create) => Some(create.name),
        _ => None,
    }
}

fn is_create(sql: &[u8]) -> bool {
    sql.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(b"cr"))
}

/// The root page of the row: none for 0.
fn root_page(row: &SchemaRow<'_>, page_count: u32) -> Result<Option<PageNo>> {
    let invalid = || CompileError::new("invalid rootpage");
    let root = u32::try_from(row.root_page.unwrap_or(0)).map_err(|_| invalid())?;
    if page_count > 0 && root > page_count {
        return Err(invalid());
    }
    Ok(PageNo::new(root))
}

/// The name, kind and table in the row must be those of the object that the text creates; case does not matter.
fn check_names(row: &SchemaRow<'_>, kind: &[u8], name: &[u8], table: &[u8]) -> Result<()> {
    let is = |column: Option<&[u8]>, wanted: &[u8]| column.is_some_and(|column| column.eq_ignore_ascii_case(wanted));
    if is(row.kind, kind) && is(row.name, name) && is(row.table_name, table) {
        return Ok(());
    }
    fail("")
}

fn malformed(row: &SchemaRow<'_>, error: &CompileError) -> CompileError {
    let name = row.name.map_or("?".into(), String::from_utf8_lossy);
    let reason = if error.message.is_empty() { String::new() } else { format!(" - {}", error.message) };
    CompileError::new(format!("malformed database schema ({name}){reason}")).with_code(ResultCode::CORRUPT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_and_its_rows() {
        let row = |kind: &'static str, name: &'static str, sql: bool| SchemaRow {
            kind: Some(kind.as_bytes()),
            name: Some(name.as_bytes()),
            table_name: Some(b"t"),
            sql: sql.then_some(b"CREATE"),
            ..SchemaRow::default()
        };
        let rows =
            [row("table", "T", true), row("index", "auto", false), row("index", "t", true), row("trigger", "t", true)];
        let about = |condition: &str| NewObject::parse(condition).map(|object| rows.map(|row| row.is_about(object)));
        assert_eq!(about("table t"), Some([true, true, false, false]), "with the index of a constraint");
        assert_eq!(about("index t"), Some([false, false, true, false]));
        assert_eq!(about("trigger t"), Some([false, false, false, true]));
        assert_eq!((about("t"), about("tables t")), (None, None));
        let table = NewObject::Table("t");
        assert!(rows[0].begins(table) && !rows[1].begins(table) && rows[2].begins(NewObject::Index("t")));
    }
}
