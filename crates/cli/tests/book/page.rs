//! A page as steps.
//!
//! ```text
//!   <!-- file: notes.sql -->          the fenced block that follows is the content of this file
//!
//!   ```console                        commands with their output
//!   $ lithe notes.db                  a command; `> ` at the beginning of the next line continues it
//!   lithe> SELECT 1;                  a line that is typed into it; so are lines after `   ...> `
//!   1                                 its output; a line with only `…` stands for any lines
//!   ```
//! ```

const FILE: &str = "<!-- file: ";
const PROMPTS: [&str; 2] = ["lithe> ", "   ...> "];

pub struct Page {
    pub steps: Vec<Step>,
}

pub enum Step {
    File { name: String, content: String },
    Command(Command),
}

#[derive(Default)]
pub struct Command {
    pub line: String,
    /// The input of the command; in an interactive session, the lines after its prompts.
    pub input: String,
    pub output: String,
}

impl Page {
    pub fn read(text: &str) -> Page {
        let mut steps = Vec::new();
        let mut lines = text.lines();
        let mut name: Option<String> = None;
        while let Some(line) = lines.next() {
            if let Some(rest) = line.strip_prefix(FILE) {
                name = Some(rest.trim_end_matches("-->").trim().to_owned());
            } else if let Some(language) = line.strip_prefix("```") {
                let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
                if let Some(name) = name.take() {
                    steps.push(Step::File { name, content: block.join("\n") + "\n" });
                } else if language == "console" {
                    steps.extend(commands(&block).into_iter().map(Step::Command));
                }
            }
        }
        Page { steps }
    }
}

fn commands(block: &[&str]) -> Vec<Command> {
    let mut found: Vec<Command> = Vec::new();
    let mut continues = false;
    for line in block {
        if let Some(rest) = line.strip_prefix("$ ") {
            found.push(Command { line: rest.to_owned(), ..Command::default() });
            continues = true;
            continue;
        }
        let command = found.last_mut().expect("a console block begins with a command");
        if let Some(rest) = line.strip_prefix("> ").filter(|_| continues) {
            command.line += &format!("\n{rest}");
            continue;
        }
        continues = false;
        match PROMPTS.iter().find_map(|prompt| line.strip_prefix(prompt)) {
            Some(typed) => command.input += &format!("{typed}\n"),
            None => command.output += &format!("{line}\n"),
        }
    }
    found
}

/// Whether an output matches the page: line by line, where `…` stands for any lines.
pub fn matches(shown: &str, answer: &str) -> bool {
    let shown: Vec<&str> = shown.lines().map(str::trim_end).collect();
    let answer: Vec<&str> = answer.lines().map(str::trim_end).collect();
    matches_lines(&shown, &answer)
}

fn matches_lines(shown: &[&str], answer: &[&str]) -> bool {
    match shown.split_first() {
        None => answer.is_empty(),
        Some((&"…", rest)) => (0..=answer.len()).any(|skipped| matches_lines(rest, &answer[skipped..])),
        Some((line, rest)) => answer.first() == Some(line) && matches_lines(rest, &answer[1..]),
    }
}

#[test]
fn a_page_is_files_and_commands() {
    let page = Page::read(
        "<!-- file: a.sql -->\n```sql\nSELECT 1;\n```\n\n```console\n$ a <<E\n> b\n> E\nout\n$ c\nlithe> d\n```\n",
    );
    assert_eq!(page.steps.len(), 3);
    let Step::File { name, content } = &page.steps[0] else { panic!("a file comes first") };
    assert_eq!((name.as_str(), content.as_str()), ("a.sql", "SELECT 1;\n"));
    let Step::Command(command) = &page.steps[1] else { panic!("then a command") };
    assert_eq!((command.line.as_str(), command.output.as_str()), ("a <<E\nb\nE", "out\n"));
    let Step::Command(command) = &page.steps[2] else { panic!("then another") };
    assert_eq!((command.line.as_str(), command.input.as_str()), ("c", "d\n"));
}

#[test]
fn dots_stand_for_any_lines() {
    assert!(matches("a\n…\nd\n", "a\nb\nc\nd\n"));
    assert!(matches("a\n…\n", "a\n"));
    assert!(!matches("a\n…\nd\n", "a\nb\n"));
    assert!(!matches("", "a\n"));
}
