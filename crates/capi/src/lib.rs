//! lithe-capi
