//! `.connection`: several databases, one of which is active.

use super::usage;
use crate::commands::failure::Failure;
use crate::shell::{OpenDatabase, Shell};

type Result = std::result::Result<(), Failure>;

/// The numbers of connections are single digits below this.
const CONNECTIONS_MAX: usize = 5;

/// `.connection [close] [#]`
pub fn connection(shell: &mut Shell, arguments: &[String]) -> Result {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [] => list(shell),
        [number] => switch(shell, slot(number)?),
        ["close", number] => close(shell, slot(number)?),
        _ => Err(usage(".connection")),
    }
}

fn slot(text: &str) -> std::result::Result<usize, Failure> {
    text.parse().ok().filter(|number| *number < CONNECTIONS_MAX).ok_or_else(|| usage(".connection"))
}

fn list(shell: &mut Shell) -> Result {
    let mut lines = String::new();
    for number in 0..CONNECTIONS_MAX {
        let shown = |file: &str| if file == ":memory:" { "(memory)".to_owned() } else { file.to_owned() };
        if number == shell.active {
            lines.push_str(&format!("ACTIVE {number}: {}\n", shown(&shell.database.file)));
        } else if let Some(parked) = shell.parked.get(&number) {
            lines.push_str(&format!("       {number}: {}\n", shown(&parked.file)));
        }
    }
    Ok(shell.output.print(&lines)?)
}

/// Makes another connection the active one. A number without a connection gets a database in memory.
fn switch(shell: &mut Shell, number: usize) -> Result {
    if number == shell.active {
        return Ok(());
    }
    let next = match shell.parked.remove(&number) {
        Some(parked) => parked,
        None => OpenDatabase::open(":memory:", &shell.opening())?,
    };
    let before = shell.replace_database(next);
    shell.parked.insert(shell.active, before);
    shell.active = number;
    Ok(())
}

fn close(shell: &mut Shell, number: usize) -> Result {
    if number == shell.active {
        return Err("cannot close the active database connection".into());
    }
    shell.parked.remove(&number);
    Ok(())
}
