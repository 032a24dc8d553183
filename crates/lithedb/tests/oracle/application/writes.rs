//! The application's writes.

use super::World;
use super::tables::{Source, TABLES, Table};

impl World {
    pub fn write(&mut self) -> String {
        const ALL: &[Table] = &TABLES;
        let table = &ALL[self.rng.usize(0..ALL.len())];
        let sources = [self.named_by_itself(table)];
        let returning = self.returning(&sources);
        match self.rng.u32(0..15) {
            0..3 => {
                let conflict = self.one(&["", "OR REPLACE ", "OR IGNORE "]);
                self.insert(table, conflict) + &returning
            }
            3 => {
                let filter = self.one(&["", " WHERE excluded.added > product_tag.added"]);
                let insert = self.insert(Table::named("product_tag"), "");
                format!("{insert} ON CONFLICT(product_id, tag_id) DO UPDATE SET added = excluded.added{filter}")
            }
            4 => {
                let insert = self.insert(Table::named("customer"), "");
                let upsert =
                    "ON CONFLICT(id) DO UPDATE SET credit = credit + excluded.credit, name = excluded.name || '*'";
                format!(
                    "{insert} {}",
                    self.one(&["ON CONFLICT DO NOTHING", upsert, &format!("{upsert} RETURNING id, name, credit")])
                )
            }
            5 => {
                let orders = self.named_by_itself(Table::named("orders"));
                let (filter, returning) = (self.filter(&[orders]), self.one(&["", " RETURNING id, total"]));
                let sum = "SELECT round(sum(qty * price), 2) FROM item WHERE order_id = orders.id";
                format!("UPDATE orders SET total = ({sum}){filter}{returning}")
            }
            6 | 7 => self.update_from(),
            8 => format!("DELETE FROM {}{}{returning}", table.name, self.narrow_filter(&sources)),
            9 => self.insert_selected(),
            10 => {
                let product = self.named_by_itself(Table::named("product"));
                let (color, filter) = (self.one(&["'green'", "NULL", "1"]), self.condition(&[product], 1));
                format!(
                    "UPDATE product SET attrs = json_set(attrs, '$.color', {color}) WHERE json_valid(attrs) AND {filter}"
                )
            }
            11 => {
                let orders = self.named_by_itself(Table::named("orders"));
                let filter = self.condition(&[orders], 0);
                format!("DELETE FROM item WHERE order_id IN (SELECT id FROM orders WHERE {filter})")
            }
            _ => self.update(table, &sources) + &returning,
        }
    }

    /// A table under its own name.
    fn named_by_itself(&mut self, table: &'static Table) -> Source {
        Source { alias: table.name.to_owned(), ..self.source(table) }
    }

    fn returning(&mut self, sources: &[Source]) -> String {
        match self.rng.u32(0..5) {
            0 => " RETURNING *".to_owned(),
            1 if sources[0].table.name != "product_tag" => " RETURNING rowid, *".to_owned(),
            2 => format!(" RETURNING {}, {}", self.any(sources), self.expression(sources, 0)),
            _ => String::new(),
        }
    }

    fn insert(&mut self, table: &'static Table, conflict: &str) -> String {
        let first = self.size + self.below(9);
        let rows: Vec<Vec<String>> = (0..self.rng.i64(1..3)).map(|at| self.row(table, first + at)).collect();
        self.insert_rows(table, conflict, &rows)
    }

    fn insert_selected(&mut self) -> String {
        let customer = Source { alias: "c".to_owned(), table: Table::named("customer"), keys: vec!["id"] };
        let filter = self.filter(&[customer]);
        format!(
            "INSERT INTO event(customer_id, kind, at, payload) SELECT c.id, 'view', unixepoch(c.created), json_object('n', c.name, \
             'o', (SELECT count(*) FROM orders o WHERE o.customer_id = c.id)) FROM customer c{filter} ORDER BY c.id LIMIT 5"
        )
    }

    /// UPDATE … FROM with queries and tables that have one row for each updated row.
    fn update_from(&mut self) -> String {
        let (product, orders) =
            (self.named_by_itself(Table::named("product")), self.named_by_itself(Table::named("orders")));
        match self.rng.u32(0..3) {
            0 => {
                let filter = self.condition(&[product], 0);
                format!(
                    "UPDATE product SET stock = stock - s.q FROM (SELECT product_id, sum(qty) q FROM item GROUP BY 1) s \
                     WHERE s.product_id = product.id AND {filter}"
                )
            }
            1 => {
                let filter = self.condition(&[orders], 0);
                let returning = self.one(&["", " RETURNING id, note, c.city"]);
                format!(
                    "UPDATE orders SET note = c.name || '!' FROM customer c WHERE c.id = orders.customer_id AND {filter}{returning}"
                )
            }
            _ => {
                let filter = self.condition(&[orders], 0);
                format!(
                    "WITH s(customer_id, n) AS (SELECT customer_id, count(*) FROM orders GROUP BY 1) UPDATE orders SET total = \
                     total + s.n FROM s LEFT JOIN customer c ON c.id = s.customer_id WHERE s.customer_id = orders.customer_id AND {filter}"
                )
            }
        }
    }

    /// A WHERE clause.
    fn narrow_filter(&mut self, sources: &[Source]) -> String {
        format!(" WHERE {} AND {}", self.condition(sources, 1), self.condition(sources, 0))
    }

    fn update(&mut self, table: &'static Table, sources: &[Source]) -> String {
        let columns: Vec<&str> = table.columns.iter().map(|(name, _)| *name).filter(|name| *name != "id").collect();
        let count = [1, 1, 2][self.rng.usize(0..3)];
        let assignments =
            self.list(count, |world| format!("{} = {}", world.one(&columns), world.expression(sources, 1)));
        let conflict = self.one(&["", "OR IGNORE ", "OR REPLACE "]);
        format!("UPDATE {conflict}{} SET {assignments}{}", table.name, self.filter(sources))
    }
}
