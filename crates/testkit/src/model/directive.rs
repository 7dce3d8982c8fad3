//! What a text tells the model to do. Pure.

use regex::Regex;
use std::sync::OnceLock;

/// A directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directive {
    pub(crate) name: String,
    pub(crate) argument: String,
    /// Only so often.
    pub(crate) times: Option<usize>,
}

const NAMES: &str = "say|slow|hold|dead|sh|shx|files|write|ask|agent|err|toolong";

/// The last directive in the text's last paragraph.
pub(crate) fn find(text: &str) -> Option<Directive> {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    let pattern = PATTERN.get_or_init(|| {
        let text = format!(r"\[({NAMES})(?::((?:[^\]\[]|\[[^\]\[]*\])*?))?(?:\*([0-9]+))?\]");
        Regex::new(&text).expect("a pattern")
    });
    let paragraph = text.trim().rsplit("\n\n").next()?;
    let found = pattern.captures_iter(paragraph).last()?;
    let part = |i: usize| found.get(i).map(|m| m.as_str().to_owned());
    Some(Directive {
        name: part(1)?,
        argument: part(2).unwrap_or_default(),
        times: part(3).and_then(|n| n.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_directive_of_the_last_paragraph_counts() {
        let check = |text: &str, right: Option<(&str, &str, Option<usize>)>| {
            let found = find(text);
            let found = found
                .as_ref()
                .map(|d| (d.name.as_str(), d.argument.as_str(), d.times));
            assert_eq!(found, right, "{text}");
        };
        check("hello", None);
        check("hello [hold]", Some(("hold", "", None)));
        check("[hold*1] x", Some(("hold", "", Some(1))));
        check("[err:429*2]", Some(("err", "429", Some(2))));
        check("[sh:echo a > b] and [say:x]", Some(("say", "x", None)));
        check(
            "[sh:test [ -f a ] && ls]",
            Some(("sh", "test [ -f a ] && ls", None)),
        );
        check(
            "[agent:[hold] look] now",
            Some(("agent", "[hold] look", None)),
        );
        check("[hold] alpha\n\nbeta", None);
        check("beta\n\n[hold] alpha\n", Some(("hold", "", None)));
        check("[unknown:x]", None);
        check("[slow:", None);
    }
}
