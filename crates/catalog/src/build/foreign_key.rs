//! FOREIGN KEY and REFERENCES.

use lithe_sql::ast::{ForeignKeyTarget, Ident};

use crate::error::{CompileError, ErrorKind, Result, fail};
use crate::{ForeignKey, NameBuf, Table};

/// `column ... REFERENCES target`: the child's column is the last one of `table`.
pub(super) fn of_column(table: &Table, target: &ForeignKeyTarget<'_>) -> Result<ForeignKey> {
    let column = table.columns.len() - 1;
    if target.columns.len() > 1 {
        let name = &table.columns[column].name;
        let parent = target.table.name;
        let message = format!("foreign key on {name} should reference only one column of table {parent}");
        return Err(CompileError::at(target.table.span(), message).of_kind(ErrorKind::ColumnDefinition));
    }
    Ok(foreign_key(vec![column as u16], target))
}

/// `FOREIGN KEY (columns) REFERENCES target`.
pub(super) fn of_table(table: &Table, columns: &[Ident<'_>], target: &ForeignKeyTarget<'_>) -> Result<ForeignKey> {
    if !target.columns.is_empty() && target.columns.len() != columns.len() {
        return fail("number of columns in foreign key does not match the number of columns in the referenced table");
    }
    let unknown = |name| CompileError::new(format!("unknown column \"{name}\" in foreign key definition"));
    let columns = columns.iter().map(|column| table.column(column.name).ok_or_else(|| unknown(column.name)));
    Ok(foreign_key(columns.collect::<Result<_>>()?, target))
}

fn foreign_key(columns: Vec<u16>, target: &ForeignKeyTarget<'_>) -> ForeignKey {
    ForeignKey {
        parent: target.table.name.into(),
        columns,
        parent_columns: target.columns.iter().map(|column| NameBuf::from(column.name)).collect(),
        on_delete: target.on_delete,
        on_update: target.on_update,
        deferred: target.deferred,
    }
}
