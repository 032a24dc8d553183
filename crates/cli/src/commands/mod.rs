//! The dot commands: one table entry each, from which `.help` is printed, too.
//!
//! | room | commands |
//! | --- | --- |
//! | `show` | what settings are, what is in the database |
//! | `set` | settings, output |
//! | `files` | `.open`, `.read`, `.backup`, `.restore` |
//! | `import`, `dump` | the commands of those names |

mod dump;
mod files;
mod import;
mod set;
mod show;

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
    command(".databases", "", "List the databases and their files", show::databases),
    command(".dump", "?TABLE?…", "Show the database as SQL", dump::dump),
    command(".echo", "on|off", "Print statements before running them", set::echo),
    command(".eqp", "on|off", "Show the query plan before each statement", set::eqp),
    command(".exit", "?CODE?", "Leave, with a return code", set::exit),
    command(".headers", "on|off", "Show column names", set::headers),
    command(".help", "?PATTERN?", "Show this text, or the commands that match", show::help),
    command(
        ".import",
        "FILE TABLE",
        "Read rows from FILE into TABLE: --csv --tabs --skip N --schema S -v",
        import::import,
    ),
    command(".indexes", "?TABLE?", "List indexes", show::indexes),
    command(".mode", "MODE ?TABLE?", "Choose how rows are shown", set::mode),
    command(".nullvalue", "TEXT", "Choose the text shown for NULL", set::nullvalue),
    command(".once", "FILE", "Send the output of the next statement to FILE", set::once),
    command(".open", "?--readonly? ?--new? FILE", "Close this database and open FILE", files::open),
    command(".output", "?FILE?", "Send output to FILE, or back to the terminal", set::output),
    command(".print", "TEXT…", "Print a text", set::print),
    command(".prompt", "MAIN CONTINUE", "Change the prompts", set::prompt),
    command(".quit", "", "Leave", set::exit),
    command(".read", "FILE", "Run the lines of FILE", files::read),
    command(".restore", "?DB? FILE", "Restore DB (default \"main\") from FILE", files::restore),
    command(".schema", "?PATTERN?", "Show the CREATE statements that match", show::schema),
    command(".separator", "COLUMN ?ROW?", "Choose the texts between columns and rows", set::separator),
    command(".show", "", "Show the settings", show::settings),
    command(".tables", "?PATTERN?", "List tables and views", show::tables),
    command(".timer", "on|off", "Show how long statements take", set::timer),
    command(".version", "", "Show the version", show::version),
    command(".width", "N1 N2 …", "Set column widths: 0 fits, negative aligns right", set::width),
];

/// The commands' names, with the dot.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}

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

/// Words apart at spaces; in single quotes as they are, in double quotes with backslash escapes.
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
                    word.push(c);
                }
            }
        }
        words.push(word);
    }
}

fn double_quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, word: &mut String) {
    while let Some(c) = chars.next() {
        match c {
            '"' => return,
            '\\' => match chars.next() {
                Some('n') => word.push('\n'),
                Some('t') => word.push('\t'),
                Some('r') => word.push('\r'),
                Some(other) => word.push(other),
                None => return,
            },
            c => word.push(c),
        }
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
    }

    #[test]
    fn commands_are_sorted() {
        assert!(COMMANDS.is_sorted_by_key(|command| command.name));
    }
}
