//! VACUUM: builds a database anew, without gaps and free pages, and replaces the old one or writes another file.
//!
//! ```text
//!   VACUUM        main ── trees, row by row ──► temporary database ── page by page ──► main, in one transaction
//!   VACUUM INTO   main ── trees, row by row ──► the new file
//! ```
//!
//! Trees are copied as they are, whatever the SQL of their objects says, so nothing is compiled or sorted. The objects
//! are written in another order: tables with their automatic indexes, then the other indexes, then objects without a
//! tree.

mod authorize;

use std::rc::Rc;
use std::sync::Arc;

use bumpalo::Bump;
use lithe_btree::{Btree, Cursor};
use lithe_catalog::{Schema, TableKind};
use lithe_format::PageNo;
use lithe_format::db_header::{Meta, READ_VERSION_AT, WRITE_VERSION_AT};
use lithe_format::payload::Payload;
use lithe_format::record::{self, Builder};
use lithe_pager::{BeginKind, JournalMode, OpenOptions, Pager};
use lithe_sql::ast::{self, Name};
use lithe_value::{Value, ValueRef};
use lithe_vfs::{Access, ResultCode};
use lithe_vm::operand::Db;
use lithe_vm::program::Program;

use crate::attach;
use crate::connection::Connection;
use crate::connection::transaction::StatementRun;
use crate::database::{Database, temporary_pager};
use crate::error::{Error, Result};
use crate::open::{self, OpenFlags};
use crate::schema::SchemaTexts;
use crate::settings::config::Config;

/// A compiled VACUUM.
#[derive(Debug)]
pub(crate) struct Vacuum {
    db: Db,
    /// The program that computes the file name of VACUUM INTO.
    into: Option<Arc<Program>>,
}

pub(crate) fn compile<'a>(
    connection: &Connection,
    sql: &[u8],
    vacuum: &ast::Vacuum<'a>,
    statement: &ast::Statement<'a>,
    arena: &'a Bump,
) -> Result<Vacuum> {
    let db = match vacuum.schema {
        None => Db::MAIN,
        Some(schema) => connection.catalog().named_database(schema, sql)?,
    };
    let row = |into| attach::compile_row(connection, sql, &[into], statement, arena);
    Ok(Vacuum { db, into: vacuum.into.map(row).transpose()? })
}

impl Vacuum {
    pub(crate) fn run(&self, connection: &Connection, bindings: &[Value], run: &StatementRun) -> Result<()> {
        // Nothing, not even within a transaction or with INTO.
        if self.db == Db::TEMP {
            return Ok(());
        }
        if !connection.is_autocommit() {
            return Err(Error::generic("cannot VACUUM from within a transaction"));
        }
        if connection.transaction.active_count() > 1 {
            return Err(Error::generic("cannot VACUUM - SQL statements in progress"));
        }
        if connection.settings.config(Config::ResetDatabase) && self.into.is_none() {
            return reset(connection, self.db, run);
        }
        connection.load_schemas()?;
        let into = self.into.as_ref().map(|program| attach::values(connection, program, bindings, run)).transpose()?;
        let into = match into.as_ref().map(|row| row.first().map(Value::as_ref)) {
            None => None,
            Some(Some(ValueRef::Text(name))) => Some(name.to_vec()),
            Some(_) => return Err(Error::generic("non-text filename")),
        };
        authorize::attaching(connection, into.as_deref())?;
        // Even if it fails, no pragma changes the shape of an empty database any more.
        connection.databases.get(self.db)?.btree().pager().fix_shape();
        match into {
            // Whether VACUUM succeeds or not, the schema is read again.
            None => {
                vacuum_in_place(connection, self.db, run).inspect_err(|_| connection.databases.forget_schema(self.db))
            }
            Some(file) => vacuum_into(connection, self.db, &file, run),
        }
    }
}

/// Makes the file an empty database, even if it is not a database (SQLITE_DBCONFIG_RESET_DATABASE). A database in WAL
/// mode stays in that mode.
fn reset(connection: &Connection, db: Db, run: &StatementRun) -> Result<()> {
    let database = connection.databases.get(db)?;
    let pager = database.btree().pager();
    if let Err(error) = connection.begin_writing(db, BeginKind::Exclusive, run) {
        // READONLY is ignored, too: a damaged header may say that only a newer version writes the file.
        if !matches!(error.code().primary(), ResultCode::NOTADB | ResultCode::CORRUPT | ResultCode::READONLY) {
            return Err(error);
        }
        pager.begin_anew()?;
        connection.begin_writing(db, BeginKind::Exclusive, run)?;
    }
    let cookie = if pager.page_count() > 0 { database.schema_cookie()? } else { 0 };
    pager.set_page_count(0)?;
    database.btree().initialise()?;
    database.btree().set_meta(Meta::SchemaCookie, cookie.wrapping_add(1))?;
    if pager.journal_mode() == JournalMode::Wal {
        const WAL: u8 = 2;
        let mut first = pager.write(PageNo::FIRST)?;
        [first[WRITE_VERSION_AT], first[READ_VERSION_AT]] = [WAL, WAL];
    }
    connection.schema_was_replaced(db);
    Ok(())
}

/// Rebuilds the database in a temporary one, and copies that back.
fn vacuum_in_place(connection: &Connection, db: Db, run: &StatementRun) -> Result<()> {
    connection.begin_writing(db, BeginKind::Exclusive, run)?;
    let database = connection.databases.get(db)?;
    connection.databases.check_schema(db, &database, &connection.catalog())?;
    let main = database.btree();
    let fixed_size =
        main.pager().journal_mode() == JournalMode::Wal || main.pager().path().is_none() || database.is_shared_memory();
    let fresh = Btree::new(temporary_pager(connection.databases.temporary_files(), &OpenOptions::default()));
    fresh.pager().set_cache_size(main.pager().cache_size());
    give_shape(connection, &fresh, main, fixed_size)?;
    fresh.pager().begin_write(BeginKind::Exclusive)?;
    let catalog = connection.catalog();
    Rebuild { connection, from: main, to: &fresh, schema: catalog.schema(db), keeps_rowids: false }.run(db)?;
    put_back(fresh.pager(), main)?;
    connection.schema_was_replaced(db);
    // As in SQLite, all schemas are read again: a temporary trigger is on the first table of its table's name then.
    connection.databases.forget_all_schemas();
    connection.hooks.skip_commit_hook();
    Ok(())
}

/// Rebuilds the database in a new file.
fn vacuum_into(connection: &Connection, db: Db, file: &[u8], run: &StatementRun) -> Result<()> {
    let flags = connection.flags.without(OpenFlags::READONLY) | OpenFlags::READWRITE | OpenFlags::CREATE;
    let target = open::target(file, flags.without(OpenFlags::MEMORY))?;
    let cannot_open =
        |error: Error| Error::new(error.code(), format!("unable to open database: {}", String::from_utf8_lossy(file)));
    let vfs = connection.databases.vfs_of(&target)?;
    // The read begins first, so that no empty file is created if it fails.
    connection.begin_on(db, false, run)?;
    let database = connection.databases.get(db)?;
    connection.databases.check_schema(db, &database, &connection.catalog())?;
    let main = database.btree();
    let copy = Database::open(&target, &vfs, &connection.busy).map_err(cannot_open)?;
    let pager = copy.btree().pager();
    if let Some(path) = pager.path()
        && connection.databases.vfs().access(path, Access::Exists).map_err(lithe_pager::Error::from)?
    {
        return Err(Error::generic("output file already exists"));
    }
    connection.check_may_write()?;
    pager.set_synchronous(main.pager().synchronous());
    pager.set_full_fsync(main.pager().full_fsync());
    give_shape(connection, copy.btree(), main, false)?;
    pager.begin_write(BeginKind::Exclusive)?;
    let catalog = connection.catalog();
    Rebuild { connection, from: main, to: copy.btree(), schema: catalog.schema(db), keeps_rowids: true }.run(db)?;
    pager.commit()?;
    Ok(pager.end_read()?)
}

/// Sets the page size and auto-vacuum mode of the new database: those of the old one, or those that pragmas have set
/// since.
fn give_shape(connection: &Connection, fresh: &Btree, old: &Btree, fixed_size: bool) -> Result<()> {
    if old.pager().journal_mode() == JournalMode::Wal && fixed_size {
        // A page size that was set is discarded, so that a later change of the journal mode does not bring it back.
        connection.databases.settings.next_page_size.set(None);
    }
    let wanted = connection.databases.settings.next_page_size.get().filter(|_| !fixed_size);
    fresh.pager().begin_read()?;
    fresh.pager().set_page_size(wanted.unwrap_or(old.page_size()), old.pager().reserved());
    fresh.pager().end_read()?;
    fresh.set_auto_vacuum(
        connection.databases.settings.next_auto_vacuum.get().map_or_else(|| old.auto_vacuum_mode(), Ok)?,
    )?;
    Ok(())
}

/// Copies the pages of `fresh` over those of `main`. The journal mode stays what it was.
fn put_back(fresh: &Pager, main: &Rc<Btree>) -> Result<()> {
    let pager = main.pager();
    // An empty database becomes one of one page.
    let from = if pager.page_count() > 0 { pager } else { fresh };
    let versions = {
        let first = from.page(PageNo::FIRST)?;
        [first[WRITE_VERSION_AT], first[READ_VERSION_AT]]
    };
    pager.announce_overwrite(fresh.page_count(), fresh.page_size())?;
    if fresh.page_size() != pager.page_size() && !pager.reshape(fresh.page_size(), fresh.reserved())? {
        return Err(Error::from_code(ResultCode::READONLY));
    }
    for no in (1..=fresh.page_count()).filter_map(PageNo::new) {
        if no != fresh.page_size().lock_byte_page() {
            pager.new_page(no)?.copy_from_slice(&fresh.page(no)?);
        }
    }
    let mut first = pager.write(PageNo::FIRST)?;
    [first[WRITE_VERSION_AT], first[READ_VERSION_AT]] = versions;
    drop(first);
    pager.set_page_count(fresh.page_count())?;
    assert!(
        pager.page_count() == fresh.page_count() && pager.page_size() == fresh.page_size(),
        "a copy of another size"
    );
    Ok(())
}

/// One rebuilding of a database.
struct Rebuild<'r> {
    connection: &'r Connection,
    from: &'r Btree,
    to: &'r Btree,
    schema: &'r Schema,
    /// VACUUM INTO does not renumber rows.
    keeps_rowids: bool,
}

/// A row of the schema table.
struct Object {
    record: Vec<u8>,
    kind: Vec<u8>,
    name: Vec<u8>,
    table_name: Vec<u8>,
    root: Option<PageNo>,
    has_sql: bool,
}

impl Rebuild<'_> {
    fn run(&self, db: Db) -> Result<()> {
        let objects = self.in_new_order(self.objects()?);
        authorize::rebuilding(self, db, &objects)?;
        self.to.initialise()?;
        self.copy_meta()?;
        // All roots are allocated first, because in an auto-vacuum database they are the file's first pages.
        let mut trees = Vec::new();
        for (at, object) in objects.iter().enumerate() {
            let root = object.root.map(|root| self.to.create_tree(self.from.tree_kind(root)?)).transpose()?;
            self.add_to_schema(at as i64 + 1, object, root)?;
            trees.extend(root.map(|root| (root, object)));
        }
        for (root, object) in trees {
            if self.connection.interrupts.is_set() {
                return Err(Error::interrupted());
            }
            self.copy_tree(root, object)?;
        }
        // SQLite inserts views, triggers and virtual tables into the new schema table last, by an ordinary INSERT,
        // which sets last_insert_rowid.
        if objects.last().is_some_and(|object| object.root.is_none()) {
            self.connection.set_last_insert_rowid(objects.len() as i64);
        }
        Ok(())
    }

    fn objects(&self) -> Result<Vec<Object>> {
        let mut objects = Vec::new();
        let mut cursor = Cursor::table(PageNo::FIRST);
        let mut is_on_row = cursor.first(self.from)?;
        while is_on_row {
            let mut record = vec![0; cursor.row(self.from)?.len() as usize];
            cursor.read_payload(self.from, 0, &mut record)?;
            objects.push(self.object(record)?);
            is_on_row = cursor.next(self.from)?;
        }
        Ok(objects)
    }

    fn object(&self, record: Vec<u8>) -> Result<Object> {
        let values = record::values(&record).map_err(|_| Error::from_code(ResultCode::CORRUPT))?;
        let texts = SchemaTexts::new(&values, self.connection.state.encoding.get());
        let row = texts.row();
        let text = |text: Option<&[u8]>| text.unwrap_or_default().to_vec();
        let (kind, name, table_name) = (text(row.kind), text(row.name), text(row.table_name));
        let root = row.root_page.and_then(|root| u32::try_from(root).ok()).and_then(PageNo::new);
        let has_sql = row.sql.is_some();
        Ok(Object { kind, name, table_name, root, has_sql, record })
    }

    /// Tables, each followed by its automatic indexes (and the first AUTOINCREMENT table by sqlite_sequence); then
    /// indexes; then views, triggers and virtual tables.
    fn in_new_order(&self, objects: Vec<Object>) -> Vec<Object> {
        let is_sequence = |object: &Object| object.name == b"sqlite_sequence";
        let (tables, others): (Vec<_>, Vec<_>) =
            objects.into_iter().partition(|object| object.kind == b"table" && object.root.is_some());
        let (mut sequence, tables): (Vec<_>, Vec<_>) = tables.into_iter().partition(is_sequence);
        let (mut automatic, others): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|object| object.kind == b"index" && !object.has_sql);
        let (indexes, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(|object| object.root.is_some());
        let mut ordered = Vec::new();
        for table in tables {
            let counts = self.schema.table(Name::new(&table.name)).is_some_and(|table| table.autoincrement);
            let of_table = |index: &mut Object| index.table_name.eq_ignore_ascii_case(&table.name);
            let own: Vec<Object> = automatic.extract_if(.., of_table).collect();
            ordered.push(table);
            ordered.extend(own);
            if counts {
                ordered.append(&mut sequence);
            }
        }
        ordered.extend(indexes);
        ordered.extend(rest.into_iter().filter(|object| object.kind != b"index"));
        ordered
    }

    fn copy_meta(&self) -> Result<()> {
        let kept =
            [Meta::SchemaFormat, Meta::DefaultCacheSize, Meta::TextEncoding, Meta::UserVersion, Meta::ApplicationId];
        for meta in kept {
            self.to.set_meta(meta, self.from.meta(meta)?)?;
        }
        // All roots have changed, so every connection must read the schema again.
        self.to.set_meta(Meta::SchemaCookie, self.from.meta(Meta::SchemaCookie)?.wrapping_add(1))?;
        Ok(())
    }

    fn add_to_schema(&self, rowid: i64, object: &Object, root: Option<PageNo>) -> Result<()> {
        const ROOT_COLUMN: usize = 3;
        let mut values = record::values(&object.record).map_err(|_| Error::from_code(ResultCode::CORRUPT))?;
        if let (Some(root), Some(column)) = (root, values.get_mut(ROOT_COLUMN)) {
            *column = ValueRef::Integer(i64::from(root.get()));
        }
        let mut builder = Builder::new();
        let record = builder.build(&values);
        Ok(Cursor::table(PageNo::FIRST).append_table(self.to, rowid, &Payload::from_bytes(record))?)
    }

    fn copy_tree(&self, root: PageNo, object: &Object) -> Result<()> {
        let Some(from) = object.root else { return Ok(()) };
        if self.renumbers(object) {
            self.to.copy_rows_renumbered(root, self.from, from)?;
        } else {
            self.to.copy_tree(root, self.from, from)?;
        }
        Ok(())
    }

    /// Whether rowids are renumbered without gaps: only if no column shows them and no index contains them.
    fn renumbers(&self, object: &Object) -> bool {
        let table = self.schema.table(Name::new(&object.name)).filter(|_| object.kind == b"table");
        !self.keeps_rowids
            && table.is_some_and(|table| {
                table.kind == TableKind::Ordinary && table.rowid_column.is_none() && table.indexes.is_empty()
            })
    }
}
