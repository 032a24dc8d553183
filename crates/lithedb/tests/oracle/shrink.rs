//! Shortens a failing script.

/// The script without the statements that the failure does not need. `fails` must be true for `script`.
pub fn shortest<T: Clone>(script: &[T], fails: impl Fn(&[T]) -> bool) -> Vec<T> {
    let mut script = script.to_vec();
    let mut step = script.len() / 2;
    while step > 0 {
        let mut start = 0;
        while start < script.len() {
            let end = (start + step).min(script.len());
            let candidate: Vec<T> = script[..start].iter().chain(&script[end..]).cloned().collect();
            if !candidate.is_empty() && fails(&candidate) {
                script = candidate;
            } else {
                start = end;
            }
        }
        step /= 2;
    }
    script
}
