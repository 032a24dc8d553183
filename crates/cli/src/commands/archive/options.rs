//! The arguments of `.archive`: options as in `tar`, long or short, short ones also without a dash.

type Result<T> = std::result::Result<T, String>;

/// The operation on the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Create,
    Update,
    Insert,
    Remove,
    List,
    Extract,
}

impl Verb {
    /// Whether an archive that does not exist is created.
    pub fn makes(self) -> bool {
        matches!(self, Verb::Create | Verb::Update | Verb::Insert)
    }
}

#[derive(Debug)]
pub struct Options {
    pub verb: Verb,
    /// The file of the archive; None means the database of the shell.
    pub file: Option<String>,
    /// Whether the archive is appended to another file.
    pub append: bool,
    /// The folder that names are relative to.
    pub folder: String,
    pub verbose: bool,
    pub glob: bool,
    /// Whether the SQL is only printed.
    pub dry_run: bool,
    /// Names without trailing slashes.
    pub names: Vec<String>,
}

#[derive(Clone, Copy)]
enum Switch {
    Verb(Verb),
    Verbose,
    Glob,
    DryRun,
    File,
    Append,
    Folder,
}

const SWITCHES: [(&str, char, Switch); 12] = [
    ("create", 'c', Switch::Verb(Verb::Create)),
    ("extract", 'x', Switch::Verb(Verb::Extract)),
    ("insert", 'i', Switch::Verb(Verb::Insert)),
    ("list", 't', Switch::Verb(Verb::List)),
    ("remove", 'r', Switch::Verb(Verb::Remove)),
    ("update", 'u', Switch::Verb(Verb::Update)),
    ("verbose", 'v', Switch::Verbose),
    ("glob", 'g', Switch::Glob),
    ("dryrun", 'n', Switch::DryRun),
    ("file", 'f', Switch::File),
    ("append", 'a', Switch::Append),
    ("directory", 'C', Switch::Folder),
];

pub const HELP: &str = "Usage: .archive OPTION... ?FILE...?
  -c, --create          Make a new archive of the files
  -u, --update          Add or update files whose time or mode has changed
  -i, --insert          Add files, changed or not
  -r, --remove          Remove files from the archive
  -t, --list            List the files of the archive
  -x, --extract         Extract files from the archive
  -v, --verbose         Print the names of files as they are processed
  -f, --file FILE       Use the archive FILE (a database or a ZIP file) instead of the open database
  -a, --append FILE     Use the archive behind the bytes of FILE, which may be a program
  -C, --directory DIR   Read files from and extract them to DIR
  -g, --glob            Names of files in the archive are patterns of GLOB
  -n, --dryrun          Show the SQL instead of running it";

impl Options {
    pub fn parse(arguments: &[String]) -> Result<Options> {
        let mut parsed = Parsed::default();
        let mut rest = arguments.iter();
        let hint = |error: String| format!("{error}\nUse \".archive --help\" for more help");
        // The first word may be a bundle of letters without a dash: `tf`.
        let bundle = rest.clone().next().filter(|word| !word.starts_with('-'));
        if let Some(bundle) = bundle {
            rest.next();
            parsed.letters(bundle, &mut rest).map_err(hint)?;
        }
        while let Some(argument) = rest.next() {
            if let Some(name) = argument.strip_prefix("--") {
                parsed.long(name, &mut rest).map_err(hint)?;
            } else if let Some(letters) = argument.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                parsed.letters(letters, &mut rest).map_err(hint)?;
            } else {
                parsed.names.push(argument.trim_end_matches('/').to_owned());
            }
        }
        let verb = parsed.verb.ok_or_else(|| format!("Required argument missing.  {HELP}"))?;
        let Parsed { file, append, folder, verbose, glob, dry_run, names, .. } = parsed;
        Ok(Options { verb, file, append, folder: folder.unwrap_or_default(), verbose, glob, dry_run, names })
    }
}

#[derive(Default)]
struct Parsed {
    verb: Option<Verb>,
    file: Option<String>,
    append: bool,
    folder: Option<String>,
    verbose: bool,
    glob: bool,
    dry_run: bool,
    names: Vec<String>,
}

type Rest<'a> = std::slice::Iter<'a, String>;

impl Parsed {
    fn letters(&mut self, letters: &str, rest: &mut Rest<'_>) -> Result<()> {
        let mut letters = letters.chars();
        while let Some(letter) = letters.next() {
            let found = SWITCHES.iter().find(|(_, known, _)| *known == letter);
            let (_, _, switch) = found.ok_or_else(|| format!("unrecognized option: {letter}"))?;
            let needs_value = matches!(switch, Switch::File | Switch::Append | Switch::Folder);
            // `-fFILE` is `-f FILE`.
            let attached = Some(letters.as_str().to_owned()).filter(|value| needs_value && !value.is_empty());
            if attached.is_some() {
                letters = "".chars();
            }
            let missing = || format!("option requires an argument: {letter}");
            let value =
                if needs_value { Some(attached.or_else(|| rest.next().cloned()).ok_or_else(missing)?) } else { None };
            self.set(*switch, value)?;
        }
        Ok(())
    }

    fn long(&mut self, name: &str, rest: &mut Rest<'_>) -> Result<()> {
        let mut beginning = SWITCHES.iter().filter(|(long, _, _)| long.starts_with(name));
        let (long, _, switch) = match (beginning.next(), beginning.next()) {
            (Some(only), None) => only,
            (Some(_), Some(_)) => return Err(format!("ambiguous option: {name}")),
            (None, _) => return Err(format!("unrecognized option: {name}")),
        };
        let value = match switch {
            Switch::File | Switch::Append | Switch::Folder => {
                Some(rest.next().cloned().ok_or_else(|| format!("option requires an argument: {long}"))?)
            }
            _ => None,
        };
        self.set(*switch, value)
    }

    fn set(&mut self, switch: Switch, value: Option<String>) -> Result<()> {
        match switch {
            Switch::Verb(_) if self.verb.is_some() => return Err("multiple command options".to_owned()),
            Switch::Verb(verb) => self.verb = Some(verb),
            Switch::Verbose => self.verbose = true,
            Switch::Glob => self.glob = true,
            Switch::DryRun => self.dry_run = true,
            Switch::File => self.file = value,
            Switch::Append => (self.file, self.append) = (value, true),
            Switch::Folder => self.folder = value,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_as_tar_takes_them() {
        for line in [
            "tvf a.zip x/",
            "-tvf a.zip x",
            "-t -v -fa.zip x",
            "--list --verbose --file a.zip x",
            "--lis -v --f a.zip x",
        ] {
            let options = parse(line).unwrap();
            assert_eq!(
                (options.verb, options.verbose, options.file.as_deref()),
                (Verb::List, true, Some("a.zip")),
                "{line}"
            );
            assert_eq!(options.names, ["x"], "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let check = |line: &str, error: &str| {
            let message = parse(line).unwrap_err();
            assert!(message.starts_with(error), "{line}: {message}");
        };
        check("-q", "unrecognized option: q");
        check("-t -c", "multiple command options");
        check("-tf", "option requires an argument: f");
        check("--list --xx", "unrecognized option: xx");
        check("-v", "Required argument missing.");
    }
}
