//! Which columns of each source a statement uses: these columns decide whether an index is covering, and what a
//! materialised row must hold.

use bumpalo::Bump;
use lithe_resolve::ir::{
    BySource, Child, Column, ColumnIndex, Expr, Query, SourceId, for_each_child, for_each_in_query,
};

/// A set of columns of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnSet {
    /// The first 64 columns.
    low: u64,
    /// The others, 64 a word.
    high: Vec<u64>,
    /// The rowid.
    rowid: bool,
}

impl ColumnSet {
    /// Adds a column.
    pub fn insert(&mut self, column: ColumnIndex) {
        match column.position() {
            None => self.rowid = true,
            Some(position) if position < 64 => self.low |= 1 << position,
            Some(position) => {
                let word = position / 64 - 1;
                if self.high.len() <= word {
                    self.high.resize(word + 1, 0);
                }
                self.high[word] |= 1 << (position % 64);
            }
        }
    }

    /// Whether the column is in it.
    pub fn contains(&self, column: ColumnIndex) -> bool {
        match column.position() {
            None => self.rowid,
            Some(position) if position < 64 => self.low >> position & 1 == 1,
            Some(position) => self.high.get(position / 64 - 1).is_some_and(|word| word >> (position % 64) & 1 == 1),
        }
    }

    /// Whether the rowid is in it.
    pub fn has_rowid(&self) -> bool {
        self.rowid
    }

    /// Positions of the columns, in order; the rowid is not among them.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(self.low)
            .chain(self.high.iter().copied())
            .enumerate()
            .flat_map(|(at, word)| bits(word).map(move |bit| at * 64 + bit))
    }
}

/// The positions of the bits that are set, in order.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        // The last bit that is set is cleared; of none that is set there is none to give.
        word &= word.wrapping_sub(1);
        (bit < u64::BITS).then_some(bit as usize)
    })
}

/// The columns used of every source of a statement.
#[derive(Debug)]
pub struct Usage<'u> {
    sources: BySource<'u, ColumnSet>,
    none: ColumnSet,
}

impl<'u> Usage<'u> {
    /// Nothing is used yet.
    pub fn new_in(arena: &'u Bump) -> Usage<'u> {
        Usage { sources: BySource::new_in(arena), none: ColumnSet::default() }
    }

    /// The used columns of `source`.
    pub fn of(&self, source: SourceId) -> &ColumnSet {
        self.sources.get(source).unwrap_or(&self.none)
    }

    /// Adds all columns that the query uses, of its own sources and of enclosing queries.
    pub fn add_query<'a>(&mut self, query: &'a Query<'a>) {
        for_each_in_query(query, &mut |child| self.add_child(child));
    }

    /// Adds all columns that the expression uses.
    pub fn add_expr(&mut self, expr: &Expr<'_>) {
        match expr {
            Expr::Column(column) => self.add_column(column),
            _ => for_each_child(expr, &mut |child| self.add_child(child)),
        }
    }

    fn add_child(&mut self, child: Child<'_, '_>) {
        match child {
            Child::Expr(expr) => self.add_expr(expr),
            Child::Query(query) => self.add_query(query),
        }
    }

    fn add_column(&mut self, column: &Column<'_>) {
        self.sources.entry(column.source).insert(column.index);
    }
}
