//! DISTINCT without effect: no two rows of one table can be equal in the result columns.

use lithe_resolve::ir::{ColumnIndex, Expr, collation_of, skip_collate};

use super::Join;
use super::sources::{IndexedTerm, SourceIndexInfo};
use super::terms::{Left, Op};

impl Join<'_, '_> {
    /// Whether there is a DISTINCT that has something to do.
    pub fn removes_duplicates(&self) -> bool {
        self.request.distinct && !self.result_is_unique()
    }

    /// Whether the result columns distinguish all rows: they include the rowid, or all columns of a unique index that do
    /// not have a fixed value.
    pub fn result_is_unique(&self) -> bool {
        let [info] = self.infos else { return false };
        if info.table.is_none() {
            return false;
        }
        self.request.result.iter().any(|expr| self.is_column(expr, ColumnIndex::ROWID))
            || info.indexes.iter().any(|index| index.index.is_unique() && !index.is_partial && self.has_all(index))
    }

    fn has_all(&self, index: &SourceIndexInfo<'_>) -> bool {
        index.columns[..index.key_count()].iter().all(|column| {
            let IndexedTerm::Column(of) = column.term else { return false };
            let is_bound = self.terms.constraints.iter().any(|constraint| {
                constraint.source == 0
                    && matches!(constraint.left, Left::Column(at) if at == of)
                    && constraint.op == Op::Eq
                    && constraint.needs.is_empty()
                    && column.is_compared_by(constraint)
            });
            is_bound
                || !column.nullable
                    && self.request.result.iter().any(|expr| {
                        self.is_column(expr, of) && collation_of(expr).unwrap_or_default() == column.collation
                    })
        })
    }

    fn is_column(&self, expr: &Expr<'_>, index: ColumnIndex) -> bool {
        matches!(skip_collate(*expr), Expr::Column(column)
            if column.index == index && column.source == self.infos[0].source.id)
    }
}
