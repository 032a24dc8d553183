//! `.limit`: the limits of the connection.

use crate::commands::failure::Failure;
use lithe::Limit;

use super::usage;
use crate::shell::Shell;

type Result = std::result::Result<(), Failure>;

const LIMITS: [(&str, Limit); 12] = [
    ("length", Limit::Length),
    ("sql_length", Limit::SqlLength),
    ("column", Limit::Column),
    ("expr_depth", Limit::ExprDepth),
    ("compound_select", Limit::CompoundSelect),
    ("vdbe_op", Limit::VdbeOp),
    ("function_arg", Limit::FunctionArg),
    ("attached", Limit::Attached),
    ("like_pattern_length", Limit::LikePatternLength),
    ("variable_number", Limit::VariableNumber),
    ("trigger_depth", Limit::TriggerDepth),
    ("worker_threads", Limit::WorkerThreads),
];

/// `.limit ?LIMIT? ?VAL?`: an unambiguous prefix of a name suffices.
pub fn limit(shell: &mut Shell, arguments: &[String]) -> Result {
    let connection = &shell.database.connection;
    let line = |name: &str, limit: Limit| format!("{name:>20} {}\n", connection.limit(limit));
    let text: String = match arguments {
        [] => LIMITS.iter().map(|(name, limit)| line(name, *limit)).collect(),
        [name] => {
            let (name, limit) = named(name)?;
            line(name, limit)
        }
        [name, value] => {
            let (name, limit) = named(name)?;
            connection.set_limit(limit, super::integer(value)?.try_into().unwrap_or(i32::MAX));
            line(name, limit)
        }
        _ => return Err(usage(".limit")),
    };
    Ok(shell.output.print(&text)?)
}

fn named(name: &str) -> std::result::Result<(&'static str, Limit), String> {
    let mut beginning = LIMITS.iter().filter(|(limit, _)| limit.starts_with(&name.to_ascii_lowercase()));
    match (beginning.next(), beginning.next()) {
        (Some(only), None) => Ok(*only),
        (Some(_), Some(_)) => Err(format!("ambiguous limit: \"{name}\"")),
        (None, _) => Err(format!("unknown limit: \"{name}\"\nenter \".limits\" with no arguments for a list.")),
    }
}
