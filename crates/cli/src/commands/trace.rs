//! `.trace`: statements as they run. `.auth`: what they ask to do. `.log`: what the engine reports.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use lithe::{Action, Permission, Request, TraceEvent};

use super::{boolean, usage};
use crate::shell::{SafeMode, Shell};

type Result = std::result::Result<(), String>;
type Output = Box<dyn Write + Send>;

/// Which events are shown, and how.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    statements: bool,
    rows: bool,
    profile: bool,
    expanded: bool,
}

/// `.trace ?OPTIONS? ?FILE|stdout|stderr|off?`
pub fn trace(shell: &mut Shell, arguments: &[String]) -> Result {
    let mut wanted = Wanted { statements: false, rows: false, profile: false, expanded: false };
    let mut file = None;
    for argument in arguments {
        match argument.strip_prefix('-').map(|name| name.trim_start_matches('-')) {
            None => file = Some(argument.as_str()),
            Some("expanded") => wanted.expanded = true,
            Some("plain") => wanted.expanded = false,
            Some("stmt") => wanted.statements = true,
            Some("row") => wanted.rows = true,
            Some("profile") => wanted.profile = true,
            Some("close") => {}
            Some(_) => return Err(format!("Unknown option \"{argument}\" on \".trace\"")),
        }
    }
    wanted.statements |= !(wanted.rows || wanted.profile);
    let output = open_output(file.unwrap_or("off"))?;
    shell.database.connection.set_trace_hook(output.map(|mut output| {
        move |event: TraceEvent<'_>| {
            if let Some(line) = traced(&event, wanted) {
                // A trace that cannot be written is no reason to stop the statement.
                let _ = writeln!(output, "{line}").and_then(|()| output.flush());
            }
        }
    }));
    Ok(())
}

fn traced(event: &TraceEvent<'_>, wanted: Wanted) -> Option<String> {
    let text = |statement: &lithe::TracedStatement<'_>| {
        let sql = if wanted.expanded { statement.expanded_sql() } else { statement.sql().to_owned() };
        sql.trim_end_matches(|c: char| c == ';' || c.is_whitespace()).to_owned()
    };
    match event {
        TraceEvent::Statement(statement) => wanted.statements.then(|| format!("{};", text(statement))),
        TraceEvent::Trigger(comment) => wanted.statements.then(|| format!("{comment};")),
        TraceEvent::Row(statement) => wanted.rows.then(|| format!("{};", text(statement))),
        TraceEvent::Profile(statement, time) => {
            wanted.profile.then(|| format!("{}; -- {} ns", text(statement), time.as_nanos()))
        }
        TraceEvent::Close => None,
    }
}

/// A file, or what the name says; nothing for `off`.
fn open_output(name: &str) -> std::result::Result<Option<Output>, String> {
    Ok(Some(match name {
        "off" => return Ok(None),
        "stdout" | "on" => Box::new(std::io::stdout()),
        "stderr" => Box::new(std::io::stderr()),
        file => Box::new(std::fs::File::create(file).map_err(|_| format!("cannot open \"{file}\""))?),
    }))
}

/// Where the error log of the process goes.
static LOG: Mutex<Option<Output>> = Mutex::new(None);

/// `.log FILE|stdout|stderr|off`
pub fn log(_: &mut Shell, arguments: &[String]) -> Result {
    let [name] = arguments else { return Err(usage(".log")) };
    let output = open_output(name)?;
    *LOG.lock().unwrap_or_else(PoisonError::into_inner) = output;
    lithe::set_error_log(|code, message| {
        if let Some(output) = LOG.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            let written = write!(output, "({code}) ").and_then(|()| output.write_all(message));
            let _ = written.and_then(|()| output.write_all(b"\n")).and_then(|()| output.flush());
        }
    });
    Ok(())
}

/// `.auth ON|OFF`
pub fn auth(shell: &mut Shell, arguments: &[String]) -> Result {
    let [value] = arguments else { return Err(usage(".auth")) };
    shell.settings.shows_requests = boolean(value)?;
    guard(shell);
    Ok(())
}

/// Functions that reach beyond the database.
const UNSAFE_FUNCTIONS: [&str; 7] =
    ["edit", "fts3_tokenizer", "load_extension", "readfile", "writefile", "zipfile", "zipfile_cds"];

/// Sets the authorizer that `.auth` and the safe mode want.
pub fn guard(shell: &mut Shell) {
    let (shows, safe) = (shell.settings.shows_requests, shell.safe_mode.clone());
    let wants = shows || safe.is_on;
    let authorizer = move |request: &Request<'_>| {
        if shows {
            println!("{}", described(request));
        }
        if safe.is_on { permission(request, &safe) } else { Permission::Allow }
    };
    shell.database.connection.set_authorizer(wants.then_some(authorizer));
}

fn permission(request: &Request<'_>, safe: &SafeMode) -> Permission {
    let refused = match (request.action, request.second) {
        (Action::Attach, _) if request.first.is_some_and(|file| !file.is_empty() && file != ":memory:") => {
            "cannot run ATTACH in safe mode".to_owned()
        }
        (Action::Function, Some(name)) if UNSAFE_FUNCTIONS.contains(&name.to_ascii_lowercase().as_str()) => {
            format!("cannot use the {name}() function in safe mode")
        }
        _ => return Permission::Allow,
    };
    safe.refuse(&refused)
}

impl SafeMode {
    /// What is forbidden in safe mode ends the shell: a script must not go on as if it had been done.
    pub fn refuse(&self, what: &str) -> ! {
        eprintln!("line {}: {what}", crate::shell::current_line());
        std::process::exit(1)
    }
}

fn described(request: &Request<'_>) -> String {
    let quoted = |word: Option<&str>| word.map_or_else(|| "NULL".to_owned(), |word| format!("{word:?}"));
    let words = [request.first, request.second, request.database, request.within].map(quoted);
    format!("authorizer: {} {}", action_name(request.action), words.join(" "))
}

/// The name of SQLite's constant: `CREATE_INDEX`, `DROP_VTABLE`.
fn action_name(action: Action) -> String {
    let mut name = String::new();
    for letter in format!("{action:?}").chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name.replace("VIRTUAL_TABLE", "VTABLE")
}

#[cfg(test)]
mod tests {
    #[test]
    fn actions_have_their_names() {
        assert_eq!(super::action_name(lithe::Action::CreateTempView), "CREATE_TEMP_VIEW");
        assert_eq!(super::action_name(lithe::Action::DropVirtualTable), "DROP_VTABLE");
    }
}
