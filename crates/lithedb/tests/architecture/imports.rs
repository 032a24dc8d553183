//! The imports between the modules of a crate.
//!
//! A module and its parts form a unit: a part may use names of its parents. Between siblings, all imports by one and its parts from another
//! and its parts are one edge, and these edges have no cycle. `IMPORTS=btree` prints the edges of a crate as a graph for Graphviz.
//!
//! A re-exported name counts as imported from the module that defines it. Calls of methods are not seen: `a` may call a method on a value
//! of a type from `b` without an import.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use syn::visit::{self, Visit};

use crate::crates::ARROWS;
use crate::graph::{Graph, cycles};
use crate::{is_of_tests, root, sources};

/// The path of a module within its crate: empty for the crate itself.
type Module = Vec<String>;

/// Remaining cycles: crate, parent and modules. The list must not grow, and a change that removes a cycle removes it here.
const KNOWN: &[(&str, &str, &str)] = &[];

#[test]
fn modules_import_only_downwards() {
    let mut found = BTreeSet::new();
    for (krate, _) in ARROWS {
        let imports = Imports::of(krate);
        for (parent, graph) in imports.arrows() {
            if std::env::var("IMPORTS").is_ok_and(|asked| asked == *krate) {
                print_graph(&parent, &graph);
            }
            for cycle in cycles(&graph) {
                let cycle: Vec<String> = cycle.into_iter().collect();
                found.insert(((*krate).to_owned(), parent.join("::"), cycle.join(" ")));
            }
        }
    }
    let known =
        KNOWN.iter().map(|(krate, parent, cycle)| ((*krate).to_owned(), (*parent).to_owned(), (*cycle).to_owned()));
    let known: BTreeSet<_> = known.collect();
    let new: Vec<_> = found.difference(&known).collect();
    let gone: Vec<_> = known.difference(&found).collect();
    assert!(new.is_empty(), "modules that import each other: {new:#?}");
    assert!(gone.is_empty(), "KNOWN names what is no cycle any more: {gone:#?}");
}

fn print_graph(parent: &Module, graph: &Graph) {
    println!("digraph \"{}\" {{", parent.join("::"));
    for (from, to) in graph.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to))) {
        println!("    \"{from}\" -> \"{to}\"");
    }
    println!("}}");
}

/// The modules of a crate, with their imports.
#[derive(Default)]
struct Imports {
    paths: BTreeMap<Module, Paths>,
}

/// The paths that a module names, from the crate's root.
#[derive(Default)]
struct Paths {
    all: BTreeSet<Vec<String>>,
    /// The re-exported paths, by their names in the module.
    exported: BTreeMap<String, Vec<String>>,
}

impl Imports {
    fn of(krate: &str) -> Imports {
        let src = root().join("crates").join(krate).join("src");
        let mut imports = Imports::default();
        let mut files = Vec::new();
        for file in sources(krate).into_iter().filter(|file| !is_of_tests(file)) {
            let relative = file.strip_prefix(&src).unwrap().with_extension("");
            let mut module: Module = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let is_root = module.len() == 1 && (module[0] == "lib" || module[0] == "main");
            if is_root || module.last().is_some_and(|last| last == "mod") {
                module.pop();
            }
            imports.paths.insert(module.clone(), Paths::default());
            files.push((module, file));
        }
        for (module, file) in files {
            let text = fs::read_to_string(&file).unwrap();
            let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let mut reader = Reader { imports: &imports, module: &module, paths: Paths::default() };
            reader.visit_file(&file);
            let paths = reader.paths;
            imports.paths.insert(module, paths);
        }
        imports
    }

    /// For each module with parts, the edges between its parts.
    fn arrows(&self) -> BTreeMap<Module, Graph> {
        let mut arrows: BTreeMap<Module, Graph> = BTreeMap::new();
        for (module, paths) in &self.paths {
            for target in paths.all.iter().map(|path| self.module_of(path)) {
                let shared = module.iter().zip(&target).take_while(|(one, other)| one == other).count();
                if let (Some(from), Some(to)) = (module.get(shared), target.get(shared)) {
                    let graph = arrows.entry(module[..shared].to_vec()).or_default();
                    graph.entry(from.clone()).or_default().insert(to.clone());
                }
            }
        }
        arrows
    }

    /// The module that defines a path's name, after re-exports.
    fn module_of(&self, path: &[String]) -> Module {
        let mut path = path.to_vec();
        // Only code that does not compile has an endless chain of re-exports.
        for _ in 0..8 {
            let module = self.longest_module(&path);
            let rest = &path[module.len()..];
            let exported = rest.first().and_then(|name| self.paths[&module].exported.get(name));
            match exported {
                Some(origin) => path = [origin, &rest[1..]].concat(),
                None => return module,
            }
        }
        self.longest_module(&path)
    }

    fn longest_module(&self, path: &[String]) -> Module {
        let prefixes = (0..=path.len()).rev().map(|len| &path[..len]);
        prefixes.into_iter().find(|prefix| self.paths.contains_key(*prefix)).unwrap_or_default().to_vec()
    }
}

/// Reads the paths of one file.
struct Reader<'i> {
    imports: &'i Imports,
    module: &'i Module,
    paths: Paths,
}

impl Reader<'_> {
    /// The path from the crate's root, if it is within the crate.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let first = path.first()?;
        let supers = path.iter().take_while(|part| *part == "super").count();
        let inside = |module: &[String], rest: &[String]| Some([module, rest].concat());
        match first.as_str() {
            "crate" => inside(&[], &path[1..]),
            "self" => inside(self.module, &path[1..]),
            "super" => inside(self.module.get(..self.module.len().checked_sub(supers)?)?, &path[supers..]),
            _ => {
                let part = [self.module.as_slice(), &path[..1]].concat();
                self.imports.paths.contains_key(&part).then(|| [self.module.as_slice(), path].concat())
            }
        }
    }

    fn read_use(&mut self, tree: &syn::UseTree, prefix: &mut Vec<String>, is_exported: bool) {
        match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.read_use(&path.tree, prefix, is_exported);
                prefix.pop();
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.read_use(item, prefix, is_exported));
            }
            syn::UseTree::Name(name) => self.add(prefix, &name.ident, &name.ident, is_exported),
            syn::UseTree::Rename(name) => self.add(prefix, &name.ident, &name.rename, is_exported),
            syn::UseTree::Glob(_) => {
                if let Some(path) = self.absolute(prefix) {
                    self.paths.all.insert(path);
                }
            }
        }
    }

    fn add(&mut self, prefix: &[String], name: &syn::Ident, known_as: &syn::Ident, is_exported: bool) {
        let own = (name != "self").then(|| name.to_string());
        let path: Vec<String> = prefix.iter().cloned().chain(own).collect();
        let Some(path) = self.absolute(&path) else { return };
        if is_exported {
            self.paths.exported.insert(known_as.to_string(), path.clone());
        }
        self.paths.all.insert(path);
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    let is_for_tests = |attribute: &syn::Attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|name| name == "test")
    };
    attributes.iter().any(is_for_tests)
}

impl<'a> Visit<'a> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        if !is_test(&item.attrs) {
            let is_exported = !matches!(item.vis, syn::Visibility::Inherited);
            self.read_use(&item.tree, &mut Vec::new(), is_exported);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if parts.len() > 1
            && let Some(path) = self.absolute(&parts)
        {
            self.paths.all.insert(path);
        }
        visit::visit_path(self, path);
    }
}
