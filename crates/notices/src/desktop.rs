//! The desktop: `org.freedesktop.Notifications` on the session bus.
//!
//! The call is made with a D-Bus client of our own (`dbus`), since one method call is all there is to do.
//! Promises: it takes [`LIMIT`] at most; a bus without a service for notices is nobody to tell, no fault.

use crate::dbus::{Body, Bus, BusError, Call};
use crate::setup::Setup;
use crate::{Notice, Trouble};
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest time until the desktop has taken it.
pub(crate) const LIMIT: Duration = Duration::from_secs(3);

/// Where the session bus is: as the session says, else where systemd puts it.
pub(crate) fn address(setup: &Setup) -> Option<OsString> {
    let said = setup.variable("DBUS_SESSION_BUS_ADDRESS");
    if let Some(said) = said.filter(|it| !it.is_empty()) {
        return Some(said.to_owned());
    }
    let bus = Path::new(setup.variable("XDG_RUNTIME_DIR")?).join("bus");
    let mut address = OsString::from("unix:path=");
    address.push(&bus);
    bus.exists().then_some(address)
}

/// Shows it.
pub(crate) fn show(setup: &Setup, notice: &Notice) -> Result<(), Trouble> {
    let Some(address) = address(setup) else {
        return Err(nobody("there is no session bus"));
    };
    let until = Instant::now() + LIMIT;
    let shown = Bus::connect(&address.to_string_lossy(), sys::peer::my_uid(), until)
        .and_then(|mut bus| bus.call(&NOTIFY, notify(notice), until));
    shown.map_err(|error| match error {
        BusError::Refused { name } if is_nobody(&name) => nobody("no service shows notices there"),
        other => Trouble::new(format!("the session bus: {other}")),
    })
}

fn nobody(why: &str) -> Trouble {
    Trouble {
        why: why.to_owned(),
        nobody: true,
    }
}

/// Errors of the bus itself: the name is nobody's, and nothing can be started for it.
fn is_nobody(name: &str) -> bool {
    let bus = name.strip_prefix("org.freedesktop.DBus.Error.");
    bus.is_some_and(|it| {
        matches!(
            it,
            "ServiceUnknown" | "NameHasNoOwner" | "NoReply" | "TimedOut"
        ) || it.starts_with("Spawn.")
    })
}

const NOTIFY: Call = Call {
    to: "org.freedesktop.Notifications",
    path: "/org/freedesktop/Notifications",
    interface: "org.freedesktop.Notifications",
    member: "Notify",
    signature: "susssasa{sv}i",
};

/// Program, what it replaces, icon, summary, body, actions, hints, time until it goes.
fn notify(notice: &Notice) -> Body {
    let mut text = notice.says().to_owned();
    if !notice.screen.is_empty() {
        text = format!("{text}\n{}", notice.screen);
    }
    let mut body = Body::default();
    body.string("abide");
    body.u32(0);
    body.string("");
    body.string(&notice.whole_name());
    body.string(&escaped(&text));
    body.u32(0); // no actions
    let hints = body.begin_dict();
    body.align(8);
    body.string("urgency");
    body.signature("y");
    body.byte(1);
    body.end_dict(hints);
    body.u32(u32::MAX); // -1: as the desktop thinks best
    body
}

/// A notice's body may hold markup.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(env: &[(&str, &str)]) -> Setup {
        let env = env.iter().map(|(k, v)| ((*k).into(), (*v).into()));
        Setup::new(Path::new("/nowhere"), env)
    }

    #[test]
    fn where_the_bus_is() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = folder.path().to_str().unwrap();
        let of = |env: &[(&str, &str)]| address(&setup(env)).and_then(|it| it.into_string().ok());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("XDG_RUNTIME_DIR", runtime)]), None);
        std::fs::write(folder.path().join("bus"), "").unwrap();
        let there = format!("unix:path={runtime}/bus");
        assert_eq!(of(&[("XDG_RUNTIME_DIR", runtime)]), Some(there));
        let said = [
            ("XDG_RUNTIME_DIR", runtime),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:abstract=x"),
        ];
        assert_eq!(of(&said).as_deref(), Some("unix:abstract=x"));
    }

    #[test]
    fn no_bus_is_no_fault_and_a_broken_one_is() {
        let notice = Notice::default();
        assert!(show(&setup(&[]), &notice).is_err_and(|it| it.nobody));
        let broken = setup(&[("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")]);
        assert!(show(&broken, &notice).is_err_and(|it| !it.nobody));
        for (name, want) in [
            ("org.freedesktop.DBus.Error.ServiceUnknown", true),
            ("org.freedesktop.DBus.Error.Spawn.ChildExited", true),
            ("org.freedesktop.DBus.Error.AccessDenied", false),
            ("com.example.Error.ServiceUnknown", false),
        ] {
            assert_eq!(is_nobody(name), want, "{name}");
        }
    }

    #[test]
    fn markup_is_text() {
        assert_eq!(escaped("<b>a & b</b>"), "&lt;b&gt;a &amp; b&lt;/b&gt;");
    }
}
