//! What the host tells of a pane: events into a pane's signals, looks and ends.

use super::{Action, Core, Looked, Now};
use agents::state::{
    Front, Program, Shown, Signals, Source, from_hook, from_notice, from_osc7501, from_status,
    from_title,
};
use protocol::FromHost;

impl Core {
    /// A message about a pane.
    pub(super) fn told(&mut self, id: u32, message: FromHost, now: Now, out: &mut Vec<Action>) {
        if matches!(message, FromHost::PaneCreated(_)) {
            out.push(Action::List);
            return;
        }
        let Some(pane) = self.panes.get_mut(&id) else {
            return;
        };
        let spec = pane
            .agent
            .as_ref()
            .and_then(|it| self.catalogue.get(&it.cli));
        match message {
            FromHost::PaneEnded(ended) => {
                let since = ended.since_submit_ms.map(std::time::Duration::from_millis);
                pane.ended(ended.raw_status, since, self.shutdown, now);
            }
            FromHost::PaneStopped(stopped) => pane.signals.program(match stopped.stopped {
                true => Program::Stopped,
                false => Program::Runs,
            }),
            FromHost::PaneLooked(looked) => pane.attention.looked(looked.looked),
            FromHost::PaneInput(_) => {
                pane.signals.typed(now.at);
                pane.attention.typed(now.at);
                out.push(Action::AskSubmit(id));
                pane.vain = 0;
                pane.want_look(now.at);
            }
            FromHost::PaneForeground(front) => {
                pane.foreground = front.group;
                pane.vain = 0;
                pane.want_look(now.at);
            }
            FromHost::Mark(_) => {
                pane.vain = 0;
                pane.want_look(now.at);
            }
            FromHost::PaneResized(size) => pane.record.size = (size.cols, size.rows),
            FromHost::Title(title) => {
                pane.program_title = title.title;
                let told = spec.and_then(|spec| from_title(spec, &pane.program_title));
                pane.signals.said(Source::Title, told, now.at);
            }
            FromHost::Notice(notice) => {
                let told = from_notice(spec, &notice.title, &notice.body);
                pane.signals.said(Source::Notice, told, now.at);
                pane.want_look(now.at);
            }
            FromHost::ProgramStatus(status) => {
                let told = from_osc7501(&status.body);
                pane.signals.said(Source::Osc7501, told, now.at);
                pane.want_look(now.at);
            }
            FromHost::Reported(_) => pane.want_look(now.at),
            FromHost::NoteChanged(change) => pane.noted(&change.key, change.value.as_deref()),
            FromHost::PaneRemoved(_) => {
                self.removed(id, now, out);
            }
            _ => {}
        }
    }

    /// A pane that had ended was forgotten: what is written down stays.
    fn removed(&mut self, id: u32, now: Now, out: &mut Vec<Action>) {
        self.write_now(now, out);
        if let Some(pane) = self.panes.remove(&id) {
            // It may be started again, under its id.
            self.known.insert(id, pane.record);
        }
    }

    /// The hook of a pane's own agent reported.
    pub(super) fn hooked(&mut self, id: u32, event: &str, detail: Option<&str>, now: Now) {
        let Some(pane) = self.panes.get_mut(&id) else {
            return;
        };
        let spec = pane
            .agent
            .as_ref()
            .and_then(|it| self.catalogue.get(&it.cli));
        let told = spec.and_then(|spec| from_hook(spec, event, detail));
        pane.signals.said(Source::Hook, told, now.at);
        pane.want_look(now.at);
    }

    /// A look at a pane's processes.
    pub(super) fn looked(&mut self, id: u32, looked: Looked, now: Now, out: &mut Vec<Action>) {
        let Some(pane) = self.panes.get_mut(&id).filter(|pane| pane.alive) else {
            return;
        };
        if looked.blind {
            return;
        }
        pane.found(&looked);
        let Some(agent) = looked.agent else {
            pane.look_again(now.at);
            // The last look of several: what is on its way up was given its time.
            if pane.vain > 2 {
                pane.missing(now);
            }
            pane.front();
            return;
        };
        pane.unseen = false;
        let new = pane
            .agent
            .as_ref()
            .is_none_or(|it| it.process != agent.process);
        if new {
            // What was shown so far was another program's.
            pane.signals = Signals::default();
            pane.shown = Shown::nothing(now.at);
            let process = agent.process;
            out.push(Action::Watch { pane: id, process });
        }
        pane.signals.front(Front::Agent);
        if let (Some(learnt), Some(spec)) = (&agent.learnt, self.catalogue.get(&agent.cli)) {
            match &learnt.status {
                Some(word) => {
                    let told = from_status(spec, word, learnt.why.as_deref());
                    pane.signals.said(Source::Live, told, now.at);
                }
                None => pane.signals.silent(Source::Live),
            }
        }
        // What was written down before of a process that is there again is that process's own.
        let another = new && !pane.is_resumption(&agent);
        // What stands there as an offer gives way to a conversation that is proved, to nothing else.
        let offer = pane.stands_in && pane.record.conversation.is_some();
        if offer && agent.learnt.is_none() && (another || pane.is_unwritten(&agent)) {
            pane.agent = Some(agent);
            return;
        }
        let offered = pane.offered();
        pane.agent_runs(new);
        if another {
            pane.forget_asked();
        }
        out.extend(pane.compare(&agent, now.at));
        pane.record_agent(&agent, another, now.unix);
        pane.takes_place(offered);
        pane.agent = Some(agent);
    }
}
