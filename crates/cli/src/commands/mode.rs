//! `.mode`: the output mode and its options.

use crate::commands::failure::Failure;
use crate::output::number::{is_integer_format, is_real_format};
use crate::output::style::{Align, BlobQuote, Escape, LIMITS_ON, Limits, MODES, Screen};
use crate::output::style::{QUOTES, Quote};
use crate::output::{Layout, Mode, Style, Titles};
use crate::shell::Shell;

use super::boolean;

type Result = std::result::Result<(), Failure>;

/// `.mode ?MODE? ?TABLE? ?OPTIONS?`. An error leaves the settings unchanged.
pub fn mode(shell: &mut Shell, arguments: &[String]) -> Result {
    let mut style = shell.settings.style.clone();
    let (mut is_verbose, mut lists, mut once) = (arguments.is_empty(), false, None);
    let mut has_mode = false;
    let mut rest = arguments.iter().enumerate();
    while let Some((at, argument)) = rest.next() {
        let wrong = |at: usize, what: &str| pointed(arguments, at, what);
        match argument.strip_prefix('-').map(|name| name.trim_start_matches('-')) {
            None if !has_mode => {
                let tagged = shell.settings.tagged_styles.get(argument);
                match (Mode::named(argument), tagged) {
                    (_, Some(tagged)) => style = tagged.clone(),
                    (Some(mode), None) => style.set_mode(mode),
                    (None, None) => {
                        return Err(wrong(at, "unknown mode\nError: Use \".help .mode\" for more info").into());
                    }
                }
                has_mode = true;
            }
            None if style.mode.layout == Layout::Insert => style.insert_table = argument.clone(),
            None => return Err(wrong(at, "unexpected argument").into()),
            Some("v" | "verbose") => is_verbose = true,
            Some("list") => lists = true,
            Some("once") => (once, has_mode) = (Some(style.clone()), false),
            Some("tag") => {
                let (_, tag) = rest.next().ok_or_else(|| wrong(at, "missing argument"))?;
                shell.settings.tagged_styles.insert(tag.clone(), style.clone());
            }
            Some("ww") => style.word_wrap = true,
            Some(name) => {
                let option = option_named(name).ok_or_else(|| wrong(at, "unknown option"))?;
                let value = match TAKES_NOTHING.contains(&option) {
                    true => Some((at, "")),
                    false => rest.next().map(|(at, value)| (at, value.as_str())),
                };
                let (at, value) = value.ok_or_else(|| wrong(at, "missing argument"))?;
                set_option(&mut style, option, value).map_err(|what| wrong(at, &what))?;
            }
        }
    }
    shell.settings.style = style;
    if let Some(before) = once {
        shell.style_once = Some(before);
    }
    if lists {
        return Ok(shell.output.print(&format!("available modes: {}\n", names()))?);
    }
    if is_verbose {
        let description = described(&shell.settings.style, !arguments.is_empty());
        return Ok(shell.output.print(&format!("{description}\n"))?);
    }
    Ok(())
}

/// An error message with an arrow to the argument: `.mode foo`, and below it the arrow to `foo`. Each line is printed as an error.
fn pointed(arguments: &[String], at: usize, what: &str) -> String {
    let line = format!(".mode {}", arguments.join(" "));
    let before: usize = arguments.iter().take(at).map(|argument| argument.chars().count() + 1).sum();
    format!("{line}\nError: {}^--- {what}", " ".repeat(".mode ".len() + before))
}

fn names() -> String {
    MODES.iter().map(|mode| mode.name).collect::<Vec<_>>().join(" ")
}

/// The options that take a value. An unambiguous prefix of a name suffices.
const OPTIONS: &[&str] = &[
    "align",
    "blob-quote",
    "border",
    "charlimit",
    "colsep",
    "escape",
    "fpfmt",
    "ifmt",
    "limits",
    "linelimit",
    "multiinsert",
    "noquote",
    "null",
    "quote",
    "reset",
    "rowcount",
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
];

/// The options without a value.
const TAKES_NOTHING: [&str; 2] = ["noquote", "reset"];

fn option_named(name: &str) -> Option<&'static str> {
    let name = if name == "title" { "titles" } else { name }; // because it is also a prefix of `titlelimit`
    let exact = OPTIONS.iter().find(|option| **option == name);
    let mut beginning = OPTIONS.iter().filter(|option| option.starts_with(name));
    let only = match (beginning.next(), beginning.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    };
    exact.or(only).copied()
}

fn set_option(style: &mut Style, option: &str, value: &str) -> std::result::Result<(), String> {
    match option {
        "align" => style.align = alignments(value)?,
        "blob-quote" => style.blob = blob_quote(value)?,
        "border" => style.border = boolean(value)?,
        "charlimit" => style.limits.characters = number(value)?,
        "colsep" => style.column_separator = value.to_owned(),
        "escape" => style.escape = Escape::named(value)?,
        "fpfmt" => style.real_format = format_of(value, is_real_format, "not a valid floating-point format")?,
        "ifmt" => style.integer_format = format_of(value, is_integer_format, "not a valid integer format")?,
        "limits" => style.limits = limits(value)?,
        "linelimit" => style.limits.lines = number(value)?,
        "multiinsert" => style.multi_insert = number(value)?,
        "noquote" => style.quote = Mode::known("list").quote,
        "null" => style.null = Some(value.to_owned()),
        "quote" => style.quote = quote(value)?,
        "reset" => {
            let mode = style.mode;
            *style = Style::default();
            style.set_mode(mode);
        }
        "rowcount" => style.row_count = boolean(value)?,
        "rowsep" => style.row_separator = value.to_owned(),
        "screenwidth" | "sw" => style.screen = screen(value)?,
        "tablename" => style.insert_table = value.to_owned(),
        "textjsonb" => style.text_jsonb = boolean(value)?,
        "titlelimit" => style.limits.title = number(value)?,
        "titles" => set_titles(style, value)?,
        "widths" => style.widths = widths(value.split([',', ' ']).filter(|width| !width.is_empty()))?,
        "wordwrap" => style.word_wrap = boolean(value)?,
        _ => style.wrap = number(value)?,
    }
    Ok(())
}

/// The format of a number; "" and "auto" mean no format.
fn format_of(value: &str, is_valid: fn(&str) -> bool, what: &str) -> std::result::Result<String, String> {
    match value {
        "" | "auto" => Ok(String::new()),
        format if is_valid(format) => Ok(format.to_owned()),
        _ => Err(what.to_owned()),
    }
}

/// When column names are shown: `on`, `off` or `always`.
pub fn titles(value: &str) -> std::result::Result<Titles, String> {
    Ok(match value {
        "always" => Titles::Always,
        value if boolean(value)? => Titles::On,
        _ => Titles::Off,
    })
}

/// Sets when column names are shown, or their quotes, which switches them on.
fn set_titles(style: &mut Style, value: &str) -> std::result::Result<(), String> {
    let title_quote = match value {
        "auto" => None,
        "plain" => Some(Quote::Plain),
        "sql" | "csv" | "html" | "tcl" | "json" => Some(quote(value)?),
        _ => {
            style.titles = Some(titles(value)?);
            return Ok(());
        }
    };
    style.title_quote = title_quote;
    if title_quote.is_none() || style.titles() == Titles::Off {
        style.titles = Some(Titles::Always);
    }
    Ok(())
}

/// The mode, with the options that differ from it.
fn described(style: &Style, all: bool) -> String {
    let on = |is_on: bool| if is_on { "on" } else { "off" }.to_owned();
    let quoted = |text: &str| format!("{text:?}");
    let joined = |parts: Vec<String>| quoted(&parts.join(" "));
    let limits = match style.limits {
        LIMITS_ON => "on".to_owned(),
        limits if limits == Limits::default() => "off".to_owned(),
        limits => format!("{},{},{}", limits.lines, limits.characters, limits.title),
    };
    let layout = style.mode.layout;
    let has_lines =
        !matches!(layout, Layout::Separated | Layout::Insert | Layout::Json | Layout::JsonLines | Layout::Html);
    let is_limited = style.limits.characters > 0 || has_lines && style.limits != Limits::default();
    let used = |is_used: bool, text: &str| if is_used { quoted(text) } else { quoted("") };
    let format = |format: &str| if format.is_empty() { "auto".to_owned() } else { quoted(format) };
    let has_separators = matches!(layout, Layout::Separated | Layout::Line);
    let default = {
        let mut default = Style::default();
        default.set_mode(style.mode);
        default
    };
    let quote_name = QUOTES.iter().find(|(_, quote)| *quote == style.quote).map_or("off", |(name, _)| *name).to_owned();
    let screen = match style.screen {
        Screen::Any => "0".to_owned(),
        Screen::Terminal => "auto".to_owned(),
        Screen::Columns(columns) => columns.to_string(),
    };
    let named = |name: String| name.to_ascii_lowercase();
    let escape = if style.escape == Escape::Ascii { "auto".to_owned() } else { named(format!("{:?}", style.escape)) };
    let options = [
        (
            "align",
            joined(style.align.iter().map(|align| format!("{align:?}")[..1].to_owned()).collect()),
            style.align.is_empty(),
        ),
        ("border", on(style.border), style.border == default.border),
        ("blob-quote", named(format!("{:?}", style.blob)), style.blob == BlobQuote::Auto),
        ("colsep", used(has_separators, &style.column_separator), style.column_separator == default.column_separator),
        ("escape", escape, style.escape == Escape::Ascii),
        ("fpfmt", format(&style.real_format), style.real_format.is_empty()),
        ("ifmt", format(&style.integer_format), style.integer_format.is_empty()),
        ("limits", limits, !is_limited),
        ("multiinsert", style.multi_insert.to_string(), layout != Layout::Insert || style.multi_insert == 0),
        ("null", quoted(style.null()), style.null.is_none()),
        ("quote", quote_name, style.quote == default.quote),
        ("rowcount", on(style.row_count), style.row_count == default.row_count),
        (
            "rowsep",
            used(layout == Layout::Separated, &style.row_separator),
            style.row_separator == default.row_separator,
        ),
        ("sw", screen, style.screen == Screen::Any),
        ("tablename", used(layout == Layout::Insert, &style.insert_table), layout != Layout::Insert),
        ("textjsonb", on(style.text_jsonb), !style.text_jsonb),
        ("titles", style.titles().name().to_owned(), style.titles.is_none()),
        ("widths", joined(style.widths.iter().map(i32::to_string).collect()), style.widths.is_empty()),
        ("wordwrap", on(style.word_wrap), style.word_wrap == default.word_wrap),
    ];
    let shown = options.iter().filter(|(_, _, is_default)| all || !is_default);
    let text: String = shown.map(|(name, value, _)| format!(" --{name} {value}")).collect();
    let wrap = if all && style.wrap > 0 { format!(" --wrap {}", style.wrap) } else { String::new() };
    format!(".mode {}{text}{wrap}", style.mode.name)
}

fn number(text: &str) -> std::result::Result<usize, String> {
    text.parse().map_err(|_| format!("not a number: \"{text}\""))
}

/// Column widths, limited to 10,000 characters.
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

/// Parses `on`, `off`, or up to three numbers: lines, characters, characters of a title.
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
