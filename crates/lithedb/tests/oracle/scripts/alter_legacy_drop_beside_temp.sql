-- Of the view that cannot be resolved, ALTER says nothing in this mode before it has checked the indexes of temp.
CREATE TEMP TABLE of_rows(a, k, d)
CREATE VIEW unclear AS SELECT a FROM of_rows
CREATE UNIQUE INDEX temp.of_rows_d ON of_rows(d) WHERE 0 AND "k" <> (a, 1) = (2, 't1')
CREATE TABLE cut(a, "order", c)
PRAGMA legacy_alter_table = ON
ALTER TABLE cut DROP c
ALTER TABLE cut RENAME c TO d
