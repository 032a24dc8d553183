//! The docs of `lithedb`'s public functions: each has an example or names the page with one, and fallible functions name their errors and
//! say whether they block.

use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};

use crate::{is_of_tests, sources};

#[test]
fn public_functions_have_examples_and_errors() {
    let mut missing = Vec::new();
    for file in sources("lithedb").into_iter().filter(|file| !is_of_tests(file)) {
        missing.extend(missing_in(&file, &fs::read_to_string(&file).unwrap()));
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

fn missing_in(file: &Path, text: &str) -> Vec<String> {
    let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut reader = Reader { missing: Vec::new() };
    reader.visit_file(&parsed);
    reader.missing.into_iter().map(|missing| format!("{}: {missing}", file.display())).collect()
}

struct Reader {
    missing: Vec<String>,
}

impl Reader {
    fn check(&mut self, visibility: &syn::Visibility, attributes: &[syn::Attribute], signature: &syn::Signature) {
        if !matches!(visibility, syn::Visibility::Public(_)) {
            return;
        }
        let doc = attributes.iter().filter_map(doc_line).collect::<Vec<_>>().join("\n");
        if !doc.contains("```") && !doc.contains("example") {
            self.missing.push(format!("{}() has no example", signature.ident));
        }
        if can_fail(&signature.output) && !doc.contains("# Errors") {
            self.missing.push(format!("{}() does not name its errors", signature.ident));
        }
        let says_whether = ["Blocks", "block", "Waits", "wait", "Takes no lock"].iter().any(|word| doc.contains(word));
        if can_fail(&signature.output) && !says_whether {
            self.missing.push(format!("{}() does not say whether it blocks", signature.ident));
        }
    }
}

fn doc_line(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    match (&pair.value, pair.path.is_ident("doc")) {
        (syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }), true) => Some(text.value()),
        _ => None,
    }
}

fn can_fail(output: &syn::ReturnType) -> bool {
    match output {
        syn::ReturnType::Type(_, ty) => match &**ty {
            syn::Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Result"),
            _ => false,
        },
        syn::ReturnType::Default => false,
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.check(&item.vis, &item.attrs, &item.sig);
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.check(&item.vis, &item.attrs, &item.sig);
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if matches!(item.vis, syn::Visibility::Public(_)) {
            visit::visit_item_mod(self, item);
        }
    }
}

#[test]
fn what_is_missing_is_found() {
    let text = "/// Says nothing.\npub fn silent() -> Result<()> {}\n/// ```\n/// ```\n/// Does not block.\n/// # Errors\n/// None.\npub fn good() -> Result<()> {}\nfn private() {}";
    let missing = missing_in(Path::new("x.rs"), text);
    let parts = ["has no example", "does not name its errors", "does not say whether it blocks"];
    assert_eq!(missing, parts.map(|part| format!("x.rs: silent() {part}")));
}
