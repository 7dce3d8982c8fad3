//! Every tag comes back from its text, and nothing else is taken for one.

use super::*;
use proptest::prelude::*;

const SAMPLE: &str =
    "1/00000000000000ff/0123456789abcdef0123456789abcdef/4026531836/41:777,7:18446744073709551615";

fn sample() -> Tag {
    Tag {
        place: Place {
            state: 0xff,
            boot: 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef,
            namespace: 4_026_531_836,
        },
        links: vec![
            Identity {
                pid: 41,
                start: 777,
            },
            Identity {
                pid: 7,
                start: u64::MAX,
            },
        ],
    }
}

/// Processes of an older build are found by a newer one: this text does not change.
#[test]
fn a_tag_is_this_text() {
    assert_eq!(sample().text(), SAMPLE);
    assert_eq!(Tag::read(SAMPLE.as_bytes()), Some(sample()));
    assert_eq!(fnv1a(b"/home/me/.local/state/abide"), 0x19e2_8d35_6ad1_2000);
    assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
}

#[test]
fn what_is_not_exactly_a_tag_is_none() {
    let place = "1/00000000000000ff/0123456789abcdef0123456789abcdef/5/";
    for bad in [
        "",
        "1",
        "/",
        "1////",
        place,
        &format!("2{}41:7", &place[1..]),
        &format!("{place}41"),
        &format!("{place}41:"),
        &format!("{place}:7"),
        &format!("{place}41:7,"),
        &format!("{place},41:7"),
        &format!("{place}41:7/"),
        &format!("{place}41:7 "),
        &format!("{place}+41:7"),
        &format!("{place}041:7"),
        &format!("{place}-1:7"),
        &format!("{place}0:7"),
        &format!("{place}2147483648:7"),
        &format!("{place}41:18446744073709551616"),
        &SAMPLE.replace("ff/", "FF/"),
        &SAMPLE.replace("ff/", "f/"),
        &SAMPLE.replace("4026531836", "04"),
        &SAMPLE.replace("4026531836", ""),
        &format!("{place}{}", ["1:1"; LINKS + 1].join(",")),
    ] {
        assert_eq!(Tag::read(bad.as_bytes()), None, "{bad}");
    }
    assert_eq!(Tag::read(b"1/\xff"), None);
}

#[test]
fn a_reaper_is_put_in_front_and_the_outermost_drops_out() {
    let me = Identity { pid: 99, start: 5 };
    let place = sample().place;
    let inner = |head: &str| within(OsStr::new(head), me).map(|it| it.into_string().unwrap());
    let alone = inner(&Tag::head(place, None)).unwrap();
    assert_eq!(Tag::read(alone.as_bytes()).unwrap().links, [me]);
    let mut all = std::ffi::OsString::from(SAMPLE);
    for round in 0..20 {
        all = within(OsStr::new(&Tag::head(place, Some(&all))), me).unwrap();
        let links = Tag::read(sys::text::bytes(&all)).unwrap().links;
        assert_eq!(links.len(), LINKS.min(round + 3));
        assert_eq!(links[0], me);
    }
    for bad in ["", "x", "1/2/3", "1/2/3/4/", "1/a/b/c/d/e"] {
        assert_eq!(inner(bad), None, "{bad}");
    }
}

/// A tag of another instance, boot or namespace says nothing here.
#[test]
fn only_links_of_the_same_place_are_inherited() {
    let here = sample().place;
    let mut other = here;
    other.namespace += 1;
    assert!(Tag::head(here, Some(OsStr::new(SAMPLE))).ends_with("/41:777,7:18446744073709551615"));
    for (place, inherited) in [(other, SAMPLE), (here, "rubbish"), (here, "")] {
        assert!(Tag::head(place, Some(OsStr::new(inherited))).ends_with('/'));
    }
}

proptest! {
    #[test]
    fn any_tag_comes_back(
        state: u64, boot: u128, namespace: u64,
        links in prop::collection::vec((1..i32::MAX, any::<u64>()), 1..=LINKS),
    ) {
        let links = links.into_iter().map(|(pid, start)| Identity { pid, start }).collect();
        let tag = Tag { place: Place { state, boot, namespace }, links };
        let text = tag.text();
        prop_assert!(text.len() <= LONGEST);
        prop_assert_eq!(Tag::read(text.as_bytes()), Some(tag));
    }

    /// Whatever is read is written back byte for byte: there is one text for each tag.
    #[test]
    fn rubbish_is_none_or_its_own_text(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Some(tag) = Tag::read(&bytes) {
            prop_assert_eq!(tag.text().into_bytes(), bytes);
        }
    }

    #[test]
    fn a_changed_tag_is_none_or_its_own_text(at in 0..SAMPLE.len(), byte: u8, cut: bool) {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        bytes[at] = byte;
        if cut {
            bytes.truncate(at);
        }
        if let Some(tag) = Tag::read(&bytes) {
            prop_assert_eq!(tag.text().into_bytes(), bytes);
        }
    }
}
