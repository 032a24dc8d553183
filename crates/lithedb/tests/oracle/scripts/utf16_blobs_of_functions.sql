-- Of BLOBs in a database of UTF-16: functions of numbers make NULL of them, JSON refuses them, arguments of tables are texts.
PRAGMA encoding = 'UTF-16le'
SELECT sign(x'3100'), sign('1'), round(x'3100'), abs(x'3100')
SELECT json_group_array(x'4142')
SELECT json_group_array(jsonb('[1]')), json_group_object('a', jsonb('[1]')), jsonb_group_object('a', jsonb('[1]'))
SELECT json_group_object('a', x'4142')
SELECT json_group_object(x'6100', 1), json_group_object(jsonb('[1]'), 1)
SELECT unistr_quote(x'4100'), unistr_quote('A'), unistr(x'4100')
SELECT ntile(x'3200') OVER (), ntile(2) OVER ()
SELECT count(*) FROM pragma_table_info(x'730071006c006900740065005f0073006300680065006d006100')
SELECT count(*) FROM pragma_table_info(x'73716c6974655f736368656d61')
SELECT key, value FROM json_each('{"a":[1]}', x'24002e006100')
SELECT key, value FROM json_each(x'5b0031005d00')
