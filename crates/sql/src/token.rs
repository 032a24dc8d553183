//! The kinds of tokens: first punctuation, then keywords.
//!
//! The keyword table below is the only list of keywords; [`crate::keyword`] finds words in it.

use crate::ast::Span;

/// A token: a piece of SQL text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    /// The position in the text.
    pub span: Span,
}

/// Whether a keyword is allowed where the grammar expects a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeywordClass {
    /// Never: the name must be quoted.
    Reserved,
    /// Wherever the keyword has no meaning.
    Fallback,
    /// As a name, but not as an alias without AS, a type or a collation: the keywords before JOIN.
    Join,
    /// INDEXED: like the keywords before JOIN.
    Indexed,
    /// WINDOW, OVER, FILTER: a name unless the adjacent tokens make it a keyword.
    Contextual,
}

macro_rules! tokens {
    (
        punctuation { $($(#[$doc:meta])* $other:ident,)* }
        keywords { $($variant:ident $word:ident $class:ident,)* }
    ) => {
        /// The kind of a token.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum TokenKind {
            $($(#[$doc])* $other,)*
            $(#[doc = concat!("`", stringify!($word), "`")] $variant,)*
        }

        /// All keywords in alphabetical order.
        pub(crate) const KEYWORDS: &[Keyword] = &[
            $(Keyword {
                kind: TokenKind::$variant,
                text: stringify!($word),
                class: KeywordClass::$class,
            },)*
        ];
    };
}

/// An entry of the keyword table.
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    /// The kind of its token.
    pub kind: TokenKind,
    /// The letters, in upper case.
    pub text: &'static str,
    /// Whether the keyword can be a name.
    pub class: KeywordClass,
}

tokens! {
    punctuation {
        /// The end of the text, or a NUL byte, which also ends the text.
        EndOfText,
        /// White space, or a byte order mark.
        Space,
        /// A comment.
        Comment,
        /// Text that is not a token: a single `!`, a string without its closing quote, `1x`.
        Illegal,
        /// `;`
        Semicolon,
        /// `(`
        LeftParen,
        /// `)`
        RightParen,
        /// `,`
        Comma,
        /// `.`
        Dot,
        /// `=` or `==`
        Equal,
        /// `<>` or `!=`
        NotEqual,
        /// `<`
        Less,
        /// `<=`
        LessEqual,
        /// `>`
        Greater,
        /// `>=`
        GreaterEqual,
        /// `&`
        Ampersand,
        /// `|`
        Bar,
        /// `<<`
        ShiftLeft,
        /// `>>`
        ShiftRight,
        /// `+`
        Plus,
        /// `-`
        Minus,
        /// `*`
        Star,
        /// `/`
        Slash,
        /// `%`
        Percent,
        /// `||`
        Concat,
        /// `->`
        Arrow,
        /// `->>`
        DoubleArrow,
        /// `~`
        Tilde,
        /// A name without quotes, with double quotes, brackets or backticks.
        Identifier,
        /// A string in single quotes.
        String,
        /// `x'...'`
        Blob,
        /// A decimal or hexadecimal integer.
        Integer,
        /// A number with a point or an exponent.
        Float,
        /// A number with `_` among its digits, possibly at wrong positions.
        SeparatedNumber,
        /// `?`, `?1`, `:a`, `@a`, `$a`, `#a`
        Parameter,
    }
    keywords {
    Abort ABORT Fallback,
    Action ACTION Fallback,
    Add ADD Reserved,
    After AFTER Fallback,
    All ALL Reserved,
    Alter ALTER Reserved,
    Always ALWAYS Fallback,
    Analyze ANALYZE Fallback,
    And AND Reserved,
    As AS Reserved,
    Asc ASC Fallback,
    Attach ATTACH Fallback,
    Autoincrement AUTOINCREMENT Reserved,
    Before BEFORE Fallback,
    Begin BEGIN Fallback,
    Between BETWEEN Reserved,
    By BY Fallback,
    Cascade CASCADE Fallback,
    Case CASE Reserved,
    Cast CAST Fallback,
    Check CHECK Reserved,
    Collate COLLATE Reserved,
    Column COLUMN Fallback,
    Commit COMMIT Reserved,
    Conflict CONFLICT Fallback,
    Constraint CONSTRAINT Reserved,
    Create CREATE Reserved,
    Cross CROSS Join,
    Current CURRENT Fallback,
    CurrentDate CURRENT_DATE Fallback,
    CurrentTime CURRENT_TIME Fallback,
    CurrentTimestamp CURRENT_TIMESTAMP Fallback,
    Database DATABASE Fallback,
    Default DEFAULT Reserved,
    Deferrable DEFERRABLE Reserved,
    Deferred DEFERRED Fallback,
    Delete DELETE Reserved,
    Desc DESC Fallback,
    Detach DETACH Fallback,
    Distinct DISTINCT Reserved,
    Do DO Fallback,
    Drop DROP Reserved,
    Each EACH Fallback,
    Else ELSE Reserved,
    End END Fallback,
    Escape ESCAPE Reserved,
    Except EXCEPT Reserved,
    Exclude EXCLUDE Fallback,
    Exclusive EXCLUSIVE Fallback,
    Exists EXISTS Reserved,
    Explain EXPLAIN Fallback,
    Fail FAIL Fallback,
    Filter FILTER Contextual,
    First FIRST Fallback,
    Following FOLLOWING Fallback,
    For FOR Fallback,
    Foreign FOREIGN Reserved,
    From FROM Reserved,
    Full FULL Join,
    Generated GENERATED Fallback,
    Glob GLOB Fallback,
    Group GROUP Reserved,
    Groups GROUPS Fallback,
    Having HAVING Reserved,
    If IF Fallback,
    Ignore IGNORE Fallback,
    Immediate IMMEDIATE Fallback,
    In IN Reserved,
    Index INDEX Reserved,
    Indexed INDEXED Indexed,
    Initially INITIALLY Fallback,
    Inner INNER Join,
    Insert INSERT Reserved,
    Instead INSTEAD Fallback,
    Intersect INTERSECT Reserved,
    Into INTO Reserved,
    Is IS Reserved,
    Isnull ISNULL Reserved,
    Join JOIN Reserved,
    Key KEY Fallback,
    Last LAST Fallback,
    Left LEFT Join,
    Like LIKE Fallback,
    Limit LIMIT Reserved,
    Match MATCH Fallback,
    Materialized MATERIALIZED Fallback,
    Natural NATURAL Join,
    No NO Fallback,
    Not NOT Reserved,
    Nothing NOTHING Reserved,
    Notnull NOTNULL Reserved,
    Null NULL Reserved,
    Nulls NULLS Fallback,
    Of OF Fallback,
    Offset OFFSET Fallback,
    On ON Reserved,
    Or OR Reserved,
    Order ORDER Reserved,
    Others OTHERS Fallback,
    Outer OUTER Join,
    Over OVER Contextual,
    Partition PARTITION Fallback,
    Plan PLAN Fallback,
    Pragma PRAGMA Fallback,
    Preceding PRECEDING Fallback,
    Primary PRIMARY Reserved,
    Query QUERY Fallback,
    Raise RAISE Fallback,
    Range RANGE Fallback,
    Recursive RECURSIVE Fallback,
    References REFERENCES Reserved,
    Regexp REGEXP Fallback,
    Reindex REINDEX Fallback,
    Release RELEASE Fallback,
    Rename RENAME Fallback,
    Replace REPLACE Fallback,
    Restrict RESTRICT Fallback,
    Returning RETURNING Reserved,
    Right RIGHT Join,
    Rollback ROLLBACK Fallback,
    Row ROW Fallback,
    Rows ROWS Fallback,
    Savepoint SAVEPOINT Fallback,
    Select SELECT Reserved,
    Set SET Reserved,
    Table TABLE Reserved,
    Temp TEMP Fallback,
    Temporary TEMPORARY Fallback,
    Then THEN Reserved,
    Ties TIES Fallback,
    To TO Reserved,
    Transaction TRANSACTION Reserved,
    Trigger TRIGGER Fallback,
    Unbounded UNBOUNDED Fallback,
    Union UNION Reserved,
    Unique UNIQUE Reserved,
    Update UPDATE Reserved,
    Using USING Reserved,
    Vacuum VACUUM Fallback,
    Values VALUES Reserved,
    View VIEW Fallback,
    Virtual VIRTUAL Fallback,
    When WHEN Reserved,
    Where WHERE Reserved,
    Window WINDOW Contextual,
    With WITH Fallback,
    Without WITHOUT Fallback,
    }
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const FIRST_KEYWORD: u8 = KEYWORDS[0].kind as u8;

/// The number of kinds of tokens: the length of tables indexed by them.
pub(crate) const KIND_COUNT: usize = FIRST_KEYWORD as usize + KEYWORDS.len();

/// A bit of [`NAME_USE`]: an identifier, or a keyword that falls back to one.
const AS_ID: u8 = 1;
/// A bit of [`NAME_USE`]: a name in the widest sense.
const AS_NAME: u8 = 2;
/// A bit of [`NAME_USE`]: an illegal token, or a keyword that the adjacent tokens make a name.
const WITH_CARE: u8 = 4;

/// For every kind of token, whether it may serve as an identifier or a name, and whether the parser looks at it when it reads it.
#[expect(clippy::indexing_slicing, reason = "as above")]
static NAME_USE: [u8; KIND_COUNT] = {
    let mut table = [0; KIND_COUNT];
    table[TokenKind::Identifier as usize] = AS_ID | AS_NAME;
    table[TokenKind::String as usize] = AS_NAME;
    table[TokenKind::Illegal as usize] = WITH_CARE;
    table[TokenKind::Comment as usize] = WITH_CARE;
    let mut i = 0;
    while i < KEYWORDS.len() {
        table[KEYWORDS[i].kind as usize] = match KEYWORDS[i].class {
            // The parser changes a contextual keyword that is a name to `Identifier`.
            KeywordClass::Contextual => WITH_CARE,
            KeywordClass::Reserved => 0,
            KeywordClass::Fallback => AS_ID | AS_NAME,
            KeywordClass::Join | KeywordClass::Indexed => AS_NAME,
        };
        i += 1;
    }
    table
};

impl TokenKind {
    /// The entry of the keyword table, if this is a keyword.
    pub fn keyword(self) -> Option<&'static Keyword> {
        KEYWORDS.get((self as usize).checked_sub(usize::from(FIRST_KEYWORD))?)
    }

    /// Whether the token is an identifier or a keyword that falls back to one.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the table has a place for every kind")]
    pub(crate) fn is_id(self) -> bool {
        NAME_USE[self as usize] & AS_ID != 0
    }

    /// Whether the token can be a name: an identifier, a string, or any keyword that is not reserved.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the table has a place for every kind")]
    pub(crate) fn is_name(self) -> bool {
        NAME_USE[self as usize] & AS_NAME != 0
    }

    /// Whether the parser has to do something about the token when it reads it.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the table has a place for every kind")]
    pub(crate) fn wants_care(self) -> bool {
        NAME_USE[self as usize] & WITH_CARE != 0
    }

    /// Whether the lexer drops the token before the parser.
    #[inline]
    pub fn is_trivia(self) -> bool {
        matches!(self, TokenKind::Space | TokenKind::Comment)
    }
}
