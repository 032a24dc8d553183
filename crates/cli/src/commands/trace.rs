//! `.trace`: prints statements as they run. `.auth`: prints their authorizer requests. `.log`: prints the engine's error log.

use crate::commands::failure::Failure;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use lithe::TraceEvent;

use super::{boolean, usage};
use crate::shell::Shell;

type Result = std::result::Result<(), Failure>;
type Output = Box<dyn Write + Send>;

/// The events that are printed, and their form.
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
            Some(_) => return Err(format!("Unknown option \"{argument}\" on \".trace\"").into()),
        }
    }
    wanted.statements |= !(wanted.rows || wanted.profile);
    let output = open_output(file.unwrap_or("off"))?;
    shell.database.connection.set_trace_hook(output.map(|mut output| {
        move |event: TraceEvent<'_>| {
            if let Some(line) = traced(&event, wanted) {
                // An error of the trace output must not stop the statement.
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

/// The output of that name: a file, or a standard stream; None for `off`.
fn open_output(name: &str) -> std::result::Result<Option<Output>, String> {
    Ok(Some(match name {
        "off" => return Ok(None),
        "stdout" | "on" => Box::new(std::io::stdout()),
        "stderr" => Box::new(std::io::stderr()),
        file => Box::new(std::fs::File::create(file).map_err(|_| format!("cannot open \"{file}\""))?),
    }))
}

/// The output of the process's error log.
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
    shell.guard();
    Ok(())
}
