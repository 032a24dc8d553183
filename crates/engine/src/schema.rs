//! The catalog and the files' schema tables: loading, changing, forgetting.

use std::borrow::Cow;
use std::sync::Arc;

use lithe_btree::{Btree, Cursor};
use lithe_catalog::{BuildOptions, Catalog, NewObject, Schema, SchemaRow, Table};
use lithe_format::db_header::{Meta, TextEncoding};
use lithe_format::record::{Located, View};
use lithe_format::{Malformed, PageNo};
use lithe_pager::CacheSize;
use lithe_sql::ast::Name;
use lithe_value::{Affinity, Buffer, Encoding, Grow, ValueRef};
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;
use lithe_vm::result_columns::ResultColumn;

use crate::connection::Connection;
use crate::connection::transaction::StatementRun;
use crate::database::{Database, while_reading_schema};
use crate::error::{Error, Result};
use crate::statistics;

/// The newest schema format that exists.
const FILE_FORMAT_MAX: u32 = 4;

impl Connection {
    /// Loads the schema of every database whose schema is not in the catalog.
    pub(crate) fn load_schemas(&self) -> Result<()> {
        let mut is_other_read = false;
        for (db, database) in self.databases.iter() {
            if !database.is_loaded() {
                self.load_schema(db, &database)?;
                self.schema_was_read();
                is_other_read |= db != Db::TEMP;
            }
        }
        if is_other_read && self.catalog().has_waiting_triggers() {
            let database = self.databases.get(Db::TEMP)?;
            self.load_schema(Db::TEMP, &database)?;
        }
        Ok(())
    }

    fn load_schema(&self, db: Db, database: &Database) -> Result<()> {
        let users = self.transaction.user_count();
        while_reading_schema(database.btree().pager(), users, || self.read_schema(db, database))
    }

    fn read_schema(&self, db: Db, database: &Database) -> Result<()> {
        let btree = database.btree();
        assert!(btree.pager().is_reading(), "a schema is read without a snapshot");
        let mut schema = Schema::new(db == Db::TEMP);
        schema.cookie = btree.meta(Meta::SchemaCookie)?;
        // As in SQLite, only the lowest byte is used.
        schema.file_format = btree.meta(Meta::SchemaFormat)? & 0xff;
        if schema.file_format > FILE_FORMAT_MAX {
            return Err(Error::generic("unsupported file format"));
        }
        if db == Db::MAIN && schema.file_format == FILE_FORMAT_MAX {
            // As in SQLite, where VACUUM could not keep the order of descending indexes otherwise.
            self.settings.set_flag(|flags| &mut flags.legacy_file_format, false);
        }
        database.adopt_shared_cache_size();
        let cache_size = btree.meta(Meta::DefaultCacheSize)?.cast_signed();
        if cache_size != 0 && !database.has_cache_size.get() {
            btree.pager().set_cache_size(CacheSize::Pages(cache_size.unsigned_abs()));
        }
        let is_empty = btree.pager().page_count() == 0;
        btree.auto_vacuum_mode()?; // PRAGMA auto_vacuum answers from memory, even if the file is locked by then
        schema.encoding = self.adopt_encoding(db, stored_encoding(database)?)?;
        // Objects are added to a copy: a schema that turns out malformed leaves the catalog as it was.
        let mut catalog = Catalog::clone(&self.catalog());
        if db == Db::MAIN {
            catalog.schema_mut(Db::TEMP).encoding = schema.encoding;
        }
        catalog.set_schema(db, Arc::new(schema));
        if !is_empty {
            let mut cursor = Cursor::table(PageNo::FIRST);
            let is_on_row = cursor.first(btree)?;
            self.read_schema_rows(db, database, &mut catalog, (cursor, is_on_row), |_| true)?;
            statistics::read(db, database, &mut catalog, self.state.encoding.get());
        }
        database.set_loaded(true);
        self.definitions.set_catalog(Arc::new(catalog));
        self.assert_databases();
        self.disconnect_unknown_tables();
        Ok(())
    }

    /// The main database's encoding is the connection's; the other databases must have the same, or none yet. Once any
    /// database has an encoding, the connection's is fixed: temporary tables and attached databases are written in it.
    fn adopt_encoding(&self, db: Db, stored: Option<TextEncoding>) -> Result<TextEncoding> {
        let own = self.state.encoding.get();
        let Some(stored) = stored else { return Ok(text_encoding(own)) };
        let encoding = match stored {
            TextEncoding::Utf8 => Encoding::Utf8,
            TextEncoding::Utf16Le => Encoding::Utf16le,
            TextEncoding::Utf16Be => Encoding::Utf16be,
        };
        let may_adopt = db == Db::MAIN && !self.definitions.is_encoding_fixed.get();
        if own != encoding && may_adopt {
            self.state.encoding.set(encoding);
            self.encoding_changed();
        } else if own != encoding && db != Db::TEMP {
            return Err(Error::generic("attached databases must use the same text encoding as main database"));
        }
        if !self.definitions.is_encoding_fixed.replace(true) {
            // As in SQLite, which sets the encoding then, whatever it was before.
            self.generation.expire_programs();
        }
        Ok(stored)
    }

    /// The databases have another encoding: cached programs may hold functions for the former one.
    fn encoding_changed(&self) {
        self.definitions.encoding_changed(self.state.encoding.get());
        self.programs.clear();
    }

    /// Whether the connection or its main database has an encoding, which is fixed then.
    pub(crate) fn has_encoding(&self) -> Result<bool> {
        Ok(self.definitions.is_encoding_fixed.get() || stored_encoding(&*self.databases.get(Db::MAIN)?)?.is_some())
    }

    /// PRAGMA encoding: sets the encoding of a main database that has none yet.
    pub(crate) fn choose_encoding(&self, encoding: Encoding) -> Result<()> {
        if !self.has_encoding()? {
            self.state.encoding.set(encoding);
            self.encoding_changed();
            self.definitions.change_catalog(|catalog| {
                catalog.schema_mut(Db::MAIN).encoding = text_encoding(encoding);
                catalog.schema_mut(Db::TEMP).encoding = text_encoding(encoding);
            });
        }
        Ok(())
    }

    /// Takes rows of the schema table into the catalog: those from `cursor` on for which `wanted` is true.
    fn read_schema_rows(
        &self,
        db: Db,
        database: &Database,
        catalog: &mut Catalog,
        (mut cursor, mut is_on_row): (Cursor, bool),
        wanted: impl Fn(&SchemaRow<'_>) -> bool,
    ) -> Result<()> {
        let btree = database.btree();
        let page_count = btree.pager().page_count();
        let mut limits = self.settings.limits();
        limits.loading_schema = true;
        limits.comments = true;
        let options = BuildOptions::of_stored(&limits);
        let mut reader = RowReader::default();
        while is_on_row {
            let texts = self.schema_texts(btree, &mut cursor, &mut reader)?;
            let row = texts.row();
            if wanted(&row) {
                self.compile_memory.note_text(row.sql.map_or(0, <[u8]>::len))?;
                match catalog.load_row(db, &row, page_count, &options) {
                    // An application that writes the schema by hand can continue without the malformed rows.
                    Err(_) if self.settings.flags().writable_schema => {}
                    loaded => loaded?,
                }
            }
            is_on_row = cursor.next(btree)?;
        }
        Ok(())
    }

    /// The current row of the schema table.
    fn schema_texts<'r>(
        &self,
        btree: &Btree,
        cursor: &mut Cursor,
        reader: &'r mut RowReader,
    ) -> Result<SchemaTexts<'r>> {
        let len = cursor.row(btree)?.len() as usize;
        reader.bytes.clear();
        reader.bytes.try_resize(len, 0).map_err(|_| Error::from_code(ResultCode::NOMEM))?;
        cursor.read_payload(btree, 0, &mut reader.bytes)?;
        let values = reader.values().map_err(|_| Error::new(ResultCode::CORRUPT, "malformed database schema (?)"))?;
        Ok(SchemaTexts::new(&values, self.state.encoding.get()))
    }

    /// Seeks the first of the rows that CREATE has just written. They are mostly the last rows of the schema table; if
    /// not, the first row of all is returned.
    fn first_new_row(&self, database: &Database, object: NewObject<'_>) -> Result<(Cursor, bool)> {
        let btree = database.btree();
        let mut cursor = Cursor::table(PageNo::FIRST);
        let mut reader = RowReader::default();
        let mut is_on_row = cursor.last(btree)?;
        // New rowids increase unless the largest one is taken, and no other row is about the object unless it was
        // written by hand.
        let is_last = is_on_row && cursor.rowid()? != i64::MAX && !self.definitions.may_have_written_schema.get();
        while is_on_row && is_last {
            let texts = self.schema_texts(btree, &mut cursor, &mut reader)?;
            let row = texts.row();
            if !row.is_about(object) {
                break;
            }
            if row.begins(object) {
                return Ok((cursor, true));
            }
            is_on_row = cursor.previous(btree)?;
        }
        let is_on_row = cursor.first(btree)?;
        Ok((cursor, is_on_row))
    }

    /// Takes the rows of `db`'s schema table that CREATE has just written into the catalog: those of the object (see
    /// [`SchemaRow::is_about`]), or all rows if no object is given.
    pub(crate) fn parse_schema(&self, db: Db, object: Option<NewObject<'_>>) -> Result<()> {
        self.note_schema_change();
        let database = self.databases.get(db)?;
        let Some(object) = object else {
            database.set_loaded(false);
            return self.load_schema(db, &database);
        };
        let mut catalog = Catalog::clone(&self.catalog());
        debug_assert!(database.is_writing(), "a CREATE that has written nothing");
        let new_rows = self.first_new_row(&database, object)?;
        self.read_schema_rows(db, &database, &mut catalog, new_rows, |row| row.is_about(object))?;
        self.definitions.set_catalog(Arc::new(catalog));
        match object {
            NewObject::Index(_) => {
                self.generation.expire_programs();
                self.state.let_running_continue();
            }
            NewObject::Table(name) => {
                self.definitions.is_encoding_fixed.set(true);
                // SQLite calls xShadowName of the module whose virtual table's name is a prefix of the new name, and
                // ignores the result.
                let _ = self.virtual_tables.is_shadow_table(&self.catalog(), db, name.as_bytes());
            }
            NewObject::Trigger(_) => {}
        }
        Ok(())
    }

    /// ANALYZE has written statistics: loads them into the catalog.
    pub(crate) fn load_statistics(&self, db: Db) -> Result<()> {
        self.note_schema_change();
        let database = self.databases.get(db)?;
        let mut catalog = Catalog::clone(&self.catalog());
        statistics::read(db, &database, &mut catalog, self.state.encoding.get());
        self.definitions.set_catalog(Arc::new(catalog));
        self.expire_statements();
        Ok(())
    }

    /// Forgets a table or view (0), an index (1) or a trigger (2).
    pub(crate) fn drop_from_catalog(&self, db: Db, kind: u8, name: &str) {
        self.note_schema_change();
        let name = Name::new(name.as_bytes());
        self.definitions.change_catalog(|catalog| {
            let schema = catalog.schema_mut(db);
            match kind {
                0 => drop(schema.remove_table(name)),
                1 => schema.remove_index(name),
                _ => schema.remove_trigger(name),
            }
        });
        self.disconnect_unknown_tables();
    }

    /// Disconnects the virtual tables that are not in the catalog any more.
    pub(crate) fn disconnect_unknown_tables(&self) {
        self.virtual_tables.disconnect_unknown(&self.definitions, !self.transaction.has_active());
    }

    /// Marks all schemas as stale, so that they are read at their next use; a rollback restores the present catalog.
    pub(crate) fn reset_schemas(&self) {
        if !self.is_autocommit() {
            self.note_schema_change();
        }
        self.databases.forget_all_schemas();
    }

    /// Sets a meta value of the header. The schema cookie is kept in the catalog, too.
    pub(crate) fn set_cookie(&self, db: Db, index: u8, value: u32) -> Result<()> {
        let meta = meta(index)?;
        let database = self.databases.get(db)?;
        debug_assert!(database.is_writing(), "a header is changed without a transaction");
        if meta == Meta::SchemaCookie || meta == Meta::SchemaFormat {
            self.note_schema_change();
        }
        database.btree().set_meta(meta, value)?;
        match meta {
            Meta::SchemaCookie => self.definitions.change_catalog(|catalog| catalog.schema_mut(db).cookie = value),
            Meta::SchemaFormat => self.definitions.change_catalog(|catalog| catalog.schema_mut(db).file_format = value),
            _ => {}
        }
        Ok(())
    }

    /// Names and declared types of a view's columns, which are those of its SELECT.
    pub(crate) fn view_columns(&self, db: Db, view: &Table) -> Result<Vec<(String, String)>> {
        let quoted = |name: &[u8]| String::from_utf8_lossy(name).replace('"', "\"\"");
        let schema = self.catalog().database_name(db).clone();
        let sql = format!("SELECT * FROM \"{}\".\"{}\"", quoted(schema.as_bytes()), quoted(view.name.as_bytes()));
        let prepared = self.prepare(sql.as_bytes())?;
        let Some(statement) = prepared.statement else { return Ok(Vec::new()) };
        let column = |column: ResultColumn<'_>| (column.name.to_owned(), shown_type(&column));
        Ok(statement.columns().iter().map(column).collect())
    }

    /// The whole schema of `db` was written anew in this transaction: the catalog loads it from the file at its next
    /// use, and a rollback restores the present catalog.
    pub(crate) fn schema_was_replaced(&self, db: Db) {
        self.note_schema_change();
        self.databases.forget_schema(db);
    }

    /// Makes sure that the catalog agrees with the files, or with one of them, for statements that read the catalog.
    pub(crate) fn verify_schemas(&self, only: Option<Db>, run: &StatementRun) -> Result<()> {
        let catalog = self.catalog();
        for (db, database) in self.databases.iter() {
            if database.opened().is_none() || only.is_some_and(|only| only != db) {
                continue;
            }
            self.begin_on(db, false, run)?;
            if database.schema_cookie()? != catalog.schema(db).cookie {
                self.databases.forget_schema(db);
                return Err(Error::from_code(ResultCode::SCHEMA));
            }
        }
        Ok(())
    }
}

/// The encoding in the header. A database gets it with its first table.
fn stored_encoding(database: &Database) -> Result<Option<TextEncoding>> {
    let btree = database.btree();
    if btree.pager().page_count() == 0 {
        return Ok(None);
    }
    Ok(match btree.meta(Meta::TextEncoding)? {
        0 => None,
        // As in SQLite, only the lowest two bits are used.
        number => Some(TextEncoding::from_meta(number & 3).unwrap_or(TextEncoding::Utf8)),
    })
}

fn text_encoding(encoding: Encoding) -> TextEncoding {
    match encoding {
        Encoding::Utf8 => TextEncoding::Utf8,
        Encoding::Utf16le => TextEncoding::Utf16Le,
        Encoding::Utf16be => TextEncoding::Utf16Be,
    }
}

/// A meta value by SQLite's number.
fn meta(index: u8) -> Result<Meta> {
    Meta::from_number(index).ok_or_else(|| Error::from_code(ResultCode::MISUSE))
}

/// Reads the rows of a schema table one after the other into the same memory.
#[derive(Default)]
struct RowReader {
    bytes: Vec<u8>,
    view: View,
}

impl RowReader {
    /// The columns of a row of a schema table. Missing ones are NULL.
    fn values(&mut self) -> Result<[ValueRef<'_>; COLUMNS], Malformed> {
        let RowReader { bytes, view } = self;
        view.reset(u32::try_from(bytes.len()).map_err(|_| Malformed("record longer than any"))?);
        // The whole record is checked here for damage.
        view.column_count(bytes)?;
        let mut values = [ValueRef::Null; COLUMNS];
        for (index, value) in values.iter_mut().enumerate() {
            if let Located::At(column) = view.locate(bytes, index)? {
                *value = column.value(bytes).ok_or(Malformed("record content ends too soon"))?;
            }
        }
        Ok(values)
    }
}

/// type, name, tbl_name, rootpage, sql
const COLUMNS: usize = 5;

/// The columns of a schema row, their texts in UTF-8.
pub(crate) struct SchemaTexts<'v> {
    texts: [Option<Cow<'v, [u8]>>; 4],
    root_page: Option<i64>,
}

impl<'v> SchemaTexts<'v> {
    pub(crate) fn new(values: &[ValueRef<'v>], encoding: Encoding) -> SchemaTexts<'v> {
        let text = |column: usize| match values.get(column) {
            Some(ValueRef::Text(text)) if encoding == Encoding::Utf8 => Some(Cow::Borrowed(*text)),
            Some(ValueRef::Text(text)) => {
                let mut utf8 = Buffer::new();
                encoding.decode(text, &mut utf8);
                Some(Cow::Owned(utf8.into_vec()))
            }
            _ => None,
        };
        let root_page = match values.get(3) {
            Some(ValueRef::Integer(root)) => Some(*root),
            Some(ValueRef::Null) | None => None,
            Some(_) => Some(-1),
        };
        SchemaTexts { texts: [text(0), text(1), text(2), text(4)], root_page }
    }

    pub(crate) fn row(&self) -> SchemaRow<'_> {
        let [kind, name, table_name, sql] = self.texts.each_ref().map(Option::as_deref);
        SchemaRow { kind, name, table_name, root_page: self.root_page, sql }
    }
}

/// The type of a view's column: the declared one, unless the column has another affinity.
fn shown_type(column: &ResultColumn<'_>) -> String {
    let declared = column.declared_type;
    let own = declared.map(Affinity::of_type);
    // For a compound SELECT, the declared type is that of one core, and the affinity that of all.
    match column.affinity.or(declared.map(|_| Affinity::Blob)) {
        Some(affinity) if own != Some(affinity) => match affinity {
            Affinity::Blob => "BLOB",
            Affinity::Text => "TEXT",
            Affinity::Numeric | Affinity::FlexNum => "NUM",
            Affinity::Integer => "INT",
            Affinity::Real => "REAL",
        },
        _ => declared.unwrap_or_default(),
    }
    .to_owned()
}
