//! The modules, functions and collations that an extension provides to every connection.

use std::cmp::Ordering;
use std::sync::Arc;

use lithe_functions::Function;

use crate::module::Module;

/// The comparison function of a collation.
pub type Compare = fn(&[u8], &[u8]) -> Ordering;

/// The modules, functions and collations of a crate. Every connection that is opened with the extension creates its modules
/// immediately; a table of a module is connected when a statement first uses it.
/// module is connected when a statement first names it.
#[derive(Clone, Copy)]
pub struct Extension {
    /// The name.
    pub name: &'static str,
    /// The modules.
    pub modules: &'static [ExtensionModule],
    /// The functions, which the connections of a process share.
    pub functions: fn() -> &'static [Arc<Function>],
    /// The collations, by name.
    pub collations: &'static [(&'static str, Compare)],
}

/// A module of an extension.
#[derive(Clone, Copy)]
pub struct ExtensionModule {
    /// The name.
    pub name: &'static str,
    /// Creates the module for one connection. [`Module::kind`] determines which tables the module can create.
    pub make: fn() -> Box<dyn Module>,
}

impl Extension {
    /// An extension that has only modules.
    pub const fn of_modules(name: &'static str, modules: &'static [ExtensionModule]) -> Extension {
        Extension { name, modules, functions: || &[], collations: &[] }
    }
}
