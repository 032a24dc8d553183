-- VACUUM of the temporary database does nothing, wherever it stands.
CREATE TEMP TABLE x(a)
BEGIN
VACUUM temp
VACUUM temp INTO 5
VACUUM main
VACUUM nope
COMMIT
VACUUM temp
