-- In a UTF-16 database the result of a function that is no text becomes other characters.
PRAGMA encoding = 'UTF-16le'
SELECT hex(format('%-8.2s|', char(10985, -3)))
SELECT hex(format('%.1s', char(10985))), hex(format('%.2s', char(10985))), hex(format('%.3s', char(10985)))
SELECT format('%.1s', char(10985)), format('%.2s', char(10985)), format('%.3s', char(10985))
SELECT format('%.1s', 'é'), format('%.1s', 'a'), format('a%.1sb', 'é'), format('a%.2sb', char(128512)), format('a%.3sb', char(128512))
SELECT hex(format('%.1s', 'é')), hex(format('a%.1sb', 'é')), hex(format('a%.2sb', char(128512))), hex(format('a%.3sb', char(128512)))
SELECT length(format('a%.2sb', char(128512))), unicode(format('%.2s', char(128512)))
SELECT format('%.2s', char(10985)) || 'x', 'x' || format('%.2s', char(10985))
SELECT CAST(x'E2' AS TEXT), hex(CAST(x'E2AB' AS TEXT)), CAST(x'E2AB' AS TEXT) || ''
SELECT format('%.2s', char(10985)) = 'x', upper(format('%.2s', char(10985)))
CREATE TABLE t(a)
INSERT INTO t VALUES (format('%.2s', char(10985))), (format('%-5.2s|', char(10985, 5)))
SELECT a, hex(a), length(a) FROM t
SELECT char(0xD800), hex(char(0xD800)), format('%.2s', char(0xD800)), unicode(char(0xD800))
