//! What is known of each source of a statement, or of a part of it, by the source's number.

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;

use super::SourceId;

/// A value for each source, from the first that has one on: the numbers of a trigger's sources come behind those of all triggers before it.
#[derive(Debug)]
pub struct BySource<'a, T> {
    first: usize,
    values: ArenaVec<'a, T>,
}

/// Most statements have no more sources.
const SOURCES_USUAL: usize = 4;

impl<'a, T: Default> BySource<'a, T> {
    /// No source has a value.
    pub fn new_in(arena: &'a Bump) -> BySource<'a, T> {
        BySource { first: 0, values: ArenaVec::with_capacity_in(SOURCES_USUAL, arena) }
    }

    /// The value of a source, if it has one.
    #[inline]
    pub fn get(&self, source: SourceId) -> Option<&T> {
        self.values.get(source.index().checked_sub(self.first)?)
    }

    /// The value of a source, which becomes the default if it has none.
    pub fn entry(&mut self, source: SourceId) -> &mut T {
        let at = source.index();
        if self.values.is_empty() {
            self.first = at;
        }
        if let Some(missing @ 1..) = self.first.checked_sub(at) {
            self.values.extend(std::iter::repeat_with(T::default).take(missing));
            self.values.rotate_right(missing);
            self.first = at;
        }
        let place = at - self.first;
        if self.values.len() <= place {
            let missing = place + 1 - self.values.len();
            self.values.extend(std::iter::repeat_with(T::default).take(missing));
        }
        &mut self.values[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_in_any_order() {
        let arena = Bump::new();
        let mut values = BySource::new_in(&arena);
        let order = [1000, 1003, 998, 1001, 5, 1004];
        for number in order {
            *values.entry(SourceId(number)) = Some(number);
        }
        for number in 0..1010 {
            let expected = order.contains(&number).then_some(number);
            assert_eq!(values.get(SourceId(number)).copied().flatten(), expected, "{number}");
        }
    }
}
