//! Commands about files.

use crate::commands::failure::Failure;
use std::io::IsTerminal;
use std::process::Stdio;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use lithe::{Backup, BackupStep, Connection, OpenFlags, ResultCode};

use super::{integer, usage};
use crate::input::Input;
use crate::shell::{OpenDatabase, READ_DEPTH_MAX, Shell};
use crate::sink::shell_command;

type Result = std::result::Result<(), Failure>;

/// `.open ?OPTIONS? ?FILE?`
pub fn open(shell: &mut Shell, arguments: &[String]) -> Result {
    let (mut how, mut is_new, mut file) = (shell.opening(), false, None);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.strip_prefix('-').map(|name| name.trim_start_matches('-')) {
            None if file.is_some() => return Err(format!("extra argument: \"{argument}\"").into()),
            None => file = Some(argument.as_str()),
            Some("readonly") => how.readonly = true,
            Some("nofollow") => how.nofollow = true,
            Some("ifexists") => how.exists = true,
            Some("deserialize") => how.deserialize = true,
            Some("hexdb") => how.hexdb = true,
            Some("append") => how.append = true,
            Some("zip") => how.zip = true,
            Some("new") => is_new = true,
            Some("maxsize") => {
                let size = integer(rest.next().ok_or_else(|| usage(".open"))?)?;
                how.maxsize = u64::try_from(size).ok();
            }
            Some(_) => return Err(format!("unknown option: {argument}").into()),
        }
    }
    let file = file.unwrap_or(":memory:");
    if shell.safe_mode.is_on && file != ":memory:" {
        return Err("cannot open disk-based database files in safe mode".into());
    }
    if is_new && std::fs::exists(file).unwrap_or(false) {
        std::fs::remove_file(file).map_err(|e| format!("cannot remove \"{file}\": {e}"))?;
    }
    let next = OpenDatabase::open(file, &how).map_err(|message| message.trim_start_matches("Error: ").to_owned())?;
    shell.replace_database(next);
    Ok(())
}

/// `.clone NEWFILE`: a copy of the content, without free pages.
pub fn clone(shell: &mut Shell, arguments: &[String]) -> Result {
    let [file] = arguments else { return Err(usage(".clone")) };
    if std::fs::exists(file).unwrap_or(false) {
        return Err(format!("File \"{file}\" already exists.").into());
    }
    shell.database.connection.execute("VACUUM INTO ?1", lithe::params![file.as_str()]).map_err(|e| e.to_string())?;
    Ok(())
}

/// `.read FILE` or `.read |PROGRAM`: the lines are run after this command.
pub fn read(shell: &mut Shell, arguments: &[String]) -> Result {
    match arguments {
        [first, ..] if first.starts_with('|') => read_file(shell, &arguments.join(" ")),
        [file] => read_file(shell, file),
        _ => Err(usage(".read")),
    }
}

/// Opens a file, or the output of a program, as the next input.
pub fn read_file(shell: &mut Shell, file: &str) -> Result {
    if shell.read_depth + 1 >= READ_DEPTH_MAX {
        return Err(format!("input nesting limit ({READ_DEPTH_MAX}) reached: check recursion").into());
    }
    if let Some(command) = file.strip_prefix('|') {
        let output = shell_command(command).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
        let output = output.map_err(|e| format!("cannot run \"{command}\": {e}"))?;
        shell.next_input = Some(Input::Lines(Box::new(std::io::Cursor::new(output.stdout))));
        return Ok(());
    }
    let opened = std::fs::File::open(file).map_err(|e| format!("cannot open \"{file}\": {e}"))?;
    if opened.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(format!("cannot open \"{file}\": it is a folder").into());
    }
    shell.next_input = Some(Input::Lines(Box::new(std::io::BufReader::new(opened))));
    Ok(())
}

/// `.shell` and `.system`: reports an exit code other than 0.
pub fn shell(shell: &mut Shell, arguments: &[String]) -> Result {
    if arguments.is_empty() {
        return Err(usage(".shell"));
    }
    let quoted = |word: &String| if word.contains(' ') { format!("\"{word}\"") } else { word.clone() };
    let line: Vec<String> = arguments.iter().map(quoted).collect();
    let status = shell_command(&line.join(" ")).status().map_err(|e| format!("cannot run the command: {e}"))?;
    if !status.success() {
        shell.output.print(&format!("System command returns {}\n", status.code().unwrap_or(-1)))?;
    }
    Ok(())
}

pub fn cd(_: &mut Shell, arguments: &[String]) -> Result {
    let [folder] = arguments else { return Err(usage(".cd")) };
    Ok(std::env::set_current_dir(folder).map_err(|e| format!("cannot change to \"{folder}\": {e}"))?)
}

pub fn backup(shell: &mut Shell, arguments: &[String]) -> Result {
    let (schema, file) = match arguments {
        [file] => ("main", file),
        [schema, file] => (schema.as_str(), file),
        _ => return Err(usage(".backup")),
    };
    let target = Connection::open(file).map_err(|e| format!("cannot open \"{file}\": {e}"))?;
    copy(&target, "main", &shell.database.connection, schema)
}

/// `.restore ?DB? FILE`
pub fn restore(shell: &mut Shell, arguments: &[String]) -> Result {
    let (schema, file) = match arguments {
        [file] => ("main", file),
        [schema, file] => (schema.as_str(), file),
        _ => return Err(usage(".restore")),
    };
    let source =
        Connection::open_with_flags(file, OpenFlags::READONLY).map_err(|e| format!("cannot open \"{file}\": {e}"))?;
    copy(&shell.database.connection, schema, &source, "main")
}

/// The pages of one step: between steps, other connections can write.
const STEP_PAGES: i32 = 1000;

/// The longest wait for locks of other connections.
const WAIT_MAX: Duration = Duration::from_secs(10);

/// Copies a database in steps, with a progress bar on a terminal.
fn copy(target: &Connection, target_schema: &str, source: &Connection, source_schema: &str) -> Result {
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() };
    let mut backup = Backup::new(target, target_schema, source, source_schema).map_err(|e| e.to_string())?;
    let mut waiting_since = Instant::now();
    loop {
        match backup.step(STEP_PAGES) {
            Ok(step) => {
                waiting_since = Instant::now();
                bar.set_length(u64::from(backup.page_count()));
                bar.set_position(u64::from(backup.page_count() - backup.remaining()));
                if step == BackupStep::Done {
                    break;
                }
            }
            Err(error) if is_in_the_way(&error) && waiting_since.elapsed() < WAIT_MAX => {
                std::thread::sleep(Duration::from_millis(100));
            }
            Err(error) => return Err(error.to_string().into()),
        }
    }
    bar.finish_and_clear();
    Ok(backup.finish().map_err(|e| e.to_string())?)
}

fn is_in_the_way(error: &lithe::Error) -> bool {
    matches!(error.code().primary(), ResultCode::BUSY | ResultCode::LOCKED)
}
