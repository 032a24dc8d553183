//! The settings of a connection: flags of the compiler, limits, switches, and values of pragmas without effect.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `config` | switches by SQLite's numbers (`sqlite3_db_config`) |
//! | `limit` | limits by SQLite's numbers (`sqlite3_limit`) |
//! | `store` | settings of the files, which belong to the list of databases |
//!
//! Some settings are copied into the [`ConnectionState`] that running programs read: the methods that set them take
//! these.

pub(crate) mod config;
pub(crate) mod limit;
pub(crate) mod store;

use std::cell::Cell;

use lithe_resolve::environment::Flags as CompileFlags;
use lithe_sql::Limits;
use lithe_value::number::with_digits;

use crate::generation::Generation;
use config::Switches;
use limit::OtherLimits;

/// The bit of PRAGMA empty_result_callbacks among the switches that are only stored.
pub(crate) const EMPTY_RESULT_CALLBACKS: u8 = 4;

/// The settings of a connection.
pub(crate) struct Settings {
    flags: Cell<CompileFlags>,
    limits: Cell<Limits>,
    other_limits: Cell<OtherLimits>,
    switches: Cell<Switches>,
    /// How many significant digits a real has as a text.
    real_digits: Cell<i32>,
    /// Pragmas that have no effect on this system and are only stored, one bit each.
    remembered: Cell<u8>,
    /// PRAGMA threads.
    pub(crate) threads: Cell<i64>,
    /// The bits of the codes that SQL of functions and modules is told: 0xff where extended codes are off, as the functions of the C
    /// interface mask them.
    pub(crate) code_mask: Cell<i32>,
    generation: Generation,
}

impl Settings {
    pub(crate) fn new(generation: Generation) -> Settings {
        Settings {
            flags: Cell::default(),
            limits: Cell::default(),
            other_limits: Cell::default(),
            switches: Cell::default(),
            real_digits: Cell::new(lithe_value::number::decimal::ROUND_TRIP_DIGITS),
            remembered: Cell::new(0),
            threads: Cell::new(0),
            code_mask: Cell::new(-1),
            generation,
        }
    }

    /// The flags that the compiler reads.
    #[inline]
    pub(crate) fn flags(&self) -> CompileFlags {
        self.flags.get()
    }

    /// Sets one of the flags. Programs become stale if it was different.
    pub(crate) fn set_flag(&self, field: fn(&mut CompileFlags) -> &mut bool, on: bool) {
        let mut flags = self.flags.get();
        if std::mem::replace(field(&mut flags), on) != on {
            self.flags.set(flags);
            self.generation.expire_programs();
        }
    }

    /// Compiles as if the connection had no virtual tables. Programs that were compiled before stay valid.
    pub(crate) fn without_virtual_tables<T>(&self, compile: impl FnOnce() -> T) -> T {
        self.with_flag(|flags| &mut flags.no_virtual_tables, compile)
    }

    /// Runs with `PRAGMA legacy_alter_table` on.
    pub(crate) fn with_legacy_alter_table<T>(&self, run: impl FnOnce() -> T) -> T {
        self.with_flag(|flags| &mut flags.legacy_alter_table, run)
    }

    /// Runs with a flag set. What `run` does to the other flags stays.
    fn with_flag<T>(&self, field: fn(&mut CompileFlags) -> &mut bool, run: impl FnOnce() -> T) -> T {
        let replace = |on| {
            let mut flags = self.flags.get();
            let before = std::mem::replace(field(&mut flags), on);
            self.flags.set(flags);
            before
        };
        let before = replace(true);
        let result = run();
        replace(before);
        result
    }

    /// The limits that the parser and the compiler read.
    pub(crate) fn limits(&self) -> Limits {
        self.limits.get()
    }

    /// Sets how many significant digits a real has as a text (SQLITE_DBCONFIG_FP_DIGITS), and returns the number in force: one that is not
    /// between 4 and 23 changes nothing.
    pub(crate) fn set_real_digits(&self, digits: i32) -> i32 {
        if (4..=23).contains(&digits) {
            self.real_digits.set(digits);
        }
        self.real_digits.get()
    }

    /// Calls `f`, during which reals become texts as on this connection.
    #[inline]
    pub(crate) fn with_real_digits<T>(&self, f: impl FnOnce() -> T) -> T {
        with_digits(self.real_digits.get(), f)
    }

    /// Whether a switch that is only stored is on.
    pub(crate) fn remembers(&self, bit: u8) -> bool {
        self.remembered.get() & bit != 0
    }

    /// Sets a switch that is only stored.
    pub(crate) fn remember(&self, bit: u8, on: bool) {
        let bits = self.remembered.get();
        self.remembered.set(if on { bits | bit } else { bits & !bit });
    }
}

#[cfg(test)]
mod tests {
    use super::config::Config;
    use super::limit::Limit;
    use super::*;
    use lithe_vm::connection_state::{ConnectionState, Flags};

    #[test]
    fn only_a_change_of_a_flag_makes_programs_stale() {
        let generation = Generation::default();
        let settings = Settings::new(generation.clone());
        let before = generation.number();
        settings.set_flag(|flags| &mut flags.query_only, false);
        assert_eq!(generation.number(), before);
        settings.set_flag(|flags| &mut flags.query_only, true);
        assert!(settings.flags().query_only && generation.number() != before);
    }

    #[test]
    fn virtual_tables_are_hidden_from_one_compilation() {
        let generation = Generation::default();
        let settings = Settings::new(generation.clone());
        let before = generation.number();
        let seen = settings.without_virtual_tables(|| {
            settings.set_flag(|flags| &mut flags.query_only, true);
            settings.without_virtual_tables(|| settings.flags().no_virtual_tables) && settings.flags().no_virtual_tables
        });
        assert!(seen && !settings.flags().no_virtual_tables);
        assert!(settings.flags().query_only, "what the compilation sets stays");
        assert_eq!(generation.number(), before + 1, "programs stay good but for that flag");
    }

    #[test]
    fn switches_and_their_twins() {
        let (settings, state) = (Settings::new(Generation::default()), ConnectionState::default());
        assert!(!settings.config(Config::EnableForeignKeys) && settings.config(Config::EnableAttachWrite));
        settings.set_config(Config::EnableForeignKeys, true, &state);
        assert!(settings.config(Config::EnableForeignKeys) && state.has(Flags::FOREIGN_KEYS));
        settings.set_config(Config::EnableComments, false, &state);
        assert!(!settings.limits().comments && !settings.config(Config::EnableComments));
    }

    #[test]
    fn limits_have_bounds() {
        let (settings, state) = (Settings::new(Generation::default()), ConnectionState::default());
        assert_eq!(settings.set_limit(Limit::Length, 0, &state), 1_000_000_000);
        assert_eq!(settings.limit(Limit::Length, &state), 30, "headers and messages need as much");
        assert_eq!(settings.set_limit(Limit::Column, i32::MAX, &state), 2000);
        assert_eq!(settings.limit(Limit::Column, &state), 2000);
        assert_eq!(
            (settings.set_limit(Limit::Column, -1, &state), settings.limit(Limit::Column, &state)),
            (2000, 2000)
        );
    }

    #[test]
    fn digits_of_reals_outside_the_range_are_refused() {
        let settings = Settings::new(Generation::default());
        let before = settings.set_real_digits(0);
        assert_eq!(settings.set_real_digits(24), before);
        assert_eq!(settings.set_real_digits(4), 4);
    }
}
