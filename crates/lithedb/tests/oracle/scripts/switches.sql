-- The values of a switch: numbers are true but 0, words of synchronous that say neither on nor off are false.
PRAGMA recursive_triggers = 256
PRAGMA recursive_triggers
PRAGMA recursive_triggers = FULL
PRAGMA recursive_triggers
PRAGMA count_changes = '65536'
PRAGMA count_changes
PRAGMA count_changes = extra
PRAGMA count_changes
PRAGMA secure_delete = 512
PRAGMA secure_delete = full
PRAGMA query_only = 9999999999
PRAGMA query_only
PRAGMA reverse_unordered_selects = '1x'
PRAGMA reverse_unordered_selects
PRAGMA synchronous = extra
PRAGMA synchronous
