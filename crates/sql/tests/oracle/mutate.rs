//! Damages a statement: deletes, doubles, swaps or replaces tokens, or cuts off the end.

use crate::generate::any_token;
use crate::random::Random;

/// Two of five statements remain unchanged.
pub fn damage(tokens: &mut Vec<String>, random: &mut Random) {
    let times = [0, 0, 1, 1, 2][random.below(5)];
    for _ in 0..times {
        if !tokens.is_empty() {
            damage_once(tokens, random);
        }
    }
}

fn damage_once(tokens: &mut Vec<String>, random: &mut Random) {
    let at = random.below(tokens.len());
    match random.below(7) {
        0 => {
            tokens.remove(at);
        }
        1 => tokens.insert(at, tokens[at].clone()),
        2 => {
            let other = random.below(tokens.len());
            tokens.swap(at, other);
        }
        3 => tokens[at] = any_token(random),
        4 => tokens.insert(at, any_token(random)),
        5 => tokens.truncate(at),
        _ => {
            let end = (at + 1 + random.below(6)).min(tokens.len());
            let copied: Vec<String> = tokens[at..end].to_vec();
            let to = random.below(tokens.len());
            tokens.splice(to..to, copied);
        }
    }
}
