//! Commands that change a setting.

use super::{boolean, usage};
use crate::commands::failure::Failure;
use crate::settings::{Eqp, default_prompts, prompts_at_start};
use crate::shell::Shell;

type Result = std::result::Result<(), Failure>;

fn switch(arguments: &[String], command: &str, setting: &mut bool) -> Result {
    let [value] = arguments else { return Err(usage(command)) };
    *setting = boolean(value)?;
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
    let [value] = arguments else { return Err(usage(".eqp")) };
    shell.settings.eqp = match value.as_str() {
        "trigger" => Eqp::Triggers,
        "full" => Eqp::Full,
        _ if boolean(value)? => Eqp::On,
        _ => Eqp::Off,
    };
    Ok(())
}

/// `.binary`: has no effect, because output is always binary on the supported systems.
pub fn binary(_: &mut Shell, arguments: &[String]) -> Result {
    let [value] = arguments else { return Err(usage(".binary")) };
    Ok(boolean(value).map(|_| ())?)
}

/// `.explain ?on|off|auto?`: `auto` is the same as `on`, which affects only EXPLAIN.
pub fn explain(shell: &mut Shell, arguments: &[String]) -> Result {
    match arguments {
        [] => shell.settings.explain = true,
        [value] if value == "auto" => shell.settings.explain = true,
        _ => switch(arguments, ".explain", &mut shell.settings.explain)?,
    }
    Ok(())
}

pub fn headers(shell: &mut Shell, arguments: &[String]) -> Result {
    let [value] = arguments else { return Err(usage(".headers")) };
    shell.settings.style.titles = Some(super::mode::titles(value)?);
    Ok(())
}

/// `.timeout MS`: the longest wait for locks of other connections.
pub fn timeout(shell: &mut Shell, arguments: &[String]) -> Result {
    let [milliseconds] = arguments else { return Err(usage(".timeout")) };
    let milliseconds: i64 = milliseconds.parse().map_err(|_| usage(".timeout"))?;
    shell.database.connection.busy_timeout(std::time::Duration::from_millis(milliseconds.max(0).unsigned_abs()));
    Ok(())
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

pub fn nullvalue(shell: &mut Shell, arguments: &[String]) -> Result {
    let [text] = arguments else { return Err(usage(".nullvalue")) };
    shell.settings.style.null = Some(text.clone());
    Ok(())
}

pub fn separator(shell: &mut Shell, arguments: &[String]) -> Result {
    let style = &mut shell.settings.style;
    match arguments {
        [column] => style.column_separator = column.clone(),
        [column, row] => {
            style.column_separator = column.clone();
            style.row_separator = row.clone();
        }
        _ => return Err(usage(".separator")),
    }
    Ok(())
}

pub fn width(shell: &mut Shell, arguments: &[String]) -> Result {
    shell.settings.style.widths = super::mode::widths(arguments.iter().map(String::as_str))?;
    Ok(())
}

/// `.prompt ?OPTIONS? ?MAIN? ?CONTINUE?`
pub fn prompt(shell: &mut Shell, arguments: &[String]) -> Result {
    let settings = &mut shell.settings;
    let (mut texts, mut shows, mut has_options) = (Vec::new(), false, true);
    for argument in arguments {
        let option = argument.strip_prefix('-').filter(|_| has_options);
        match option.map(|name| name.strip_prefix('-').unwrap_or(name)) {
            None => texts.push(argument),
            Some("") => has_options = false,
            Some("reset") => [settings.prompt, settings.continuation] = prompts_at_start(),
            Some("hard-reset") => [settings.prompt, settings.continuation] = default_prompts(),
            Some("color") => settings.has_color = true,
            Some("no-color") => settings.has_color = false,
            Some("show") => shows = true,
            Some(_) => return Err(format!("unknown option: \"{argument}\"").into()),
        }
    }
    let mut texts = texts.into_iter();
    if let Some(main) = texts.next() {
        settings.prompt = main.clone();
    }
    if let Some(continuation) = texts.next() {
        settings.continuation = continuation.clone();
    }
    if texts.next().is_some() {
        return Err(usage(".prompt"));
    }
    if shows {
        let text = format!("Main prompt:  '{}'\nContinuation: '{}'\n", settings.prompt, settings.continuation);
        return Ok(shell.output.print(&text)?);
    }
    Ok(())
}

/// `.expert ?--verbose? ?--sample PERCENT?`: the percentage is ignored; statistics are those of ANALYZE.
pub fn expert(shell: &mut Shell, arguments: &[String]) -> Result {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.trim_start_matches('-') {
            "verbose" => {}
            "sample" => drop(rest.next().ok_or_else(|| "value missing: --sample".to_owned())?),
            _ => return Err(usage(".expert")),
        }
    }
    shell.gives_advice = true;
    Ok(())
}

pub fn print(shell: &mut Shell, arguments: &[String]) -> Result {
    Ok(shell.output.print(&format!("{}\n", arguments.join(" ")))?)
}
