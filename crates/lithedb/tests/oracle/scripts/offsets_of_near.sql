-- The first offsets() of a scan lists the words of a NEAR beside an OR, whether it holds or not, unless matchinfo's x has come before.
CREATE VIRTUAL TABLE t USING fts4(x)
INSERT INTO t(docid, x) VALUES (1, 'c a z z z z b'), (2, 'c a z z z z b'), (3, 'c a a b b z z q q a'), (4, 'c a b'), (5, 'c a')
SELECT docid, offsets(t), offsets(t) FROM t WHERE t MATCH 'c OR (a NEAR/1 b)'
SELECT docid, snippet(t), offsets(t), snippet(t) FROM t WHERE t MATCH '(a NEAR/1 b) OR c'
SELECT docid, hex(matchinfo(t, 'x')), offsets(t) FROM t WHERE t MATCH 'c OR (a NEAR/1 b)'
SELECT docid, hex(matchinfo(t, 'y')), offsets(t), hex(matchinfo(t, 'yb')) FROM t WHERE t MATCH 'c OR (a NEAR/1 b)'
SELECT docid, iif(docid > 1, offsets(t), 0) FROM t WHERE t MATCH 'c OR (a NEAR/1 b)'
SELECT docid, offsets(t) FROM t WHERE t MATCH 'c OR (a NEAR/1 b)' ORDER BY docid DESC
SELECT docid, offsets(t) FROM t WHERE t MATCH 'c OR (a NEAR/1 b)' AND docid >= 2
SELECT docid, offsets(t) FROM t WHERE t MATCH 'c OR (a NEAR/0 b NEAR/0 z)' AND docid >= 3
SELECT docid, offsets(t) FROM t WHERE t MATCH 'c OR (z NEAR/0 b NEAR/0 a)' AND docid >= 3
SELECT docid, offsets(t) FROM t WHERE t MATCH 'c OR (c NEAR/0 a NEAR/0 b NEAR/0 z)' AND docid >= 3
SELECT docid, offsets(t) FROM t WHERE t MATCH 'c AND (a NEAR/9 b)'
