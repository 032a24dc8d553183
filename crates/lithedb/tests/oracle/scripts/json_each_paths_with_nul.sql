-- A path ends where a NUL stands; acosh() of numbers below 1 is no number.
SELECT key, value, fullkey FROM json_each('[1, 2]', '$' || char(0) || '[7]')
SELECT key, value, fullkey, path FROM json_tree('{"a":[1]}', '$.a' || char(0))
SELECT key, value FROM json_each('{"a":[1]}', x'242e610062')
SELECT acosh(-9223372036854775808), acosh(-1), acosh(0.5), acosh(1), acosh(2), acosh(1e300)
