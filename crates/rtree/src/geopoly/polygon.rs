//! Polygons, and their two forms.
//!
//! ```text
//!   BLOB   | 0: big-endian, 1: little-endian | vertices: 3 bytes, big-endian | x: 4 bytes | y: 4 bytes | …
//!   text   [[x0,y0],[x1,y1],…,[x0,y0]]       the first vertex is repeated at the end
//! ```

use lithe_functions::format_values;
use lithe_vtab::{Grow, OutOfMemory, ValueRef, collected};

use crate::bounds::{Bounds, greater, lesser};
use crate::error::Result;

const HEADER_LEN: usize = 4;
const VERTEX_LEN: usize = 8;
/// The shortest BLOB that can be a polygon: a triangle.
const BLOB_LEN_MIN: usize = HEADER_LEN + 3 * VERTEX_LEN;
/// The fewest pairs of a text: a triangle, and its first vertex again.
const PAIRS_MIN: usize = 4;

/// A corner.
pub(super) type Vertex = (f32, f32);

/// A polygon. The closing vertex of a text is not stored.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Polygon {
    pub(super) vertices: Vec<Vertex>,
}

/// The kind of a value of the column `_shape`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Polygon(Polygon),
    /// Not a polygon, but a value that a table stores unchanged: text that is not a JSON array, another BLOB.
    Other,
    /// A value that a table rejects.
    Invalid,
}

impl Shape {
    pub(super) fn of(value: ValueRef<'_>) -> Result<Shape, OutOfMemory> {
        Ok(match value {
            ValueRef::Blob(bytes) if bytes.len() >= BLOB_LEN_MIN => {
                Polygon::from_blob(bytes)?.map_or(Shape::Other, Shape::Polygon)
            }
            ValueRef::Text(text) => {
                // A text ends at its first NUL, as in C.
                let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
                let mut reader = Reader::new(text.get(..end).unwrap_or(text));
                if reader.next() != Some(b'[') {
                    return Ok(Shape::Other);
                }
                reader.polygon()?.map_or(Shape::Invalid, Shape::Polygon)
            }
            _ => Shape::Invalid,
        })
    }
}

/// The box of a value that is stored unchanged.
pub(super) const NO_BOX: [f64; 4] = [0.0; 4];

impl Polygon {
    /// The polygon in a value, if it has one.
    pub(super) fn of(value: ValueRef<'_>) -> Result<Option<Polygon>, OutOfMemory> {
        Ok(match Shape::of(value)? {
            Shape::Polygon(polygon) => Some(polygon),
            Shape::Other | Shape::Invalid => None,
        })
    }

    fn from_blob(bytes: &[u8]) -> Result<Option<Polygon>, OutOfMemory> {
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER_LEN>() else { return Ok(None) };
        let [order, high, middle, low] = *header;
        let count = u32::from_be_bytes([0, high, middle, low]) as usize;
        if order > 1 || rest.len() != count * VERTEX_LEN {
            return Ok(None);
        }
        let number = |bytes: [u8; 4]| if order == 0 { f32::from_be_bytes(bytes) } else { f32::from_le_bytes(bytes) };
        let (numbers, _) = rest.as_chunks::<4>();
        let pair = |pair: &[[u8; 4]; 2]| (number(pair[0]), number(pair[1]));
        Ok(Some(Polygon { vertices: collected(numbers.as_chunks::<2>().0.iter().map(pair))? }))
    }

    /// The BLOB, in the byte order of this machine.
    pub(super) fn blob(&self) -> Result<Vec<u8>, OutOfMemory> {
        let [_, high, middle, low] = (self.vertices.len() as u32).to_be_bytes();
        let mut blob = Vec::new();
        blob.try_grow(HEADER_LEN + self.vertices.len() * VERTEX_LEN)?;
        blob.extend_from_slice(&[u8::from(cfg!(target_endian = "little")), high, middle, low]);
        for (x, y) in &self.vertices {
            blob.extend_from_slice(&x.to_ne_bytes());
            blob.extend_from_slice(&y.to_ne_bytes());
        }
        Ok(blob)
    }

    /// The text.
    pub(super) fn json(&self) -> Result<Vec<u8>> {
        let mut text = b"[".to_vec();
        self.write_corners(&mut text, b"[%!g,%!g]", b',')?;
        text.try_push(b']')?;
        Ok(text)
    }

    /// Appends the corners, the first one again at the end.
    pub(super) fn write_corners(&self, text: &mut Vec<u8>, format: &[u8], separator: u8) -> Result {
        for (at, (x, y)) in self.vertices.iter().chain(self.vertices.first()).enumerate() {
            if at > 0 {
                text.try_push(separator)?;
            }
            let values = [ValueRef::Real((*x).into()), ValueRef::Real((*y).into())];
            text.try_append(format_values(format, &values, usize::MAX)?.as_slice())?;
        }
        Ok(())
    }

    /// The edges, the closing one last.
    pub(super) fn edges(&self) -> impl Iterator<Item = (Vertex, Vertex)> + '_ {
        let ends = self.vertices.iter().skip(1).chain(self.vertices.first());
        self.vertices.iter().copied().zip(ends.copied())
    }

    /// The bounding box. (A NaN of the first vertex stays, that of another one does not count.)
    pub(super) fn bounds(&self) -> Bounds {
        let coordinate = |of: fn(&Vertex) -> f32, choose: fn(f64, f64) -> f64| {
            self.vertices.iter().map(|vertex| f64::from(of(vertex))).reduce(choose).unwrap_or_default()
        };
        let side = |of| [coordinate(of, lesser), coordinate(of, greater)];
        Bounds::new(side(|vertex| vertex.0).into_iter().chain(side(|vertex| vertex.1)))
    }

    /// A box as a polygon.
    pub(super) fn of_bounds(bounds: &Bounds) -> Polygon {
        let side = |dimension| {
            let (min, max) = bounds.side(dimension);
            (min as f32, max as f32)
        };
        let ((left, right), (bottom, top)) = (side(0), side(1));
        Polygon { vertices: vec![(left, bottom), (right, bottom), (right, top), (left, top)] }
    }
}

/// Reads the text of a polygon, as leniently as SQLite: a comma may precede a closing bracket, which then closes the next level, and a
/// number may begin with its point.
struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t [u8]) -> Reader<'t> {
        Reader { text, at: 0 }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    /// The next character that is not white space, without consuming it.
    fn next(&mut self) -> Option<u8> {
        while matches!(self.byte(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.byte(self.at)
    }

    fn take(&mut self, expected: u8) -> bool {
        let is_there = self.next() == Some(expected);
        self.at += usize::from(is_there);
        is_there
    }

    fn polygon(&mut self) -> Result<Option<Polygon>, OutOfMemory> {
        let mut vertices = Vec::new();
        if !self.take(b'[') {
            return Ok(None);
        }
        while self.take(b'[') {
            let Some(pair) = self.vertex() else { return Ok(None) };
            if let Some(vertex) = pair {
                vertices.try_push(vertex)?;
            }
            if !self.take(b',') {
                break;
            }
        }
        let is_whole = self.take(b']') && self.next().is_none();
        let is_closed = vertices.len() >= PAIRS_MIN && vertices.first() == vertices.last();
        vertices.pop();
        Ok((is_whole && is_closed).then_some(Polygon { vertices }))
    }

    /// Reads a pair after its `[`: two numbers, and further ones that are ignored. `None` is a syntax error. Text that is not a number ends
    /// the pair after a comma; `Some(None)` if it has fewer than two numbers.
    fn vertex(&mut self) -> Option<Option<Vertex>> {
        let (mut pair, mut count) = ([0.0; 2], 0);
        while let Some(number) = self.number() {
            if let Some(slot) = pair.get_mut(count) {
                *slot = number;
            }
            count += 1;
            if self.take(b',') {
                continue;
            }
            return (self.take(b']') && count >= 2).then_some(Some(pair.into()));
        }
        Some((count >= 2).then_some(pair.into()))
    }

    fn number(&mut self) -> Option<f32> {
        self.next();
        let digits_from = |at: usize| (at..self.text.len()).take_while(|at| self.is_digit(*at)).count();
        let is_negative = self.byte(self.at) == Some(b'-');
        let mut end = self.at + usize::from(is_negative);
        let whole = digits_from(end);
        if whole > 1 && self.byte(end) == Some(b'0') {
            return None;
        }
        end += whole;
        if self.byte(end) == Some(b'.') && !(whole == 0 && is_negative) {
            let fraction = digits_from(end + 1);
            if fraction == 0 {
                return None;
            }
            end += 1 + fraction;
        }
        if end == self.at {
            // No number at all, directly after the bracket, counts as 0.
            let before = self.at.checked_sub(1).and_then(|before| self.byte(before));
            return (before == Some(b'[')).then_some(0.0);
        }
        if end == self.at + 1 && is_negative {
            return None;
        }
        if matches!(self.byte(end), Some(b'e' | b'E')) {
            end += 1 + usize::from(matches!(self.byte(end + 1), Some(b'+' | b'-')));
            let exponent = digits_from(end);
            if exponent == 0 {
                return None;
            }
            end += exponent;
        }
        let number = self.text.get(self.at..end)?;
        self.at = end;
        Some(lithe_value::cast::to_real(ValueRef::Text(number)) as f32)
    }

    fn is_digit(&self, at: usize) -> bool {
        self.byte(at).is_some_and(|byte| byte.is_ascii_digit())
    }
}
