//! lithedb
