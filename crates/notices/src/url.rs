//! A webhook's address, taken apart.
//!
//! Promises: only `http` and `https`, with a host and without a user's name or password; what is shown to
//! people leaves out path and query, in which webhooks have their secrets.

use std::fmt;

/// See the module.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    /// `https`.
    pub secure: bool,
    /// Name or address; that of IPv6 without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Path and query, beginning with `/`.
    pub path: String,
}

impl Url {
    /// Takes an address apart; `None` when it is not of this form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let sound = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '<' | '>' | '#');
        if !rest.chars().all(sound) {
            return None;
        }
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (host, port) = split_port(authority)?;
        let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ':' | '%');
        if host.is_empty() || !host.chars().all(named) {
            return None;
        }
        let port = match port {
            Some(port) => port.parse().ok().filter(|port| *port > 0)?,
            None if secure => 443,
            None => 80,
        };
        let path = match path {
            "" => "/".to_owned(),
            path if path.starts_with('?') => format!("/{path}"),
            path => path.to_owned(),
        };
        Some(Self {
            secure,
            host: host.to_owned(),
            port,
            path,
        })
    }

    /// Host and port as a request's `Host` line names them.
    #[must_use]
    pub fn authority(&self) -> String {
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => self.host.clone(),
        };
        match (self.secure, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    /// The whole address, which may hold a secret.
    #[must_use]
    pub fn whole(&self) -> String {
        format!("{self}{}", self.path)
    }
}

/// Host and port; the host of IPv6 stands in brackets.
fn split_port(authority: &str) -> Option<(&str, Option<&str>)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (host, rest) = rest.split_once(']')?;
        return match rest {
            "" => Some((host, None)),
            rest => Some((host, Some(rest.strip_prefix(':')?))),
        };
    }
    match authority.split_once(':') {
        Some((host, port)) if !port.contains(':') => Some((host, Some(port))),
        Some(_) => None,
        None => Some((authority, None)),
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority())
    }
}

/// As shown: the secret part stays out of logs.
impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, want) in [
            ("http://localhost", Some(("localhost", 80, "/"))),
            ("HTTP://a.b:8080/x?y=z", Some(("a.b", 8080, "/x?y=z"))),
            (
                "https://hooks.example/T0/B1",
                Some(("hooks.example", 443, "/T0/B1")),
            ),
            ("https://x?token=1", Some(("x", 443, "/?token=1"))),
            ("http://[::1]:99/", Some(("::1", 99, "/"))),
            ("http://[::1]", Some(("::1", 80, "/"))),
            ("http://[::1", None),
            ("http://::1/", None),
            ("http://", None),
            ("http:///x", None),
            ("http://a:0/", None),
            ("http://a:99999/", None),
            ("http://a:b/", None),
            ("http://me:secret@a/", None),
            ("http://a/b c", None),
            ("http://a/\"x", None),
            ("http://a/\r\nX: y", None),
            ("http://a\u{e9}/", None),
            ("ftp://a/", None),
            ("a.b/c", None),
            ("", None),
        ] {
            let url = Url::parse(text);
            let got = url
                .as_ref()
                .map(|it| (it.host.as_str(), it.port, it.path.as_str()));
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn what_is_shown_holds_no_secret() {
        let url = Url::parse("https://hooks.example:8443/T0/secret?k=secret").unwrap();
        assert_eq!(url.to_string(), "https://hooks.example:8443");
        assert_eq!(format!("{url:?}"), url.to_string());
        assert_eq!(url.whole(), "https://hooks.example:8443/T0/secret?k=secret");
        assert_eq!(
            Url::parse("http://[::1]:80/x").unwrap().to_string(),
            "http://[::1]"
        );
    }
}
