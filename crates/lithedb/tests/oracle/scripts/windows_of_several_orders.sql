CREATE TABLE t(id INTEGER PRIMARY KEY,a,b,c)
INSERT INTO t VALUES(1,2,1,'x'),(2,1,3,'y'),(3,2,2,'z'),(4,1,1,'w'),(5,2,3,'v'),(6,1,2,'u')
SELECT id, row_number() OVER (ORDER BY a), sum(b) OVER () FROM t
SELECT id,  sum(b) OVER (),row_number() OVER (ORDER BY a) FROM t
SELECT id,  row_number() OVER (ORDER BY a), row_number() OVER (ORDER BY b) FROM t
SELECT id,  row_number() OVER (ORDER BY b), row_number() OVER (ORDER BY a) FROM t
SELECT id,  row_number() OVER (ORDER BY b), row_number() OVER (ORDER BY a), sum(id) over (order by b), sum(id) over () FROM t
SELECT id,  row_number() OVER (ORDER BY b), row_number() OVER (ORDER BY a), sum(id) over (order by b), sum(id) over () FROM t ORDER BY a
SELECT id,  row_number() OVER (PARTITION BY b), row_number() OVER (ORDER BY b, a), sum(id) over (order by b), sum(id) over () FROM t
SELECT id,  row_number() OVER (PARTITION BY b ORDER BY a), row_number() OVER (ORDER BY b), sum(id) over (order by b), sum(id) over () FROM t
SELECT id,  row_number() OVER (ORDER BY b), row_number() OVER (ORDER BY b, a) FROM t
CREATE TABLE orders(id INTEGER PRIMARY KEY AUTOINCREMENT, customer_id INTEGER REFERENCES customer(id) ON DELETE SET NULL, placed DATETIME, status TEXT COLLATE NOCASE, total REAL, note TEXT, ship JSON)
INSERT OR IGNORE INTO orders(customer_id, placed, status, total, note, ship) VALUES (16, NULL, 'shipped', 47.0, 'de la Cruz', NULL)
INSERT OR IGNORE INTO orders(customer_id, placed, status, total, note, ship) VALUES (15, NULL, 'cancelled', 15, '  pad ', NULL)
CREATE INDEX ix87 ON orders(status, placed DESC)
CREATE INDEX ix153 ON orders(status)
SELECT o189.note AS k, unicode(o189.note) AS e, avg(o189.id) OVER (ORDER BY o189.ship DESC, o189.placed ROWS UNBOUNDED PRECEDING) AS w, sum(o189.id) OVER () AS tot FROM orders AS o189 ORDER BY w, k, e
CREATE TABLE product_tag(product_id INTEGER, tag_id INTEGER, added TEXT, PRIMARY KEY(product_id, tag_id)) WITHOUT ROWID
CREATE INDEX ix1 ON product_tag(tag_id, product_id)
INSERT OR IGNORE INTO product_tag(product_id, tag_id, added) VALUES (4, 4, '2023-01-05 03:09:14')
INSERT OR IGNORE INTO product_tag(product_id, tag_id, added) VALUES (20, 4, '2020-08-05 14:56:29')
SELECT p200.tag_id AS k, datetime(p200.added,'+90 minutes') AS e, lead(p200.added) OVER (ORDER BY p200.tag_id DESC, p200.tag_id) AS w, sum(p200.product_id) OVER () AS tot FROM product_tag AS p200 ORDER BY w, k, e
CREATE TABLE item(order_id INTEGER REFERENCES orders, product_id INTEGER REFERENCES product, qty INT, price REAL, discount NUMERIC, PRIMARY KEY(product_id,order_id))
INSERT OR IGNORE INTO item(order_id, product_id, qty, price, discount) VALUES (2, 1, 4, 0.1, 91.0)
INSERT OR IGNORE INTO item(order_id, product_id, qty, price, discount) VALUES (1, 1, 2, 57.42, 16)
SELECT i191.price AS k, i191.price AS e, lead(i191.price) OVER (ORDER BY i191.product_id, i191.product_id) AS w, i191.price * 100.0 / sum(i191.price) OVER () AS pct FROM item AS i191 ORDER BY w, k, e
CREATE TABLE product_tag(product_id INTEGER REFERENCES product(id), tag_id INTEGER REFERENCES tag, added TEXT, PRIMARY KEY(product_id, tag_id)) 
INSERT OR IGNORE INTO product_tag(product_id, tag_id, added) VALUES (35, 6, '2020-04-07')
INSERT OR IGNORE INTO product_tag(product_id, tag_id, added) VALUES (35, 23, '2020-07-19')
SELECT p123.tag_id AS k, p123.tag_id AS e, sum(p123.product_id) OVER (ORDER BY p123.product_id DESC, p123.product_id GROUPS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING) AS w, sum(p123.product_id) OVER () AS tot FROM product_tag p123 WHERE p123.added BETWEEN '2020-01-01' AND '2021-12-31' ORDER BY 3 DESC LIMIT 4
-- windows with queries in them
SELECT id, rank() OVER (ORDER BY a), rank() OVER (PARTITION BY id IN (SELECT a FROM t) ORDER BY b) FROM t ORDER BY 2, 3, 1
SELECT id, rank() OVER (PARTITION BY id IN (SELECT a FROM t) ORDER BY b), rank() OVER (ORDER BY a) FROM t ORDER BY 2, 3, 1
SELECT id, rank() OVER w, count(*) OVER w FROM t WINDOW w AS (PARTITION BY (SELECT max(a) FROM t) ORDER BY b) ORDER BY 2, 3, 1
