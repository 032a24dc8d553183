//! `.stats`: the costs of statements and of the connection. `.scanstats`: the costs of statements' loops.

use super::{boolean, usage};
use crate::commands::failure::Failure;
use lithe::Config;

use crate::scan_status::ScanStatus;
use crate::shell::Shell;
use crate::statistics::{Statistics, connection_lines, process_lines};

/// `.stats ?on|off|stmt|vmstep?`: without an argument, shows the costs of the connection.
pub fn stats(shell: &mut Shell, arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [] => {
            let mut text = Vec::new();
            connection_lines(&shell.database.connection, &mut text).map_err(|e| e.to_string())?;
            process_lines(&mut text).map_err(|e| e.to_string())?;
            return Ok(shell.output.print(&String::from_utf8_lossy(&text))?);
        }
        [word] if word == "stmt" => shell.statistics = Statistics::Statement,
        [word] if word == "vmstep" => shell.statistics = Statistics::VmSteps,
        [word] => shell.statistics = if boolean(word)? { Statistics::On } else { Statistics::Off },
        _ => return Err(usage(".stats")),
    }
    Ok(())
}

/// `.scanstats on|off|est|vm`: switches the measurement of statements on or off.
pub fn scanstats(shell: &mut Shell, arguments: &[String]) -> Result<(), Failure> {
    let [value] = arguments else { return Err(usage(".scanstats")) };
    shell.scan_status = match value.as_str() {
        "est" => ScanStatus::Estimates,
        "vm" => ScanStatus::Instructions,
        value => {
            if boolean(value)? {
                ScanStatus::On
            } else {
                ScanStatus::Off
            }
        }
    };
    let is_on = shell.scan_status != ScanStatus::Off;
    shell.database.connection.set_config(Config::StatementScanStatus, is_on);
    Ok(())
}
