//! Balances chains of AND and of OR into trees of the least depth.
//!
//! The parser's tree for a thousand words joined by OR is a thousand levels deep. A balanced tree is at most twelve levels deep, so that
//! recursion over it cannot overflow the stack.

use super::parser::{Node, Operator, Tree};
use super::{DEPTH_MAX, Expr, Phrase, Wrong};

/// The tree, balanced.
pub(super) fn balanced(mut tree: Tree) -> Result<Expr, Wrong> {
    let root = tree.root;
    let expr = tree.balance(root, DEPTH_MAX)?;
    if depth(&expr) > DEPTH_MAX { Err(Wrong::TooDeep) } else { Ok(expr) }
}

impl Tree {
    fn balance(&mut self, node: usize, depth_max: usize) -> Result<Expr, Wrong> {
        if depth_max == 0 {
            return Err(Wrong::TooDeep);
        }
        let (operator, distance, left, right) = match self.nodes.get_mut(node) {
            Some(Node::Phrase(phrase)) => return Ok(Expr::Phrase(std::mem::take(phrase))),
            Some(Node::Operator { operator, distance, left, right }) => (*operator, *distance, *left, *right),
            None => return Err(Wrong::Malformed),
        };
        match operator {
            Operator::Near => self.near(left, right, distance),
            Operator::Not => {
                let left = self.balance(left, depth_max - 1)?;
                Ok(Expr::Not(Box::new(left), Box::new(self.balance(right, depth_max - 1)?)))
            }
            Operator::And => self.chain(node, operator, depth_max, Expr::And),
            Operator::Or => self.chain(node, operator, depth_max, Expr::Or),
        }
    }

    /// A chain of NEAR: its left operand is a phrase or a chain, its right one a phrase.
    fn near(&mut self, left: usize, right: usize, distance: i64) -> Result<Expr, Wrong> {
        let mut links = vec![(right, distance)];
        let mut first = left;
        while let Some(Node::Operator { operator: Operator::Near, distance, left, right }) = self.nodes.get(first) {
            links.push((*right, *distance));
            first = *left;
        }
        if links.len() > DEPTH_MAX {
            return Err(Wrong::TooDeep);
        }
        let mut expr = Expr::Phrase(self.phrase(first)?);
        for (right, distance) in links.into_iter().rev() {
            expr = Expr::Near(Box::new(expr), self.phrase(right)?, distance);
        }
        Ok(expr)
    }

    fn phrase(&mut self, node: usize) -> Result<Phrase, Wrong> {
        match self.nodes.get_mut(node) {
            Some(Node::Phrase(phrase)) => Ok(std::mem::take(phrase)),
            _ => Err(Wrong::Malformed),
        }
    }

    /// Joins the operands of a chain in pairs, the pairs in pairs, and so on.
    fn chain(
        &mut self,
        node: usize,
        operator: Operator,
        depth_max: usize,
        join: fn(Box<Expr>, Box<Expr>) -> Expr,
    ) -> Result<Expr, Wrong> {
        let mut subtrees: Vec<Option<Expr>> = (0..depth_max).map(|_| None).collect();
        let mut path = vec![node];
        while let Some(node) = path.pop() {
            if let Some(Node::Operator { operator: own, left, right, .. }) = self.nodes.get(node)
                && *own == operator
            {
                path.extend([*right, *left]);
                continue;
            }
            let mut operand = Some(self.balance(node, depth_max - 1)?);
            for slot in &mut subtrees {
                let Some(right) = operand.take() else { break };
                match slot.take() {
                    None => *slot = Some(right),
                    Some(left) => operand = Some(join(Box::new(left), Box::new(right))),
                }
            }
            if operand.is_some() {
                return Err(Wrong::TooDeep);
            }
        }
        let joined = subtrees.into_iter().flatten().reduce(|right, left| join(Box::new(left), Box::new(right)));
        joined.ok_or(Wrong::Malformed)
    }
}

/// The number of operators above the deepest phrase.
fn depth(expr: &Expr) -> usize {
    match expr {
        Expr::Phrase(_) => 0,
        Expr::Near(left, ..) => 1 + depth(left),
        Expr::Not(left, right) | Expr::And(left, right) | Expr::Or(left, right) => 1 + depth(left).max(depth(right)),
    }
}
