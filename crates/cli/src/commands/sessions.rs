//! `.session`: records changes, and writes them as changesets.

use crate::commands::failure::Failure;
use std::cell::RefCell;
use std::rc::Rc;

use lithe::session::Session;

use super::{boolean, usage};
use crate::recording::NamedSession;
use crate::shell::Shell;

type Result = std::result::Result<(), Failure>;

/// The most sessions of a connection.
const SESSIONS_MAX: usize = 16;

/// `.session ?NAME? CMD …`
pub fn session(shell: &mut Shell, arguments: &[String]) -> Result {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["open", database, name] => open(shell, database, name),
        ["list"] => {
            let sessions = shell.database.sessions.iter().enumerate();
            let text: String = sessions.map(|(i, session)| format!("{i} {}\n", session.name)).collect();
            Ok(shell.output.print(&text)?)
        }
        [] | ["open", ..] => Err(usage(".session")),
        [first, ref rest @ ..] => {
            let named = shell.database.sessions.iter().position(|session| session.name == first);
            match (named, rest) {
                (Some(at), [command, rest @ ..]) => run(shell, at, command, rest),
                (_, rest) => run(shell, 0, first, rest),
            }
        }
    }
}

fn open(shell: &mut Shell, database: &str, name: &str) -> Result {
    if name.is_empty() {
        return Err(usage(".session"));
    }
    if shell.database.sessions.iter().any(|session| session.name == name) {
        return Err(format!("Session \"{name}\" already exists").into());
    }
    if shell.database.sessions.len() >= SESSIONS_MAX {
        return Err(format!("Maximum of {SESSIONS_MAX} sessions").into());
    }
    let session = Session::shared(Rc::clone(&shell.database.connection), database);
    let rejected = Rc::new(RefCell::new(Vec::<String>::new()));
    shell.database.sessions.push(NamedSession { name: name.to_owned(), session, rejected });
    Ok(())
}

/// Runs a command on the session at this position.
fn run(shell: &mut Shell, at: usize, command: &str, arguments: &[&str]) -> Result {
    const COMMANDS: [&str; 9] =
        ["attach", "changeset", "close", "enable", "filter", "indirect", "isempty", "patchset", "list"];
    if !COMMANDS.contains(&command) {
        return Err(usage(".session"));
    }
    let Some(open) = shell.database.sessions.get(at) else { return Err("No sessions are open".into()) };
    let (name, session) = (&open.name, &open.session);
    match (command, arguments) {
        ("attach", [table]) => {
            session.attach(Some(*table).filter(|table| *table != "*"));
            Ok(())
        }
        ("changeset" | "patchset", [file]) => {
            let made = if command == "changeset" { session.changeset() } else { session.patchset() };
            let bytes = made.map_err(|error| format!("error code {}", error.code().primary().0))?;
            Ok(std::fs::write(file, bytes).map_err(|_| format!("cannot open \"{file}\" for writing"))?)
        }
        ("close", []) => {
            shell.database.sessions.remove(at);
            Ok(())
        }
        ("enable", value) if value.len() < 2 => {
            if let [value] = value {
                session.set_enabled(boolean(value)?);
            }
            let text = format!("session {name} enable flag = {}\n", u8::from(session.is_enabled()));
            Ok(shell.output.print(&text)?)
        }
        ("indirect", value) if value.len() < 2 => {
            if let [value] = value {
                session.set_indirect(boolean(value)?);
            }
            let text = format!("session {name} indirect flag = {}\n", u8::from(session.is_indirect()));
            Ok(shell.output.print(&text)?)
        }
        ("isempty", []) => {
            let text = format!("session {name} isempty flag = {}\n", u8::from(session.is_empty()));
            Ok(shell.output.print(&text)?)
        }
        ("filter", [_, ..]) => {
            *open.rejected.borrow_mut() = arguments.iter().map(|&pattern| pattern.to_owned()).collect();
            let rejected = Rc::clone(&open.rejected);
            session.set_table_filter(Some(move |table: &str| {
                !rejected.borrow().iter().any(|pattern| lithe::glob_matches(pattern, table))
            }));
            Ok(())
        }
        _ => Err(usage(".session")),
    }
}
