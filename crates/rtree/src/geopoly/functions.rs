//! The functions on polygons. An argument that is not a polygon gives NULL.

use std::sync::{Arc, OnceLock};

use lithe_functions::{AggregateFunction, AggregateState, Arity, Context, Flags, Function, Kind, format_values};
use lithe_value::cast;
use lithe_vtab::{Grow, ScalarFn, ValueRef};

use super::overlap::{Overlap, overlap};
use super::polygon::{NO_BOX, Polygon, Shape};
use crate::bounds::Bounds;
use crate::error::Result;

/// The most corners of a regular polygon.
const CORNERS_MAX: i64 = 1000;

const ALL: [(&str, Arity, ScalarFn); 11] = [
    ("geopoly_area", Arity::Exactly(1), area),
    ("geopoly_blob", Arity::Exactly(1), blob),
    ("geopoly_json", Arity::Exactly(1), json),
    ("geopoly_svg", Arity::AtLeast(0), svg),
    ("geopoly_within", Arity::Exactly(2), within),
    ("geopoly_contains_point", Arity::Exactly(3), contains_point),
    ("geopoly_overlap", Arity::Exactly(2), overlaps),
    ("geopoly_bbox", Arity::Exactly(1), bbox),
    ("geopoly_xform", Arity::Exactly(7), xform),
    ("geopoly_regular", Arity::Exactly(4), regular),
    ("geopoly_ccw", Arity::Exactly(1), ccw),
];

/// All functions, shared by the connections of a process.
pub(crate) fn all() -> &'static [Arc<Function>] {
    static FUNCTIONS: OnceLock<Vec<Arc<Function>>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let harmless = Flags::DETERMINISTIC.with(Flags::INNOCUOUS);
        let scalar = |name: &str, args, flags, eval: ScalarFn| {
            Arc::new(Function::custom(name, args, flags, Kind::CustomScalar(Arc::new(eval))))
        };
        let mut all: Vec<_> = ALL.iter().map(|(name, args, eval)| scalar(name, *args, harmless, *eval)).collect();
        all.push(scalar("geopoly_debug", Arity::Exactly(1), Flags::DIRECT_ONLY, debug));
        let boxes = Kind::CustomAggregate(Arc::new(GroupBox));
        all.push(Arc::new(Function::custom("geopoly_group_bbox", Arity::Exactly(1), harmless, boxes)));
        all
    })
}

/// The function of that name, for a table that uses its calls as constraints.
pub(super) fn named(name: &str) -> Option<Arc<Function>> {
    all().iter().find(|function| function.name().eq_ignore_ascii_case(name)).map(Arc::clone)
}

fn polygon(args: &[ValueRef<'_>], at: usize) -> Result<Option<Polygon>> {
    Ok(Polygon::of(args.get(at).copied().unwrap_or_default())?)
}

fn number(args: &[ValueRef<'_>], at: usize) -> f64 {
    args.get(at).map_or(0.0, |value| cast::to_real(*value))
}

/// Answers a polygon; NULL for None.
fn answer(context: &mut Context<'_>, polygon: Option<Polygon>) -> Result {
    match polygon {
        Some(polygon) => context.answer(ValueRef::Blob(&polygon.blob()?)),
        None => context.answer(ValueRef::Null),
    }
}

fn area(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let area = polygon(args, 0)?.map(|polygon| polygon.area());
    context.answer(area.map_or(ValueRef::Null, ValueRef::Real))
}

fn blob(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    answer(context, polygon(args, 0)?)
}

fn json(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match polygon(args, 0)? {
        Some(polygon) => context.answer(ValueRef::Text(&polygon.json()?)),
        None => context.answer(ValueRef::Null),
    }
}

fn svg(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let Some(polygon) = polygon(args, 0)? else { return context.answer(ValueRef::Null) };
    let mut text = b"<polyline points='".to_vec();
    polygon.write_corners(&mut text, b"%g,%g", b' ')?;
    text.try_push(b'\'')?;
    for attribute in args.get(1..).unwrap_or_default() {
        let attribute = format_values(b"%s", &[*attribute], usize::MAX)?;
        if !attribute.as_slice().is_empty() {
            text.try_push(b' ')?;
            text.try_append(attribute.as_slice())?;
        }
    }
    text.try_append(b"></polyline>")?;
    context.answer(ValueRef::Text(&text))
}

/// How the two polygons of a call overlap.
fn relation(args: &[ValueRef<'_>]) -> Result<Option<Overlap>> {
    let Some(one) = polygon(args, 0)? else { return Ok(None) };
    let Some(other) = polygon(args, 1)? else { return Ok(None) };
    Ok(Some(overlap(&one, &other)?))
}

fn overlaps(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    context.answer(relation(args)?.map_or(ValueRef::Null, |found| ValueRef::Integer(found as i64)))
}

fn within(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let number = |found| match found {
        Overlap::FirstWithin => 1,
        Overlap::Same => 2,
        Overlap::Disjoint | Overlap::Partial | Overlap::SecondWithin => 0,
    };
    context.answer(relation(args)?.map_or(ValueRef::Null, |found| ValueRef::Integer(number(found))))
}

fn contains_point(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let place = polygon(args, 0)?.map(|polygon| polygon.place_of(number(args, 1), number(args, 2)));
    context.answer(place.map_or(ValueRef::Null, ValueRef::Integer))
}

fn bbox(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    answer(context, polygon(args, 0)?.map(|polygon| Polygon::of_bounds(&polygon.bounds())))
}

fn xform(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let factors = std::array::from_fn(|at| number(args, at + 1));
    answer(context, polygon(args, 0)?.map(|polygon| polygon.transformed(factors)))
}

fn regular(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let corners = args.get(3).map_or(0, |count| cast::to_integer(*count)).min(CORNERS_MAX);
    let radius = number(args, 2);
    let is_one = corners >= 3 && radius > 0.0;
    let made = is_one.then(|| Polygon::regular(number(args, 0), number(args, 1), radius, corners as usize));
    answer(context, made)
}

fn ccw(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    answer(context, polygon(args, 0)?.map(Polygon::counter_clockwise))
}

/// Does nothing: SQLite's function works only in a debug build.
fn debug(context: &mut Context<'_>, _: &[ValueRef<'_>]) -> Result {
    context.answer(ValueRef::Null)
}

/// `geopoly_group_bbox()`: the box around all polygons of a group.
struct GroupBox;

impl AggregateFunction for GroupBox {
    fn start(&self) -> Box<dyn AggregateState> {
        Box::new(BoxSoFar(None))
    }

    fn has_inverse(&self) -> bool {
        false
    }
}

struct BoxSoFar(Option<Bounds>);

impl AggregateState for BoxSoFar {
    fn step(&mut self, _: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        let bounds = match Shape::of(args.first().copied().unwrap_or_default())? {
            Shape::Polygon(polygon) => polygon.bounds(),
            // (What a table stores unchanged counts with the box that it has there.)
            Shape::Other => Bounds::new(NO_BOX),
            Shape::Invalid => return Ok(()),
        };
        self.0 = Some(self.0.map_or(bounds, |so_far| so_far.union(&bounds)));
        Ok(())
    }

    fn value(&mut self, context: &mut Context<'_>) -> Result {
        answer(context, self.0.as_ref().map(Polygon::of_bounds))
    }
}
