//! The Rust on the pages of `docs/` and of the README, as doctests: it is compiled, and run.

#[doc = include_str!("../../../README.md")]
struct Readme;

#[doc = include_str!("../../../docs/howto/blobs.md")]
struct HowtoBlobs;

#[doc = include_str!("../../../docs/howto/concurrency.md")]
struct HowtoConcurrency;

#[doc = include_str!("../../../docs/howto/embedding.md")]
struct HowtoEmbedding;

#[doc = include_str!("../../../docs/howto/sessions.md")]
struct HowtoSessions;

#[doc = include_str!("../../../docs/internals/query.md")]
struct InternalsQuery;

#[doc = include_str!("../../../docs/tutorial/rust.md")]
struct TutorialRust;
