-- CREATE of a temporary table or view opens the temporary database, even if it fails.
create temp trigger r after insert on nowhere begin select 1; end
select count(*) from pragma_database_list
create temp table t(a, a)
select name from pragma_database_list
