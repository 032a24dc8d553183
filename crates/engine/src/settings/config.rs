//! Switches of a connection that are not, or not only, pragmas (`sqlite3_db_config`).

use lithe_resolve::environment::Flags as CompileFlags;
use lithe_sql::Limits;
use lithe_vm::connection_state::{ConnectionState, Flags};

use super::Settings;

/// A switch, by SQLite's numbers (SQLITE_DBCONFIG_*).
#[allow(missing_docs)] // the names are those of the SQLITE_DBCONFIG_* options
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

const _: () = assert!(ALL.len() <= u32::BITS as usize, "each switch has a bit");

/// The switches that neither the compiler nor the machine reads, one bit each.
#[derive(Clone, Copy)]
pub(crate) struct Switches(u32);

impl Default for Switches {
    fn default() -> Switches {
        let on = [
            Config::EnableFts3Tokenizer,
            Config::EnableAttachCreate,
            Config::EnableAttachWrite,
            Config::EnableComments,
        ];
        Switches(on.into_iter().fold(0, |bits, config| bits | config.bit()))
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

    /// The compiler's flag of the same meaning.
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

impl Settings {
    /// Whether a switch is on.
    pub(crate) fn config(&self, config: Config) -> bool {
        match config.compile_flag() {
            Some(flag) => *flag(&mut self.flags.get()),
            None => self.switches.get().0 & config.bit() != 0,
        }
    }

    /// Turns a switch on or off, and the flag of the same meaning in `state` if there is one.
    ///
    /// Some switches are only stored here: no plan depends on the values of parameters, so ENABLE_QPSG always holds;
    /// the C library reads the switch of FTS3's tokenizers; VACUUM reads RESET_DATABASE.
    pub(crate) fn set_config(&self, config: Config, on: bool, state: &ConnectionState) {
        let Some(flag) = config.compile_flag() else {
            let bits = self.switches.get().0;
            self.switches.set(Switches(if on { bits | config.bit() } else { bits & !config.bit() }));
            if config == Config::EnableComments {
                self.limits.set(Limits { comments: on, ..self.limits.get() });
                self.generation.expire_programs();
            }
            return;
        };
        let twin = match config {
            Config::EnableForeignKeys => Some(Flags::FOREIGN_KEYS),
            Config::ReverseScanOrder => Some(Flags::REVERSE_UNORDERED_SELECTS),
            _ => None,
        };
        if let Some(twin) = twin {
            state.flags.set(state.flags.get().with(twin, on));
        }
        let mut flags = self.flags.get();
        *flag(&mut flags) = on;
        self.flags.set(flags);
        self.generation.expire_programs();
    }
}
