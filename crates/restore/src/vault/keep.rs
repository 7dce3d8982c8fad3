//! Which copies go: those of conversations that no pane has any more, by age and by room. Pure.

use super::KEEP_SECONDS;
use super::entry::Entry;
use crate::record::{Intent, PaneRecord};

/// Since when no pane has this conversation; `None`: one has it, or it is to come back.
pub(super) fn closed(entry: &Entry, panes: &[PaneRecord], now: u64) -> Option<u64> {
    let mut last = None;
    for pane in panes.iter().filter(|pane| has(pane, entry)) {
        match ended(pane) {
            None => return None,
            Some(at) => last = last.max(Some(at)),
        }
    }
    // What is not written down any more was closed when that was first seen.
    Some(last.or(entry.closed).unwrap_or(now))
}

fn has(pane: &PaneRecord, entry: &Entry) -> bool {
    let cli = pane.agent.as_ref().map(|agent| agent.cli.as_str());
    let id = pane.conversation.as_ref().map(|it| it.id.as_str());
    cli == Some(entry.cli.as_str()) && id == Some(entry.conversation.as_str())
}

/// When the pane ended for good. A closed workspace comes back when its folder is opened.
fn ended(pane: &PaneRecord) -> Option<u64> {
    let of = |intent: &Intent| match intent {
        Intent::Exited { at, .. } | Intent::EndedByUser { at } | Intent::Discarded { at } => {
            Some(*at)
        }
        Intent::Open | Intent::Provisional { .. } | Intent::ClosedWorkspace { .. } => None,
    };
    let agent = pane.agent.as_ref().filter(|agent| agent.typed);
    of(&pane.intent).or_else(|| agent.and_then(|agent| of(&agent.intent)))
}

/// Numbers of the entries that go: the expired ones, then the oldest closed until the rest takes at
/// most `room`.
pub(super) fn gone(entries: &[&Entry], now: u64, room: u64) -> Vec<usize> {
    let mut order: Vec<(u64, usize)> = entries
        .iter()
        .enumerate()
        .filter_map(|(n, entry)| Some((entry.closed?, n)))
        .collect();
    order.sort_unstable();
    let mut total: u64 = entries.iter().map(|entry| entry.length).sum();
    let mut gone = Vec::new();
    for (closed, n) in order {
        if closed.saturating_add(KEEP_SECONDS) > now && total <= room {
            break;
        }
        total = total.saturating_sub(entries[n].length);
        gone.push(n);
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{AgentRecord, Conversation, How};

    fn entry(closed: Option<u64>, length: u64) -> Entry {
        Entry {
            cli: "claude".to_owned(),
            conversation: "a".to_owned(),
            closed,
            length,
            ..Entry::default()
        }
    }

    fn pane(id: &str, intent: Intent) -> PaneRecord {
        PaneRecord {
            agent: Some(AgentRecord {
                cli: "claude".to_owned(),
                ..AgentRecord::default()
            }),
            conversation: Some(Conversation {
                id: id.to_owned(),
                how: How::Live,
                at: 0,
                transcript: None,
                permission: None,
                asked: None,
                rest: serde_json::Map::new(),
            }),
            intent,
            ..PaneRecord::default()
        }
    }

    #[test]
    fn a_conversation_is_closed_when_its_last_pane_is() {
        let check = |panes: &[PaneRecord], before: Option<u64>, want: Option<u64>| {
            assert_eq!(closed(&entry(before, 1), panes, 100), want);
        };
        let ended = |at| Intent::EndedByUser { at };
        check(&[], None, Some(100));
        check(&[], Some(40), Some(40));
        check(&[pane("b", Intent::Open)], Some(40), Some(40));
        check(&[pane("a", Intent::Open)], Some(40), None);
        check(&[pane("a", Intent::ClosedWorkspace { at: 9 })], None, None);
        check(&[pane("a", ended(50))], None, Some(50));
        check(
            &[pane("a", ended(50)), pane("a", ended(60))],
            None,
            Some(60),
        );
        check(&[pane("a", ended(50)), pane("a", Intent::Open)], None, None);
        let mut typed = pane("a", Intent::Open);
        if let Some(agent) = &mut typed.agent {
            agent.typed = true;
            agent.intent = ended(70);
        }
        check(&[typed], None, Some(70));
    }

    #[test]
    fn the_expired_go_and_then_the_oldest_closed_until_there_is_room() {
        let check = |entries: &[Entry], room: u64, want: &[usize]| {
            let entries: Vec<&Entry> = entries.iter().collect();
            assert_eq!(gone(&entries, KEEP_SECONDS + 100, room), want);
        };
        let all = [
            entry(None, 50),
            entry(Some(100), 10),
            entry(Some(300), 10),
            entry(Some(200), 10),
        ];
        check(&all, 1_000, &[1]); // to the second
        check(&all, 69, &[1, 3]);
        check(&all, 60, &[1, 3]);
        check(&all, 59, &[1, 3, 2]);
        // Open ones stay, whatever they take.
        check(&all, 0, &[1, 3, 2]);
    }
}
