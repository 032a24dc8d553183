-- The longer the pattern of LIKE or GLOB, the fewer rows are expected, which decides the order of loops: here beside so many other conditions.
CREATE TABLE u(a TEXT, b, c)
CREATE TABLE z(a TEXT, b, c)
CREATE INDEX zi ON z(a, b, c)
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE abs(t00.a)
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE abs(t00.a)
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) WHERE t00.a LIKE 'b%'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) WHERE t00.a LIKE 'b%'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a LIKE '%'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE t00.a LIKE '%'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a LIKE ''
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE t00.a LIKE ''
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) WHERE t00.a LIKE 'bb'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) WHERE t00.a LIKE 'bb'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) AND abs(t01.b + 8) WHERE t00.a LIKE 'bbbb'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) AND abs(t01.b + 8) AND abs(t01.b + 9) WHERE t00.a LIKE 'bbbb'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) WHERE t00.a LIKE '%b_b%'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) WHERE t00.a LIKE '%b_b%'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) WHERE t00.a GLOB 'b*'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) WHERE t00.a GLOB 'b*'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) WHERE t00.a GLOB '[abc]*'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) WHERE t00.a GLOB '[abc]*'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) WHERE t00.a GLOB 'x[^abc]y'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) WHERE t00.a GLOB 'x[^abc]y'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a GLOB '??'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE t00.a GLOB '??'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) WHERE t00.a GLOB 'a[]]b'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) WHERE t00.a GLOB 'a[]]b'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) AND abs(t01.b + 8) WHERE t00.a GLOB 'a[^]]b'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) AND abs(t01.b + 8) AND abs(t01.b + 9) WHERE t00.a GLOB 'a[^]]b'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) WHERE t00.a GLOB 'a[b'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) WHERE t00.a GLOB 'a[b'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a LIKE t00.b
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE t00.a LIKE t00.b
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a NOT LIKE 'bbb%'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE t00.a NOT LIKE 'bbb%'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) WHERE t00.a LIKE 'b\%c' ESCAPE '\'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) WHERE t00.a LIKE 'b\%c' ESCAPE '\'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE like('bbb%', t00.a)
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE like('bbb%', t00.a)
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a LIKE 123
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE t00.a LIKE 123
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a LIKE x'6161'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE t00.a LIKE x'6161'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) AND abs(t01.b + 8) WHERE t00.a LIKE 'éé'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) AND abs(t01.b + 8) AND abs(t01.b + 9) WHERE t00.a LIKE 'éé'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) AND abs(t01.b + 8) WHERE t00.a LIKE 'b' || 'cccc'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) AND abs(t01.b + 8) AND abs(t01.b + 9) WHERE t00.a LIKE 'b' || 'cccc'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) WHERE t00.a LIKE t00.b || 'bb'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) WHERE t00.a LIKE t00.b || 'bb'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a LIKE (SELECT 'bb')
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE t00.a LIKE (SELECT 'bb')
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) WHERE t00.a LIKE CAST('bb' AS TEXT)
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) WHERE t00.a LIKE CAST('bb' AS TEXT)
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) WHERE t00.a LIKE 'bb' COLLATE nocase
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) WHERE t00.a LIKE 'bb' COLLATE nocase
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE +(t00.a LIKE 'bbbb')
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE +(t00.a LIKE 'bbbb')
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) AND abs(t01.b + 8) AND abs(t01.b + 9) AND abs(t01.b + 10) AND abs(t01.b + 11) AND abs(t01.b + 12) AND abs(t01.b + 13) WHERE t00.a LIKE 'bbbb' AND t00.b LIKE 'cc'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) AND abs(t01.b + 6) AND abs(t01.b + 7) AND abs(t01.b + 8) AND abs(t01.b + 9) AND abs(t01.b + 10) AND abs(t01.b + 11) AND abs(t01.b + 12) AND abs(t01.b + 13) AND abs(t01.b + 14) WHERE t00.a LIKE 'bbbb' AND t00.b LIKE 'cc'
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE likely(t00.a LIKE 'bb')
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE likely(t00.a LIKE 'bb')
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a LIKE 'bbbb' OR t00.b
? SELECT * FROM u AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) WHERE t00.a LIKE 'bbbb' OR t00.b
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a GLOB 'b*'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) WHERE t00.a GLOB 'b*'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) WHERE t00.a GLOB 'b*'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a GLOB 'b*c'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) WHERE t00.a GLOB 'b*c'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) WHERE t00.a GLOB 'b*c'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a LIKE 'bbb%'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) WHERE t00.a LIKE 'bbb%'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) WHERE t00.a LIKE 'bbb%'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.a > 'a' AND t00.a LIKE 'bbb%'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) WHERE t00.a > 'a' AND t00.a LIKE 'bbb%'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) WHERE t00.a > 'a' AND t00.a LIKE 'bbb%'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) WHERE t00.b LIKE 'bb'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) WHERE t00.b LIKE 'bb'
? SELECT * FROM z AS t00 JOIN u AS t01 ON abs(t01.b + 0) AND abs(t01.b + 1) AND abs(t01.b + 2) AND abs(t01.b + 3) AND abs(t01.b + 4) AND abs(t01.b + 5) WHERE t00.b LIKE 'bb'
