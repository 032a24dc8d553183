//! The parser: from text to an unbalanced tree, in the order of the operators.

use std::sync::Arc;

use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::copied;

use super::{Dialect, Phrase, QueryToken, Wrong};
use crate::tokenizer::Flow;

/// The most parentheses that may be open.
const NEST_MAX: usize = 1000;
/// The distance of a NEAR without a number.
const NEAR_DEFAULT: i64 = 10;

type Parsed<T> = Result<T, Wrong>;

/// Operators by precedence: the least binds tightest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operator {
    Near,
    Not,
    And,
    Or,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Phrase(Phrase),
    Operator { operator: Operator, distance: i64, left: usize, right: usize },
}

/// The nodes of a tree, and its root. A tree may be as deep as the text is long, so no function here recurses once for each level.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    parents: Vec<Option<usize>>,
    pub(super) root: usize,
}

/// The place of an operand that is not parsed yet.
const NOTHING: usize = usize::MAX;

pub(super) fn parse(text: &[u8], dialect: &Dialect<'_>) -> Parsed<Option<Tree>> {
    let mut parser = Parser { text, at: 0, dialect, tree: Tree::default(), nest: 0, stop: 0 };
    let root = parser.expression()?;
    if parser.nest > 0 {
        return Err(Wrong::Malformed);
    }
    Ok(root.map(|root| Tree { root, ..parser.tree }))
}

struct Parser<'p> {
    text: &'p [u8],
    at: usize,
    dialect: &'p Dialect<'p>,
    tree: Tree,
    nest: usize,
    /// The next quote or parenthesis after `at`; out of date when it is not after `at`, then searched again.
    stop: usize,
}

/// The next item of a text.
enum Item {
    /// A phrase or an expression in parentheses: a node of the tree.
    Operand(usize),
    Operator(Operator, i64),
    /// Text without tokens.
    Nothing,
    /// The end, or a closing parenthesis.
    End,
}

impl Parser<'_> {
    /// Parses an expression up to its closing parenthesis. None if it is empty.
    fn expression(&mut self) -> Parsed<Option<usize>> {
        let mut root: Option<usize> = None;
        let mut previous = NOTHING;
        let mut needs_operand = true;
        loop {
            match self.item()? {
                Item::End => break,
                Item::Nothing => {}
                Item::Operator(operator, distance) => {
                    let Some(tree) = root.filter(|_| !needs_operand) else { return Err(Wrong::Malformed) };
                    if operator == Operator::Near && !self.is_phrase(previous) {
                        return Err(Wrong::Malformed);
                    }
                    let node = self.insert_above(previous, operator, distance)?;
                    root = Some(if self.tree.parent(node).is_none() { node } else { tree });
                    (previous, needs_operand) = (node, true);
                }
                Item::Operand(operand) => {
                    if let Some(tree) = root.filter(|_| !needs_operand) {
                        let node = self.insert_above(previous, Operator::And, 0)?;
                        root = Some(if self.tree.parent(node).is_none() { node } else { tree });
                        previous = node;
                    }
                    if !self.is_phrase(operand) && self.is_near(previous) {
                        return Err(Wrong::Malformed);
                    }
                    if root.is_some() {
                        self.tree.set_right(previous, operand);
                    } else {
                        root = Some(operand);
                    }
                    (previous, needs_operand) = (operand, false);
                }
            }
        }
        if root.is_some() && needs_operand { Err(Wrong::Malformed) } else { Ok(root) }
    }

    fn is_phrase(&self, node: usize) -> bool {
        matches!(self.tree.nodes.get(node), Some(Node::Phrase(_)))
    }

    fn is_near(&self, node: usize) -> bool {
        matches!(self.tree.nodes.get(node), Some(Node::Operator { operator: Operator::Near, .. }))
    }

    /// Inserts an operator above its left operand: above all operators that bind tighter, and those as tight to its left.
    fn insert_above(&mut self, previous: usize, operator: Operator, distance: i64) -> Parsed<usize> {
        let mut split = previous;
        while let Some(parent) = self.tree.parent(split)
            && let Some(Node::Operator { operator: above, .. }) = self.tree.nodes.get(parent)
            && *above <= operator
        {
            split = parent;
        }
        let parent = self.tree.parent(split);
        let node = self.tree.push(Node::Operator { operator, distance, left: split, right: NOTHING })?;
        self.tree.set_parent(split, Some(node));
        if let Some(parent) = parent {
            self.tree.set_right(parent, node);
        }
        Ok(node)
    }

    fn item(&mut self) -> Parsed<Item> {
        while self.byte(0).is_some_and(is_space) {
            self.at += 1;
        }
        let Some(first) = self.byte(0) else { return Ok(Item::End) };
        if let Some((operator, distance)) = self.keyword() {
            return Ok(Item::Operator(operator, distance));
        }
        match first {
            b'(' => self.nested(),
            b')' => {
                self.at += 1;
                self.nest = self.nest.checked_sub(1).ok_or(Wrong::Malformed)?;
                Ok(Item::End)
            }
            b'"' => self.quoted(),
            _ => self.bareword(),
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Reads a keyword, if a character that ends it follows.
    fn keyword(&mut self) -> Option<(Operator, i64)> {
        let keywords: [(&[u8], Operator); 4] =
            [(b"OR", Operator::Or), (b"AND", Operator::And), (b"NOT", Operator::Not), (b"NEAR", Operator::Near)];
        let (word, operator) = keywords.into_iter().find(|(word, _)| self.rest().starts_with(word))?;
        let mut len = word.len();
        let mut distance = NEAR_DEFAULT;
        if operator == Operator::Near && self.byte(len) == Some(b'/') {
            let digits = self.rest().iter().skip(len + 1).take_while(|byte| byte.is_ascii_digit());
            let digits: Vec<u8> = digits.copied().collect();
            if !digits.is_empty() {
                len += 1 + digits.len();
                distance = digits
                    .iter()
                    .fold(0i32, |number, digit| number.wrapping_mul(10).wrapping_add(i32::from(digit - b'0')))
                    .into();
            }
        }
        let is_end = self.byte(len).is_none_or(|byte| is_space(byte) || matches!(byte, b'"' | b'(' | b')'));
        if !is_end {
            return None;
        }
        self.at += len;
        Some((operator, distance))
    }

    fn nested(&mut self) -> Parsed<Item> {
        self.at += 1;
        self.nest += 1;
        if self.nest > NEST_MAX {
            return Err(Wrong::Malformed);
        }
        let depth = self.nest;
        let found = self.expression()?;
        // The text may end before the closing parenthesis.
        if self.nest >= depth {
            return Err(Wrong::Malformed);
        }
        Ok(found.map_or(Item::Nothing, Item::Operand))
    }

    /// Reads a phrase in quotes.
    fn quoted(&mut self) -> Parsed<Item> {
        let inner = self.text.get(self.at + 1..).unwrap_or_default();
        let len = inner.iter().position(|byte| *byte == b'"').ok_or(Wrong::Malformed)?;
        let inner = inner.get(..len).unwrap_or_default();
        self.at += len + 2;
        let mut phrase = Phrase { tokens: Vec::new(), column: self.dialect.column };
        self.tokenize(inner, false, |token| Ok(phrase.tokens.try_push(token)?))?;
        // A phrase without tokens is still a phrase, which no row matches.
        Ok(Item::Operand(self.tree.push(Node::Phrase(phrase))?))
    }

    /// Reads one token outside quotes and parentheses, with its column.
    fn bareword(&mut self) -> Parsed<Item> {
        let mut column = self.dialect.column;
        for (at, name) in self.dialect.columns.iter().enumerate() {
            let start = self.rest().get(..name.len());
            if start.is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
                && self.byte(name.len()) == Some(b':')
            {
                column = Some(at);
                self.at += name.len() + 1;
                break;
            }
        }
        if self.stop <= self.at {
            let is_stop = |byte: &u8| matches!(byte, b'"' | b'(' | b')');
            self.stop = self.at + self.rest().iter().position(is_stop).unwrap_or(self.rest().len());
        }
        let text: &[u8] = self.text;
        let text = text.get(self.at..self.stop).unwrap_or_default();
        let mut found = None;
        let consumed = self.tokenize(text, true, |token| {
            found = Some(token);
            Ok(())
        })?;
        self.at += consumed.unwrap_or(text.len());
        let Some(token) = found else { return Ok(Item::Nothing) };
        Ok(Item::Operand(self.tree.push(Node::Phrase(Phrase { tokens: vec![token], column }))?))
    }

    /// Splits a text into tokens; answers where the last token that `take` got ends.
    fn tokenize(
        &self,
        text: &[u8],
        only_first: bool,
        mut take: impl FnMut(QueryToken) -> crate::Result,
    ) -> Parsed<Option<usize>> {
        let mut consumed = None;
        let mut sink = |token: crate::tokenizer::Token<'_>| {
            let is_prefix = text.get(token.range.end) == Some(&b'*');
            let before = token.range.start.checked_sub(1).and_then(|at| text.get(at));
            let is_first = self.dialect.is_fts4 && before == Some(&b'^');
            take(QueryToken { text: Arc::new(copied(token.text)?), is_prefix, is_first, is_deferred: false })?;
            consumed = Some(token.range.end + usize::from(is_prefix));
            Ok(if only_first { Flow::Enough } else { Flow::More })
        };
        let done = self.dialect.tokenizer.tokenize(text, self.dialect.language, &mut sink);
        done.map_err(Wrong::Tokenizer)?;
        Ok(consumed)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

impl Tree {
    fn push(&mut self, node: Node) -> Result<usize, OutOfMemory> {
        self.nodes.try_push(node)?;
        self.parents.try_push(None)?;
        Ok(self.nodes.len() - 1)
    }

    fn parent(&self, node: usize) -> Option<usize> {
        self.parents.get(node).copied().flatten()
    }

    fn set_parent(&mut self, node: usize, parent: Option<usize>) {
        if let Some(slot) = self.parents.get_mut(node) {
            *slot = parent;
        }
    }

    fn set_right(&mut self, node: usize, child: usize) {
        if let Some(Node::Operator { right, .. }) = self.nodes.get_mut(node) {
            *right = child;
        }
        self.set_parent(child, Some(node));
    }
}
