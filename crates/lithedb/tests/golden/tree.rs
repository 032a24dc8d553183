//! The syntax tree of a statement, condensed: its Debug output without places in the text, and without what is not written.

/// A line is not longer than this, unless a single value is.
const WIDTH: usize = 110;

/// The lines of the tree.
pub fn of(sql: &str) -> Vec<String> {
    let arena = bumpalo::Bump::new();
    let parsed = lithe_sql::parse_statement(sql.as_bytes(), &arena, &Default::default()).unwrap();
    let text = format!("{:?}", parsed.statement.unwrap().program().unwrap());
    let mut rest = text.as_str();
    let node = Node::parse(&mut rest).condensed();
    assert!(rest.is_empty(), "a tree ends with its statement: {rest}");
    let mut lines = Vec::new();
    node.write("", 0, &mut lines);
    lines
}

/// A value as Debug shows it: a word, and parts in brackets, each with the name of its field if it has one.
#[derive(Default)]
struct Node {
    word: String,
    brackets: Option<(char, char)>,
    parts: Vec<(String, Node)>,
}

impl Node {
    fn parse(rest: &mut &str) -> Node {
        let mut node = Node { word: word(rest), ..Node::default() };
        let open = rest.trim_start().chars().next();
        let close = match open {
            Some('{') => '}',
            Some('(') => ')',
            Some('[') => ']',
            _ => return node,
        };
        *rest = rest.trim_start()[1..].trim_start();
        node.brackets = open.map(|open| (open, close));
        while !rest.starts_with(close) {
            let field = match rest.split_once(": ") {
                Some((name, behind)) if close == '}' => {
                    *rest = behind;
                    name.to_owned()
                }
                _ => String::new(),
            };
            node.parts.push((field, Node::parse(rest)));
            *rest = rest.trim_start_matches([',', ' ']);
        }
        *rest = &rest[1..];
        node
    }

    /// The node without what says nothing.
    fn condensed(mut self) -> Node {
        let bytes: Option<Vec<u8>> = self.parts.iter().map(|(_, part)| part.word.parse().ok()).collect();
        if let (Some(bytes), Some(('[', _)), false) = (bytes, self.brackets, self.parts.is_empty()) {
            return Node { word: format!("{:?}", String::from_utf8_lossy(&bytes)), ..Node::default() };
        }
        let parts = std::mem::take(&mut self.parts).into_iter().map(|(field, part)| (field, part.condensed()));
        self.parts = parts.filter(|(field, part)| !part.says_nothing(field)).collect();
        // An Expr has a kind, and Some has a value: the inner one says it all.
        let is_wrapper = matches!(&*self.word, "Some" | "Expr" | "ResultColumn") && self.parts.len() == 1;
        let is_repeated = self.parts.len() == 1 && self.parts[0].0.is_empty() && self.parts[0].1.word == self.word;
        if is_wrapper || is_repeated { self.parts.remove(0).1 } else { self }
    }

    fn says_nothing(&self, field: &str) -> bool {
        let is_empty_list = self.brackets == Some(('[', ']')) && self.parts.is_empty();
        is_empty_list
            || self.word == "Span"
            || matches!(&*self.word, "None" | "false" | "Any") && !field.is_empty()
            || matches!(field, "height" | "number")
    }

    fn line(&self) -> String {
        let named = |(field, part): &(String, Node)| match field.as_str() {
            "" | "kind" => part.line(),
            field => format!("{field}: {}", part.line()),
        };
        let parts = self.parts.iter().map(named).collect::<Vec<_>>().join(", ");
        match self.brackets {
            Some(('[', _)) => format!("[{parts}]"),
            Some(_) if !parts.is_empty() => format!("{}({parts})", self.word),
            _ => self.word.clone(),
        }
    }

    /// Writes the node on one line, or its parts on lines below it.
    fn write(&self, field: &str, depth: usize, lines: &mut Vec<String>) {
        let field = if field.is_empty() || field == "kind" { String::new() } else { format!("{field}: ") };
        let indent = "  ".repeat(depth);
        let line = self.line();
        if self.parts.is_empty() || indent.len() + field.len() + line.len() <= WIDTH {
            lines.push(format!("{indent}{field}{line}"));
            return;
        }
        lines.push(format!("{indent}{field}{}", self.word).trim_end().to_owned());
        self.parts.iter().for_each(|(field, part)| part.write(field, depth + 1, lines));
    }
}

/// Takes a word, or a text in quotes.
fn word(rest: &mut &str) -> String {
    let mut end = 0;
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, c) in rest.char_indices() {
        let ends = !is_quoted && matches!(c, ' ' | ',' | '(' | '[' | '{' | ')' | ']' | '}');
        if ends {
            break;
        }
        is_quoted ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        end = at + c.len_utf8();
    }
    let (word, behind) = rest.split_at(end);
    *rest = behind;
    word.to_owned()
}
