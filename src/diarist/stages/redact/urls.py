"""Credentials in addresses: `scheme://user:password@host`, `scheme://token@host`, data source names."""

from __future__ import annotations

from diarist.stages.redact.shape import is_elided, is_filler, is_template, surprise
from diarist.stages.redact.spans import Span
from diarist.stages.redact.triggers import Trigger
from diarist.stages.redact.vocabulary import is_example, word_set
from diarist.text.lazy import lazy

_REACH = 300
_SCHEMES = (b"://", b":\\/\\/", b"%3A%2F%2F", b"%3a%2f%2f")
_PORT = lazy(rb"\d{1,5}(?:[/?#\\]|\Z)")
_STOP = lazy(rb"[\s\"'<>`\\/?#,;)\]}]|%2[fF]|%40|@")
_SHOWN = word_set(
    """password passwd pwd your_password yourpassword your-password my_password mypassword pass_word secret_password token abc 123 xyz"""
)
"""What documentation writes for a password in an address."""


def triggers() -> list[Trigger]:
    """At the first `@` after `://`, plain, JSON-escaped or URL-encoded; at the `@` of a Go data source name."""
    return [
        Trigger(rb":(?://|\\/\\/)[^\s\"'<>@]{1,256}@", _at_sign, literal=False, needs=(b"://", b":\\/")),
        Trigger(rb"%3[aA]%2[fF]%2[fF][^\s\"'<>@]{1,256}%40", _at_encoded_sign, literal=False, needs=(b"%40",)),
        Trigger(b"@tcp(", lambda data, end: _data_source(data, end - 5)),
        Trigger(b"@unix(", lambda data, end: _data_source(data, end - 6)),
    ]


def _at_sign(data: bytes, end: int) -> Span | None:
    return _userinfo(data, end - 1, b":")


def _at_encoded_sign(data: bytes, end: int) -> Span | None:
    return _userinfo(data, end - 3, b"%3A") or _userinfo(data, end - 3, b"%3a")


def _userinfo(data: bytes, at: int, colon: bytes) -> Span | None:
    """The secret part of the user information that ends at the `@` at `at`."""
    low = max(0, at - _REACH)
    scheme, size = max((data.rfind(mark, low, at), len(mark)) for mark in _SCHEMES)
    if scheme < 0:
        return None
    start = scheme + size
    at = _last_sign(data, at)
    if data.startswith(b"[REDACTED:", start):
        return None
    user, separator, password = data[start:at].partition(colon)
    if password in (b"x-oauth-basic", b"x-access-token", b"") and separator:
        return _token_user(data, start, start + len(user))
    if not separator:
        return _token_user(data, start, at)
    start += len(user) + len(colon)
    if b"/" in user or b"?" in user or password == user or not is_url_password(password) or data.startswith((b"@sha256:", b"@sha512:"), at):
        return None
    return Span(start, at, "url-password", "url-password", rank=3, origin=scheme)


def _last_sign(data: bytes, at: int) -> int:
    """A password may hold an `@` of its own: the last one before the host's end separates."""
    for _ in range(3):
        stop = _STOP.search(data, at + 1, at + 128)
        if stop is None or stop[0] != b"@":
            break
        at = stop.start()
    return at


def is_url_password(password: bytes) -> bool:
    """Any literal password, except the ones that documentation shows in its place."""
    if (
        len(password) < 4
        or len(set(password)) == 1
        or _PORT.match(password)
        or password.lower() in _SHOWN
        or password.startswith(b"[REDACTED:")
    ):
        return False
    if (
        any(mark in password for mark in (b"//", b"\\n", b"{", b"$(", b"<", b"[^", b".*", b"]+"))
        or is_template(password)
        or is_elided(password)
    ):
        return False
    if is_filler(password) and not password.isdigit():
        return False
    return not is_example(password) and (b"/" not in password or surprise(password) >= 10)


def _token_user(data: bytes, start: int, at: int) -> Span | None:
    """`https://TOKEN@host`: no password, so the user has to look like a token."""
    user = data[start:at]
    if len(user) < 16 or not user.isalnum() or user.startswith(b"[REDACTED:") or is_filler(user):
        return None
    digits = sum(48 <= code <= 57 for code in user)
    mixed = user.lower() != user and user.upper() != user
    if surprise(user) >= 12 or (digits >= 3 and mixed) or (digits >= 4 and len(user) >= 32):
        return Span(start, at, "url-token", "url-token", rank=3, origin=start - 3)
    return None


_SOURCE = lazy(rb"(?:\A|[\s\"'`=(])[\w.-]{1,64}:(?P<password>[^\s\"'`]{1,128})\Z")


def _data_source(data: bytes, at: int) -> Span | None:
    match = _SOURCE.search(data, max(0, at - 200), at)
    if match is None or not is_url_password(match["password"]):
        return None
    return Span(match.start("password"), at, "url-password", "url-password", rank=3)
