//! Whether an input message asks the program to act: Enter, Ctrl-C or Ctrl-D.
//!
//! In: one input message, as it goes to the pty. Out: yes or no. Promises: the same answer whichever
//! way the keys were encoded (plain bytes, modifyOtherKeys, the kitty protocol); a paste in brackets
//! never asks, whatever it holds, since programs wait for Enter after one. Nothing of the message is
//! kept. Whoever judges whether a user ended a program asks how long ago this was.

/// A bracketed paste begins like this.
const PASTE: &[u8] = b"\x1b[200~";
/// Enter (and that of the keypad), Ctrl-C and Ctrl-D as numbers of keys, each with its modifiers'
/// number in the two newer encodings; `None`: whatever they are.
const KEYS: &[(u32, Option<u32>)] = &[(13, None), (57_414, None), (99, Some(5)), (100, Some(5))];
/// Bits of a modifiers' number that locks set: Caps Lock and Num Lock.
const LOCKS: u32 = 64 | 128;

/// See the module.
pub(crate) fn asks_to_act(message: &[u8]) -> bool {
    let mut rest = message;
    while let Some(first) = rest.first() {
        if rest.starts_with(PASTE) {
            return false;
        }
        if matches!(first, b'\r' | b'\n' | 0x03 | 0x04) || sequence(rest).is_some_and(is_key) {
            return true;
        }
        rest = &rest[1..];
    }
    false
}

/// Key and modifiers of the sequence that `bytes` begin with; releases of keys are none.
fn sequence(bytes: &[u8]) -> Option<(u32, u32)> {
    let body = bytes.strip_prefix(b"\x1b[")?;
    let end = body.iter().position(|byte| (0x40..=0x7e).contains(byte))?;
    let (body, last) = (std::str::from_utf8(&body[..end]).ok()?, body[end]);
    let mut parts = body.split(';');
    let mut number = |or: u32| {
        let part = parts.next().unwrap_or_default();
        let mut sub = part.split(':');
        let value = sub.next().filter(|it| !it.is_empty());
        let value = value.map_or(Some(or), |it| it.parse().ok())?;
        Some((value, sub.next() == Some("3")))
    };
    match last {
        b'u' => {
            let (key, _) = number(0)?;
            let (modifiers, released) = number(1)?;
            (!released).then_some((key, modifiers))
        }
        b'~' if number(0)?.0 == 27 => {
            let (modifiers, _) = number(1)?;
            Some((number(0)?.0, modifiers))
        }
        _ => None,
    }
}

fn is_key((key, modifiers): (u32, u32)) -> bool {
    let bare = (modifiers.max(1) - 1) & !LOCKS;
    KEYS.iter()
        .any(|(code, wanted)| *code == key && wanted.is_none_or(|it| it - 1 == bare))
}

#[cfg(test)]
mod tests {
    use super::asks_to_act;

    #[test]
    fn enter_and_the_two_controls_ask_in_every_encoding() {
        for (message, want) in [
            ("\r", true),
            ("/exit\r", true),
            ("\n", true),
            ("\x03", true),
            ("\x04", true),
            ("\x1b[13u", true),
            ("\x1b[13;1:1u", true),
            ("\x1b[13;2u", true),
            ("\x1b[57414u", true),
            ("\x1b[99;5u", true),
            ("\x1b[100;5:1u", true),
            ("\x1b[99;133u", true),
            ("\x1b[27;5;99~", true),
            ("\x1b[27;5;100~", true),
            ("ab\x1b[100;5u", true),
            ("", false),
            ("hello", false),
            ("\x1b", false),
            ("\x1b[A", false),
            ("\x1b[13;1:3u", false),
            ("\x1b[99u", false),
            ("\x1b[99;6u", false),
            ("\x1b[27;2;97~", false),
            ("\x1b[200~a\rb\x1b[201~", false),
            ("\x1b[<0;1;1M", false),
            ("\x1b[3~", false),
        ] {
            assert_eq!(asks_to_act(message.as_bytes()), want, "{message:?}");
        }
    }
}
