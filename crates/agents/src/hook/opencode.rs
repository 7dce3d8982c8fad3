//! What OpenCode is given: a plugin of its server, which tells what its conversations do, and one of its
//! terminal interface, which tells the one it shows. Pure.

use serde_json::Value;
use std::path::Path;

/// How both tell it.
const TELL: &str = r#"const tell = (event, session, detail) => {
  try {
    const child = spawn(program, ["hook", cli], { stdio: ["pipe", "ignore", "ignore"] })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stdin.end(
      JSON.stringify({ hook_event_name: event, session_id: session, detail, cwd: process.cwd() }),
    )
  } catch {}
}
"#;

fn head(what: &str, program: &Path, cli: &str) -> String {
    let cli = Value::from(cli);
    let program = Value::from(program.to_string_lossy().into_owned());
    format!(
        r#"// Written by abide: tells it {what}.
import {{ spawn }} from "node:child_process"

const program = {program}
const cli = {cli}

{TELL}"#
    )
}

/// Sub-agents have sessions of their own, begun with a parent: they are left out.
pub(super) fn plugin(program: &Path, cli: &str) -> String {
    let head = head(
        "which conversation this pane has and what the agent does",
        program,
        cli,
    );
    let rest = r#"
const inner = new Set()

const tellOf = (event, session, detail) => {
  if (session && !inner.has(session)) tell(event, session, detail)
}

export const Abide = async () => ({
  event: async ({ event }) => {
    const it = event?.properties ?? {}
    switch (event?.type) {
      case "session.created":
        if (it.info?.parentID) inner.add(it.info.id)
        tellOf(event.type, it.info?.id)
        break
      case "session.status":
        tellOf(event.type, it.sessionID, it.status?.type)
        break
      case "session.idle":
      case "permission.asked":
      case "permission.updated":
      case "permission.replied":
        tellOf(event.type, it.sessionID)
        break
    }
  },
})
"#;
    format!("{head}{rest}")
}

/// There is no event for `/new` and for a change to another conversation, so it looks.
pub(super) fn screen(program: &Path, cli: &str) -> String {
    let head = head("which conversation this screen shows", program, cli);
    let rest = r#"
// "": none; undefined: not known at this moment. A sub-agent's screen is its first conversation's.
const shown = (api) => {
  const route = api.route.current
  if (route?.name === "home") return ""
  let id = route?.name === "session" ? route.params?.sessionID : undefined
  for (let above = 0; id && above < 16; above++) {
    const session = api.state.session.get(id)
    if (!session?.parentID) return session?.id
    id = session.parentID
  }
  return undefined
}

const tui = async (api) => {
  let seen, told
  let times = 0
  let next = 0
  const look = () => {
    try {
      const now = shown(api)
      // Seen twice: what it passes on its way says nothing. Told six times within six minutes: one
      // report may be lost on a machine that does much else.
      if (now !== undefined && now === seen && (now !== told || (times < 6 && Date.now() > next))) {
        times = now === told ? times + 1 : 1
        told = now
        next = Date.now() + 1000 * 3 ** times
        tell(now ? "screen.shows" : "screen.empty", now)
      }
      seen = now
    } catch {}
  }
  const timer = setInterval(look, 400)
  timer.unref?.()
  api.lifecycle?.onDispose?.(() => clearInterval(timer))
}

export default { id: "abide", tui }
"#;
    format!("{head}{rest}")
}
