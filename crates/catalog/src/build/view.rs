//! CREATE VIEW and CREATE VIRTUAL TABLE to [`Table`].

use lithe_sql::ast::{CreateView, CreateVirtualTable};

use crate::{NameBuf, Table, TableKind, View, VirtualState, VirtualTable};

/// The view that `create` describes; `sql` is the text that the tree's spans are about.
pub fn build_view(create: &CreateView<'_>, sql: &[u8]) -> Table {
    let view = View {
        columns: create.columns.iter().map(|column| NameBuf::from(column.name)).collect(),
        select: create.select.span.text(sql).into(),
    };
    Table { name: create.name.name.name.into(), kind: TableKind::View(view), ..Table::default() }
}

/// The virtual table that `create` describes, without columns: its module declares them.
pub fn build_virtual_table(create: &CreateVirtualTable<'_>) -> Table {
    let virtual_table = VirtualTable {
        module: create.module.name.into(),
        arguments: create.args.iter().map(|argument| Box::from(*argument)).collect(),
        state: VirtualState::Unconnected,
    };
    Table { name: create.name.name.name.into(), kind: TableKind::Virtual(virtual_table), ..Table::default() }
}
