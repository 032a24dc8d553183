//! The shell: its state between statements, and running SQL.

use std::collections::BTreeMap;
use std::io::Write;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use lithe::{Config, Connection, InterruptHandle, Statement};

use crate::args::Args;
use crate::database::{self, Opening};
use crate::expert;
use crate::guard::{self, SafeMode};
use crate::input::Input;
use crate::output::style::Align;
use crate::output::{self, Mode, Style};
use crate::parameters;
use crate::plan;
use crate::progress::Progress;
use crate::recording::NamedSession;
use crate::report::{self, Failure};
use crate::restoring::Restoring;
use crate::scan_status::{ScanStatus, show_scan_status};
use crate::settings::{Eqp, Settings};
use crate::sink::Sink;
use crate::statistics::{Statistics, show_statistics};
use crate::stopwatch::Stopwatch;

/// The state of a shell.
pub struct Shell {
    pub database: OpenDatabase,
    /// The number of the active connection, and the other connections by their numbers.
    pub active: usize,
    pub parked: BTreeMap<usize, OpenDatabase>,
    pub settings: Settings,
    pub output: Sink,
    pub interrupts: Interrupts,
    /// The input that `.read` has opened, which is run next.
    pub next_input: Option<Input>,
    /// The nesting depth of `.read`.
    pub read_depth: u32,
    /// Set by `.exit`.
    pub exit_code: Option<u8>,
    pub has_failed: bool,
    /// The setting of `.stats`.
    pub statistics: Statistics,
    /// The setting of `.scanstats`.
    pub scan_status: ScanStatus,
    /// The name of the test whose output is captured.
    pub testcase: Option<String>,
    pub progress: Progress,
    pub safe_mode: SafeMode,
    /// Whether what is meant for tests is allowed (`-unsafe-testing`).
    pub is_testing: bool,
    /// The style to restore after the output of one command.
    pub style_before: Option<Style>,
    /// Whether the next statement is not run, but its indexes are advised (`.expert`).
    pub gives_advice: bool,
    /// The style to restore after the next text of SQL (`.mode --once`).
    pub style_once: Option<Style>,
}

/// An open database, with its connection.
pub struct OpenDatabase {
    /// Declared first, because sessions must be dropped before their connection.
    pub sessions: Vec<NamedSession>,
    pub connection: Rc<Connection>,
    /// The name with which the database was opened.
    pub file: String,
    /// Whether a script of `.dump` is being run.
    restoring: Restoring,
}

impl OpenDatabase {
    pub fn open(file: &str, how: &Opening) -> Result<OpenDatabase, String> {
        let connection = Rc::new(database::open(file, how)?);
        Ok(OpenDatabase { sessions: Vec::new(), connection, file: file.to_owned(), restoring: Restoring::No })
    }
}

/// The connection that Ctrl-C interrupts.
#[derive(Clone)]
pub struct Interrupts {
    handle: Arc<Mutex<InterruptHandle>>,
    /// The number of Ctrl-C since the last statement ended.
    pressed: Arc<AtomicU32>,
}

/// The number of Ctrl-C during one statement that ends the process.
const PRESSED_MAX: u32 = 3;

/// The greatest nesting depth of `.read`.
pub const READ_DEPTH_MAX: u32 = 25;

/// An error that has been reported.
pub struct Reported;

impl Shell {
    /// Opens the database that the arguments name.
    pub fn open(args: &Args) -> Result<Shell, String> {
        let file = args.file.clone().unwrap_or_else(|| ":memory:".to_owned());
        let database = OpenDatabase::open(&file, &args.opening())?;
        let mut settings = Settings::default();
        if args.sql.is_empty() && args.wants_terminal() {
            settings.style.set_mode(Mode::known("tty"));
        }
        args.apply(&mut settings);
        let interrupts = Interrupts {
            handle: Arc::new(Mutex::new(database.connection.interrupt_handle())),
            pressed: Arc::new(AtomicU32::new(0)),
        };
        let shell = Shell {
            database,
            active: 0,
            parked: BTreeMap::new(),
            settings,
            output: Sink::stdout(),
            interrupts,
            next_input: None,
            read_depth: 0,
            exit_code: None,
            has_failed: false,
            statistics: if args.stats { Statistics::On } else { Statistics::Off },
            scan_status: ScanStatus::Off,
            testcase: None,
            progress: Progress::default(),
            safe_mode: SafeMode { is_on: args.safe, nonce: args.nonce.clone(), is_suspended: false },
            is_testing: args.unsafe_testing,
            style_before: None,
            style_once: None,
            gives_advice: false,
        };
        shell.guard();
        Ok(shell)
    }

    /// The options for another database, as far as the command line decides them.
    pub fn opening(&self) -> Opening {
        Opening { testing: self.is_testing, ..Opening::default() }
    }

    /// Replaces the active database; answers the previous one.
    pub fn replace_database(&mut self, next: OpenDatabase) -> OpenDatabase {
        let before = std::mem::replace(&mut self.database, next);
        let handle = self.database.connection.interrupt_handle();
        *self.interrupts.handle.lock().unwrap_or_else(|e| e.into_inner()) = handle;
        self.guard();
        before
    }

    /// Sets the authorizer for `.auth` and the safe mode.
    pub fn guard(&self) {
        guard::guard(&self.database.connection, self.settings.shows_requests, &self.safe_mode);
    }

    /// Sets the destination of the output.
    pub fn set_output(&mut self, output: Sink) {
        if let Err(error) = std::mem::replace(&mut self.output, output).close() {
            self.report_error(&format!("Error: cannot write the output: {error}"));
        }
    }

    /// Ends the settings that applied to one command or text of SQL only.
    pub fn end_once(&mut self) {
        if self.output.is_once() {
            self.set_output(Sink::stdout());
            if let Some(style) = self.style_before.take() {
                self.settings.style = style;
            }
        }
    }

    /// Runs all statements of a text. `line` is its first line, if it comes from a file.
    pub fn run_sql(&mut self, text: &[u8], line: Option<usize>) -> Result<(), Reported> {
        if self.settings.echo {
            println!("{}", String::from_utf8_lossy(text));
        }
        let place = line.map_or_else(String::new, |line| format!(" near line {line}"));
        let watch = Stopwatch::start();
        self.progress.begin_input();
        let mut rest = text.trim_ascii_start();
        let mut result = Ok(());
        let mut has_statement = false;
        while !rest.is_empty() && result.is_ok() {
            match self.run_first(rest, &place) {
                Ok(Ran { tail: 0, .. }) => break, // at a NUL
                Ok(Ran { tail, is_statement }) => {
                    rest = rest[tail..].trim_ascii_start();
                    has_statement |= is_statement;
                }
                Err(reported) => result = Err(reported),
            }
        }
        if has_statement {
            self.after_statements(&watch, result.is_ok());
        }
        if let Some(style) = self.style_once.take() {
            self.settings.style = style;
        }
        self.end_once();
        result
    }

    /// Runs the first statement of a text; answers where the statement ends.
    fn run_first(&mut self, text: &[u8], place: &str) -> Result<Ran, Reported> {
        self.interrupts.pressed.store(0, Ordering::Relaxed);
        let mut sink = std::mem::replace(&mut self.output, Sink::stdout());
        let result = match std::mem::take(&mut self.gives_advice) {
            true => self.advise(text, &mut sink),
            false => self.run_first_into(text, &mut sink),
        };
        self.output = sink;
        if !self.safe_mode.is_on {
            let ran = result.as_ref().map_or(&text[..0], |ran| &text[..ran.tail]);
            let database = &mut self.database;
            database.restoring = std::mem::take(&mut database.restoring).note(ran, &database.connection);
        }
        result.map_err(|failure| match failure {
            Failure::Compiling(error) => self.fail(&report::parse_error(&error, &String::from_utf8_lossy(text), place)),
            Failure::Running(error) => self.fail(&report::runtime_error(&error, place)),
            Failure::Writing(error) => self.fail(&format!("Error: cannot write the output: {error}")),
        })
    }

    /// Shows the indexes that the first statement of a text would use.
    fn advise(&self, text: &[u8], sink: &mut Sink) -> Result<Ran, Failure> {
        let connection = &self.database.connection;
        let (statement, tail) = connection.prepare_first(text).map_err(Failure::Compiling)?;
        let Some(statement) = statement else { return Ok(Ran { tail, is_statement: false }) };
        let advice = expert::advice(connection, statement.sql()).map_err(Failure::Running)?;
        let mut out = sink.writer();
        out.write_all(advice.as_bytes()).and_then(|()| out.flush()).map_err(Failure::Writing)?;
        Ok(Ran { tail, is_statement: true })
    }

    fn run_first_into(&self, text: &[u8], sink: &mut Sink) -> Result<Ran, Failure> {
        let (statement, tail) = self.database.connection.prepare_first(text).map_err(Failure::Compiling)?;
        let Some(mut statement) = statement else { return Ok(Ran { tail, is_statement: false }) };
        parameters::bind(&self.database.connection, &mut statement).map_err(Failure::Running)?;
        let mut out = sink.writer();
        if self.settings.eqp != Eqp::Off && statement.is_explain() == 0 {
            self.show_plan_of(&statement, &mut *out)?;
        }
        if statement.is_explain() == 2 && self.shows_explain() {
            plan::show(&mut statement, &mut *out)?;
        } else {
            self.show_rows(&mut statement, &mut *out)?;
        }
        show_scan_status(self.scan_status, &statement, &mut *out).map_err(Failure::Writing)?;
        show_statistics(self.statistics, &self.database.connection, &mut statement, &mut *out)
            .map_err(Failure::Writing)?;
        out.flush().map_err(Failure::Writing)?;
        Ok(Ran { tail, is_statement: true })
    }

    /// What `.eqp` shows before a statement.
    fn show_plan_of(&self, statement: &Statement<'_>, out: &mut dyn Write) -> Result<(), Failure> {
        let connection = &self.database.connection;
        let had_triggers = connection.config(Config::TriggerEqp);
        connection.set_config(Config::TriggerEqp, had_triggers || self.settings.eqp >= Eqp::Triggers);
        let explain = |what: &str| connection.prepare(&format!("{what} {}", statement.sql()));
        let shown =
            explain("EXPLAIN QUERY PLAN").map_err(Failure::Compiling).and_then(|mut plan| plan::show(&mut plan, out));
        connection.set_config(Config::TriggerEqp, had_triggers);
        shown?;
        if self.settings.eqp == Eqp::Full {
            self.show_rows(&mut explain("EXPLAIN").map_err(Failure::Compiling)?, out)?;
        }
        Ok(())
    }

    fn show_rows(&self, statement: &mut Statement<'_>, out: &mut dyn Write) -> Result<(), Failure> {
        if statement.column_count() == 0 {
            return statement.step().map(|_| ()).map_err(Failure::Running);
        }
        let columns = statement.column_names().into_iter().map(str::to_owned).collect();
        let listing = (statement.is_explain() == 1 && self.shows_explain()).then(|| Style {
            mode: Mode::known("column"),
            align: vec![Align::Left; statement.column_count()],
            ..Style::default()
        });
        let mut printer = output::printer(listing.as_ref().unwrap_or(&self.settings.style), columns);
        let result = loop {
            match statement.step() {
                Ok(Some(row)) => printer.row(out, &row).map_err(Failure::Writing)?,
                Ok(None) => break Ok(()),
                Err(error) => break Err(Failure::Running(error)),
            }
        };
        printer.end(out).map_err(Failure::Writing)?;
        result
    }

    /// Whether EXPLAIN is shown as a listing or tree, not as rows.
    fn shows_explain(&self) -> bool {
        self.settings.explain && self.settings.style.mode.is_for_people()
    }

    fn after_statements(&self, watch: &Stopwatch, is_well: bool) {
        if self.settings.changes && is_well {
            println!(
                "changes: {}   total_changes: {}",
                self.database.connection.changes(),
                self.database.connection.total_changes()
            );
        }
        if self.settings.timer {
            println!("{}", watch.lap());
        }
    }

    fn fail(&mut self, message: &str) -> Reported {
        self.report_error(message);
        Reported
    }

    /// Prints an error.
    pub fn report_error(&mut self, message: &str) {
        self.has_failed = true;
        eprintln!("{message}");
    }
}

struct Ran {
    tail: usize,
    is_statement: bool,
}

impl Interrupts {
    /// Makes Ctrl-C interrupt the running statement from now on.
    pub fn listen(&self) {
        let interrupts = self.clone();
        // Without the handler, Ctrl-C ends the process.
        let _ = ctrlc::set_handler(move || {
            if interrupts.pressed.fetch_add(1, Ordering::Relaxed) + 1 >= PRESSED_MAX {
                std::process::exit(1);
            }
            interrupts.handle.lock().unwrap_or_else(|e| e.into_inner()).interrupt();
        });
    }
}
