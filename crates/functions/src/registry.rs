//! Finding a function by its name and number of arguments.
//!
//! The application's functions come first, and hide built-in ones of the same name that would fit as well. Among
//! several that fit, the one with exactly that number of arguments wins over one that takes any.

use std::sync::{Arc, OnceLock};

use hashbrown::HashMap;

use crate::function::{Arity, Function};
use crate::table;

/// All functions of one name.
type Overloads = Vec<Arc<Function>>;

/// The functions of a connection.
#[derive(Clone, Debug)]
pub struct Registry {
    /// By name in small letters.
    custom: HashMap<Box<[u8]>, Overloads>,
    builtin: &'static HashMap<Box<[u8]>, Overloads>,
}

/// What looking for a function found.
#[derive(Clone, Copy, Debug)]
pub enum Lookup<'a> {
    /// This one.
    Found(&'a Arc<Function>),
    /// Functions of that name, none of which takes so many arguments: "wrong number of arguments to function X()".
    WrongArguments,
    /// Nothing of that name: "no such function: X".
    Unknown,
}

impl Registry {
    /// The functions that every connection has.
    pub fn builtin() -> Registry {
        Registry { custom: HashMap::new(), builtin: builtins() }
    }

    /// The function that a call with that many arguments means. The case of ASCII letters in the name does not matter.
    pub fn find(&self, name: &[u8], args: usize) -> Lookup<'_> {
        let key = name.to_ascii_lowercase();
        let (custom, builtin) = (self.custom.get(key.as_slice()), self.builtin.get(key.as_slice()));
        let found = custom.and_then(|functions| best(functions, args));
        match found.or_else(|| builtin.and_then(|functions| best(functions, args))) {
            Some(function) => Lookup::Found(function),
            None if custom.is_some() || builtin.is_some() => Lookup::WrongArguments,
            None => Lookup::Unknown,
        }
    }

    /// Whether there is a function of that name, whatever its arguments.
    pub fn has(&self, name: &[u8]) -> bool {
        !matches!(self.find(name, usize::MAX), Lookup::Unknown)
    }

    /// Adds a function of the application, in place of its own earlier one of the same name and arguments.
    pub fn define(&mut self, function: Arc<Function>) {
        self.remove(function.name().as_bytes(), function.args());
        let key = function.name().as_bytes().to_ascii_lowercase().into_boxed_slice();
        self.custom.entry(key).or_default().push(function);
    }

    /// Removes a function of the application. Built-in ones stay.
    pub fn remove(&mut self, name: &[u8], args: Arity) {
        let key = name.to_ascii_lowercase();
        let Some(functions) = self.custom.get_mut(key.as_slice()) else { return };
        functions.retain(|function| function.args() != args);
        if functions.is_empty() {
            self.custom.remove(key.as_slice());
        }
    }

    /// All functions, the built-in ones in the order of their names and then the application's.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Function>> {
        sorted(self.builtin).into_iter().chain(sorted(&self.custom))
    }
}

impl Default for Registry {
    fn default() -> Self {
        Registry::builtin()
    }
}

fn sorted(functions: &HashMap<Box<[u8]>, Overloads>) -> Vec<&Arc<Function>> {
    let mut all: Vec<_> = functions.values().flatten().collect();
    all.sort_by_key(|function| (function.name().to_ascii_lowercase(), function.argument_count()));
    all
}

/// Exactly so many arguments before any number of them; of equals, the one defined last.
fn best(functions: &[Arc<Function>], args: usize) -> Option<&Arc<Function>> {
    let fitting = functions.iter().filter(|function| function.args().accepts(args));
    fitting.max_by_key(|function| matches!(function.args(), Arity::Exactly(_)))
}

fn builtins() -> &'static HashMap<Box<[u8]>, Overloads> {
    static BUILTINS: OnceLock<HashMap<Box<[u8]>, Overloads>> = OnceLock::new();
    BUILTINS.get_or_init(|| {
        let mut functions: HashMap<Box<[u8]>, Overloads> = HashMap::new();
        for function in table::all() {
            functions.entry(function.name().as_bytes().into()).or_default().push(Arc::new(function));
        }
        functions
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{Flags, Kind};

    fn custom(name: &str, args: Arity) -> Arc<Function> {
        let eval = |context: &mut crate::Context<'_>, _: &[lithe_value::ValueRef<'_>]| {
            context.out.set_null();
            Ok(())
        };
        Arc::new(Function::custom(name, args, Flags::default(), Kind::Scalar(eval)))
    }

    #[track_caller]
    fn check(registry: &Registry, name: &str, args: usize, expected: Option<Arity>) {
        match (registry.find(name.as_bytes(), args), expected) {
            (Lookup::Found(function), Some(arity)) => assert_eq!(function.args(), arity),
            (Lookup::Found(function), None) => panic!("found {function:?}"),
            (_, expected) => assert_eq!(expected, None),
        }
    }

    #[test]
    fn the_best_match() {
        let registry = Registry::builtin();
        check(&registry, "ABS", 1, Some(Arity::Exactly(1)));
        check(&registry, "max", 1, Some(Arity::Exactly(1)));
        check(&registry, "max", 2, Some(Arity::AtLeast(1)));
        check(&registry, "substr", 3, Some(Arity::Exactly(3)));
        check(&registry, "coalesce", 1, None);
        assert!(matches!(registry.find(b"abs", 2), Lookup::WrongArguments));
        assert!(matches!(registry.find(b"nothing", 2), Lookup::Unknown));
    }

    #[test]
    fn functions_of_the_application_hide_built_in_ones() {
        let mut registry = Registry::builtin();
        registry.define(custom("Abs", Arity::AtLeast(0)));
        check(&registry, "abs", 1, Some(Arity::AtLeast(0)));
        registry.define(custom("abs", Arity::Exactly(3)));
        check(&registry, "abs", 3, Some(Arity::Exactly(3)));
        registry.remove(b"ABS", Arity::AtLeast(0));
        check(&registry, "abs", 1, Some(Arity::Exactly(1)));
        assert!(registry.has(b"abs") && !registry.has(b"nothing"));
    }
}
