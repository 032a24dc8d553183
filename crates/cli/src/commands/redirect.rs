//! `.output`, `.once`: redirect the output. `.excel`, `.www`: to a desktop program.

use super::usage;
use crate::commands::failure::Failure;
use crate::output::style::Quote;
use crate::output::{Mode, Titles};
use crate::shell::Shell;
use crate::sink::{BYTE_ORDER_MARK, Sink};

type Result = std::result::Result<(), Failure>;

/// The program that opens the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Viewer {
    Editor,
    Spreadsheet,
    Browser,
}

#[derive(Default)]
struct Options {
    viewer: Option<Viewer>,
    byte_order_mark: bool,
    /// Whether a browser gets text instead of a table.
    is_plain: bool,
    words: Vec<String>,
}

impl Options {
    fn parse(arguments: &[String], command: &str) -> std::result::Result<Options, String> {
        let mut options = Options::default();
        for argument in arguments {
            let is_program = options.words.first().is_some_and(|word| word.starts_with('|'));
            match argument.strip_prefix('-').map(|name| name.trim_start_matches('-')).filter(|_| !is_program) {
                None => options.words.push(argument.clone()),
                Some("bom") => options.byte_order_mark = true,
                Some("plain") => options.is_plain = true,
                Some("e") => options.viewer = Some(Viewer::Editor),
                Some("x") => options.viewer = Some(Viewer::Spreadsheet),
                Some("w") => options.viewer = Some(Viewer::Browser),
                Some(_) => return Err(format!("unknown option: \"{argument}\".  {}", usage(command))),
            }
        }
        Ok(options)
    }
}

pub fn output(shell: &mut Shell, arguments: &[String]) -> Result {
    redirect(shell, &Options::parse(arguments, ".output")?, ".output", false)
}

pub fn once(shell: &mut Shell, arguments: &[String]) -> Result {
    redirect(shell, &Options::parse(arguments, ".once")?, ".once", true)
}

pub fn excel(shell: &mut Shell, arguments: &[String]) -> Result {
    view(shell, arguments, ".excel", Viewer::Spreadsheet)
}

pub fn www(shell: &mut Shell, arguments: &[String]) -> Result {
    view(shell, arguments, ".www", Viewer::Browser)
}

fn view(shell: &mut Shell, arguments: &[String], command: &str, viewer: Viewer) -> Result {
    let options = Options { viewer: Some(viewer), ..Options::parse(arguments, command)? };
    if let Some(word) = options.words.first() {
        return Err(format!("extra parameter: \"{word}\".  {}", usage(command)).into());
    }
    redirect(shell, &options, command, true)
}

/// Redirects the output. It returns to standard output even if the new destination cannot be opened.
fn redirect(shell: &mut Shell, options: &Options, command: &str, is_once: bool) -> Result {
    shell.end_once();
    shell.set_output(Sink::stdout());
    let sink = match (options.viewer, options.words.as_slice()) {
        (Some(viewer), []) => open_viewer(shell, viewer, options.is_plain)?,
        (None, [] | [_]) if options.words.first().is_none_or(|file| file == "stdout") => return Ok(()),
        // The words of a program need no quotes.
        (None, words @ [first, ..]) if first.starts_with('|') => Sink::open(&words.join(" "), is_once)?,
        (None, [file]) if file == "off" => Sink::open("/dev/null", is_once)?,
        (None, [file]) => Sink::open(file, is_once)?,
        _ => return Err(usage(command)),
    };
    shell.set_output(sink);
    if options.byte_order_mark {
        shell.output.print(BYTE_ORDER_MARK)?;
    }
    if options.viewer == Some(Viewer::Browser) && !options.is_plain {
        shell.output.print(PAGE_BEGINS)?;
    }
    Ok(())
}

const PAGE_BEGINS: &str = "<!DOCTYPE html>\n<HTML><BODY>\n<TABLE border='1' cellspacing='0' cellpadding='2'>\n";
const PAGE_ENDS: &str = "</TABLE>\n</BODY></HTML>\n";

/// Opens a temporary file for a viewer, and sets the mode for it until the output ends.
fn open_viewer(shell: &mut Shell, viewer: Viewer, is_plain: bool) -> std::result::Result<Sink, String> {
    let (suffix, mode, ending) = match viewer {
        Viewer::Editor => (".txt", None, ""),
        Viewer::Spreadsheet => (".csv", Some("csv"), ""),
        Viewer::Browser if is_plain => (".txt", None, ""),
        Viewer::Browser => (".html", Some("html"), PAGE_ENDS),
    };
    let sink = Sink::viewer(suffix, ending)?;
    if let Some(mode) = mode {
        shell.style_before = Some(shell.settings.style.clone());
        let style = &mut shell.settings.style;
        style.set_mode(Mode::known(mode));
        style.titles = Some(Titles::On);
        debug_assert!(matches!(style.quote, Quote::Csv | Quote::Html));
    }
    Ok(sink)
}
