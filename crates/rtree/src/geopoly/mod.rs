//! Geopoly: R-Trees of polygons, and functions on polygons.
//!
//! ```text
//!   CREATE VIRTUAL TABLE g USING geopoly(name)      columns _shape, name
//!
//!   polygon    the forms: BLOB, and JSON text
//!   measure    area, boxes, points within
//!   overlap    how two polygons overlap
//!   sorter     the sort that it takes
//!   functions  geopoly_area() and the other SQL functions
//!   table      the module: an R-Tree of two dimensions, the shape is its first auxiliary column
//! ```

mod functions;
mod measure;
mod overlap;
mod polygon;
mod sorter;
mod table;

pub(crate) use functions::all as functions;
pub(crate) use table::GeopolyModule;

#[cfg(test)]
mod tests;
