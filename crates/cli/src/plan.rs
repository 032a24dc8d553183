//! EXPLAIN QUERY PLAN as a tree.

use std::io::{self, Write};

use lithe::Statement;

use crate::report::Failure;

struct Node {
    id: i64,
    parent: i64,
    detail: String,
}

/// Writes the plan's rows as a tree, and the plan of each trigger behind it as another one.
pub fn show(plan: &mut Statement<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut title = "QUERY PLAN".to_owned();
    let mut nodes = Vec::new();
    // The parameters are bound already, or are NULL.
    while let Some(row) = plan.step().map_err(Failure::Running)? {
        let node = row.get(0).and_then(|id| Ok(Node { id, parent: row.get(1)?, detail: row.get(3)? }));
        let node = node.map_err(Failure::Running)?;
        match node.detail.strip_prefix("-- ") {
            None => nodes.push(node),
            Some(trigger) => {
                show_tree(&title, &nodes, out).map_err(Failure::Writing)?;
                trigger.clone_into(&mut title);
                nodes.clear();
            }
        }
    }
    show_tree(&title, &nodes, out).map_err(Failure::Writing)
}

fn show_tree(title: &str, nodes: &[Node], out: &mut dyn Write) -> io::Result<()> {
    if nodes.is_empty() {
        return Ok(());
    }
    writeln!(out, "{title}")?;
    let is_known = |id: i64| nodes.iter().any(|node| node.id == id);
    let root = nodes.iter().map(|node| node.parent).find(|parent| !is_known(*parent)).unwrap_or(0);
    show_children(nodes, root, "", out)
}

fn show_children(nodes: &[Node], parent: i64, indent: &str, out: &mut dyn Write) -> io::Result<()> {
    let children: Vec<&Node> = nodes.iter().filter(|node| node.parent == parent).collect();
    for (at, child) in children.iter().enumerate() {
        let is_last = at + 1 == children.len();
        writeln!(out, "{indent}{}{}", if is_last { "`--" } else { "|--" }, child.detail)?;
        show_children(nodes, child.id, &format!("{indent}{}", if is_last { "   " } else { "|  " }), out)?;
    }
    Ok(())
}
