//! The prompts: their escapes, and the missing parts of an unfinished statement.
//!
//! ```text
//!   /A name of the shell   /v version level, short   /V in full   /f name of the database file
//!   /x…/:…/; within a transaction or not        /m…/:…/; a database in memory or not
//!   /D…/D time, by strftime()   /B blanks, up to the width of the main prompt   /C the missing parts of the statement
//!   /e escape character   /NNN octal   // a slash
//! ```

use unicode_width::UnicodeWidthStr;

use crate::shell::Shell;

/// The shell's state for the prompts.
pub struct State<'s> {
    /// The database's file; `None` if it is in memory.
    pub file: Option<&'s str>,
    pub is_in_transaction: bool,
    /// The unfinished statement.
    pub pending: &'s str,
    /// The prompt of a new statement, rendered.
    pub main: &'s str,
    /// The current time in a format of strftime().
    pub time: &'s dyn Fn(&str) -> String,
}

/// The prompt for the next line: the main one, or the continuation prompt within a statement.
pub fn next(shell: &Shell, pending: &[u8]) -> String {
    let settings = &shell.settings;
    let connection = &shell.database.connection;
    let file = std::path::Path::new(&shell.database.file).file_name().and_then(|name| name.to_str());
    let file = file.filter(|_| !matches!(shell.database.file.as_str(), "" | ":memory:"));
    let time = |format: &str| {
        let sql = "SELECT strftime(?1, 'now', 'localtime')";
        connection.query_row(sql, lithe::params![format], |row| row.get(0)).unwrap_or_default()
    };
    let is_in_transaction = !connection.is_autocommit();
    let state = State { file, is_in_transaction, pending: "", main: "", time: &time };
    let main = rendered(&settings.prompt, &state);
    let prompt = match pending.is_empty() {
        true => main,
        false => {
            let pending = &String::from_utf8_lossy(pending);
            rendered(&settings.continuation, &State { pending, main: &without_colors(&main), ..state })
        }
    };
    if settings.has_color { prompt } else { without_colors(&prompt) }
}

/// A prompt, with its escapes replaced.
fn rendered(template: &str, state: &State<'_>) -> String {
    let mut out = String::new();
    // For each open conditional: whether its text is shown.
    let mut shown = Vec::new();
    let mut blanks_at = None;
    let mut rest = template;
    while let Some((plain, escape)) = rest.split_once('/') {
        let is_shown = |shown: &[bool]| shown.iter().all(|is_shown| *is_shown);
        if is_shown(&shown) {
            out.push_str(plain);
        }
        let Some(kind) = escape.chars().next() else { return filled(out, blanks_at, state) };
        rest = &escape[kind.len_utf8()..];
        let mut text = String::new();
        match kind {
            'x' => shown.push(state.is_in_transaction),
            'm' => shown.push(state.file.is_none()),
            ':' => shown.iter_mut().last().into_iter().for_each(|is_shown| *is_shown = !*is_shown),
            ';' => drop(shown.pop()),
            'A' => text.push_str("Lithe"),
            'V' => text.push_str(lithe::SQLITE_VERSION),
            'v' => text.push_str(lithe::SQLITE_VERSION.rsplit_once('.').map_or("", |(short, _)| short)),
            'f' => text.push_str(state.file.unwrap_or("memory")),
            'e' => text.push('\x1b'),
            '/' => text.push('/'),
            'C' | 'H' => text = lacking(state.pending),
            'D' => {
                let (format, behind) = rest.split_once("/D").unwrap_or((rest, ""));
                rest = behind;
                text = (state.time)(format);
            }
            'B' if is_shown(&shown) => blanks_at = Some(out.len()),
            'B' => {}
            '0'..='7' => {
                let digits = escape.bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
                rest = &escape[digits..];
                text.extend(u32::from_str_radix(&escape[..digits], 8).ok().and_then(char::from_u32));
            }
            // An unknown escape is shown even if its conditional is not.
            unknown => out.push_str(&format!("UNKNOWN(\"/{unknown}\")")),
        }
        if is_shown(&shown) {
            out.push_str(&text);
        }
    }
    if shown.iter().all(|is_shown| *is_shown) {
        out.push_str(rest);
    }
    filled(out, blanks_at, state)
}

/// Inserts blanks at that place, so that the prompt is as wide as the main one.
fn filled(mut prompt: String, blanks_at: Option<usize>, state: &State<'_>) -> String {
    let missing = state.main.width().saturating_sub(without_colors(&prompt).width());
    if let Some(at) = blanks_at {
        prompt.insert_str(at, &" ".repeat(missing));
    }
    prompt
}

/// Removes the sequences that set colours: ESC, `[`, numbers, `m`.
fn without_colors(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("\x1b[") {
        out.push_str(before);
        let end = behind.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(behind.len());
        match behind[end..].strip_prefix('m') {
            Some(behind) => rest = behind,
            None => {
                out.push_str("\x1b[");
                rest = behind;
            }
        }
    }
    out + rest
}

/// The missing end of the statement: quotes, comments, parentheses, the END of a trigger, the semicolon.
fn lacking(sql: &str) -> String {
    let mut open = Vec::new();
    let mut rest = sql;
    let mut words = Vec::new();
    let mut last = ' ';
    while let Some(c) = rest.chars().next() {
        let end_of = |text: &str, end: &str| text.find(end).map(|at| at + end.len());
        let (closing, begin) = match c {
            '\'' | '"' | '`' => (c.to_string(), 1),
            '[' => ("]".to_owned(), 1),
            '/' if rest.starts_with("/*") => ("*/".to_owned(), 2),
            '-' if rest.starts_with("--") => ("\n".to_owned(), 2),
            _ => (String::new(), c.len_utf8()),
        };
        let mut behind = &rest[begin..];
        if !closing.is_empty() {
            match end_of(behind, &closing) {
                Some(end) => behind = &behind[end..],
                None if closing == "\n" => behind = "",
                None => {
                    open.push(closing.clone());
                    behind = "";
                }
            }
        } else if c == '(' {
            open.push(")".to_owned());
        } else if c == ')' {
            open.pop();
        } else if c.is_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            words.push(rest[..end].to_ascii_uppercase());
            behind = &rest[end..];
        }
        if !c.is_whitespace() && !matches!(closing.as_str(), "*/" | "\n") {
            last = c;
        }
        rest = behind;
    }
    let mut text: String = open.into_iter().rev().collect();
    let is_trigger = words.first().is_some_and(|word| word == "CREATE")
        && words.iter().take(3).any(|word| word == "TRIGGER")
        && words.iter().any(|word| word == "BEGIN");
    let has_ended = words.last().is_some_and(|word| word == "END") && last.is_alphabetic();
    text.push_str(match (is_trigger, last) {
        (true, _) if has_ended => ";",
        (true, ';') => "END;",
        (true, _) => ";END;",
        (false, _) => ";",
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(template: &str, file: Option<&str>, is_in_transaction: bool, pending: &str) -> String {
        let time = |format: &str| format!("<{format}>");
        rendered(template, &State { file, is_in_transaction, pending, main: "lithe test.db-> ", time: &time })
    }

    #[test]
    fn escapes() {
        let check = |template: &str, expected: &str| {
            assert_eq!(render(template, Some("test.db"), false, ""), expected, "{template}");
        };
        check("/7", "\x07");
        check("/78", "\x078");
        check("/7//", "\x07/");
        check("/7/", "\x07");
        check("/57", "/");
        check("/578", "/8");
        check("/101", "A");
        check("/1011", "A1");
        check("/33[0", "\x1b[0");
        check("/x/z/:/y/;", "UNKNOWN(\"/z\")UNKNOWN(\"/y\")");
        check("/f/e[0m", "test.db\x1b[0m");
        check("(/D%Y-%m/D)", "(<%Y-%m>)");
        check("</myes/:no/;>", "<no>");
        assert_eq!(render("lithe/x-txn$/:>/; ", None, true, ""), "lithe-txn$ ");
        assert_eq!(render("lithe/x-txn$/:>/; ", None, false, ""), "lithe> ");
        assert_eq!(render("</myes/:no/;>", None, false, ""), "<yes>");
        assert_eq!(without_colors("abc\x1b[1;32mxyz\x1b[0m\x1b[1,2m"), "abcxyz\x1b[1,2m");
    }

    #[test]
    fn what_a_statement_lacks() {
        let check = |sql: &str, expected: &str| assert_eq!(lacking(sql), expected, "{sql}");
        check("SELECT", ";");
        check("SELECT (((\"", "\")));");
        check("SELECT ((()[", "]));");
        check("SELECT '", "';");
        check("SELECT 'it''s' -- (", ";");
        check("CREATE TRIGGER t1 BEGIN", ";END;");
        check("CREATE TRIGGER t1 BEGIN SELECT ((([", "])));END;");
        check("CREATE TRIGGER t1 BEGIN SELECT ((/*a(((''bc", "*/));END;");
        check("CREATE TRIGGER t1 BEGIN SELECT 1;", "END;");
        check("CREATE TEMP TRIGGER t1 BEGIN SELECT 1; END", ";");
        assert_eq!(render("/B.../C> ", None, false, "SELECT ("), "         ...);> ");
    }
}
