//! lithe-functions
