//! What the user has set.

use crate::output::Style;

/// Settings of a shell.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How rows are shown.
    pub style: Style,
    pub echo: bool,
    pub bail: bool,
    pub changes: bool,
    pub timer: bool,
    /// Show the query plan before each statement.
    pub eqp: bool,
    /// Show EXPLAIN as a listing, whatever the mode.
    pub explain: bool,
    /// Show what statements ask the authorizer (`.auth`).
    pub shows_requests: bool,
    pub prompt: String,
    pub continuation: String,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            style: Style::default(),
            echo: false,
            bail: false,
            changes: false,
            timer: false,
            eqp: false,
            explain: true,
            shows_requests: false,
            prompt: "lithe> ".to_owned(),
            continuation: "   ...> ".to_owned(),
        }
    }
}
