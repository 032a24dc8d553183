//! `.filectrl`: file controls of a database's file. `.vfsinfo`, `.vfslist`, `.vfsname`: the VFSs.

use crate::commands::failure::Failure;
use lithe::vfs::{UnixVfs, Vfs};
use lithe::{Connection, DatabaseFile};

use super::{boolean, integer};
use crate::shell::Shell;

type Result = std::result::Result<(), Failure>;

/// A file control.
struct Control {
    name: &'static str,
    arguments: &'static str,
    /// Runs it; answers the text to print.
    run: fn(&DatabaseFile, Option<&str>) -> std::result::Result<Option<String>, String>,
}

const CONTROLS: [Control; 6] = [
    Control { name: "data_version", arguments: "", run: |file, _| answer_text(file.data_version()) },
    Control { name: "has_moved", arguments: "", run: |file, _| answer_text(file.has_moved().map(u8::from)) },
    Control {
        name: "persist_wal",
        arguments: "[BOOLEAN]",
        run: |file, value| Ok(Some(u8::from(file.keeps_log(value.map(boolean).transpose()?)).to_string())),
    },
    Control {
        name: "psow",
        arguments: "[BOOLEAN]",
        run: |file, value| Ok(Some(u8::from(file.powersafe_overwrite(value.map(boolean).transpose()?)).to_string())),
    },
    Control {
        name: "reserve_bytes",
        arguments: "[N]",
        run: |file, value| {
            let bytes = value.map(integer).transpose()?.map(|bytes| u8::try_from(bytes).unwrap_or(u8::MAX));
            file.reserved(bytes);
            Ok(Some(file.reserved(None).to_string()))
        },
    },
    Control {
        name: "size_limit",
        arguments: "[LIMIT]",
        run: |file, value| {
            let bytes = value.map(integer).transpose()?.and_then(|bytes| u64::try_from(bytes).ok());
            // Only a deserialized database has a limit of its own.
            Ok(Some(if file.is_image() { file.size_max(bytes).to_string() } else { "-1".to_owned() }))
        },
    },
];

fn answer_text<T: ToString>(answer: lithe::Result<T>) -> std::result::Result<Option<String>, String> {
    answer.map(|value| Some(value.to_string())).map_err(|e| e.to_string())
}

/// `.filectrl ?--schema SCHEMA? CMD ?VALUE?`
pub fn filectrl(shell: &mut Shell, arguments: &[String]) -> Result {
    let (schema, words) = match arguments {
        [option, schema, rest @ ..] if option.trim_start_matches('-') == "schema" && option.starts_with('-') => {
            (schema.as_str(), rest)
        }
        rest => ("main", rest),
    };
    let Some(name) = words.first().filter(|name| !matches!(name.trim_start_matches('-'), "help")) else {
        return Ok(shell.output.print(&help())?);
    };
    let mut beginning = CONTROLS.iter().filter(|control| control.name.starts_with(name.as_str()));
    let control = match (beginning.next(), beginning.next()) {
        (Some(only), None) => only,
        (Some(_), Some(_)) => {
            return Err(format!("ambiguous file-control: \"{name}\"\nUse \".filectrl --help\" for help").into());
        }
        (None, _) => return Err(format!("unknown file-control: {name}\nUse \".filectrl --help\" for help").into()),
    };
    if words.len() > 1 + usize::from(!control.arguments.is_empty()) {
        return Err(Failure::Usage(format!(".filectrl {} {}", control.name, control.arguments).trim_end().to_owned()));
    }
    let file = shell.database.connection.database_file(schema).ok_or_else(|| format!("unknown database {schema}"))?;
    match (control.run)(&file, words.get(1).map(String::as_str))? {
        Some(answer) => Ok(shell.output.print(&format!("{answer}\n"))?),
        None => Ok(()),
    }
}

fn help() -> String {
    let lines = CONTROLS.iter().map(|control| format!("  .filectrl {} {}\n", control.name, control.arguments));
    std::iter::once("Available file-controls:\n".to_owned()).chain(lines).collect()
}

fn described(vfs: &dyn Vfs, mark: &str) -> String {
    format!("vfs.zName      = \"{}\"{mark}\nvfs.mxPathname = {}\n", vfs.name(), vfs.path_max())
}

/// The VFS of a database; None for one in memory.
fn with_vfs<T>(connection: &Connection, schema: &str, of: impl FnOnce(&dyn Vfs) -> T) -> Option<T> {
    let file = connection.database_file(schema)?;
    file.vfs().map(|vfs| of(vfs.as_ref()))
}

fn schema(arguments: &[String]) -> &str {
    arguments.first().map_or("main", String::as_str)
}

/// `.vfsinfo ?AUX?`
pub fn vfsinfo(shell: &mut Shell, arguments: &[String]) -> Result {
    let text = with_vfs(&shell.database.connection, schema(arguments), |vfs| described(vfs, ""));
    Ok(shell.output.print(&text.unwrap_or_default())?)
}

/// `.vfsname ?AUX?`
pub fn vfsname(shell: &mut Shell, arguments: &[String]) -> Result {
    let text = with_vfs(&shell.database.connection, schema(arguments), |vfs| format!("{}\n", vfs.name()));
    Ok(shell.output.print(&text.unwrap_or_default())?)
}

/// `.vfslist`: all VFSs, with a mark at that of the main database.
pub fn vfslist(shell: &mut Shell, _: &[String]) -> Result {
    let current = with_vfs(&shell.database.connection, "main", |vfs| vfs.name().to_owned());
    let known = UnixVfs::NAMES.iter().filter_map(|name| UnixVfs::named(name));
    let mark = |name: &str| if current.as_deref() == Some(name) { "  <--- CURRENT" } else { "" };
    let parts: Vec<String> = known.map(|vfs| described(vfs.as_ref(), mark(vfs.name()))).collect();
    Ok(shell.output.print(&parts.join(&format!("{}\n", "-".repeat(35))))?)
}
