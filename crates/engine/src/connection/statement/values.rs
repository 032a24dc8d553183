//! What only functions of SQL see of a value: its subtype, and a pointer in its place.

use std::rc::Rc;

use lithe_functions::Pointer;

use super::{Runner, Statement};

impl Statement {
    /// The subtype of column `index` of the current row.
    pub fn value_subtype(&self, index: usize) -> u8 {
        match &self.runner {
            Runner::Program(vm) if self.is_on_row => vm.column_subtype(index),
            _ => 0,
        }
    }

    /// The pointer in column `index` of the current row.
    pub fn value_pointer(&self, index: usize) -> Option<&Rc<Pointer>> {
        match &self.runner {
            Runner::Program(vm) if self.is_on_row => vm.column_pointer(index),
            _ => None,
        }
    }
}
