-- Of several equalities of a column the first decides whether it has one value; it may be one in which the column has become a constant.
CREATE TABLE b(id INTEGER PRIMARY KEY, k INT, s TEXT, n REAL, d TEXT, UNIQUE(s, id))
? SELECT DISTINCT s, k FROM b WHERE k = CAST('2' AS TEXT) AND 2 = k AND abs(k) < id
? SELECT DISTINCT s, k FROM b WHERE 2 = k AND k = CAST('2' AS TEXT) AND abs(k) < id
? SELECT DISTINCT s, k FROM b WHERE abs(k) < id AND 2 = k
? SELECT DISTINCT s, k FROM b WHERE abs(k) < id AND k = 2
? SELECT DISTINCT s, k FROM b WHERE k = 2 AND k = CAST('2' AS TEXT) AND abs(k) < id
? SELECT DISTINCT s, k FROM b WHERE k = CAST('2' AS TEXT) AND k = 2 AND abs(k) < id
? SELECT DISTINCT s, k FROM b WHERE k = n AND 2 = k AND abs(k) < id
? SELECT DISTINCT s, k FROM b WHERE k = CAST('2' AS REAL) AND 2 = k AND abs(k) < id
? SELECT DISTINCT s, k FROM b WHERE k = '2' AND 2 = k AND abs(k) < id
? SELECT s FROM b WHERE k = CAST('2' AS TEXT) AND 2 = k ORDER BY k
? SELECT s FROM b WHERE k = CAST('2' AS TEXT) AND 2 = k AND abs(k) < id ORDER BY k
? SELECT s FROM b WHERE k = CAST('2' AS TEXT) ORDER BY k
? SELECT s FROM b WHERE 2 = k AND k = CAST('2' AS TEXT) ORDER BY k
? SELECT DISTINCT s, k FROM b WHERE k = CAST('2' AS TEXT) AND 2 = k
? SELECT DISTINCT s, k FROM b WHERE k = CAST('2' AS TEXT) AND 2 = k AND id > 3
? SELECT DISTINCT s, k FROM b WHERE k = CAST('2' AS TEXT) AND id > 3
? SELECT DISTINCT s, k FROM b WHERE 2 = k AND id > 3
? SELECT DISTINCT s, k FROM b WHERE 2 = k AND id > k
? SELECT DISTINCT s, k FROM b WHERE k = CAST('2' AS TEXT) AND 2 = k AND id > k
? SELECT DISTINCT s, k FROM b WHERE 2 = k AND k = CAST('2' AS TEXT) AND id > k
? SELECT DISTINCT s, k FROM b WHERE 2 = k AND k = CAST('2' AS TEXT) AND id > 3
? SELECT DISTINCT s, k FROM b WHERE id > 3 AND 2 = k AND k = CAST('2' AS TEXT)
? SELECT DISTINCT s, k FROM b WHERE id > 3 AND k = CAST('2' AS TEXT) AND k = 2
? SELECT DISTINCT s, k FROM b WHERE id > 3 AND k = CAST('2' AS TEXT)
? SELECT * FROM b WHERE k = CAST('2' AS TEXT) ORDER BY k
? SELECT * FROM b WHERE k = CAST('2' AS TEXT) AND k = 3 ORDER BY k
? SELECT * FROM b WHERE k = CAST('2' AS TEXT) AND k = 3 AND id > 4 ORDER BY s, k
? SELECT * FROM b WHERE k = CAST('2' AS TEXT) AND k = 3 AND id > 4 ORDER BY k, s
