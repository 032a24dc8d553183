//! Progress: a bar on a terminal, plain lines elsewhere. Both on the standard error stream; the standard output has the
//! tables alone.

use std::io::{IsTerminal, stderr};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

/// A task of known length that is under way.
pub struct Progress {
    title: String,
    start: Instant,
    /// `None`: no terminal.
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A task of `steps` steps begins.
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

    /// What is being done now.
    pub fn now(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
            bar.tick();
        }
    }

    /// One step is done.
    pub fn step(&self) {
        self.advance(1);
    }

    /// So many steps are done.
    pub fn advance(&self, steps: usize) {
        if let Some(bar) = &self.bar {
            bar.inc(steps as u64);
        }
    }

    /// All is done: the bar gives way to a line.
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
