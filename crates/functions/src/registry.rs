//! Finding a function by its name and number of arguments.
//!
//! The application's functions are searched first; a match hides built-in functions of the same name. Among several matching
//! functions, one with exactly that number of arguments is preferred to one that takes any number.

use std::sync::{Arc, OnceLock};

use hashbrown::HashMap;
use lithe_value::Encoding;

use crate::function::Function;
use crate::signature::Arity;
use crate::table;

/// The functions of a connection.
#[derive(Clone, Debug)]
pub struct Registry {
    /// Those of the application and of extensions by name, in lower case.
    custom: HashMap<Box<[u8]>, Vec<Custom>>,
    builtin: &'static Builtins,
    /// The encoding of the databases.
    encoding: Encoding,
}

/// The built-in functions by name.
type Builtins = HashMap<Box<[u8]>, Vec<Arc<Function>>>;

/// A function of the application or of an extension, or a placeholder for a removed one: the placeholder still hides other functions.
#[derive(Clone, Debug)]
struct Custom {
    args: Arity,
    encoding: Encoding,
    function: Option<Arc<Function>>,
}

/// The result of [`Registry::find`].
#[derive(Clone, Copy, Debug)]
pub enum Lookup<'a> {
    /// The function that matches.
    Found(&'a Arc<Function>),
    /// There are functions of that name, but none takes that many arguments: "wrong number of arguments to function X()".
    WrongArguments,
    /// There is no function of that name: "no such function: X".
    Unknown,
}

impl Registry {
    /// The functions that every connection has.
    pub fn builtin() -> Registry {
        Registry { custom: HashMap::new(), builtin: builtins(), encoding: Encoding::Utf8 }
    }

    /// The function for a call with `args` arguments. The case of ASCII letters in the name does not matter.
    pub fn find(&self, name: &[u8], args: usize) -> Lookup<'_> {
        let key = name.to_ascii_lowercase();
        let (custom, builtin) = (self.custom.get(key.as_slice()), self.builtin.get(key.as_slice()));
        let found = match custom.and_then(|functions| self.best_custom(functions, args)) {
            Some(custom) => custom.function.as_ref(),
            None => builtin.and_then(|functions| best(functions, args)),
        };
        let is_known = || builtin.is_some() || custom.is_some_and(|all| all.iter().any(|one| one.function.is_some()));
        match found {
            Some(function) => Lookup::Found(function),
            None if is_known() => Lookup::WrongArguments,
            None => Lookup::Unknown,
        }
    }

    /// The matching function that is preferred. One of the application hides the built-in ones that an extension brings; then the number
    /// of arguments decides before the encoding; among equal ones, the last defined one is taken.
    fn best_custom<'f>(&self, functions: &'f [Custom], args: usize) -> Option<&'f Custom> {
        let fitting = functions.iter().filter(|custom| custom.args.accepts(args));
        fitting.max_by_key(|custom| {
            let is_wide = |encoding: Encoding| encoding != Encoding::Utf8;
            let encoding = match custom.encoding {
                same if same == self.encoding => 2,
                other => i32::from(is_wide(other) && is_wide(self.encoding)),
            };
            let hides_builtin = custom.function.as_ref().is_none_or(|function| function.hides_builtin());
            (hides_builtin, matches!(custom.args, Arity::Exactly(_)), encoding)
        })
    }

    /// A function of that name, whatever its number of arguments.
    pub fn any(&self, name: &[u8]) -> Option<&Arc<Function>> {
        let key = name.to_ascii_lowercase();
        let custom = self.custom.get(key.as_slice()).and_then(|all| all.iter().find_map(|one| one.function.as_ref()));
        custom.or_else(|| self.builtin.get(key.as_slice())?.first())
    }

    /// Whether there is a function of that name, for any number of arguments.
    pub fn has(&self, name: &[u8]) -> bool {
        !matches!(self.find(name, usize::MAX), Lookup::Unknown)
    }

    /// Whether there is a function with exactly this name, arity and encoding, which defining such a function would replace.
    pub fn has_exactly(&self, name: &[u8], args: Arity, encoding: Encoding) -> bool {
        let is_it = |function: &Arc<Function>| function.args() == args && function.encoding() == encoding;
        let key = name.to_ascii_lowercase();
        match self.custom.get(key.as_slice()).and_then(|all| all.iter().find(|one| one.is(args, encoding))) {
            Some(custom) => custom.function.is_some(),
            None => self.builtin.get(key.as_slice()).is_some_and(|all| all.iter().any(is_it)),
        }
    }

    /// Adds a function of the application. Returns an earlier one of the application with the same name, arity and encoding, which it replaces.
    pub fn define(&mut self, function: Arc<Function>) -> Option<Arc<Function>> {
        let (args, encoding) = (function.args(), function.encoding());
        let key = function.name().as_bytes().to_ascii_lowercase().into_boxed_slice();
        self.set(key, Custom { args, encoding, function: Some(function) })
    }

    /// Removes a function, which may be a built-in one; returns it if it is one of the application. Does nothing if there is no such function.
    pub fn remove(&mut self, name: &[u8], args: Arity, encoding: Encoding) -> Option<Arc<Function>> {
        if !self.has_exactly(name, args, encoding) {
            return None;
        }
        self.set(name.to_ascii_lowercase().into_boxed_slice(), Custom { args, encoding, function: None })
    }

    /// Puts what stands for a name, arity and encoding in the place of what stood for them.
    fn set(&mut self, key: Box<[u8]>, new: Custom) -> Option<Arc<Function>> {
        let functions = self.custom.entry(key).or_default();
        let old = functions.iter().position(|custom| custom.is(new.args, new.encoding)).map(|at| functions.remove(at));
        functions.push(new);
        old.and_then(|old| old.function)
    }

    /// Sets the encoding of the databases, by which functions are preferred.
    pub fn set_encoding(&mut self, encoding: Encoding) {
        self.encoding = encoding;
    }

    /// All functions: the built-in ones ordered by name, then the application's.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Function>> {
        let added = self.custom.values().flatten().filter_map(|one| one.function.as_ref());
        let (built_in, others): (Vec<_>, Vec<_>) = added.partition(|function| !function.hides_builtin());
        sorted(self.builtin.values().flatten().chain(built_in)).into_iter().chain(sorted(others.into_iter()))
    }
}

impl Custom {
    fn is(&self, args: Arity, encoding: Encoding) -> bool {
        self.args == args && self.encoding == encoding
    }
}

impl Default for Registry {
    fn default() -> Self {
        Registry::builtin()
    }
}

fn sorted<'f>(functions: impl Iterator<Item = &'f Arc<Function>>) -> Vec<&'f Arc<Function>> {
    let mut all: Vec<_> = functions.collect();
    all.sort_by_key(|function| (function.name().to_ascii_lowercase(), function.argument_count()));
    all
}

/// A function with an exact number of arguments is preferred to a variadic one; among equal ones, the last defined one is taken.
fn best(functions: &[Arc<Function>], args: usize) -> Option<&Arc<Function>> {
    let fitting = functions.iter().filter(|function| function.args().accepts(args));
    fitting.max_by_key(|function| matches!(function.args(), Arity::Exactly(_)))
}

fn builtins() -> &'static Builtins {
    static BUILTINS: OnceLock<Builtins> = OnceLock::new();
    BUILTINS.get_or_init(|| {
        let mut functions: Builtins = HashMap::new();
        for function in table::all() {
            functions.entry(function.name().as_bytes().into()).or_default().push(Arc::new(function));
        }
        functions
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::Kind;
    use crate::signature::Flags;

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
    fn functions_of_the_application_hide_built_in_ones_of_extensions() {
        let mut registry = Registry::builtin();
        registry.define(Arc::new(Function::clone(&custom("median", Arity::Exactly(1))).built_in()));
        check(&registry, "median", 1, Some(Arity::Exactly(1)));
        registry.define(custom("median", Arity::AtLeast(0)));
        check(&registry, "median", 1, Some(Arity::AtLeast(0)));
    }

    #[test]
    fn functions_of_the_application_hide_built_in_ones() {
        let mut registry = Registry::builtin();
        registry.define(custom("Abs", Arity::AtLeast(0)));
        check(&registry, "abs", 1, Some(Arity::AtLeast(0)));
        registry.define(custom("abs", Arity::Exactly(3)));
        check(&registry, "abs", 3, Some(Arity::Exactly(3)));
        assert!(registry.has(b"abs") && !registry.has(b"nothing"));
    }

    #[test]
    fn removed_functions_still_hide_others() {
        let mut registry = Registry::builtin();
        registry.define(custom("f", Arity::Exactly(1)));
        registry.define(custom("f", Arity::AtLeast(0)));
        registry.remove(b"F", Arity::Exactly(1), Encoding::Utf8);
        assert!(matches!(registry.find(b"f", 1), Lookup::WrongArguments));
        check(&registry, "f", 2, Some(Arity::AtLeast(0)));
        registry.remove(b"f", Arity::AtLeast(0), Encoding::Utf8);
        assert!(matches!(registry.find(b"f", 1), Lookup::Unknown));
        assert!(registry.has_exactly(b"abs", Arity::Exactly(1), Encoding::Utf8));
        registry.remove(b"abs", Arity::Exactly(1), Encoding::Utf8);
        assert!(!registry.has_exactly(b"abs", Arity::Exactly(1), Encoding::Utf8));
        assert!(matches!(registry.find(b"abs", 1), Lookup::WrongArguments));
    }

    #[test]
    fn the_encoding_decides_between_equals() {
        let mut registry = Registry::builtin();
        for encoding in [Encoding::Utf16le, Encoding::Utf8] {
            let function = custom("f", Arity::Exactly(1));
            registry.define(Arc::new(Function::clone(&function).with_encoding(encoding)));
        }
        let encoding_for = |registry: &mut Registry, encoding| {
            registry.set_encoding(encoding);
            let Lookup::Found(function) = registry.find(b"f", 1) else { panic!("f is there") };
            function.encoding()
        };
        assert_eq!(encoding_for(&mut registry, Encoding::Utf8), Encoding::Utf8);
        assert_eq!(encoding_for(&mut registry, Encoding::Utf16le), Encoding::Utf16le);
        assert_eq!(encoding_for(&mut registry, Encoding::Utf16be), Encoding::Utf16le);
    }
}
