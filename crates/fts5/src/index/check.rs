//! integrity-check: the sum of all entries.
