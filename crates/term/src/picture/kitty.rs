//! kitty's graphics protocol: what one string of it asks for. In: an APC's data and what is known of
//! earlier ones (`Images`, a part of the `Album`); out: heads. Promises: what is known is bounded; a
//! picture's size is known to the host as to every viewer, so that their cursors move alike.
//!
//! Source: kitty's graphics page (transmitting, displaying, deleting, animation, placeholders).

use super::{Cells, Fields, Head, Moves, Part, PictureKind, cells, image, kitty_parts, scaled};

/// Most pictures whose size is kept to place them later; the oldest go first.
const MOST_KNOWN: usize = 256;

/// Which picture: its id (`i`), or its number (`I`), and the placement (`p`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) id: u32,
    pub(crate) number: u32,
    pub(crate) placement: u32,
}

impl Name {
    fn of(keys: &Fields<'_>) -> Self {
        let number = |key: &[u8]| keys.number(key).unwrap_or(0);
        Self {
            id: number(b"i"),
            number: number(b"I"),
            placement: number(b"p"),
        }
    }

    /// Whether it names anything.
    pub(crate) fn any(self) -> bool {
        self.id != 0 || self.number != 0
    }

    /// Whether it is the one with this id and number.
    pub(crate) fn is(self, id: u32, number: u32) -> bool {
        if self.id == 0 {
            self.number != 0 && self.number == number
        } else {
            self.id == id
        }
    }
}

/// How a picture is to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// Keys that say so (`,c=2,r=1`).
    pub(crate) keys: Vec<u8>,
    /// It is shown wherever characters stand for it (`U=1`).
    pub(crate) by_text: bool,
    /// The cells it takes, if that can be told.
    pub(crate) cells: Option<Cells>,
    /// Over or below others (`z`).
    pub(crate) z: i32,
}

/// What is to be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delete {
    /// The small letter of `d`.
    pub(crate) what: u8,
    /// Pictures themselves too, not only where they are shown.
    pub(crate) frees: bool,
    pub(crate) name: Name,
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) z: i32,
}

/// What a viewer does about a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Nothing: it is a later part, or something that is of no use elsewhere.
    Nothing,
    /// Shows what viewers cannot get at (files, shared memory).
    Elsewhere,
    /// Shows the picture it carries, and keeps it if it has a name.
    Shows(Name, Place),
    /// Keeps the picture it carries.
    Keeps(Name),
    /// Shows one that was kept.
    Places(Name, Place),
    /// Adds a frame to one.
    Frame(Name),
    /// Plays it, or changes a frame.
    Plays(Name, Vec<u8>),
    /// Takes pictures away.
    Deletes(Delete),
}

/// A picture that may be placed later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) id: u32,
    pub(crate) number: u32,
    /// In pixels, if that could be told.
    pub(crate) size: Option<(u32, u32)>,
    /// It was shown.
    pub(crate) shown: bool,
}

/// A transmission of which more strings are to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Open {
    /// Known once it is whole.
    pub(crate) known: Known,
    /// It counts as a picture.
    pub(crate) counts: bool,
    /// A frame of an animation.
    pub(crate) frame: bool,
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Images {
    pub(crate) known: Vec<Known>,
    pub(crate) open: Option<Open>,
}

impl Images {
    /// Of what may come from anywhere.
    pub(crate) fn of(mut known: Vec<Known>, open: Option<Open>) -> Self {
        known.truncate(MOST_KNOWN);
        Self { known, open }
    }

    /// Takes a string; `None` if it is of no consequence (a query, the rest of something unknown).
    pub(crate) fn string(&mut self, data: &[u8], cell: (u16, u16)) -> Option<Head> {
        let (keys, payload) = kitty_parts(data)?;
        let keys = Fields(keys, b',');
        let more = keys.number(b"m") == Some(1);
        let action = keys.get(b"a");
        if action.is_none_or(|action| action == b"f") && goes_on(&keys) {
            return self.goes_on(more, action.is_some());
        }
        let name = Name::of(&keys);
        match action.unwrap_or(b"t") {
            b"T" => Some(self.begins(&keys, payload, cell, more, true)),
            b"t" => Some(self.begins(&keys, payload, cell, more, false)),
            b"p" => self.places(&keys, cell),
            b"f" => {
                self.open = more.then_some(Open {
                    frame: true,
                    ..Open::default()
                });
                let head = head(Act::Frame(name));
                Some(Head {
                    part: if more { Part::First } else { Part::Whole },
                    ..head
                })
            }
            b"a" | b"c" => Some(head(Act::Plays(name, passed(&keys, b"acrsvzxywhXYC")))),
            b"d" => Some(head(Act::Deletes(self.deletes(&keys)))),
            _ => None,
        }
    }

    /// A string that goes on with the last one.
    fn goes_on(&mut self, more: bool, frame: bool) -> Option<Head> {
        let open = self.open.filter(|open| open.frame || !frame)?;
        let mut head = head(Act::Nothing);
        head.part = Part::Later(!more);
        if !more {
            self.open = None;
            head.counts = open.counts;
            self.know(open.known);
        }
        Some(head)
    }

    /// A picture's first string, or its only one.
    fn begins(
        &mut self,
        keys: &Fields<'_>,
        payload: &[u8],
        cell: (u16, u16),
        more: bool,
        shows: bool,
    ) -> Head {
        let name = Name::of(keys);
        // Files and shared memory are those of one machine.
        let carried = keys.get(b"t").is_none_or(|medium| medium == b"d");
        let told = (keys.number(b"s"), keys.number(b"v"));
        let size = match told {
            (Some(w), Some(h)) => Some((w, h)),
            _ => image::size(payload).filter(|_| keys.number(b"f") == Some(100)),
        };
        let size = size.filter(|size| *size != (0, 0));
        let known = Known {
            id: name.id,
            number: name.number,
            size,
            shown: shows,
        };
        let known = if carried { known } else { Known::default() };
        let place = place(keys, size, cell);
        let mut head = head(match (carried, shows) {
            (false, false) => Act::Nothing,
            (false, true) => Act::Elsewhere,
            (true, true) => Act::Shows(name, place.clone()),
            (true, false) => Act::Keeps(name),
        });
        if shows && carried && !place.by_text {
            (head.cells, head.moves) = (place.cells, moves(keys));
        }
        if more {
            head.part = Part::First;
            self.open = Some(Open {
                known,
                counts: true,
                frame: false,
            });
        } else {
            head.counts = true;
            self.open = None;
            self.know(known);
        }
        head
    }

    /// A picture is whole and may be placed from now on.
    fn know(&mut self, known: Known) {
        if known.id == 0 && known.number == 0 {
            return;
        }
        self.known.retain(|old| known.id == 0 || old.id != known.id);
        if self.known.len() == MOST_KNOWN {
            self.known.remove(0);
        }
        self.known.push(known);
    }

    /// `a=p`: one that came before is shown.
    fn places(&mut self, keys: &Fields<'_>, cell: (u16, u16)) -> Option<Head> {
        let name = Name::of(keys);
        let mut newest = self.known.iter_mut().rev();
        let known = newest.find(|known| name.is(known.id, known.number))?;
        known.shown = true;
        let place = place(keys, known.size, cell);
        // One that is placed relative to another moves nothing, and where it is only kitty knows.
        let relative = keys.number(b"P").is_some_and(|parent| parent != 0);
        let cells = place.cells.filter(|_| !place.by_text && !relative);
        let mut head = head(if relative {
            Act::Elsewhere
        } else {
            Act::Places(name, place)
        });
        (head.cells, head.moves) = (cells, moves(keys));
        Some(head)
    }

    fn deletes(&mut self, keys: &Fields<'_>) -> Delete {
        let what = keys.get(b"d").and_then(|what| what.first()).copied();
        let what = what.unwrap_or(b'a');
        let number = |key: &[u8]| keys.number(key).unwrap_or(0);
        let delete = Delete {
            what: what.to_ascii_lowercase(),
            frees: what.is_ascii_uppercase(),
            name: Name::of(keys),
            x: number(b"x"),
            y: number(b"y"),
            z: signed(keys, b"z"),
        };
        if delete.frees {
            self.known.retain(|known| !delete.forgets(*known));
        }
        delete
    }
}

impl Delete {
    /// Whether this picture is not to be placed any more. Those that are shown in a certain place are
    /// kept: where that is only viewers know.
    fn forgets(&self, known: Known) -> bool {
        match self.what {
            b'a' => known.shown,
            b'i' | b'n' => self.name.placement == 0 && self.name.is(known.id, known.number),
            b'r' => (self.x..=self.y).contains(&known.id),
            _ => false,
        }
    }
}

fn head(act: Act) -> Head {
    Head {
        kind: PictureKind::Kitty,
        cells: None,
        moves: Moves::Stays,
        part: Part::Whole,
        counts: false,
        act,
    }
}

/// Later strings of a transmission have only these keys.
fn goes_on(keys: &Fields<'_>) -> bool {
    let only = keys.all().all(|(key, _)| matches!(key, b"m" | b"q" | b"a"));
    only && keys.get(b"m").is_some()
}

fn signed(keys: &Fields<'_>, key: &[u8]) -> i32 {
    let text = keys
        .get(key)
        .and_then(|text| std::str::from_utf8(text).ok());
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn moves(keys: &Fields<'_>) -> Moves {
    match keys.number(b"C") {
        Some(1) => Moves::Stays,
        _ => Moves::Beside,
    }
}

/// The cells it takes.
fn extent(keys: &Fields<'_>, size: Option<(u32, u32)>, cell: (u16, u16)) -> Option<Cells> {
    let part = (keys.number(b"w"), keys.number(b"h"));
    let pixels = match part {
        (Some(w), Some(h)) => Some((w, h)),
        _ => size,
    };
    match (keys.number(b"c"), keys.number(b"r")) {
        (Some(c), Some(r)) => cells((c, r), (1, 1)),
        (None, None) => cells(pixels?, cell),
        given => scaled(pixels?, given, cell),
    }
}

fn place(keys: &Fields<'_>, size: Option<(u32, u32)>, cell: (u16, u16)) -> Place {
    let by_text = keys.number(b"U") == Some(1);
    let cells = extent(keys, size, cell);
    let mut passed = passed(keys, if by_text { b"xywh" } else { b"xywhXYcrz" });
    if let Some((c, r)) = cells.filter(|_| by_text) {
        passed.extend_from_slice(format!(",c={c},r={r}").as_bytes());
    }
    Place {
        keys: passed,
        by_text,
        cells,
        z: signed(keys, b"z"),
    }
}

/// Keys of one letter that are passed on, if their values are numbers.
fn passed(keys: &Fields<'_>, letters: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (key, value) in keys.all() {
        let number = value.strip_prefix(b"-").unwrap_or(value);
        let sound =
            !number.is_empty() && number.len() <= 10 && number.iter().all(u8::is_ascii_digit);
        if let [letter] = key
            && letters.contains(letter)
            && (sound || *letter == b'a' && value.len() == 1 && value[0].is_ascii_alphabetic())
        {
            out.extend_from_slice(&[b',', *letter, b'=']);
            out.extend_from_slice(value);
        }
    }
    out
}
