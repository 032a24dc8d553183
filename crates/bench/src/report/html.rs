//! Text and tables as HTML.

use std::fmt::Write;

/// Escapes a text, so that it has no markup.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// A table: the first line is the header, the first column has names.
pub fn table(lines: &[Vec<String>]) -> String {
    let mut out = String::from("<div class=\"scroll\"><table>");
    for (at, line) in lines.iter().enumerate() {
        out.push_str("<tr>");
        for (column, cell) in line.iter().enumerate() {
            let tag = if at == 0 || column == 0 { "th" } else { "td" };
            let _ = write!(out, "<{tag}>{}</{tag}>", escape(cell));
        }
        out.push_str("</tr>");
    }
    out.push_str("</table></div>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escape("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
        let lines = [vec!["".to_owned(), "<x>".to_owned()], vec!["a".to_owned(), "1".to_owned()]];
        let wanted = "<div class=\"scroll\"><table><tr><th></th><th>&lt;x&gt;</th></tr><tr><th>a</th><td>1</td></tr></table></div>";
        assert_eq!(table(&lines), wanted);
    }
}
