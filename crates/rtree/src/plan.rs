//! The plan of a scan: a number and a text, made when a statement is prepared, and read when the scan begins.
//!
//! The text has two letters for each constraint that the scan uses: the comparison, and the coordinate.

use lithe_value::Numeric;
use lithe_vtab::{IndexInfo, Usage, ValueRef, Values, constraint};

use crate::bounds::MAX_DIMENSIONS;
use crate::error::{self, Result};
use crate::geometry::{MatchArgument, POINTER_KIND};
use crate::query::{Comparison, Constraint};

/// The plan that looks up an id.
pub const LOOKUP: i32 = 1;
/// The plan that uses constraints on coordinates.
pub const QUERY: i32 = 2;

/// The most constraints that a scan uses; the engine checks the remaining ones for each row.
const CONSTRAINTS_MAX: usize = 4 * MAX_DIMENSIONS;
/// Beyond this, an integer may be inexact as a double: `<` and `>` are widened to `<=` and `>=`.
const EXACT_MAX: i64 = 1 << 48;

/// Chooses the plan under these constraints.
pub fn choose(info: &mut IndexInfo, coordinates: usize, rows: i64) {
    let has_match = info.constraints.iter().any(|constraint| constraint.op == constraint::MATCH);
    let mut text = String::new();
    for (index, asked) in info.constraints.iter().enumerate() {
        if text.len() >= 2 * CONSTRAINTS_MAX {
            break;
        }
        if !asked.usable {
            continue;
        }
        if !has_match && asked.column <= 0 && asked.op == constraint::EQ {
            info.usage.fill(Usage::default());
            if let Some(usage) = info.usage.get_mut(index) {
                *usage = Usage { argument: 1, omit: true, all_at_once: false };
            }
            info.plan.number = LOOKUP;
            info.estimated_cost = 30.0;
            info.estimated_rows = 1;
            info.finds_one_row = true;
            return;
        }
        let coordinate = usize::try_from(asked.column - 1).ok().filter(|coordinate| *coordinate < coordinates);
        let letter = match asked.op {
            constraint::MATCH => 'F',
            _ if coordinate.is_none() => continue,
            constraint::EQ => 'A',
            constraint::LE => 'B',
            constraint::LT => 'C',
            constraint::GE => 'D',
            constraint::GT => 'E',
            _ => continue,
        };
        text.push(letter);
        text.push(coordinate.and_then(|coordinate| char::from_digit(coordinate as u32, 10)).unwrap_or('/'));
        if let Some(usage) = info.usage.get_mut(index) {
            let omit = matches!(letter, 'B' | 'D' | 'F');
            *usage = Usage { argument: (text.len() / 2) as u32, omit, all_at_once: false };
        }
    }
    info.plan.number = QUERY;
    info.estimated_rows = rows >> (text.len() / 2).min(62);
    info.estimated_cost = 6.0 * info.estimated_rows as f64;
    info.plan.text = (!text.is_empty()).then(|| text.into());
}

/// The constraints of a plan's text with the values of the scan.
pub fn constraints(text: &str, arguments: &Values<'_>) -> Result<Vec<Constraint>> {
    let (letters, coordinates) = (text.chars().step_by(2), text.chars().skip(1).step_by(2));
    let value = |at: usize| arguments.values.get(at).copied().unwrap_or_default();
    let one = |(at, (letter, coordinate)): (usize, (char, char))| {
        if letter == 'F' {
            return geometry(arguments, at);
        }
        let comparison = match letter {
            'A' => Comparison::Equal,
            'B' => Comparison::AtMost,
            'C' => Comparison::Below,
            'D' => Comparison::AtLeast,
            _ => Comparison::Above,
        };
        Ok(compare(coordinate.to_digit(10).unwrap_or(0) as usize, comparison, value(at)))
    };
    let mut constraints = Vec::with_capacity(text.len() / 2);
    for each in letters.zip(coordinates).enumerate() {
        constraints.push(one(each)?);
    }
    Ok(constraints)
}

fn compare(coordinate: usize, comparison: Comparison, value: ValueRef<'_>) -> Constraint {
    let is_upper = matches!(comparison, Comparison::Below | Comparison::AtMost);
    match lithe_vtab::as_number(value) {
        Some(Numeric::Integer(integer)) => {
            let is_exact = (-EXACT_MAX..=EXACT_MAX).contains(&integer);
            let widened = match comparison {
                Comparison::Below if !is_exact => Comparison::AtMost,
                Comparison::Above if !is_exact => Comparison::AtLeast,
                comparison => comparison,
            };
            Constraint::Compare(coordinate, widened, integer as f64)
        }
        Some(Numeric::Real(real)) => Constraint::Compare(coordinate, comparison, real),
        // Every number is less than a text or BLOB; a comparison with NULL is never true.
        _ if value.is_null() => Constraint::Never,
        _ if is_upper => Constraint::Always,
        _ => Constraint::Never,
    }
}

/// The geometry that an argument points to.
fn geometry(arguments: &Values<'_>, at: usize) -> Result<Constraint> {
    let pointer = arguments.attributes.pointer(at).filter(|pointer| *pointer.kind == *POINTER_KIND);
    let argument =
        pointer.and_then(|pointer| pointer.value.downcast_ref::<MatchArgument>()).ok_or_else(error::logic)?;
    Ok(Constraint::Match(argument.kind.begin(&argument.parameters)?))
}
