//! Runs a command, and shows its results.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clap::Parser;

use super::{All, Cli, Command, ReportOptions, quick};
use crate::common::Common;
use crate::frame::results::{Experiment, FORMAT, Report};
use crate::frame::{Error, Result, table};
use crate::machine::Machine;
use crate::{
    blobs, concurrency, growth, import, matrix, oltp, pinger, points, report, search, shapes, spatial, sql, tpch,
    update,
};

/// The call of the program from its sources.
const CALL: &str = "cargo run --release -p lithe-bench --";

impl Command {
    /// The options common to all experiments.
    pub fn common(&self) -> Option<&Common> {
        Some(match self {
            Command::Blobs(options) => &options.common,
            Command::Matrix(options) => &options.common,
            Command::Points(options) => &options.common,
            Command::Import(options) => &options.common,
            Command::Update(options) => &options.common,
            Command::Pinger(options) => &options.common,
            Command::Oltp(options) => &options.common,
            Command::Tpch(options) => &options.common,
            Command::Concurrency(options) => &options.common,
            Command::Shapes(options) => &options.common,
            Command::Growth(options) => &options.common,
            Command::Search(options) => &options.common,
            Command::Spatial(options) => &options.common,
            Command::All(all) => &all.common,
            Command::Report(_) => return None,
        })
    }

    /// Runs the command.
    pub fn run(&self) -> Result<()> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        match self {
            Command::Report(options) => show_again(options),
            Command::Blobs(blobs::Options { tool: Some(tool), common, .. }) => blobs::use_tool(tool, common.seed),
            Command::All(all) => run_all(all, &arguments),
            _ => self.run_alone(&arguments),
        }
    }

    fn run_alone(&self, arguments: &[String]) -> Result<()> {
        let Some(common) = self.common() else { return Ok(()) };
        let mut report = new_report(common, arguments);
        let command = report.command.clone();
        run_one(self, command, &mut report)?;
        keep(&report, common)
    }

    fn measure(&self) -> Result<Experiment> {
        match self {
            Command::Blobs(options) => blobs::run(options),
            Command::Matrix(options) => matrix::run(options),
            Command::Points(options) => points::run(options),
            Command::Import(options) => import::run(options),
            Command::Update(options) => update::run(options),
            Command::Pinger(options) => pinger::run(options),
            Command::Oltp(options) => oltp::run(options),
            Command::Tpch(options) => tpch::run(options),
            Command::Concurrency(options) => concurrency::run(options),
            Command::Shapes(options) => shapes::run(options),
            Command::Growth(options) => growth::run(options),
            Command::Search(options) => search::run(options),
            Command::Spatial(options) => spatial::run(options),
            Command::All(_) | Command::Report(_) => Err(Error::setup("no experiment of its own")),
        }
    }
}

fn new_report(common: &Common, arguments: &[String]) -> Report {
    let machine = Machine::here(&common.folder());
    machine.warnings().iter().for_each(|warning| eprintln!("note: {warning}"));
    Report {
        format: FORMAT,
        machine,
        command: format!("{CALL} {}", arguments.join(" ")),
        started: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        is_quick: common.quick,
        experiments: Vec::new(),
    }
}

fn run_one(command: &Command, words: String, report: &mut Report) -> Result<()> {
    let libraries = match command.common() {
        Some(common) => sql::load(&common.library)?,
        None => Vec::new(),
    };
    let start = Instant::now();
    let mut experiment = command.measure()?;
    for line in libraries {
        eprintln!("{line}");
        experiment.about.push_str(&format!(" {line}."));
    }
    experiment.command = words;
    experiment.seconds = start.elapsed().as_secs_f64();
    print!("{}", table::experiment(&experiment));
    report.experiments.push(experiment);
    Ok(())
}

/// Runs experiments one after the other. Each result is saved at once, and a failure does not stop the next experiment.
fn run_all(all: &All, arguments: &[String]) -> Result<()> {
    let mut report = new_report(&all.common, arguments);
    let mut failed = Vec::new();
    for name in &all.only {
        let mut words = vec![name.clone()];
        words.extend(all.common.as_arguments());
        let whole = std::iter::once("lithe-bench".to_owned()).chain(words.iter().cloned()).collect();
        let cli = Cli::try_parse_from(quick::expand(whole)).map_err(|e| Error::setup(e.to_string()))?;
        if let Err(error) = run_one(&cli.command, format!("{CALL} {}", words.join(" ")), &mut report) {
            crate::frame::scratch::wait_if_interrupted();
            eprintln!("{name}: {error}");
            failed.push(name.as_str());
            continue;
        }
        if let Some(folder) = &all.common.out {
            report::write(&report, folder)?;
        }
    }
    keep(&report, &all.common)?;
    if failed.is_empty() { Ok(()) } else { Err(Error::setup(format!("not measured: {}", failed.join(", ")))) }
}

fn keep(report: &Report, common: &Common) -> Result<()> {
    let Some(folder) = &common.out else {
        eprintln!("\nFor a page with charts and the raw figures: --out DIR");
        return Ok(());
    };
    report::write(report, folder)?;
    eprintln!("\nThe report: {}", folder.join(report::PAGE).display());
    Ok(())
}

fn show_again(options: &ReportOptions) -> Result<()> {
    let mut reports = options.files.iter().map(|file| report::read(file));
    let mut whole = reports.next().ok_or_else(|| Error::setup("no file"))??;
    for more in reports {
        whole.experiments.extend(more?.experiments);
    }
    report::write(&whole, &options.out)
}
