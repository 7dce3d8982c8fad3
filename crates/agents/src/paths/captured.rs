//! The id in a path that was made from a template: the reverse of [`super::conversation_paths`]. Pure.

use crate::resume::bad_id;
use crate::spec::{Form, Spec};
use std::path::{Component, Path};

/// The id that `path` holds where `template` (below `{home}`) has `{id}`; `None` when it does not
/// fit or the id is none of this CLI's. `{pid}` fits `pid`, `*` and folders fit anything.
#[must_use]
pub(crate) fn captured(
    spec: &Spec,
    template: &str,
    home: &Path,
    path: &Path,
    pid: Option<i32>,
) -> Option<String> {
    let below = path.strip_prefix(home).ok()?;
    let parts: Vec<&str> = template.strip_prefix("{home}/")?.split('/').collect();
    let names: Vec<Component<'_>> = below.components().collect();
    if parts.len() != names.len() {
        return None;
    }
    let mut id = None;
    for (part, name) in parts.iter().zip(names) {
        let name = name.as_os_str().to_str()?;
        let part = match pid {
            Some(pid) => part.replace("{pid}", &pid.to_string()),
            None => (*part).to_owned(),
        };
        match part.split_once("{id}") {
            Some((before, behind)) => id = Some(within(spec, before, behind, name)?),
            None if part.starts_with("{folder:") => {}
            None => {
                let texts: Vec<String> = part.split('*').map(str::to_owned).collect();
                let fits = match texts.as_slice() {
                    [whole] => whole == name,
                    texts => super::fits(name.as_ref(), texts),
                };
                if !fits {
                    return None;
                }
            }
        }
    }
    id.filter(|id| bad_id(spec, id).is_none())
}

/// The id in one name; `before` may hold stars.
fn within(spec: &Spec, before: &str, behind: &str, name: &str) -> Option<String> {
    let head = name.strip_suffix(behind)?;
    if let Some(id) = head.strip_prefix(before).filter(|_| !before.contains('*')) {
        return Some(id.to_owned());
    }
    let length = match spec.id.form {
        Form::Uuid => spec.id.prefix.len() + 36,
        // A word behind a star has no beginning of its own.
        Form::Word => return None,
    };
    let at = head.len().checked_sub(length)?;
    let (front, id) = (head.get(..at)?, head.get(at..)?);
    let texts: Vec<String> = before.split('*').map(str::to_owned).collect();
    super::fits(front.as_ref(), &texts).then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    const ID: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";

    #[test]
    fn ids_are_read_out_of_paths() {
        let catalogue = Catalogue::built_in();
        let check = |cli: &str, template: &str, path: &str, want: Option<&str>| {
            let spec = catalogue.get(cli).expect("a spec");
            let found = captured(spec, template, Path::new("/h"), Path::new(path), Some(7));
            assert_eq!(found.as_deref(), want, "{path}");
        };
        let lock = "{home}/thread-writer-locks/{id}.lock";
        check(
            "codex",
            lock,
            &format!("/h/thread-writer-locks/{ID}.lock"),
            Some(ID),
        );
        check(
            "codex",
            lock,
            &format!("/other/thread-writer-locks/{ID}.lock"),
            None,
        );
        check(
            "codex",
            lock,
            &format!("/h/thread-writer-locks/{ID}.lock.bak"),
            None,
        );
        check(
            "codex",
            lock,
            &format!("/h/thread-writer-locks/x/{ID}.lock"),
            None,
        );
        check("codex", lock, "/h/thread-writer-locks/x.lock", None);
        let rollout = "{home}/sessions/*/*/*/rollout-*-{id}.jsonl";
        let path = format!("/h/sessions/2026/10/02/rollout-2026-10-02T10-00-00-{ID}.jsonl");
        check("codex", rollout, &path, Some(ID));
        check(
            "codex",
            rollout,
            &format!("/h/sessions/2026/10/02/rollout-{ID}.jsonl"),
            None,
        );
        let hold = "{home}/session-state/{id}/inuse.{pid}.hold";
        check(
            "copilot",
            hold,
            &format!("/h/session-state/{ID}/inuse.7.hold"),
            Some(ID),
        );
        check(
            "copilot",
            hold,
            &format!("/h/session-state/{ID}/inuse.77.hold"),
            None,
        );
        let chat = "{home}/projects/{folder:slashes}/chats/{id}.jsonl";
        check(
            "qwen",
            chat,
            &format!("/h/projects/-w/chats/{ID}.jsonl"),
            Some(ID),
        );
    }
}
