//! The costs of a statement's loops for `.scanstats`: the query plan or the instructions, with measurements.

use std::io::{self, Write};

use lithe::{PlanElement, Statement};

/// The output after each statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanStatus {
    Off,
    /// The runs and rows of each loop.
    On,
    /// The same, beside the planner's estimates.
    Estimates,
    /// The costs of each instruction.
    Instructions,
}

/// Shows the costs of a statement that has run.
pub fn show_scan_status(shown: ScanStatus, statement: &Statement<'_>, out: &mut dyn Write) -> io::Result<()> {
    match shown {
        ScanStatus::Off => Ok(()),
        ScanStatus::Instructions => show_instructions(statement, out),
        shown => show_plan(statement, shown == ScanStatus::Estimates, out),
    }
}

/// A line of the plan, and the figures after it.
struct Line {
    text: String,
    figures: String,
}

fn show_plan(statement: &Statement<'_>, with_estimates: bool, out: &mut dyn Write) -> io::Result<()> {
    let Some(cycles) = statement.measured_cycles() else { return Ok(()) };
    let elements: Vec<PlanElement> = (0..).map_while(|at| statement.plan_element(at, true)).collect();
    if elements.is_empty() {
        return Ok(());
    }
    let mut lines = vec![Line { text: "QUERY PLAN".to_owned(), figures: format!("(cycles={cycles} [100%])") }];
    let shown = Shown { elements: &elements, cycles, with_estimates };
    shown.add_children(0, "", 1.0, &mut lines);
    let width = lines.iter().map(|line| line.text.chars().count()).max().unwrap_or(0);
    for line in lines {
        let text = format!("{:width$} {}", line.text, line.figures);
        writeln!(out, "{}", text.trim_end())?;
    }
    Ok(())
}

struct Shown<'e> {
    elements: &'e [PlanElement],
    /// The cycles of the whole statement.
    cycles: u64,
    with_estimates: bool,
}

impl Shown<'_> {
    /// Adds the lines below a line; `expected` is the number of times that the planner expects their loops to run.
    fn add_children(&self, parent: i32, indent: &str, mut expected: f64, lines: &mut Vec<Line>) {
        let children: Vec<&PlanElement> = self.elements.iter().filter(|element| element.parent == parent).collect();
        for (at, child) in children.iter().enumerate() {
            let is_last = at + 1 == children.len();
            let text = format!("{indent}{}{}", if is_last { "`--" } else { "|--" }, child.detail);
            if child.loops.is_some() {
                expected *= child.estimated_rows;
            }
            lines.push(Line { text, figures: self.figures(child, expected) });
            self.add_children(child.id, &format!("{indent}{}", if is_last { "   " } else { "|  " }), 1.0, lines);
        }
    }

    fn figures(&self, element: &PlanElement, expected: f64) -> String {
        let mut figures = Vec::new();
        if let Some(cycles) = element.cycles {
            figures.push(format!("cycles={cycles} [{}%]", cycles * 100 / self.cycles.max(1)));
        }
        if let Some(loops) = element.loops {
            figures.push(format!("loops={loops}"));
        }
        if let (Some(loops), Some(rows)) = (element.loops, element.rows) {
            figures.push(format!("rows={rows}"));
            if self.with_estimates {
                figures.push(format!("rpl={:.1} est={expected:.1}", rows as f64 / loops.max(1) as f64));
            }
        }
        if figures.is_empty() { String::new() } else { format!("({})", figures.join(" ")) }
    }
}

const TITLES: [&str; 10] = ["addr", "opcode", "p1", "p2", "p3", "p4", "p5", "comment", "nexec", "cycles"];

fn show_instructions(statement: &Statement<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = vec![TITLES.map(str::to_owned)];
    for lithe::Instruction { line, cost, .. } in statement.instructions() {
        rows.push([
            line.addr.to_string(),
            line.opcode.to_owned(),
            line.p1.to_string(),
            line.p2.to_string(),
            line.p3.to_string(),
            line.p4.unwrap_or_default(),
            line.p5.to_string(),
            line.comment.unwrap_or_default(),
            cost.runs.to_string(),
            cost.cycles.to_string(),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..TITLES.len()).map(width).collect();
    for row in &rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    Ok(())
}
