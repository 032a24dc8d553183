//! The folder for temporary files that the application has chosen: one for the process, as `sqlite3_temp_directory` is in C.

use std::sync::{Mutex, OnceLock, PoisonError};

/// Where the choice is kept. In C it is a variable that the application may write.
#[derive(Clone, Copy)]
pub struct TempDirectory {
    /// The folder, if one is chosen.
    pub get: fn() -> Option<Vec<u8>>,
    /// Chooses a folder, or none.
    pub set: fn(Option<&[u8]>),
}

static KEEPER: OnceLock<TempDirectory> = OnceLock::new();
static CHOSEN: Mutex<Option<Vec<u8>>> = Mutex::new(None);

/// Sets where the choice is kept. Only the first call has an effect.
pub fn keep_temp_directory(keeper: TempDirectory) {
    let _ = KEEPER.set(keeper);
}

/// The folder that the application has chosen, if any.
pub fn temp_directory() -> Option<Vec<u8>> {
    match KEEPER.get() {
        Some(keeper) => (keeper.get)(),
        None => CHOSEN.lock().unwrap_or_else(PoisonError::into_inner).clone(),
    }
}

/// Chooses a folder for the temporary files that are made from now on; none: the system's.
pub fn set_temp_directory(folder: Option<&[u8]>) {
    match KEEPER.get() {
        Some(keeper) => (keeper.set)(folder),
        None => *CHOSEN.lock().unwrap_or_else(PoisonError::into_inner) = folder.map(<[u8]>::to_vec),
    }
}
