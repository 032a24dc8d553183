//! Numbers of sources, aggregates, windows and subqueries in a statement, and sets of sources.

/// A source of rows: one FROM item of one query, OLD or NEW of a trigger, `excluded` of an UPSERT.
///
/// Numbers are unique in a statement, so that a column of an enclosing query needs no "how many levels up".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

impl SourceId {
    /// The number as an index of tables that are kept by source.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A column of a source: its position among the declared columns, or the rowid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnIndex(i16);

impl ColumnIndex {
    /// The rowid. A column that is declared INTEGER PRIMARY KEY is the rowid too: the resolver never gives its position.
    pub const ROWID: ColumnIndex = ColumnIndex(-1);

    /// The column at `position`. Tables have at most 32,767 columns, by SQLITE_LIMIT_COLUMN.
    pub fn new(position: usize) -> ColumnIndex {
        ColumnIndex(i16::try_from(position).expect("the column limit is below 32,768"))
    }

    /// Whether it is the rowid.
    pub fn is_rowid(self) -> bool {
        self.0 < 0
    }

    /// The position of a column that is not the rowid.
    pub fn position(self) -> Option<usize> {
        usize::try_from(self.0).ok()
    }
}

/// An aggregate call of a statement: unique in it, so that a subquery can use an aggregate of an enclosing query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AggregateId(pub u32);

/// A window function call of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WindowId(pub u32);

/// A subquery of an expression, or a common table expression: unique in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubqueryId(pub u32);

/// The most sources that one FROM clause may have.
pub const JOIN_SOURCES_MAX: usize = 64;

/// A set of sources of one FROM clause, each by its position in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourceSet(u64);

const _: () = assert!(JOIN_SOURCES_MAX == u64::BITS as usize);

impl SourceSet {
    /// No source.
    pub const EMPTY: SourceSet = SourceSet(0);

    /// The source at `position` alone.
    pub fn single(position: usize) -> SourceSet {
        assert!(position < JOIN_SOURCES_MAX, "a join has at most 64 sources");
        SourceSet(1 << position)
    }

    /// The first `count` sources.
    pub fn first(count: usize) -> SourceSet {
        assert!(count <= JOIN_SOURCES_MAX, "a join has at most 64 sources");
        if count == JOIN_SOURCES_MAX { SourceSet(u64::MAX) } else { SourceSet((1 << count) - 1) }
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the source at `position` is in it.
    pub fn contains(self, position: usize) -> bool {
        position < JOIN_SOURCES_MAX && self.0 >> position & 1 == 1
    }

    /// Whether all of it is in `other`.
    pub fn is_subset_of(self, other: SourceSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether it has a source in common with `other`.
    pub fn intersects(self, other: SourceSet) -> bool {
        self.0 & other.0 != 0
    }

    /// With the sources of `other`.
    #[must_use]
    pub fn union(self, other: SourceSet) -> SourceSet {
        SourceSet(self.0 | other.0)
    }

    /// Without the sources of `other`.
    #[must_use]
    pub fn minus(self, other: SourceSet) -> SourceSet {
        SourceSet(self.0 & !other.0)
    }

    /// Adds the source at `position`.
    pub fn insert(&mut self, position: usize) {
        *self = self.union(SourceSet::single(position));
    }

    /// The positions, from the first on.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let position = rest.checked_ilog2().map(|_| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(position)
        })
    }
}
