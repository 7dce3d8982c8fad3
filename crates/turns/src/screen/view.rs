//! What is on the screen, and what commands make of it. Pure.

use super::blocks::Blocks;
use super::editor::{Edit, Editor};
use super::keys::{Command, Mode};
use super::signal::Doing;
use crate::driver::{Answer, Setting};
use crate::event::{Card, ChoiceKind, Event, PlanStatus};
use crate::program::{Person, Shown};
use crate::runner::Core;
use std::time::Instant;

/// What the runner says of itself in its first line.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The framework, for people.
    pub framework: String,
    /// Model, mode and effort, as far as they were chosen.
    pub settings: Vec<String>,
}

/// The screen's state.
#[derive(Debug, Default)]
pub struct View {
    pub(super) about: About,
    pub(super) blocks: Blocks,
    pub(super) editor: Editor,
    /// Lines above the end; 0: the end is shown, also as it grows.
    pub(super) up: usize,
    /// Words searched for, while they are typed.
    pub(super) search: Option<Editor>,
    /// The words last searched for.
    pub(super) found: Option<String>,
    pub(super) chosen: usize,
    pub(super) tokens: (u64, u64),
    pub(super) since: Option<Instant>,
    /// What the last command could not do.
    pub(super) hint: Option<String>,
    pub(super) page: usize,
    pub(super) plan: Option<(usize, usize)>,
    topic: String,
    ended: bool,
    /// The card that is shown; options are chosen anew for another one.
    card: Option<String>,
}

/// What can be typed beside requests.
pub(super) const HELP: [&str; 7] = [
    "Enter sends; while a turn runs the request waits behind it, Up takes the last one back",
    "Alt-Enter or Ctrl-J breaks the line; Esc or Ctrl-C stops the turn",
    "PageUp, PageDown, the wheel, Shift-Home, Shift-End scroll; Ctrl-F searches",
    "/pause and /resume stop the agent where it is and let it go on",
    "/model NAME, /mode NAME, /effort NAME change it, where the agent can",
    "/stop stops the turn; /quit or Ctrl-D leaves, the turn goes on when you come back",
    "any other /word goes to the agent",
];

impl View {
    /// An empty conversation.
    #[must_use]
    pub fn new(about: About) -> Self {
        let topic = about.framework.clone();
        Self {
            about,
            topic,
            ..Self::default()
        }
    }

    /// Takes what is shown.
    pub fn show(&mut self, shown: &Shown<'_>) {
        self.blocks.take(shown);
        match shown {
            Shown::Asked(asked) => {
                self.topic = asked.text.lines().next().unwrap_or("").to_owned();
                self.plan = None;
            }
            Shown::Event(Event::Usage { input, output }) => self.tokens = (*input, *output),
            Shown::Event(Event::Plan { entries }) => {
                let done = entries
                    .iter()
                    .filter(|it| it.status == PlanStatus::Completed);
                self.plan = Some((done.count(), entries.len()));
            }
            Shown::Event(Event::Ended { .. }) => self.ended = true,
            Shown::Back(text) => {
                self.editor.insert(text);
            }
            _ => {}
        }
    }

    /// The conversation's state changed.
    pub fn state(&mut self, core: &Core) {
        if core.busy() {
            self.ended = false;
            self.since.get_or_insert_with(Instant::now);
        } else {
            self.since = None;
        }
        let card = core.cards().first().map(|it| it.id.clone());
        if self.card != card {
            self.card = card;
            self.chosen = 0;
        }
    }

    /// What the conversation is about.
    #[must_use]
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// What the terminal around is told.
    #[must_use]
    pub fn doing(&self, core: &Core) -> Doing {
        match core.cards().first() {
            Some(card) => Doing::Asking(card.title.clone()),
            None if core.busy() => Doing::Working(self.plan),
            None if self.ended => Doing::Done,
            None => Doing::Idle,
        }
    }

    /// What keys mean now.
    #[must_use]
    pub fn mode(&self, core: &Core) -> Mode {
        match core.cards().first() {
            _ if self.search.is_some() => Mode::Searching,
            Some(card) if self.editor.text().is_empty() => Mode::Card {
                options: card.options.len(),
            },
            _ => Mode::Typing,
        }
    }

    /// Carries out a command; what comes back is for the program.
    pub fn obey(&mut self, command: Command, core: &Core) -> Vec<Person> {
        self.hint = None;
        match command {
            Command::Insert(text) => {
                let editor = self.search.as_mut().unwrap_or(&mut self.editor);
                if !editor.insert(&text) {
                    self.hint = Some("that is too long to be sent".to_owned());
                }
            }
            Command::Edit(Edit::Earlier)
                if self.search.is_none()
                    && self.editor.text().is_empty()
                    && core.queued().next().is_some() =>
            {
                return vec![Person::TakeBack];
            }
            Command::Edit(edit) => {
                let editor = self.search.as_mut().unwrap_or(&mut self.editor);
                editor.edit(edit);
            }
            Command::Enter => return self.enter(core),
            Command::Escape if self.search.take().is_some() => {}
            Command::Escape => return vec![Person::Stop],
            Command::Interrupt if core.busy() => return vec![Person::Stop],
            Command::Interrupt => return vec![Person::Leave],
            Command::EndOfInput if self.editor.text().is_empty() => return vec![Person::Leave],
            Command::EndOfInput => self.editor.edit(super::Edit::Delete),
            Command::Scroll(by) => self.scroll(by),
            Command::Page(by) => {
                let page = i32::try_from(self.page.saturating_sub(1)).unwrap_or(i32::MAX);
                self.scroll(by.saturating_mul(page.max(1)));
            }
            Command::Bottom => self.up = 0,
            Command::Top => self.up = usize::MAX,
            Command::Search => self.search = Some(Editor::default()),
            Command::Next(down) => self.next(down),
            Command::Choose(by) => self.choose(by, core),
            Command::Option(at) => return self.answer(at, core),
        }
        Vec::new()
    }

    /// Down is towards the end. Drawing brings what is too far back to the first line.
    fn scroll(&mut self, by: i32) {
        let lines = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
        self.up = match by < 0 {
            true => self.up.saturating_add(lines),
            false => self.up.saturating_sub(lines),
        };
    }

    fn choose(&mut self, by: i32, core: &Core) {
        let count = core.cards().first().map_or(0, |it| it.options.len());
        if count > 0 {
            let step = if by < 0 { count - 1 } else { 1 };
            self.chosen = (self.chosen + step) % count;
        }
    }

    fn answer(&self, at: usize, core: &Core) -> Vec<Person> {
        let Some(card) = core.cards().first() else {
            return Vec::new();
        };
        let answer = card.options.get(at).map(|it| Answer::Choice(it.id.clone()));
        answer
            .map(|answer| Person::Answer(card.id.clone(), answer))
            .into_iter()
            .collect()
    }

    fn enter(&mut self, core: &Core) -> Vec<Person> {
        if let Some(search) = &mut self.search {
            let words = search.take();
            self.search = None;
            if !words.is_empty() {
                self.found = Some(words);
                self.next(false);
            }
            return Vec::new();
        }
        let text = self.editor.take();
        if text.trim().is_empty() {
            return self.answer(self.chosen, core);
        }
        // A question takes words; a permission does not.
        if let Some(card) = core.cards().first().filter(|it| takes_words(it)) {
            return vec![Person::Answer(card.id.clone(), Answer::Text(text))];
        }
        self.up = 0;
        self.typed(text)
    }

    /// A request, or one of the runner's own commands.
    fn typed(&mut self, text: String) -> Vec<Person> {
        let line = text.trim();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim().to_owned();
        let set = |setting: fn(String) -> Setting, rest: String| vec![Person::Set(setting(rest))];
        match word {
            "/pause" => vec![Person::Pause(true)],
            "/resume" if rest.is_empty() => vec![Person::Pause(false)],
            "/stop" => vec![Person::Stop],
            "/quit" | "/exit" => vec![Person::Leave],
            "/help" => {
                for line in HELP {
                    self.blocks.take(&Shown::Line(line));
                }
                Vec::new()
            }
            "/model" if !rest.is_empty() => set(Setting::Model, rest),
            "/mode" if !rest.is_empty() => set(Setting::Mode, rest),
            "/effort" if !rest.is_empty() => set(Setting::Effort, rest),
            _ => vec![Person::Ask(text)],
        }
    }

    /// Moves to the next line that holds the words, upward or downward.
    fn next(&mut self, down: bool) {
        let words = match &self.search {
            Some(search) if !search.text().is_empty() => search.text().to_lowercase(),
            _ => match &self.found {
                Some(words) => words.to_lowercase(),
                None => return,
            },
        };
        let page = self.page;
        let lines = self.blocks.lines(self.blocks.width());
        let count = lines.len();
        let bottom = count.saturating_sub(self.up);
        let holds = |at: &usize| {
            let line = lines[*at];
            let text: String = line.spans.iter().map(|it| &*it.content).collect();
            text.to_lowercase().contains(&words)
        };
        let found = match down {
            true => (bottom.min(count)..count).find(holds),
            false => (0..bottom.saturating_sub(1).min(count)).rev().find(holds),
        };
        match found {
            // The line is the last one shown.
            Some(at) => self.up = (count - at - 1).min(count.saturating_sub(page.min(count))),
            None => self.hint = Some(format!("no more {words:?}")),
        }
    }
}

fn takes_words(card: &Card) -> bool {
    card.options.iter().all(|it| it.kind == ChoiceKind::Reply)
}
