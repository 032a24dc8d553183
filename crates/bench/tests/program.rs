//! The program from outside: its exit if something is missing or after an interrupt, and the page in a browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The figures of the run that docs/BENCHMARKS.md shows.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/benchmarks/results.json");

fn bench() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lithe-bench"))
}

/// Checks that the program fails with these words.
fn check_fails(arguments: &[&str], words: &str) {
    let output = bench().args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{arguments:?}");
    assert!(said.contains(words), "{arguments:?} said: {said}");
}

#[test]
fn what_is_missing_is_said() {
    check_fails(
        &["blobs", "--folder", "/no/such/folder"],
        "no folder /no/such/folder: name one that exists with --folder",
    );
    check_fails(&["blobs", "--count", "100000000000"], "are needed");
    check_fails(&["report", "/no/such/file", "--out", "/tmp"], "cannot read /no/such/file");
    check_fails(&["tpch", "--scale", "0.001"], "--scale");
}

#[test]
fn an_interrupt_removes_the_temporary_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = bench()
        .args(["blobs", "--count", "2000", "--rounds", "60000", "--folder"])
        .arg(folder.path())
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("a temporary folder", || fs::read_dir(folder.path()).unwrap().next().is_some());
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(end_of(&mut child), Some(130));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "files are left behind");
}

fn end_of(child: &mut Child) -> Option<i32> {
    wait_for("the end of the program", || child.try_wait().unwrap().is_some());
    child.wait().unwrap().code()
}

fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_there() {
        assert!(start.elapsed() < Duration::from_secs(60), "no sign of {what}");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn kept_figures_become_a_page_that_loads_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let page = fs::read_to_string(page_of_kept_figures(folder.path())).unwrap();
    for reference in ["src=", "href=\"http", "url(", "@import"] {
        assert!(!page.contains(reference), "the page has {reference}");
    }
    assert!(page.contains("<svg") && page.contains("prefers-color-scheme: dark"));
    assert!(folder.path().join("charts/blobs-read-light.svg").is_file());
}

fn page_of_kept_figures(folder: &Path) -> PathBuf {
    let status = bench().args(["report", KEPT, "--out"]).arg(folder).stderr(Stdio::null()).status().unwrap();
    assert!(status.success());
    folder.join("report.html")
}

/// In a browser the page is as wide as the window, on a desktop and on a phone, so that no horizontal scrolling is needed.
#[test]
fn the_page_fits_desktops_and_phones() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium is installed (Debian's package chromium)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let page = fs::read_to_string(page_of_kept_figures(folder.path())).unwrap();
    // A window cannot be as narrow as a phone, but a frame in the window can.
    fs::write(folder.path().join("page.html"), page).unwrap();
    for width in [1280, 390] {
        let frame = format!(
            "<!DOCTYPE html><title>-</title><iframe id=f width={width} height=2000 src=page.html></iframe><script>\
             onload = () => {{ const root = f.contentDocument.documentElement; \
             document.title = 'width ' + root.scrollWidth + ' of ' + root.clientWidth; }}</script>"
        );
        let path = folder.path().join(format!("frame-{width}.html"));
        fs::write(&path, frame).unwrap();
        let output = Command::new(&browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--allow-file-access-from-files",
                "--virtual-time-budget=5000",
            ])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg("--dump-dom")
            .arg(format!("file://{}", path.display()))
            .output()
            .unwrap();
        let dom = String::from_utf8_lossy(&output.stdout).into_owned();
        let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap_or_default();
        let numbers: Vec<u32> = title.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [wanted, has] = numbers[..] else { panic!("the browser says: {title:?}") };
        assert!(has > width - 40 && wanted <= has, "the page takes {wanted} pixels of {has}");
    }
}

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file())
}
