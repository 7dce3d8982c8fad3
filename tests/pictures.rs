//! Pictures: what a program draws in a pane reaches a terminal that can show it, made anew of checked
//! parts; who attaches later gets the text and not the pictures, and the count is told.

#![cfg(test)]

use testkit::{Home, Outer, until};

fn has(window: &Outer, part: &str) -> bool {
    let raw = window.raw();
    raw.windows(part.len())
        .any(|bytes| bytes == part.as_bytes())
}

#[test]
fn a_picture_placed_later_and_a_file_in_parts_reach_the_terminal() {
    let mut home = Home::new(env!("CARGO_BIN_EXE_abide"));
    // A terminal that draws both kinds.
    home.set_env("KITTY_WINDOW_ID", "1");
    home.set_env("TERM_PROGRAM", "iTerm.app");
    home.start();
    let pane = home.script(
        r"echo ready; read -r _
        printf '\e_Gi=7,f=24,s=1,v=1,m=1;AA\e\\\e_Gm=0;AA\e\\'; echo sent
        printf '\e[5;3H\e_Ga=p,i=7,c=2,r=1,q=2\e\\placed'
        printf '\e[9;3H\e]1337;MultipartFile=inline=1;width=2;height=1\a'
        printf '\e]1337;FilePart=BBBB\a\e]1337;FileEnd\a'; echo file; exec cat",
    );
    home.wait_capture(pane, "ready");
    let id = pane.to_string();
    let window = Outer::open(&home, (80, 24), ["attach", &id]);
    window.wait_for("ready");
    home.abide(["send", &id, "--enter", "go"]).ok();
    until("the picture of kitty's", || {
        has(&window, "a=T,c=2,r=1,f=24,s=1,v=1,m=1;AA").then_some(())
    });
    until("the file", || {
        has(&window, "1337;File=inline=1;width=2;height=1;").then_some(())
    });
    let text = window.wait_for("file");
    assert!(
        text.contains("placed") && !text.contains("AA") && !text.contains("1337"),
        "{text}"
    );
    // The program's name stays in its pane.
    assert!(!has(&window, "i=7,") && !has(&window, "FilePart"));
    let status = home.abide(["status", "--json"]).json();
    assert_eq!(status["panes"][0]["pictures"], 2);
    let later = Outer::open(&home, (80, 24), ["attach", &id]);
    later.wait_for("placed");
    assert!(!has(&later, "a=T") && !has(&later, "1337;File"));
}
