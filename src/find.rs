//! Which pane is meant. Pure: a word, the panes there are, the pane this is typed in.
//!
//! A word is an id (`p12`), a unique name, `WORKSPACE/NAME`, or `.` (this pane). A living pane goes
//! before ended ones of the same name.

use protocol::PaneId;

/// A pane as a word can name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Its id.
    pub id: PaneId,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its workspace's id and name, if it has one.
    pub workspace: Option<(String, String)>,
    /// Its program lives.
    pub alive: bool,
}

/// Why a word names no pane.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// `.` outside a pane.
    #[error("`.` means the pane this is typed in, and this is not typed in a pane")]
    NotInPane,
    /// Nothing has that id or name.
    #[error("no pane `{0}`; `abide ls` lists them")]
    None(String),
    /// It comes back and has not started yet.
    #[error("{0} is coming back and has not started yet; `abide status` tells how far it is")]
    Coming(PaneId),
    /// Several panes have that name.
    #[error("`{word}` names {}; use an id or WORKSPACE/NAME", list(.ids))]
    Several {
        /// The word.
        word: String,
        /// The panes it could mean.
        ids: Vec<PaneId>,
    },
}

fn list(ids: &[PaneId]) -> String {
    ids.iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// The pane that `word` names.
///
/// # Errors
/// [`FindError`].
pub fn pane(word: &str, own: Option<PaneId>, panes: &[Named]) -> Result<PaneId, FindError> {
    let none = || FindError::None(word.to_owned());
    if word == "." {
        let own = own.ok_or(FindError::NotInPane)?;
        return panes
            .iter()
            .find(|pane| pane.id == own)
            .map(|pane| pane.id)
            .ok_or_else(none);
    }
    if let Ok(id) = word.parse::<PaneId>() {
        return panes
            .iter()
            .find(|pane| pane.id == id)
            .map(|pane| pane.id)
            .ok_or_else(none);
    }
    let matching: Vec<&Named> = panes.iter().filter(|pane| matches(word, pane)).collect();
    let alive: Vec<&Named> = matching.iter().copied().filter(|pane| pane.alive).collect();
    match if alive.is_empty() {
        matching.as_slice()
    } else {
        alive.as_slice()
    } {
        [] => Err(none()),
        [only] => Ok(only.id),
        several => {
            let ids = several.iter().map(|pane| pane.id).collect();
            Err(FindError::Several {
                word: word.to_owned(),
                ids,
            })
        }
    }
}

fn matches(word: &str, pane: &Named) -> bool {
    if pane.name.as_deref() == Some(word) {
        return true;
    }
    let Some((workspace, name)) = word.split_once('/') else {
        return false;
    };
    let named = pane.name.as_deref() == Some(name) || pane.id.to_string() == name;
    let within = |(id, its_name): &(String, String)| id == workspace || its_name == workspace;
    named && pane.workspace.as_ref().is_some_and(within)
}

/// Whether `name` can be given to a pane: it must not look like another way of naming one.
///
/// # Errors
/// What is wrong with it, in one line.
pub fn check_name(name: &str) -> Result<(), String> {
    let wrong = if name.is_empty() || name.len() > 100 {
        "must have 1 to 100 bytes"
    } else if name.chars().any(char::is_control) {
        "must hold no control characters"
    } else if name.contains('/') {
        "must hold no `/`, which separates workspace and name"
    } else if name == "." || name.parse::<PaneId>().is_ok() {
        "looks like a pane id"
    } else if name.starts_with('-') {
        "must not begin with `-`"
    } else {
        return Ok(());
    };
    Err(format!(
        "the name `{}` {wrong}",
        crate::words::text(name.as_bytes())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(id: u32, name: &str, workspace: &str, alive: bool) -> Named {
        Named {
            id: PaneId(id),
            name: (!name.is_empty()).then(|| name.to_owned()),
            workspace: (!workspace.is_empty())
                .then(|| (format!("{workspace}-id"), workspace.to_owned())),
            alive,
        }
    }

    #[test]
    fn words_name_panes() {
        let panes = [
            named(1, "build", "shop", true),
            named(2, "build", "blog", true),
            named(3, "web", "shop", true),
            named(4, "web", "shop", false),
            named(5, "old", "", false),
            named(6, "", "blog", true),
        ];
        let check = |word: &str, own: Option<u32>, want: Result<u32, &str>| {
            let found = pane(word, own.map(PaneId), &panes);
            assert_eq!(
                found.map(|id| id.0).map_err(|e| e.to_string()),
                want.map_err(str::to_owned)
            );
        };
        check("p1", None, Ok(1));
        check("p9", None, Err("no pane `p9`; `abide ls` lists them"));
        check("web", None, Ok(3));
        check("old", None, Ok(5));
        check(
            "build",
            None,
            Err("`build` names p1, p2; use an id or WORKSPACE/NAME"),
        );
        check("blog/build", None, Ok(2));
        check("blog-id/build", None, Ok(2));
        check("blog/p6", None, Ok(6));
        check(
            "shop/p6",
            None,
            Err("no pane `shop/p6`; `abide ls` lists them"),
        );
        check(".", Some(6), Ok(6));
        check(".", Some(7), Err("no pane `.`; `abide ls` lists them"));
        check(
            ".",
            None,
            Err("`.` means the pane this is typed in, and this is not typed in a pane"),
        );
        check("", None, Err("no pane ``; `abide ls` lists them"));
    }

    #[test]
    fn names_that_look_like_something_else_are_refused() {
        for good in ["build", "p", "px", "a b", "é", "p0"] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in ["", ".", "p12", "a/b", "a\nb", "-x", &"x".repeat(101)] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
