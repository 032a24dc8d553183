//! Patterns, and their compilation to programs.
//!
//! ```text
//!   pattern  := branch ( | branch )*          branch := ( atom repeat* )*
//!   repeat   := * + ? {m} {m,} {m,n}
//!   atom     := letter . ^ $ [set] [^set] ( pattern ) \b \w \W \d \D \s \S \a \f \n \r \t \v \xXX \uXXXX
//! ```
//!
//! A program is a graph of states; the number after the last state is its end. It is built from the end of the pattern to its beginning,
//! because each part needs the state that follows it.

use std::sync::Arc;

use lithe_vtab::{Grow, OutOfMemory, collected, lossy};

/// The most states of a program.
const STATES_MAX: usize = 20_000;
/// The most open parentheses, and the most repetitions of repetitions: each is a level of the tree.
const NEST_MAX: usize = 200;

/// Why a pattern is not compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It is invalid, by this message.
    Pattern(&'static str),
    OutOfMemory,
}

impl From<&'static str> for Wrong {
    fn from(message: &'static str) -> Wrong {
        Wrong::Pattern(message)
    }
}

impl From<OutOfMemory> for Wrong {
    fn from(_: OutOfMemory) -> Wrong {
        Wrong::OutOfMemory
    }
}

type Parsed<T> = Result<T, Wrong>;

const TOO_BIG: Wrong = Wrong::Pattern("REGEXP pattern too big");

/// A set of characters.
#[derive(Debug, Default)]
pub(super) struct Set {
    ranges: Vec<(char, char)>,
    is_complement: bool,
}

impl Set {
    pub(super) fn contains(&self, letter: char) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&letter)) != self.is_complement
    }

    fn of(letter: char) -> Arc<Set> {
        Arc::new(Set { ranges: vec![(letter, letter)], is_complement: false })
    }

    /// The set of a letter after a backslash. A capital letter means the complement.
    fn class(letter: char) -> Option<Set> {
        let ranges: &[(char, char)] = match letter.to_ascii_lowercase() {
            'w' => &[('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')],
            'd' => &[('0', '9')],
            's' => &[(' ', ' '), ('\t', '\r')],
            _ => return None,
        };
        Some(Set { ranges: ranges.to_vec(), is_complement: letter.is_ascii_uppercase() })
    }
}

/// Whether a character belongs to a word, for `\b` and `\w`.
pub(super) fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// A state, with its successors.
#[derive(Debug)]
pub(super) enum State {
    /// Consumes a character of the set.
    Letter(Arc<Set>, usize),
    /// Continues with both.
    Split(usize, usize),
    /// Matches at the beginning of the text.
    Start(usize),
    /// Matches at the end of the text.
    End(usize),
    /// Matches at the beginning or end of a word.
    Boundary(usize),
}

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) states: Vec<State>,
    pub(super) start: usize,
}

/// A pattern as a tree.
#[derive(Debug)]
enum Node {
    /// (The states of a repetition share the set.)
    Letter(Arc<Set>),
    Start,
    End,
    Boundary,
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    /// A repetition: at least and at most that many times.
    Repeat(Box<Node>, usize, Option<usize>),
}

impl Program {
    /// Compiles a pattern. With `folds`, its ASCII letters become small; the text must then be in small letters, too.
    pub(super) fn new(pattern: &[u8], folds: bool) -> Parsed<Program> {
        let text: Vec<char> = collected(lossy(pattern)?.chars())?;
        let mut parser = Parser { text: &text, at: 0, folds, nest: 0, repeated_twice: 0 };
        let tree = parser.choice()?;
        if parser.peek().is_some() {
            return Err("unrecognized character".into());
        }
        let mut builder = Builder { states: Vec::new() };
        let start = builder.add(&tree, END)?;
        let end = builder.states.len();
        let mut states = builder.states;
        states.iter_mut().for_each(|state| state.put_end(end));
        Ok(Program { states, start: if start == END { end } else { start } })
    }
}

/// A placeholder for the end, until its number is known.
const END: usize = usize::MAX;

impl State {
    fn put_end(&mut self, end: usize) {
        let put = |next: &mut usize| {
            if *next == END {
                *next = end;
            }
        };
        match self {
            State::Split(one, other) => {
                put(one);
                put(other);
            }
            State::Letter(_, next) | State::Start(next) | State::End(next) | State::Boundary(next) => put(next),
        }
    }
}

struct Builder {
    states: Vec<State>,
}

impl Builder {
    fn push(&mut self, state: State) -> Parsed<usize> {
        if self.states.len() >= STATES_MAX {
            return Err(TOO_BIG);
        }
        self.states.try_push(state)?;
        Ok(self.states.len() - 1)
    }

    /// Adds the states of a part before `next`; answers the first of them.
    fn add(&mut self, node: &Node, next: usize) -> Parsed<usize> {
        match node {
            Node::Letter(set) => self.push(State::Letter(Arc::clone(set), next)),
            Node::Start => self.push(State::Start(next)),
            Node::End => self.push(State::End(next)),
            Node::Boundary => self.push(State::Boundary(next)),
            Node::Sequence(parts) => parts.iter().rev().try_fold(next, |next, part| self.add(part, next)),
            Node::Choice(branches) => {
                let mut first = None;
                for branch in branches.iter().rev() {
                    let branch = self.add(branch, next)?;
                    first = Some(match first {
                        Some(other) => self.push(State::Split(branch, other))?,
                        None => branch,
                    });
                }
                Ok(first.unwrap_or(next))
            }
            Node::Repeat(part, least, most) => self.repeat(part, *least, *most, next),
        }
    }

    fn repeat(&mut self, part: &Node, least: usize, most: Option<usize>, next: usize) -> Parsed<usize> {
        let mut first = match most {
            None => {
                let split = self.push(State::Split(next, next))?;
                let body = self.add(part, split)?;
                if let Some(state) = self.states.get_mut(split) {
                    *state = State::Split(body, next);
                }
                split
            }
            Some(most) => {
                let mut first = next;
                for _ in least..most {
                    let body = self.add(part, first)?;
                    first = self.push(State::Split(body, next))?;
                }
                first
            }
        };
        for _ in 0..least {
            let before = first;
            first = self.add(part, first)?;
            // An empty part stays empty, however often it is repeated.
            if first == before {
                break;
            }
        }
        Ok(first)
    }
}

struct Parser<'p> {
    text: &'p [char],
    at: usize,
    folds: bool,
    nest: usize,
    repeated_twice: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.at += usize::from(next.is_some());
        next
    }

    fn next_is(&mut self, wanted: char) -> bool {
        let is = self.peek() == Some(wanted);
        self.at += usize::from(is);
        is
    }

    fn letter(&self, letter: char) -> char {
        if self.folds { letter.to_ascii_lowercase() } else { letter }
    }

    fn choice(&mut self) -> Parsed<Node> {
        let mut branches = vec![self.branch()?];
        while self.next_is('|') {
            branches.try_push(self.branch()?)?;
        }
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Choice(branches) })
    }

    fn branch(&mut self) -> Parsed<Node> {
        let mut parts: Vec<Node> = Vec::new();
        while let Some(letter) = self.peek().filter(|letter| !matches!(letter, '|' | ')')) {
            self.at += 1;
            let part = match letter {
                '*' | '+' | '?' | '{' => {
                    let operand = parts.pop();
                    self.repeated(letter, operand)?
                }
                letter => self.atom(letter)?,
            };
            parts.try_push(part)?;
        }
        Ok(Node::Sequence(parts))
    }

    fn repeated(&mut self, operator: char, operand: Option<Node>) -> Parsed<Node> {
        let missing = match operator {
            '*' => "'*' without operand",
            '+' => "'+' without operand",
            '?' => "'?' without operand",
            _ => "'{m,n}' without operand",
        };
        let operand = Box::new(operand.ok_or(missing)?);
        self.repeated_twice += usize::from(matches!(*operand, Node::Repeat(..)));
        if self.repeated_twice > NEST_MAX {
            return Err(TOO_BIG);
        }
        let (least, most) = match operator {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            _ => self.counts()?,
        };
        Ok(Node::Repeat(operand, least, most))
    }

    fn counts(&mut self) -> Parsed<(usize, Option<usize>)> {
        let least = self.number()?;
        let most = match self.next_is(',') {
            false => Some(least),
            true if self.peek() == Some('}') => None,
            true => Some(self.number()?),
        };
        if !self.next_is('}') {
            return Err("unmatched '{'".into());
        }
        match most {
            Some(0) if least == 0 => Err("both m and n are zero in '{m,n}'".into()),
            Some(most) if most < least => Err("n less than m in '{m,n}'".into()),
            most => Ok((least, most)),
        }
    }

    fn number(&mut self) -> Parsed<usize> {
        let mut number = 0usize;
        while let Some(digit) = self.peek().and_then(|digit| digit.to_digit(10)) {
            self.at += 1;
            number = number * 10 + digit as usize;
            if number > STATES_MAX {
                return Err(TOO_BIG);
            }
        }
        Ok(number)
    }

    fn atom(&mut self, letter: char) -> Parsed<Node> {
        Ok(match letter {
            '(' => {
                self.nest += 1;
                if self.nest > NEST_MAX {
                    return Err(TOO_BIG);
                }
                let inner = self.choice()?;
                self.nest -= 1;
                if !self.next_is(')') {
                    return Err("unmatched '('".into());
                }
                inner
            }
            '.' => Node::Letter(Arc::new(Set { ranges: Vec::new(), is_complement: true })),
            '^' => Node::Start,
            '$' => Node::End,
            '[' => Node::Letter(Arc::new(self.set()?)),
            '\\' => self.escape()?,
            letter => Node::Letter(Set::of(self.letter(letter))),
        })
    }

    fn escape(&mut self) -> Parsed<Node> {
        let class = self.peek().and_then(Set::class);
        if let Some(class) = class {
            self.at += 1;
            return Ok(Node::Letter(Arc::new(class)));
        }
        if self.next_is('b') {
            return Ok(Node::Boundary);
        }
        if self.peek().is_none() {
            // A backslash at the end of the pattern stands for the end of the text, as in SQLite's shell.
            return Ok(Node::End);
        }
        let letter = self.escaped()?;
        Ok(Node::Letter(Set::of(self.letter(letter))))
    }

    /// A character after a backslash.
    fn escaped(&mut self) -> Parsed<char> {
        const WRONG: Wrong = Wrong::Pattern(r"unknown \ escape");
        let letter = self.next().ok_or(WRONG)?;
        Ok(match letter {
            'a' => '\u{7}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' | 'u' => {
                let len = if letter == 'x' { 2 } else { 4 };
                let digits = self.text.get(self.at..self.at + len).ok_or(WRONG)?;
                let code = digits.iter().try_fold(0, |code, digit| Some(code << 4 | digit.to_digit(16)?));
                self.at += len;
                code.and_then(char::from_u32).ok_or(WRONG)?
            }
            letter if r"\()*.+?[$^{|}]".contains(letter) => letter,
            _ => return Err(WRONG),
        })
    }

    /// A set in brackets, after the opening one.
    fn set(&mut self) -> Parsed<Set> {
        const UNCLOSED: Wrong = Wrong::Pattern("unclosed '['");
        let mut set = Set { ranges: Vec::new(), is_complement: self.next_is('^') };
        let start = self.at;
        loop {
            let low = match self.next().ok_or(UNCLOSED)? {
                ']' if self.at > start + 1 => return Ok(set),
                '[' if self.peek() == Some(':') => return Err("POSIX character classes not supported".into()),
                '\\' => match self.peek().and_then(Set::class).filter(|class| !class.is_complement) {
                    Some(class) => {
                        self.at += 1;
                        set.ranges.try_extend(class.ranges)?;
                        continue;
                    }
                    None => self.escaped()?,
                },
                letter => letter,
            };
            let is_range = self.peek() == Some('-') && self.text.get(self.at + 1).is_some_and(|next| *next != ']');
            let mut high = low;
            if is_range {
                self.at += 1;
                high = match self.next().ok_or(UNCLOSED)? {
                    '\\' => self.escaped()?,
                    letter => letter,
                };
            }
            set.ranges.try_push((self.letter(low), self.letter(high)))?;
        }
    }
}
