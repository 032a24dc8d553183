//! wal_index
