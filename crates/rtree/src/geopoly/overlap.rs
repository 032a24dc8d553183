//! How two polygons overlap, by a sweep line.
//!
//! The line stops at each x where an edge begins or ends. Between two stops the order of the edges that it crosses is fixed; the number of
//! each polygon's edges below a strip between two edges decides whether the strip belongs to that polygon. If two edges of different
//! polygons change their order between two stops, they cross.

use lithe_vtab::{Grow, OutOfMemory};

use super::polygon::{Polygon, Vertex};
use super::sorter::Sorter;

/// The polygons, as bits of a mask.
const FIRST: u8 = 1;
const SECOND: u8 = 2;

/// How two polygons overlap, by SQLite's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Overlap {
    Disjoint = 0,
    Partial = 1,
    /// The first lies within the second.
    FirstWithin = 2,
    /// The second lies within the first.
    SecondWithin = 3,
    Same = 4,
}

/// An edge that is not vertical: y = slope x + intercept.
struct Edge {
    slope: f64,
    intercept: f64,
    /// Its y where the line is now.
    y: f64,
    /// Its y where it begins.
    start: f64,
    /// Whether the line has passed its end.
    has_ended: bool,
    side: u8,
}

/// A stop of the line, at an end of an edge.
#[derive(Clone, Copy)]
struct Stop {
    x: f64,
    edge: usize,
    begins: bool,
}

pub(super) fn overlap(first: &Polygon, second: &Polygon) -> Result<Overlap, OutOfMemory> {
    let (mut edges, mut stops) = (Vec::new(), Vec::new());
    let count = first.vertices.len() + second.vertices.len();
    edges.try_grow(count)?;
    stops.try_grow(2 * count)?;
    for (polygon, side) in [(first, FIRST), (second, SECOND)] {
        for (from, to) in polygon.edges() {
            add_edge(&mut edges, &mut stops, from, to, side);
        }
    }
    // Where several edges begin or end, the earlier ones of the polygon come first.
    let mut sorter = Sorter::for_items(stops.len())?;
    let mut order = Vec::new();
    order.try_grow(stops.len())?;
    order.extend(0..stops.len());
    let x = |at: usize| stops.get(at).map_or(0.0, |stop| stop.x);
    sorter.sort(&mut order, |one, other| x(one) - x(other));
    let mut sorted = Vec::new();
    sorted.try_grow(stops.len())?;
    sorted.extend(order.iter().filter_map(|at| stops.get(*at).copied()));
    let mut active = Vec::new();
    active.try_grow(edges.len())?;
    Ok(Sweep { edges, active, sorter, found: [false; 4] }.run(&sorted))
}

/// Adds an edge and its stops, for which there is space.
fn add_edge(edges: &mut Vec<Edge>, stops: &mut Vec<Stop>, from: Vertex, to: Vertex, side: u8) {
    if from.0 == to.0 {
        return;
    }
    let (left, right) = if from.0 > to.0 { (to, from) } else { (from, to) };
    let slope = f64::from((right.1 - left.1) / (right.0 - left.0));
    let intercept = f64::from(right.1) - f64::from(right.0) * slope;
    let (edge, start) = (edges.len(), f64::from(left.1));
    edges.push(Edge { slope, intercept, y: start, start, has_ended: false, side });
    stops.push(Stop { x: left.0.into(), edge, begins: true });
    stops.push(Stop { x: right.0.into(), edge, begins: false });
}

struct Sweep {
    edges: Vec<Edge>,
    /// The edges that the line crosses; once sorted, the lowest first.
    active: Vec<usize>,
    sorter: Sorter,
    /// By mask, whether an area exists that belongs to exactly these polygons.
    found: [bool; 4],
}

impl Sweep {
    fn run(mut self, stops: &[Stop]) -> Overlap {
        let mut rest = stops;
        while let Some(Stop { x, .. }) = rest.first() {
            if !self.move_to(*x) {
                return Overlap::Partial;
            }
            // (A NaN is a stop of its own.)
            let here = 1 + rest.iter().skip(1).take_while(|stop| stop.x == *x).count();
            let (these, others) = rest.split_at(here);
            these.iter().for_each(|stop| self.apply(stop));
            let edges = &self.edges;
            self.active.retain(|at| edges.get(*at).is_some_and(|edge| !edge.has_ended));
            rest = others;
        }
        match self.found {
            [_, _, _, false] => Overlap::Disjoint,
            [_, true, false, true] => Overlap::SecondWithin,
            [_, false, true, true] => Overlap::FirstWithin,
            [_, false, false, true] => Overlap::Same,
            [_, true, true, true] => Overlap::Partial,
        }
    }

    /// Examines the strips up to the next stop. False if edges of both polygons cross there.
    fn move_to(&mut self, x: f64) -> bool {
        let edges = &mut self.edges;
        let key = |at: usize| edges.get(at).map_or((0.0, 0.0), |edge| (edge.y, edge.slope));
        // Edges that lie on each other stay in the order in which they were.
        self.sorter.sort(&mut self.active, |one, other| {
            let (one, other) = (key(one), key(other));
            let difference = one.0 - other.0;
            if difference == 0.0 { one.1 - other.1 } else { difference }
        });
        // First on the left side of the strips, then on the right.
        for is_right in [false, true] {
            let (mut mask, mut below): (u8, Option<(f64, u8)>) = (0, None);
            for at in &self.active {
                let Some(edge) = edges.get_mut(*at) else { continue };
                if is_right {
                    edge.y = edge.slope * x + edge.intercept;
                }
                if let Some((y, side)) = below {
                    if is_right && y > edge.y && side != edge.side {
                        return false;
                    }
                    if y != edge.y
                        && let Some(found) = self.found.get_mut(usize::from(mask))
                    {
                        *found = true;
                    }
                }
                mask ^= edge.side;
                below = Some((edge.y, edge.side));
            }
        }
        true
    }

    fn apply(&mut self, stop: &Stop) {
        let Some(edge) = self.edges.get_mut(stop.edge) else { return };
        if stop.begins {
            edge.y = edge.start;
            self.active.push(stop.edge);
        } else {
            edge.has_ended = true;
        }
    }
}
