//! `.dbconfig`: the switches of the connection that no pragma sets, or not only a pragma.

use crate::commands::failure::Failure;
use lithe::Config;

use super::boolean;
use crate::shell::Shell;

const SWITCHES: [(&str, Config); 21] = [
    ("attach_create", Config::EnableAttachCreate),
    ("attach_write", Config::EnableAttachWrite),
    ("comments", Config::EnableComments),
    ("defensive", Config::Defensive),
    ("dqs_ddl", Config::DqsDdl),
    ("dqs_dml", Config::DqsDml),
    ("enable_fkey", Config::EnableForeignKeys),
    ("enable_qpsg", Config::EnableQpsg),
    ("enable_trigger", Config::EnableTriggers),
    ("enable_view", Config::EnableViews),
    ("fts3_tokenizer", Config::EnableFts3Tokenizer),
    ("legacy_alter_table", Config::LegacyAlterTable),
    ("legacy_file_format", Config::LegacyFileFormat),
    ("load_extension", Config::EnableLoadExtension),
    ("no_ckpt_on_close", Config::NoCheckpointOnClose),
    ("reset_database", Config::ResetDatabase),
    ("reverse_scanorder", Config::ReverseScanOrder),
    ("stmt_scanstatus", Config::StatementScanStatus),
    ("trigger_eqp", Config::TriggerEqp),
    ("trusted_schema", Config::TrustedSchema),
    ("writable_schema", Config::WritableSchema),
];

/// `.dbconfig ?op? ?val?`
pub fn dbconfig(shell: &mut Shell, arguments: &[String]) -> Result<(), Failure> {
    let connection = &shell.database.connection;
    let wanted = arguments.first();
    let mut text = String::new();
    for (name, config) in SWITCHES.iter().filter(|(name, _)| wanted.is_none_or(|wanted| wanted == name)) {
        if let Some(value) = arguments.get(1) {
            connection.set_config(*config, boolean(value)?);
        }
        let state = if connection.config(*config) { "on" } else { "off" };
        text.push_str(&format!("{name:>19} {state}\n"));
    }
    match wanted.filter(|_| text.is_empty()) {
        Some(wanted) => {
            Err(format!("unknown dbconfig \"{wanted}\"\nEnter \".dbconfig\" with no arguments for a list").into())
        }
        None => Ok(shell.output.print(&text)?),
    }
}
