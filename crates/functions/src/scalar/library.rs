//! Functions about the connection and the library.

use std::sync::OnceLock;

use lithe_value::{NumberText, ValueRef, cast};

use super::{PURE, arg, null, pure, text_of};
use crate::context::Context;
use crate::error::Result;
use crate::signature::{Arity, Flags, Scalar, ScalarFn};

/// The version of SQLite that this library is compatible with: the result of `sqlite_version()`.
pub const VERSION: &str = lithe_base::SQLITE_VERSION;

/// The result of `sqlite_source_id()`: a date, and the version of the source.
pub const SOURCE_ID: &str = concat!("2026-10-16 14:45:20 lithe-", env!("CARGO_PKG_VERSION"));

/// The options of SQLite's build that describe the engine, in order.
const ENGINE_OPTIONS: [&str; 36] = [
    "COMPILER=rustc",
    "DEFAULT_AUTOVACUUM",
    "DEFAULT_CACHE_SIZE=-2000",
    "DEFAULT_FILE_FORMAT=4",
    "DEFAULT_JOURNAL_SIZE_LIMIT=-1",
    "DEFAULT_PAGE_SIZE=4096",
    "DEFAULT_RECURSIVE_TRIGGERS",
    "DEFAULT_SECTOR_SIZE=4096",
    "DEFAULT_SYNCHRONOUS=2",
    "DEFAULT_WAL_AUTOCHECKPOINT=1000",
    "DEFAULT_WAL_SYNCHRONOUS=2",
    "DEFAULT_WORKER_THREADS=0",
    "ENABLE_COLUMN_METADATA",
    "ENABLE_LOAD_EXTENSION",
    "ENABLE_MATH_FUNCTIONS",
    "ENABLE_STAT4",
    "ENABLE_UNLOCK_NOTIFY",
    "ENABLE_UPDATE_DELETE_LIMIT",
    "MAX_ATTACHED=10",
    "MAX_COLUMN=2000",
    "MAX_COMPOUND_SELECT=500",
    "MAX_EXPR_DEPTH=1000",
    "MAX_FUNCTION_ARG=1000",
    "MAX_LENGTH=1000000000",
    "MAX_LIKE_PATTERN_LENGTH=50000",
    "MAX_PAGE_COUNT=0xfffffffe",
    "MAX_PAGE_SIZE=65536",
    "MAX_SCHEMA=10000000",
    "MAX_SQL_LENGTH=1000000000",
    "MAX_TRIGGER_DEPTH=1000",
    "MAX_VARIABLE_NUMBER=32766",
    "MAX_VDBE_OP=250000000",
    "MAX_WORKER_THREADS=8",
    "SOUNDEX",
    "TEMP_STORE=1",
    "THREADSAFE=1",
];

/// The options of the whole library. The first call that reads or extends this value fixes it.
static COMPILE_OPTIONS: OnceLock<Vec<&'static str>> = OnceLock::new();

/// The rows of `PRAGMA compile_options`: the options of SQLite's build that describe this library, in order.
pub fn compile_options() -> &'static [&'static str] {
    COMPILE_OPTIONS.get_or_init(|| ENGINE_OPTIONS.to_vec())
}

/// Adds the options of the extensions that every connection of the process has. Only the first call has an effect, and only
/// before the first call of [`compile_options`].
pub fn add_compile_options(of_extensions: &[&'static str]) {
    COMPILE_OPTIONS.get_or_init(|| {
        let mut all = [&ENGINE_OPTIONS[..], of_extensions].concat();
        all.sort_unstable();
        all
    });
}

pub(super) const FUNCTIONS: [Scalar; 11] = [
    volatile("changes", 0, changes),
    volatile("last_insert_rowid", 0, last_insert_rowid),
    Scalar {
        name: "load_extension",
        args: Arity::Exactly(1),
        flags: Flags::DIRECT_ONLY,
        eval: load_extension,
        shortcut: None,
    },
    Scalar {
        name: "load_extension",
        args: Arity::Exactly(2),
        flags: Flags::DIRECT_ONLY,
        eval: load_extension,
        shortcut: None,
    },
    stable("sqlite_compileoption_get", 1, compileoption_get),
    stable("sqlite_compileoption_used", 1, compileoption_used),
    Scalar { name: "sqlite_log", args: Arity::Exactly(2), flags: Flags::DIRECT_ONLY, eval: log, shortcut: None },
    stable("sqlite_source_id", 0, source_id),
    stable("sqlite_version", 0, version),
    Scalar { flags: PURE.with(Flags::SUBTYPE), ..pure("subtype", 1, subtype) },
    volatile("total_changes", 0, total_changes),
];

/// An entry for a function whose result may differ between calls.
const fn volatile(name: &'static str, args: u16, eval: ScalarFn) -> Scalar {
    Scalar { name, args: Arity::Exactly(args), flags: Flags::INNOCUOUS, eval, shortcut: None }
}

/// An entry for a function whose result is constant during a statement, but depends on the version of the library.
const fn stable(name: &'static str, args: u16, eval: ScalarFn) -> Scalar {
    Scalar { name, args: Arity::Exactly(args), flags: Flags::INNOCUOUS.with(Flags::STABLE), eval, shortcut: None }
}

fn changes(context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
    context.out.set_integer(context.connection.changes());
    Ok(())
}

fn total_changes(context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
    context.out.set_integer(context.connection.total_changes());
    Ok(())
}

fn last_insert_rowid(context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
    context.out.set_integer(context.connection.last_insert_rowid());
    Ok(())
}

fn version(context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
    context.out.set_text(VERSION.as_bytes());
    Ok(())
}

fn source_id(context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
    context.out.set_text(SOURCE_ID.as_bytes());
    Ok(())
}

fn compileoption_get(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let option = usize::try_from(cast::to_integer(arg(args, 0))).ok().and_then(|index| compile_options().get(index));
    match option {
        Some(option) => context.out.set_text(option.as_bytes()),
        None => context.out.set_null(),
    }
    Ok(())
}

/// Whether there is an option of that name, or with that name and value; the prefix `SQLITE_` is ignored.
fn compileoption_used(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    const PREFIX: &[u8] = b"SQLITE_";
    let mut scratch = NumberText::default();
    let Some(wanted) = text_of(arg(args, 0), &mut scratch) else { return null(context) };
    let wanted = match wanted.split_at_checked(PREFIX.len()) {
        Some((prefix, rest)) if prefix.eq_ignore_ascii_case(PREFIX) => rest,
        _ => wanted,
    };
    let is_it = |option: &&str| {
        let name = option.split('=').next().unwrap_or(option);
        [*option, name].iter().any(|text| text.as_bytes().eq_ignore_ascii_case(wanted))
    };
    let is_used = compile_options().iter().any(is_it);
    context.out.set_integer(i64::from(is_used));
    Ok(())
}

fn subtype(context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
    context.out.set_integer(i64::from(context.arg_subtype(0)));
    Ok(())
}

/// `load_extension(file)`, `load_extension(file, entry point)`
fn load_extension(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let text = |at: usize| args.get(at).filter(|arg| !arg.is_null()).map(|arg| cast::to_text(*arg));
    // The permission is checked first: a file that is NULL loads nothing.
    let loaded = context.connection.load_extension(text(0).as_deref(), text(1).as_deref());
    loaded.map_err(crate::FunctionError::new)?;
    null(context)
}

/// `sqlite_log(code, message)`
fn log(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let code = i32::try_from(cast::to_integer(arg(args, 0))).unwrap_or(i32::MAX);
    context.connection.log(code, cast::to_bytes(arg(args, 1), &mut NumberText::default()));
    null(context)
}
