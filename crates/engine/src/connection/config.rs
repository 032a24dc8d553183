//! Switches of a connection that are no pragmas, or not only (`sqlite3_db_config`).

use lithe_resolve::environment::Flags as CompileFlags;
use lithe_sql::Limits;
use lithe_value::number::with_digits;
use lithe_vm::facts::Flags;
use lithe_vm::operand::Db;

use crate::connection::Connection;

/// A switch, by SQLite's numbers (SQLITE_DBCONFIG_*).
#[allow(missing_docs)] // the names say it: they are those of the SQLITE_DBCONFIG_* options
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Config {
    EnableForeignKeys = 1002,
    EnableTriggers = 1003,
    EnableFts3Tokenizer = 1004,
    EnableLoadExtension = 1005,
    NoCheckpointOnClose = 1006,
    EnableQpsg = 1007,
    TriggerEqp = 1008,
    ResetDatabase = 1009,
    Defensive = 1010,
    WritableSchema = 1011,
    LegacyAlterTable = 1012,
    DqsDml = 1013,
    DqsDdl = 1014,
    EnableViews = 1015,
    LegacyFileFormat = 1016,
    TrustedSchema = 1017,
    StatementScanStatus = 1018,
    ReverseScanOrder = 1019,
    EnableAttachCreate = 1020,
    EnableAttachWrite = 1021,
    EnableComments = 1022,
}

const ALL: [Config; 21] = [
    Config::EnableForeignKeys,
    Config::EnableTriggers,
    Config::EnableFts3Tokenizer,
    Config::EnableLoadExtension,
    Config::NoCheckpointOnClose,
    Config::EnableQpsg,
    Config::TriggerEqp,
    Config::ResetDatabase,
    Config::Defensive,
    Config::WritableSchema,
    Config::LegacyAlterTable,
    Config::DqsDml,
    Config::DqsDdl,
    Config::EnableViews,
    Config::LegacyFileFormat,
    Config::TrustedSchema,
    Config::StatementScanStatus,
    Config::ReverseScanOrder,
    Config::EnableAttachCreate,
    Config::EnableAttachWrite,
    Config::EnableComments,
];

/// The switches that neither the compiler nor the machine knows, a bit each.
#[derive(Clone, Copy)]
pub(crate) struct OtherSwitches(u32);

impl Default for OtherSwitches {
    fn default() -> OtherSwitches {
        let on = [
            Config::EnableFts3Tokenizer,
            Config::EnableAttachCreate,
            Config::EnableAttachWrite,
            Config::EnableComments,
        ];
        OtherSwitches(on.into_iter().fold(0, |bits, config| bits | config.bit()))
    }
}

impl Config {
    /// The switch of that number.
    pub fn from_number(number: i32) -> Option<Config> {
        ALL.into_iter().find(|config| *config as i32 == number)
    }

    fn bit(self) -> u32 {
        1 << (self as i32 - Config::EnableForeignKeys as i32)
    }

    /// The compiler's flag of that meaning.
    fn compile_flag(self) -> Option<fn(&mut CompileFlags) -> &mut bool> {
        Some(match self {
            Config::EnableForeignKeys => |flags| &mut flags.foreign_keys,
            Config::EnableTriggers => |flags| &mut flags.triggers,
            Config::WritableSchema => |flags| &mut flags.writable_schema,
            Config::Defensive => |flags| &mut flags.defensive,
            Config::TriggerEqp => |flags| &mut flags.trigger_eqp,
            Config::StatementScanStatus => |flags| &mut flags.scan_status,
            Config::LegacyFileFormat => |flags| &mut flags.legacy_file_format,
            Config::LegacyAlterTable => |flags| &mut flags.legacy_alter_table,
            Config::DqsDml => |flags| &mut flags.dqs_dml,
            Config::DqsDdl => |flags| &mut flags.dqs_ddl,
            Config::EnableViews => |flags| &mut flags.views,
            Config::TrustedSchema => |flags| &mut flags.trusted_schema,
            Config::ReverseScanOrder => |flags| &mut flags.reverse_unordered_selects,
            _ => return None,
        })
    }
}

impl Connection {
    /// Whether a switch is on.
    pub fn config(&self, config: Config) -> bool {
        match config.compile_flag() {
            Some(flag) => *flag(&mut self.compile_flags.get()),
            None => self.other_switches.get().0 & config.bit() != 0,
        }
    }

    /// Turns a switch on or off.
    pub fn set_config(&self, config: Config, on: bool) {
        let Some(flag) = config.compile_flag() else {
            let bits = self.other_switches.get().0;
            let bits = if on { bits | config.bit() } else { bits & !config.bit() };
            self.other_switches.set(OtherSwitches(bits));
            self.heed(config, on);
            return;
        };
        let twin = match config {
            Config::EnableForeignKeys => Some(Flags::FOREIGN_KEYS),
            Config::ReverseScanOrder => Some(Flags::REVERSE_UNORDERED_SELECTS),
            _ => None,
        };
        if let Some(twin) = twin {
            self.facts.flags.set(self.facts.flags.get().with(twin, on));
        }
        let mut flags = self.compile_flags.get();
        *flag(&mut flags) = on;
        self.compile_flags.set(flags);
        self.expire_programs();
    }

    /// What else a switch changes at once. Some need nothing: no plan depends on the values of parameters, so ENABLE_QPSG is
    /// always kept; the C library asks for the one of FTS3's tokenizers; there are no counts of scans to be switched on.
    fn heed(&self, config: Config, on: bool) {
        match config {
            Config::EnableComments => {
                self.limits.set(Limits { comments: on, ..self.limits.get() });
                self.expire_programs();
            }
            // What the catalog says of the file does not hold while it is to be reset, nor afterwards.
            Config::ResetDatabase => self.forget_schema(Db::MAIN),
            _ => {}
        }
    }

    /// How many significant digits a real has as a text (SQLITE_DBCONFIG_FP_DIGITS), after it was set to `digits`: what is not
    /// from 4 to 23 changes nothing.
    pub fn set_real_digits(&self, digits: i32) -> i32 {
        if (4..=23).contains(&digits) {
            self.real_digits.set(digits);
        }
        self.real_digits.get()
    }

    /// Calls `f`, during which reals become texts as on this connection.
    #[inline]
    pub fn with_real_digits<T>(&self, f: impl FnOnce() -> T) -> T {
        with_digits(self.real_digits.get(), f)
    }

    /// Gives the main database a name besides "main" (SQLITE_DBCONFIG_MAINDBNAME).
    pub fn rename_main(&self, name: &str) {
        self.change_catalog(|catalog| catalog.rename_main(name.into()));
    }
}
