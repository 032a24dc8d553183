//! lithe-sql
