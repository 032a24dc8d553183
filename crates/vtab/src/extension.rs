//! What an extension offers to every connection.

use std::cmp::Ordering;
use std::sync::Arc;

use lithe_functions::Function;

use crate::module::{Module, ModuleKind};

/// How a collation compares two texts.
pub type Compare = fn(&[u8], &[u8]) -> Ordering;

/// A crate's modules, functions and collations. The lists are asked for once in a process, and modules are made when a
/// connection first uses one of their tables, so that opening a connection costs nothing for extensions that it does not use.
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
    /// Which tables it makes: as [`Module::kind`].
    pub kind: ModuleKind,
    /// Makes it, for one connection.
    pub make: fn() -> Box<dyn Module>,
}

impl Extension {
    /// An extension that has nothing but modules.
    pub const fn of_modules(name: &'static str, modules: &'static [ExtensionModule]) -> Extension {
        Extension { name, modules, functions: || &[], collations: &[] }
    }
}
