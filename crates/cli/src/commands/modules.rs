//! `.unmodule`: removes modules of virtual tables. `.nonce`: leaves the safe mode for a command.

use super::usage;
use crate::commands::failure::Failure;
use crate::shell::Shell;

type Result = std::result::Result<(), Failure>;

/// `.unmodule NAME …`, or `.unmodule --allexcept NAME …`
pub fn unmodule(shell: &mut Shell, arguments: &[String]) -> Result {
    let names: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let connection = &shell.database.connection;
    match names[..] {
        [] => return Err(usage(".unmodule")),
        ["--allexcept" | "-allexcept", ref kept @ ..] => connection.keep_modules(kept),
        ref removed => removed.iter().for_each(|name| connection.remove_module(name)),
    }
    Ok(())
}

/// `.nonce STRING`: a wrong word ends the process.
pub fn nonce(shell: &mut Shell, arguments: &[String]) -> Result {
    let word = arguments.first().map_or("", String::as_str);
    if shell.safe_mode.nonce.as_deref() != Some(word) || arguments.len() != 1 {
        shell.safe_mode.refuse(&format!("incorrect nonce: \"{word}\""));
    }
    shell.safe_mode.is_suspended = shell.safe_mode.is_on;
    Ok(())
}
