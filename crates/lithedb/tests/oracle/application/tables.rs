//! The generator's description of the shop's tables.

/// The kind of a column's values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Integer,
    Flag,
    Real,
    Text,
    Date,
    Json,
}

use Kind::{Date, Flag, Integer, Json, Real, Text};

/// A table.
pub struct Table {
    pub name: &'static str,
    pub columns: &'static [(&'static str, Kind)],
    /// The columns that refer to the `id` of another table.
    pub parents: &'static [(&'static str, &'static str)],
}

/// Parents first.
pub const TABLES: [Table; 8] = [
    Table {
        name: "customer",
        columns: &[
            ("id", Integer),
            ("name", Text),
            ("email", Text),
            ("city", Text),
            ("created", Date),
            ("is_active", Flag),
            ("credit", Real),
            ("parent_id", Integer),
            ("note", Text),
        ],
        parents: &[("parent_id", "customer")],
    },
    Table {
        name: "category",
        columns: &[("id", Integer), ("parent_id", Integer), ("name", Text), ("slug", Text), ("depth", Integer)],
        parents: &[("parent_id", "category")],
    },
    Table {
        name: "product",
        columns: &[
            ("id", Integer),
            ("category_id", Integer),
            ("sku", Text),
            ("name", Text),
            ("price", Real),
            ("stock", Integer),
            ("attrs", Json),
            ("deleted_at", Date),
        ],
        parents: &[("category_id", "category")],
    },
    Table {
        name: "orders",
        columns: &[
            ("id", Integer),
            ("customer_id", Integer),
            ("placed", Date),
            ("status", Text),
            ("total", Real),
            ("note", Text),
            ("ship", Json),
        ],
        parents: &[("customer_id", "customer")],
    },
    Table {
        name: "item",
        columns: &[
            ("order_id", Integer),
            ("product_id", Integer),
            ("qty", Integer),
            ("price", Real),
            ("discount", Real),
        ],
        parents: &[("order_id", "orders"), ("product_id", "product")],
    },
    Table { name: "tag", columns: &[("id", Integer), ("label", Text)], parents: &[] },
    Table {
        name: "product_tag",
        columns: &[("product_id", Integer), ("tag_id", Integer), ("added", Date)],
        parents: &[("product_id", "product"), ("tag_id", "tag")],
    },
    Table {
        name: "event",
        columns: &[
            ("id", Integer),
            ("customer_id", Integer),
            ("kind", Text),
            ("at", Integer),
            ("payload", Json),
            ("ip", Text),
        ],
        parents: &[("customer_id", "customer")],
    },
];

impl Table {
    pub fn named(name: &str) -> &'static Table {
        const ALL: &[Table] = &TABLES;
        ALL.iter().find(|table| table.name == name).expect("foreign keys and queries name tables of the shop")
    }

    pub fn has_id(&self) -> bool {
        self.columns[0].0 == "id"
    }

    /// The tables that refer to this one, with the referring column.
    pub fn children(&self) -> Vec<(&'static Table, &'static str)> {
        const ALL: &[Table] = &TABLES;
        let of_table =
            |child: &'static Table| child.parents.iter().map(move |(column, parent)| (child, *column, *parent));
        let refer = ALL.iter().flat_map(of_table).filter(|(_, _, parent)| *parent == self.name);
        refer.map(|(child, column, _)| (child, column)).collect()
    }
}

/// A table in FROM.
#[derive(Clone)]
pub struct Source {
    pub alias: String,
    pub table: &'static Table,
    /// The columns that identify a row.
    pub keys: Vec<&'static str>,
}

/// The columns that identify a row of a join, for the end of an ORDER BY.
pub fn all_keys(sources: &[Source]) -> String {
    let of_source =
        |source: &Source| source.keys.iter().map(|key| format!("{}.{key}", source.alias)).collect::<Vec<_>>();
    sources.iter().flat_map(of_source).collect::<Vec<_>>().join(", ")
}
