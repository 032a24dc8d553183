//! The dot commands: one table entry each, which `.help` prints.
//!
//! | module | commands |
//! | --- | --- |
//! | `show` | the commands that show settings and the schema |
//! | `set` | the commands that change a setting; `.print`, `.exit` |
//! | `mode` | `.mode` |
//! | `parameter` | `.parameter` |
//! | `redirect` | `.output`, `.once`, `.excel`, `.www` |
//! | `files` | `.open`, `.read`, `.backup`, `.restore`, `.shell` |
//! | `connections`, `sessions` | `.connection`, `.session` |
//! | `testcase` | `.testcase`, `.check` |
//! | `trace`, `progress`, `stats` | observation of statements: `.trace`, `.auth`, `.log`, `.progress`, `.stats` |
//! | `limit`, `dbconfig`, `filectrl` | switches of the engine: `.limit`, `.dbconfig`, `.filectrl`, `.vfslist` |
//! | `modules` | `.unmodule`, `.nonce` |
//! | `load`, `imposter`, `testctrl` | extensions, tables over an index, switches for tests |
//! | `recover`, `archive` | damaged databases; files in databases |
//! | `import`, `dump`, `dbinfo`, `diskused`, `intck`, `lint`, `selftest`, `sha3sum` | the commands of those names |

mod archive;
mod connections;
mod dbconfig;
mod dbinfo;
mod diskused;
mod dump;
mod failure;
mod fields;
mod filectrl;
mod files;
mod import;
mod imposter;
mod intck;
mod limit;
mod lint;
mod load;
mod mode;
mod modules;
mod parameter;
mod progress;
mod recover;
mod redirect;
mod selftest;
mod sessions;
mod set;
mod sha3sum;
mod show;
mod stats;
mod testcase;
mod testctrl;
mod trace;

use std::iter::Peekable;
use std::str::Chars;

use lithe::Connection;

use crate::shell::Shell;
use failure::Failure;

pub use archive::archive;
pub use files::read_file;

/// A dot command.
struct Command {
    name: &'static str,
    /// The arguments, as `.help` shows them.
    arguments: &'static str,
    help: &'static str,
    run: fn(&mut Shell, &[String]) -> Result<(), Failure>,
}

const fn command(
    name: &'static str,
    arguments: &'static str,
    help: &'static str,
    run: fn(&mut Shell, &[String]) -> Result<(), Failure>,
) -> Command {
    Command { name, arguments, help, run }
}

const COMMANDS: &[Command] = &[
    command(
        ".archive",
        "OPTION… ?FILE…?",
        "Files in a database or ZIP file: -c -u -i -r -t -x, -v -f FILE -a FILE -C DIR -g; --help",
        |shell, words| Ok(archive::archive(shell, words)?),
    ),
    command(".auth", "on|off", "Show what statements ask the authorizer", trace::auth),
    command(".backup", "?DB? FILE", "Copy DB (default \"main\") to FILE", files::backup),
    command(".bail", "on|off", "Stop after an error", set::bail),
    command(".binary", "on|off", "Has no effect: output is written as it is", set::binary),
    command(".cd", "DIRECTORY", "Change the working directory", files::cd),
    command(".changes", "on|off", "Show the number of rows changed by SQL", set::changes),
    command(".check", "GLOB", "Fail if the output since .testcase is not as GLOB says", testcase::check),
    command(".clone", "NEWFILE", "Copy the database to a new file, as VACUUM INTO does", files::clone),
    command(
        ".connection",
        "?close? ?#?",
        "List connections, switch to number # (0 to 4), or close it",
        connections::connection,
    ),
    command(".databases", "", "List the databases and their files", show::databases),
    command(".dbconfig", "?SWITCH? ?on|off?", "List or set the switches of sqlite3_db_config()", dbconfig::dbconfig),
    command(".dbinfo", "?DB?", "Show what the header of DB says, and how large the schema is", dbinfo::dbinfo),
    command(".dbtotxt", "", "Show the bytes of the database as a text, which .open --hexdb reads", dbinfo::dbtotxt),
    command(".diskused", "?DB?", "Show how much of the file each table and index takes", diskused::diskused),
    command(
        ".dump",
        "?OBJECT?…",
        "Show the database as SQL: --data-only --newlines --nosys --preserve-rowids",
        dump::dump,
    ),
    command(".echo", "on|off", "Print statements before running them", set::echo),
    command(".eqp", "off|on|trigger|full", "Show the query plan before each statement", set::eqp),
    command(".excel", "?--bom?", "Show the rows of the next statements or command in a spreadsheet", redirect::excel),
    command(".exit", "?CODE?", "Leave, with a return code", set::exit),
    command(
        ".expert",
        "?--verbose? ?--sample PERCENT?",
        "Show the indexes that the next statement would use, instead of running it",
        set::expert,
    ),
    command(".explain", "?on|off|auto?", "Show EXPLAIN as a listing or a tree", set::explain),
    command(
        ".filectrl",
        "?--schema DB? CMD ?VALUE?",
        "Ask or tell the file of DB something; --help lists what",
        filectrl::filectrl,
    ),
    command(".fullschema", "?--indent?", "Show all CREATE statements, and what ANALYZE has found", dump::full_schema),
    command(".headers", "on|off|always", "Show column names", set::headers),
    command(".help", "?PATTERN?", "Show this text, or the commands that match", show::help),
    command(
        ".import",
        "FILE TABLE",
        "Read rows from FILE (or |PROGRAM) into TABLE: --ascii --csv --tabs --skip N --schema S -v",
        import::import,
    ),
    command(
        ".imposter",
        "INDEX NAME|off",
        "Make a table of the entries of INDEX; off: forget these tables",
        imposter::imposter,
    ),
    command(".indexes", "?TABLE?", "List indexes", show::indexes),
    command(".indices", "?TABLE?", "List indexes", show::indexes),
    command(".intck", "?N?", "Check the integrity table by table", intck::intck),
    command(".limit", "?LIMIT? ?VALUE?", "Show or set the limits of the connection", limit::limit),
    command(".lint", "fkey-indexes ?-verbose? ?-groupbyparent?", "Show the indexes that foreign keys lack", lint::lint),
    command(".load", "FILE ?ENTRY?", "Load an extension: a shared library", load::load),
    command(".log", "FILE|stdout|stderr|off", "Send the error log to FILE", trace::log),
    command(
        ".mode",
        "?MODE? ?TABLE? ?OPTIONS?",
        "Choose how rows are shown; alone: what was chosen; -v: with all options; --list: the modes",
        mode::mode,
    ),
    command(".nonce", "STRING", "Leave the safe mode for one command, if STRING is that of --nonce", modules::nonce),
    command(".nullvalue", "TEXT", "Choose the text shown for NULL", set::nullvalue),
    command(
        ".once",
        "?OPTIONS? ?FILE?",
        "Send the output of the next statements or command to FILE or |PROGRAM, an editor (-e), a spreadsheet (-x), a browser (-w); --bom",
        redirect::once,
    ),
    command(
        ".open",
        "?OPTIONS? ?FILE?",
        "Close this database and open FILE: --readonly --new --ifexists --nofollow --append --zip --deserialize --hexdb --maxsize N",
        files::open,
    ),
    command(".output", "?FILE?", "Send output to FILE or |PROGRAM, or back to the terminal", redirect::output),
    command(
        ".parameter",
        "init|list|set N V|unset N|clear",
        "Values for parameters of statements",
        parameter::parameter,
    ),
    command(".print", "TEXT…", "Print a text", set::print),
    command(
        ".progress",
        "N ?OPTIONS?",
        "Report every N instructions: --limit N --once --quiet --reset",
        progress::progress,
    ),
    command(
        ".prompt",
        "MAIN CONTINUE",
        "Change the prompts: --reset --hard-reset --color --no-color --show; /A /v /V /f /x /m /D /B /C /e are escapes",
        set::prompt,
    ),
    command(".quit", "", "Leave", set::exit),
    command(".read", "FILE", "Run the lines of FILE or of what |PROGRAM writes", files::read),
    command(
        ".recover",
        "?OPTIONS?",
        "Show what a damaged database holds as SQL: --ignore-freelist --lost-and-found TABLE --no-rowids",
        recover::recover,
    ),
    command(".restore", "?DB? FILE", "Restore DB (default \"main\") from FILE", files::restore),
    command(".save", "?DB? FILE", "Copy DB (default \"main\") to FILE", files::backup),
    command(
        ".scanstats",
        "on|off|est|vm",
        "Show what the loops of each statement have cost, also beside what was expected, or by instruction",
        stats::scanstats,
    ),
    command(".schema", "?PATTERN?", "Show the CREATE statements that match: --indent --nosys", show::schema),
    command(".selftest", "?--init? ?-v?", "Run the tests of the table selftest; --init makes it", selftest::selftest),
    command(".separator", "COLUMN ?ROW?", "Choose the texts between columns and rows", set::separator),
    command(
        ".session",
        "?NAME? CMD …",
        "Record changes: open DB NAME, attach TABLE, filter GLOB…, changeset FILE, patchset FILE, enable, indirect, isempty, list, close",
        sessions::session,
    ),
    command(
        ".sha3sum",
        "?OPTIONS? ?PATTERN?",
        "Show a hash of the content: --schema --sha3-224 (the default) --sha3-256 --sha3-384 --sha3-512",
        sha3sum::sha3sum,
    ),
    command(".shell", "COMMAND…", "Run a command of the system", files::shell),
    command(".show", "", "Show the settings", show::settings),
    command(
        ".stats",
        "?on|off|stmt|vmstep?",
        "Show what statements have cost; alone, what the connection has",
        stats::stats,
    ),
    command(".system", "COMMAND…", "Run a command of the system", files::shell),
    command(".tables", "?PATTERN?", "List tables and views", show::tables),
    command(".testcase", "?NAME?", "Keep the output for .check", testcase::testcase),
    command(".testctrl", "NAME …", "Set a switch for tests; --help lists the switches", testctrl::testctrl),
    command(".timeout", "MS", "Wait MS milliseconds for locks of others", set::timeout),
    command(".timer", "on|off", "Show how long statements take", set::timer),
    command(
        ".trace",
        "?OPTIONS? ?FILE|stdout|stderr|off?",
        "Show statements as they run: --expanded --plain --stmt --profile --row",
        trace::trace,
    ),
    command(".unmodule", "?--allexcept? NAME…", "Remove modules of virtual tables", modules::unmodule),
    command(".version", "", "Show the version", show::version),
    command(".vfsinfo", "?DB?", "Show the VFS of DB", filectrl::vfsinfo),
    command(".vfslist", "", "List the VFSes", filectrl::vfslist),
    command(".vfsname", "?DB?", "Show the name of the VFS of DB", filectrl::vfsname),
    command(".width", "N1 N2 …", "Set column widths: 0 fits, negative aligns right", set::width),
    command(".www", "?--bom? ?--plain?", "Show the rows of the next statements or command in a browser", redirect::www),
];

/// Commands with effects beyond the database: the safe mode refuses them.
const UNSAFE: [&str; 21] = [
    ".archive",
    ".backup",
    ".cd",
    ".clone",
    ".excel",
    ".import",
    ".imposter",
    ".load",
    ".log",
    ".once",
    ".output",
    ".read",
    ".restore",
    ".save",
    ".session",
    ".shell",
    ".system",
    ".testctrl",
    ".trace",
    ".unmodule",
    ".www",
];

/// Commands that are meant for tests, and can damage a database.
const FOR_TESTS: [&str; 2] = [".imposter", ".testctrl"];

/// The names of the commands, with the dot.
pub const NAMES: [&str; COMMANDS.len()] = {
    let mut names = [""; COMMANDS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = COMMANDS[at].name;
        at += 1;
    }
    names
};

/// Runs a line that begins with a dot. An unambiguous prefix of a name suffices.
pub fn run(shell: &mut Shell, line: &str) -> Result<(), Failure> {
    let words = split(line);
    let Some((name, arguments)) = words.split_first() else { return Ok(()) };
    // SQLite's shell takes both names.
    let name = if name == ".limits" { ".limit" } else { name.as_str() };
    let exact = COMMANDS.iter().find(|command| command.name == name);
    let mut beginning = COMMANDS.iter().filter(|command| command.name.starts_with(name));
    let found = exact.or_else(|| beginning.next());
    match found {
        Some(command) if name.len() > 1 => {
            let is_free = std::mem::take(&mut shell.safe_mode.is_suspended) || !shell.safe_mode.is_on;
            if !is_free && UNSAFE.contains(&command.name) {
                shell.safe_mode.refuse(&format!("cannot run {} in safe mode", command.name));
            }
            if !shell.is_testing && FOR_TESTS.contains(&command.name) {
                return Err(unavailable(command.name).into());
            }
            (command.run)(shell, arguments)
        }
        _ => Err(format!("unknown command or invalid arguments:  \"{}\". Enter \".help\" for help", &name[1..]).into()),
    }
}

/// Splits a line at spaces; single quotes keep a word as it is, backslash escapes apply in double quotes and without quotes.
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

/// The character of an escape: a backslash before `t`, `n`, `r`, up to three octal digits, or any other character.
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

/// Parses a switch: on or off.
fn boolean(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "yes" | "true" | "1" => Ok(true),
        "off" | "no" | "false" | "0" => Ok(false),
        other => Err(format!("not a boolean value: \"{other}\"")),
    }
}

/// Parses a number as `sqlite3` does: decimal or hexadecimal, with a sign, and a suffix `K`, `KB`, `KiB`, `M`, …
fn integer(text: &str) -> Result<i64, String> {
    let wrong = || format!("not a number: \"{text}\"");
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(digits) = digits.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).map(|value| sign * value.cast_signed()).map_err(|_| wrong());
    }
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let value: i64 = digits[..end].parse().map_err(|_| wrong())?;
    let factor = match digits[end..].to_ascii_lowercase().as_str() {
        "" => 1,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    Ok(value.saturating_mul(factor) * sign)
}

/// The error of a command that `-unsafe-testing` allows.
fn unavailable(name: &str) -> String {
    format!("{name} unavailable without --unsafe-testing")
}

/// The failure of a command with invalid arguments.
fn usage(name: &str) -> Failure {
    let arguments = COMMANDS.iter().find(|command| command.name == name).map_or("", |command| command.arguments);
    Failure::Usage(format!("{name} {arguments}").trim_end().to_owned())
}

/// The names of tables and columns, for completion. If they cannot be read (a locked or damaged database), only keywords are completed.
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
