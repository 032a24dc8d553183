//! Which unique key of the parent a foreign key refers to.

use lithe_base::ResultCode;
use lithe_catalog::{CompileError, ForeignKey, Index, IndexTerm, Result, Table};

/// The parent's key.
#[derive(Clone, Debug)]
pub struct ParentKey<'a> {
    /// The unique index; `None` for the rowid.
    pub index: Option<&'a Index>,
    /// The parent's columns, in the order of the key.
    pub columns: Vec<u16>,
    /// For each of them the child's column.
    pub child_columns: Vec<u16>,
}

/// Finds the parent's key, or fails with "foreign key mismatch".
pub(super) fn find<'a>(child: &Table, key: &ForeignKey, parent: &'a Table) -> Result<ParentKey<'a>> {
    find_key(key, parent).ok_or_else(|| {
        let message = format!("foreign key mismatch - \"{}\" referencing \"{}\"", child.name, key.parent);
        CompileError::new(message).with_code(ResultCode::ERROR)
    })
}

fn find_key<'a>(key: &ForeignKey, parent: &'a Table) -> Option<ParentKey<'a>> {
    if let (Some(rowid), [child]) = (parent.rowid_column, &key.columns[..]) {
        let is_meant = match &key.parent_columns[..] {
            [] => true,
            [name] => parent.columns[usize::from(rowid)].name == *name,
            _ => false,
        };
        if is_meant {
            return Some(ParentKey { index: None, columns: vec![rowid], child_columns: vec![*child] });
        }
    }
    parent.indexes.iter().find_map(|index| by_index(key, parent, index))
}

/// The index, if its columns are those that the key refers to, in any order, under the columns' own collations.
fn by_index<'a>(key: &ForeignKey, parent: &'a Table, index: &'a Index) -> Option<ParentKey<'a>> {
    if !index.is_unique() || index.filter.is_some() || usize::from(index.key_count) != key.columns.len() {
        return None;
    }
    let is_primary = index.origin == lithe_catalog::IndexOrigin::PrimaryKey;
    if key.parent_columns.is_empty() && !is_primary {
        return None;
    }
    let (mut columns, mut child_columns) = (Vec::new(), Vec::new());
    for (at, term) in index.key_columns().iter().enumerate() {
        let IndexTerm::Column(column) = term.term else { return None };
        let of_parent = &parent.columns[usize::from(column)];
        if !key.parent_columns.is_empty() && term.collation != of_parent.collation {
            return None;
        }
        let place = match &key.parent_columns[..] {
            [] => at,
            names => names.iter().position(|name| *name == of_parent.name)?,
        };
        columns.push(column);
        child_columns.push(key.columns[place]);
    }
    Some(ParentKey { index: Some(index), columns, child_columns })
}
