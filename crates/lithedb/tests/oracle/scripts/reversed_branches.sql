-- A branch of an OR is a search without an ORDER BY, so that its rows come in reverse whatever the whole query is sorted by.
CREATE TABLE w(id INT, k INT, s TEXT, PRIMARY KEY(s DESC, id)) WITHOUT ROWID
INSERT INTO w VALUES (2, 0, 'y'),(6, 5, 'y'),(7,1,'z'),(8,1,'y')
CREATE INDEX i_w0 ON w(k DESC)
PRAGMA reverse_unordered_selects = 1
SELECT id FROM w WHERE k = 1 OR s = 'y' ORDER BY id>0 /* ordered */
SELECT id FROM w WHERE k = 1 OR s = 'y' ORDER BY id>0,id>0 /* ordered */
SELECT id FROM w WHERE k = 1 OR s = 'y' ORDER BY id>0,id>0 DESC /* ordered */
SELECT id FROM w WHERE k = 1 OR s = 'y' ORDER BY id>0 DESC,id>0 /* ordered */
SELECT id FROM w WHERE k = 1 OR s = 'y' ORDER BY id>0 DESC,k>=0 /* ordered */
SELECT id FROM w WHERE k = 1 OR s = 'y' ORDER BY id>0,id>0 DESC NULLS FIRST /* ordered */
SELECT id FROM w WHERE k = 1 OR s = 'y' /* ordered */
SELECT id FROM w ORDER BY id>0,id>0 DESC /* ordered */
SELECT id FROM w WHERE k = 1 OR s = 'y' ORDER BY +k,id>0 DESC /* ordered */
PRAGMA reverse_unordered_selects = 0
SELECT id FROM w WHERE k = 1 OR s = 'y' ORDER BY id>0,id>0 DESC /* ordered */
SELECT id FROM w WHERE k = 1 OR s = 'y' ORDER BY id>0,id>0 DESC NULLS FIRST /* ordered */
