//! lithe-format
