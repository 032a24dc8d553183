//! Extensions: crates of modules, functions and collations that a connection is opened with.

use std::cmp::Ordering;
use std::sync::Arc;

use lithe_value::{Collation, CustomCollation};
use lithe_vm::virtual_table::{Compare, Extension};

use crate::connection::Connection;

struct ExtensionCollation {
    name: &'static str,
    compare: Compare,
}

impl CustomCollation for ExtensionCollation {
    fn name(&self) -> &str {
        self.name
    }

    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        (self.compare)(left, right)
    }
}

/// Adds the modules, functions and collations of these extensions. Meant for a connection that was just opened.
pub(crate) fn add(connection: &Connection, extensions: &[&Extension]) {
    let lists = extensions.iter().map(|extension| (extension.functions)());
    let functions: Vec<&'static [_]> = lists.filter(|list| !list.is_empty()).collect();
    if !functions.is_empty() {
        connection.definitions.change_functions(|registry| registry.extend(&functions));
        connection.programs.clear();
    }
    for extension in extensions {
        for module in extension.modules {
            connection.create_module(module.name, Some((module.make)()));
        }
        for (name, compare) in extension.collations {
            let collation = ExtensionCollation { name, compare: *compare };
            // This cannot fail, because no statement that could use a collation of this name runs yet.
            let _ = connection.set_collation(name, Some(Collation::Custom(Arc::new(collation))));
        }
    }
}
