//! The affinities of the columns of a compound query.

use lithe_value::Affinity;

use super::CorePart;
use crate::ir::{CoreBody, Expr, OutputColumn, affinity_of, data_types};

/// Finds the affinities of a compound query's columns: the first that a core has, unless that affinity would change values of
/// another core. A CAST in the first core counts as a number only.
pub(super) struct Merge {
    columns: Vec<MergedColumn>,
}

/// The affinity of one column of a compound query.
#[derive(Clone, Copy, Default)]
struct MergedColumn {
    affinity: Option<Affinity>,
    /// Whether a core can give numbers.
    numeric: bool,
    /// Whether a core can give texts.
    text: bool,
    /// Whether the first core's expression is a CAST.
    is_cast: bool,
}

impl Merge {
    pub fn new(first: &CorePart<'_>) -> Merge {
        let mut merged = Merge { columns: vec![MergedColumn::default(); first.columns.len()] };
        let rows = rows_of(first);
        for (column, expr) in merged.columns.iter_mut().zip(rows.first().copied().unwrap_or_default()) {
            column.is_cast = matches!(expr, Expr::Cast(..));
        }
        if !first.is_table {
            rows.iter().for_each(|row| merged.add_affinities(row.iter().map(affinity_of)));
        }
        merged.add_types(first);
        merged
    }

    pub fn add<'a>(&mut self, part: &CorePart<'a>, columns: &mut [OutputColumn<'a>]) {
        self.add_affinities(part.columns.iter().map(|column| column.affinity));
        self.add_types(part);
        for (column, other) in columns.iter_mut().zip(part.columns) {
            if !column.has_collation {
                (column.collation, column.has_collation) = (other.collation, other.has_collation);
            }
        }
    }

    fn add_affinities(&mut self, affinities: impl Iterator<Item = Option<Affinity>>) {
        for (merged, affinity) in self.columns.iter_mut().zip(affinities) {
            merged.affinity = merged.affinity.or(affinity);
        }
    }

    fn add_types(&mut self, part: &CorePart<'_>) {
        for row in rows_of(part) {
            for (expr, merged) in row.iter().zip(&mut self.columns) {
                let kinds = data_types(expr);
                merged.numeric |= kinds.numeric;
                merged.text |= kinds.text;
            }
        }
    }

    pub fn finish<'a>(&self, columns: &[OutputColumn<'a>]) -> Vec<OutputColumn<'a>> {
        let with_affinity = |(column, merged): (&OutputColumn<'a>, &MergedColumn)| {
            let affinity = match merged.affinity {
                Some(Affinity::Text) if merged.numeric => Some(Affinity::Blob),
                Some(affinity) if affinity.is_numeric() && merged.text => Some(Affinity::Blob),
                Some(affinity) if affinity.is_numeric() && merged.is_cast => Some(Affinity::FlexNum),
                affinity => affinity,
            };
            OutputColumn { affinity, ..*column }
        };
        columns.iter().zip(&self.columns).map(with_affinity).collect()
    }
}

/// The rows of expressions of a core: one of a SELECT, all of VALUES.
fn rows_of<'p, 'a>(part: &'p CorePart<'a>) -> &'p [&'a [Expr<'a>]] {
    match &part.core.body {
        CoreBody::Select(select) => std::slice::from_ref(&select.columns),
        CoreBody::Values(rows) => rows,
        // Only rewriting makes these.
        CoreBody::UnionAll(_) => &[],
    }
}
