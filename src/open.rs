//! Which workspace `abide` opens. Pure: a folder, what is known, what the file system says.
//!
//! Without a word: the workspace of the nearest ancestor folder, else the git top level, else this
//! folder; from the home folder the one used last. A workspace of the home folder or of `/` is no
//! ancestor's: it would swallow every project below. A word is a workspace's name, or a folder,
//! which then is meant exactly.

use std::path::{Path, PathBuf};

/// A workspace that could be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// When it was opened last, in Unix seconds; 0 unknown.
    pub used: u64,
}

/// What to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The known workspace with this id.
    Known(String),
    /// A new one for this folder.
    New(PathBuf),
}

/// Why a word opens nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Neither a workspace nor a folder.
    #[error(
        "`{0}` is neither a command, a workspace nor a folder; see `abide --help` and `abide ls`"
    )]
    Nothing(String),
    /// Two workspaces have that name.
    #[error("several workspaces are named `{0}`; name the folder instead")]
    Several(String),
}

/// What is asked of the outside while choosing.
pub struct Around<'a> {
    /// The current folder.
    pub here: &'a Path,
    /// The home folder, if there is one.
    pub home: Option<&'a Path>,
    /// Whether a folder holds `.git`.
    pub is_git_top: &'a dyn Fn(&Path) -> bool,
    /// The folder a path leads to, symbolic links resolved; `None` when it is no folder.
    pub folder: &'a dyn Fn(&Path) -> Option<PathBuf>,
}

/// What `abide [WORD]` opens.
///
/// # Errors
/// [`OpenError`], only with a word.
pub fn choose(
    word: Option<&str>,
    around: &Around<'_>,
    known: &[Known],
) -> Result<Choice, OpenError> {
    match word {
        Some(word) => by_word(word, around, known),
        None => Ok(by_folder(around, known)),
    }
}

fn by_word(word: &str, around: &Around<'_>, known: &[Known]) -> Result<Choice, OpenError> {
    let is_path = word.contains('/') || word == "." || word == "..";
    if !is_path {
        let mut named = known.iter().filter(|it| it.name == word || it.id == word);
        match (named.next(), named.next()) {
            (Some(only), None) => return Ok(Choice::Known(only.id.clone())),
            (Some(_), Some(_)) => return Err(OpenError::Several(word.to_owned())),
            _ => {}
        }
    }
    let folder = (around.folder)(&around.here.join(word));
    let folder = folder.ok_or_else(|| OpenError::Nothing(word.to_owned()))?;
    Ok(exactly(&folder, known).unwrap_or(Choice::New(folder)))
}

fn by_folder(around: &Around<'_>, known: &[Known]) -> Choice {
    if around.home == Some(around.here)
        && let Some(last) = known.iter().max_by_key(|it| it.used)
    {
        return Choice::Known(last.id.clone());
    }
    let swallows = |folder: &Path| Some(folder) == around.home || folder.parent().is_none();
    around
        .here
        .ancestors()
        .filter(|folder| *folder == around.here || !swallows(folder))
        .find_map(|folder| exactly(folder, known))
        .unwrap_or_else(|| Choice::New(top_level(around)))
}

fn top_level(around: &Around<'_>) -> PathBuf {
    let top = around
        .here
        .ancestors()
        .find(|folder| (around.is_git_top)(folder));
    top.unwrap_or(around.here).to_owned()
}

fn exactly(folder: &Path, known: &[Known]) -> Option<Choice> {
    let here = known.iter().filter(|it| it.folder == folder);
    here.max_by_key(|it| it.used)
        .map(|it| Choice::Known(it.id.clone()))
}

/// The id a folder's workspace gets: readable, and the same for everybody who asks at once.
#[must_use]
pub fn id_for(folder: &Path) -> String {
    let name = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let slug: String = name
        .unwrap_or_default()
        .chars()
        .filter_map(|c| match c {
            'a'..='z' | '0'..='9' => Some(c),
            'A'..='Z' => Some(c.to_ascii_lowercase()),
            '-' | '_' | '.' | ' ' => Some('-'),
            _ => None,
        })
        .take(24)
        .collect();
    let slug = slug.trim_matches('-');
    let slug = if slug.is_empty() { "w" } else { slug };
    format!(
        "{slug}-{:016x}",
        fnv1a(folder.as_os_str().as_encoded_bytes())
    )
}

/// FNV-1a, 64 bits: stable across builds, which the standard library's hasher is not.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The name a new workspace gets: the folder's own, with a number when it is taken.
#[must_use]
pub fn name_for(folder: &Path, known: &[Known]) -> String {
    let base = folder
        .file_name()
        .map_or_else(|| "root".into(), |name| name.to_string_lossy());
    let base: String = base
        .chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    let taken = |name: &str| known.iter().any(|it| it.name == name);
    if !taken(&base) {
        return base;
    }
    (2..)
        .map(|n| format!("{base}-{n}"))
        .find(|name| !taken(name))
        .unwrap_or(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<Known> {
        let it = |id: &str, folder: &str, used| Known {
            id: id.to_owned(),
            name: format!("{id}-name"),
            folder: PathBuf::from(folder),
            used,
        };
        vec![
            it("home", "/home/u", 5),
            it("root", "/", 6),
            it("shop", "/home/u/shop", 9),
            it("web", "/home/u/shop/web", 7),
        ]
    }

    fn check(word: Option<&str>, here: &str, known: &[Known], want: Result<Choice, &str>) {
        let git = ["/home/u/blog", "/srv/site"].map(PathBuf::from);
        let around = Around {
            here: Path::new(here),
            home: Some(Path::new("/home/u")),
            is_git_top: &|folder| git.iter().any(|top| top == folder),
            folder: &|path| {
                let text = path.to_str()?.trim_end_matches("/.").to_owned();
                (!text.contains("missing")).then(|| PathBuf::from(text))
            },
        };
        let got = choose(word, &around, known).map_err(|e| e.to_string());
        assert_eq!(got, want.map_err(str::to_owned), "{word:?} in {here}");
    }

    #[test]
    fn the_folder_chooses() {
        let known_id = |id: &str| Ok(Choice::Known(id.to_owned()));
        let new = |folder: &str| Ok(Choice::New(PathBuf::from(folder)));
        check(None, "/home/u/shop", &known(), known_id("shop"));
        check(None, "/home/u/shop/web/src", &known(), known_id("web"));
        check(None, "/home/u/shop/api", &known(), known_id("shop"));
        check(None, "/home/u/blog/posts", &known(), new("/home/u/blog"));
        check(None, "/home/u/other", &known(), new("/home/u/other"));
        check(None, "/srv/site/a/b", &known(), new("/srv/site"));
        check(None, "/home/u", &known(), known_id("shop"));
        check(None, "/home/u", &[], new("/home/u"));
        check(None, "/", &known(), known_id("root"));
    }

    #[test]
    fn a_word_is_a_name_or_exactly_a_folder() {
        let known_id = |id: &str| Ok(Choice::Known(id.to_owned()));
        let new = |folder: &str| Ok(Choice::New(PathBuf::from(folder)));
        check(Some("web-name"), "/tmp", &known(), known_id("web"));
        check(Some("shop"), "/tmp", &known(), known_id("shop"));
        check(
            Some("api"),
            "/home/u/shop",
            &known(),
            new("/home/u/shop/api"),
        );
        check(Some("."), "/home/u/shop", &known(), known_id("shop"));
        check(Some("/home/u"), "/tmp", &known(), known_id("home"));
        check(
            Some("missing"),
            "/tmp",
            &known(),
            Err(
                "`missing` is neither a command, a workspace nor a folder; see `abide --help` and `abide ls`",
            ),
        );
        let mut twice = known();
        twice[0].name = "shop-name".to_owned();
        check(
            Some("shop-name"),
            "/tmp",
            &twice,
            Err("several workspaces are named `shop-name`; name the folder instead"),
        );
    }

    #[test]
    fn ids_are_stable_and_names_unique() {
        assert_eq!(id_for(Path::new("/src/My App")), "my-app-74e164ad1aeb5bac");
        assert!(id_for(Path::new("/")).starts_with("w-"));
        assert_ne!(id_for(Path::new("/a/x")), id_for(Path::new("/b/x")));
        let mut taken = known();
        taken[2].name = "x".to_owned();
        assert_eq!(name_for(Path::new("/a/x"), &taken), "x-2");
        assert_eq!(name_for(Path::new("/"), &taken), "root");
    }
}
