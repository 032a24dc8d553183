//! Restrictions of statements: the safe mode, and the requests that `.auth` prints.

use std::sync::atomic::{AtomicUsize, Ordering};

use lithe::{Action, Connection, Permission, Request};

/// Whether commands with effects beyond the database are refused.
#[derive(Clone, Debug, Default)]
pub struct SafeMode {
    pub is_on: bool,
    /// The word with which `.nonce` suspends the safe mode for one command.
    pub nonce: Option<String>,
    /// Whether the next command is exempt.
    pub is_suspended: bool,
}

/// The number of the current line, 0 for arguments. It is global, because the authorizer reports it but has no access to the shell.
static LINE: AtomicUsize = AtomicUsize::new(0);

pub fn set_current_line(line: usize) {
    LINE.store(line, Ordering::Relaxed);
}

pub fn current_line() -> usize {
    LINE.load(Ordering::Relaxed)
}

/// Functions with effects beyond the database.
const UNSAFE_FUNCTIONS: [&str; 7] =
    ["edit", "fts3_tokenizer", "load_extension", "readfile", "writefile", "zipfile", "zipfile_cds"];

/// Sets the authorizer for `.auth` (`shows`) and the safe mode.
pub fn guard(connection: &Connection, shows: bool, safe: &SafeMode) {
    let (wants, safe) = (shows || safe.is_on, safe.clone());
    let authorizer = move |request: &Request<'_>| {
        if shows {
            println!("{}", described(request));
        }
        if safe.is_on { permission(request, &safe) } else { Permission::Allow }
    };
    connection.set_authorizer(wants.then_some(authorizer));
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
    /// Ends the process at a forbidden action, because a script must not continue as if it had succeeded.
    pub fn refuse(&self, what: &str) -> ! {
        eprintln!("line {}: {what}", current_line());
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
