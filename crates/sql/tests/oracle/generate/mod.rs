//! Random statements of SQLite's grammar, as lists of tokens.

mod command;
mod create;
mod expr;
mod query;

use lithe_sql::keywords;

use crate::random::Random;

/// The tokens of a statement.
pub fn statement(random: &mut Random) -> Vec<String> {
    let index = random.below(3);
    let mut writer = Writer { random: random.fork(), tokens: Vec::new(), budget: [6, 12, 20][index] };
    writer.statement();
    writer.tokens
}

/// The text of the tokens, with blanks and sometimes comments between them.
pub fn join(tokens: &[String], random: &mut Random) -> String {
    let mut sql = String::new();
    for token in tokens {
        match random.below(60) {
            0 => sql.push_str("/* x */"),
            1 => sql.push_str(" -- x\n"),
            2..=4 if !token.starts_with(|c: char| c.is_alphanumeric() || c == '\'') => {}
            _ => sql.push(' '),
        }
        sql.push_str(token);
    }
    if random.one_in(4) {
        sql.push_str(random.pick(&[";", " ; ", "; select 1", ";;", "/*", "--"]));
    }
    sql
}

/// A random token.
pub fn any_token(random: &mut Random) -> String {
    const OTHERS: &[&str] = &[
        "(", ")", ",", ".", ";", "+", "-", "*", "/", "%", "=", "==", "<>", "!=", "<", "<=", ">", ">=", "<<", ">>", "&",
        "|", "||", "~", "->", "->>", "?", "?3", ":a", "@a", "$a::b(c)", "#a", "#1", "?40000", "?0", "1", "1.5", ".5",
        "0x1f", "1_0", "1__0", "1e5_", "1x", "'s'", "\"q\"", "[b]", "`k`", "x'00'", "x'0'", "'open", "\"open", "!",
        "a", "t", "rowid", "\\",
    ];
    if random.one_in(2) {
        return keyword(random);
    }
    random.pick(OTHERS).to_string()
}

fn keyword(random: &mut Random) -> String {
    let all = keywords();
    all[random.below(all.len())].text.to_lowercase()
}

struct Writer {
    random: Random,
    tokens: Vec<String>,
    /// The number of levels that productions may still nest.
    budget: i32,
}

type Production = fn(&mut Writer);

impl Writer {
    fn word(&mut self, words: &str) {
        self.tokens.extend(words.split(' ').map(str::to_string));
    }

    fn pick(&mut self, choices: &[&str]) {
        let words = self.random.pick(choices);
        if !words.is_empty() {
            self.word(words);
        }
    }

    fn maybe(&mut self, n: usize, production: Production) {
        if self.random.one_in(n) {
            production(self);
        }
    }

    fn one_of(&mut self, productions: &[Production]) {
        productions[self.random.below(productions.len())](self);
    }

    fn list(&mut self, production: Production) {
        production(self);
        while self.random.one_in(3) {
            self.word(",");
            production(self);
        }
    }

    fn in_parens(&mut self, production: Production) {
        self.word("(");
        production(self);
        self.word(")");
    }

    fn nests(&mut self) -> bool {
        self.budget -= 1;
        self.budget > 0
    }

    fn statement(&mut self) {
        if self.random.one_in(20) {
            self.pick(&["explain", "explain query plan", ";"]);
        }
        match self.random.below(24) {
            0..=3 => self.select(),
            4..=7 => {
                self.word("create");
                self.pick(&["", "", "", "temp"]);
                self.word("view");
                self.pick(&["", "if not exists"]);
                self.new_name();
                self.maybe(4, |w| w.in_parens(|w| w.list(Self::indexed_name)));
                self.word("as");
                self.select();
            }
            8 => self.insert(false),
            9 => self.update(false),
            10 => self.delete(false),
            11..=13 => self.create_table(),
            14 => self.create_index(),
            15..=17 => self.create_trigger(),
            18 => self.create_virtual_table(),
            19 => self.alter(),
            20 => self.drop_object(),
            21 => self.pragma(),
            _ => self.command(),
        }
    }

    fn name(&mut self) {
        match self.random.below(14) {
            0 => {
                let keyword = keyword(&mut self.random);
                self.tokens.push(keyword);
            }
            1 => self.pick(&["\"a\"", "[a]", "`a`", "'a'", "\"a\"\"b\""]),
            _ => self.pick(&["a", "b", "c", "x", "y"]),
        }
    }

    fn table(&mut self) {
        match self.random.below(12) {
            0 => self.name(),
            1 => self.word("main . t"),
            2 => self.pick(&["w", "'t'", "[u]"]),
            _ => self.pick(&["t", "u"]),
        }
    }

    fn new_name(&mut self) {
        self.pick(&["n", "n", "n", "n", "main . n", "temp . n", "'n'"]);
    }
}
