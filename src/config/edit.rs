//! Changing one setting in the file's text. Pure. Comments, order and everything else stay.

use super::{ConfigError, KEYS, Value, parse_document};
use std::path::Path;
use toml_edit::{Array, Item, Table};

/// `text` with the setting `name` at `word`.
///
/// # Errors
/// [`ConfigError`]: the text is no TOML, there is no such setting, or the word is not allowed.
pub fn with_value(text: &str, path: &Path, name: &str, word: &str) -> Result<String, ConfigError> {
    let key = KEYS.iter().find(|key| key.name == name);
    let key = key.ok_or_else(|| ConfigError::NoKey(name.to_owned()))?;
    let value = key.kind.read_word(word).ok_or_else(|| ConfigError::Value {
        path: path.to_owned(),
        key: key.name,
        found: format!("`{word}`"),
        allowed: key.kind.allowed(),
    })?;
    let mut document = parse_document(text, path)?;
    let (section, leaf) = name.split_once('.').unwrap_or(("", name));
    let table = document
        .entry(section)
        .or_insert_with(|| Item::Table(Table::new()));
    let Some(table) = table.as_table_like_mut() else {
        return Err(ConfigError::Syntax {
            path: path.to_owned(),
            why: format!("`{section}` is not a section"),
        });
    };
    let mut new = to_toml(&value);
    if let Some(old) = table.get(leaf).and_then(Item::as_value) {
        // A comment behind the value belongs to the line, not to the value.
        *new.decor_mut() = old.decor().clone();
    }
    table.insert(leaf, Item::Value(new));
    Ok(document.to_string())
}

fn to_toml(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(on) => (*on).into(),
        Value::Int(n) => (*n).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(names) => names.iter().map(String::as_str).collect::<Array>().into(),
    }
}
