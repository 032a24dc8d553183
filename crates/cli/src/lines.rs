//! Reads lines from the arguments, standard input and files, and splits them into SQL and dot commands.

use std::process::ExitCode;

use crate::args::Args;
use crate::commands;
use crate::guard::set_current_line;
use crate::input::{Input, Line};
use crate::prompt;
use crate::shell::{Reported, Shell};
use crate::sink::Sink;

/// Runs the arguments, then standard input unless the arguments have SQL.
pub fn run(shell: &mut Shell, args: &Args) -> ExitCode {
    if args.version {
        println!("{} (level with SQLite {})", env!("CARGO_PKG_VERSION"), lithe::SQLITE_VERSION);
        return ExitCode::SUCCESS;
    }
    let reads_terminal = args.sql.is_empty() && args.wants_terminal();
    if !reads_terminal {
        shell.interrupts.listen();
    }
    if let Some(file) = args.init.clone().or_else(|| start_file(args)) {
        if args.wants_terminal() {
            eprintln!("-- Loading resources from {file}");
        }
        if commands::read_file(shell, &file).is_err() {
            eprintln!("cannot open: \"{file}\""); // the shell continues as if the option were absent
        }
        run_next_inputs(shell);
        set_current_line(0);
    }
    if let Some(archive) = &args.archive {
        let result = commands::archive(shell, archive);
        let _ = result.map_err(|message| shell.report_error(&message));
        return exit_status(shell);
    }
    for command in args.cmd.iter().chain(&args.sql) {
        let result = run_argument(shell, command);
        if shell.exit_code.is_some() || (result.is_err() && (shell.settings.bail || args.sql.contains(command))) {
            return exit_status(shell);
        }
    }
    if args.sql.is_empty() {
        read_standard_input(shell, args);
    }
    exit_status(shell)
}

/// The file of commands that is read at each start: `~/.litherc`, or `lithe/litherc` in the configuration folder.
fn start_file(args: &Args) -> Option<String> {
    if args.noinit {
        return None;
    }
    let home = std::env::home_dir();
    let configured = std::env::var_os("XDG_CONFIG_HOME").map(std::path::PathBuf::from);
    let configurations = configured.or_else(|| home.as_ref().map(|home| home.join(".config")));
    let candidates =
        [home.map(|home| home.join(".litherc")), configurations.map(|folder| folder.join("lithe/litherc"))];
    let found = candidates.into_iter().flatten().find(|file| file.is_file());
    found.map(|file| file.to_string_lossy().into_owned())
}

fn run_argument(shell: &mut Shell, text: &str) -> Result<(), Reported> {
    if text.trim_start().starts_with('.') {
        return run_command(shell, text.trim());
    }
    shell.run_sql(text.as_bytes(), None)
}

fn read_standard_input(shell: &mut Shell, args: &Args) {
    let wants_terminal = args.wants_terminal();
    let opened = if wants_terminal { Input::terminal(&commands::NAMES) } else { Ok(Input::standard()) };
    let mut input = match opened {
        Ok(input) => input,
        Err(message) => return shell.report_error(&message),
    };
    if wants_terminal {
        // The line editor installs its own handler for Ctrl-C when it opens the terminal; the later handler gets the signal.
        shell.interrupts.listen();
        println!("Lithe {} (level with SQLite {})", env!("CARGO_PKG_VERSION"), lithe::SQLITE_VERSION);
        println!("Enter \".help\" for usage hints.");
        if shell.database.file == ":memory:" {
            println!("Connected to a database in memory. Use \".open FILENAME\" for one that stays.");
        }
    }
    run_input(shell, &mut input);
    if wants_terminal {
        shell.has_failed = false; // the user has seen the errors
    }
}

/// Runs the input that `.read` has opened.
fn run_next_inputs(shell: &mut Shell) {
    while let Some(mut input) = shell.next_input.take() {
        shell.read_depth += 1;
        run_input(shell, &mut input);
        shell.read_depth -= 1;
    }
}

/// Runs all lines of an input.
fn run_input(shell: &mut Shell, input: &mut Input) {
    let mut pending = Pending::default();
    loop {
        if input.is_interactive() && pending.text.is_empty() {
            input.set_names(commands::completion_names(&shell.database.connection));
        }
        let prompt = if input.is_interactive() { prompt::next(shell, &pending.text) } else { String::new() };
        let line = match input.line(&prompt) {
            Ok(Line::Text(line)) => line,
            Ok(Line::Interrupted) => {
                pending = Pending { line: pending.line + 1, ..Pending::default() };
                continue;
            }
            Ok(Line::End) => break,
            Err(message) => {
                shell.report_error(&format!("cannot read the input: {message}"));
                break;
            }
        };
        pending.is_typed = input.is_interactive();
        if take_line(shell, &mut pending, &line).is_err() && shell.settings.bail {
            return;
        }
        if shell.exit_code.is_some() {
            return;
        }
    }
    if !pending.text.trim_ascii().is_empty() {
        let _ = shell.run_sql(&pending.text, pending.place());
    }
}

fn take_line(shell: &mut Shell, pending: &mut Pending, line: &[u8]) -> Result<(), Reported> {
    pending.line += 1;
    set_current_line(pending.line);
    if pending.text.is_empty() {
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() {
            return Ok(());
        }
        if line.starts_with(b".") || line.starts_with(b"#") {
            let command = String::from_utf8_lossy(trimmed).into_owned();
            if shell.settings.echo {
                println!("{command}");
            }
            return if line.starts_with(b".") { run_command(shell, &command) } else { Ok(()) };
        }
        pending.first_line = pending.line;
    } else {
        pending.text.push(b'\n');
    }
    pending.text.extend_from_slice(line);
    if !line.trim_ascii_end().ends_with(b";") || !lithe::is_complete(&pending.text) {
        return Ok(());
    }
    let text = std::mem::take(&mut pending.text);
    shell.run_sql(&text, pending.place())
}

/// Runs a dot command.
fn run_command(shell: &mut Shell, line: &str) -> Result<(), Reported> {
    let was_once = shell.output.is_once();
    let result = commands::run(shell, line);
    run_next_inputs(shell);
    if was_once {
        shell.end_once();
    }
    result.map_err(|failure| {
        shell.report_error(&failure.to_string());
        Reported
    })
}

fn exit_status(shell: &mut Shell) -> ExitCode {
    shell.set_output(Sink::stdout());
    ExitCode::from(shell.exit_code.unwrap_or(u8::from(shell.has_failed)))
}

/// An unfinished statement.
#[derive(Default)]
struct Pending {
    text: Vec<u8>,
    /// The number of the last line, and that of the first line of the text.
    line: usize,
    first_line: usize,
    /// Whether the text is typed at a terminal; its errors need no line numbers.
    is_typed: bool,
}

impl Pending {
    /// The line for error messages.
    fn place(&self) -> Option<usize> {
        (!self.is_typed).then_some(self.first_line)
    }
}
