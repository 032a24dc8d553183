//! Bounding boxes: the coordinates of a cell, around a row's object or around all boxes of a subtree.

/// The most dimensions that a tree has.
pub const MAX_DIMENSIONS: usize = 5;

/// How the coordinates of a table are stored, four bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateType {
    /// IEEE single precision: module `rtree`.
    Float,
    /// Signed 32-bit integers: module `rtree_i32`.
    Integer,
}

impl CoordinateType {
    /// The coordinate that four bytes of a node encode. Each is exact as a double.
    pub fn decode(self, bytes: [u8; 4]) -> f64 {
        match self {
            CoordinateType::Float => f64::from(f32::from_be_bytes(bytes)),
            CoordinateType::Integer => f64::from(i32::from_be_bytes(bytes)),
        }
    }

    /// The length of a side. That of single-precision coordinates is rounded to single precision, as in SQLite, where it decides which child
    /// of a node a box goes to. (A double has enough digits for rounding twice to be the same as rounding once.)
    #[inline(always)]
    pub fn length(self, min: f64, max: f64) -> f64 {
        match self {
            CoordinateType::Float => f64::from((max - min) as f32),
            CoordinateType::Integer => max - min,
        }
    }

    /// The four bytes of a coordinate that [`CoordinateType::decode`] or a rounding function of this module has answered.
    pub fn encode(self, coordinate: f64) -> [u8; 4] {
        match self {
            CoordinateType::Float => (coordinate as f32).to_be_bytes(),
            CoordinateType::Integer => (coordinate as i32).to_be_bytes(),
        }
    }
}

/// The greatest single-precision number that is not above `value`. NaN, which SQL cannot make, counts as 0.
pub fn round_down(value: f64) -> f64 {
    let nearest = value as f32;
    f64::from(if f64::from(nearest) > value { nearest.next_down() } else { nearest })
}

/// The least single-precision number that is not below `value`.
pub fn round_up(value: f64) -> f64 {
    let nearest = value as f32;
    f64::from(if f64::from(nearest) < value { nearest.next_up() } else { nearest })
}

/// The sides of a box, minimum and maximum, where the number of dimensions is a constant.
pub type Sides<const D: usize> = [[f64; 2]; D];

/// A box: the least and the greatest coordinate of each dimension, in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    at: [f64; 2 * MAX_DIMENSIONS],
    dimensions: usize,
}

impl Bounds {
    /// The box of these coordinates: minimum and maximum in turn. More than [`MAX_DIMENSIONS`] pairs are left out.
    pub fn new(coordinates: impl IntoIterator<Item = f64>) -> Bounds {
        let mut bounds = Bounds { at: [0.0; 2 * MAX_DIMENSIONS], dimensions: 0 };
        let mut count = 0;
        for (slot, coordinate) in bounds.at.iter_mut().zip(coordinates) {
            *slot = coordinate;
            count += 1;
        }
        bounds.dimensions = count / 2;
        bounds
    }

    /// The box of these coordinates, four bytes each.
    pub fn decode(kind: CoordinateType, coordinates: &[u8]) -> Bounds {
        let mut bounds = Bounds { at: [0.0; 2 * MAX_DIMENSIONS], dimensions: 0 };
        let (coordinates, _) = coordinates.as_chunks();
        for (slot, coordinate) in bounds.at.iter_mut().zip(coordinates) {
            *slot = kind.decode(*coordinate);
        }
        bounds.dimensions = coordinates.len().min(bounds.at.len()) / 2;
        bounds
    }

    /// Minimum and maximum of each dimension in turn.
    pub fn coordinates(&self) -> &[f64] {
        self.at.get(..2 * self.dimensions).unwrap_or(&self.at)
    }

    /// The sides: (minimum, maximum) of each dimension.
    pub fn sides(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.coordinates().chunks_exact(2).map(|side| match side {
            [min, max] => (*min, *max),
            _ => (0.0, 0.0),
        })
    }

    /// The side of one dimension.
    pub fn side(&self, dimension: usize) -> (f64, f64) {
        self.sides().nth(dimension).unwrap_or((0.0, 0.0))
    }

    /// The sides: minimum and maximum of each dimension.
    pub fn pairs(&self) -> &[[f64; 2]] {
        self.at.as_chunks().0.get(..self.dimensions).unwrap_or_default()
    }

    /// The product of the lengths of all sides, the last dimension first, as in SQLite: the order decides its rounding.
    pub fn area(&self, kind: CoordinateType) -> f64 {
        self.pairs().iter().rev().fold(1.0, |area, [min, max]| area * kind.length(*min, *max))
    }

    /// Whether `other` lies within this box.
    pub fn contains(&self, other: &Bounds) -> bool {
        self.pairs().iter().zip(other.pairs()).all(|(mine, its)| mine[0] <= its[0] && mine[1] >= its[1])
    }

    /// Whether both have a point in common.
    pub fn overlaps(&self, other: &Bounds) -> bool {
        self.sides().zip(other.sides()).all(|(mine, its)| mine.0 <= its.1 && mine.1 >= its.0)
    }

    /// Makes this box the least one that contains `other` as well.
    pub fn include(&mut self, other: &Bounds) {
        for (mine, its) in self.at.as_chunks_mut::<2>().0.iter_mut().zip(other.pairs()) {
            *mine = [lesser(mine[0], its[0]), greater(mine[1], its[1])];
        }
    }

    /// The least box that contains both.
    pub fn union(mut self, other: &Bounds) -> Bounds {
        self.include(other);
        self
    }
}

/// The lesser coordinate. (`f64::min` takes three more instructions, for a NaN, which only a damaged node has.)
#[inline(always)]
pub fn lesser(one: f64, other: f64) -> f64 {
    if other < one { other } else { one }
}

/// The greater coordinate.
#[inline(always)]
pub fn greater(one: f64, other: f64) -> f64 {
    if other > one { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_rounded_outwards_to_the_next_float() {
        let bytes = |value: f64| CoordinateType::Float.encode(value);
        assert_eq!(bytes(round_down(0.1)), [0x3d, 0xcc, 0xcc, 0xcc]);
        assert_eq!(bytes(round_up(0.1)), [0x3d, 0xcc, 0xcc, 0xcd]);
        assert_eq!((round_down(16_777_217.0), round_up(16_777_217.0)), (16_777_216.0, 16_777_218.0));
        assert_eq!(bytes(round_up(-1e-46)), [0x80, 0, 0, 0]);
        assert_eq!((round_down(1e39), round_up(1e39)), (f64::from(f32::MAX), f64::INFINITY));
        assert_eq!((round_down(2.5), round_up(2.5)), (2.5, 2.5));
    }

    #[test]
    fn boxes() {
        let a = Bounds::new([0.0, 4.0, 0.0, 2.0]);
        let b = Bounds::new([1.0, 5.0, 1.0, 2.0]);
        assert_eq!(a.union(&b), Bounds::new([0.0, 5.0, 0.0, 2.0]));
        assert!(a.overlaps(&b) && !a.contains(&b) && a.union(&b).contains(&a));
        let far = Bounds::new([9.0, 9.5, 0.0, 1.0]);
        assert!(!a.overlaps(&far));
    }
}
