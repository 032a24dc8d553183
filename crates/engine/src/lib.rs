//! lithe-engine
