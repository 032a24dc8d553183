//! A database that is created anew in every round.

use std::fs;
use std::path::PathBuf;

use super::{Library, Settings};
use crate::frame::Result;
use crate::frame::scratch::Scratch;

/// The database of a worker that begins each round with an empty database.
pub struct Fresh<L: Library> {
    path: PathBuf,
    connection: Option<L::Connection>,
    is_warm_up: bool,
}

impl<L: Library> Fresh<L> {
    /// A database that does not exist before the first round.
    pub fn new(scratch: &Scratch) -> Fresh<L> {
        Fresh { path: scratch.file(&format!("{}.db", L::SIDE)), connection: None, is_warm_up: true }
    }

    /// Begins a round with an empty database.
    pub fn begin_round(&mut self, is_warm_up: bool) -> Result<()> {
        self.is_warm_up = is_warm_up;
        self.connection = None;
        // The file does not exist in the first round.
        let _ = fs::remove_file(&self.path);
        self.connection = Some(L::open(&self.path, &Settings::default())?);
        Ok(())
    }

    /// Whether the round warms up.
    pub fn is_warm_up(&self) -> bool {
        self.is_warm_up
    }

    /// The connection of this round.
    pub fn connection(&mut self) -> Result<&L::Connection> {
        match &mut self.connection {
            Some(connection) => Ok(connection),
            none => Ok(none.insert(L::open(&self.path, &Settings::default())?)),
        }
    }
}
