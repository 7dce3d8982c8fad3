//! A pane's pictures. In: its screen; out: those to draw, and whether the user is to be told of one
//! that cannot be.

use super::{Pane, State};
use crate::ability::Ability;
use term::Picture;

impl Pane {
    /// Pictures over the screen as of the last [`Pane::prepare`], if it is all that is seen there.
    pub(crate) fn pictures(&self) -> &[Picture] {
        match &self.screen {
            Some(screen) if self.scroll.is_none() && self.state == State::Running => {
                &screen.pictures
            }
            _ => &[],
        }
    }

    /// True once, when a picture came that a terminal of this ability does not show.
    pub(crate) fn misses_picture(&mut self, ability: Ability) -> bool {
        let Some(screen) = self.screen.as_mut().filter(|_| !self.told_picture) else {
            return false;
        };
        let came = screen.terminal.pictures_asked();
        if came == std::mem::replace(&mut screen.came, came) {
            return false;
        }
        let newest = screen.terminal.pictures().pop();
        self.told_picture = !newest.is_some_and(|picture| ability.shows(picture.kind));
        self.told_picture
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Bench;

    const SIXEL: &str = "\x1bPq\"1;1;30;40#0~\x1b\\";

    fn places(bench: &mut Bench) -> Vec<(u32, (u16, u16))> {
        crate::draw::prepare(&mut bench.model);
        let all = crate::draw::pictures(&bench.model);
        all.iter()
            .map(|placed| (placed.pane, placed.corner))
            .collect()
    }

    fn told(bench: &mut Bench) -> bool {
        let message = bench.model.message.take();
        message.is_some_and(|(text, _)| text.contains("drew a picture"))
    }

    #[test]
    fn a_picture_is_where_its_pane_is() {
        let mut bench = Bench::tabs(&[1]);
        bench.bytes("\x1b[?62;4c\x02%");
        bench.settle();
        bench.settle();
        let pane = bench.model.workspace.panes()[1];
        bench.show(pane, "");
        let area = bench.model.geometry().of(pane).unwrap().content;
        bench.output(pane, 0, &format!("\x1b[2;3H{SIXEL}"));
        assert_eq!(places(&mut bench), [(pane, (area.x + 2, area.y + 1))]);
        assert!(!told(&mut bench));
        // Help, the scrollback and another tab cover it.
        bench.keys("C-b ?");
        assert_eq!(places(&mut bench), []);
        bench.keys("q C-b [");
        assert_eq!(places(&mut bench), []);
        bench.keys("q");
        assert_eq!(places(&mut bench).len(), 1);
        bench.show(pane, "");
        assert_eq!(places(&mut bench), [], "a snapshot has none");
    }

    #[test]
    fn who_cannot_show_it_is_told_once() {
        let mut bench = Bench::tabs(&[1]);
        bench.output(1, 0, SIXEL);
        assert!(told(&mut bench));
        bench.output(1, SIXEL.len() as u64, SIXEL);
        assert!(!told(&mut bench));
    }
}
