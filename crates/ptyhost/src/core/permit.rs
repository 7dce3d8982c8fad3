//! Which role may do what. The only place that decides it.
//!
//! Promises: input is admitted from attach and control connections alone, so nothing that observes,
//! restores or reports can type; a kind added later does not compile until it is placed here.

use protocol::{Role, ToHost};

/// Whether a connection of this role may send this message at all. Whether it may for *this* pane
/// (claimed by it, its own) is decided where the message is handled.
pub(crate) const fn allowed(role: Role, message: &ToHost) -> bool {
    match message {
        ToHost::Create(_)
        | ToHost::Kill(_)
        | ToHost::Continue(_)
        | ToHost::Resize(_)
        | ToHost::Remove(_)
        | ToHost::Stop(_)
        | ToHost::NoteSet(_) => role.may_manage(),
        ToHost::Share(_) => matches!(role, Role::Manage),
        ToHost::List(_)
        | ToHost::Status(_)
        | ToHost::LastSubmit(_)
        | ToHost::CountPictures(_)
        | ToHost::GetSnapshot(_)
        | ToHost::GetPage(_)
        | ToHost::Subscribe(_)
        | ToHost::NoteList(_) => role.may_read(),
        ToHost::Viewer(_) | ToHost::Claim(_) | ToHost::Release(_) => matches!(role, Role::Attach),
        ToHost::Look(_) => matches!(role, Role::Attach | Role::Watch),
        ToHost::Watch(_) => matches!(role, Role::Watch | Role::Control),
        ToHost::Ack(_) => matches!(role, Role::Attach | Role::Watch | Role::Control),
        ToHost::Report(_) => matches!(role, Role::Report),
        ToHost::Input(_) => role.may_type(),
    }
}

/// A role's name in messages to people.
pub(crate) const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Attach => "attach",
        Role::Watch => "watch",
        Role::Control => "control",
        Role::Observe => "observe",
        Role::Manage => "manage",
        Role::Report => "report",
    }
}

/// A message's name in messages to people.
pub(crate) fn message_name(message: &ToHost) -> &'static str {
    let kind = message.kind();
    ToHost::KINDS
        .iter()
        .find(|(number, _)| *number == kind)
        .map_or("unknown", |(_, name)| *name)
}
