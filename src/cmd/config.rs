//! `abide config`: settings.

mod pane;

use crate::cmd::Ctx;
use crate::config::{self, Config, ConfigError, KEYS};
use crate::failure::Failure;
use crate::words;
use serde_json::{Map, json};

const EXAMPLES: &str = "\
Examples:
  abide config get                            every setting with its value
  abide config get terminal.scrollback_lines
  abide config set client.mouse false
  abide config set env.links SSH_AUTH_SOCK,WAYLAND_DISPLAY
  abide config set --pane p3 restore.start never
  abide config check && $EDITOR \"$(abide config path)\"";

const GET: &str = "\
Examples:
  abide config get                            every setting with its value
  abide config get terminal.scrollback_lines
  abide config get --pane p3                  what this pane has of its own
  abide config get --json | jq '.\"host.idle_exit\"'";

const SET: &str = "\
Examples:
  abide config set client.mouse false
  abide config set host.idle_exit 600         counts from the host's next start
  abide config set env.links SSH_AUTH_SOCK,WAYLAND_DISPLAY
  abide config set --pane p3 restore.start never        this pane is not brought back by itself
  abide config set --pane p3 restore.start default      as all others again";

const PATH: &str = "\
Examples:
  $EDITOR \"$(abide config path)\"";

const CHECK: &str = "\
Examples:
  abide config check                          after editing the file
  abide config check --json | jq .unknown";

/// The words of `abide config`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Print a setting, or all of them.
    #[command(after_help = GET)]
    Get {
        /// Its dotted name.
        key: Option<String>,
        /// Of this pane alone: `restore.start`, `restore.continue`.
        #[arg(long)]
        pane: Option<String>,
    },
    /// Change a setting; comments in the file stay.
    #[command(after_help = SET)]
    Set {
        /// Its dotted name.
        key: String,
        /// Its new value; a list is comma separated.
        #[arg(allow_hyphen_values = true)]
        value: String,
        /// For this pane alone: `restore.start`, `restore.continue`; `default` follows the file again.
        #[arg(long)]
        pane: Option<String>,
    },
    /// Print the file's path.
    #[command(after_help = PATH)]
    Path,
    /// Read the file and tell what is wrong with it.
    #[command(after_help = CHECK)]
    Check,
}

/// Does it.
///
/// # Errors
/// The file cannot be used, or there is no such setting.
pub fn run(ctx: &Ctx, args: Args) -> Result<(), Failure> {
    let path = ctx.places.config_file();
    match args.what {
        What::Get {
            key,
            pane: Some(pane),
        } => pane::get(ctx, &pane, key.as_deref()),
        What::Get { key: None, .. } => all(ctx),
        What::Get { key: Some(key), .. } => {
            let config = ctx.config()?;
            let value = config
                .get(&key)
                .ok_or_else(|| ConfigError::NoKey(key.clone()))?;
            ctx.out.either(
                || json!({ "key": key, "value": value.to_json() }),
                || value.to_string(),
            )
        }
        What::Set {
            key,
            value,
            pane: Some(pane),
        } => pane::set(ctx, &pane, &key, &value),
        What::Set { key, value, .. } => set(ctx, &key, &value),
        What::Path => {
            let shown = path.display().to_string();
            ctx.out
                .either(|| json!({ "path": shown }), || shown.clone())
        }
        What::Check => {
            let config = ctx.config()?;
            let missing = config.missing_programs();
            if !missing.is_empty() {
                let text = format!("{}: {}", path.display(), missing.join("; "));
                return Err(Failure::new(text));
            }
            ctx.out.either(
                || json!({ "path": path.display().to_string(), "unknown": config.unknown }),
                || {
                    format!(
                        "{}: good, {}",
                        path.display(),
                        words::count(config.unknown.len(), "unknown key")
                    )
                },
            )
        }
    }
}

fn all(ctx: &Ctx) -> Result<(), Failure> {
    let config = ctx.config()?;
    if ctx.out.json {
        let pairs = config
            .all()
            .map(|(key, value)| (key.name.to_owned(), value.to_json()));
        return ctx.out.json(&pairs.collect::<Map<_, _>>().into());
    }
    let row = |(key, value): (&config::Key, &config::Value)| {
        vec![
            key.name.to_owned(),
            format!("= {value}"),
            format!("# {}", key.about),
        ]
    };
    ctx.out
        .line(&words::table(&config.all().map(row).collect::<Vec<_>>()))
}

/// A setting of the host counts from its next start, which only a host that lives puts off.
fn tell_host(ctx: &Ctx) {
    if !matches!(link::probe(&ctx.places), link::Mode::None { .. }) {
        crate::out::say("a running host keeps its settings until it is started again");
    }
}

/// Writes a setting.
///
/// # Errors
/// The value is not allowed, or the file cannot be used.
pub fn change(ctx: &Ctx, key: &str, value: &str) -> Result<Config, Failure> {
    let path = ctx.places.config_file();
    let text = config::read(&path)?;
    let new = config::with_value(&text, &path, key, value)?;
    // What is written can be read again.
    let config = Config::parse(&new, &path)?;
    let about = format!("`{key}` ");
    let missing = config.missing_programs();
    if let Some(why) = missing.into_iter().find(|it| it.starts_with(&about)) {
        return Err(Failure::new(format!("{why}; nothing was changed")));
    }
    sys::files::private_dir(&ctx.places.config)?;
    sys::files::write_atomic(&path, new.as_bytes())?;
    Ok(config)
}

fn set(ctx: &Ctx, key: &str, value: &str) -> Result<(), Failure> {
    let config = change(ctx, key, value)?;
    if ["vault.", "restore.", "notify."]
        .iter()
        .any(|it| key.starts_with(it))
    {
        // A keeper that runs takes over what it can without being started again.
        crate::bring::poke_any(ctx);
    }
    if KEYS
        .iter()
        .any(|it| it.name == key && it.name.starts_with("host."))
    {
        tell_host(ctx);
    }
    if ctx.out.json {
        let value = config.get(key).map(config::Value::to_json);
        return ctx.out.json(&json!({ "key": key, "value": value }));
    }
    Ok(())
}
