//! Both engines behind one interface: the tested one, and SQLite in memory as the model of a statement's effect.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lithe::vfs::Vfs;
use rusqlite::backup::Backup;

use crate::config::Config;
use crate::state::{Cell, NAMES, Query, State, state_of};

/// A parameter.
#[derive(Clone, Debug)]
pub enum Arg {
    Int(i64),
    Blob(Vec<u8>),
}

/// A statement with its parameters.
#[derive(Clone, Debug)]
pub struct Op {
    pub sql: String,
    pub args: Vec<Arg>,
}

impl Op {
    pub fn new(sql: impl Into<String>, args: impl Into<Vec<Arg>>) -> Op {
        Op { sql: sql.into(), args: args.into() }
    }
}

/// A primary result code, 0 for success.
pub type Code = i32;

// ---- Lithe ----

/// Opens the databases of a simulated machine with a configuration.
pub fn open(vfs: Arc<dyn Vfs>, folder: &Path, config: &Config) -> lithe::Result<lithe::Connection> {
    let connection = lithe::Connection::open_with_vfs(folder.join("main.db"), lithe::OpenFlags::DEFAULT, vfs)?;
    if config.attached {
        connection.execute_batch(&format!("ATTACH '{}' AS aux", folder.join("aux.db").display()))?;
    }
    Ok(connection)
}

/// Applies the configuration to a connection.
pub fn set_up(connection: &lithe::Connection, config: &Config) -> lithe::Result<()> {
    for name in &NAMES[..1 + usize::from(config.attached)] {
        let mut pragmas = format!(
            "PRAGMA {name}.page_size={}; PRAGMA {name}.auto_vacuum={}; PRAGMA {name}.cache_size={}; \
             PRAGMA {name}.synchronous={};",
            config.page_size, config.auto_vacuum, config.cache_pages, config.synchronous
        );
        if !config.mapped {
            pragmas += &format!("PRAGMA {name}.mmap_size=0;");
        }
        if config.exclusive {
            pragmas += &format!("PRAGMA {name}.locking_mode=EXCLUSIVE;");
        }
        pragmas += &format!("PRAGMA {name}.journal_mode={};", config.journal);
        connection.execute_batch(&pragmas)?;
    }
    Ok(())
}

/// Runs a statement to its end.
pub fn run(connection: &lithe::Connection, op: &Op) -> lithe::Result<()> {
    let mut statement = connection.prepare(&op.sql)?;
    for (at, arg) in op.args.iter().enumerate() {
        match arg {
            Arg::Int(n) => statement.bind(at + 1, *n)?,
            Arg::Blob(bytes) => statement.bind(at + 1, bytes)?,
        }
    }
    while statement.step()?.is_some() {}
    Ok(())
}

impl Query for lithe::Connection {
    fn query(&self, sql: &str, row: &mut dyn FnMut(&[Cell<'_>])) -> Result<(), String> {
        let failed = |error: lithe::Error| format!("{sql}: {} ({:?})", error.message(), error.code());
        let mut statement = self.prepare(sql).map_err(failed)?;
        while let Some(found) = statement.step().map_err(failed)? {
            let cell = |at| match found.get_ref(at) {
                lithe::ValueRef::Null => Cell::Null,
                lithe::ValueRef::Integer(n) => Cell::Integer(n),
                lithe::ValueRef::Real(n) => Cell::Real(n),
                lithe::ValueRef::Text(text) => Cell::Text(text),
                lithe::ValueRef::Blob(blob) => Cell::Blob(blob),
            };
            let cells: Vec<Cell<'_>> = (0..found.column_count()).map(cell).collect();
            row(&cells);
        }
        Ok(())
    }
}

// ---- SQLite ----

impl rusqlite::ToSql for Arg {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        use rusqlite::types::{ToSqlOutput, ValueRef};
        Ok(ToSqlOutput::Borrowed(match self {
            Arg::Int(n) => ValueRef::Integer(*n),
            Arg::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Query for rusqlite::Connection {
    fn query(&self, sql: &str, row: &mut dyn FnMut(&[Cell<'_>])) -> Result<(), String> {
        let failed = |error: rusqlite::Error| format!("SQLite: {sql}: {error}");
        let mut statement = self.prepare_cached(sql).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(found) = rows.next().map_err(failed)? {
            let cell = |at| match found.get_ref(at).expect("there is this column") {
                rusqlite::types::ValueRef::Null => Cell::Null,
                rusqlite::types::ValueRef::Integer(n) => Cell::Integer(n),
                rusqlite::types::ValueRef::Real(n) => Cell::Real(n),
                rusqlite::types::ValueRef::Text(text) => Cell::Text(text),
                rusqlite::types::ValueRef::Blob(blob) => Cell::Blob(blob),
            };
            // Read the column count after the step, because the first step may compile the statement again for another schema.
            let cells: Vec<Cell<'_>> = (0..found.as_ref().column_count()).map(cell).collect();
            row(&cells);
        }
        Ok(())
    }
}

/// SQLite in memory: it never crashes, and shows the effect of a statement.
pub struct Model {
    pub db: rusqlite::Connection,
    attached: bool,
}

impl Model {
    /// Empty databases.
    pub fn new(config: &Config) -> Model {
        let db = rusqlite::Connection::open_in_memory().unwrap();
        db.execute_batch(&format!("PRAGMA page_size={};", config.page_size)).unwrap();
        if config.attached {
            db.execute_batch(&format!("ATTACH ':memory:' AS aux; PRAGMA aux.page_size={};", config.page_size)).unwrap();
        }
        Model { db, attached: config.attached }
    }

    /// Runs a statement.
    pub fn run(&self, op: &Op) -> Code {
        let run = || -> rusqlite::Result<()> {
            let mut statement = self.db.prepare_cached(&op.sql)?;
            let mut rows = statement.query(rusqlite::params_from_iter(&op.args))?;
            while rows.next()?.is_some() {}
            Ok(())
        };
        match run() {
            Ok(()) => 0,
            Err(rusqlite::Error::SqliteFailure(error, _) | rusqlite::Error::SqlInputError { error, .. }) => {
                error.extended_code & 0xff
            }
            Err(error) => panic!("{error}: {op:?}"),
        }
    }

    /// The content.
    pub fn state(&self) -> State {
        state_of(&self.db, self.attached).unwrap()
    }

    /// A model with the content of files, which SQLite may have to recover first.
    pub fn of_files(files: &Files, config: &Config) -> Result<Model, String> {
        let failed = |error: rusqlite::Error| error.to_string();
        let file = files.open(config).map_err(failed)?;
        let mut model = Model::new(config);
        for name in &NAMES[..1 + usize::from(config.attached)] {
            let backup = Backup::new_with_names(&file, *name, &mut model.db, *name).map_err(failed)?;
            backup.step(-1).map_err(failed)?;
        }
        Ok(model)
    }
}

/// Files of a simulated machine, written to real ones under the same paths. They are removed on drop.
pub struct Files {
    paths: Vec<PathBuf>,
    folder: PathBuf,
}

impl Files {
    pub fn new(folder: &Path, files: &[(PathBuf, Vec<u8>)]) -> Files {
        std::fs::create_dir_all(folder).unwrap();
        let mut written = Files { paths: Vec::new(), folder: folder.to_path_buf() };
        for (path, content) in files {
            std::fs::write(path, content).unwrap();
            written.paths.push(path.clone());
        }
        written
    }

    /// Opens the files with SQLite.
    pub fn open(&self, config: &Config) -> rusqlite::Result<rusqlite::Connection> {
        let db = rusqlite::Connection::open(self.folder.join("main.db"))?;
        if config.attached {
            db.execute_batch(&format!("ATTACH '{}' AS aux", self.folder.join("aux.db").display()))?;
        }
        Ok(db)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
