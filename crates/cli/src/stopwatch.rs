//! How long a statement takes, by the clock and on the processor: what `.timer` shows.

use std::fmt;
use std::time::{Duration, Instant};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// A moment from which time is taken.
pub struct Stopwatch {
    clock: Instant,
    processor: Option<Usage>,
}

/// The time that has passed since then.
pub struct Lap {
    real: Duration,
    /// In the program and in the system; not known where the system does not say.
    processor: Option<(Duration, Duration)>,
}

impl Stopwatch {
    /// From now on.
    pub fn start() -> Stopwatch {
        Stopwatch { clock: Instant::now(), processor: usage() }
    }

    /// Until now.
    pub fn lap(&self) -> Lap {
        let passed = |before: TimeVal, now: TimeVal| duration(now).saturating_sub(duration(before));
        let processor = self.processor.zip(usage()).map(|(before, now)| {
            (passed(before.user_time(), now.user_time()), passed(before.system_time(), now.system_time()))
        });
        Lap { real: self.clock.elapsed(), processor }
    }
}

/// The line that users of the `sqlite3` shell know.
impl fmt::Display for Lap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Run Time: real {:.6}", self.real.as_secs_f64())?;
        match self.processor {
            Some((user, system)) => write!(f, " user {:.6} sys {:.6}", user.as_secs_f64(), system.as_secs_f64()),
            None => Ok(()),
        }
    }
}

fn usage() -> Option<Usage> {
    getrusage(UsageWho::RUSAGE_SELF).ok()
}

fn duration(time: TimeVal) -> Duration {
    Duration::new(time.tv_sec().unsigned_abs(), 0) + Duration::from_micros(time.tv_usec().unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time() {
        let watch = Stopwatch::start();
        let mut sum = 0_u64;
        while watch.clock.elapsed() < Duration::from_millis(30) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let lap = watch.lap();
        let (user, system) = lap.processor.expect("this system says");
        assert!(lap.real >= Duration::from_millis(30));
        assert!(user + system > Duration::ZERO && user + system < Duration::from_secs(60));
        let line = lap.to_string();
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words.len(), 8, "{line}");
        assert_eq!((words[0], words[2], words[4], words[6]), ("Run", "real", "user", "sys"));
    }
}
