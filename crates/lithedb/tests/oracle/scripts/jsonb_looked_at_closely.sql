-- What json_valid() takes for JSONB when it looks at all of it: numbers, escapes, headers that are longer than they must be.
SELECT json_valid(x'232b31', 8), json_valid(x'233031', 8), json_valid(x'2330', 8), json_valid(x'1330', 8), json_valid(x'132d', 8)
SELECT json_valid(x'34307866', 8), json_valid(x'442d307866', 8), json_valid(x'243078', 8), json_valid(x'442b307866', 8)
SELECT json_valid(x'35312e30', 8), json_valid(x'25312e', 8), json_valid(x'252e31', 8), json_valid(x'4530312e30', 8), json_valid(x'254533', 8)
SELECT json_valid(x'26312e', 8), json_valid(x'262e31', 8), json_valid(x'4630312e30', 8), json_valid(x'262e45', 8), json_valid(x'264533', 8)
SELECT json_valid(x'55312e320d0a', 8), json_valid(x'56312e320d0a', 8), json_valid(x'55312b3165', 8), json_valid(x'5531653245', 8)
SELECT json_valid(x'495c78316d', 8), json_valid(x'395c7831', 8), json_valid(x'485c783132', 8), json_valid(x'495c783132', 8)
SELECT json_valid(x'00', 8), json_valid(x'c000', 8), json_valid(x'd10000', 8), json_valid(x'e200000000', 8), json_valid(x'2bc000', 8)
SELECT json_valid(x'c000', 4), json_valid(x'c30131', 8), json_valid(x'f3000000000000000131', 8), json_valid(x'0b', 8), json_valid(x'cb00', 8)
