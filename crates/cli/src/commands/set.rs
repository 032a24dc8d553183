//! Commands that set something.

use std::fs::File;
use std::io::BufWriter;

use super::usage;
use crate::output::{MODES, Mode};
use crate::shell::{Output, Shell};

type Result = std::result::Result<(), String>;

fn switch(arguments: &[String], command: &str, setting: &mut bool) -> Result {
    let [value] = arguments else { return Err(usage(command)) };
    *setting = match value.to_ascii_lowercase().as_str() {
        "on" | "yes" | "true" | "1" => true,
        "off" | "no" | "false" | "0" => false,
        other => return Err(format!("not a boolean value: \"{other}\"")),
    };
    Ok(())
}

pub fn bail(shell: &mut Shell, arguments: &[String]) -> Result {
    switch(arguments, ".bail", &mut shell.settings.bail)
}

pub fn changes(shell: &mut Shell, arguments: &[String]) -> Result {
    switch(arguments, ".changes", &mut shell.settings.changes)
}

pub fn echo(shell: &mut Shell, arguments: &[String]) -> Result {
    switch(arguments, ".echo", &mut shell.settings.echo)
}

pub fn eqp(shell: &mut Shell, arguments: &[String]) -> Result {
    switch(arguments, ".eqp", &mut shell.settings.eqp)
}

pub fn headers(shell: &mut Shell, arguments: &[String]) -> Result {
    switch(arguments, ".headers", &mut shell.settings.headers)
}

pub fn timer(shell: &mut Shell, arguments: &[String]) -> Result {
    switch(arguments, ".timer", &mut shell.settings.timer)
}

pub fn exit(shell: &mut Shell, arguments: &[String]) -> Result {
    let code = match arguments {
        [] => 0,
        [code] => code.parse::<i64>().map_err(|_| usage(".exit"))? as u8,
        _ => return Err(usage(".exit")),
    };
    shell.exit_code = Some(code);
    Ok(())
}

pub fn mode(shell: &mut Shell, arguments: &[String]) -> Result {
    let Some(name) = arguments.first() else {
        let name = shell.settings.mode.name();
        return shell.output.print(&format!("current output mode: {name}\n"));
    };
    let Some(mode) = Mode::named(name) else {
        let names: Vec<&str> = MODES.iter().map(|(name, _)| *name).collect();
        return Err(format!("mode should be one of: {}", names.join(" ")));
    };
    shell.settings.set_mode(mode);
    if mode == Mode::Insert {
        shell.settings.insert_table = arguments.get(1).cloned().unwrap_or_else(|| "table".to_owned());
    }
    Ok(())
}

pub fn nullvalue(shell: &mut Shell, arguments: &[String]) -> Result {
    let [text] = arguments else { return Err(usage(".nullvalue")) };
    shell.settings.null = text.clone();
    Ok(())
}

pub fn separator(shell: &mut Shell, arguments: &[String]) -> Result {
    match arguments {
        [column] => shell.settings.column_separator = unescaped(column),
        [column, row] => {
            shell.settings.column_separator = unescaped(column);
            shell.settings.row_separator = unescaped(row);
        }
        _ => return Err(usage(".separator")),
    }
    Ok(())
}

/// `\t` and `\n` mean the characters even without quotes.
fn unescaped(text: &str) -> String {
    text.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r")
}

pub fn width(shell: &mut Shell, arguments: &[String]) -> Result {
    let widths: std::result::Result<Vec<i32>, _> = arguments.iter().map(|width| width.parse()).collect();
    shell.settings.widths = widths.map_err(|_| usage(".width"))?;
    Ok(())
}

pub fn prompt(shell: &mut Shell, arguments: &[String]) -> Result {
    if let Some(prompt) = arguments.first() {
        shell.settings.prompt = prompt.clone();
    }
    if let Some(continuation) = arguments.get(1) {
        shell.settings.continuation = continuation.clone();
    }
    Ok(())
}

pub fn print(shell: &mut Shell, arguments: &[String]) -> Result {
    shell.output.print(&format!("{}\n", arguments.join(" ")))
}

pub fn output(shell: &mut Shell, arguments: &[String]) -> Result {
    shell.output = match arguments {
        [] => Output::Stdout,
        [file] if file == "stdout" => Output::Stdout,
        [file] => Output::File(create(file)?),
        _ => return Err(usage(".output")),
    };
    Ok(())
}

pub fn once(shell: &mut Shell, arguments: &[String]) -> Result {
    let [file] = arguments else { return Err(usage(".once")) };
    shell.output = Output::Once(create(file)?);
    Ok(())
}

fn create(file: &str) -> std::result::Result<BufWriter<File>, String> {
    File::create(file).map(BufWriter::new).map_err(|e| format!("cannot open \"{file}\": {e}"))
}
