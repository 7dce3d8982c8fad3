//! Claims: which panes this client shows, in which size.
//!
//! In: the model's geometry. Out: claims of what changed. Promises: each size is told once; while
//! a window or a border is dragged sizes wait; who only looks claims nothing.

use super::Cx;
use crate::model::{Asked, Model};
use crate::pane::Claimed;
use protocol::msg::{Claim, ClaimPane, Watch};

/// Claims what is not claimed yet and what has another size or visibility now.
pub(super) fn claim(model: &mut Model, cx: &mut Cx) {
    if !model.listed {
        return;
    }
    if model.watch {
        watch(model, cx);
        return;
    }
    let geometry = model.geometry();
    let mut entries = Vec::new();
    for pane in model.panes.values_mut().filter(|pane| pane.claimable()) {
        let place = geometry
            .of(pane.id)
            .map(|p| p.content)
            .filter(|r| !r.is_empty());
        let last = pane.claimed.unwrap_or_default();
        let want = match place {
            Some(rect) => Claimed {
                cols: rect.width,
                rows: rect.height,
                shown: true,
            },
            None => Claimed {
                shown: false,
                ..last
            },
        };
        // Only its size differs: while a window is dragged that can wait.
        let can_wait = model.resizing.is_some() && last.shown && want.shown;
        if pane.claimed != Some(want) && !can_wait {
            pane.claimed = Some(want);
            entries.push(entry(pane.id, want));
        }
        if let (Some(rect), Some(scroll)) = (place, &mut pane.scroll) {
            scroll.set_height(rect.height);
        }
        pane.bell &= place.is_none();
    }
    ask_claim(model, entries, cx);
}

/// Looks at the pane without taking it; its size is its own.
fn watch(model: &mut Model, cx: &mut Cx) {
    let looked = Claimed {
        cols: 0,
        rows: 0,
        shown: true,
    };
    let mut panes = Vec::new();
    for pane in model.panes.values_mut().filter(|pane| pane.claimable()) {
        if pane.claimed.replace(looked).is_none() {
            panes.push(pane.id);
        }
    }
    if !panes.is_empty() {
        cx.ask(model, 0, Watch { panes }, Asked::Plain);
    }
}

fn entry(pane: u32, claimed: Claimed) -> ClaimPane {
    let Claimed { cols, rows, shown } = claimed;
    ClaimPane {
        pane,
        cols,
        rows,
        shown,
    }
}

fn ask_claim(model: &mut Model, panes: Vec<ClaimPane>, cx: &mut Cx) {
    if !panes.is_empty() {
        let ids = panes.iter().map(|entry| entry.pane).collect();
        cx.ask(model, 0, Claim { panes }, Asked::Claim(ids));
    }
}

/// The stream of a pane does not fit what is here: hiding and showing it brings a snapshot.
pub(super) fn resync(model: &mut Model, pane: u32, cx: &mut Cx) {
    let Some(claimed) = model.panes.get_mut(&pane).and_then(|p| p.begin_resync()) else {
        return;
    };
    if model.watch {
        cx.ask(model, 0, Watch { panes: Vec::new() }, Asked::Plain);
        cx.ask(model, 0, Watch { panes: vec![pane] }, Asked::Plain);
        return;
    }
    let hidden = Claimed {
        shown: false,
        ..claimed
    };
    ask_claim(model, vec![entry(pane, hidden)], cx);
    ask_claim(model, vec![entry(pane, claimed)], cx);
}
