//! What an extension offers to every connection.

use std::cmp::Ordering;
use std::sync::Arc;

use lithe_functions::Function;

use crate::module::Module;

/// How a collation compares two texts.
pub type Compare = fn(&[u8], &[u8]) -> Ordering;

/// A crate's modules, functions and collations. Each connection that is opened with the extension makes its modules at once; a table of a
/// module is connected when a statement first names it.
#[derive(Clone, Copy)]
pub struct Extension {
    /// Its name.
    pub name: &'static str,
    /// Its modules.
    pub modules: &'static [ExtensionModule],
    /// Its functions, which the connections of a process share.
    pub functions: fn() -> &'static [Arc<Function>],
    /// Its collations, by name.
    pub collations: &'static [(&'static str, Compare)],
}

/// A module of an extension.
#[derive(Clone, Copy)]
pub struct ExtensionModule {
    /// Its name.
    pub name: &'static str,
    /// Makes the module, for one connection. [`Module::kind`] says which tables it makes.
    pub make: fn() -> Box<dyn Module>,
}

impl Extension {
    /// An extension that has nothing but modules.
    pub const fn of_modules(name: &'static str, modules: &'static [ExtensionModule]) -> Extension {
        Extension { name, modules, functions: || &[], collations: &[] }
    }
}
