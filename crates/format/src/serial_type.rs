//! serial_type
