//! Names that the catalog owns: of tables, columns, indexes, triggers, collations.

use std::fmt;
use std::hash::{Hash, Hasher};

use hashbrown::Equivalent;
use lithe_sql::ast::Name;
use lithe_value::Collation;

/// An owned [`Name`]: the bytes as they were written. Equal to another that differs in the case of ASCII
/// letters, and hashed alike.
#[derive(Clone, Default)]
pub struct NameBuf(Box<[u8]>);

impl NameBuf {
    /// The name, borrowed.
    #[inline]
    pub fn name(&self) -> Name<'_> {
        Name::new(&self.0)
    }

    /// Its bytes as written.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether it is `other` but for the case of ASCII letters.
    pub fn is(&self, other: &str) -> bool {
        self.name().is(other)
    }
}

impl From<Name<'_>> for NameBuf {
    fn from(name: Name<'_>) -> NameBuf {
        NameBuf(name.as_bytes().into())
    }
}

impl From<&str> for NameBuf {
    fn from(name: &str) -> NameBuf {
        NameBuf(name.as_bytes().into())
    }
}

impl From<&NameBuf> for String {
    /// The text of the name: what `to_string` gives, without the formatter.
    fn from(name: &NameBuf) -> String {
        name.name().to_str_lossy().into_owned()
    }
}

impl From<String> for NameBuf {
    fn from(name: String) -> NameBuf {
        NameBuf(name.into_bytes().into())
    }
}

impl PartialEq for NameBuf {
    fn eq(&self, other: &NameBuf) -> bool {
        self.name() == other.name()
    }
}

impl Eq for NameBuf {}

impl PartialEq<Name<'_>> for NameBuf {
    fn eq(&self, other: &Name<'_>) -> bool {
        self.name() == *other
    }
}

impl Hash for NameBuf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Display for NameBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(f)
    }
}

impl fmt::Debug for NameBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(f)
    }
}

/// A borrowed name as the key of a map of owned ones: a look-up allocates nothing.
#[derive(Hash)]
pub(super) struct Key<'a>(pub Name<'a>);

impl Equivalent<NameBuf> for Key<'_> {
    fn equivalent(&self, key: &NameBuf) -> bool {
        self.0 == key.name()
    }
}

/// The collation of a column: its name as written, and the built-in collation that has this name. A collation of the
/// application is looked up when a statement that needs it is compiled.
#[derive(Clone, Debug, Default)]
pub struct CollationName {
    /// `None` where nothing was written.
    written: Option<NameBuf>,
    builtin: Option<Collation>,
}

impl CollationName {
    /// The collation that was written as `name`.
    pub fn new(name: Name<'_>) -> CollationName {
        let builtin = name.as_str().and_then(Collation::builtin);
        CollationName { written: Some(name.into()), builtin }
    }

    /// BINARY, where nothing was written.
    pub const fn binary() -> CollationName {
        CollationName { written: None, builtin: Some(Collation::Binary) }
    }

    /// The collation, if it is a built-in one.
    pub fn builtin(&self) -> Option<&Collation> {
        if self.written.is_none() { Some(&Collation::Binary) } else { self.builtin.as_ref() }
    }

    /// The name as written; BINARY where no name was written.
    pub fn name(&self) -> Name<'_> {
        self.written.as_ref().map_or(Name::new(b"BINARY"), NameBuf::name)
    }

    /// Whether a COLLATE clause names it.
    pub fn is_written(&self) -> bool {
        self.written.is_some()
    }
}

impl PartialEq for CollationName {
    fn eq(&self, other: &CollationName) -> bool {
        self.name() == other.name()
    }
}

impl Eq for CollationName {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collations() {
        let written = |name: &'static str| CollationName::new(Name::new(name.as_bytes()));
        assert_eq!(CollationName::binary(), written("binary"));
        assert_eq!(CollationName::default().builtin(), Some(&Collation::Binary));
        assert_eq!(written("nocase").builtin(), Some(&Collation::NoCase));
        assert_eq!(written("klingon").builtin(), None);
        assert_eq!(written("nocase").name().as_bytes(), b"nocase");
    }
}
