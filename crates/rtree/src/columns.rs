//! The decoded coordinates of a node's cells, side by side: what the choice of a child reads of all its cells.
//!
//! ```text
//!   sides    min0 max0 min1 max1 …      of cells 0 to 3, then of cells 4 to 7, …      each 4 numbers
//!   areas    area                       the same
//! ```

use lithe_vtab::{Grow, OutOfMemory, copied};

use crate::bounds::{Bounds, CoordinateType};

/// How many cells' coordinates lie side by side.
pub const BLOCK: usize = 8;

/// One coordinate of the cells of a block.
pub type Column = [f64; BLOCK];

/// The coordinates and the areas of all cells.
#[derive(Debug, PartialEq)]
pub struct Columns {
    /// The type of the coordinates.
    pub coordinates: CoordinateType,
    dimensions: usize,
    count: usize,
    sides: Vec<Column>,
    areas: Vec<Column>,
}

/// Some cells of a tree with `D` dimensions.
pub struct Block<'c, const D: usize> {
    /// The minima and maxima of each dimension.
    pub sides: &'c [[Column; 2]; D],
    /// The areas.
    pub areas: &'c Column,
    /// How many cells there are.
    pub count: usize,
}

impl Columns {
    /// Those of a node with that many cells.
    pub fn of(
        coordinates: CoordinateType,
        dimensions: usize,
        count: usize,
        cells: impl Iterator<Item = Bounds>,
    ) -> Result<Columns, OutOfMemory> {
        let blocks = count.div_ceil(BLOCK);
        let mut all = Columns { coordinates, dimensions, count: 0, sides: Vec::new(), areas: Vec::new() };
        all.sides.try_grow(blocks * 2 * dimensions)?;
        all.areas.try_grow(blocks)?;
        for bounds in cells {
            all.push(&bounds)?;
        }
        Ok(all)
    }

    /// A copy.
    pub fn try_clone(&self) -> Result<Columns, OutOfMemory> {
        Ok(Columns { sides: copied(&self.sides)?, areas: copied(&self.areas)?, ..*self })
    }

    /// Adds those of a new cell.
    pub fn push(&mut self, bounds: &Bounds) -> Result<(), OutOfMemory> {
        if self.count.is_multiple_of(BLOCK) {
            self.sides.try_resize(self.sides.len() + 2 * self.dimensions, [0.0; BLOCK])?;
            self.areas.try_push([0.0; BLOCK])?;
        }
        self.count += 1;
        self.set(self.count - 1, bounds);
        Ok(())
    }

    /// Replaces those of a cell.
    pub fn set(&mut self, index: usize, bounds: &Bounds) {
        let block = index / BLOCK;
        let sides = self.sides.get_mut(block * 2 * self.dimensions..).unwrap_or_default();
        for (column, coordinate) in sides.iter_mut().zip(bounds.coordinates()) {
            if let Some(slot) = column.get_mut(index % BLOCK) {
                *slot = *coordinate;
            }
        }
        if let Some(slot) = self.areas.get_mut(block).and_then(|column| column.get_mut(index % BLOCK)) {
            *slot = bounds.area(self.coordinates);
        }
    }

    /// The cells in blocks; `D` is the number of dimensions.
    pub fn blocks<const D: usize>(&self) -> impl Iterator<Item = Block<'_, D>> {
        let blocks = self.sides.as_chunks::<2>().0.as_chunks::<D>().0.iter().zip(&self.areas).enumerate();
        blocks.map(|(at, (sides, areas))| Block {
            sides,
            areas,
            count: self.count.saturating_sub(at * BLOCK).min(BLOCK),
        })
    }
}
