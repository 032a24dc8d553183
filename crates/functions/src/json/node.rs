//! Looking up values in JSONB without reading the others.

use super::path::{self, Step};
use super::tree::Text;
use super::{binary, kind};

/// A value within JSONB.
pub struct Node<'a> {
    /// Its offset, or that of its label.
    pub id: usize,
    /// Its offset.
    pub at: usize,
    /// Its bytes, and the bytes after them in the array or object around it.
    pub bytes: &'a [u8],
}

/// The step from a value to one of its children.
pub enum Key<'a> {
    /// Into an array.
    Index(usize),
    /// Into an object.
    Label(Text<'a>),
}

impl<'a> Node<'a> {
    /// Its kind and content, if its header is right.
    pub fn content(&self) -> Option<(u8, &'a [u8])> {
        binary::header(self.bytes).map(|(kind, content, _)| (kind, content))
    }

    /// Its kind, if its header is right.
    pub fn kind(&self) -> Option<u8> {
        self.content().map(|(kind, _)| kind)
    }

    /// What json_type() says of it, if its header is right.
    pub fn type_name(&self) -> Option<&'static str> {
        self.kind().and_then(binary::type_name)
    }

    /// The number of its bytes, its header included.
    pub fn len(&self) -> usize {
        binary::header(self.bytes).map_or(0, |(_, _, rest)| self.bytes.len() - rest.len())
    }

    /// The offset of its content.
    pub fn content_at(&self) -> Option<usize> {
        let (_, content, rest) = binary::header(self.bytes)?;
        Some(self.at + self.bytes.len() - content.len() - rest.len())
    }

    /// Its children, each with its key, as far as they can be read.
    pub fn children(&self) -> Children<'a> {
        let (kind, rest) = self.content().unwrap_or_default();
        let is_object = kind == kind::OBJECT;
        let rest = if kind >= kind::ARRAY { rest } else { &[] };
        Children { is_object, at: self.content_at().unwrap_or_default(), rest, index: 0 }
    }
}

/// The children of an array or object that have not been visited.
pub struct Children<'a> {
    is_object: bool,
    at: usize,
    rest: &'a [u8],
    index: usize,
}

impl<'a> Children<'a> {
    /// The next child; an error if the bytes are no valid element.
    pub fn next(&mut self) -> Option<Result<(Key<'a>, Node<'a>), path::Failure>> {
        if self.rest.is_empty() {
            return None;
        }
        let child = self.read();
        if child.is_none() {
            self.rest = &[];
        }
        Some(child.ok_or(path::Failure::Malformed))
    }

    /// How many children there are, with what cannot be read as one.
    pub fn count(mut self) -> usize {
        std::iter::from_fn(|| self.next()).count()
    }

    fn read(&mut self) -> Option<(Key<'a>, Node<'a>)> {
        let id = self.at;
        let key = if self.is_object {
            let (kind, label, rest) = binary::header(self.rest)?;
            self.advance(rest);
            Key::Label(binary::label(kind, label)?)
        } else {
            Key::Index(self.index)
        };
        self.index += 1;
        let node = Node { id, at: self.at, bytes: self.rest };
        let (_, _, rest) = binary::header(self.rest)?;
        self.advance(rest);
        Some((key, node))
    }

    fn advance(&mut self, rest: &'a [u8]) {
        self.at += self.rest.len() - rest.len();
        self.rest = rest;
    }
}

/// The value at a path.
pub fn find<'a>(document: &'a [u8], path: &[u8]) -> Result<Option<Node<'a>>, path::Failure> {
    let (mut node, mut rest) = (Node { id: 0, at: 0, bytes: document }, path::steps(path)?);
    while !rest.is_empty() {
        if rest.first() == Some(&b'[') && node.kind() != Some(kind::ARRAY) {
            return Ok(None);
        }
        let (step, behind) = path::first_step(rest)?;
        match child(&node, &step)? {
            Some(next) => (node, rest) = (next, behind),
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

/// The child that one step leads to.
fn child<'a>(node: &Node<'a>, step: &Step<'_>) -> Result<Option<Node<'a>>, path::Failure> {
    let children = node.children();
    match step {
        Step::Label(label) if children.is_object => member(children, &label.to_sql()?),
        // As in SQLite, what is searched in vain must be sound.
        Step::Label(_) => element(children, usize::MAX),
        Step::Index(at) => element(children, *at),
        Step::FromEnd(_) => {
            let mut count = 0;
            let mut counted = node.children();
            while let Some(child) = counted.next() {
                child?;
                count += 1;
            }
            step.place(count).map_or(Ok(None), |at| element(children, at))
        }
    }
}

/// The member of an object with a label.
fn member<'a>(mut members: Children<'a>, label: &[u8]) -> Result<Option<Node<'a>>, path::Failure> {
    while !members.rest.is_empty() {
        let id = members.at;
        let (kind, bytes, behind) = binary::header(members.rest).ok_or(path::Failure::Malformed)?;
        members.advance(behind);
        let is_it = match kind {
            kind::TEXT | kind::TEXTRAW => bytes == label,
            _ => binary::label(kind, bytes).ok_or(path::Failure::Malformed)?.is(label),
        };
        let (_, _, behind) = binary::header(members.rest).ok_or(path::Failure::Malformed)?;
        if is_it {
            return Ok(Some(Node { id, at: members.at, bytes: members.rest }));
        }
        members.advance(behind);
    }
    Ok(None)
}

/// The child at a place; the children before it must be sound.
fn element<'a>(mut children: Children<'a>, place: usize) -> Result<Option<Node<'a>>, path::Failure> {
    while let Some(child) = children.next() {
        let (key, child) = child?;
        if matches!(key, Key::Index(at) if at == place) {
            return Ok(Some(child));
        }
    }
    Ok(None)
}
