-- A cast that changes nothing leaves JSON what it is.
SELECT json_object('z', CAST(json_quote(6) AS VARCHAR)), json_array(CAST(json_array(1) AS TEXT)), json_array(CAST('[1]' AS TEXT));
SELECT json_object('z', CASE WHEN 1 THEN CAST(json_quote(6) AS VARCHAR) END);
