//! Commands about files.

use super::usage;
use crate::input::Input;
use crate::shell::{READ_DEPTH_MAX, Shell};

type Result = std::result::Result<(), String>;

pub fn open(shell: &mut Shell, arguments: &[String]) -> Result {
    let (mut readonly, mut is_new, mut file) = (false, false, ":memory:");
    for argument in arguments {
        match argument.trim_start_matches("--").trim_start_matches('-') {
            "readonly" => readonly = true,
            "new" => is_new = true,
            _ if argument.starts_with('-') => return Err(format!("unknown option: {argument}")),
            _ => file = argument,
        }
    }
    if is_new && std::fs::exists(file).unwrap_or(false) {
        std::fs::remove_file(file).map_err(|e| format!("cannot remove \"{file}\": {e}"))?;
    }
    shell.reopen(file, readonly)
}

pub fn read(shell: &mut Shell, arguments: &[String]) -> Result {
    let [file] = arguments else { return Err(usage(".read")) };
    read_file(shell, file)
}

/// Runs the lines of a file.
pub fn read_file(shell: &mut Shell, file: &str) -> Result {
    if shell.read_depth >= READ_DEPTH_MAX {
        return Err(format!("input nesting limit ({READ_DEPTH_MAX}) reached: check recursion"));
    }
    let opened = std::fs::File::open(file).map_err(|e| format!("cannot open \"{file}\": {e}"))?;
    shell.read_depth += 1;
    shell.run_input(&mut Input::Lines(Box::new(std::io::BufReader::new(opened))));
    shell.read_depth -= 1;
    Ok(())
}

pub fn cd(_: &mut Shell, arguments: &[String]) -> Result {
    let [folder] = arguments else { return Err(usage(".cd")) };
    std::env::set_current_dir(folder).map_err(|e| format!("cannot change to \"{folder}\": {e}"))
}

pub fn backup(shell: &mut Shell, arguments: &[String]) -> Result {
    let (schema, file) = match arguments {
        [file] => ("main", file),
        [schema, file] => (schema.as_str(), file),
        _ => return Err(usage(".backup")),
    };
    shell.connection.backup(schema, file).map_err(|e| e.to_string())
}
