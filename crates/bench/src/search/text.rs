//! Documents with the lengths and repetitions of natural ones: the words of a vocabulary follow Zipf's law.

use fastrand::Rng;

/// The number of words.
pub const VOCABULARY: usize = 50_000;

const CONSONANTS: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";
const VOWELS: &[u8; 5] = b"aeiou";

/// The word of a rank, made of syllables: frequent words are shorter.
pub fn word(rank: usize) -> String {
    let syllables = CONSONANTS.len() * VOWELS.len();
    let (mut word, mut rest) = (String::new(), rank + 1);
    while rest > 0 {
        let syllable = rest % syllables;
        word.push(char::from(CONSONANTS[syllable / VOWELS.len()]));
        word.push(char::from(VOWELS[syllable % VOWELS.len()]));
        rest /= syllables;
    }
    word
}

/// A random rank: the word of rank r comes with a probability proportional to 1 / r.
pub fn rank(rng: &mut Rng) -> usize {
    let rank = (VOCABULARY as f64).powf(rng.f64());
    (rank as usize - 1).min(VOCABULARY - 1)
}

/// The words of a document, determined by seed and number.
pub fn document(seed: u64, number: usize, lens: (usize, usize)) -> Vec<usize> {
    let mut rng = Rng::with_seed(seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let len = rng.usize(lens.0..=lens.1.max(lens.0));
    (0..len).map(|_| rank(&mut rng)).collect()
}

/// Words as a text.
pub fn text(ranks: &[usize], words: &[String]) -> String {
    let mut text = String::with_capacity(ranks.len() * 6);
    for rank in ranks {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&words[*rank]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn words_differ_and_frequent_ones_come_often() {
        let words: HashSet<String> = (0..VOCABULARY).map(word).collect();
        assert_eq!(words.len(), VOCABULARY);
        let ranks = document(1, 7, (20_000, 20_000));
        let frequent = ranks.iter().filter(|rank| **rank < 10).count();
        assert!((2_000..6_000).contains(&frequent), "{frequent}");
        assert_eq!(document(1, 7, (1, 9)), document(1, 7, (1, 9)));
    }
}
