//! `.mode`: how rows are shown.

use crate::output::style::{Align, BlobQuote, Escape, LIMITS_ON, Limits, MODES, Screen};
use crate::output::style::{QUOTES, Quote};
use crate::output::{Layout, Mode, Style};
use crate::shell::Shell;

use super::boolean;

type Result = std::result::Result<(), String>;

/// `.mode ?MODE? ?TABLE? ?OPTIONS?`. Nothing is changed if anything is wrong.
pub fn mode(shell: &mut Shell, arguments: &[String]) -> Result {
    let mut style = shell.settings.style.clone();
    let (mut is_verbose, mut lists) = (arguments.is_empty(), false);
    let mut has_mode = false;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.strip_prefix('-').map(|name| name.trim_start_matches('-')) {
            None if !has_mode => {
                style.set_mode(Mode::named(argument).ok_or_else(|| unknown_mode(argument))?);
                has_mode = true;
            }
            None if style.mode.layout == Layout::Insert => style.insert_table = argument.clone(),
            None => return Err(format!("unexpected argument: {argument}")),
            Some("v") => is_verbose = true,
            Some("list") => lists = true,
            Some(name) => set_option(&mut style, name, &mut || {
                rest.next().cloned().ok_or_else(|| format!("missing argument to {argument}"))
            })?,
        }
    }
    shell.settings.style = style;
    if lists {
        return shell.output.print(&format!("available modes: {}\n", names()));
    }
    if is_verbose {
        let description = described(&shell.settings.style, !arguments.is_empty());
        return shell.output.print(&format!("{description}\n"));
    }
    Ok(())
}

fn unknown_mode(name: &str) -> String {
    format!("unknown mode: {name}. The modes are: {}", names())
}

fn names() -> String {
    MODES.iter().map(|mode| mode.name).collect::<Vec<_>>().join(" ")
}

/// Options with a value, and what they do. An unambiguous beginning of a name will do.
const OPTIONS: &[&str] = &[
    "align",
    "blob-quote",
    "border",
    "charlimit",
    "colsep",
    "escape",
    "limits",
    "linelimit",
    "noquote",
    "null",
    "quote",
    "reset",
    "rowsep",
    "screenwidth",
    "sw",
    "tablename",
    "textjsonb",
    "titlelimit",
    "titles",
    "widths",
    "wordwrap",
    "wrap",
    "ww",
];

fn set_option(style: &mut Style, name: &str, value: &mut dyn FnMut() -> std::result::Result<String, String>) -> Result {
    let mut beginning = OPTIONS.iter().filter(|option| option.starts_with(name));
    let only = match (beginning.next(), beginning.next()) {
        (Some(only), None) => *only,
        _ => *OPTIONS.iter().find(|option| **option == name).ok_or_else(|| format!("unknown option: --{name}"))?,
    };
    match only {
        "align" => style.align = alignments(&value()?)?,
        "blob-quote" => style.blob = blob_quote(&value()?)?,
        "border" => style.border = boolean(&value()?)?,
        "charlimit" => style.limits.characters = number(&value()?)?,
        "colsep" => style.column_separator = value()?,
        "escape" => style.escape = Escape::named(&value()?)?,
        "limits" => style.limits = limits(&value()?)?,
        "linelimit" => style.limits.lines = number(&value()?)?,
        "noquote" => style.quote = Mode::known("list").quote,
        "null" => style.null = Some(value()?),
        "quote" => style.quote = quote(&value()?)?,
        "reset" => {
            let mode = style.mode;
            *style = Style::default();
            style.set_mode(mode);
        }
        "rowsep" => style.row_separator = value()?,
        "screenwidth" | "sw" => style.screen = screen(&value()?)?,
        "tablename" => style.insert_table = value()?,
        "textjsonb" => style.text_jsonb = boolean(&value()?)?,
        "titlelimit" => style.limits.title = number(&value()?)?,
        "titles" => style.titles = Some(boolean(&value()?)?),
        "widths" => style.widths = widths(value()?.split([',', ' ']).filter(|width| !width.is_empty()))?,
        "wordwrap" | "ww" => style.word_wrap = boolean(&value()?)?,
        _ => style.wrap = number(&value()?)?,
    }
    Ok(())
}

/// The mode with what has been set on top of it.
fn described(style: &Style, all: bool) -> String {
    let on = |is_on: bool| if is_on { "on" } else { "off" }.to_owned();
    let quoted = |text: &str| format!("{text:?}");
    let joined = |parts: Vec<String>| quoted(&parts.join(" "));
    let limits = match style.limits {
        LIMITS_ON => "on".to_owned(),
        limits if limits == Limits::default() => "off".to_owned(),
        limits => format!("{},{},{}", limits.lines, limits.characters, limits.title),
    };
    let default = {
        let mut default = Style::default();
        default.set_mode(style.mode);
        default
    };
    let quote_name = QUOTES.iter().find(|(_, quote)| *quote == style.quote).map_or("off", |(name, _)| *name).to_owned();
    let screen = match style.screen {
        Screen::Any => "off".to_owned(),
        Screen::Terminal => "auto".to_owned(),
        Screen::Columns(columns) => columns.to_string(),
    };
    let named = |name: String| name.to_ascii_lowercase();
    let options = [
        (
            "align",
            joined(style.align.iter().map(|align| format!("{align:?}")[..1].to_owned()).collect()),
            style.align.is_empty(),
        ),
        ("border", on(style.border), style.border == default.border),
        ("blob-quote", named(format!("{:?}", style.blob)), style.blob == BlobQuote::Auto),
        ("colsep", quoted(&style.column_separator), style.column_separator == default.column_separator),
        ("escape", named(format!("{:?}", style.escape)), style.escape == Escape::Ascii),
        ("limits", limits, style.limits == Limits::default()),
        ("null", quoted(style.null()), style.null.is_none()),
        ("quote", quote_name, style.quote == default.quote),
        ("rowsep", quoted(&style.row_separator), style.row_separator == default.row_separator),
        ("sw", screen, style.screen == Screen::Any),
        ("tablename", quoted(&style.insert_table), style.mode.layout != Layout::Insert),
        ("textjsonb", on(style.text_jsonb), !style.text_jsonb),
        ("titles", on(style.has_titles()), style.titles.is_none()),
        ("widths", joined(style.widths.iter().map(i32::to_string).collect()), style.widths.is_empty()),
        ("wordwrap", on(style.word_wrap), !style.word_wrap),
        ("wrap", style.wrap.to_string(), style.wrap == 0),
    ];
    let shown = options.iter().filter(|(_, _, is_default)| all || !is_default);
    let text: String = shown.map(|(name, value, _)| format!(" --{name} {value}")).collect();
    format!(".mode {}{text}", style.mode.name)
}

fn number(text: &str) -> std::result::Result<usize, String> {
    text.parse().map_err(|_| format!("not a number: \"{text}\""))
}

/// Column widths. More than 10,000 characters are no width.
pub fn widths<'w>(words: impl Iterator<Item = &'w str>) -> std::result::Result<Vec<i32>, String> {
    const WIDTH_MAX: i32 = 10_000;
    words
        .map(|word| match word.parse::<i32>() {
            Ok(width) => Ok(width.clamp(-WIDTH_MAX, WIDTH_MAX)),
            Err(_) => Err(format!("not a width: \"{word}\"")),
        })
        .collect()
}

fn alignments(letters: &str) -> std::result::Result<Vec<Align>, String> {
    let align = |letter: char| match letter.to_ascii_uppercase() {
        'L' => Ok(Align::Left),
        'C' => Ok(Align::Center),
        'R' => Ok(Align::Right),
        _ => Err(format!("not an alignment (L, C or R): \"{letter}\"")),
    };
    letters.chars().filter(|letter| !" ,".contains(*letter)).map(align).collect()
}

fn quote(name: &str) -> std::result::Result<Quote, String> {
    let found = QUOTES.iter().find(|(other, _)| *other == name);
    found.map(|(_, quote)| *quote).ok_or_else(|| format!("unknown quotes: {name}"))
}

fn blob_quote(name: &str) -> std::result::Result<BlobQuote, String> {
    Ok(match name {
        "auto" => BlobQuote::Auto,
        "text" => BlobQuote::Text,
        "sql" => BlobQuote::Sql,
        "hex" => BlobQuote::Hex,
        "tcl" => BlobQuote::Tcl,
        "json" => BlobQuote::Json,
        "size" => BlobQuote::Size,
        _ => return Err(format!("unknown quotes for BLOBs: {name}")),
    })
}

/// `on`, `off`, or up to three numbers: lines, characters, characters of a title.
fn limits(text: &str) -> std::result::Result<Limits, String> {
    if let Ok(is_on) = boolean(text)
        && !text.starts_with(|c: char| c.is_ascii_digit())
    {
        return Ok(if is_on { LIMITS_ON } else { Limits::default() });
    }
    let numbers = text.split(',').map(number).collect::<std::result::Result<Vec<usize>, String>>()?;
    let at = |i: usize| numbers.get(i).copied().unwrap_or(0);
    Ok(Limits { lines: at(0), characters: at(1), title: at(2) })
}

fn screen(text: &str) -> std::result::Result<Screen, String> {
    Ok(match text {
        "auto" => Screen::Terminal,
        "off" | "0" => Screen::Any,
        columns => Screen::Columns(number(columns)?),
    })
}
