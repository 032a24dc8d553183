//! Running a text of several statements: `sqlite3_exec` and `sqlite3_get_table`.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use crate::code;
use crate::column::{sqlite3_column_count, sqlite3_column_name, sqlite3_column_text};
use crate::connection::statement::sqlite3_stmt;
use crate::connection::{Locked, live, sqlite3};
use crate::ffi_guard::api;
use crate::memory;
use crate::prepare::prepare_one;
use crate::step::{sqlite3_finalize, sqlite3_step};
use crate::text;

/// Called for each row, with the texts and names of the columns. A result other than 0 stops the run.
pub(crate) type ExecCallback =
    Option<unsafe extern "C" fn(*mut c_void, c_int, *mut *mut c_char, *mut *mut c_char) -> c_int>;

/// What a statement gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    FirstRow,
    Row,
    /// No row, which is told only if PRAGMA empty_result_callbacks is on.
    Nothing,
}

/// Runs all statements of `sql`, and calls `row` for what they give. The run stops if `row` returns false.
///
/// # Safety
/// `db` is the handle of the locked connection, and `sql` ends with NUL.
unsafe fn run(
    handle: *mut sqlite3,
    db: &Locked<'_>,
    sql: *const c_char,
    row: &mut dyn FnMut(*mut sqlite3_stmt, Given) -> bool,
) -> c_int {
    // SAFETY: our caller's promise; the statements are made and ended here.
    unsafe {
        let len = text::sized(sql.cast(), -1).len();
        let mut at = 0;
        while at < len {
            let mut statement = null_mut();
            let rest = std::slice::from_raw_parts(sql.add(at).cast::<u8>(), len - at);
            let (code, used) = prepare_one(db, handle, rest, &mut statement);
            if code != code::OK {
                return code;
            }
            at += used;
            if statement.is_null() {
                continue;
            }
            let mut has_rows = false;
            loop {
                let given = match sqlite3_step(statement) {
                    code::ROW if has_rows => Given::Row,
                    code::ROW => Given::FirstRow,
                    code::DONE if !has_rows && db.core().has_empty_result_callbacks() => Given::Nothing,
                    code::DONE => break,
                    _ => return sqlite3_finalize(statement),
                };
                if !row(statement, given) {
                    sqlite3_finalize(statement);
                    return db.fail_code(code::ABORT);
                }
                has_rows = true;
                if given == Given::Nothing {
                    break;
                }
            }
            let code = sqlite3_finalize(statement);
            if code != code::OK {
                return code;
            }
            while at < len && (*sql.add(at).cast::<u8>()).is_ascii_whitespace() {
                at += 1;
            }
        }
    }
    db.ok()
}

/// Stores the message of an error where the application wants it.
///
/// # Safety
/// `message` is null or can be written.
unsafe fn leave_message(db: &sqlite3, code: c_int, message: *mut *mut c_char) {
    // SAFETY: our caller's promise.
    if let Some(message) = unsafe { message.as_mut() } {
        *message = if code == code::OK { null_mut() } else { memory::copy_text(&db.message_bytes()) };
    }
}

/// The names of the columns, and behind them space for one row's texts and a null pointer.
///
/// # Safety
/// `statement` is live and stands on a row or has not begun.
unsafe fn names(statement: *mut sqlite3_stmt) -> Vec<*mut c_char> {
    // SAFETY: our caller's promise.
    unsafe { (0..sqlite3_column_count(statement)).map(|i| sqlite3_column_name(statement, i).cast_mut()).collect() }
}

/// Puts the texts of a row, and null for NULL, in the place of those of another; `texts` ends with a null pointer then.
///
/// # Safety
/// As [`names`].
unsafe fn read_texts(statement: *mut sqlite3_stmt, texts: &mut Vec<*mut c_char>) {
    texts.clear();
    // SAFETY: our caller's promise.
    unsafe {
        let text = |i| sqlite3_column_text(statement, i).cast::<c_char>().cast_mut();
        texts.extend((0..sqlite3_column_count(statement)).map(text).chain([null_mut()]));
    }
}

/// A table under construction: names, then the texts of each row.
#[derive(Default)]
struct Table {
    cells: Vec<*mut c_char>,
    /// The texts of the last row.
    texts: Vec<*mut c_char>,
    rows: usize,
    columns: usize,
    /// The statements have different numbers of columns.
    is_incompatible: bool,
}

impl Table {
    /// # Safety
    /// As [`names`].
    unsafe fn add(&mut self, statement: *mut sqlite3_stmt, given: Given) -> bool {
        // SAFETY: our caller's promise; names and texts end with NUL.
        unsafe {
            let copy = |cell: &*mut c_char| text::bytes(*cell).map_or(null_mut(), memory::copy_text);
            if self.cells.is_empty() {
                let names = names(statement);
                self.columns = names.len();
                self.cells.extend(names.iter().map(copy));
            } else if given != Given::Row && self.columns != sqlite3_column_count(statement) as usize {
                self.is_incompatible = true;
                return false;
            }
            if given == Given::Nothing {
                return true;
            }
            read_texts(statement, &mut self.texts);
            self.cells.extend(self.texts[..self.columns].iter().map(copy));
        }
        self.rows += 1;
        true
    }

    /// The memory for the application: the number of cells is stored before the first one.
    fn finish(self) -> *mut *mut c_char {
        let count = self.cells.len() + 1;
        let block = memory::malloc((count * size_of::<*mut c_char>()) as u64).cast::<*mut c_char>();
        if !block.is_null() {
            // SAFETY: the block has space for the count and the cells.
            unsafe {
                block.write(std::ptr::without_provenance_mut(count));
                block.add(1).copy_from_nonoverlapping(self.cells.as_ptr(), self.cells.len());
                return block.add(1);
            }
        }
        null_mut()
    }

    fn free(self) {
        for cell in self.cells {
            // SAFETY: all cells are null or copies made here.
            unsafe { memory::free(cell.cast()) };
        }
    }
}

api! {
    fn sqlite3_exec(
        handle: *mut sqlite3, sql: *const c_char, callback: ExecCallback, arg: *mut c_void,
        message: *mut *mut c_char,
    ) -> c_int {
        let db = match live(handle) {
            Ok(db) => db,
            Err(code) => return code,
        };
        let (mut columns, mut texts) = (Vec::new(), Vec::new());
        let mut row = |statement, given| {
            let Some(callback) = callback else { return true };
            if given != Given::Row {
                columns = names(statement);
                columns.push(null_mut()); // so that the list has an address even without columns
            }
            let values = if given == Given::Nothing {
                null_mut()
            } else {
                read_texts(statement, &mut texts);
                texts.as_mut_ptr()
            };
            callback(arg, columns.len() as c_int - 1, values, columns.as_mut_ptr()) == 0
        };
        let sql = if sql.is_null() { c"".as_ptr() } else { sql };
        let code = run(handle, &db, sql, &mut row);
        leave_message(&db, code, message);
        code
    }

    fn sqlite3_get_table(
        handle: *mut sqlite3, sql: *const c_char, result: *mut *mut *mut c_char, rows: *mut c_int,
        columns: *mut c_int, message: *mut *mut c_char,
    ) -> c_int {
        let (Ok(db), Some(result)) = (live(handle), result.as_mut()) else { return code::MISUSE };
        *result = null_mut();
        if sql.is_null() {
            return db.fail_code(code::MISUSE);
        }
        let mut table = Table::default();
        let mut code = run(handle, &db, sql, &mut |statement, given| table.add(statement, given));
        if table.is_incompatible {
            code = db.fail_code(code::ERROR);
            if let Some(message) = message.as_mut() {
                *message = memory::copy_text(b"sqlite3_get_table() called with two or more incompatible queries");
            }
        } else {
            leave_message(&db, code, message);
        }
        if code != code::OK {
            table.free();
            return code;
        }
        if let Some(rows) = rows.as_mut() {
            *rows = table.rows as c_int;
        }
        if let Some(columns) = columns.as_mut() {
            *columns = table.columns as c_int;
        }
        *result = table.finish();
        if result.is_null() { code::NOMEM } else { code::OK }
    }

    fn sqlite3_free_table(result: *mut *mut c_char) {
        if result.is_null() {
            return;
        }
        let block = result.sub(1);
        let count = (*block).addr();
        for at in 1..count {
            memory::free((*block.add(at)).cast());
        }
        memory::free(block.cast());
    }
}
