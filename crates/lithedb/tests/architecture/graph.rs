//! Cycles of a graph: its strongly connected components of more than one node (Tarjan 1972).

use std::collections::{BTreeMap, BTreeSet};

/// The edges of each node.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// The sets of nodes that reach each other.
pub fn cycles(graph: &Graph) -> Vec<BTreeSet<String>> {
    let mut search = Search { graph, visits: BTreeMap::new(), path: Vec::new(), found: Vec::new() };
    for node in graph.keys() {
        if !search.visits.contains_key(node.as_str()) {
            search.visit(node);
        }
    }
    search.found.retain(|component| component.len() > 1);
    search.found
}

struct Search<'g> {
    graph: &'g Graph,
    /// For each visited node, its number in the order of visits, and the lowest number that it reaches on the path.
    visits: BTreeMap<&'g str, (usize, usize)>,
    /// Visited nodes whose component is not known yet.
    path: Vec<&'g str>,
    found: Vec<BTreeSet<String>>,
}

impl<'g> Search<'g> {
    /// Answers the lowest number that the node reaches.
    fn visit(&mut self, node: &'g str) -> usize {
        let number = self.visits.len();
        let mut low = number;
        self.visits.insert(node, (number, number));
        self.path.push(node);
        for next in self.graph.get(node).into_iter().flatten() {
            match self.visits.get(next.as_str()) {
                None => low = low.min(self.visit(next)),
                Some((number, _)) if self.path.contains(&next.as_str()) => low = low.min(*number),
                Some(_) => {}
            }
        }
        self.visits.insert(node, (number, low));
        if low == number {
            let from = self.path.iter().position(|other| *other == node).unwrap();
            self.found.push(self.path.drain(from..).map(str::to_owned).collect());
        }
        low
    }
}

#[test]
fn knots_are_found() {
    let edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("f", "f")];
    let mut graph = Graph::new();
    for (from, to) in edges {
        graph.entry(from.to_owned()).or_default().insert(to.to_owned());
    }
    let expected = BTreeSet::from(["a", "b", "c"].map(str::to_owned));
    assert_eq!(cycles(&graph), [expected]);
}
