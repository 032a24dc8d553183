//! `.archive`: files in a table `sqlar` of a database, or in a ZIP file.
//!
//! | module | subject |
//! | --- | --- |
//! | `options` | the arguments |
//! | `entry` | the entries of an archive: files, folders, symbolic links |
//! | `disk` | entries as files on disk |
//! | `sqlar` | entries as rows |
//! | `dry` | the SQL for these rows, printed instead of run |
//! | `zipped` | entries as members of a ZIP file |

mod disk;
mod dry;
mod entry;
mod options;
mod sqlar;
mod zipped;

use std::io::Read;
use std::rc::Rc;

use lithe::Connection;

use crate::database::{self, Opening};
use crate::shell::Shell;
use entry::{Content, Entry};
use options::{Options, Verb};

type Result<T> = std::result::Result<T, String>;

/// A container of entries.
trait Store {
    /// Empties the archive.
    fn clear(&mut self) -> Result<()>;
    /// All entries, without their content.
    fn list(&mut self) -> Result<Vec<Entry>>;
    /// The content of an entry.
    fn content(&mut self, entry: &Entry) -> Result<Content>;
    /// Adds an entry, or replaces the one of the same name.
    fn put(&mut self, entry: &Entry, content: Content) -> Result<()>;
    /// Removes the entries of these names.
    fn remove(&mut self, names: &[String]) -> Result<()>;
    /// Makes the changes durable. Without this call, they are dropped.
    fn commit(&mut self) -> Result<()>;
}

/// `.archive OPTION … ?FILE …?`
pub fn archive(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    if matches!(arguments, [only] if only == "--help" || only == "help") {
        return shell.output.print(&format!("{}\n", options::HELP));
    }
    let options = Options::parse(arguments)?;
    let mut store = open(shell, &options)?;
    let mut text = String::new();
    let result = match options.dry_run {
        true => dry::run(&options, store, &mut text),
        false => run(&options, &mut *store, &mut text),
    };
    shell.output.print(&text)?;
    result
}

fn run(options: &Options, store: &mut dyn Store, text: &mut String) -> Result<()> {
    match options.verb {
        Verb::Create => {
            store.clear()?;
            add(options, store, text)
        }
        Verb::Insert | Verb::Update => add(options, store, text),
        Verb::List => {
            for entry in chosen(options, store)? {
                text.push_str(&if options.verbose { entry.long_line() } else { format!("{}\n", entry.name) });
            }
            Ok(())
        }
        Verb::Remove => {
            let names: Vec<String> = chosen(options, store)?.into_iter().map(|entry| entry.name).collect();
            if options.verbose {
                names.iter().for_each(|name| text.push_str(&format!("{name}\n")));
            }
            store.remove(&names)?;
            store.commit()
        }
        Verb::Extract => extract(options, store, text),
    }
}

/// The archive: the database of the shell, or the file that the options name. A file is a ZIP file if it begins with the mark of one; a new
/// file, if its name ends with `.zip`.
fn open(shell: &Shell, options: &Options) -> Result<Box<dyn Store>> {
    let Some(file) = &options.file else {
        let file = &shell.database.file;
        return match begins_as_zip(file) {
            true => Ok(Box::new(zipped::Zipped::open(file)?)),
            false => Ok(Box::new(sqlar::Sqlar::begin(Rc::clone(&shell.database.connection), options.verb)?)),
        };
    };
    let is_new = !std::fs::exists(file).unwrap_or(false);
    if is_new && !options.verb.makes() {
        return Err(format!("cannot open file: {file}"));
    }
    if options.append {
        let how = Opening { append: true, ..Opening::default() };
        let connection = database::open(file, &how).map_err(|error| format!("cannot open file: {file} ({error})"))?;
        return Ok(Box::new(sqlar::Sqlar::begin(Rc::new(connection), options.verb)?));
    }
    if begins_as_zip(file) || (is_new && file.to_ascii_lowercase().ends_with(".zip")) {
        return Ok(Box::new(zipped::Zipped::open(file)?));
    }
    let connection = Connection::open(file).map_err(|error| format!("cannot open file: {file} ({error})"))?;
    Ok(Box::new(sqlar::Sqlar::begin(Rc::new(connection), options.verb)?))
}

fn begins_as_zip(file: &str) -> bool {
    let mut start = [0; 4];
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && matches!(start, [b'P', b'K', 3, 4] | [b'P', b'K', 5, 6])
}

fn add(options: &Options, store: &mut dyn Store, text: &mut String) -> Result<()> {
    let known: std::collections::HashMap<String, (u32, i64)> = match options.verb {
        Verb::Update => store.list()?.into_iter().map(|entry| (entry.name, (entry.mode, entry.mtime))).collect(),
        _ => Default::default(),
    };
    for name in &options.names {
        disk::walk(&options.folder, name, &mut |entry, path| {
            if known.get(&entry.name) == Some(&(entry.mode, entry.mtime)) {
                return Ok(());
            }
            if options.verbose {
                text.push_str(&format!("{}\n", entry.name));
            }
            store.put(&entry, disk::read(&entry, path)?)
        })?;
    }
    store.commit()
}

fn extract(options: &Options, store: &mut dyn Store, text: &mut String) -> Result<()> {
    let mut folders = Vec::new();
    for entry in chosen(options, store)? {
        let Some(path) = disk::path_within(&options.folder, &entry.name) else { continue };
        if options.verbose {
            text.push_str(&format!("{}\n", entry.name));
        }
        disk::write(&options.folder, &path, &entry, store.content(&entry)?)?;
        if entry.is_folder() {
            folders.push((path, entry));
        }
    }
    // The times of folders are set last, because writing a file changes the time of its folder. Inner folders come before outer ones.
    folders.iter().rev().for_each(|(path, entry)| disk::set_time(path, entry.mtime));
    Ok(())
}

/// The entries that the names on the line select, or all of them. A folder's name also selects the folder's content.
fn chosen(options: &Options, store: &mut dyn Store) -> Result<Vec<Entry>> {
    let mut entries = store.list()?;
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    if options.names.is_empty() {
        return Ok(entries);
    }
    let matches = |name: &str, wanted: &str| match options.glob {
        true => lithe::glob_matches(wanted, name),
        false => name.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
    };
    for wanted in &options.names {
        if !entries.iter().any(|entry| matches(&entry.name, wanted)) {
            return Err(format!("not found in archive: {wanted}"));
        }
    }
    entries.retain(|entry| options.names.iter().any(|wanted| matches(&entry.name, wanted)));
    Ok(entries)
}
