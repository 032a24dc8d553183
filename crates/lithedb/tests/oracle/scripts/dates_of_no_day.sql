-- localtime and utc make a day of a number that is none.
SELECT datetime(1e20), datetime(1e20, 'localtime'), datetime(-1e20, 'utc'), datetime(9e15, 'localtime'), date(5373485, 'localtime')
SELECT date(-5, 'utc'), time(-5, 'utc'), date(-5, 'utc', '+1 day'), datetime(1e20, 'localtime', '+1 hour')
SELECT datetime(1e20, 'utc', 'localtime'), datetime(1e20, 'localtime', 'utc'), julianday(1e20, 'utc'), unixepoch(1e20, 'localtime')
SELECT datetime(1e20, 'subsec', 'localtime'), datetime(-1, 'unixepoch', 'localtime'), strftime('%s', 1e20, 'utc')
