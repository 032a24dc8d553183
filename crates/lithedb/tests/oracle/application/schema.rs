//! The schema: tables with the types and constraints that programs and their libraries use, indexes, views, triggers, maintenance.

use super::{View, World};

/// The terms of indexes.
const INDEXED: [&str; 35] = [
    "orders(customer_id)",
    "orders(customer_id, placed)",
    "orders(status)",
    "orders(placed DESC)",
    "orders(status, placed DESC)",
    "orders(substr(placed, 1, 7))",
    "orders(total)",
    "item(product_id)",
    "item(order_id)",
    "item(product_id, qty)",
    "product(category_id)",
    "product(name COLLATE NOCASE)",
    "product(sku)",
    "product(price)",
    "product(category_id, price DESC)",
    "product(lower(name))",
    "product(deleted_at) WHERE deleted_at IS NULL",
    "product(category_id) WHERE stock > 0",
    "product(json_extract(CASE WHEN json_valid(attrs) THEN attrs END, '$.color'))",
    "customer(city)",
    "customer(city, name)",
    "customer(created)",
    "customer(date(created))",
    "customer(parent_id)",
    "customer(is_active) WHERE is_active",
    "customer(email COLLATE NOCASE)",
    "event(customer_id, at)",
    "event(kind, at)",
    "event(kind) WHERE kind = 'buy'",
    "event(at)",
    "event(json_extract(payload, '$.size'))",
    "product_tag(tag_id)",
    "product_tag(tag_id, product_id)",
    "category(parent_id)",
    "tag(label)",
];

impl World {
    pub fn create_tables(&mut self) -> Vec<String> {
        vec![
            self.create_customer(),
            self.create_category(),
            self.create_product(),
            self.create_orders(),
            self.create_item(),
            format!(
                "CREATE TABLE tag({}, label TEXT{})",
                self.key(),
                self.one(&["", " COLLATE NOCASE", " COLLATE RTRIM"])
            ),
            self.create_product_tag(),
            format!(
                "CREATE TABLE event({}, {}, kind TEXT, at INTEGER, payload {}, ip TEXT)",
                self.key(),
                self.parent("customer_id", "customer"),
                self.one(&["TEXT", "JSON", "BLOB"])
            ),
        ]
    }

    fn key(&mut self) -> String {
        let key = self.one(&[
            "INTEGER PRIMARY KEY",
            "INTEGER PRIMARY KEY AUTOINCREMENT",
            "INTEGER NOT NULL PRIMARY KEY",
            "integer primary key autoincrement not null",
        ]);
        format!("id {key}")
    }

    /// A column that refers to another table.
    fn parent(&mut self, column: &str, table: &str) -> String {
        let null = if column != "parent_id" && self.chance(10) { " NOT NULL" } else { "" };
        let target = self.one(&["", "(id)"]);
        let action = self.one(&["", "", " ON DELETE CASCADE", " ON DELETE SET NULL", " ON UPDATE CASCADE"]);
        if self.chance(20) {
            return format!("{column} INTEGER{null}");
        }
        format!("{column} INTEGER{null} REFERENCES {table}{target}{action}")
    }

    fn create_customer(&mut self) -> String {
        format!(
            "CREATE TABLE customer({}, name {}, email TEXT{}, city TEXT, created {}, is_active BOOLEAN DEFAULT {}, \
             credit {} DEFAULT 0, {}, note{})",
            self.key(),
            self.one(&["VARCHAR(100)", "TEXT", "TEXT COLLATE NOCASE", "NVARCHAR(40) NOT NULL ON CONFLICT IGNORE"]),
            self.one(&["", " UNIQUE", " COLLATE NOCASE UNIQUE"]),
            self.one(&["DATE", "DATETIME", "TEXT", "TIMESTAMP"]),
            self.one(&["true", "1", "TRUE", "FALSE"]),
            self.one(&["REAL", "DECIMAL(10,2)", "NUMERIC", "DOUBLE PRECISION"]),
            self.parent("parent_id", "customer"),
            self.one(&["", " TEXT"])
        )
    }

    fn create_category(&mut self) -> String {
        format!(
            "CREATE TABLE category({}, {}, name TEXT, slug TEXT{}, depth INT DEFAULT 0)",
            self.key(),
            self.parent("parent_id", "category"),
            self.one(&["", "", "", " UNIQUE ON CONFLICT REPLACE"])
        )
    }

    fn create_product(&mut self) -> String {
        format!(
            "CREATE TABLE product({}, {}, sku TEXT, name TEXT, price {}, stock INTEGER{}, attrs {}, deleted_at DATETIME{})",
            self.key(),
            self.parent("category_id", "category"),
            self.one(&["REAL", "NUMERIC", "DECIMAL(10,2)", ""]),
            self.one(&["", " CHECK(stock >= 0)", ""]),
            self.one(&["JSON", "TEXT", "BLOB"]),
            self.one(&[
                "",
                ", color TEXT GENERATED ALWAYS AS (json_extract(CASE WHEN json_valid(attrs) THEN attrs END, '$.color')) VIRTUAL",
                ", cents INT AS (CAST(round(price * 100) AS INT)) STORED",
            ])
        )
    }

    fn create_orders(&mut self) -> String {
        format!(
            "CREATE TABLE orders({}, {}, placed DATETIME, status TEXT{}, total {}, note TEXT, ship JSON)",
            self.key(),
            self.parent("customer_id", "customer"),
            self.one(&["", " DEFAULT 'new'", " COLLATE NOCASE"]),
            self.one(&["REAL", "NUMERIC", "MONEY"])
        )
    }

    fn create_item(&mut self) -> String {
        format!(
            "CREATE TABLE item({}, {}, qty INT, price REAL, discount NUMERIC{})",
            self.parent("order_id", "orders"),
            self.parent("product_id", "product"),
            self.one(&[
                "",
                ", PRIMARY KEY(order_id, product_id)",
                ", PRIMARY KEY(product_id, order_id)",
                ", UNIQUE(order_id, product_id)",
            ])
        )
    }

    fn create_product_tag(&mut self) -> String {
        self.tags_have_rowids = self.rng.bool();
        let end = if self.tags_have_rowids { "" } else { " WITHOUT ROWID" };
        let (product, tag) = (self.parent("product_id", "product"), self.parent("tag_id", "tag"));
        format!("CREATE TABLE product_tag({product}, {tag}, added TEXT, PRIMARY KEY(product_id, tag_id)){end}")
    }

    pub fn create_index(&mut self) -> String {
        format!("CREATE INDEX {} ON {}", self.name("ix"), self.one(&INDEXED))
    }

    pub fn create_view(&mut self) -> String {
        let name = self.name("v");
        let (query, columns) =
            if self.rng.bool() { (self.pair_of_columns(None), ["x", "y"]) } else { (self.grouped(), ["g0", "n0"]) };
        self.views.push(View { name: name.clone(), columns });
        format!("CREATE VIEW {name} AS {}", query.nested())
    }

    pub fn upkeep(&mut self) -> String {
        match self.rng.u32(0..5) {
            0 => format!("DROP INDEX IF EXISTS ix{}", self.below(20)),
            _ => self.one(&["ANALYZE", "REINDEX", "PRAGMA optimize", "VACUUM"]).to_owned(),
        }
    }

    /// Transactions and savepoints, also without an open one.
    pub fn transaction(&mut self) -> String {
        let statements =
            ["BEGIN", "BEGIN", "COMMIT", "COMMIT", "ROLLBACK", "SAVEPOINT s", "ROLLBACK TO s", "RELEASE s"];
        self.one(&statements).to_owned()
    }

    pub fn create_trigger(&mut self) -> String {
        let body = self.one(&[
            "AFTER INSERT ON item BEGIN UPDATE orders SET total = coalesce(total, 0) + NEW.qty * NEW.price WHERE id = NEW.order_id; END",
            "AFTER DELETE ON item BEGIN UPDATE product SET stock = stock + OLD.qty WHERE id = OLD.product_id; END",
            "AFTER UPDATE OF status ON orders WHEN NEW.status <> OLD.status BEGIN INSERT INTO event(customer_id, kind, at, payload) \
             VALUES (NEW.customer_id, 'status', unixepoch('2024-01-01'), json_array(OLD.status, NEW.status)); END",
            "BEFORE DELETE ON customer BEGIN DELETE FROM orders WHERE customer_id = OLD.id; END",
            "AFTER UPDATE ON product BEGIN UPDATE product SET deleted_at = '2024-05-05' WHERE id = NEW.id AND NEW.stock <= 0; END",
            "BEFORE INSERT ON product WHEN NEW.price < 0 BEGIN SELECT RAISE(ABORT, 'negative price'); END",
            "AFTER INSERT ON orders BEGIN UPDATE customer SET credit = credit - NEW.total WHERE id = NEW.customer_id; \
             INSERT INTO event(customer_id, kind, at) SELECT NEW.customer_id, 'order', count(*) FROM orders WHERE customer_id = NEW.customer_id; END",
        ]);
        format!("CREATE TRIGGER {} {body}", self.name("tr"))
    }
}
