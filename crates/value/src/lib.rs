//! lithe-value
