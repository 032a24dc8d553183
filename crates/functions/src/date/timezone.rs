//! How far ahead of UTC a place is.
