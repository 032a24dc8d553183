-- A shop: customers and what they buy, a log of events, a tree, words, and a table of a hundred columns.
-- ?1 in the statements that fill it is the number of purchases; everything else follows from that. The numbers are scattered by
-- multiplication with primes, so that both libraries make the same rows without random numbers.
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT, country TEXT, born INTEGER, balance REAL, note TEXT);
CREATE TABLE product(sku TEXT PRIMARY KEY, name TEXT COLLATE NOCASE, kind TEXT, price REAL) WITHOUT ROWID;
CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer(id), day TEXT, status TEXT, total REAL);
CREATE TABLE item(purchase INTEGER, line INTEGER, sku TEXT, count INTEGER, price REAL, PRIMARY KEY(purchase, line)) WITHOUT ROWID;
CREATE TABLE event(id INTEGER PRIMARY KEY, at INTEGER, kind INTEGER, device TEXT, data TEXT);
CREATE TABLE node(id INTEGER PRIMARY KEY, parent INTEGER, name TEXT);
CREATE TABLE word(text TEXT, length INTEGER);
CREATE TABLE setting(key TEXT UNIQUE, value);
CREATE VIEW open_purchase AS SELECT purchase.id, name, city, day, total FROM purchase JOIN customer ON customer.id = customer WHERE status = 'open';
