//! `.progress`: a progress handler that prints reports, and can interrupt statements.

use crate::commands::failure::Failure;
use std::sync::atomic::Ordering;

use super::integer;
use crate::progress::Progress;
use crate::shell::Shell;

/// `.progress N ?--limit N? ?--once? ?--quiet? ?--reset?`
pub fn progress(shell: &mut Shell, arguments: &[String]) -> Result<(), Failure> {
    let (mut instructions, mut limit) = (0, 0);
    let (mut is_quiet, mut is_once, mut resets) = (false, false, false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.strip_prefix('-').map(|name| name.trim_start_matches('-')) {
            None => instructions = integer(argument)?,
            Some("quiet" | "q") => is_quiet = true,
            Some("once") => is_once = true,
            Some("reset") => resets = true,
            Some("limit") => {
                limit = integer(rest.next().ok_or("missing argument on --limit")?)?;
            }
            Some(_) => return Err(format!("unknown option: \"{argument}\"").into()),
        }
    }
    let progress = Progress { resets, ..Progress::default() };
    progress.limit.store(u64::try_from(limit).unwrap_or(0), Ordering::Relaxed);
    shell.progress = progress.clone();
    let instructions = u32::try_from(instructions).unwrap_or(0);
    let handler = move || {
        let calls = progress.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let limit = progress.limit.load(Ordering::Relaxed);
        if limit > 0 && calls >= limit {
            println!("Progress limit reached ({calls})");
            if progress.resets {
                progress.calls.store(0, Ordering::Relaxed);
            }
            if is_once {
                progress.limit.store(0, Ordering::Relaxed);
            }
            return true;
        }
        if !is_quiet {
            println!("Progress {calls}");
        }
        false
    };
    shell.database.connection.set_progress_handler(instructions, (instructions > 0).then_some(handler));
    Ok(())
}
