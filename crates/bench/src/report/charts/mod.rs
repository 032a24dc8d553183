//! Charts as SVG, drawn with `plotters`.
//!
//! | module | subject |
//! | --- | --- |
//! | `palette` | colours by their role, light and dark |
//! | `bars` | a bar for each contestant, with spread |
//! | `curves` | a curve for each contestant, over threads |
//! | `heat_map` | a table of ratios in colours |

mod bars;
mod curves;
mod heat_map;
mod palette;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::frame::results::{Chart, Data};

use palette::Role;
pub use palette::{Palette, definitions};

/// The widths that a chart is drawn for. (The text of an SVG that is merely scaled down is too small to read.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// A desktop.
    Wide,
    /// A phone.
    Narrow,
}

impl Width {
    fn pixels(self) -> u32 {
        match self {
            Width::Wide => 840,
            Width::Narrow => 360,
        }
    }
}

/// Draws a chart.
pub fn svg(chart: &Chart, palette: Palette, width: Width) -> String {
    let pen = Pen { palette, width };
    let svg = match &chart.data {
        Data::Bars { rows } => bars::draw(&pen, chart, rows),
        Data::Curves { along, places, series } => curves::draw(&pen, chart, along, places, series),
        Data::Matrix { lines, columns, baseline, series } => {
            heat_map::draw(&pen, chart, lines, columns, baseline, series)
        }
    };
    palette.resolve(svg)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The colours and the width of a drawing.
struct Pen {
    palette: Palette,
    width: Width,
}

/// The factor by which `plotters` shrinks text in SVG.
const FONT_SCALE: f64 = 1.24;

impl Pen {
    fn is_narrow(&self) -> bool {
        self.width == Width::Narrow
    }

    fn color(&self, role: Role) -> RGBColor {
        self.palette.color(role)
    }

    /// The height of ordinary text in pixels.
    fn letter(&self) -> i32 {
        13
    }

    fn style(&self, role: Role, horizontal: HPos) -> TextStyle<'static> {
        let font = ("sans-serif", f64::from(self.letter()) * FONT_SCALE).into_font();
        font.color(&self.color(role)).pos(Pos::new(horizontal, VPos::Center))
    }

    fn bold(&self, role: Role, horizontal: HPos) -> TextStyle<'static> {
        let font = ("sans-serif", f64::from(self.letter()) * FONT_SCALE, FontStyle::Bold).into_font();
        font.color(&self.color(role)).pos(Pos::new(horizontal, VPos::Center))
    }

    /// The approximate width of a text, also in bold.
    fn text_width(&self, text: &str) -> i32 {
        text.chars().count() as i32 * self.letter() * 64 / 100
    }

    /// Draws on an area of `height` pixels. Drawing into a string cannot fail.
    fn draw(&self, height: i32, drawing: impl FnOnce(&Area<'_>) -> Drawn) -> String {
        let mut svg = String::new();
        let size = (self.width.pixels(), height.max(1) as u32);
        {
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            if self.palette != Palette::Page {
                area.fill(&self.color(Role::Paper)).expect("drawing into a string");
            }
            drawing(&area).expect("drawing into a string");
            area.present().expect("drawing into a string");
        }
        svg
    }
}

type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The upper end of an axis whose largest value is `largest`, and the positions of its lines.
fn axis(largest: f64, lines_wanted: usize) -> (f64, Vec<f64>) {
    let largest = if largest.is_finite() && largest > 0.0 { largest } else { 1.0 };
    let rough = largest / lines_wanted as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let lines = (1..).map(|n| f64::from(n) * step).take_while(|at| *at <= largest * 1.001).collect();
    (largest, lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::results::{Name, Row, Side};

    #[test]
    fn axes_have_round_lines() {
        assert_eq!(axis(9.3, 5).1, [2.0, 4.0, 6.0, 8.0]);
        assert_eq!(axis(1.0, 4).1, [0.25, 0.5, 0.75, 1.0]);
        assert_eq!(axis(0.0, 4).0, 1.0);
    }

    #[test]
    fn every_shape_is_drawn() {
        let row =
            |id: &str, side, at: f64| Row { name: Name::new(id, id, side), samples: vec![at, at * 1.1, at * 1.2] };
        let series = |id: &str, side| (0..4).map(|n| row(&format!("{id}/{n}"), side, f64::from(n + 1))).collect();
        let both = || -> Vec<Vec<Row>> { vec![series("files", Side::Files), series("lithe", Side::Lithe)] };
        let lines = ("page".to_owned(), vec!["1".to_owned(), "2".to_owned()]);
        let shapes = [
            Data::Bars { rows: vec![row("a<b", Side::Lithe, 1.0), row("b", Side::Files, 2.0)] },
            Data::Curves { along: "threads".to_owned(), places: vec![1.0, 2.0, 4.0, 8.0], series: both() },
            Data::Matrix { columns: lines.clone(), lines, baseline: "files".to_owned(), series: both() },
        ];
        for data in shapes {
            let chart = Chart { id: "x".into(), title: "X".into(), unit: "µs".into(), more_is_better: false, data };
            for (palette, width) in [(Palette::Page, Width::Wide), (Palette::Dark, Width::Narrow)] {
                let svg = svg(&chart, palette, width);
                assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
                assert!(!svg.contains("a<b") && !svg.contains("NaN"), "{svg}");
                assert_eq!(svg.contains("var(--"), palette == Palette::Page);
            }
        }
    }
}
