//! `.selftest`: the tests in the table `selftest(tno, op, cmd, ans)` of a database.

use crate::commands::failure::Failure;
use lithe::Connection;

use crate::quote;
use crate::shell::Shell;

type Result<T> = std::result::Result<T, Failure>;

struct Test {
    number: i64,
    operation: String,
    command: String,
    answer: String,
}

const CREATE: &str = "CREATE TABLE selftest(\n  tno INTEGER PRIMARY KEY,   -- Test number\n  op TEXT,                   \
-- Operator:  memo run\n  cmd TEXT,                  -- Command text\n  ans TEXT                   -- Desired answer\n)";

/// `.selftest ?--init? ?-v?`
pub fn selftest(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let (mut is_verbose, mut makes) = (false, false);
    for argument in arguments {
        match argument.trim_start_matches('-') {
            "init" if argument.starts_with('-') => makes = true,
            "v" if argument.starts_with('-') => is_verbose = true,
            _ => {
                return Err(
                    format!("Unknown option \"{argument}\" on \"selftest\"\nShould be one of: --init -v").into()
                );
            }
        }
    }
    let connection = std::rc::Rc::clone(&shell.database.connection);
    let mut tests = stored_tests(&connection)?;
    if makes && tests.is_none() {
        make_tests(&connection).map_err(|e| e.to_string())?;
        tests = stored_tests(&connection)?;
    }
    let tests = tests.unwrap_or_else(default_tests);
    let (mut failed, mut text) = (0, String::new());
    for test in &tests {
        if is_verbose && test.operation == "run" {
            text.push_str(&format!("{}: {} {}\n", test.number, test.operation, test.command));
        }
        failed += usize::from(!run(&connection, test, is_verbose, &mut text)?);
    }
    text.push_str(&format!(
        "{failed} errors out of {} tests\n",
        tests.iter().filter(|test| test.operation == "run").count()
    ));
    Ok(shell.output.print(&text)?)
}

/// Runs a test; answers whether it passes.
fn run(connection: &Connection, test: &Test, is_verbose: bool, text: &mut String) -> Result<bool> {
    match test.operation.as_str() {
        "memo" => {
            text.push_str(&format!("{}\n", test.command));
            Ok(true)
        }
        "run" => match answer(connection, &test.command) {
            Ok(answer) if answer == test.answer => {
                if is_verbose {
                    text.push_str(&format!("Result: {answer}\n"));
                }
                Ok(true)
            }
            Ok(answer) => {
                let number = test.number;
                text.push_str(&format!("{number}: Expected: [{}]\n{number}:      Got: [{answer}]\n", test.answer));
                Ok(false)
            }
            Err(error) => {
                text.push_str(&format!("{}: error-code-{}: {error}\n", test.number, error.code().primary().0));
                Ok(false)
            }
        },
        other => Err(format!("Unknown operation \"{other}\" on selftest line {}", test.number).into()),
    }
}

/// All values of all rows, one on each line.
fn answer(connection: &Connection, sql: &str) -> lithe::Result<String> {
    let (mut lines, mut rest) = (Vec::new(), sql.as_bytes());
    while !rest.is_empty() {
        let (statement, tail) = connection.prepare_first(rest)?;
        if let Some(mut statement) = statement {
            while let Some(row) = statement.step()? {
                for i in 0..row.column_count() {
                    lines.push(String::from_utf8_lossy(&crate::output::plain(row.get_ref(i))).into_owned());
                }
            }
        }
        if tail == 0 {
            break; // at a NUL
        }
        rest = &rest[tail..];
    }
    Ok(lines.join("\n"))
}

fn stored_tests(connection: &Connection) -> Result<Option<Vec<Test>>> {
    let Ok(mut statement) = connection.prepare("SELECT tno, op, cmd, ans FROM selftest ORDER BY tno") else {
        return Ok(None);
    };
    let test = |row: &lithe::Row<'_>| {
        let text = |i| row.get::<Option<String>>(i).map(Option::unwrap_or_default);
        Ok(Test { number: row.get(0)?, operation: text(1)?, command: text(2)?, answer: text(3)? })
    };
    Ok(statement.query_map([], test).map(Some).map_err(|e| e.to_string())?)
}

/// The tests of a database without the table: a memo, and an integrity check.
fn default_tests() -> Vec<Test> {
    let test = |number, operation: &str, command: &str, answer: &str| Test {
        number,
        operation: operation.to_owned(),
        command: command.to_owned(),
        answer: answer.to_owned(),
    };
    vec![
        test(0, "memo", "Missing SELFTEST table - default checks only", ""),
        test(1, "run", "PRAGMA integrity_check", "ok"),
    ]
}

/// Creates tests of the current content.
fn make_tests(connection: &Connection) -> lithe::Result<()> {
    let names =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND coalesce(rootpage, 0) > 1 ORDER BY 1 COLLATE nocase";
    let names: Vec<String> = connection.prepare(names)?.query_map([], |row| row.get(0))?;
    let hash = |sql: &str| format!("SELECT hex(sha3_query({},224))", quote::string(sql));
    let mut tests = vec![hash("SELECT type,name,tbl_name,sql FROM sqlite_schema ORDER BY 2")];
    tests
        .extend(names.iter().map(|name| hash(&format!("SELECT * FROM \"{}\" NOT INDEXED", name.replace('"', "\"\"")))));
    tests.push("PRAGMA integrity_check".to_owned());
    let transaction = connection.transaction()?;
    connection.execute_batch(CREATE)?;
    let insert = "INSERT INTO selftest(tno, op, cmd, ans) VALUES (?1, ?2, ?3, ?4)";
    connection.execute(insert, lithe::params![100, "memo", "Tests generated by --init", ""])?;
    // The schema's hash includes the new table.
    for (number, command) in (11..).zip(&tests) {
        let answer = answer(connection, command)?;
        connection.execute(insert, lithe::params![number * 10, "run", command.as_str(), answer.as_str()])?;
    }
    transaction.commit()
}
