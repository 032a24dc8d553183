//! lithe-plan
