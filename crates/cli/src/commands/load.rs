//! `.load`: extensions made in C or another language, which are shared libraries.

use super::usage;
use crate::commands::failure::Failure;
use crate::shell::Shell;

/// `.load FILE ?ENTRY?`
pub fn load(shell: &mut Shell, arguments: &[String]) -> Result<(), Failure> {
    let (file, entry) = match arguments {
        [file] => (file, None),
        [file, entry] => (file, Some(entry.as_bytes())),
        _ => return Err(usage(".load")),
    };
    Ok(shell.database.connection.engine().load_extension(file.as_bytes(), entry)?)
}
