//! Plays a script on an engine, and records every answer.

use std::cell::OnceCell;
use std::fmt;
use std::path::Path;

use lithe::{ResultCode, Value};

use crate::common::{Failure, exactly};
use crate::engine::{Budget, Engine, Lithe, Sqlite};
use crate::script::{CONNECTIONS, SLOTS, Script, Step};

/// The budgets of SQLite and of Lithe for a script, in thousands of instructions.
const SQLITE_BUDGET: u32 = 100_000;
const LITHE_BUDGET: u32 = 400_000;

/// The answer of an engine to one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    rows: Vec<String>,
    end: End,
    /// The state of the step's connection: changes, total changes, last rowid, autocommit.
    state: Option<(u64, u64, i64, bool)>,
}

impl Answer {
    /// Whether half of a statement's changes stays. SQLite's statement journal does not handle triggers that nest too deep: within a
    /// transaction half of the changes stay, where the documentation says that none do. Later answers are not compared.
    fn leaves_half(&self) -> bool {
        let in_transaction = self.state.is_some_and(|(_, _, _, autocommit)| !autocommit);
        in_transaction && matches!(&self.end, End::Error(_, message) if message == "triggers nested too deep")
    }
}

/// The end of a step.
#[derive(Clone, Debug, Default, PartialEq)]
enum End {
    /// The slot is empty.
    #[default]
    Nothing,
    /// The statement may have more rows.
    Open,
    Done,
    Error(i32, String),
}

/// The content of a database: the rows of its tables, and the result of integrity_check.
type Content = Vec<String>;

/// The first difference of the engines.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The step; the number after the last step means the content.
    pub at: usize,
    pub lithe: String,
    pub sqlite: String,
}

/// The answers of one engine to a script.
struct Played {
    /// One for each step; fewer after a panic.
    answers: Vec<Answer>,
    content: Content,
}

/// Plays a script on both engines. Their files are in two folders in `folder`, which is emptied first.
pub fn compare(script: &Script, folder: &Path) -> Option<Difference> {
    let (lithe, sqlite) = play_both(script, folder)?;
    if let Some(at) = sqlite.answers.iter().position(Answer::leaves_half) {
        let script = Script { in_memory: script.in_memory, steps: script.steps[..at].to_vec() };
        return compare(&script, folder);
    }
    let same = |at: &usize| lithe.answers.get(*at) == sqlite.answers.get(*at);
    let at = (0..sqlite.answers.len()).find(|at| !same(at)).unwrap_or(script.steps.len());
    if at < script.steps.len() {
        let lithe = lithe.answers.get(at).map_or("panic".to_owned(), Answer::to_string);
        return Some(Difference { at, lithe, sqlite: sqlite.answers[at].to_string() });
    }
    let differ = |sqlite: &Content, lithe: &Content| {
        let from = sqlite.iter().zip(lithe).take_while(|(sqlite, lithe)| sqlite == lithe).count();
        let show = |lines: &Content| lines.iter().skip(from).take(8).cloned().collect::<Vec<_>>().join("\n    ");
        Some(Difference { at, lithe: show(lithe), sqlite: show(sqlite) })
    };
    if lithe.content != sqlite.content {
        return differ(&sqlite.content, &lithe.content);
    }
    // SQLite must read the same content from Lithe's file.
    if !script.in_memory {
        let content = content_of_file::<Sqlite>(&folder.join("lithe"));
        if content != lithe.content {
            return differ(&content, &lithe.content);
        }
    }
    None
}

/// The answers of both engines, unless SQLite exceeds its budget: then Lithe is not run.
fn play_both(script: &Script, folder: &Path) -> Option<(Played, Played)> {
    let folders = [folder.join("lithe"), folder.join("sqlite")];
    for folder in &folders {
        let _ = std::fs::remove_dir_all(folder);
        std::fs::create_dir_all(folder).expect("a folder for the files");
    }
    let budget = Budget::new(SQLITE_BUDGET);
    let sqlite = play::<Sqlite>(script, &folders[1], &budget);
    if budget.is_empty() {
        return None;
    }
    let lithe = play::<Lithe>(script, &folders[0], &Budget::new(LITHE_BUDGET));
    Some((lithe, sqlite))
}

/// Plays a script and shows both answers to each step.
pub fn show_all(script: &Script, folder: &Path) -> String {
    let Some((lithe, sqlite)) = play_both(script, folder) else { return "SQLite takes too long".to_owned() };
    let mut shown = String::new();
    for (at, step) in script.steps.iter().enumerate() {
        let show = |played: &Played| played.answers.get(at).map_or("panic".to_owned(), Answer::to_string);
        let (lithe, sqlite) = (show(&lithe), show(&sqlite));
        shown.push_str(&if lithe == sqlite {
            format!("{step}\n    {sqlite}\n")
        } else {
            format!("{step}\n    Lithe:  {lithe}\n    SQLite: {sqlite}\n")
        });
    }
    match compare(script, folder) {
        Some(difference) if difference.at == script.steps.len() => shown + &difference.to_string(),
        _ => shown,
    }
}

/// A script and its first difference.
pub fn show(script: &Script, folder: &Path) -> String {
    match compare(script, folder) {
        Some(difference) => format!("{script}{difference}"),
        None => format!("{script}no difference\n"),
    }
}

/// Plays a script: the answers to its steps (fewer after a panic), and the final content.
fn play<E: Engine>(script: &Script, folder: &Path, budget: &Budget) -> Played {
    let (mut answers, mut content) = (Vec::with_capacity(script.steps.len()), Content::new());
    let run = std::panic::AssertUnwindSafe(|| {
        let phases: Vec<&[Step]> = script.steps.split(|step| *step == Step::Reopen).collect();
        for (i, steps) in phases.iter().enumerate() {
            let path = if script.in_memory { ":memory:".into() } else { folder.join("main.db") };
            let connections: [OnceCell<E::Connection>; CONNECTIONS] = Default::default();
            let open = |at: usize| {
                connections[at].get_or_init(|| E::open(&path, budget.clone()).expect("the database can be opened"))
            };
            let mut slots: [OpenSlot<'_, E>; SLOTS] = Default::default();
            for step in *steps {
                answers.push(play_step::<E>(step, folder, &mut slots, &open));
            }
            let is_last = i + 1 == phases.len();
            if !is_last {
                answers.push(Answer::default());
            }
            drop(slots);
            if is_last && script.in_memory {
                content = content_of::<E>(open(0));
            }
            for connection in connections.into_iter().filter_map(OnceCell::into_inner) {
                E::close(connection).expect("the connection can be closed");
            }
        }
        if !script.in_memory {
            content = content_of_file::<E>(folder);
        }
    });
    if let Err(panic) = std::panic::catch_unwind(run) {
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        content = vec![format!("panic {text}")];
    }
    Played { answers, content }
}

/// The content of a slot.
struct OpenSlot<'c, E: Engine> {
    conn: usize,
    row: Option<Vec<Value>>,
    what: What<'c, E>,
}

enum What<'c, E: Engine> {
    Nothing,
    Statement(E::Statement<'c>),
    Blob(E::Blob<'c>),
}

impl<E: Engine> Default for OpenSlot<'_, E> {
    fn default() -> Self {
        OpenSlot { conn: 0, row: None, what: What::Nothing }
    }
}

impl<'c, E: Engine> OpenSlot<'c, E> {
    /// Empties the slot: what the end of its statement or handle says.
    fn close(&mut self) -> Result<(), Failure> {
        match std::mem::take(self).what {
            What::Statement(statement) => E::finish(statement),
            What::Blob(blob) => E::close_blob(blob),
            What::Nothing => Ok(()),
        }
    }

    /// Puts an opened statement or handle into its slot; the step then ends with `end`.
    fn hold(&mut self, conn: usize, opened: Result<What<'c, E>, Failure>, end: End) -> End {
        match opened {
            Ok(what) => {
                *self = OpenSlot { conn, row: None, what };
                end
            }
            Err((code, message)) => End::Error(code, message),
        }
    }
}

fn play_step<'c, E: Engine>(
    step: &Step,
    folder: &Path,
    slots: &mut [OpenSlot<'c, E>; SLOTS],
    open: &impl Fn(usize) -> &'c E::Connection,
) -> Answer {
    let mut rows = Vec::new();
    let (conn, mut end) = match step {
        Step::Run { conn, sql } => (*conn, run::<E>(open(*conn), &with_folder(sql, folder), &[], &mut rows)),
        Step::Quiet { conn, sql } => {
            // The connection's state is compared nevertheless.
            let _ = run::<E>(open(*conn), &with_folder(sql, folder), &[], &mut Vec::new());
            (*conn, End::Nothing)
        }
        Step::Open { conn, slot, sql } => {
            let closed = slots[*slot].close();
            let opened = closed.and_then(|()| E::prepare(open(*conn), sql, &[]));
            (*conn, slots[*slot].hold(*conn, opened.map(What::Statement), End::Open))
        }
        Step::Rows { slot, count } => (slots[*slot].conn, next_rows(&mut slots[*slot], *count, &mut rows)),
        Step::Each { slot, count, conn, sql } => {
            (*conn, run_each(&mut slots[*slot], *count, open(*conn), sql, &mut rows))
        }
        Step::Close { slot } => {
            let conn = slots[*slot].conn;
            (conn, slots[*slot].close().map_or_else(|(code, message)| End::Error(code, message), |()| End::Nothing))
        }
        Step::Reopen => unreachable!("a script is split there"),
        Step::Blob { conn, slot, database, table, column, row, writes } => {
            let closed = slots[*slot].close();
            let opened = closed.and_then(|()| E::blob(open(*conn), [database, table, column], *row, *writes));
            rows.extend(opened.iter().map(len_of_blob::<E>));
            (*conn, slots[*slot].hold(*conn, opened.map(What::Blob), End::Nothing))
        }
        Step::Read { slot, offset, count } | Step::Write { slot, offset, count } => {
            let writes = matches!(step, Step::Write { .. });
            (slots[*slot].conn, move_bytes(&mut slots[*slot], *offset, *count, writes, &mut rows))
        }
        Step::Row { slot, row } => (slots[*slot].conn, move_blob(&mut slots[*slot], *row, &mut rows)),
    };
    if let End::Error(_, message) = &mut end {
        *message = message.replace(&*folder.to_string_lossy(), "{dir}");
    }
    Answer { rows, end, state: Some(E::state(open(conn))) }
}

fn with_folder(sql: &str, folder: &Path) -> String {
    sql.replace("{dir}", &folder.to_string_lossy())
}

/// Runs a statement to its end.
fn run<E: Engine>(connection: &E::Connection, sql: &str, row: &[Value], rows: &mut Vec<String>) -> End {
    let result = E::prepare(connection, sql, row).and_then(|mut statement| {
        while let Some(row) = E::step(&mut statement)? {
            rows.push(shown(&row));
        }
        Ok(())
    });
    ended(result)
}

fn ended(result: Result<(), Failure>) -> End {
    match result {
        Ok(()) => End::Done,
        Err((code, message)) => End::Error(code, message),
    }
}

/// The next row of a slot; the slot is emptied at the end or after an error.
fn next_row<E: Engine>(slot: &mut OpenSlot<'_, E>, rows: &mut Vec<String>) -> End {
    let What::Statement(statement) = &mut slot.what else { return End::Nothing };
    match E::step(statement) {
        Ok(Some(row)) => {
            rows.push(shown(&row));
            slot.row = Some(row);
            End::Open
        }
        Ok(None) => {
            slot.what = What::Nothing;
            End::Done
        }
        Err((code, message)) => {
            slot.what = What::Nothing;
            End::Error(code, message)
        }
    }
}

/// The next rows of a slot, at most `count`.
fn next_rows<E: Engine>(slot: &mut OpenSlot<'_, E>, count: usize, rows: &mut Vec<String>) -> End {
    let mut end = End::Nothing;
    for _ in 0..count {
        end = next_row(slot, rows);
        if end != End::Open {
            break;
        }
    }
    end
}

/// Runs a statement for each of the next rows of a slot, with the row's values as its parameters.
fn run_each<E: Engine>(
    slot: &mut OpenSlot<'_, E>,
    count: usize,
    connection: &E::Connection,
    sql: &str,
    rows: &mut Vec<String>,
) -> End {
    let mut end = End::Nothing;
    for _ in 0..count {
        end = next_row(slot, rows);
        let Some(row) = slot.row.clone().filter(|_| end == End::Open) else { break };
        end = run::<E>(connection, sql, &row, rows);
        if end != End::Done {
            break;
        }
    }
    end
}

fn len_of_blob<E: Engine>(blob: &E::Blob<'_>) -> String {
    format!("{} bytes", E::blob_len(blob))
}

/// Moves the BLOB handle of a slot to another row.
fn move_blob<E: Engine>(slot: &mut OpenSlot<'_, E>, row: i64, rows: &mut Vec<String>) -> End {
    let What::Blob(blob) = &mut slot.what else { return End::Nothing };
    let end = ended(E::reopen(blob, row));
    rows.push(len_of_blob::<E>(blob));
    end
}

/// Reads or writes bytes of a BLOB, within its length.
fn move_bytes<E: Engine>(
    slot: &mut OpenSlot<'_, E>,
    offset: usize,
    count: usize,
    writes: bool,
    rows: &mut Vec<String>,
) -> End {
    let What::Blob(blob) = &mut slot.what else { return End::Nothing };
    let len = E::blob_len(blob);
    let offset = offset.min(len);
    let mut bytes = vec![b'w'; count.min(len - offset)];
    if bytes.is_empty() {
        return End::Nothing; // rusqlite does not call SQLite for an empty range
    }
    let result = if writes { E::write(blob, &bytes, offset) } else { E::read(blob, &mut bytes, offset) };
    // The message is not compared, because it depends on the interface.
    match result {
        Ok(()) => {
            rows.push(format!("{len} bytes: '{}'", bytes.escape_ascii()));
            End::Done
        }
        Err((code, _)) => End::Error(code, String::new()),
    }
}

fn shown(row: &[Value]) -> String {
    let values: Vec<String> = row.iter().map(|value| exactly(value.as_ref())).collect();
    format!("({})", values.join(", "))
}

fn content_of_file<E: Engine>(folder: &Path) -> Content {
    let path = folder.join("main.db");
    let connection = E::open(&path, Budget::new(u32::MAX)).expect("the database can be opened again");
    let mut content = content_of::<E>(&connection);
    for name in ["aux", "one", "two"] {
        let other = folder.join(format!("{name}.db"));
        if other.exists() {
            let _ = run::<E>(&connection, &format!("ATTACH '{}' AS {name}", other.display()), &[], &mut Vec::new());
            content.extend(content_of_database::<E>(&connection, name));
            content.extend(answers::<E>(&connection, &format!("PRAGMA {name}.integrity_check")));
        }
    }
    E::close(connection).expect("the connection can be closed");
    content
}

fn content_of<E: Engine>(connection: &E::Connection) -> Content {
    let _ = run::<E>(connection, "ROLLBACK", &[], &mut Vec::new());
    let mut content = answers::<E>(connection, "PRAGMA integrity_check");
    content.extend(content_of_database::<E>(connection, "main"));
    content.extend(content_of_database::<E>(connection, "temp"));
    content
}

fn content_of_database<E: Engine>(connection: &E::Connection, database: &str) -> Content {
    let schema = format!("SELECT type, name, tbl_name, sql FROM {database}.sqlite_schema ORDER BY 1, 2");
    let mut content = answers::<E>(connection, &schema);
    let names = format!("SELECT name FROM {database}.sqlite_schema WHERE type = 'table' ORDER BY 1");
    for name in answers::<E>(connection, &names) {
        let name = name.trim_matches(['(', ')', '\'']);
        content.push(format!("table {database}.{name}"));
        content.extend(answers::<E>(connection, &format!("SELECT * FROM {database}.\"{name}\"")));
    }
    content
}

/// The rows of a statement, and its end.
fn answers<E: Engine>(connection: &E::Connection, sql: &str) -> Vec<String> {
    let mut rows = Vec::new();
    match run::<E>(connection, sql, &[], &mut rows) {
        End::Done => {}
        other => rows.push(format!("{sql}: {other}")),
    }
    rows
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}:\n    Lithe:  {}\n    SQLite: {}\n", self.at + 1, self.lithe, self.sqlite)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.rows.is_empty() {
            write!(f, "{} rows ", self.rows.len())?;
        }
        self.rows.iter().rev().take(24).rev().try_for_each(|row| write!(f, "{row} "))?;
        write!(f, "{}", self.end)?;
        match self.state {
            None => Ok(()),
            Some((changes, total, rowid, autocommit)) => write!(
                f,
                " [changes {changes} of {total}, rowid {rowid}{}]",
                if autocommit { "" } else { ", in a transaction" }
            ),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Nothing => write!(f, "nothing"),
            End::Open => write!(f, "(open)"),
            End::Done => write!(f, "(done)"),
            End::Error(code, message) => write!(f, "{:?} {message}", ResultCode(*code)),
        }
    }
}
