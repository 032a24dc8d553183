-- A label of json_group_object() ends at a NUL.
SELECT hex(json_group_object(CAST(x'610062' AS TEXT),1)), json_group_object('a'||char(0)||'b','c'||char(0)||'d'), jsonb_group_object(char(97,0,98),1)=jsonb('{"a":1}'), json_group_object('',1), json_group_object(char(0),1)
SELECT json_group_object(k,v) OVER (ORDER BY k) FROM (SELECT char(97,0,98) AS k, 1 AS v UNION ALL SELECT 'b',2)
