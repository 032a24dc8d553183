//! `.stats`: what statements and the connection have cost. `.scanstats` says that there is no such measurement.

use super::{boolean, usage};
use crate::shell::Shell;
use crate::statistics::{Statistics, connection_lines, process_lines};

/// `.stats ?on|off|stmt|vmstep?`: alone, it shows those of the connection.
pub fn stats(shell: &mut Shell, arguments: &[String]) -> Result<(), String> {
    match arguments {
        [] => {
            let mut text = Vec::new();
            connection_lines(&shell.database.connection, &mut text).map_err(|e| e.to_string())?;
            process_lines(&mut text).map_err(|e| e.to_string())?;
            return shell.output.print(&String::from_utf8_lossy(&text));
        }
        [word] if word == "stmt" => shell.statistics = Statistics::Statement,
        [word] if word == "vmstep" => shell.statistics = Statistics::VmSteps,
        [word] => shell.statistics = if boolean(word)? { Statistics::On } else { Statistics::Off },
        _ => return Err(usage(".stats")),
    }
    Ok(())
}

/// `.scanstats on|off|est|vm`
pub fn scanstats(_: &mut Shell, arguments: &[String]) -> Result<(), String> {
    let [value] = arguments else { return Err(usage(".scanstats")) };
    if matches!(value.as_str(), "est" | "vm") || boolean(value)? {
        eprintln!("Warning: .scanstats not available in this build.");
    }
    Ok(())
}
