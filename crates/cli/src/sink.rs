//! Where rows go: standard output, a file, another program.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

/// The output of a shell.
pub struct Sink {
    to: To,
    /// For the next statements or command only.
    is_once: bool,
}

enum To {
    Stdout,
    File(BufWriter<File>),
    Program(BufWriter<ChildStdin>, Child),
}

impl Sink {
    pub fn stdout() -> Sink {
        Sink { to: To::Stdout, is_once: false }
    }

    /// A file, or the program that follows a `|`.
    pub fn open(name: &str, is_once: bool) -> Result<Sink, String> {
        let to = match name.strip_prefix('|') {
            Some(command) => {
                let mut child = shell_command(command)
                    .stdin(Stdio::piped())
                    .spawn()
                    .map_err(|e| format!("cannot run \"{command}\": {e}"))?;
                match child.stdin.take() {
                    Some(stdin) => To::Program(BufWriter::new(stdin), child),
                    None => return Err(format!("cannot write to \"{command}\"")),
                }
            }
            None => {
                To::File(File::create(name).map(BufWriter::new).map_err(|e| format!("cannot open \"{name}\": {e}"))?)
            }
        };
        Ok(Sink { to, is_once })
    }

    pub fn is_stdout(&self) -> bool {
        matches!(self.to, To::Stdout)
    }

    pub fn is_once(&self) -> bool {
        self.is_once
    }

    /// A writer that hands on what it has when it is flushed.
    pub fn writer(&mut self) -> Box<dyn Write + '_> {
        match &mut self.to {
            To::Stdout => Box::new(BufWriter::new(io::stdout().lock())),
            To::File(file) => Box::new(file),
            To::Program(stdin, _) => Box::new(stdin),
        }
    }

    /// Writes a text.
    pub fn print(&mut self, text: &str) -> Result<(), String> {
        let mut out = self.writer();
        let result = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        result.map_err(|e| format!("cannot write the output: {e}"))
    }

    /// Writes what is left, and waits for a program to end.
    pub fn close(self) -> io::Result<()> {
        match self.to {
            To::Stdout => io::stdout().flush(),
            To::File(mut file) => file.flush(),
            To::Program(mut stdin, mut child) => {
                let flushed = stdin.flush();
                drop(stdin);
                child.wait()?;
                flushed
            }
        }
    }
}

/// A line for the system's shell.
pub fn shell_command(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line);
    command
}
