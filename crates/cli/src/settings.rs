//! What the user has set.

use std::collections::HashMap;

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
    /// Styles under names of the user's (`.mode --tag`).
    pub tagged_styles: HashMap<String, Style>,
    pub prompt: String,
    pub continuation: String,
    /// Prompts may choose colours.
    pub has_color: bool,
}

/// The prompts of a shell that nobody has told others.
const PROMPTS: [&str; 2] = ["lithe> ", "   ...> "];

/// The prompts at the start: those of the variables SQLITE_PS1 and SQLITE_PS2, if they are there.
pub fn prompts_at_start() -> [String; 2] {
    let [main, continuation] = default_prompts();
    [std::env::var("SQLITE_PS1").unwrap_or(main), std::env::var("SQLITE_PS2").unwrap_or(continuation)]
}

/// The prompts whatever the variables say.
pub fn default_prompts() -> [String; 2] {
    PROMPTS.map(str::to_owned)
}

impl Default for Settings {
    fn default() -> Settings {
        let [prompt, continuation] = prompts_at_start();
        Settings {
            style: Style::default(),
            echo: false,
            bail: false,
            changes: false,
            timer: false,
            eqp: false,
            explain: true,
            shows_requests: false,
            tagged_styles: HashMap::new(),
            prompt,
            continuation,
            has_color: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        }
    }
}
