//! What later strings may go on from: a file of which parts came, kitty's pictures by their names. In:
//! pieces of strings; out: heads of pictures. Plain data, part of a snapshot, the same in the host and
//! in every viewer. Promises: bounded; what a snapshot holds of a file is its beginning, which tells its
//! size, and of kitty's pictures no more than that.

use super::{Cells, Head, Images, shown_file};

/// Most bytes of a file's arguments.
const MOST_ARGS: usize = 4 * 1024;
/// Base64 of a file that a snapshot holds; it tells the size of all but odd JPEGs.
const KEPT: usize = 16 * 1024;

/// A string of iTerm2's files in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'a> {
    /// `MultipartFile`: one begins, with these arguments.
    Begins(&'a [u8]),
    /// `FilePart`: base64.
    Goes(&'a [u8]),
    /// `FileEnd`.
    Ends,
}

fn part(payload: &[u8]) -> Option<Part<'_>> {
    let body = payload.strip_prefix(b"1337;")?;
    if body == b"FileEnd" {
        return Some(Part::Ends);
    }
    if let Some(args) = body.strip_prefix(b"MultipartFile=") {
        return Some(Part::Begins(args));
    }
    body.strip_prefix(b"FilePart=").map(Part::Goes)
}

/// A file of which parts came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartialFile {
    /// Its arguments.
    pub(crate) args: Vec<u8>,
    /// Base64, or the beginning of it.
    pub(crate) data: Vec<u8>,
    /// More came than is kept.
    pub(crate) cut: bool,
}

impl PartialFile {
    /// One whose fields may come from anywhere.
    pub(crate) fn bounded(mut self) -> Self {
        self.args.truncate(MOST_ARGS);
        self.cut |= self.data.len() > KEPT;
        self.data.truncate(KEPT);
        self
    }

    fn put(&mut self, data: &[u8], limit: usize) {
        if self.cut {
            return;
        }
        let most = limit.max(KEPT);
        let room = most.saturating_sub(self.data.len());
        self.data.extend_from_slice(&data[..data.len().min(room)]);
        if data.len() > room {
            self.cut = true;
            self.data.truncate(KEPT);
            self.data.shrink_to_fit();
        }
    }
}

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Album {
    /// The file that is coming.
    pub(crate) file: Option<PartialFile>,
    /// kitty's pictures.
    pub(crate) images: Images,
}

/// What a string of a file in parts came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The picture, if it is one to be shown.
    pub(crate) head: Option<Head>,
    /// The same as one string (`1337;File=`), if all of it is here.
    pub(crate) payload: Option<Vec<u8>>,
}

impl Album {
    /// As a snapshot holds it.
    #[must_use]
    pub(crate) fn kept(&self) -> Self {
        Self {
            images: self.images.clone(),
            file: self.file.as_ref().map(|file| PartialFile {
                args: file.args.clone(),
                data: file.data[..file.data.len().min(KEPT)].to_vec(),
                cut: file.cut || file.data.len() > KEPT,
            }),
        }
    }

    /// Takes an OSC; `None` if it is no part of a file. A viewer keeps up to `limit` bytes of it,
    /// with 0 only the beginning is kept.
    pub(crate) fn osc(
        &mut self,
        payload: &[u8],
        limit: usize,
        cell: (u16, u16),
        screen: Cells,
    ) -> Option<Option<Ended>> {
        match part(payload)? {
            Part::Begins(args) => {
                let args = if args.len() > MOST_ARGS { &[] } else { args };
                self.file = Some(PartialFile {
                    args: args.to_vec(),
                    ..PartialFile::default()
                });
            }
            Part::Goes(data) => {
                if let Some(file) = &mut self.file {
                    file.put(data, limit);
                }
            }
            Part::Ends => {
                return Some(
                    self.file
                        .take()
                        .map(|file| ended(file, limit, cell, screen)),
                );
            }
        }
        Some(None)
    }
}

fn ended(file: PartialFile, limit: usize, cell: (u16, u16), screen: Cells) -> Ended {
    let looked_at = &file.data[..file.data.len().min(KEPT)];
    let head = shown_file(&file.args, looked_at, cell, screen);
    let whole = limit > 0 && !file.cut && head.is_some();
    let payload = whole.then(|| [b"1337;File=", &file.args[..], b":", &file.data].concat());
    Ended { head, payload }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(limit: usize, strings: &[&str]) -> (Album, Option<Ended>) {
        let mut album = Album::default();
        let mut last = None;
        for string in strings {
            last = album
                .osc(string.as_bytes(), limit, (10, 20), (80, 24))
                .unwrap();
        }
        (album, last)
    }

    #[test]
    fn parts_make_one_file() {
        let args = "1337;MultipartFile=inline=1;width=2;height=1";
        for (limit, strings, cells, payload) in [
            (
                100,
                &[args, "1337;FilePart=AA", "1337;FilePart=BB", "1337;FileEnd"][..],
                Some((2, 1)),
                Some("1337;File=inline=1;width=2;height=1:AABB"),
            ),
            (
                0,
                &[args, "1337;FilePart=AA", "1337;FileEnd"],
                Some((2, 1)),
                None,
            ),
            (
                100,
                &[args, "1337;FileEnd"],
                Some((2, 1)),
                Some("1337;File=inline=1;width=2;height=1:"),
            ),
            // A new one takes the place of one that never ended.
            (
                100,
                &[
                    "1337;MultipartFile=inline=1",
                    "1337;FilePart=X",
                    args,
                    "1337;FilePart=A",
                    "1337;FileEnd",
                ],
                Some((2, 1)),
                Some("1337;File=inline=1;width=2;height=1:A"),
            ),
            // A download is no picture, and without a beginning there is nothing.
            (
                100,
                &[
                    "1337;MultipartFile=name=eA==",
                    "1337;FilePart=AA",
                    "1337;FileEnd",
                ],
                None,
                None,
            ),
            (100, &["1337;FilePart=AA", "1337;FileEnd"], None, None),
        ] {
            let (album, ended) = fed(limit, strings);
            let head = ended.as_ref().and_then(|ended| ended.head.clone());
            assert_eq!(head.and_then(|head| head.cells), cells, "{strings:?}");
            let got = ended.and_then(|ended| ended.payload);
            assert_eq!(got.as_deref(), payload.map(str::as_bytes), "{strings:?}");
            assert_eq!(album, Album::default());
        }
        let mut album = Album::default();
        assert_eq!(album.osc(b"1337;SetMark", 9, (1, 1), (1, 1)), None);
    }

    #[test]
    fn it_is_bounded_and_a_snapshot_tells_the_same() {
        let part = format!("1337;FilePart={}", "A".repeat(30_000));
        for limit in [0, 40_000, 100_000] {
            let (mut album, _) = fed(limit, &["1337;MultipartFile=inline=1;width=1;height=1"]);
            for _ in 0..10 {
                album.osc(part.as_bytes(), limit, (10, 20), (80, 24));
                let held = album.file.as_ref().map_or(0, |file| file.data.len());
                assert!(held <= limit.max(KEPT), "{held} of {limit}");
            }
            let kept = album.kept().file.unwrap();
            assert_eq!((kept.data.len(), kept.cut), (KEPT, true));
            let ended = album.osc(b"1337;FileEnd", limit, (10, 20), (80, 24));
            let ended = ended.flatten().unwrap();
            assert_eq!(ended.payload, None, "not all of it is here");
            assert_eq!(ended.head.and_then(|head| head.cells), Some((1, 1)));
        }
        let long = format!("1337;MultipartFile=inline=1;name={}", "x".repeat(MOST_ARGS));
        let (_, ended) = fed(9, &[&long, "1337;FileEnd"]);
        assert_eq!(ended.unwrap().head, None);
    }
}
