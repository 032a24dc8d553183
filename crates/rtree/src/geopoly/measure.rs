//! Measures polygons and makes them.

use std::f64::consts::PI;

use super::polygon::Polygon;

impl Polygon {
    /// The area: positive if the corners run counter-clockwise. Each step is a single-precision number, as in SQLite.
    pub(super) fn area(&self) -> f64 {
        self.edges().map(|((x, y), (next_x, next_y))| f64::from((x - next_x) * (y + next_y)) * 0.5).sum()
    }

    /// The same polygon, its corners counter-clockwise.
    pub(super) fn counter_clockwise(mut self) -> Polygon {
        if self.area() < 0.0
            && let Some((_, rest)) = self.vertices.split_first_mut()
        {
            rest.reverse();
        }
        self
    }

    /// x' = a x + b y + e, y' = c x + d y + f
    pub(super) fn transformed(mut self, [a, b, c, d, e, f]: [f64; 6]) -> Polygon {
        for vertex in &mut self.vertices {
            let (x, y) = (f64::from(vertex.0), f64::from(vertex.1));
            *vertex = ((a * x + b * y + e) as f32, (c * x + d * y + f) as f32);
        }
        self
    }

    /// A regular polygon around a centre.
    pub(super) fn regular(x: f64, y: f64, radius: f64, corners: usize) -> Polygon {
        let corner = |at: usize| {
            let angle = 2.0 * PI * at as f64 / corners as f64;
            ((x - radius * sine(angle - 0.5 * PI)) as f32, (y + radius * sine(angle)) as f32)
        };
        Polygon { vertices: (0..corners).map(corner).collect() }
    }

    /// The location of a point: 0 outside, 1 on the boundary, 2 inside.
    pub(super) fn place_of(&self, x: f64, y: f64) -> i64 {
        let mut above = 0;
        for (from, to) in self.edges() {
            match place_beside((x, y), (from.0.into(), from.1.into()), (to.0.into(), to.1.into())) {
                Beside::On => return 1,
                Beside::Below => above += 1,
                Beside::Elsewhere => {}
            }
        }
        if above % 2 == 0 { 0 } else { 2 }
    }
}

/// The location of a point with respect to an edge.
enum Beside {
    On,
    /// The point is below the edge.
    Below,
    Elsewhere,
}

/// The left end of an edge is not part of it, so that a corner counts once.
fn place_beside((x, y): (f64, f64), from: (f64, f64), to: (f64, f64)) -> Beside {
    if (x, y) == from {
        return Beside::On;
    }
    if from.0 == to.0 {
        // (Beside a NaN nothing is below or above.)
        let is_outside = x != from.0 || y < from.1 && y < to.1 || y > from.1 && y > to.1;
        return if is_outside { Beside::Elsewhere } else { Beside::On };
    }
    if x <= from.0 && x <= to.0 || x > from.0 && x > to.0 {
        return Beside::Elsewhere;
    }
    let edge = from.1 + (to.1 - from.1) * (x - from.0) / (to.0 - from.0);
    if y == edge {
        Beside::On
    } else if y < edge {
        Beside::Below
    } else {
        Beside::Elsewhere
    }
}

/// The sine, by SQLite's polynomial, because it decides the last digits of corners.
fn sine(angle: f64) -> f64 {
    let angle = if angle >= 1.5 * PI { angle - 2.0 * PI } else { angle };
    if angle >= 0.5 * PI {
        return -sine(angle - PI);
    }
    let square = angle * angle;
    let cube = square * angle;
    0.999_694_9 * angle - 0.165_670_0 * cube + 0.007_513_4 * (cube * square)
}
