//! A curve for each contestant, over threads or another number: points are medians, vertical lines through them the spread. The names are
//! above. If the largest value is many times the smallest, the vertical axis is logarithmic.

use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::palette::Role;
use super::{Area, Drawn, Pen, axis};
use crate::frame::results::{Chart, Name, Row, Side};
use crate::frame::statistics::Summary;
use crate::frame::table::number;

const PLOT_HEIGHT: i32 = 260;
const LINE: i32 = 22;
const BOTTOM: i32 = 44;

/// The ratio of the largest value to the smallest from which the axis is logarithmic.
const LOGARITHMIC_FROM: f64 = 30.0;

/// A contestant's curve: a point for each place.
struct Curve<'a> {
    name: &'a Name,
    /// The number of earlier curves of the same side: the second is dashed, the third has short dashes.
    nth: usize,
    points: Vec<Summary>,
}

struct Layout {
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
    scale: Scale,
    lines: Vec<f64>,
    places: usize,
}

/// The vertical scale.
#[derive(Clone, Copy, Debug)]
enum Scale {
    /// From 0 to this.
    Linear(f64),
    /// From the first to the second, both powers of ten.
    Logarithmic(f64, f64),
}

impl Scale {
    /// The scale for values from `least` to `largest`, and its grid lines above the lowest.
    fn of(least: f64, largest: f64) -> (Scale, Vec<f64>) {
        if least <= 0.0 || largest / least < LOGARITHMIC_FROM {
            let (largest, lines) = axis(largest, 5);
            return (Scale::Linear(largest), lines);
        }
        let (low, high) = (least.log10().floor() as i32, largest.log10().ceil() as i32);
        (Scale::Logarithmic(10f64.powi(low), 10f64.powi(high)), (low + 1..=high).map(|at| 10f64.powi(at)).collect())
    }

    fn lowest(self) -> f64 {
        if let Scale::Logarithmic(low, _) = self { low } else { 0.0 }
    }

    /// The position of a value between the ends, from 0 to 1.
    fn part(self, value: f64) -> f64 {
        match self {
            Scale::Linear(largest) => value / largest,
            Scale::Logarithmic(low, high) => (value / low).log10() / (high / low).log10(),
        }
    }
}

pub(super) fn draw(pen: &Pen, _chart: &Chart, along: &str, places: &[f64], series: &[Vec<Row>]) -> String {
    let curves = curves(series);
    let per_line = if pen.is_narrow() { 1 } else { 3 };
    let top = LINE * curves.len().div_ceil(per_line) as i32 + 12;
    let layout = Layout::of(pen, &curves, places, top);
    pen.draw(layout.bottom + BOTTOM, |area| {
        draw_names(pen, area, &curves, per_line)?;
        draw_axes(pen, area, &layout, along, places)?;
        curves.iter().try_for_each(|curve| draw_curve(pen, area, &layout, curve))
    })
}

fn curves(series: &[Vec<Row>]) -> Vec<Curve<'_>> {
    let mut curves: Vec<Curve<'_>> = Vec::new();
    for rows in series {
        let Some(first) = rows.first() else { continue };
        let side: Side = first.name.side;
        let nth = curves.iter().filter(|curve| curve.name.side == side).count();
        curves.push(Curve { name: &first.name, nth, points: rows.iter().filter_map(Row::summary).collect() });
    }
    curves
}

impl Layout {
    fn of(pen: &Pen, curves: &[Curve<'_>], places: &[f64], top: i32) -> Layout {
        let points = || curves.iter().flat_map(|curve| &curve.points);
        let largest = points().map(|point| point.max).fold(0.0, f64::max);
        let least = points().map(|point| point.min).fold(f64::INFINITY, f64::min);
        let (scale, lines) = Scale::of(least, largest);
        let left = lines.iter().map(|line| pen.text_width(&number(*line))).max().unwrap_or(0) + 10;
        let right = pen.width.pixels() as i32 - 14;
        Layout { left, right, top, bottom: top + PLOT_HEIGHT, scale, lines, places: places.len() }
    }

    /// Places are equidistant, whatever their values: 1, 2, 4, 8 threads.
    fn x(&self, place: usize) -> i32 {
        let inner = self.right - self.left - 40;
        self.left + 20 + if self.places > 1 { inner * place as i32 / (self.places as i32 - 1) } else { inner / 2 }
    }

    fn y(&self, value: f64) -> i32 {
        self.bottom - (f64::from(self.bottom - self.top) * self.scale.part(value)).round() as i32
    }
}

fn draw_names(pen: &Pen, area: &Area<'_>, curves: &[Curve<'_>], per_line: usize) -> Drawn {
    let column = pen.width.pixels() as i32 / per_line as i32;
    for (at, curve) in curves.iter().enumerate() {
        let (x, y) = (column * (at % per_line) as i32, LINE * (at / per_line) as i32 + LINE / 2);
        draw_line(pen, area, curve, &[(x, y), (x + 30, y)])?;
        area.draw(&Text::new(curve.name.label.clone(), (x + 38, y), pen.style(Role::Text, HPos::Left)))?;
    }
    Ok(())
}

fn draw_axes(pen: &Pen, area: &Area<'_>, layout: &Layout, along: &str, places: &[f64]) -> Drawn {
    for line in std::iter::once(&layout.scale.lowest()).chain(&layout.lines) {
        let y = layout.y(*line);
        area.draw(&PathElement::new([(layout.left, y), (layout.right, y)], pen.color(Role::Grid)))?;
        let text = if *line == 0.0 { "0".to_owned() } else { number(*line) };
        area.draw(&Text::new(text, (layout.left - 6, y), pen.style(Role::Faint, HPos::Right)))?;
    }
    for (at, place) in places.iter().enumerate() {
        let text =
            Text::new(place.to_string(), (layout.x(at), layout.bottom + 14), pen.style(Role::Faint, HPos::Center));
        area.draw(&text)?;
    }
    let middle = (layout.left + layout.right) / 2;
    area.draw(&Text::new(along.to_owned(), (middle, layout.bottom + 33), pen.style(Role::Faint, HPos::Center)))
}

fn draw_curve(pen: &Pen, area: &Area<'_>, layout: &Layout, curve: &Curve<'_>) -> Drawn {
    let color = pen.color(Role::Side(curve.name.side));
    let points: Vec<(i32, i32)> =
        curve.points.iter().enumerate().map(|(at, point)| (layout.x(at), layout.y(point.median))).collect();
    for ((x, y), point) in points.iter().zip(&curve.points) {
        area.draw(&PathElement::new([(*x, layout.y(point.min)), (*x, layout.y(point.max))], color))?;
        area.draw(&Circle::new((*x, *y), 4, color.filled()))?;
    }
    draw_line(pen, area, curve, &points)
}

fn draw_line(pen: &Pen, area: &Area<'_>, curve: &Curve<'_>, points: &[(i32, i32)]) -> Drawn {
    let style = ShapeStyle { color: pen.color(Role::Side(curve.name.side)).to_rgba(), filled: false, stroke_width: 2 };
    match curve.nth {
        0 => area.draw(&PathElement::new(points.to_vec(), style)),
        1 => area.draw(&DashedPathElement::new(points.to_vec(), 9, 5, style)),
        _ => area.draw(&DashedPathElement::new(points.to_vec(), 3, 4, style)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_is_logarithmic_if_values_are_far_apart() {
        let (scale, lines) = Scale::of(5.0, 90.0);
        assert!(
            matches!(scale, Scale::Linear(largest) if largest >= 90.0) && scale.lowest() == 0.0 && !lines.is_empty()
        );
        let (scale, lines) = Scale::of(0.5, 900.0);
        assert_eq!((scale.lowest(), lines), (0.1, vec![1.0, 10.0, 100.0, 1000.0]));
        assert!((scale.part(0.1), scale.part(1000.0)) == (0.0, 1.0) && (scale.part(10.0) - 0.5).abs() < 1e-9);
        assert!(matches!(Scale::of(0.0, 900.0).0, Scale::Linear(_)), "zero has no logarithm");
    }
}
