//! The page: the results, the machine, and how to repeat the run. It loads nothing: style and charts are embedded.

use std::fmt::Write;

use super::charts::{Palette, Width, definitions, svg};
use super::html::{escape, table};
use crate::frame::goals::{Goal, digits_or_two};
use crate::frame::results::{Chart, Experiment, Report};
use crate::frame::table::chart_lines;

const STYLE: &str = include_str!("style.css");

/// The whole page.
pub fn page(report: &Report) -> String {
    let mut out = head();
    out.push_str(&opening(report));
    for experiment in &report.experiments {
        out.push_str(&section(experiment));
    }
    out.push_str(&machine(report));
    out.push_str(READING);
    out.push_str("</main></body></html>\n");
    out
}

fn head() -> String {
    let (light, dark) = (definitions(false), definitions(true));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>Lithe side by side</title><style>\
         :root{{{light}}}\n@media (prefers-color-scheme: dark){{:root{{{dark}}}}}\n{STYLE}</style></head><body><main>"
    )
}

/// The title, the machine, and a sentence for each experiment, won or lost.
fn opening(report: &Report) -> String {
    let goals: Vec<&Goal> = report.experiments.iter().flat_map(|e| &e.goals).collect();
    let met = goals.iter().filter(|goal| goal.is_met()).count();
    let beyond = goals.iter().filter(|goal| !goal.is_met() && goal.is_beyond_limit()).count();
    let beyond = if beyond == 0 { String::new() } else { format!(", {beyond} of the others missed by the limit, too") };
    let short =
        if report.is_quick { " This is the short version (--quick): smaller tables, fewer rounds." } else { "" };
    let mut out = format!(
        "<header><h1>Lithe side by side</h1><p class=\"lead\">The same work done by Lithe, by SQLite and by plain files, \
         turn by turn on one machine. {met} of {} goals reached{beyond}.{short}</p><p class=\"faint\">{}, {} cores. {}. {}.</p>\
         </header>",
        goals.len(),
        escape(&report.machine.cpu),
        report.machine.cores,
        escape(&report.machine.system),
        escape(&date(report.started)),
    );
    let headlines: Vec<&Goal> = goals.into_iter().filter(|goal| goal.is_headline).collect();
    out.push_str(&goal_list(&headlines, "headlines"));
    out
}

fn goal_list(goals: &[&Goal], class: &str) -> String {
    let mut out = format!("<ul class=\"goals {class}\">");
    for goal in goals {
        let (mark, word) = if goal.is_met() { ("met", "reached") } else { ("missed", "missed") };
        let mut remarks = vec![format!("goal {}× {word}", digits_or_two(goal.wanted))];
        remarks.extend(goal.limit_note());
        let _ = write!(out, "<li class=\"{mark}\"><span class=\"says\">{}</span>", escape(&goal.sentence()));
        for remark in remarks {
            let _ = write!(out, " <span class=\"mark\">{}</span>", escape(&remark));
        }
        out.push_str("</li>");
    }
    out.push_str("</ul>");
    out
}

fn section(experiment: &Experiment) -> String {
    let mut out = format!(
        "<section id=\"{}\"><h2>{}</h2><p>{}</p>",
        escape(&experiment.id),
        escape(&experiment.title),
        escape(&experiment.about)
    );
    out.push_str(&goal_list(&experiment.goals.iter().collect::<Vec<_>>(), ""));
    for chart in &experiment.charts {
        out.push_str(&figure(chart));
    }
    for line in &experiment.skipped {
        let _ = write!(out, "<p class=\"faint\">Left out: {}</p>", escape(line));
    }
    if !experiment.figures.is_empty() {
        out.push_str(&details("Figures", &pairs(experiment.figures.iter().map(|(n, v)| (n.as_str(), v.clone())))));
    }
    let options = experiment.options.iter().map(|(name, value)| (name.as_str(), value.clone()));
    out.push_str(&details("Options", &pairs(options)));
    let _ = write!(
        out,
        "<p class=\"faint\">To repeat it ({} s):</p><pre>{}</pre></section>",
        experiment.seconds.round(),
        escape(&experiment.command)
    );
    out
}

/// A chart, once for wide and once for narrow windows, with its numbers below.
fn figure(chart: &Chart) -> String {
    let better = if chart.more_is_better { "more is better" } else { "less is better" };
    let caption = format!("{}: {}, {better}", chart.title, chart.unit);
    let mut out = format!(
        "<figure><figcaption><strong>{}</strong> <span class=\"faint\">{}, {better}</span></figcaption>",
        escape(&chart.title),
        escape(&chart.unit)
    );
    for (class, width) in [("wide", Width::Wide), ("narrow", Width::Narrow)] {
        let drawing = svg(chart, Palette::Page, width);
        let _ = write!(out, "<div class=\"{class}\" role=\"img\" aria-label=\"{}\">{drawing}</div>", escape(&caption));
    }
    out.push_str(&details("The figures", &table(&chart_lines(chart))));
    out.push_str("</figure>");
    out
}

fn details(title: &str, content: &str) -> String {
    format!("<details><summary>{}</summary>{content}</details>", escape(title))
}

fn pairs<'a>(pairs: impl Iterator<Item = (&'a str, String)>) -> String {
    let mut out = String::from("<dl>");
    for (name, value) in pairs {
        let _ = write!(out, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(&value));
    }
    out.push_str("</dl>");
    out
}

fn machine(report: &Report) -> String {
    let properties = report.machine.properties();
    format!(
        "<section id=\"machine\"><h2>The machine</h2>{}<p class=\"faint\">The whole run:</p><pre>{}</pre></section>",
        pairs(properties.into_iter()),
        escape(&report.command)
    )
}

const READING: &str = "<section id=\"reading\"><h2>How to read this</h2><p>Contestants take turns, round by round; the \
first round warms up and is thrown away. A bar ends at the median of the rounds, and the line through it goes from the \
smallest to the largest. \u{201c}Times faster\u{201d} is the ratio of two medians. \u{201c}limit\u{201d} moves the \
same bytes and waits for the same syncs by bare calls, without a database: what it misses is out of reach. What was read or written is compared \
with what it should be, outside the timed part. Figures move from machine to machine; the ratios move less. All samples \
are in results.json.</p></section>";

/// "2026-11-21 09:30 UTC".
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", rest / 3600, rest / 60 % 60)
}

/// The date of a day since 1970-01-01.
fn civil(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_795_253_400), "2026-11-21 09:30 UTC");
    }
}
