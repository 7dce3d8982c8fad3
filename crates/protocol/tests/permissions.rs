//! What each role may do, as one table, and how a pane is named.

#![cfg(test)]

use protocol::{PaneId, Role};

/// Bytes reach a pane's input only from `attach` and `control`; nothing that restores or observes
/// can type. A changed row here is a changed invariant, not a detail.
#[test]
fn the_table_of_roles() {
    //            role           number type   manage read   holds the host
    let table = [
        (Role::Attach, 1, true, true, true, true),
        (Role::Watch, 2, false, false, true, true),
        (Role::Control, 3, true, true, true, false),
        (Role::Observe, 4, false, false, true, false),
        (Role::Manage, 5, false, true, true, false),
        (Role::Report, 6, false, false, false, false),
    ];
    for (role, number, types, manages, reads, holds) in table {
        assert_eq!(role as u8, number, "{role:?}");
        assert_eq!(Role::from_wire(number), Some(role));
        let may = (
            role.may_type(),
            role.may_manage(),
            role.may_read(),
            role.holds_host(),
        );
        assert_eq!(may, (types, manages, reads, holds), "{role:?}");
    }
    let known = (0..=u8::MAX).filter_map(Role::from_wire).count();
    assert_eq!(known, table.len(), "a role without a row");
}

#[test]
fn a_pane_is_named_by_p_and_a_number() {
    for (text, number) in [
        ("p1", 1),
        ("p12", 12),
        ("p4294967295", u32::MAX),
        ("p007", 7),
    ] {
        assert_eq!(text.parse(), Ok(PaneId(number)), "{text}");
    }
    let bad = [
        "",
        "p",
        "p0",
        "p00",
        "12",
        "P1",
        "p-1",
        "p+1",
        " p1",
        "p1 ",
        "p1\n",
        "p4294967296",
        "p１",
    ];
    for text in bad {
        assert!(text.parse::<PaneId>().is_err(), "{text:?}");
    }
    assert_eq!(PaneId(12).to_string(), "p12");
    assert_eq!(PaneId::NONE, PaneId(0));
}
