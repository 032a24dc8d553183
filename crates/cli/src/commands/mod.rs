//! The dot commands: one table entry each, from which `.help` is printed, too.
//!
//! | module | commands |
//! | --- | --- |
//! | `show` | what settings are, what is in the database |
//! | `set` | settings, output |
//! | `mode` | `.mode` |
//! | `parameter` | `.parameter` |
//! | `files` | `.open`, `.read`, `.backup`, `.restore`, `.shell` |
//! | `import`, `dump` | the commands of those names |

mod dump;
mod files;
mod import;
mod mode;
mod parameter;
mod set;
mod show;

use std::iter::Peekable;
use std::str::Chars;

use lithe::Connection;

use crate::shell::Shell;

pub use files::read_file;

/// A dot command.
struct Command {
    name: &'static str,
    /// What may follow the name, for help.
    arguments: &'static str,
    help: &'static str,
    run: fn(&mut Shell, &[String]) -> Result<(), String>,
}

const fn command(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    run: fn(&mut Shell, &[String]) -> Result<(), String>,
) -> Command {
    Command { name, arguments, help, run }
}

const COMMANDS: &[Command] = &[
    command(".backup", "?DB? FILE", "Copy DB (default \"main\") to FILE", files::backup),
    command(".bail", "on|off", "Stop after an error", set::bail),
    command(".cd", "DIRECTORY", "Change the working directory", files::cd),
    command(".changes", "on|off", "Show the number of rows changed by SQL", set::changes),
    command(".clone", "NEWFILE", "Copy the database to a new file, as VACUUM INTO does", files::clone),
    command(".databases", "", "List the databases and their files", show::databases),
    command(
        ".dump",
        "?OBJECT?…",
        "Show the database as SQL: --data-only --newlines --nosys --preserve-rowids",
        dump::dump,
    ),
    command(".echo", "on|off", "Print statements before running them", set::echo),
    command(".eqp", "on|off", "Show the query plan before each statement", set::eqp),
    command(".exit", "?CODE?", "Leave, with a return code", set::exit),
    command(".explain", "on|off|auto", "Show EXPLAIN as a listing or a tree", set::explain),
    command(".fullschema", "", "Show all CREATE statements, and what ANALYZE has found", dump::full_schema),
    command(".headers", "on|off", "Show column names", set::headers),
    command(".help", "?PATTERN?", "Show this text, or the commands that match", show::help),
    command(
        ".import",
        "FILE TABLE",
        "Read rows from FILE (or |PROGRAM) into TABLE: --ascii --csv --tabs --skip N --schema S -v",
        import::import,
    ),
    command(".indexes", "?TABLE?", "List indexes", show::indexes),
    command(".indices", "?TABLE?", "List indexes", show::indexes),
    command(
        ".mode",
        "?MODE? ?TABLE? ?OPTIONS?",
        "Choose how rows are shown; alone: what was chosen; -v: with all options; --list: the modes",
        mode::mode,
    ),
    command(".nullvalue", "TEXT", "Choose the text shown for NULL", set::nullvalue),
    command(".once", "FILE", "Send the output of the next statements or command to FILE or |PROGRAM", set::once),
    command(".open", "?--readonly? ?--new? FILE", "Close this database and open FILE", files::open),
    command(".output", "?FILE?", "Send output to FILE or |PROGRAM, or back to the terminal", set::output),
    command(
        ".parameter",
        "init|list|set N V|unset N|clear",
        "Values for parameters of statements",
        parameter::parameter,
    ),
    command(".print", "TEXT…", "Print a text", set::print),
    command(".prompt", "MAIN CONTINUE", "Change the prompts", set::prompt),
    command(".quit", "", "Leave", set::exit),
    command(".read", "FILE", "Run the lines of FILE", files::read),
    command(".restore", "?DB? FILE", "Restore DB (default \"main\") from FILE", files::restore),
    command(".save", "?DB? FILE", "Copy DB (default \"main\") to FILE", files::backup),
    command(".schema", "?PATTERN?", "Show the CREATE statements that match: --nosys", show::schema),
    command(".separator", "COLUMN ?ROW?", "Choose the texts between columns and rows", set::separator),
    command(".shell", "COMMAND…", "Run a command of the system", files::shell),
    command(".show", "", "Show the settings", show::settings),
    command(".system", "COMMAND…", "Run a command of the system", files::shell),
    command(".tables", "?PATTERN?", "List tables and views", show::tables),
    command(".timeout", "MS", "Wait MS milliseconds for locks of others", set::timeout),
    command(".timer", "on|off", "Show how long statements take", set::timer),
    command(".version", "", "Show the version", show::version),
    command(".width", "N1 N2 …", "Set column widths: 0 fits, negative aligns right", set::width),
];

/// The commands' names, with the dot.
pub const NAMES: [&str; COMMANDS.len()] = {
    let mut names = [""; COMMANDS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = COMMANDS[at].name;
        at += 1;
    }
    names
};

/// Runs a line that begins with a dot. A name may be shortened as long as one command is meant.
pub fn run(shell: &mut Shell, line: &str) -> Result<(), String> {
    let words = split(line);
    let Some((name, arguments)) = words.split_first() else { return Ok(()) };
    let exact = COMMANDS.iter().find(|command| command.name == name);
    let mut beginning = COMMANDS.iter().filter(|command| command.name.starts_with(name.as_str()));
    let found = exact.or_else(|| beginning.next());
    match found {
        Some(command) if name.len() > 1 => (command.run)(shell, arguments),
        _ => Err(format!("unknown command or invalid arguments:  \"{}\". Enter \".help\" for help", &name[1..])),
    }
}

/// Words apart at spaces; in single quotes as they are, in double quotes or without quotes with backslash escapes.
fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut chars = line.chars().peekable();
    loop {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        let mut word = String::new();
        match chars.peek() {
            None => return words,
            Some('\'') => {
                chars.next();
                word.extend(chars.by_ref().take_while(|c| *c != '\''));
            }
            Some('"') => {
                chars.next();
                double_quoted(&mut chars, &mut word);
            }
            Some(_) => {
                while let Some(c) = chars.next_if(|c| !c.is_whitespace()) {
                    if c == '\\' { unescape(&mut chars, &mut word) } else { word.push(c) }
                }
            }
        }
        words.push(word);
    }
}

fn double_quoted(chars: &mut Peekable<Chars<'_>>, word: &mut String) {
    while let Some(c) = chars.next() {
        match c {
            '"' => return,
            '\\' => unescape(chars, word),
            c => word.push(c),
        }
    }
}

/// What a backslash and the characters after it mean: `\t`, `\n`, `\r`, up to three octal digits, or the next character.
fn unescape(chars: &mut Peekable<Chars<'_>>, word: &mut String) {
    match chars.next() {
        Some('n') => word.push('\n'),
        Some('t') => word.push('\t'),
        Some('r') => word.push('\r'),
        Some(digit @ '0'..='7') => {
            let mut code = u32::from(digit) - u32::from('0');
            for _ in 0..2 {
                let Some(digit) = chars.next_if(|c| ('0'..='7').contains(c)) else { break };
                code = code * 8 + (u32::from(digit) - u32::from('0'));
            }
            word.extend(char::from_u32(code));
        }
        Some(other) => word.push(other),
        None => word.push('\\'),
    }
}

/// What switches something on or off.
fn boolean(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "yes" | "true" | "1" => Ok(true),
        "off" | "no" | "false" | "0" => Ok(false),
        other => Err(format!("not a boolean value: \"{other}\"")),
    }
}

/// "usage: …" for a command whose arguments are wrong.
fn usage(name: &str) -> String {
    let arguments = COMMANDS.iter().find(|command| command.name == name).map_or("", |command| command.arguments);
    format!("usage: {name} {arguments}")
}

/// The names of tables and columns, for completion. Without them (a locked or damaged database) only keywords are offered.
pub fn completion_names(connection: &Connection) -> Vec<String> {
    let sql = "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'";
    let tables: lithe::Result<Vec<String>> =
        connection.prepare(sql).and_then(|mut statement| statement.query_map([], |row| row.get(0)));
    let mut names = tables.unwrap_or_default();
    for table in names.clone() {
        let columns: lithe::Result<Vec<String>> = connection
            .prepare(&format!("PRAGMA table_info({})", crate::quote::string(&table)))
            .and_then(|mut statement| statement.query_map([], |row| row.get("name")));
        names.extend(columns.unwrap_or_default());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(split(".mode  csv"), [".mode", "csv"]);
        assert_eq!(split(".separator '\\t' \"\\n\""), [".separator", "\\t", "\n"]);
        assert_eq!(split(".read 'a b'\"c\""), [".read", "a b", "c"]);
        assert_eq!(split(".print ''"), [".print", ""]);
        assert_eq!(split(".separator \\t \\037x"), [".separator", "\t", "\x1fx"]);
    }

    #[test]
    fn commands_are_sorted() {
        assert!(COMMANDS.is_sorted_by_key(|command| command.name));
    }
}
