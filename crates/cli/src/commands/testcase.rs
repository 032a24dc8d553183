//! `.testcase`, `.check`: scripts that test their own output.

use super::usage;
use crate::commands::failure::Failure;
use crate::shell::Shell;
use crate::sink::Sink;

type Result = std::result::Result<(), Failure>;

/// `.testcase ?NAME?`: captures the output from now on.
pub fn testcase(shell: &mut Shell, arguments: &[String]) -> Result {
    if arguments.len() > 1 {
        return Err(usage(".testcase"));
    }
    shell.set_output(Sink::memory());
    shell.testcase = Some(arguments.first().map_or("?", String::as_str).to_owned());
    Ok(())
}

/// `.check GLOB`: ends the process if the output since `.testcase` does not match the pattern. A final line end is ignored unless the
/// pattern has one.
pub fn check(shell: &mut Shell, arguments: &[String]) -> Result {
    let [pattern] = arguments else { return Err(usage(".check")) };
    let name = shell.testcase.take().ok_or("there was no .testcase")?;
    let kept = std::mem::replace(&mut shell.output, Sink::stdout()).into_memory();
    let text = String::from_utf8_lossy(&kept);
    let matches = |text: &str| {
        let row =
            shell
                .database
                .connection
                .query_row("SELECT ?1 GLOB ?2", lithe::params![text, pattern.as_str()], |row| row.get(0));
        row.unwrap_or(false)
    };
    if matches(&text) || text.strip_suffix('\n').is_some_and(matches) {
        return Ok(shell.output.print(&format!("testcase-{name} ok\n"))?);
    }
    eprintln!("testcase-{name} FAILED\n Expected: [{pattern}]\n      Got: [{text}]");
    shell.has_failed = true;
    shell.exit_code = Some(1);
    Ok(())
}
