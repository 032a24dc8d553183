//! The destinations of rows: standard output, a file, another program, a file that a viewer then opens.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

/// The output of a shell.
pub struct Sink {
    to: To,
    /// Whether it is for the next statements or command only.
    is_once: bool,
}

enum To {
    Stdout,
    File(BufWriter<File>),
    /// Captured for a test.
    Memory(Vec<u8>),
    Program(BufWriter<ChildStdin>, Child),
    /// A file for a viewer, with its path and the text at its end.
    Viewer {
        file: BufWriter<File>,
        path: PathBuf,
        ending: &'static str,
    },
}

/// The byte-order mark of UTF-8.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

impl Sink {
    pub fn stdout() -> Sink {
        Sink { to: To::Stdout, is_once: false }
    }

    /// A sink in memory, for [`Sink::into_memory`].
    pub fn memory() -> Sink {
        Sink { to: To::Memory(Vec::new()), is_once: false }
    }

    /// The captured output; empty if the sink is not in memory.
    pub fn into_memory(self) -> Vec<u8> {
        if let To::Memory(bytes) = self.to { bytes } else { Vec::new() }
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

    /// A temporary file, which a program of the desktop opens when it is complete. The file stays: the program may read it late.
    pub fn viewer(suffix: &str, ending: &'static str) -> Result<Sink, String> {
        let made = tempfile::Builder::new().prefix("lithe-").suffix(suffix).tempfile();
        let kept = made.and_then(|file| file.keep().map_err(|e| e.error));
        let (file, path) = kept.map_err(|e| format!("cannot make a temporary file: {e}"))?;
        Ok(Sink { to: To::Viewer { file: BufWriter::new(file), path, ending }, is_once: true })
    }

    pub fn is_stdout(&self) -> bool {
        matches!(self.to, To::Stdout)
    }

    pub fn is_once(&self) -> bool {
        self.is_once
    }

    /// A buffered writer, which must be flushed.
    pub fn writer(&mut self) -> Box<dyn Write + '_> {
        match &mut self.to {
            To::Stdout => Box::new(BufWriter::new(io::stdout().lock())),
            To::File(file) => Box::new(file),
            To::Memory(bytes) => Box::new(bytes),
            To::Program(stdin, _) => Box::new(stdin),
            To::Viewer { file, .. } => Box::new(file),
        }
    }

    /// Writes a text.
    pub fn print(&mut self, text: &str) -> Result<(), String> {
        let mut out = self.writer();
        let result = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        result.map_err(|e| format!("cannot write the output: {e}"))
    }

    /// Flushes the output, and waits for a program to end.
    pub fn close(self) -> io::Result<()> {
        match self.to {
            To::Stdout => io::stdout().flush(),
            To::File(mut file) => file.flush(),
            To::Memory(_) => Ok(()),
            To::Program(mut stdin, mut child) => {
                let flushed = stdin.flush();
                drop(stdin);
                child.wait()?;
                flushed
            }
            To::Viewer { mut file, path, ending } => {
                file.write_all(ending.as_bytes())?;
                file.flush()?;
                let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
                Command::new(opener).arg(path).status().map(|_| ())
            }
        }
    }
}

/// A command of the system's shell.
pub fn shell_command(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(line);
    command
}
