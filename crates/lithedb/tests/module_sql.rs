//! SQL that a module runs on its own connection: a table that stores its rows in a shadow table, with every feature that a full-text search
//! or R-Tree module needs.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lithe::virtual_table::{
    BlobPlace, Change, ColumnContext, ConnectRequest, Connected, Context, FunctionError, IndexInfo, Kept, Module,
    Pointer, Result, Risk, Scan, ScanPlan, SqlConnection, Values, VirtualCursor, VirtualTable, constraint,
};
use lithe::{Connection, ValueRef};

/// `CREATE VIRTUAL TABLE t USING notes`: texts in `t_data(id, block)`. Inserted rows are written at the commit.
struct Notes;

impl Module for Notes {
    fn create(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        let (database, table) = (request.database, request.table);
        connection
            .execute(&format!("CREATE TABLE \"{database}\".\"{table}_data\"(id INTEGER PRIMARY KEY, block BLOB);"))?;
        self.connect(connection, request)
    }

    fn connect(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        connection.with_client_data("notes", &|| Box::new(Cell::new(0_i64)), &mut |data| {
            let count: &Cell<i64> = data.downcast_ref().expect("made above");
            count.set(count.get() + 1);
        });
        let declaration = "CREATE TABLE x(text, connects HIDDEN, cursor HIDDEN)".to_owned();
        let table = Box::new(NotesTable::new(request.database, request.table));
        Ok(Connected { table, declaration, risk: Risk::Normal })
    }

    fn is_shadow_name(&self, suffix: &str) -> bool {
        suffix == "data"
    }
}

struct NotesTable {
    database: String,
    name: RefCell<String>,
    insert: Kept,
    delete: Kept,
    find: Kept,
    /// A statement that every change leaves on a row.
    left: Kept,
    pending: RefCell<Vec<(i64, Vec<u8>)>>,
}

impl NotesTable {
    fn new(database: &str, name: &str) -> NotesTable {
        let data = format!("\"{database}\".\"{name}_data\"");
        NotesTable {
            database: database.to_owned(),
            name: RefCell::new(name.to_owned()),
            insert: Kept::new(format!("INSERT INTO {data} VALUES (?1, ?2)")),
            delete: Kept::new(format!("DELETE FROM {data} WHERE id = ?1")),
            find: Kept::new(format!("SELECT 1 FROM {data} WHERE id = ?1")),
            left: Kept::new(format!("SELECT 1 FROM {data}")),
            pending: RefCell::default(),
        }
    }

    fn flush(&self, connection: &dyn SqlConnection) -> Result {
        let pending = self.pending.take();
        for (id, text) in pending {
            connection.statement(&self.insert)?.run(&[ValueRef::Integer(id), ValueRef::Blob(&text)])?;
        }
        Ok(())
    }

    fn data(&self) -> String {
        format!("{}_data", self.name.borrow())
    }
}

fn integer(value: Option<ValueRef<'_>>) -> Option<i64> {
    if let Some(ValueRef::Integer(integer)) = value { Some(integer) } else { None }
}

impl VirtualTable for NotesTable {
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        info.estimated_cost = 100.0;
        if let Some(at) = info.constraints.iter().position(|of| of.column == -1 && of.op == constraint::EQ && of.usable)
        {
            info.usage[at].argument = 1;
            info.usage[at].omit = true;
            (info.plan.number, info.finds_one_row, info.estimated_cost) = (1, true, 1.0);
        }
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        let sql =
            |rest: &str| Kept::new(format!("SELECT id, block FROM \"{}\".\"{}\" {rest}", self.database, self.data()));
        let (all, one) = (sql("ORDER BY id"), sql("WHERE id = ?1"));
        Ok(Box::new(NotesCursor { all, one, is_one: false, is_at_end: true, row: 0, shared: Rc::default() }))
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn update(&self, connection: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        connection.resume(&self.left)?.step()?;
        if let Some(old) = integer(change.old_key()) {
            self.flush(connection)?;
            connection.statement(&self.delete)?.run(&[ValueRef::Integer(old)])?;
        }
        let Some(columns) = change.columns() else { return Ok(None) };
        let id = integer(change.new_key());
        let id = id.ok_or_else(|| FunctionError::new("a note has a number"))?;
        let mut found = connection.statement(&self.find)?;
        found.bind(1, ValueRef::Integer(id))?;
        if found.step()? {
            return Err(FunctionError::with_code(19, "there is one"));
        }
        let text = columns[0].bytes().unwrap_or_default().to_vec();
        self.pending.borrow_mut().push((id, text));
        Ok(Some(id))
    }

    fn sync(&self, connection: &dyn SqlConnection) -> Result {
        self.flush(connection)
    }

    fn rollback(&self, _: &dyn SqlConnection) {
        self.pending.take();
    }

    fn savepoint(&self, connection: &dyn SqlConnection, _: i32) -> Result {
        self.flush(connection)
    }

    fn rollback_to(&self, _: &dyn SqlConnection, _: i32) -> Result {
        self.pending.take();
        Ok(())
    }

    fn rename(&self, connection: &dyn SqlConnection, name: &str) -> Result {
        connection.execute(&format!(
            "ALTER TABLE \"{}\".\"{}\" RENAME TO \"{name}_data\"",
            self.database,
            self.data()
        ))?;
        *self.name.borrow_mut() = name.to_owned();
        Ok(())
    }

    fn destroy(&self, connection: &dyn SqlConnection) -> Result {
        connection.execute(&format!("DROP TABLE \"{}\".\"{}\"", self.database, self.data()))
    }

    fn integrity(&self, connection: &dyn SqlConnection, _: &str, table: &str, _: bool) -> Result<Option<String>> {
        let mut bad = connection.prepare(&format!("SELECT count(*) FROM \"{}\" WHERE block = x''", self.data()))?;
        bad.step()?;
        let count = integer(Some(bad.column(0)));
        Ok((count != Some(0)).then(|| format!("empty notes in {table}")))
    }
}

/// A scan by a statement that stays on its row between two calls.
struct NotesCursor {
    all: Kept,
    one: Kept,
    is_one: bool,
    is_at_end: bool,
    row: i64,
    /// The length of the row's text, for the function `note_length`.
    shared: Rc<Cell<i64>>,
}

impl NotesCursor {
    fn kept(&self) -> &Kept {
        if self.is_one { &self.one } else { &self.all }
    }
}

impl VirtualCursor for NotesCursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        scan.table::<NotesTable>()?.flush(scan.connection)?;
        self.is_one = plan.number == 1;
        let mut statement = scan.connection.resume(self.kept())?;
        statement.reset();
        statement.bind_all(arguments.values)?;
        self.is_at_end = !statement.step()?;
        self.row = integer(Some(statement.column(0))).unwrap_or(0);
        Ok(())
    }

    fn next(&mut self, scan: &Scan<'_>) -> Result {
        let mut statement = scan.connection.resume(self.kept())?;
        self.is_at_end = !statement.step()?;
        self.row = integer(Some(statement.column(0))).unwrap_or(0);
        Ok(())
    }

    fn eof(&self) -> bool {
        self.is_at_end
    }

    fn column(&mut self, scan: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let statement = scan.connection.resume(self.kept())?;
        let context = &mut *answer.context;
        match (column, statement.column(1)) {
            (0, ValueRef::Blob(text)) => context.out.set_text(text),
            (1, _) => scan.connection.with_client_data("notes", &|| Box::new(Cell::new(0_i64)), &mut |data| {
                context.out.set_integer(data.downcast_ref::<Cell<i64>>().map_or(0, Cell::get));
            }),
            (_, value) => {
                self.shared.set(value.bytes().map_or(0, |bytes| bytes.len() as i64));
                let value: Box<dyn Any> = Box::new(Rc::clone(&self.shared));
                context.pointer = Some(Rc::new(Pointer { kind: b"note".to_vec().into(), value, number: None }));
            }
        }
        Ok(())
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.row)
    }
}

/// A function that uses a note's cursor and the connection: the length of the note's text, and the first byte of note 1.
struct NoteLength;

impl lithe::virtual_table::ScalarFunction for NoteLength {
    fn call(&self, context: &mut Context<'_>, _: &[ValueRef<'_>]) -> Result {
        let shared = context.arg_pointer(0, b"note").and_then(|note| note.downcast_ref::<Rc<Cell<i64>>>());
        let length = shared.ok_or_else(|| FunctionError::new("no note"))?.get();
        let connection = context.connection.sql().ok_or_else(|| FunctionError::new("no connection"))?;
        let place = BlobPlace { database: "main", table: "t_data", column: "block", writable: false };
        let mut byte = [0];
        connection.open_blob(&place, 1)?.read(0, &mut byte)?;
        let mut name = String::new();
        connection.with_virtual_table("main", "t", &mut |table| {
            name = table.downcast_ref::<NotesTable>().map_or(String::new(), |table| table.name.borrow().clone());
        })?;
        context.out.set_text(format!("{length}{}{name}", char::from(byte[0])).as_bytes());
        Ok(())
    }
}

fn open() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.create_module("notes", Notes);
    connection.execute_batch("CREATE VIRTUAL TABLE t USING notes").unwrap();
    connection
}

fn texts(connection: &Connection, sql: &str) -> lithe::Result<String> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut texts = Vec::new();
    while let Some(row) = rows.next()? {
        texts.push(String::from_utf8_lossy(row.get_ref(0).bytes().unwrap_or(b"-")).into_owned());
    }
    Ok(texts.join(" "))
}

#[test]
fn rows_live_in_a_shadow_table() {
    let connection = open();
    connection.execute_batch("INSERT INTO t(rowid, text) VALUES (1, 'one'), (2, 'two'), (3, 'three')").unwrap();
    assert_eq!(texts(&connection, "SELECT block FROM t_data").unwrap(), "one two three");
    assert_eq!(texts(&connection, "SELECT text FROM t").unwrap(), "one two three");
    assert_eq!(texts(&connection, "SELECT text FROM t WHERE rowid = 2").unwrap(), "two");
    assert_eq!(texts(&connection, "SELECT CAST(rowid AS TEXT) FROM t").unwrap(), "1 2 3");
    // One cursor is reused, and one table has two cursors at a time.
    let join = "SELECT a.text || b.text FROM (VALUES (1), (3)) x, t a, t b WHERE a.rowid = x.column1 ORDER BY 1";
    assert_eq!(texts(&connection, join).unwrap(), "oneone onethree onetwo threeone threethree threetwo");
    let error = connection.execute("INSERT INTO t(rowid, text) VALUES (1, 'again')", []).unwrap_err();
    assert_eq!(error.to_string(), "there is one");
    connection.execute_batch("BEGIN; INSERT INTO t(rowid, text) VALUES (9, 'gone'); ROLLBACK").unwrap();
    connection
        .execute_batch(
            "BEGIN; SAVEPOINT s; INSERT INTO t(rowid, text) VALUES (9, 'gone'); ROLLBACK TO s;
             INSERT INTO t(rowid, text) VALUES (4, 'four'); COMMIT",
        )
        .unwrap();
    assert_eq!(texts(&connection, "SELECT text FROM t").unwrap(), "one two three four");
}

#[test]
fn a_scan_that_is_left_holds_no_locks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let connection = Connection::open(&path).unwrap();
    connection.create_module("notes", Notes);
    connection.execute_batch("CREATE VIRTUAL TABLE t USING notes").unwrap();
    connection.execute_batch("INSERT INTO t(rowid, text) VALUES (1, 'one'), (2, 'two')").unwrap();
    {
        let mut statement = connection.prepare("SELECT text FROM t").unwrap();
        assert!(statement.step().unwrap().is_some());
    }
    assert_eq!(texts(&connection, "SELECT text FROM t LIMIT 1").unwrap(), "one");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE; CREATE TABLE more(x); COMMIT").unwrap();
    connection.execute_batch("DROP TABLE t").unwrap();
    assert_eq!(texts(&connection, "SELECT name FROM sqlite_schema").unwrap(), "more");
}

/// A connection that no thread uses may move to another thread, so no row of the module's own statement may stay behind.
#[test]
fn a_row_that_a_table_is_left_on_ends_with_the_statement() {
    let connection = open();
    connection.execute_batch("INSERT INTO t(rowid, text) VALUES (1, 'one'), (2, 'two')").unwrap();
    connection.execute_batch("INSERT INTO t(rowid, text) VALUES (3, 'three')").unwrap();
    connection.execute_batch("VACUUM").unwrap();
    let connection = std::thread::spawn(move || {
        connection.execute_batch("INSERT INTO t(rowid, text) VALUES (4, 'four')").unwrap();
        connection
    });
    assert_eq!(texts(&connection.join().unwrap(), "SELECT text FROM t").unwrap(), "one two three four");
}

#[test]
fn shadow_tables_go_with_their_table() {
    let connection = open();
    connection.execute_batch("INSERT INTO t(rowid, text) VALUES (1, 'one'); ALTER TABLE t RENAME TO u").unwrap();
    assert_eq!(texts(&connection, "SELECT text FROM u").unwrap(), "one");
    assert_eq!(texts(&connection, "SELECT name FROM sqlite_schema ORDER BY 1").unwrap(), "u u_data");
    assert_eq!(texts(&connection, "PRAGMA integrity_check").unwrap(), "ok");
    connection.execute_batch("INSERT INTO u_data VALUES (7, x'')").unwrap();
    assert_eq!(texts(&connection, "PRAGMA integrity_check").unwrap(), "empty notes in u");
    connection.execute_batch("DROP TABLE u").unwrap();
    assert_eq!(texts(&connection, "SELECT name FROM sqlite_schema").unwrap(), "");
}

#[test]
fn functions_find_the_cursor_and_the_connection() {
    use lithe::virtual_table::{Arity, Function, FunctionKind};
    let connection = open();
    let flags = lithe::virtual_table::Flags::default();
    let kind = FunctionKind::CustomScalar(std::sync::Arc::new(NoteLength));
    connection.create_function(Function::custom("note_length", Arity::Exactly(1), flags, kind)).unwrap();
    connection.execute_batch("INSERT INTO t(rowid, text) VALUES (1, 'one'), (2, 'second')").unwrap();
    assert_eq!(texts(&connection, "SELECT note_length(cursor) FROM t").unwrap(), "3ot 6ot");
    assert!(texts(&connection, "SELECT note_length(1)").unwrap_err().to_string().contains("no note"));
    assert_eq!(texts(&connection, "SELECT CAST(connects AS TEXT) FROM t LIMIT 1").unwrap(), "1");
}
