//! The engine's connection of a [`Connection`](super::Connection): its own, or that of a handle of another interface.

use std::ops::Deref;

use lithe_engine as engine;
use lithe_engine::Result;

/// A handle of another interface that owns an engine's connection.
type Handle = Box<dyn Deref<Target = engine::Connection> + Send>;

/// The engine's connection.
#[expect(clippy::large_enum_variant, reason = "almost every connection is the large variant, which each call reads")]
pub(crate) enum Core {
    Own(engine::Connection),
    Handle(Handle),
}

impl Deref for Core {
    type Target = engine::Connection;

    #[inline]
    fn deref(&self) -> &engine::Connection {
        match self {
            Core::Own(core) => core,
            Core::Handle(handle) => handle,
        }
    }
}

impl Core {
    /// Closes the connection. A handle does not say what failed.
    pub(crate) fn close(self) -> Result<()> {
        match self {
            Core::Own(core) => core.close(),
            Core::Handle(handle) => {
                drop(handle);
                Ok(())
            }
        }
    }
}
