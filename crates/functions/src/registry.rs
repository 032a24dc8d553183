//! Finding a function by its name and number of arguments.
//!
//! The application's functions are searched first; a match hides built-in functions of the same name. Among several matching
//! functions, one with exactly that number of arguments is preferred to one that takes any number.
//!
//! Connections that are opened with the same extensions share one map of the extensions' functions. A connection that defines a function of
//! the name of one of them copies the functions of this name.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hashbrown::HashMap;
use lithe_value::Encoding;

use crate::function::Function;
use crate::signature::Arity;
use crate::table;

/// The functions of a connection.
#[derive(Clone, Debug)]
pub struct Registry {
    /// Those of the application by name, in lower case, and with them those of extensions that have this name.
    custom: Customs,
    /// Those of extensions, in which names of `custom` do not count.
    extended: Arc<Extended>,
    builtin: &'static Builtins,
    /// The encoding of the databases.
    encoding: Encoding,
}

/// Functions of the application or of extensions by name.
type Customs = HashMap<Box<[u8]>, Vec<Custom>>;

/// The functions of extensions.
#[derive(Debug, Default)]
struct Extended {
    /// From which the map was made.
    lists: Vec<&'static [Arc<Function>]>,
    functions: Customs,
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
        Registry { custom: HashMap::new(), extended: no_extension(), builtin: builtins(), encoding: Encoding::Utf8 }
    }

    /// Adds the functions of extensions.
    pub fn extend(&mut self, lists: &[&'static [Arc<Function>]]) {
        if self.custom.is_empty() {
            self.extended = Extended::shared([self.extended.lists.as_slice(), lists].concat());
        } else {
            lists.iter().copied().flatten().for_each(|function| drop(self.define(Arc::clone(function))));
        }
    }

    /// The functions of the application and of extensions that have this name, in lower case.
    fn customs(&self, key: &[u8]) -> Option<&Vec<Custom>> {
        self.custom.get(key).or_else(|| self.extended.functions.get(key))
    }

    /// The function for a call with `args` arguments. The case of ASCII letters in the name does not matter.
    pub fn find(&self, name: &[u8], args: usize) -> Lookup<'_> {
        let key = name.to_ascii_lowercase();
        let (custom, builtin) = (self.customs(&key), self.builtin.get(key.as_slice()));
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
        let custom = self.customs(&key).and_then(|all| all.iter().find_map(|one| one.function.as_ref()));
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
        match self.customs(&key).and_then(|all| all.iter().find(|one| one.is(args, encoding))) {
            Some(custom) => custom.function.is_some(),
            None => self.builtin.get(key.as_slice()).is_some_and(|all| all.iter().any(is_it)),
        }
    }

    /// Adds a function of the application. Returns an earlier one of the application with the same name, arity and encoding, which it replaces.
    pub fn define(&mut self, function: Arc<Function>) -> Option<Arc<Function>> {
        let (key, custom) = Custom::of(function);
        self.set(key, custom)
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
        if !self.custom.contains_key(&key)
            && let Some(functions) = self.extended.functions.get(&key)
        {
            self.custom.insert(key.clone(), functions.clone());
        }
        set(&mut self.custom, key, new)
    }

    /// Sets the encoding of the databases, by which functions are preferred.
    pub fn set_encoding(&mut self, encoding: Encoding) {
        self.encoding = encoding;
    }

    /// All functions: the built-in ones ordered by name, then the application's.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Function>> {
        let extended = self.extended.functions.iter().filter(|(name, _)| !self.custom.contains_key(*name));
        let all = self.custom.iter().chain(extended);
        let added = all.flat_map(|(_, functions)| functions).filter_map(|one| one.function.as_ref());
        let (built_in, others): (Vec<_>, Vec<_>) = added.partition(|function| !function.hides_builtin());
        sorted(self.builtin.values().flatten().chain(built_in)).into_iter().chain(sorted(others.into_iter()))
    }
}

/// How many sets of extensions connections share: more than a program has.
const SHARED_MAX: usize = 16;

impl Extended {
    /// The functions of these lists, which a connection may have made before.
    fn shared(lists: Vec<&'static [Arc<Function>]>) -> Arc<Extended> {
        static SHARED: Mutex<Vec<Arc<Extended>>> = Mutex::new(Vec::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |known: &&Arc<Extended>| {
            known.lists.len() == lists.len()
                && known.lists.iter().zip(&lists).all(|(one, other)| std::ptr::eq(*one, *other))
        };
        if let Some(known) = shared.iter().find(is_same) {
            return Arc::clone(known);
        }
        let mut functions = Customs::new();
        for function in lists.iter().copied().flatten() {
            let (key, custom) = Custom::of(Arc::clone(function));
            set(&mut functions, key, custom);
        }
        let extended = Arc::new(Extended { lists, functions });
        if shared.len() < SHARED_MAX {
            shared.push(Arc::clone(&extended));
        }
        extended
    }
}

fn no_extension() -> Arc<Extended> {
    static NONE: OnceLock<Arc<Extended>> = OnceLock::new();
    Arc::clone(NONE.get_or_init(Arc::default))
}

/// Puts what stands for a name, arity and encoding in the place of what stood for them.
fn set(functions: &mut Customs, key: Box<[u8]>, new: Custom) -> Option<Arc<Function>> {
    let functions = functions.entry(key).or_default();
    let old = functions.iter().position(|custom| custom.is(new.args, new.encoding)).map(|at| functions.remove(at));
    functions.push(new);
    old.and_then(|old| old.function)
}

impl Custom {
    /// A function, and its name in lower case.
    fn of(function: Arc<Function>) -> (Box<[u8]>, Custom) {
        let key = function.name().as_bytes().to_ascii_lowercase().into_boxed_slice();
        (key, Custom { args: function.args(), encoding: function.encoding(), function: Some(function) })
    }

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

    /// What connections share of extensions is the same as what each defines, also when the application defines more.
    #[test]
    fn functions_of_extensions_are_shared() {
        let list: &'static [Arc<Function>] = Box::leak(Box::new([
            custom("f", Arity::Exactly(1)),
            custom("F", Arity::AtLeast(0)),
            custom("g", Arity::Exactly(2)),
        ]));
        let (mut one, mut other, mut apart) = (Registry::builtin(), Registry::builtin(), Registry::builtin());
        one.extend(&[list]);
        other.extend(&[list]);
        assert!(Arc::ptr_eq(&one.extended, &other.extended));
        apart.define(custom("h", Arity::Exactly(1)));
        apart.extend(&[list]);
        one.define(custom("h", Arity::Exactly(1)));
        for registry in [&mut one, &mut apart] {
            registry.define(custom("f", Arity::Exactly(2)));
            assert!(registry.remove(b"g", Arity::Exactly(2), Encoding::Utf8).is_some());
            check(registry, "f", 1, Some(Arity::Exactly(1)));
            check(registry, "f", 2, Some(Arity::Exactly(2)));
            check(registry, "f", 3, Some(Arity::AtLeast(0)));
            check(registry, "g", 2, None);
        }
        check(&other, "g", 2, Some(Arity::Exactly(2)));
        check(&other, "f", 2, Some(Arity::AtLeast(0)));
        let names =
            |registry: &Registry| registry.iter().map(|one| (one.name().to_string(), one.args())).collect::<Vec<_>>();
        assert_eq!(names(&one), names(&apart));
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
