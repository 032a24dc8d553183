//! The application's collations. Several collations may have one name, each for texts in another encoding.

use std::sync::Arc;

use hashbrown::HashMap;
use lithe_value::{Collation, Encoding};

/// The encodings, in the order in which SQLite searches for a collation if none is defined for the database's own
/// encoding.
const ENCODINGS: [Encoding; 3] = [Encoding::Utf16be, Encoding::Utf16le, Encoding::Utf8];

/// The collations of a connection, by name in lower case.
#[derive(Default)]
pub(crate) struct Collations {
    /// All definitions: for each name one for each of [`ENCODINGS`].
    defined: HashMap<String, [Option<Collation>; 3]>,
    /// The collations that statements use.
    chosen: Arc<HashMap<String, Collation>>,
}

impl Collations {
    /// The collations that statements use.
    pub fn chosen(&self) -> &Arc<HashMap<String, Collation>> {
        &self.chosen
    }

    /// Whether a collation of that name is defined for that encoding.
    pub fn has(&self, key: &str, encoding: Encoding) -> bool {
        self.defined.get(key).is_some_and(|defined| defined[place(encoding)].is_some())
    }

    /// Adds, replaces or removes a collation of a connection whose databases have the encoding `own`; returns the
    /// replaced one.
    pub fn set(&mut self, key: &str, of: Encoding, collation: Option<Collation>, own: Encoding) -> Option<Collation> {
        let defined = self.defined.entry(key.to_owned()).or_default();
        let old = std::mem::replace(&mut defined[place(of)], collation);
        let chosen = Arc::make_mut(&mut self.chosen);
        match best(defined, own) {
            Some(best) => chosen.insert(key.to_owned(), best),
            None => chosen.remove(key),
        };
        if defined.iter().all(Option::is_none) {
            self.defined.remove(key);
        }
        old
    }

    /// Chooses the collations for databases of this encoding.
    pub fn choose(&mut self, own: Encoding) {
        let chosen = self.defined.iter().filter_map(|(key, defined)| Some((key.clone(), best(defined, own)?)));
        self.chosen = Arc::new(chosen.collect());
    }
}

/// Of the collations of one name, that for databases of the encoding `own`.
fn best(defined: &[Option<Collation>; 3], own: Encoding) -> Option<Collation> {
    let mut others = defined.iter().flatten();
    defined[place(own)].as_ref().or_else(|| others.next()).cloned()
}

fn place(encoding: Encoding) -> usize {
    ENCODINGS.iter().position(|one| *one == encoding).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Built-in collations serve as three different ones.
    const FOR_LITTLE: Collation = Collation::NoCase;
    const FOR_UTF8: Collation = Collation::RTrim;

    #[test]
    fn the_encoding_decides_between_collations_of_one_name() {
        let mut collations = Collations::default();
        collations.set("c", Encoding::Utf16le, Some(FOR_LITTLE), Encoding::Utf8);
        collations.set("c", Encoding::Utf8, Some(FOR_UTF8), Encoding::Utf8);
        let chosen = |collations: &mut Collations, own| {
            collations.choose(own);
            format!("{:?}", collations.chosen()["c"])
        };
        assert_eq!(chosen(&mut collations, Encoding::Utf8), format!("{FOR_UTF8:?}"));
        assert_eq!(chosen(&mut collations, Encoding::Utf16le), format!("{FOR_LITTLE:?}"));
        assert_eq!(chosen(&mut collations, Encoding::Utf16be), format!("{FOR_LITTLE:?}"));
        assert!(collations.set("c", Encoding::Utf16le, None, Encoding::Utf16le).is_some());
        assert_eq!(chosen(&mut collations, Encoding::Utf16le), format!("{FOR_UTF8:?}"));
        collations.set("c", Encoding::Utf8, None, Encoding::Utf8);
        assert!(collations.chosen().is_empty());
    }
}
