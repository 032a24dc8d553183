//! `.recover`: SQL that creates the readable content of a damaged database again.
//!
//! ```text
//!   pages ── lithe_recover ──► rows of the schema ──► CREATE TABLE …
//!                              rows of each table ──► INSERT OR IGNORE …
//!                              rows without table ──► table lost_and_found
//!                              rest of the schema ──► CREATE INDEX, VIEW, TRIGGER …
//! ```
//!
//! The columns of a table come from a model: a database in memory in which the tables are created again.

use crate::commands::failure::Failure;
use std::borrow::Cow;
use std::io::Write;

use lithe::{Action, Connection, Permission, Request, ValueRef};
use lithe_recover::{Geometry, Image, PageNo, PageSource, Recovery, Row, TextEncoding};

use crate::quote;
use crate::shell::Shell;

type Result<T> = std::result::Result<T, Failure>;

struct Options {
    skip_freelist: bool,
    lost_and_found: String,
    /// Whether rowids that are not INTEGER PRIMARY KEY are kept.
    rowids: bool,
}

/// `.recover ?--ignore-freelist? ?--lost-and-found TABLE? ?--no-rowids?`
pub fn recover(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments)?;
    let connection = std::rc::Rc::clone(&shell.database.connection);
    let source = Source::open(&connection, &shell.database.file)?;
    let mut out = shell.output.writer();
    let mut script = Script { out: &mut *out, encoding: source.geometry.encoding };
    script.write_all(&source, &options)?;
    Ok(out.flush().map_err(|e| e.to_string())?)
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Options> {
        let mut options = Options { skip_freelist: false, lost_and_found: "lost_and_found".to_owned(), rowids: true };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let name = argument.strip_prefix('-').map(|name| name.trim_start_matches('-')).unwrap_or_default();
            let is = |option: &str| name.len() > 1 && option.starts_with(name);
            if is("ignore-freelist") {
                options.skip_freelist = true;
            } else if is("no-rowids") {
                options.rowids = false;
            } else if let (true, Some(table)) = (is("lost-and-found"), arguments.as_slice().first()) {
                options.lost_and_found = table.clone();
                arguments.next();
            } else {
                return Err(format!("unexpected option: {argument}").into());
            }
        }
        Ok(options)
    }
}

/// The pages of the database, with its header.
struct Source<'c> {
    pages: Box<dyn PageSource + 'c>,
    geometry: Geometry,
    /// The first page, for the other fields of the header.
    first: Vec<u8>,
}

impl<'c> Source<'c> {
    /// The pages as the connection reads them, including those in the log; the bytes of the file if the engine does not accept the file as
    /// a database.
    fn open(connection: &'c Connection, file: &str) -> Result<Source<'c>> {
        if let Some(pages) = ConnectionPages::open(connection) {
            let first = pages.page(PageNo::FIRST).map(Cow::into_owned).unwrap_or_default();
            let geometry = Geometry::of(&first);
            if geometry.page_size.bytes() == first.len() {
                return Ok(Source { pages: Box::new(pages), geometry, first });
            }
        }
        let bytes = std::fs::read(file).map_err(|e| format!("cannot read \"{file}\": {e}"))?;
        let geometry = Geometry::of(&bytes);
        let first = bytes.get(..geometry.page_size.bytes()).unwrap_or(&bytes).to_vec();
        Ok(Source { pages: Box::new(Image::new(bytes, geometry.page_size)), geometry, first })
    }

    fn meta(&self, at: usize) -> u32 {
        let bytes = self.first.get(at..).and_then(|bytes| bytes.first_chunk());
        bytes.map_or(0, |bytes| u32::from_be_bytes(*bytes))
    }
}

/// Pages read through the virtual table `sqlite_dbpage`.
struct ConnectionPages<'c> {
    connection: &'c Connection,
    count: u32,
}

const READ_PAGE: &str = "SELECT data FROM sqlite_dbpage('main') WHERE pgno = ?1";

impl<'c> ConnectionPages<'c> {
    fn open(connection: &'c Connection) -> Option<ConnectionPages<'c>> {
        let sql = "SELECT max(pgno) FROM sqlite_dbpage('main')";
        let count = connection.query_row(sql, [], |row| row.get::<Option<i64>>(0)).ok()??;
        Some(ConnectionPages { connection, count: u32::try_from(count).ok()? })
    }
}

impl PageSource for ConnectionPages<'_> {
    fn count(&self) -> u32 {
        self.count
    }

    fn page(&self, no: PageNo) -> Option<Cow<'_, [u8]>> {
        let mut statement = self.connection.prepare_cached(READ_PAGE).ok()?;
        statement.bind(1, i64::from(no.get())).ok()?;
        let row = statement.step().ok()??;
        row.get_ref(0).bytes().map(|bytes| Cow::Owned(bytes.to_vec()))
    }
}

/// An object of the recovered schema.
struct Object {
    kind: String,
    name: String,
    table: String,
    root: Option<PageNo>,
    sql: String,
}

/// A table's columns in the order of its records, as INSERT names them.
struct Table {
    name: String,
    /// `None` for a stored generated column.
    columns: Vec<Option<String>>,
    /// The position of the column that is the rowid.
    key: Option<usize>,
    has_rowid: bool,
    /// The name by which the rowid can be written.
    rowid: Option<&'static str>,
}

struct Script<'o> {
    out: &'o mut dyn Write,
    encoding: TextEncoding,
}

impl Script<'_> {
    fn line(&mut self, sql: &str) -> Result<()> {
        Ok(writeln!(self.out, "{sql};").map_err(|e| e.to_string())?)
    }

    fn write_all(&mut self, source: &Source<'_>, options: &Options) -> Result<()> {
        self.settings(source)?;
        let mut recovery = Recovery::new(&*source.pages, source.geometry);
        if options.skip_freelist {
            recovery.skip_freelist();
        }
        let objects = self.schema(&mut recovery)?;
        let model = model().map_err(|e| e.to_string())?;
        self.tables(&objects, &model)?;
        for object in objects.iter().filter(|object| object.kind == "table" && object.name != "sqlite_sequence") {
            self.rows(object, &model, &mut recovery, options)?;
        }
        if let Some(sequence) = objects.iter().find(|object| object.name == "sqlite_sequence") {
            self.line("DELETE FROM sqlite_sequence")?;
            self.rows(sequence, &model, &mut recovery, options)?;
        }
        // The pages of indexes are not lost: their content is in the tables.
        for root in objects.iter().filter(|object| object.kind == "index").filter_map(|object| object.root) {
            recovery.tree(root, |_| Ok::<(), String>(()))?;
        }
        self.lost_and_found(&recovery, &objects, &options.lost_and_found)?;
        for kind in ["index", "view", "trigger"] {
            for object in objects.iter().filter(|object| object.kind == kind && !object.sql.is_empty()) {
                self.line(&object.sql)?;
            }
        }
        self.line("PRAGMA writable_schema = off")?;
        self.line("COMMIT")
    }

    fn settings(&mut self, source: &Source<'_>) -> Result<()> {
        let encoding = match self.encoding {
            TextEncoding::Utf8 => "UTF-8",
            TextEncoding::Utf16Le => "UTF-16le",
            TextEncoding::Utf16Be => "UTF-16be",
        };
        let auto_vacuum = match (source.meta(52), source.meta(64)) {
            (0, _) => 0,
            (_, 0) => 1,
            _ => 2,
        };
        writeln!(self.out, ".dbconfig defensive off").map_err(|e| e.to_string())?;
        self.line("BEGIN")?;
        self.line("PRAGMA writable_schema = on")?;
        self.line(&format!("PRAGMA encoding = '{encoding}'"))?;
        self.line(&format!("PRAGMA page_size = '{}'", source.geometry.page_size.get()))?;
        self.line(&format!("PRAGMA auto_vacuum = '{auto_vacuum}'"))?;
        self.line(&format!("PRAGMA user_version = '{}'", source.meta(60).cast_signed()))?;
        self.line(&format!("PRAGMA application_id = '{}'", source.meta(68).cast_signed()))
    }

    /// The valid rows of the schema table.
    fn schema(&self, recovery: &mut Recovery<'_>) -> Result<Vec<Object>> {
        let mut objects = Vec::new();
        let decoded = |value: Option<&ValueRef<'_>>| match value {
            // SQL ends at a NUL.
            Some(ValueRef::Text(text)) => decode(text, self.encoding).split('\0').next().unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        recovery.tree(PageNo::FIRST, |row| {
            let values = row.values();
            let root = match values.get(3) {
                Some(ValueRef::Integer(root)) => u32::try_from(*root).ok().and_then(PageNo::new),
                _ => None,
            };
            let object = Object {
                kind: decoded(values.first()),
                name: decoded(values.get(1)),
                table: decoded(values.get(2)),
                root,
                sql: decoded(values.get(4)),
            };
            // Any other text is damaged, and must not be run.
            let creates = object.sql.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("CREATE "));
            if !object.name.is_empty() && (creates || object.sql.is_empty()) {
                objects.push(object);
            }
            Ok::<(), String>(())
        })?;
        Ok(objects)
    }

    fn tables(&mut self, objects: &[Object], model: &Connection) -> Result<()> {
        let mut tables: Vec<&Object> =
            objects.iter().filter(|object| object.kind == "table" && !object.sql.is_empty()).collect();
        // An AUTOINCREMENT in another table would create this table.
        tables.sort_by_key(|table| table.name != "sqlite_sequence");
        for table in tables {
            if table.root.is_some() {
                // A damaged statement creates no table; the table's rows go to lost_and_found.
                let _ = model.prepare(&table.sql).and_then(|mut create| create.execute([]));
                self.line(&table.sql)?;
            } else {
                let words = [&table.kind, &table.name, &table.table].map(|word| quote::string(word)).join(", ");
                self.line(&format!("INSERT INTO sqlite_schema VALUES({words}, 0, {})", quote::string(&table.sql)))?;
            }
        }
        Ok(())
    }

    fn rows(
        &mut self,
        object: &Object,
        model: &Connection,
        recovery: &mut Recovery<'_>,
        options: &Options,
    ) -> Result<()> {
        let (Some(root), Some(table)) = (object.root, Table::of(model, &object.name)) else { return Ok(()) };
        recovery.tree(root, |row| match self.insertion(&table, row, options.rowids) {
            Some(sql) => self.line(&sql),
            None => Ok(()),
        })
    }

    /// The INSERT of a row. Fields that the record lacks get the columns' defaults.
    fn insertion(&self, table: &Table, row: &Row, keeps_rowids: bool) -> Option<String> {
        let (mut names, mut values) = (Vec::new(), Vec::new());
        if row.rowid.is_some() != table.has_rowid {
            return None;
        }
        let rowid = row.rowid.unwrap_or_default().to_string();
        if let (Some(name), None) = (table.rowid, table.key) {
            names.push(name.to_owned());
            values.push(if keeps_rowids { rowid.clone() } else { "NULL".to_owned() });
        }
        for (i, (value, column)) in row.values().into_iter().zip(&table.columns).enumerate() {
            let Some(column) = column else { continue };
            names.push(quote::string(column));
            values.push(if table.key == Some(i) { rowid.clone() } else { self.literal(value) });
        }
        (!names.is_empty()).then(|| {
            let table = quote::string(&table.name);
            format!("INSERT OR IGNORE INTO {table}({}) VALUES ({})", names.join(", "), values.join(", "))
        })
    }

    fn lost_and_found(&mut self, recovery: &Recovery<'_>, objects: &[Object], name: &str) -> Result<()> {
        let mut widest = None;
        recovery.lost_rows(|lost| {
            let count = lost.row.values().len();
            widest = widest.max((count > 0).then_some(count));
            Ok::<(), String>(())
        })?;
        let Some(widest) = widest else { return Ok(()) };
        let table = quote::identifier(&free_name(objects, name)?);
        let columns: String = (0..widest).map(|i| format!(", c{i}")).collect();
        self.line(&format!(
            "CREATE TABLE {table}(rootpgno INTEGER, pgno INTEGER, nfield INTEGER, id INTEGER{columns})"
        ))?;
        recovery.lost_rows(|lost| {
            let values = lost.row.values();
            if values.is_empty() {
                return Ok(());
            }
            let id = lost.row.rowid.map_or_else(|| "NULL".to_owned(), |rowid| rowid.to_string());
            let (root, page, count) = (lost.root.get(), lost.page.get(), values.len());
            let mut literals: Vec<String> = values.into_iter().map(|value| self.literal(value)).collect();
            literals.resize(widest, "NULL".to_owned());
            self.line(&format!("INSERT INTO {table} VALUES({root}, {page}, {count}, {id}, {})", literals.join(", ")))
        })
    }

    fn literal(&self, value: ValueRef<'_>) -> String {
        match value {
            ValueRef::Text(text) if self.encoding == TextEncoding::Utf8 => text_literal(text),
            ValueRef::Text(text) => text_literal(decode(text, self.encoding).as_bytes()),
            ValueRef::Blob(blob) => format!("X{}", quote::blob_literal(blob).split_off(1).to_uppercase()),
            other => quote::literal(other),
        }
    }
}

/// The most instructions that a CREATE TABLE of the model may run.
const MODEL_INSTRUCTIONS: u32 = 1_000_000;

/// A database in memory for the tables of the damaged one. Its schema is not trusted: statements may only create tables, and only for a
/// limited number of instructions.
fn model() -> lithe::Result<Connection> {
    let model = Connection::open_in_memory()?;
    model.execute_batch("PRAGMA writable_schema = ON")?;
    model.set_authorizer(Some(|request: &Request<'_>| match request.action {
        Action::Attach | Action::Detach | Action::CreateVirtualTable => Permission::Deny,
        _ => Permission::Allow,
    }));
    model.set_progress_handler(MODEL_INSTRUCTIONS, Some(|| true));
    Ok(model)
}

/// A literal with its line ends replaced, so that each statement is one line.
fn text_literal(text: &[u8]) -> String {
    let literal = quote::text_literal(text);
    if !literal.contains(['\n', '\r']) || !literal.starts_with('\'') {
        return literal;
    }
    let mut escaped = literal.clone();
    for (line_end, letter, code) in [('\n', 'n', 10), ('\r', 'r', 13)] {
        if literal.contains(line_end) {
            let stand_in = unused(&literal, letter, code);
            escaped = format!("replace({},'{stand_in}', char({code}))", escaped.replace(line_end, &stand_in));
        }
    }
    escaped
}

/// A placeholder for a line end that does not occur in the text: `\n`, `\012`, or a numbered one.
fn unused(text: &str, letter: char, code: u8) -> String {
    let others = (0..).map(|i| format!("({letter}{i})"));
    let mut candidates = [format!("\\{letter}"), format!("\\{code:03o}")].into_iter().chain(others);
    candidates.find(|candidate| !text.contains(candidate.as_str())).unwrap_or_default()
}

fn decode(text: &[u8], encoding: TextEncoding) -> String {
    let units = |unit: fn([u8; 2]) -> u16| {
        let units = text.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match encoding {
        TextEncoding::Utf8 => String::from_utf8_lossy(text).into_owned(),
        TextEncoding::Utf16Le => units(u16::from_le_bytes),
        TextEncoding::Utf16Be => units(u16::from_be_bytes),
    }
}

/// The most numbered names that are tried.
const NAMES_MAX: usize = 1000;

fn free_name(objects: &[Object], wanted: &str) -> Result<String> {
    let numbered = (0..NAMES_MAX).map(|i| format!("{wanted}_{i}"));
    let is_free = |name: &String| !objects.iter().any(|object| object.name.eq_ignore_ascii_case(name));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    Ok(names.find(is_free).ok_or_else(|| format!("failed to create {wanted} output table"))?)
}

impl Table {
    /// A table of the model; `None` if the table could not be created there.
    fn of(model: &Connection, name: &str) -> Option<Table> {
        struct Column {
            name: String,
            type_name: String,
            key: i64,
            hidden: i64,
        }
        let pragma = format!("PRAGMA table_xinfo({})", quote::string(name));
        let columns = model.prepare(&pragma).and_then(|mut statement| {
            statement.query_map([], |row| {
                let (name, type_name) = (row.get("name")?, row.get("type")?);
                Ok(Column { name, type_name, key: row.get("pk")?, hidden: row.get("hidden")? })
            })
        });
        let columns = columns.ok().filter(|columns| !columns.is_empty())?;
        let rowid_names = ["_rowid_", "rowid", "oid"];
        let is_column = |name: &str| columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
        let free = rowid_names.into_iter().find(|name| !is_column(name));
        let probe = format!("SELECT {} FROM {}", free.unwrap_or("_rowid_"), quote::identifier(name));
        let has_rowid = free.is_none() || model.prepare(&probe).is_ok();
        // Records do not have virtual generated columns.
        let mut stored: Vec<&Column> = columns.iter().filter(|column| column.hidden != 2).collect();
        if !has_rowid {
            // A record of a table WITHOUT ROWID begins with the columns of the primary key.
            stored.sort_by_key(|column| if column.key == 0 { i64::MAX } else { column.key });
        }
        let keys = columns.iter().filter(|column| column.key > 0).count();
        let is_rowid = |column: &&Column| column.key > 0 && column.type_name.eq_ignore_ascii_case("INTEGER");
        let key = stored.iter().position(is_rowid).filter(|_| has_rowid && keys == 1);
        let names = stored.iter().map(|column| (column.hidden == 0).then(|| column.name.clone())).collect();
        Some(Table { name: name.to_owned(), columns: names, key, has_rowid, rowid: free.filter(|_| has_rowid) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_replaced() {
        assert_eq!(text_literal(b"a\nb"), "replace('a\\nb','\\n', char(10))");
        assert_eq!(text_literal(b"\\n\n"), "replace('\\n\\012','\\012', char(10))");
        assert_eq!(text_literal(b"a\r\n"), "replace(replace('a\\r\\n','\\n', char(10)),'\\r', char(13))");
        assert_eq!(text_literal(b"it's"), "'it''s'");
    }

    #[test]
    fn a_damaged_schema_runs_nothing_else() {
        let model = model().unwrap();
        let refused = |sql: &str| assert!(model.prepare(sql).and_then(|mut s| s.execute([])).is_err(), "{sql}");
        refused("ATTACH '/tmp/other' AS other");
        refused("CREATE TABLE t AS WITH n(i) AS (VALUES(1) UNION ALL SELECT i FROM n) SELECT count(*) FROM n");
    }

    #[test]
    fn tables_of_every_kind() {
        let model = Connection::open_in_memory().unwrap();
        let sql = "CREATE TABLE a(x, y INTEGER PRIMARY KEY); CREATE TABLE b(x, y, z, PRIMARY KEY(z, x)) WITHOUT ROWID;
                   CREATE TABLE c(_rowid_, v AS (1), s AS (2) STORED, w)";
        model.execute_batch(sql).unwrap();
        let check = |name: &str, columns: &[Option<&str>], key: Option<usize>, rowid: Option<&str>| {
            let table = Table::of(&model, name).unwrap();
            assert_eq!(table.columns.iter().map(Option::as_deref).collect::<Vec<_>>(), columns);
            assert_eq!((table.key, table.rowid), (key, rowid));
        };
        check("a", &[Some("x"), Some("y")], Some(1), Some("_rowid_"));
        check("b", &[Some("z"), Some("x"), Some("y")], None, None);
        check("c", &[Some("_rowid_"), None, Some("w")], None, Some("rowid"));
        assert!(Table::of(&model, "none").is_none());
    }
}
