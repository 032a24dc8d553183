#!/usr/bin/env python3
"""Writes src/unicode/tables.rs: what SQLite's full-text search knows of each code point, as it says itself.

    LD_LIBRARY_PATH=<folder of SQLite's library, with FTS5> tables/unicode.py > src/unicode/tables.rs
"""

import sqlite3

CATEGORIES = "Cc Cf Co Cs Ll Lm Lo Lt Lu Mc Me Mn Nd Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So Zl Zp Zs".split()
UNASSIGNED, ALTERNATING = 0, len(CATEGORIES) + 1
SURROGATES = range(0xD800, 0xE000)
CODE_POINTS = [code for code in range(1, 0x110000) if code not in SURROGATES]

database = sqlite3.connect(":memory:")


def tokens(options, text):
    """What each code point becomes, by code point, as a part of `text`."""
    database.executescript(f"""
        CREATE VIRTUAL TABLE t USING fts5(a, tokenize="unicode61 {options}", detail=none);
        CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)""")
    database.executemany("INSERT INTO t(rowid, a) VALUES (?, ?)", ((code, text(chr(code))) for code in CODE_POINTS))
    found = database.execute("SELECT doc, term FROM v").fetchall()
    database.executescript("DROP TABLE v; DROP TABLE t")
    return dict(found)


def category_runs():
    """Runs of one category: (first code point, category); of capital and small letters in turn, the category is ALTERNATING."""
    members = [set(tokens(f"categories '{name}'", str)) for name in CATEGORIES]
    always = set.intersection(*members)  # what has no category belongs to every token
    category = [1] + [UNASSIGNED] * 0x10FFFF
    for number, of_category in enumerate(members, 1):
        for code in of_category - always:
            category[code] = number
    for code in SURROGATES:
        category[code] = 1 + CATEGORIES.index("Cs")
    upper, lower = 1 + CATEGORIES.index("Lu"), 1 + CATEGORIES.index("Ll")
    runs, code = [], 0
    while code < len(category):
        end = code
        while category[end : end + 2] == [upper, lower]:
            end += 2
        if end - code >= 4:
            runs.append((code, ALTERNATING))
        else:
            runs.append((code, category[code]))
            end = code
            while end < len(category) and category[end] == category[code]:
                end += 1
        code = end
    return runs


def progressions(pairs, properties):
    """Code points with the same properties at a distance of one or two from each other: [first, count, step, *properties]."""
    found = []
    for code, value in sorted(pairs.items()):
        if found and found[-1][3:] == properties(code, value):
            first, count, step = found[-1][:3]
            distance = code - (first + (count - 1) * step)
            if distance == step or (count == 1 and distance == 2):
                found[-1][1:3] = [count + 1, distance]
                continue
        found.append([code, 1, 1, *properties(code, value)])
    return found


def rows(entries, per_row):
    for at in range(0, len(entries), per_row):
        print("    " + " ".join(f"{entry}," for entry in entries[at : at + per_row]))


everything = "categories 'C* L* M* N* P* S* Z*' remove_diacritics"
kept, simple, all_of_them = (tokens(f"{everything} {mode}", lambda char: f"x{char}x") for mode in range(3))
small = {code: ord(token[1]) for code, token in kept.items()}
marks = [code for code, token in simple.items() if len(token) == 2]
base = {small[code]: ord(token[1]) for code, token in all_of_them.items() if len(token) == 3}
base = {letter: to for letter, to in base.items() if letter != to}
is_simple = {small[code] for code, token in simple.items() if len(token) == 3 and ord(token[1]) != small[code]}

print("//! Made by `tables/unicode.py`: what SQLite's full-text search knows of each code point.\n")
print(f"/// The names of categories, from number 1 on; 0 is what has no category. ({ALTERNATING}: `Lu` and `Ll` in turn.)")
print(f"pub const NAMES: [&[u8; 2]; {len(CATEGORIES)}] = [")
rows([f'b"{name}"' for name in CATEGORIES], 15)
print("];\n\n/// The first code point of each run of a category, times 32, with the category.")
print("#[rustfmt::skip]\npub const CATEGORIES: &[u32] = &[")
rows([hex(code << 5 | category) for code, category in category_runs()], 11)
print("];\n\n/// Runs of code points that have small forms: first, count, step, difference.")
print("#[rustfmt::skip]\npub const SMALL: &[(u32, u8, u8, i32)] = &[")
difference = lambda code, to: [to - code]
rows([f"({first:#x}, {count}, {step}, {by})" for first, count, step, by in
      progressions({code: to for code, to in small.items() if code != to}, difference)], 5)
print("];\n\n/// Runs of small letters with marks: first, count, step, the letter without, whether there are several marks.")
print("#[rustfmt::skip]\npub const MARKED: &[(u32, u8, u8, u8, bool)] = &[")
letter = lambda code, to: [f"b'{chr(to)}'", str(code not in is_simple).lower()]
rows([f"({first:#x}, {count}, {step}, {to}, {several})" for first, count, step, to, several in
      progressions(base, letter)], 4)
print("];\n\n/// The marks that go when marks are removed.")
print("#[rustfmt::skip]\npub const MARKS: &[u32] = &[")
rows([hex(code) for code in marks], 13)
print("];")
