//! Colours by their role. A chart in the page uses names of colours, which the page's style sheet defines for light and dark; a standalone
//! chart uses the colours themselves.

use plotters::style::RGBColor;

use crate::frame::results::Side;

/// The use of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Figures and names.
    Text,
    /// Less important text: axes, spread.
    Faint,
    /// Lines of the grid.
    Grid,
    /// The background.
    Paper,
    /// A contestant.
    Side(Side),
    /// A cell of a heat map, from much worse (0) to much better.
    Heat(usize),
}

/// One colour: its role, its name in the style sheet, its values on light and on dark background.
struct Colour {
    role: Role,
    name: &'static str,
    light: u32,
    dark: u32,
}

const fn colour(role: Role, name: &'static str, light: u32, dark: u32) -> Colour {
    Colour { role, name, light, dark }
}

const COLOURS: &[Colour] = &[
    colour(Role::Text, "text", 0x1b1f24, 0xe8eaed),
    colour(Role::Faint, "faint", 0x59626d, 0xa3acb7),
    colour(Role::Grid, "grid", 0xdfe3e8, 0x303740),
    colour(Role::Paper, "paper", 0xffffff, 0x15191e),
    colour(Role::Side(Side::Lithe), "lithe", 0x0b8062, 0x3ecf9f),
    colour(Role::Side(Side::Sqlite), "sqlite", 0x2c69b0, 0x6fadf0),
    colour(Role::Side(Side::Files), "files", 0xb3731a, 0xe0a84c),
    colour(Role::Side(Side::Mariadb), "mariadb", 0x8552a5, 0xc195e0),
    colour(Role::Side(Side::Library), "library", 0x1f7f8c, 0x55c4d3),
    colour(Role::Side(Side::Library2), "library2", 0x6d6fb5, 0xa6a8ee),
    colour(Role::Side(Side::Limit), "limit", 0x9097a0, 0x6f7883),
    colour(Role::Heat(0), "heat-0", 0xe58a80, 0x8a2f2a),
    colour(Role::Heat(1), "heat-1", 0xf2b3a8, 0x6e3733),
    colour(Role::Heat(2), "heat-2", 0xfadcd5, 0x4d3432),
    colour(Role::Heat(3), "heat-3", 0xe0f2e4, 0x24402f),
    colour(Role::Heat(4), "heat-4", 0xb7e2c1, 0x225539),
    colour(Role::Heat(5), "heat-5", 0x86cd99, 0x1f6c45),
    colour(Role::Heat(6), "heat-6", 0x57b878, 0x1b8452),
];

/// The bounds between the colours of cells: below the first bound is the first colour, above the last bound the last.
pub const HEAT_BOUNDS: [f64; 6] = [0.5, 0.8, 1.0, 1.25, 1.5, 2.0];

/// The heat of a ratio.
pub fn heat(ratio: f64) -> Role {
    Role::Heat(HEAT_BOUNDS.iter().take_while(|bound| ratio >= **bound).count())
}

/// The place of the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// In the page, whose style sheet defines the colours.
    Page,
    /// Standalone, on a light background.
    Light,
    /// Standalone, on a dark background.
    Dark,
}

impl Palette {
    /// The colour for a role.
    pub fn color(self, role: Role) -> RGBColor {
        let at = COLOURS.iter().position(|colour| colour.role == role).unwrap_or(0);
        match self {
            Palette::Page => placeholder(at),
            Palette::Light => rgb(COLOURS[at].light),
            Palette::Dark => rgb(COLOURS[at].dark),
        }
    }

    /// Replaces the placeholders by names of colours, for the page.
    pub fn resolve(self, svg: String) -> String {
        if self != Palette::Page {
            return svg;
        }
        COLOURS.iter().enumerate().fold(svg, |svg, (at, colour)| {
            let RGBColor(r, g, b) = placeholder(at);
            svg.replace(&format!("\"#{r:02X}{g:02X}{b:02X}\""), &format!("\"var(--{})\"", colour.name))
        })
    }
}

/// A placeholder for the name of a colour: a colour that no chart uses, close to black.
fn placeholder(at: usize) -> RGBColor {
    RGBColor(0, at as u8, 1)
}

fn rgb(hex: u32) -> RGBColor {
    let [_, r, g, b] = hex.to_be_bytes();
    RGBColor(r, g, b)
}

/// The style sheet's definitions of all names, for a light or dark background.
pub fn definitions(is_dark: bool) -> String {
    let hex = |colour: &Colour| if is_dark { colour.dark } else { colour.light };
    COLOURS.iter().map(|colour| format!("--{}:#{:06x};", colour.name, hex(colour))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_become_names() {
        let RGBColor(r, g, b) = Palette::Page.color(Role::Side(Side::Lithe));
        let svg = format!("<rect fill=\"#{r:02X}{g:02X}{b:02X}\"/>");
        assert_eq!(Palette::Page.resolve(svg), "<rect fill=\"var(--lithe)\"/>");
    }

    #[test]
    fn heat_rises_with_the_ratio() {
        for (ratio, wanted) in [(0.1, 0), (0.5, 1), (0.99, 2), (1.0, 3), (1.49, 4), (1.5, 5), (9.0, 6)] {
            assert_eq!(heat(ratio), Role::Heat(wanted), "{ratio}");
        }
    }
}
