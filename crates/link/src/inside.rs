//! Whether this program runs inside a pane of the host it would connect to.
//!
//! In: the pane's id and key, as its environment has them, and the host's files. Out: yes or no. Promises:
//! a pane of another host, or of one that is gone, is no pane of this one.

use crate::hostfile::{HostFile, read_token};
use crate::places::Places;
use protocol::PaneId;

/// `key` (`ABIDE_PANE_KEY`) is what the host that lives in `places` gave to `pane`.
#[must_use]
pub fn is_pane_of(places: &Places, pane: PaneId, key: &str) -> bool {
    let own = || {
        let file = HostFile::read(places).ok()??;
        let instance = u128::from_str_radix(&file.instance, 16).ok()?.to_be_bytes();
        let token = read_token(places).ok()?;
        Some(token.for_pane(&instance, pane).to_hex())
    };
    own().is_some_and(|own| own == key)
}
