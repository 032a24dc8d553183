-- PRAGMA cache_spill = OFF holds for databases that are opened later, too.
PRAGMA cache_spill = OFF
PRAGMA temp.cache_spill
ATTACH ':memory:' AS aux
PRAGMA aux.cache_spill
PRAGMA cache_spill
PRAGMA aux.cache_spill = 5000
PRAGMA temp.cache_spill
PRAGMA aux.cache_spill
PRAGMA cache_spill
