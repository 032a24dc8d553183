//! Pragmas of the pager and of the file's header.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use lithe_btree::{AutoVacuum, Btree, SecureDelete};
use lithe_catalog::Schema;
use lithe_format::PageSize;
use lithe_format::db_header::Meta;
use lithe_pager::{CacheSize, CheckpointMode, JournalMode, LockingMode, Pager, Synchronous};
use lithe_value::{Encoding, Value};
use lithe_vfs::{Access, ResultCode};
use lithe_vm::operand::Db;

use super::{
    ALWAYS_WRITES, Call, NEEDS_SCHEMA, NO_FUNCTION, OF_TABLE, Pragma, READS_SCHEMA, REUSABLE, SILENT, SILENT_WHEN_SET,
    WRITES, answer, nothing,
};
use crate::connection::Connection;
use crate::connection::statement::command::CommandRow;
use crate::database::{Database, while_reading};
use crate::error::{Error, Result};
use crate::journal_mode;
use crate::setting_text::{boolean, clamped_integer, integer, safety_level};
use crate::settings::config::Config;

pub(super) const PRAGMAS: &[Pragma] = &[
    entry("application_id", SILENT_WHEN_SET | WRITES | REUSABLE, |call| header_value(call, Meta::ApplicationId)),
    entry("auto_vacuum", SILENT_WHEN_SET | READS_SCHEMA, auto_vacuum),
    entry("cache_size", SILENT_WHEN_SET | READS_SCHEMA, cache_size),
    entry("cache_spill", SILENT_WHEN_SET, cache_spill),
    entry("data_version", REUSABLE, data_version),
    Pragma {
        name: "default_cache_size",
        columns: &["cache_size"],
        traits: SILENT_WHEN_SET | WRITES | READS_SCHEMA,
        run: default_cache_size,
    },
    entry("encoding", SILENT_WHEN_SET, encoding),
    entry("freelist_count", REUSABLE, freelist_count),
    entry("journal_mode", ALWAYS_WRITES, journal_mode),
    entry("journal_size_limit", 0, journal_size_limit),
    entry("locking_mode", 0, locking_mode),
    entry("max_page_count", 0, max_page_count),
    entry("mmap_size", NO_FUNCTION, mmap_size),
    entry("page_count", NEEDS_SCHEMA | OF_TABLE, page_count),
    entry("page_size", SILENT_WHEN_SET, page_size),
    entry("schema_version", SILENT_WHEN_SET | WRITES | REUSABLE, schema_version),
    entry("secure_delete", 0, secure_delete),
    entry("synchronous", SILENT_WHEN_SET, synchronous),
    entry("temp_store", SILENT_WHEN_SET, temp_store),
    entry("temp_store_directory", SILENT_WHEN_SET | NO_FUNCTION, temp_store_directory),
    entry("user_version", SILENT_WHEN_SET | WRITES | REUSABLE, |call| header_value(call, Meta::UserVersion)),
    Pragma { name: "incremental_vacuum", columns: &[], traits: SILENT | ALWAYS_WRITES, run: incremental_vacuum },
    Pragma {
        name: "wal_checkpoint",
        columns: &["busy", "log", "checkpointed"],
        traits: ALWAYS_WRITES | NO_FUNCTION,
        run: wal_checkpoint,
    },
    entry("wal_autocheckpoint", NO_FUNCTION, wal_autocheckpoint),
];

const fn entry(name: &'static str, traits: u16, run: fn(&Call<'_>) -> Result<Vec<CommandRow>>) -> Pragma {
    Pragma { name, columns: &[], traits, run }
}

/// A header field that belongs to the application: read, or written in a transaction.
fn header_value(call: &Call<'_>, meta: Meta) -> Result<Vec<CommandRow>> {
    let Some(value) = call.value else {
        call.connection.begin_on(call.db(), false, call.run)?;
        let value = call.connection.databases.as_it_is_written(call.db(), |btree| Ok(btree.meta(meta)?))?;
        return answer(i64::from(value.cast_signed()));
    };
    let value = (integer(value) as i32).cast_unsigned();
    call.connection.begin_on(call.db(), true, call.run)?;
    call.connection.set_cookie(call.db(), meta as u8, value)?;
    if call.db() == Db::TEMP {
        call.connection.expire_other_statements(call.run);
    }
    nothing()
}

/// A defensive connection does not let SQL change the schema cookie.
fn schema_version(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    if call.value.is_some() && call.connection.settings.config(Config::Defensive) {
        return nothing();
    }
    let answer = header_value(call, Meta::SchemaCookie)?;
    if call.value.is_some() {
        // An application that sets the cookie has written the schema by hand.
        call.connection.databases.get(call.db())?.set_loaded(false);
        call.connection.generation.change_schema();
    }
    Ok(answer)
}

fn freelist_count(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    call.connection.begin_on(call.db(), false, call.run)?;
    call.connection.databases.as_it_is_written(call.db(), |btree| answer(i64::from(btree.meta(Meta::FreelistCount)?)))
}

fn page_count(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    call.connection.begin_on(call.db(), false, call.run)?;
    call.connection.databases.as_it_is_written(call.db(), |btree| answer(i64::from(btree.pager().page_count())))
}

/// Only a database without pages takes another size at once; others take it at the next VACUUM.
fn page_size(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let database = call.connection.databases.get(call.db())?;
    let pager = database.btree().pager();
    let wanted = call.integer().and_then(|size| u32::try_from(size).ok()).and_then(PageSize::new);
    // A reader of a database, even of an empty one, depends on its page size.
    let is_read = pager.is_reading();
    let set = || {
        if let Some(size) = wanted {
            call.connection.databases.settings.next_page_size.set(Some(size));
            call.connection.databases.get(Db::TEMP)?.wish_page_size(size);
            if !is_read {
                pager.set_page_size(size, pager.reserved());
            }
        }
        Ok(())
    };
    let looked = database.check_free();
    let looked = looked.and_then(|()| if pager.knows_page_size() { set() } else { while_reading(pager, set) });
    // If the file cannot be read, or is locked, the size that this connection knows is returned: reading the pragma
    // never fails.
    if call.value.is_none() {
        return answer(i64::from(pager.page_size().get()));
    }
    looked?;
    nothing()
}

fn cache_size(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let database = call.connection.databases.get(call.db())?;
    let pager = database.btree().pager();
    // The file may store a cache size.
    call.connection.load_schemas()?;
    match call.integer() {
        None => {
            database.adopt_shared_cache_size();
            answer(match pager.cache_size() {
                CacheSize::Pages(pages) => i64::from(pages),
                CacheSize::KiB(kib) => -i64::from(kib),
            })
        }
        Some(size) => {
            let magnitude = u32::try_from(size.unsigned_abs()).unwrap_or(u32::MAX);
            database.set_cache_size(if size < 0 { CacheSize::KiB(magnitude) } else { CacheSize::Pages(magnitude) });
            nothing()
        }
    }
}

/// The overhead of a page in bytes, as SQLite counts it.
const PAGE_OVERHEAD: u64 = 136;

/// Returns the number of dirty pages at which a transaction spills, 0 for never.
fn cache_spill(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let database = call.connection.databases.get(call.db())?;
    let pager = database.btree().pager();
    if let Some(value) = call.value {
        let is_number = value.iter().find(|byte| !b"+-".contains(byte)).is_some_and(u8::is_ascii_digit);
        let size = if is_number { integer(value) } else { 1 };
        // The switch holds for every database of the connection.
        let spills = boolean(value, size != 0);
        for (_, database) in call.connection.databases.iter() {
            if let Some(btree) = database.opened() {
                btree.pager().set_cache_spill(spills);
            }
        }
        if is_number && size != 0 {
            pager.set_spill_pages(u32::try_from(pages_of(size, pager)).unwrap_or(u32::MAX));
        }
        return nothing();
    }
    // The switch of the main database holds for those that were opened after it was set, too.
    if !call.connection.databases.get(Db::MAIN)?.btree().pager().cache_spill() {
        return answer(0);
    }
    call.connection.begin_on(call.db(), false, call.run)?;
    let in_cache = pages_of(
        match pager.cache_size() {
            CacheSize::Pages(pages) => i64::from(pages),
            CacheSize::KiB(kib) => -i64::from(kib),
        },
        pager,
    );
    // A cache of no pages counts as one.
    answer(i64::try_from(in_cache.max(u64::from(pager.spill_pages())).max(1)).unwrap_or(i64::MAX))
}

/// The size of a cache in pages, as SQLite computes it: `size` is a number of pages or, negative, of KiB.
fn pages_of(size: i64, pager: &Pager) -> u64 {
    let page = u64::from(pager.page_size().get()) + PAGE_OVERHEAD;
    if size < 0 { size.unsigned_abs().saturating_mul(1024) / page } else { size.unsigned_abs() }
}

/// The cache size that is stored in the file.
fn default_cache_size(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let Some(size) = call.integer() else {
        call.connection.begin_on(call.db(), false, call.run)?;
        let size = call.connection.databases.get(call.db())?.btree().meta(Meta::DefaultCacheSize)?.cast_signed();
        return answer(if size == 0 { -2000 } else { i64::from(size.unsigned_abs()) });
    };
    let size = (size as i32).unsigned_abs();
    // The size holds for this connection even if it cannot be stored.
    call.connection.databases.get(call.db())?.btree().pager().set_cache_size(CacheSize::Pages(size));
    call.connection.begin_on(call.db(), true, call.run)?;
    call.connection.set_cookie(call.db(), Meta::DefaultCacheSize as u8, size)?;
    nothing()
}

/// The databases that a pragma without a schema applies to: all that are open.
fn each(call: &Call<'_>) -> Result<Vec<Rc<Database>>> {
    match call.schema {
        Some(db) => Ok(vec![call.connection.databases.get(db)?]),
        None => Ok(call.connection.databases.iter().map(|(_, database)| database).collect()),
    }
}

fn journal_size_limit(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let database = call.connection.databases.get(call.db())?;
    let pager = database.btree().pager();
    if let Some(limit) = call.value.map(clamped_integer) {
        pager.set_journal_size_limit(u64::try_from(limit).ok());
    }
    answer(pager.journal_size_limit().map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX)))
}

/// A temporary database is always exclusive to its connection.
fn locking_mode(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let wanted = match call.text().map(|text| text.to_ascii_lowercase()).as_deref() {
        Some("exclusive") => Some(LockingMode::Exclusive),
        Some("normal") => Some(LockingMode::Normal),
        _ => None,
    };
    if let Some(wanted) = wanted {
        if call.schema.is_none() {
            call.connection.databases.settings.locking_mode.set(wanted);
        }
        for btree in each(call)?.iter().filter_map(|database| database.opened()) {
            btree.pager().set_locking_mode(wanted);
        }
    }
    let mode = match call.db() {
        Db::TEMP => LockingMode::Exclusive,
        // The mode of databases that are attached later.
        _ if call.schema.is_none() && wanted.is_none() => call.connection.databases.settings.locking_mode.get(),
        db => match call.connection.databases.get(db)?.btree().pager() {
            // No other connection can open the database, so it is exclusive whatever is set.
            pager if pager.path().is_none() => LockingMode::Exclusive,
            pager => pager.locking_mode(),
        },
    };
    answer(if mode == LockingMode::Exclusive { "exclusive" } else { "normal" })
}

/// Returns the limit in force, which is never less than the number of pages.
fn max_page_count(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    call.connection.begin_on(call.db(), false, call.run)?;
    let database = call.connection.databases.get(call.db())?;
    let pager = database.btree().pager();
    match call.long_integer().filter(|pages| *pages > 0) {
        Some(pages) => answer(i64::from(pager.set_max_page_count(u32::try_from(pages).unwrap_or(u32::MAX)))),
        None => answer(i64::from(pager.max_page_count())),
    }
}

fn secure_delete(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    if let Some(value) = call.value {
        let mode = match value {
            _ if value.eq_ignore_ascii_case(b"fast") => SecureDelete::Fast,
            _ if boolean(value, false) => SecureDelete::On,
            _ => SecureDelete::Off,
        };
        if call.schema.is_none() {
            call.connection.databases.settings.secure_delete.set(mode);
        }
        for btree in each(call)?.iter().filter_map(|database| database.opened()) {
            btree.set_secure_delete(mode);
        }
    }
    answer(match call.connection.databases.get(call.db())?.btree().secure_delete_mode() {
        SecureDelete::Off => 0,
        SecureDelete::On => 1,
        SecureDelete::Fast => 2,
    })
}

/// The folder for temporary files, of all connections of the process.
fn temp_store_directory(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let Some(folder) = call.value else {
        return match lithe_vfs::temp_directory() {
            Some(folder) => answer(Value::from(String::from_utf8_lossy(&folder).as_ref())),
            None => nothing(),
        };
    };
    let databases = &call.connection.databases;
    let folder = Some(folder).filter(|folder| !folder.is_empty());
    if let Some(folder) = folder {
        let path = Path::new(OsStr::from_bytes(folder));
        if !databases.vfs().access(path, Access::ReadWrite).unwrap_or(false) {
            return Err(Error::generic("not a writable directory"));
        }
    }
    let is_in_files = databases.temporary_files().is_some();
    let is_idle = if is_in_files { check_temporary_is_idle(call.connection) } else { Ok(()) };
    lithe_vfs::set_temp_directory(folder);
    is_idle?;
    if is_in_files {
        replace_temporary(call.connection);
    }
    nothing()
}

fn wal_autocheckpoint(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let cell = &call.connection.databases.settings.wal_autocheckpoint;
    if let Some(frames) = call.integer() {
        call.connection.set_wal_autocheckpoint(u32::try_from(frames.clamp(0, i64::from(i32::MAX))).unwrap_or(0));
    }
    answer(i64::from(cell.get()))
}

fn mmap_size(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let database = call.connection.databases.get(call.db())?;
    let pager = database.btree().pager();
    if let Some(size) = call.value.map(clamped_integer) {
        let size = u64::try_from(size).unwrap_or(u64::MAX);
        if call.schema.is_none() {
            call.connection.databases.settings.mmap_size.set(Some(size));
        }
        for btree in each(call)?.iter().filter_map(|database| database.opened()) {
            btree.pager().set_mmap_size(size);
        }
    }
    if pager.path().is_none() || database.is_shared_memory() {
        return nothing(); // a database without a file has no mapping
    }
    match pager.mmap_size_in_force() {
        Some(size) => answer(i64::try_from(size).unwrap_or(i64::MAX)),
        None => nothing(),
    }
}

fn encoding(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let state = &call.connection.state;
    let Some(value) = call.text() else {
        call.connection.load_schemas()?;
        return answer(match state.encoding.get() {
            Encoding::Utf8 => "UTF-8",
            Encoding::Utf16le => "UTF-16le",
            Encoding::Utf16be => "UTF-16be",
        });
    };
    let names = [
        ("UTF8", Encoding::Utf8),
        ("UTF-8", Encoding::Utf8),
        ("UTF-16le", Encoding::Utf16le),
        ("UTF-16be", Encoding::Utf16be),
        ("UTF16le", Encoding::Utf16le),
        ("UTF16be", Encoding::Utf16be),
        ("UTF-16", Encoding::Utf16le),
        ("UTF16", Encoding::Utf16le),
    ];
    let wanted = names.iter().find(|(name, _)| name.eq_ignore_ascii_case(&value));
    let unsupported = || Error::generic(format!("unsupported encoding: {value}"));
    if !call.connection.databases.get(Db::MAIN)?.is_loaded() {
        wanted.ok_or_else(unsupported)?;
    }
    // A database that has pages keeps its encoding; setting another one is not an error, even if the name is unknown.
    call.connection.begin_on(Db::MAIN, false, call.run)?;
    if !call.connection.has_encoding()? {
        call.connection.choose_encoding(wanted.ok_or_else(unsupported)?.1)?;
    }
    nothing()
}

const JOURNAL_MODES: [(&str, JournalMode); 6] = [
    ("delete", JournalMode::Delete),
    ("persist", JournalMode::Persist),
    ("off", JournalMode::Off),
    ("truncate", JournalMode::Truncate),
    ("memory", JournalMode::Memory),
    ("wal", JournalMode::Wal),
];

/// Returns the mode in force, whether or not it was changed.
fn journal_mode(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let wanted = call.text().and_then(|text| {
        JOURNAL_MODES.iter().find(|(name, _)| name.eq_ignore_ascii_case(&text)).map(|(_, mode)| *mode)
    });
    // Without a journal a crash can corrupt a database.
    let wanted = wanted.filter(|mode| *mode != JournalMode::Off || !call.connection.settings.config(Config::Defensive));
    let database = call.connection.databases.get(call.db())?;
    let pager = database.btree().pager();
    call.connection.load_schemas()?;
    if !pager.is_reading() && pager.data_version() == 0 {
        // The file's header tells whether it has a log.
        pager.begin_read()?;
        pager.end_read()?;
    }
    let mut mode = if database.is_shared_memory() { JournalMode::Memory } else { pager.journal_mode() };
    if let Some(wanted) = wanted {
        // Without a schema all databases change, main last, because the mode of main is returned.
        for database in each(call)?.iter().rev().filter(|database| database.opened().is_some()) {
            mode = journal_mode::set(call.connection, database, wanted, call.run)?;
        }
    }
    call.connection.note_user(call.run);
    let name = JOURNAL_MODES.iter().find(|(_, m)| *m == mode).map_or("delete", |(name, _)| *name);
    answer(name)
}

fn synchronous(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    call.connection.load_schemas()?;
    let database = call.connection.databases.get(call.db())?;
    let pager = database.btree().pager();
    let levels = [Synchronous::Off, Synchronous::Normal, Synchronous::Full, Synchronous::Extra];
    let Some(value) = call.value else {
        let level = levels.iter().position(|level| *level == pager.synchronous()).unwrap_or(0);
        return answer(level as i64);
    };
    check_safety_level(call.connection)?;
    if call.db() != Db::TEMP {
        // Levels have three bits. A number above 3 is not a level, but means FULL at least.
        let level = match safety_level(value, 1) & 7 {
            7 => 0,
            level => usize::from(level).min(levels.len() - 1),
        };
        pager.set_synchronous(levels[level]);
    }
    nothing()
}

fn data_version(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    call.connection.begin_on(call.db(), false, call.run)?;
    answer(i64::from(call.connection.databases.get(call.db())?.btree().pager().data_version()))
}

fn auto_vacuum(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let database = call.connection.databases.get(call.db())?;
    database.check_free()?;
    let btree = database.btree();
    call.connection.load_schemas()?;
    let wanted = call.text().map(|value| {
        let number = integer(value.as_bytes());
        match value.to_ascii_lowercase().as_str() {
            "full" => AutoVacuum::Full,
            "incremental" => AutoVacuum::Incremental,
            _ if number == 1 => AutoVacuum::Full,
            _ if number == 2 => AutoVacuum::Incremental,
            _ => AutoVacuum::None,
        }
    });
    if btree.pager().page_count() == 0
        && let Some(mode) = wanted
        && begin_with_auto_vacuum(call, btree, mode)?
    {
        return nothing();
    }
    // The mode is not read from the file, which may be locked, if it is known. No lock is kept: reading the mode does
    // not begin a transaction on the file.
    let ask = || while_reading(btree.pager(), || Ok(btree.auto_vacuum_mode()?));
    let now = match btree.last_auto_vacuum_mode().map_or_else(ask, Ok) {
        // The new mode takes effect at the next VACUUM, whatever the present one is.
        Err(error) if wanted == Some(AutoVacuum::None) && error.code().primary() == ResultCode::BUSY => {
            AutoVacuum::None
        }
        now => now?,
    };
    let Some(mode) = wanted else { return answer(now as i64) };
    // If the file has no pointer maps, or is to lose them, the next VACUUM changes the mode.
    call.connection.databases.settings.next_auto_vacuum.set(Some(mode));
    if btree.pager().page_count() == 0 {
        btree.set_auto_vacuum(mode)?;
    } else if now != AutoVacuum::None && mode != AutoVacuum::None {
        // The mode is written even if it does not change.
        call.connection.begin_on(call.db(), true, call.run)?;
        btree.set_auto_vacuum(mode)?;
        btree.auto_vacuum_mode()?;
    }
    nothing()
}

/// Writes the first page of a database without pages, which stores the auto-vacuum mode: afterwards only VACUUM can
/// change whether there are pointer maps. `false`: another connection has written the first page already.
fn begin_with_auto_vacuum(call: &Call<'_>, btree: &Btree, mode: AutoVacuum) -> Result<bool> {
    call.connection.databases.settings.next_auto_vacuum.set(Some(mode));
    if !btree.set_auto_vacuum(mode)? || mode == AutoVacuum::None {
        return Ok(true);
    }
    call.connection.begin_on(call.db(), true, call.run)?;
    btree.auto_vacuum_mode()?;
    Ok(btree.pager().has_changes())
}

/// Frees a page, and returns a row without columns for it. Each step frees one page, so that an application that stops
/// after a row keeps what was freed.
fn incremental_vacuum(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let limit = call.integer().and_then(|pages| u32::try_from(pages).ok()).filter(|pages| *pages > 0);
    let freed = call.run.vacuumed.take().unwrap_or(0);
    call.connection.begin_on(call.db(), true, call.run)?;
    let database = call.connection.databases.get(call.db())?;
    let btree = database.btree();
    let is_enough = limit.is_some_and(|limit| freed >= limit);
    if is_enough || btree.pager().page_count() == 0 || btree.freelist_count()? == 0 {
        return nothing();
    }
    if btree.auto_vacuum_mode()? == AutoVacuum::None {
        return nothing();
    }
    btree.incremental_vacuum(1)?;
    call.run.vacuumed.set(Some(freed + 1));
    Ok(vec![CommandRow::new()])
}

/// Another store means another temporary database: the content of the one before is lost.
fn temp_store(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let cell = &call.connection.databases.settings.temp_store;
    let Some(value) = call.text() else { return answer(i64::from(cell.get())) };
    let wanted = wanted_temp_store(&value);
    if wanted == cell.get() {
        return nothing();
    }
    check_temporary_is_idle(call.connection)?;
    cell.set(wanted);
    replace_temporary(call.connection);
    nothing()
}

fn wanted_temp_store(value: &str) -> u8 {
    match value.to_ascii_lowercase().as_str() {
        "file" => 1,
        "memory" => 2,
        // The first digit is the number.
        other => other.bytes().next().filter(|digit| (b'0'..=b'2').contains(digit)).map_or(0, |digit| digit - b'0'),
    }
}

/// Fails if PRAGMA temp_store cannot be set to this value now.
pub(super) fn check_temp_store(connection: &Connection, value: &str) -> Result<()> {
    match wanted_temp_store(value) == connection.databases.settings.temp_store.get() {
        true => Ok(()),
        false => check_temporary_is_idle(connection),
    }
}

/// Fails if PRAGMA synchronous cannot be set now.
pub(super) fn check_safety_level(connection: &Connection) -> Result<()> {
    match connection.is_autocommit() {
        true => Ok(()),
        false => Err(Error::generic("Safety level may not be changed inside a transaction")),
    }
}

/// Where temporary files are stored cannot be changed while they are in use.
fn check_temporary_is_idle(connection: &Connection) -> Result<()> {
    let temp = connection.databases.get(Db::TEMP)?;
    match temp.opened() {
        Some(btree) if !connection.is_autocommit() || btree.pager().is_reading() => {
            Err(Error::generic("temporary storage cannot be changed from within a transaction"))
        }
        _ => Ok(()),
    }
}

/// Replaces the temporary database by an empty one, and drops its objects from the catalog.
fn replace_temporary(connection: &Connection) {
    let files = connection.databases.temporary_files();
    connection.databases.replace(Db::TEMP, Database::temporary(files));
    connection.definitions.change_catalog(|catalog| {
        let mut empty = Schema::new(true);
        empty.encoding = catalog.schema(Db::TEMP).encoding;
        catalog.set_schema(Db::TEMP, Arc::new(empty));
    });
}

fn wal_checkpoint(call: &Call<'_>) -> Result<Vec<CommandRow>> {
    let mode = match call.text().map(|mode| mode.to_ascii_lowercase()).as_deref() {
        Some("full") => CheckpointMode::Full,
        Some("restart") => CheckpointMode::Restart,
        Some("truncate") => CheckpointMode::Truncate,
        Some("noop") => CheckpointMode::Noop,
        _ => CheckpointMode::Passive,
    };
    call.connection.load_schemas()?;
    let result = call.connection.databases.checkpoint(call.schema, mode, |_| true)?;
    call.connection.note_user(call.run);
    let numbers = [i64::from(result.is_busy), result.log_frames, result.checkpointed_frames];
    Ok(vec![numbers.into_iter().map(Value::from).collect()])
}
