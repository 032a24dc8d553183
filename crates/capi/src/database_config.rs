//! `sqlite3_db_config`: switches of a connection.

use std::ffi::c_int;

use lithe_engine::Config;

use crate::code;
use crate::connection::{live, sqlite3};
use crate::door::guard;
use crate::variadic::{Arguments, CArgs};

/// What every switch of the engine does for itself. The others can be asked for, and set to what they are.
fn is_real(config: Config) -> bool {
    !matches!(
        config,
        Config::EnableFts3Tokenizer
            | Config::NoCheckpointOnClose
            | Config::EnableQpsg
            | Config::TriggerEqp
            | Config::ResetDatabase
            | Config::Defensive
            | Config::LegacyFileFormat
            | Config::StatementScanStatus
            | Config::EnableAttachCreate
            | Config::EnableAttachWrite
            | Config::EnableComments
    )
}

/// Sets the switch unless `on` is negative, and answers how it stands.
fn switch(db: &sqlite3, config: Config, on: c_int) -> Result<bool, c_int> {
    if config == Config::EnableLoadExtension {
        if on >= 0 {
            db.can_load_extensions.set(on > 0);
        }
        return Ok(db.can_load_extensions.get());
    }
    if on >= 0 && (on > 0) != db.core().config(config) {
        if !is_real(config) {
            return Err(db.not_supported(&format!("sqlite3_db_config verb {}", config as c_int)));
        }
        db.core().set_config(config, on > 0);
    }
    Ok(db.core().config(config))
}

/// `sqlite3_db_config`, behind its C half.
#[unsafe(no_mangle)]
unsafe extern "C" fn lithe_db_config(db: *mut sqlite3, op: c_int, args: *mut CArgs) -> c_int {
    guard(|| {
        // SAFETY: the C half hands on what it was called with.
        let (db, mut args) = match unsafe { live(db) } {
            // SAFETY: as above.
            Ok(db) => (db, unsafe { Arguments::new(args) }),
            Err(code) => return code,
        };
        match op {
            // MAINDBNAME
            1000 => return db.not_supported("SQLITE_DBCONFIG_MAINDBNAME"),
            // LOOKASIDE: there is none, which is no error.
            1001 => return code::OK,
            // FP_DIGITS
            1023 => {
                let _wanted = args.int();
                // SAFETY: null, or where the application wants the number.
                if let Some(out) = unsafe { args.pointer::<c_int>().as_mut() } {
                    *out = 17;
                }
                return code::OK;
            }
            _ => {}
        }
        let Some(config) = Config::from_number(op) else { return code::ERROR };
        let on = args.int();
        match switch(&db, config, on) {
            Ok(stands) => {
                // SAFETY: null, or where the application wants to know how it stands.
                if let Some(out) = unsafe { args.pointer::<c_int>().as_mut() } {
                    *out = stands.into();
                }
                db.ok()
            }
            Err(code) => code,
        }
    })
}
