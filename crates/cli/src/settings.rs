//! The user's settings.

use std::collections::HashMap;

use crate::output::Style;

/// Settings of a shell.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The style of rows.
    pub style: Style,
    pub echo: bool,
    pub bail: bool,
    pub changes: bool,
    pub timer: bool,
    pub eqp: Eqp,
    /// Show EXPLAIN as a listing, in any mode.
    pub explain: bool,
    /// Print authorizer requests (`.auth`).
    pub shows_requests: bool,
    /// Styles that the user has named (`.mode --tag`).
    pub tagged_styles: HashMap<String, Style>,
    pub prompt: String,
    pub continuation: String,
    /// Whether prompts may set colours.
    pub has_color: bool,
}

/// What is shown before each statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Eqp {
    Off,
    /// Its query plan.
    On,
    /// And those of its triggers.
    Triggers,
    /// And its program.
    Full,
}

impl Eqp {
    /// The name in `.eqp` and `.show`.
    pub fn name(self) -> &'static str {
        match self {
            Eqp::Off => "off",
            Eqp::On => "on",
            Eqp::Triggers => "trigger",
            Eqp::Full => "full",
        }
    }
}

/// The built-in prompts.
const PROMPTS: [&str; 2] = ["lithe> ", "   ...> "];

/// The prompts at the start: the variables SQLITE_PS1 and SQLITE_PS2, or the built-in ones.
pub fn prompts_at_start() -> [String; 2] {
    let [main, continuation] = default_prompts();
    [std::env::var("SQLITE_PS1").unwrap_or(main), std::env::var("SQLITE_PS2").unwrap_or(continuation)]
}

/// The built-in prompts, regardless of the variables.
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
            eqp: Eqp::Off,
            explain: true,
            shows_requests: false,
            tagged_styles: HashMap::new(),
            prompt,
            continuation,
            has_color: std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        }
    }
}
