//! What is written down of a pane and its agent. Pure.
//!
//! Promises: what came with a record that was there (as made, as launched, since when) stays; a
//! conversation is taken out only because another process took the pane's place without a proof of
//! its own, or because the agent itself says that it shows none; never because a look found nothing.

use super::Agent;
use super::pane::Watched;
use agents::live::How as Learned;
use protocol::msg::PaneFacts;
use restore::record::{AgentRecord, Conversation, How};
use restore::{PaneRecord, Text};
use std::path::Path;

/// Programs that read commands from whoever sits before them.
const SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "nu", "xonsh", "elvish",
];
/// Their options that take a value.
const WITH_VALUE: &[&str] = &["--rcfile", "--init-file", "-o", "-O"];

/// Fills in what the host says of a pane seen first. `resumed`: it was written down before.
pub(super) fn fill(record: &mut PaneRecord, facts: &PaneFacts, resumed: bool, unix: u64) {
    record.id = facts.pane;
    record.size = (facts.cols, facts.rows);
    if resumed {
        return;
    }
    record.argv = own_words(facts);
    record.cwd = Text::from_bytes(facts.cwd.clone());
    record.created = unix.saturating_sub(facts.age_ms / 1000);
    record.shell = is_shell(&record.argv);
}

/// What the pane was made to run, without what abide puts around it.
fn own_words(facts: &PaneFacts) -> Vec<Text> {
    let words = link::around::inner(&facts.argv).into_iter();
    words.map(Text::from_bytes).collect()
}

/// The shell that stands in the place of what did not come back; nothing where none does.
pub(super) fn stand_in(facts: &PaneFacts) -> Vec<Text> {
    match restore::plan::stands_in(&facts.argv) {
        true => own_words(facts),
        false => Vec::new(),
    }
}

/// A shell that reads from the terminal: no script, no `-c`.
pub(super) fn is_shell(argv: &[Text]) -> bool {
    let mut words = argv.iter().map(|word| word.as_os().to_string_lossy());
    let program = words.next().unwrap_or_default();
    let name = Path::new(program.trim_start_matches('-')).file_name();
    let name = name.map(|name| name.to_string_lossy().into_owned());
    if !name.is_some_and(|name| SHELLS.contains(&name.as_str())) {
        return false;
    }
    while let Some(word) = words.next() {
        let cluster = word.starts_with(['-', '+']) && !word.starts_with("--");
        if !word.starts_with(['-', '+']) || (cluster && word.contains('c')) {
            return false;
        }
        if WITH_VALUE.contains(&&*word) {
            words.next();
        }
    }
    true
}

const fn how(how: Learned) -> How {
    match how {
        Learned::Assigned => How::Assigned,
        Learned::Resumed => How::Resumed,
        Learned::Live => How::Live,
        Learned::Lock => How::Lock,
        Learned::Hook => How::Hook,
        Learned::Transcript => How::Transcript,
    }
}

impl Watched {
    /// The conversation of what did not come back, in whose place a shell stands.
    pub(super) fn offered(&self) -> Option<String> {
        let known = self.record.conversation.as_ref();
        known.filter(|_| self.stands_in).map(|it| it.id.clone())
    }

    /// An agent that was typed there has a conversation: where that is another one, the offer is kept aside.
    pub(super) fn takes_place(&mut self, offered: Option<String>) {
        let known = self.record.conversation.as_ref().map(|it| &it.id);
        if let Some(offered) = offered.filter(|_| known.is_some()) {
            self.stands_in = false;
            self.aside = Some(offered).filter(|it| Some(it) != known);
            self.urgent |= self.aside.is_some();
        }
    }

    /// Writes down an agent that runs; `new`: another process than before.
    pub(super) fn record_agent(&mut self, agent: &Agent, new: bool, unix: u64) {
        let former = self.record.agent.take().unwrap_or_default();
        let same_cli = former.cli == agent.cli;
        // One that was asked for a conversation may show none on its way there.
        let asked = self
            .record
            .conversation
            .as_ref()
            .is_some_and(|it| it.asked.is_some());
        self.record.agent = Some(AgentRecord {
            cli: agent.cli.clone(),
            argv: agent.argv.iter().cloned().map(Text::from).collect(),
            cwd: agent.folder.clone().unwrap_or_default().into(),
            env: agent.env.clone(),
            needs: agent.needs.clone(),
            typed: agent.typed || (same_cli && former.typed && self.record.shell),
            inside: agent.inside.clone(),
            version: agent.version.clone(),
            none_yet: agent.none_yet && !asked,
            intent: former.intent,
            rest: former.rest,
        });
        if !self.is_in_another(agent) {
            self.record_conversation(agent, new, unix);
        }
    }

    fn record_conversation(&mut self, agent: &Agent, new: bool, unix: u64) {
        let before = self.record.conversation.take();
        if self.record.agent.as_ref().is_some_and(|it| it.none_yet) {
            self.urgent |= new || before.is_some();
            return;
        }
        let Some(learnt) = &agent.learnt else {
            // What this very process was proved to have stays when a look finds no proof.
            let stale =
                |it: &Conversation| agent.refuted && matches!(it.how, How::Assigned | How::Resumed);
            self.record.conversation = before.filter(|it| !new && !stale(it));
            self.urgent |= new;
            return;
        };
        let same = before.filter(|it| it.id == learnt.id);
        self.urgent |= same.is_none();
        let path = learnt.transcript.clone().map(Text::from);
        let transcript = path.or_else(|| same.as_ref().and_then(|it| it.transcript.clone()));
        let mode = learnt.permission.clone();
        let permission = mode.or_else(|| same.as_ref().and_then(|it| it.permission.clone()));
        self.record.conversation = Some(Conversation {
            id: learnt.id.clone(),
            how: how(learnt.how),
            at: same.as_ref().map_or(unix, |it| it.at),
            transcript,
            permission,
            asked: same.as_ref().and_then(|it| it.asked),
            rest: same.map(|it| it.rest).unwrap_or_default(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_is_one_that_reads_from_the_terminal() {
        for (line, want) in [
            ("/bin/bash", true),
            ("-zsh", true),
            ("bash -l", true),
            ("bash --norc -i", true),
            ("bash --rcfile x", true),
            ("fish", true),
            ("bash -c true", false),
            ("bash -lc true", false),
            ("bash script", false),
            ("python3", false),
            ("", false),
        ] {
            let argv: Vec<Text> = line.split(' ').map(Text::from).collect();
            assert_eq!(is_shell(&argv), want, "{line}");
        }
    }
}
