//! Any bytes as a damaged database: all that its pages still hold is read, and every row at most once for each of the two ways to it.

#![no_main]

use std::convert::Infallible;

use libfuzzer_sys::fuzz_target;
use lithe_recover::{Geometry, Image, PageNo, PageSource, Recovery};

fuzz_target!(|bytes: &[u8]| {
    let geometry = Geometry::of(bytes);
    let image = Image::new(bytes.to_vec(), geometry.page_size);
    let mut recovery = Recovery::new(&image, geometry);
    if bytes.first().is_some_and(|byte| byte % 2 == 0) {
        recovery.skip_freelist();
    }
    let Ok(()) = recovery.tree::<Infallible>(PageNo::FIRST, |row| {
        std::hint::black_box(row.values());
        Ok(())
    });
    let (mut lost, pages) = (0_u64, u64::from(image.count()));
    let Ok(()) = recovery.lost_rows::<Infallible>(|row| {
        lost += 1;
        assert!(row.page.get() <= image.count() && row.root.get() <= image.count(), "a row of a page that is not there");
        std::hint::black_box(row.row.values());
        Ok(())
    });
    // A cell takes four bytes at least.
    assert!(lost <= pages * geometry.page_size.bytes() as u64 / 4, "more rows than there are cells");
});
