-- A check of a table that is not there opens the temporary database.
PRAGMA database_list
PRAGMA main.integrity_check = 'missing'
PRAGMA database_list
PRAGMA quick_check = 'missing'
PRAGMA database_list
