//! PRIMARY KEY and UNIQUE: the indexes of these constraints, and WITHOUT ROWID tables, whose rows live in one of them.

use std::sync::Arc;

use lithe_sql::ast::{Conflict, ExprKind, Nulls, OrderTerm, Quote};

use super::BuildOptions;
use super::collation::{check_collation, name_in_string, split_collation};
use super::prohibit::{self, Place};
use crate::error::{CompileError, Result, fail};
use crate::{CollationName, Index, IndexColumn, IndexOrigin, IndexTerm, NameBuf, Table, insert_index};

/// A PRIMARY KEY or UNIQUE constraint.
pub(super) struct KeyConstraint {
    pub columns: Vec<KeyColumn>,
    conflict: Option<Conflict>,
    is_primary: bool,
}

/// A column of such a constraint.
pub(super) struct KeyColumn {
    pub column: u16,
    pub descending: bool,
    collation: CollationName,
}

impl KeyConstraint {
    /// The constraint that stands at a column.
    pub fn of_column(
        table: &Table,
        options: &BuildOptions<'_>,
        column: u16,
        descending: bool,
        conflict: Option<Conflict>,
        is_primary: bool,
    ) -> KeyConstraint {
        let collation = table.columns[usize::from(column)].collation.clone();
        let descending = descending && options.descending_indexes;
        KeyConstraint { columns: vec![KeyColumn { column, descending, collation }], conflict, is_primary }
    }

    /// The constraint with a list of columns.
    pub fn of_terms(
        table: &Table,
        options: &BuildOptions<'_>,
        terms: &[OrderTerm<'_>],
        conflict: Option<Conflict>,
        is_primary: bool,
    ) -> Result<KeyConstraint> {
        refuse_nulls_order(terms)?;
        check_column_count(terms, options)?;
        let columns = terms.iter().map(|term| key_column(table, options, term, is_primary)).collect::<Result<_>>()?;
        Ok(KeyConstraint { columns, conflict, is_primary })
    }

    fn index_columns(&self) -> Vec<IndexColumn> {
        let column = |column: &KeyColumn| IndexColumn {
            term: IndexTerm::Column(column.column),
            collation: column.collation.clone(),
            descending: column.descending,
        };
        self.columns.iter().map(column).collect()
    }
}

fn key_column(table: &Table, options: &BuildOptions<'_>, term: &OrderTerm<'_>, is_primary: bool) -> Result<KeyColumn> {
    let (expr, written) = split_collation(&term.expr);
    // In a PRIMARY KEY a string names a column behind any number of COLLATEs.
    let string = name_in_string(if is_primary { expr } else { &term.expr });
    const EXPRESSION: &str = "expressions prohibited in PRIMARY KEY and UNIQUE constraints";
    let name = match (expr.kind, string) {
        // A string in double quotes.
        (ExprKind::Column(name), _)
            if name.quote() == Quote::Double && options.quoted_strings && table.column(name.name).is_none() =>
        {
            return fail(EXPRESSION);
        }
        (ExprKind::Column(name), _) => name.name,
        (_, Some(name)) => name,
        _ => {
            prohibit::check(expr, table, Place::Index, options)?;
            return fail(EXPRESSION);
        }
    };
    let no_such_column = || CompileError::no_such("column", name).starting_at(expr.span);
    let column = table.column(name).ok_or_else(no_such_column)?;
    let collation = match written {
        Some(name) => CollationName::new(name),
        None => table.columns[usize::from(column)].collation.clone(),
    };
    check_collation(&collation, options)?;
    Ok(KeyColumn { column, descending: term.descending() && options.descending_indexes, collation })
}

/// SQLITE_LIMIT_COLUMN bounds the columns of an index.
pub(super) fn check_column_count(terms: &[OrderTerm<'_>], options: &BuildOptions<'_>) -> Result<()> {
    if terms.len() > options.limits.columns as usize { fail("too many columns in index") } else { Ok(()) }
}

/// NULLS FIRST and NULLS LAST are for ORDER BY only.
pub(super) fn refuse_nulls_order(terms: &[OrderTerm<'_>]) -> Result<()> {
    match terms.iter().find_map(|term| term.nulls) {
        Some(Nulls::First) => fail("unsupported use of NULLS FIRST"),
        Some(Nulls::Last) => fail("unsupported use of NULLS LAST"),
        None => Ok(()),
    }
}

/// Adds the index of a constraint to the table, unless an index with the same columns exists.
pub(super) fn add_key(table: &mut Table, key: KeyConstraint) -> Result<()> {
    let mut columns = key.index_columns();
    if let Some(at) = table.indexes.iter().position(|index| has_same_key(index, &columns)) {
        let was_replace = table.indexes[at].conflict() == Some(Conflict::Replace);
        merge(Arc::make_mut(&mut table.indexes[at]), &key)?;
        if !was_replace && table.indexes[at].conflict() == Some(Conflict::Replace) {
            let index = table.indexes.remove(at);
            insert_index(&mut table.indexes, index);
        }
        return Ok(());
    }
    let key_count = columns.len() as u16;
    columns.push(rowid_column());
    let index = Index {
        name: NameBuf::from(format!("sqlite_autoindex_{}_{}", table.name, table.indexes.len() + 1)),
        table: table.name.clone(),
        columns,
        key_count,
        unique: Some(key.conflict),
        origin: if key.is_primary { IndexOrigin::PrimaryKey } else { IndexOrigin::Unique },
        ..Index::default()
    };
    insert_index(&mut table.indexes, Arc::new(index));
    Ok(())
}

/// The direction does not matter: two constraints on the same columns share an index.
fn has_same_key(index: &Index, columns: &[IndexColumn]) -> bool {
    let same = |(a, b): (&IndexColumn, &IndexColumn)| a.term == b.term && a.collation == b.collation;
    index.key_columns().len() == columns.len() && index.key_columns().iter().zip(columns).all(same)
}

fn merge(index: &mut Index, key: &KeyConstraint) -> Result<()> {
    match (index.conflict(), key.conflict) {
        (Some(one), Some(other)) if one != other => return fail("conflicting ON CONFLICT clauses specified"),
        (None, conflict) => index.unique = Some(conflict),
        _ => {}
    }
    if key.is_primary {
        index.origin = IndexOrigin::PrimaryKey;
    }
    Ok(())
}

/// COLLATE may stand behind PRIMARY KEY or UNIQUE of the same column.
pub(super) fn set_collation(table: &mut Table, column: u16, collation: &CollationName) {
    for index in &mut table.indexes {
        if index.columns[0].term == IndexTerm::Column(column) {
            Arc::make_mut(index).columns[0].collation = collation.clone();
        }
    }
}

pub(super) fn rowid_column() -> IndexColumn {
    IndexColumn { term: IndexTerm::Rowid, collation: CollationName::binary(), descending: false }
}

/// Turns the primary key into the table: its entries hold all columns, and the other indexes end in the primary key. `is_descending`: an
/// INTEGER PRIMARY KEY was written DESC.
pub(super) fn make_without_rowid(table: &mut Table, options: &BuildOptions<'_>, is_descending: bool) -> Result<()> {
    if let Some(column) = table.rowid_column.take() {
        let conflict = table.rowid_conflict.take();
        let key = KeyConstraint::of_column(table, options, column, is_descending, conflict, true);
        add_key(table, key)?;
    }
    for column in table.columns.iter_mut().filter(|column| column.primary_key > 0) {
        column.not_null = column.not_null.or(Some(Conflict::Abort));
    }
    let Some(at) = table.indexes.iter().position(|index| index.origin == IndexOrigin::PrimaryKey) else {
        return Ok(());
    };
    let key = primary_key_columns(&table.indexes[at]);
    let row = with_other_columns(key.clone(), table);
    for (position, index) in table.indexes.iter_mut().enumerate() {
        let index = Arc::make_mut(index);
        if position == at {
            index.key_count = key.len() as u16;
            index.columns = row.clone();
        } else {
            index.columns.truncate(usize::from(index.key_count));
            // As in SQLite, the key columns appended to an index of a constraint are ascending, those appended to an
            // index of CREATE INDEX have the key's direction.
            let listed = index.columns.len();
            append_missing(&mut index.columns, &key);
            index.columns[listed..].iter_mut().for_each(|column| column.descending = false);
        }
    }
    Ok(())
}

/// The primary key without columns that it names twice.
fn primary_key_columns(index: &Index) -> Vec<IndexColumn> {
    let mut columns = Vec::new();
    append_missing(&mut columns, index.key_columns());
    columns
}

/// The primary key and all other stored columns.
fn with_other_columns(mut columns: Vec<IndexColumn>, table: &Table) -> Vec<IndexColumn> {
    for (at, column) in table.columns.iter().enumerate() {
        let is_virtual = column.generated.as_ref().is_some_and(|generated| !generated.stored);
        let term = IndexTerm::Column(at as u16);
        if !is_virtual && columns.iter().all(|column| column.term != term) {
            columns.push(IndexColumn { term, collation: CollationName::binary(), descending: false });
        }
    }
    columns
}

/// Appends the columns of `more` that `columns` lacks under the same collation: how an index gets the columns of the
/// primary key.
pub(super) fn append_missing(columns: &mut Vec<IndexColumn>, more: &[IndexColumn]) {
    for column in more {
        if !columns.iter().any(|there| there.term == column.term && there.collation == column.collation) {
            columns.push(column.clone());
        }
    }
}
