"""Passwords on command lines, where no key names them: `curl -u user:…`, `mysql -p…`, `sshpass -p …`, `docker login -p …`."""

from __future__ import annotations

import re

from diarist.stages.redact.shape import is_elided, is_filler, is_template, surprise
from diarist.stages.redact.spans import Span
from diarist.stages.redact.triggers import Confirm, Trigger
from diarist.stages.redact.vocabulary import is_example, is_vocabulary
from diarist.text.lazy import lazy

_LINE = 600
_VALUE = rb"(?:\\*(?P<quote>[\"'])(?P<quoted>(?:(?!(?P=quote))[^\n\\]){1,200})|(?P<bare>[^\s\"'\\;|&<>()][^\s\"'\\;|&<>()]{0,200}))"
_USER = lazy(
    rb"(?P<open>\\*[\"'])?(?P<user>[^\s\"':\\]{0,100})\\*[\"']?:\\*[\"']?(?P<bare>[^\s\"'\\][^\"'\\\n]{0,200}?)(?=(?(open)\\*[\"']|(?:[\s\"';|&)\\]|\Z)))"
)


def _rule(names: bytes, options: bytes) -> re.Pattern[bytes]:
    return lazy(names + rb"(?P<between>[^\n;|]{0,400}?)" + options + _VALUE)


_RULES: tuple[tuple[bytes, re.Pattern[bytes]], ...] = (
    (b"mysql", _rule(rb"mysql\w*", rb"[ ]-p(?![ =])")),
    (b"mariadb", _rule(rb"mariadb[\w-]*", rb"[ ]-p(?![ =])")),
    (b"sshpass", _rule(rb"sshpass", rb"[ ]-p[ ]?")),
    (b"redis-cli", _rule(rb"redis-cli", rb"[ ](?:-a|--pass)[ =]")),
    (b" login", _rule(rb" login", rb"[ ]-p[ =]")),
    (b"mongo", _rule(rb"mongo\w*", rb"[ ]-p[ =]")),
    (b"htpasswd", _rule(rb"htpasswd", rb"[ ]-\w*b\w*[ ](?:-\w+[ ])*(?:[^\s-]\S*[ ])?[\w.@-]+[ ]")),
    (b"ldap", _rule(rb"ldap(?:search|modify|add|whoami|delete|passwd)", rb"[ ]-w[ ]?")),
    (b"sqlcmd", _rule(rb"sqlcmd", rb"[ ]-P[ ]?")),
    (b"smbclient", _rule(rb"smbclient", rb"[ ](?:-U|--user)[ =][\w.\\/-]+%")),
    (b"mosquitto_", _rule(rb"mosquitto_\w+", rb"[ ]-P[ ]")),
    (b"rabbitmqctl", _rule(rb"rabbitmqctl", rb"[ ](?:add_user|change_password|authenticate_user)[ ]\S+[ ]")),
    (b"sqlplus ", lazy(rb"sqlplus[ ](?:-\w+[ ]){0,4}[\"']?\w{1,60}/(?P<quote>)(?P<quoted>[^@\s\"'/$]{3,100})@(?P<bare>)")),
    (b"openssl", _rule(rb"openssl", rb"pass:")),
    (b"-pass", _rule(rb"-pass(?:in|out|word)?", rb"[ =]pass:")),
    (b"zip ", _rule(rb"zip", rb"[ ]-P[ ]")),
    (b"7z ", _rule(rb"\b7z[ ]?", rb"[ ]-p(?![ =])")),
    (b"net use", _rule(rb"net use", rb"/user:\S+[ ]")),
    (b"from-literal", _rule(rb"from-literal", rb"[= ][\"']?[\w.-]+=")),
    (b"vault login", _rule(rb"vault login", rb"[ ](?!-)")),
    (b"identified by", lazy(rb"identified by[ ](?:password[ ])?(?=\\*')" + _VALUE)),
    (b"IDENTIFIED BY", lazy(rb"IDENTIFIED BY[ ](?:PASSWORD[ ])?(?=\\*[\"'])" + _VALUE)),
)
_PIPED = (b"chpasswd", b"sudo -S", b"password-stdin")
_ECHOED = lazy(rb"(?:echo|printf)[ ](?:-n[ ])?" + _VALUE + rb"\\*[\"']?[ ]*\|[^|\n]{0,160}\Z")


def triggers() -> list[Trigger]:
    """At the names of commands, and at `-u user:` and `--user user:`."""
    named = [Trigger(name, _confirm_of(len(name), rule)) for name, rule in _RULES]
    piped = [Trigger(name, _piped) for name in _PIPED]
    pair = Trigger(rb"(?:basic_?auth|auth=|login)\([\"']", _credentials, literal=False, caseless=True, needs=(b"auth", b"login("))
    user = Trigger(
        rb"-(?:[A-Za-z]*[uU]|-user|-proxy-user|-auth|a)[ =]*\\*[\"']?[^\s\"':\\]{0,100}\\*[\"']?:", _user, literal=False, needs=(b"-",)
    )
    return [*named, *piped, pair, user]


def _confirm_of(size: int, rule: re.Pattern[bytes]) -> Confirm:
    def confirm(data: bytes, end: int) -> Span | None:
        match = rule.match(data, end - size, end + _LINE)
        return _span(match, end - size) if match is not None else None

    return confirm


def _span(match: re.Match[bytes], origin: int, group: str = "") -> Span | None:
    group = group or ("quoted" if match["quoted"] is not None else "bare")
    value = match[group]
    if len(value) < 3 or value.startswith((b"-", b"[REDACTED:", b"/dev/")) or _is_shown(value):
        return None
    return Span(match.start(group), match.end(group), "command-password", "password", rank=2, origin=origin)


def _is_shown(value: bytes) -> bool:
    return is_template(value) or value.startswith(b"$") or is_elided(value) or is_example(value) or is_filler(value) or is_vocabulary(value)


def _piped(data: bytes, end: int) -> Span | None:
    low = max(0, end - 400)
    match = _ECHOED.search(data, low, end)
    return _span(match, match.start()) if match is not None else None


_CREDENTIALS = lazy(rb"[\"'][^\"'\n]{1,80}[\"'],[ ]*[\"'](?P<quoted>[^\"'\n]{3,200})[\"']")


def _credentials(data: bytes, end: int) -> Span | None:
    """`HTTPBasicAuth("user", "…")`, `auth=("user", "…")`, `login("user", "…")`."""
    match = _CREDENTIALS.match(data, end - 1)
    if match is None or match["quoted"].isalpha():
        return None
    return _span(match, end, "quoted")


_ALONE = lazy(rb"\\*[\"']?(?P<user>[^\s\"':\\]{8,200}):\\*[\"']?(?=[\s\"']|\Z)")
_TOOLS = lazy(rb"(?:curl|wget|http|https|xh|aria2c|lftp|ab|hey|wrk|svn|cadaver|webdav|sftp|nc)\b")
_OPTION = lazy(rb"-{1,2}(?:proxy-user|user|auth|[A-Za-z]{0,5}[uU]|a)[ =]*(?P<user>\\*[\"']?[^\s\"':\\]{0,100}\\*[\"']?:)")


def _option_before(data: bytes, end: int) -> re.Match[bytes] | None:
    """The option whose value's colon ends at `end`."""
    low = max(0, end - 130)
    at = end
    for _ in range(4):
        at = data.rfind(b"-", low, at)
        if at < 0:
            break
        start = at - (data[at - 1 : at] == b"-")
        option = _OPTION.match(data, start, end)
        if option is not None and option.end() == end and not data[start - 1 : start].isalnum():
            return option
    return None


def _user(data: bytes, end: int) -> Span | None:
    """`curl -u user:password`."""
    option = _option_before(data, end)
    if option is None or _TOOLS.search(data, max(0, end - 1500), option.start()) is None:
        return None
    match = _USER.match(data, option.start("user"))
    if match is not None:
        return _span(match, option.start(), "bare")
    alone = _ALONE.match(data, option.start("user"))
    return _span(alone, option.start(), "user") if alone is not None and surprise(alone["user"]) >= 8 else None
