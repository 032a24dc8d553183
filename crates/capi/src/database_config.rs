//! `sqlite3_db_config`: switches of a connection.

use std::ffi::c_int;

use lithe_engine::Config;

use crate::code;
use crate::connection::{live, sqlite3};
use crate::ffi_guard::guard;
use crate::variadic::{Arguments, CArgs};

/// Sets the switch unless `on` is negative, and returns its state.
fn switch(db: &sqlite3, config: Config, on: c_int) -> bool {
    if config == Config::EnableLoadExtension {
        if on >= 0 {
            db.can_load_extensions.set(on > 0);
        }
        return db.can_load_extensions.get();
    }
    if on >= 0 && (on > 0) != db.core().config(config) {
        db.core().set_config(config, on > 0);
    }
    db.core().config(config)
}

/// `sqlite3_db_config`, behind its C half.
#[unsafe(no_mangle)]
unsafe extern "C" fn lithe_db_config(db: *mut sqlite3, op: c_int, args: *mut CArgs) -> c_int {
    guard(|| {
        // SAFETY: the C half passes on its own arguments.
        let (db, mut args) = match unsafe { live(db) } {
            // SAFETY: as above.
            Ok(db) => (db, unsafe { Arguments::new(args) }),
            Err(code) => return code,
        };
        match op {
            // MAINDBNAME
            1000 => {
                // SAFETY: the verb has a string.
                let name = unsafe { crate::text::name(args.pointer()) };
                db.core().rename_main(name.as_deref().unwrap_or("main"));
                return code::OK;
            }
            // LOOKASIDE: there is no lookaside memory, which is not an error.
            1001 => return code::OK,
            // FP_DIGITS
            1023 => {
                let stands = db.core().set_real_digits(args.int());
                // SAFETY: null, or where the application wants the number.
                if let Some(out) = unsafe { args.pointer::<c_int>().as_mut() } {
                    *out = stands;
                }
                return code::OK;
            }
            _ => {}
        }
        let Some(config) = Config::from_number(op) else { return code::ERROR };
        let on = args.int();
        let stands = switch(&db, config, on);
        // SAFETY: null, or where the application wants the state.
        if let Some(out) = unsafe { args.pointer::<c_int>().as_mut() } {
            *out = stands.into();
        }
        code::OK
    })
}
