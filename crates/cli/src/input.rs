//! The sources of input lines.

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};

use crate::complete::Completer;

/// A source of lines.
pub enum Input {
    /// A terminal, with its history file.
    Terminal(Box<Editor<Completer, FileHistory>>, Option<PathBuf>),
    /// A file, a pipe or a text.
    Lines(Box<dyn BufRead>),
}

/// The result of reading a line.
pub enum Line {
    /// A line, without its end.
    Text(Vec<u8>),
    /// Ctrl-C: the unfinished statement is dropped.
    Interrupted,
    /// The end.
    End,
}

impl Input {
    /// A terminal with history and completion, also of dot commands.
    pub fn terminal(commands: &'static [&'static str]) -> Result<Input, String> {
        let config = Config::builder().auto_add_history(true).build();
        let mut editor: Editor<Completer, FileHistory> =
            Editor::with_config(config).map_err(|e| format!("cannot use the terminal: {e}"))?;
        editor.set_helper(Some(Completer::new(commands)));
        let history = std::env::home_dir().map(|home| home.join(".lithe_history"));
        if let Some(file) = &history {
            // A history file that is missing or unreadable counts as empty.
            let _ = editor.load_history(file);
        }
        Ok(Input::Terminal(Box::new(editor), history))
    }

    /// Standard input, unbuffered by a line editor.
    pub fn standard() -> Input {
        Input::Lines(Box::new(std::io::stdin().lock()))
    }

    /// Whether the input is a terminal.
    pub fn is_interactive(&self) -> bool {
        matches!(self, Input::Terminal(..))
    }

    /// Reads the next line; a terminal shows `prompt` first.
    pub fn line(&mut self, prompt: &str) -> Result<Line, String> {
        match self {
            Input::Terminal(editor, _) => match editor.readline(prompt) {
                Ok(line) => Ok(Line::Text(line.into_bytes())),
                Err(ReadlineError::Interrupted) => Ok(Line::Interrupted),
                Err(ReadlineError::Eof) => Ok(Line::End),
                Err(error) => Err(error.to_string()),
            },
            Input::Lines(lines) => {
                let mut bytes = Vec::new();
                if lines.read_until(b'\n', &mut bytes).map_err(|e| e.to_string())? == 0 {
                    return Ok(Line::End);
                }
                if bytes.last() == Some(&b'\n') {
                    bytes.pop();
                }
                Ok(Line::Text(bytes))
            }
        }
    }

    /// Sets the names that completion offers besides keywords.
    pub fn set_names(&mut self, names: Vec<String>) {
        if let Input::Terminal(editor, _) = self
            && let Some(helper) = editor.helper_mut()
        {
            helper.set_names(names);
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        if let Input::Terminal(editor, Some(file)) = self {
            // A history that cannot be saved is not an error.
            let _ = editor.save_history(file);
        }
    }
}

/// Whether standard input and output are a terminal.
pub fn is_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}
