//! Progress: a bar on a terminal, plain lines elsewhere. It is written to the standard error stream; standard output has only the tables.

use std::io::{IsTerminal, stderr};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

/// A running task of known length.
pub struct Progress {
    title: String,
    start: Instant,
    /// `None` if there is no terminal.
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Begins a task of `steps` steps.
    pub fn start(title: &str, steps: usize) -> Progress {
        let bar = stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(steps as u64);
            let style =
                ProgressStyle::with_template("{prefix} {bar:30} {percent:>3}% {elapsed} (left {eta}) {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(title.to_owned());
            bar
        });
        if bar.is_none() {
            eprintln!("{title} ...");
        }
        Progress { title: title.to_owned(), start: Instant::now(), bar }
    }

    /// Shows the current step.
    pub fn now(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
            bar.tick();
        }
    }

    /// Reports one finished step.
    pub fn step(&self) {
        self.advance(1);
    }

    /// Reports that many finished steps.
    pub fn advance(&self, steps: usize) {
        if let Some(bar) = &self.bar {
            bar.inc(steps as u64);
        }
    }

    /// Ends the task: replaces the bar by a line.
    pub fn finish(self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        eprintln!("{} done in {:.1} s", self.title, self.start.elapsed().as_secs_f64());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
