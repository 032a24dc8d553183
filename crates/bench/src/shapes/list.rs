//! The shapes: one kind of statement each, over the tables of `schema.sql`.

/// The shapes of one chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// A few rows by a key.
    Lookup,
    /// Many rows of one table, filtered.
    Scan,
    /// Several tables.
    Join,
    /// ORDER BY and LIMIT.
    Order,
    /// GROUP BY, DISTINCT, aggregates.
    Aggregate,
    /// Window functions.
    Window,
    /// Subqueries, common table expressions, compounds.
    Nested,
    /// Text, numbers, dates, JSON.
    Expression,
    /// INSERT, UPDATE, DELETE.
    Change,
}

impl Group {
    /// All groups: the id and the title of each one's chart.
    pub const ALL: [(Group, &'static str, &'static str); 9] = [
        (Group::Lookup, "lookup", "A few rows by a key"),
        (Group::Scan, "scan", "Many rows of one table"),
        (Group::Join, "join", "Joins"),
        (Group::Order, "order", "ORDER BY and LIMIT"),
        (Group::Aggregate, "aggregate", "Groups and aggregates"),
        (Group::Window, "window", "Windows"),
        (Group::Nested, "nested", "Subqueries, common table expressions, compounds"),
        (Group::Expression, "expression", "Expressions"),
        (Group::Change, "change", "Changes"),
    ];
}

/// One shape of a statement.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Its chart.
    pub group: Group,
    /// The name in output.
    pub label: &'static str,
    /// The statement. `?1` is a number from 1 to the number of purchases, a different one in each run.
    pub sql: &'static str,
    /// The number of runs in a sample.
    pub runs: usize,
}

const fn shape(group: Group, runs: usize, label: &'static str, sql: &'static str) -> Shape {
    Shape { group, label, sql, runs }
}

use Group::{Aggregate, Change, Expression, Join, Lookup, Nested, Order, Scan, Window};

/// All shapes.
#[rustfmt::skip]
pub const SHAPES: &[Shape] = &[
    shape(Lookup, 500, "by rowid", "SELECT * FROM purchase WHERE id = ?1"),
    shape(Lookup, 500, "by rowid, no row", "SELECT * FROM purchase WHERE id = -?1"),
    shape(Lookup, 500, "by a text key of a WITHOUT ROWID table", "SELECT name FROM product WHERE sku = printf('SKU-%06d', ?1)"),
    shape(Lookup, 500, "by two columns of a primary key", "SELECT sku, count FROM item WHERE purchase = ?1 AND line = 1"),
    shape(Lookup, 200, "by the first column of an index", "SELECT day, total FROM purchase WHERE customer = 1 + ?1 % 1000"),
    shape(Lookup, 200, "by a covering index", "SELECT at FROM event WHERE device = 'device ' || ?1 % 1009"),
    shape(Lookup, 200, "by a partial index", "SELECT id FROM purchase WHERE status = 'open' AND customer = 1 + ?1 % 1000"),
    shape(Lookup, 20, "by an expression of an index", "SELECT count(*) FROM event WHERE json_extract(data, '$.level') = ?1 % 7 AND id < 100"),
    shape(Lookup, 200, "IN of five rowids", "SELECT total FROM purchase WHERE id IN (?1, ?1 + 1, ?1 * 3, ?1 * 7, 5)"),
    shape(Lookup, 50, "OR over two indexes", "SELECT id FROM purchase WHERE customer = 1 + ?1 % 1000 OR day = '2021-03-04'"),
    shape(Lookup, 100, "a range of rowids", "SELECT total FROM purchase WHERE id BETWEEN ?1 AND ?1 + 20"),
    shape(Lookup, 100, "a range of an index", "SELECT id FROM event WHERE device = 'device 7' AND at > 1700000000 + ?1 LIMIT 10"),
    shape(Lookup, 100, "a row value as a range", "SELECT count FROM item WHERE (purchase, line) > (?1, 1) LIMIT 10"),
    shape(Lookup, 500, "a unique text", "SELECT value FROM setting WHERE key = 'key ' || ?1 % 1000"),
    shape(Lookup, 500, "greatest by an index", "SELECT max(day) FROM purchase"),
    shape(Lookup, 20, "LIKE with a fixed beginning", "SELECT count(*) FROM product WHERE sku GLOB 'SKU-00' || ?1 % 10 || '*'"),
    shape(Scan, 1, "count(*)", "SELECT count(*) FROM item"),
    shape(Scan, 1, "sum of a REAL column", "SELECT sum(total) FROM purchase"),
    shape(Scan, 1, "three comparisons", "SELECT id FROM purchase WHERE total > 5000 AND total < 5100 AND status <> 'open'"),
    shape(Scan, 1, "all columns of all rows", "SELECT * FROM purchase"),
    shape(Scan, 1, "the last column of all rows", "SELECT max(note) FROM customer"),
    shape(Scan, 1, "LIKE in the middle", "SELECT count(*) FROM word WHERE text LIKE '%cd1%'"),
    shape(Scan, 1, "GLOB", "SELECT count(*) FROM word WHERE text GLOB '*ef*7'"),
    shape(Scan, 1, "IN of a list of texts", "SELECT count(*) FROM purchase WHERE status IN ('open', 'sent', 'lost', 'late')"),
    shape(Scan, 1, "OR of five comparisons", "SELECT count(*) FROM event WHERE kind = 1 OR kind = 4 OR kind = 9 OR at % 1000 = 3 OR id < 50"),
    shape(Scan, 1, "IS NULL", "SELECT count(*) FROM customer WHERE note IS NULL"),
    shape(Scan, 1, "CASE of a column", "SELECT sum(CASE status WHEN 'open' THEN 1 WHEN 'sent' THEN 10 ELSE 100 END) FROM purchase"),
    shape(Scan, 1, "a range of texts by an index", "SELECT sum(total) FROM purchase WHERE day >= '2021-01-01' AND day < '2021-07-01'"),
    shape(Scan, 1, "a covering index instead of the table", "SELECT count(DISTINCT day) FROM purchase"),
    shape(Scan, 1, "a WITHOUT ROWID table", "SELECT sum(count * price) FROM item"),
    shape(Scan, 1, "backwards", "SELECT id, total FROM purchase WHERE total < 10 ORDER BY id DESC"),
    shape(Join, 1, "by rowid", "SELECT sum(balance) FROM purchase JOIN customer ON customer.id = purchase.customer"),
    shape(Join, 1, "three tables", "SELECT count(*), sum(item.price) FROM purchase JOIN item ON item.purchase = purchase.id JOIN product USING (sku) WHERE day LIKE '2021%' AND kind = 'kind 3'"),
    shape(Join, 1, "from a few rows to many", "SELECT count(*) FROM customer JOIN purchase ON purchase.customer = customer.id JOIN item ON item.purchase = purchase.id WHERE city = 'city 5'"),
    shape(Join, 1, "without an index", "SELECT count(*) FROM word JOIN setting ON setting.value = word.length * 3"),
    shape(Join, 1, "by text without an index", "SELECT count(*) FROM customer AS a JOIN customer AS b ON a.note = b.note WHERE a.id < 300"),
    shape(Join, 1, "LEFT JOIN, most without a partner", "SELECT count(o.id) FROM customer LEFT JOIN purchase AS o ON o.customer = customer.id AND o.status = 'open'"),
    shape(Join, 1, "LEFT JOIN and IS NULL", "SELECT count(*) FROM customer LEFT JOIN purchase AS o ON o.customer = customer.id AND o.status = 'sent' WHERE o.id IS NULL"),
    shape(Join, 1, "FULL JOIN", "SELECT count(*) FROM (SELECT id FROM customer WHERE id % 2) AS a FULL JOIN (SELECT id FROM customer WHERE id % 3) AS b USING (id)"),
    shape(Join, 1, "a table with itself", "SELECT count(*) FROM node AS a JOIN node AS b ON b.parent = a.id JOIN node AS c ON c.parent = b.id"),
    shape(Join, 1, "by a range", "SELECT count(*) FROM setting AS a JOIN setting AS b ON b.value BETWEEN a.value AND a.value + 20"),
    shape(Join, 1, "a view", "SELECT count(*), sum(total) FROM open_purchase WHERE city = 'city 7'"),
    shape(Join, 50, "one purchase with everything", "SELECT c.name, p.day, i.count, r.name FROM purchase AS p JOIN customer AS c ON c.id = p.customer JOIN item AS i ON i.purchase = p.id JOIN product AS r ON r.sku = i.sku WHERE p.id = ?1"),
    shape(Order, 1, "by a number", "SELECT id FROM purchase ORDER BY total"),
    shape(Order, 1, "by a text", "SELECT text FROM word ORDER BY text"),
    shape(Order, 1, "by two columns, one DESC", "SELECT id FROM purchase ORDER BY status, total DESC"),
    shape(Order, 1, "the first 20", "SELECT id, total FROM purchase ORDER BY total DESC LIMIT 20"),
    shape(Order, 1, "the first 20 texts without case", "SELECT text FROM word ORDER BY text COLLATE NOCASE LIMIT 20"),
    shape(Order, 20, "an index has the order", "SELECT * FROM purchase ORDER BY day LIMIT 100"),
    shape(Order, 20, "an index has the beginning of the order", "SELECT id FROM purchase ORDER BY day DESC, id LIMIT 20"),
    shape(Order, 20, "an index after an equal column", "SELECT id FROM purchase WHERE customer = 1 + ?1 % 1000 ORDER BY day DESC"),
    shape(Order, 1, "OFFSET", "SELECT id FROM purchase ORDER BY day LIMIT 10 OFFSET 5000"),
    shape(Order, 1, "wide rows", "SELECT * FROM event ORDER BY kind, id DESC LIMIT 1000"),
    shape(Order, 5, "NULLS LAST", "SELECT id FROM customer ORDER BY note NULLS LAST LIMIT 50"),
    shape(Aggregate, 1, "groups of a few values", "SELECT status, count(*), sum(total) FROM purchase GROUP BY status"),
    shape(Aggregate, 1, "groups of many values", "SELECT customer, sum(total) FROM purchase GROUP BY customer"),
    shape(Aggregate, 1, "each row a group", "SELECT text, count(*) FROM word GROUP BY text, length"),
    shape(Aggregate, 1, "groups in the order of an index", "SELECT device, max(at) FROM event GROUP BY device"),
    shape(Aggregate, 1, "HAVING", "SELECT customer FROM purchase GROUP BY customer HAVING count(*) > 12 AND sum(total) > 60000"),
    shape(Aggregate, 1, "groups by an expression, ordered", "SELECT substr(day, 1, 7) AS month, count(*) FROM purchase GROUP BY month ORDER BY 2 DESC LIMIT 5"),
    shape(Aggregate, 1, "DISTINCT of a few values", "SELECT DISTINCT status FROM purchase"),
    shape(Aggregate, 1, "DISTINCT of many values", "SELECT count(*) FROM (SELECT DISTINCT customer, status FROM purchase)"),
    shape(Aggregate, 1, "count(DISTINCT) of texts", "SELECT count(DISTINCT text) FROM word"),
    shape(Aggregate, 1, "count(DISTINCT) of numbers", "SELECT count(DISTINCT customer) FROM purchase"),
    shape(Aggregate, 1, "six aggregates at once", "SELECT count(*), sum(total), avg(total), min(total), max(total), total(id) FROM purchase"),
    shape(Aggregate, 1, "FILTER", "SELECT count(*) FILTER (WHERE status = 'open'), sum(total) FILTER (WHERE day > '2022') FROM purchase"),
    shape(Aggregate, 1, "group_concat", "SELECT length(group_concat(text, ';')) FROM word GROUP BY length"),
    shape(Aggregate, 1, "the row of the greatest value", "SELECT customer, max(total), id, day FROM purchase GROUP BY customer"),
    shape(Window, 1, "row_number()", "SELECT sum(n) FROM (SELECT row_number() OVER (ORDER BY total) AS n FROM purchase)"),
    shape(Window, 1, "rank() by partitions", "SELECT sum(r) FROM (SELECT rank() OVER (PARTITION BY customer ORDER BY total DESC) AS r FROM purchase)"),
    shape(Window, 1, "the first of each partition, a few", "SELECT * FROM (SELECT customer, id, rank() OVER (PARTITION BY customer ORDER BY day DESC) AS r FROM purchase) WHERE r = 1 LIMIT 5"),
    shape(Window, 1, "a running sum", "SELECT sum(s) FROM (SELECT sum(total) OVER (ORDER BY id) AS s FROM purchase)"),
    shape(Window, 1, "a moving mean", "SELECT sum(s) FROM (SELECT avg(total) OVER (ORDER BY id ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) AS s FROM purchase)"),
    shape(Window, 1, "lag() and lead()", "SELECT count(*) FROM (SELECT at - lag(at) OVER w AS d, lead(kind) OVER w AS k FROM event WINDOW w AS (PARTITION BY device ORDER BY at)) WHERE d > 100 AND k < 5"),
    shape(Window, 1, "a share of the total", "SELECT sum(s) FROM (SELECT total / sum(total) OVER (PARTITION BY status) AS s FROM purchase)"),
    shape(Nested, 1, "a correlated subquery", "SELECT sum((SELECT max(total) FROM purchase WHERE customer = customer.id)) FROM customer"),
    shape(Nested, 1, "EXISTS", "SELECT count(*) FROM customer WHERE EXISTS (SELECT 1 FROM purchase WHERE customer = customer.id AND status = 'open')"),
    shape(Nested, 1, "NOT EXISTS", "SELECT count(*) FROM product WHERE NOT EXISTS (SELECT 1 FROM item WHERE item.sku = product.sku AND count > 4)"),
    shape(Nested, 1, "IN of a subquery", "SELECT count(*) FROM purchase WHERE customer IN (SELECT id FROM customer WHERE city = 'city 3')"),
    shape(Nested, 1, "NOT IN of a subquery", "SELECT count(*) FROM customer WHERE id NOT IN (SELECT customer FROM purchase WHERE status = 'sent')"),
    shape(Nested, 1, "a subquery in FROM with groups", "SELECT count(*) FROM (SELECT customer, sum(total) AS s FROM purchase GROUP BY customer) AS t JOIN customer ON customer.id = t.customer WHERE s > 50000"),
    shape(Nested, 1, "a common table expression used twice", "WITH s AS (SELECT customer, sum(total) AS s FROM purchase GROUP BY customer) SELECT count(*) FROM s WHERE s > (SELECT avg(s) FROM s)"),
    shape(Nested, 5, "a recursive walk down a tree", "WITH RECURSIVE below(id) AS (SELECT 2 UNION ALL SELECT node.id FROM node JOIN below ON node.parent = below.id) SELECT count(*) FROM below"),
    shape(Nested, 1, "a recursive counter", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT sum(i) FROM n"),
    shape(Nested, 1, "UNION ALL", "SELECT count(*) FROM (SELECT id FROM purchase WHERE status = 'open' UNION ALL SELECT id FROM event WHERE kind = 3)"),
    shape(Nested, 1, "UNION", "SELECT count(*) FROM (SELECT customer FROM purchase WHERE total > 9000 UNION SELECT id FROM customer WHERE born > 1990)"),
    shape(Nested, 1, "EXCEPT", "SELECT count(*) FROM (SELECT id FROM customer EXCEPT SELECT customer FROM purchase WHERE status = 'open')"),
    shape(Nested, 1, "a compound in order, the first ones", "SELECT day FROM purchase WHERE customer = 3 UNION ALL SELECT day FROM purchase WHERE customer = 4 ORDER BY 1 LIMIT 5"),
    shape(Expression, 1, "concatenation", "SELECT max(name || ', ' || city || ' (' || country || ')') FROM customer"),
    shape(Expression, 1, "substr, upper, replace", "SELECT max(replace(upper(substr(text, 2)), 'C', 'xx')) FROM word"),
    shape(Expression, 1, "arithmetic", "SELECT sum((total * 1.19 - id % 100) / (1 + id % 7)) FROM purchase"),
    shape(Expression, 1, "printf", "SELECT max(printf('%05d %.2f %s', id, total, status)) FROM purchase"),
    shape(Expression, 1, "dates", "SELECT count(*) FROM purchase WHERE strftime('%m', day) = '07'"),
    shape(Expression, 1, "julianday", "SELECT sum(julianday(day) - julianday('2020-01-01')) FROM purchase"),
    shape(Expression, 1, "json_extract", "SELECT sum(json_extract(data, '$.value')) FROM event"),
    shape(Expression, 1, "->>", "SELECT count(*) FROM event WHERE data ->> 'text' LIKE '%99'"),
    shape(Expression, 1, "json_each", "SELECT value, count(*) FROM event, json_each(data, '$.tags') WHERE event.id < 4000 GROUP BY value"),
    shape(Expression, 1, "coalesce and nullif", "SELECT sum(coalesce(nullif(born % 10, 3), length(note), 0)) FROM customer"),
    shape(Expression, 1, "CAST", "SELECT sum(CAST(substr(text, -3) AS INTEGER)) FROM word"),
    shape(Change, 200, "INSERT", "INSERT INTO word VALUES ('new ' || ?1, 5)"),
    shape(Change, 100, "INSERT with three indexes", "INSERT INTO purchase(customer, day, status, total) VALUES (1 + ?1 % 1000, '2024-01-01', 'open', 5)"),
    shape(Change, 200, "UPSERT", "INSERT INTO setting VALUES ('key ' || ?1 % 2000, 1) ON CONFLICT(key) DO UPDATE SET value = value + 1"),
    shape(Change, 100, "REPLACE", "REPLACE INTO setting VALUES ('key ' || ?1 % 1000, ?1)"),
    shape(Change, 1, "INSERT … SELECT", "INSERT INTO word SELECT status || id, id FROM purchase"),
    shape(Change, 200, "UPDATE by rowid", "UPDATE purchase SET total = total + 1 WHERE id = ?1"),
    shape(Change, 100, "UPDATE of an indexed column", "UPDATE purchase SET day = '2025-01-01' WHERE id = ?1"),
    shape(Change, 1, "UPDATE of all rows", "UPDATE customer SET balance = balance * 1.01"),
    shape(Change, 1, "UPDATE with IN of a subquery", "UPDATE purchase SET status = 'lost' WHERE customer IN (SELECT id FROM customer WHERE country = 'country 3')"),
    shape(Change, 1, "UPDATE … FROM", "UPDATE purchase SET total = total + s FROM (SELECT purchase, sum(price) AS s FROM item GROUP BY purchase) AS t WHERE t.purchase = purchase.id AND purchase.id % 10 = 0"),
    shape(Change, 100, "DELETE by rowid", "DELETE FROM event WHERE id = ?1"),
    shape(Change, 1, "DELETE of a range", "DELETE FROM event WHERE id > 1000"),
    shape(Change, 1, "DELETE with a condition", "DELETE FROM item WHERE count = 2"),
    shape(Change, 1, "DELETE of everything", "DELETE FROM item"),
    shape(Change, 5, "INSERT … RETURNING", "INSERT INTO node(parent, name) VALUES (1, 'a'), (2, 'b'), (3, 'c') RETURNING id"),
];
