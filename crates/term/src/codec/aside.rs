//! What a snapshot holds beside the screens: pens put aside, a notification and a file that came in
//! part, kitty's pictures by their names. In: plain data; out: sections, and back. What is read may come from anywhere: it is bounded.

use super::CodecError;
use super::reader::Reader;
use super::writer::Writer;
use crate::events::PartialNotice;
use crate::picture::kitty::{Known, Open};
use crate::picture::{Images, PartialFile};
use crate::sgr::stack::{Aside, Stack};

fn put_part(part: &[u8], out: &mut Writer) {
    out.count(part.len());
    out.raw(part);
}

fn part(value: &mut Reader<'_>) -> Result<Vec<u8>, CodecError> {
    let len = value.count()?;
    value.raw(len).map(<[u8]>::to_vec)
}

pub(super) fn put_notice(notice: &PartialNotice, out: &mut Writer) {
    for part in [&notice.id, &notice.title, &notice.body] {
        put_part(part, out);
    }
}

pub(super) fn take_notice(value: &mut Reader<'_>) -> Result<PartialNotice, CodecError> {
    let notice = PartialNotice {
        id: part(value)?,
        title: part(value)?,
        body: part(value)?,
    };
    Ok(notice.bounded())
}

pub(super) fn put_pens(pens: &Stack, out: &mut Writer) {
    for aside in pens.entries() {
        out.u32(aside.parts);
        out.style(&aside.pen);
    }
}

pub(super) fn take_pens(value: &mut Reader<'_>) -> Result<Stack, CodecError> {
    let mut pens = Vec::new();
    while !value.is_empty() {
        let parts = value.u32()?;
        let pen = value.style()?;
        pens.push(Aside { pen, parts });
    }
    Ok(Stack::of(pens))
}

pub(super) fn put_file(file: &PartialFile, out: &mut Writer) {
    put_part(&file.args, out);
    put_part(&file.data, out);
    out.bool(file.cut);
}

pub(super) fn take_file(value: &mut Reader<'_>) -> Result<PartialFile, CodecError> {
    let file = PartialFile {
        args: part(value)?,
        data: part(value)?,
        cut: value.bool()?,
    };
    Ok(file.bounded())
}

fn put_known(known: &Known, out: &mut Writer) {
    out.u32(known.id);
    out.u32(known.number);
    out.bool(known.shown);
    let (width, height) = known.size.unwrap_or_default();
    out.u32(width);
    out.u32(height);
}

fn take_known(value: &mut Reader<'_>) -> Result<Known, CodecError> {
    Ok(Known {
        id: value.u32()?,
        number: value.u32()?,
        shown: value.bool()?,
        size: Some((value.u32()?, value.u32()?)).filter(|size| *size != (0, 0)),
    })
}

/// What is coming in parts, if anything is; then all that came.
pub(super) fn put_images(images: &Images, out: &mut Writer) {
    out.bool(images.open.is_some());
    if let Some(open) = &images.open {
        put_known(&open.known, out);
        out.bool(open.counts);
        out.bool(open.frame);
    }
    images.known.iter().for_each(|known| put_known(known, out));
}

pub(super) fn take_images(value: &mut Reader<'_>) -> Result<Images, CodecError> {
    let open = if value.bool()? {
        Some(Open {
            known: take_known(value)?,
            counts: value.bool()?,
            frame: value.bool()?,
        })
    } else {
        None
    };
    let mut known = Vec::new();
    while !value.is_empty() {
        known.push(take_known(value)?);
    }
    Ok(Images::of(known, open))
}
