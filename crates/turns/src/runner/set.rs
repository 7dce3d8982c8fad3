//! Model, mode and effort: changed in a conversation that is open, or with its next process.

use super::{Act, Core, Process};
use crate::driver::Setting;
use crate::event::Knob;
use std::time::Instant;

/// Which settings a process takes at its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Takes {
    /// The model.
    pub model: bool,
    /// The permission mode.
    pub mode: bool,
    /// The effort.
    pub effort: bool,
}

impl Takes {
    const fn has(self, setting: &Setting) -> bool {
        match setting {
            Setting::Model(_) => self.model,
            Setting::Mode(_) => self.mode,
            Setting::Effort(_) => self.effort,
        }
    }
}

impl Core {
    pub(super) fn set(&mut self, setting: &Setting, now: Instant, acts: &mut Vec<Act>) {
        let open = self.process == Process::Open;
        let steps = if open {
            self.driver.set(setting)
        } else {
            Vec::new()
        };
        let by_start = steps.is_empty();
        if by_start && !self.setup.takes.has(setting) && (open || !self.by_message(setting)) {
            let words = "this agent has no way to change it here".to_owned();
            acts.push(Act::Tell(words));
            return;
        }
        let params = &mut self.setup.params;
        self.before = Some(params.clone());
        match setting {
            Setting::Model(it) => params.model = Some(it.clone()),
            Setting::Mode(it) => params.permission_mode = Some(it.clone()),
            Setting::Effort(it) => params.effort = Some(it.clone()),
        }
        if by_start {
            self.stale |= open;
            let words = "it takes effect with the next request".to_owned();
            acts.push(Act::Tell(words));
        }
        self.take(steps, now, acts);
    }

    /// It is sent when the conversation is opened.
    const fn by_message(&self, setting: &Setting) -> bool {
        self.setup.acp && !matches!(setting, Setting::Effort(_))
    }

    /// It was refused: what was chosen before stands.
    pub(super) fn not_set(&mut self, knob: Knob) {
        let Some(before) = self.before.take() else {
            return;
        };
        let params = &mut self.setup.params;
        match knob {
            Knob::Model => params.model = before.model,
            Knob::Mode => params.permission_mode = before.permission_mode,
            Knob::Effort => params.effort = before.effort,
        }
    }
}
