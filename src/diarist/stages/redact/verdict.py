"""Is this value a secret, given what its key promises?"""

from __future__ import annotations

import base64
import binascii
from itertools import pairwise

from diarist.stages.redact.shape import is_elided, is_filler, is_template, surprise
from diarist.stages.redact.vocabulary import is_example, is_prose, is_vocabulary
from diarist.stages.redact.words import Key, Level
from diarist.text.lazy import lazy

_UUID = lazy(rb"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_HEXADECIMAL = lazy(rb"(?:0[xX])?[0-9a-fA-F]+(?:-[0-9a-fA-F]+)*\Z")
_HEXADECIMAL_INSIDE = lazy(rb"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-f]{24}")
_DIGEST = lazy(rb"(?i:sha(?:1|224|256|384|512)|md5|blake2[bs]?)[-:=]")
_PATH = lazy(rb"(?:~|\.{1,2}|[A-Za-z]:)?[\\/]{1,2}[\w.@ -]|file:|[a-z][a-z0-9+.-]{1,20}://")
_FILE = lazy(
    rb"[\w./\\@ -]+\.(?:pem|key|crt|cer|p12|pfx|jks|json|ya?ml|toml|ini|txt|env|conf|cfg|py|[jt]sx?|mjs|rs|go|rb|java|kt|php|cs|sh|md"
    rb"|html?|css|sql|xml|lock|log|csv|gpg|asc|pub|net|com|org|io|dev)\Z"
)
_PATH_TO_FILE = lazy(rb"[\w.@-]+(?:/[\w.@-]+)+\.[a-z][a-z0-9]{1,4}\Z")
_VERSION = lazy(rb"[vV]?\d+(?:\.\d+)+(?:[-+.][\w.+-]*)?\Z")
_MOMENT = lazy(rb"\d{4}-\d\d-\d\d|\d\d:\d\d")
_DOTTED = lazy(rb"[A-Za-z_$][\w$]*(?:(?:\.|->|::?|/)[A-Za-z_$][\w$]*)+\Z")
_HEADER_NAME = lazy(rb"(?:[A-Z][a-z]+-)+(?:[A-Z][a-z]+|ID)\Z")
_EXPRESSION = lazy(rb"\(\?[:=!<P]|\[\^|\[a-zA-Z|\[[aA0]-[zZ9]|\.\*|\\[dwsb][+*{)\]]|\)\*|\]\+")
"""A regular expression."""
_NAME = lazy(rb"[A-Za-z_$][\w$]*\Z")
_MAIL = lazy(rb"[\w.+-]+@[\w-]+\.[\w.-]+\Z")
_WORDS_ONLY = lazy(rb"[\w\x80-\xff'.,!@#$%^&*+ -]+\Z")
_SYMBOLS = frozenset(b"!#$%^&*(){}[]<>?|~")


def is_secret(value: bytes, key: Key, *, quoted: bool, setting: bool) -> bool:
    """Decides on one value.

    `quoted`: it stands in quotes, so it is a literal and no name. `setting`: it stands where settings stand (`.env`, YAML, a
    flag, a table), so even without quotes a word is a value and no code.
    """
    value = value.strip()
    if value.isdigit():
        return len(value) >= 4 and len(set(value)) > 1 and _is_secret_number(value, key)
    if len(value) < 4 or _says_no_secret(value, key):
        return False
    if b" " in value or b"\t" in value:
        return quoted and (_ends_randomly(value, key) or _is_passphrase(value, key))
    if is_random(value, key):
        return not is_example(value)
    if key.level < Level.STRONG or is_example(value) or is_vocabulary(value):
        return False
    if key.level == Level.PASSWORD:
        return _is_password(value, key, quoted=quoted, setting=setting)
    return (quoted or setting) and _is_readable_key(value, quoted=quoted)


def _says_no_secret(value: bytes, key: Key) -> bool:
    """Long prose, what is masked already, templates, fillers, references."""
    if len(value) > 128 and surprise(value[:64]) < -10:
        return True
    return value.startswith(b"[REDACTED:") or is_template(value) or is_elided(value) or is_filler(value) or is_reference(value, key)


def _is_secret_number(value: bytes, key: Key) -> bool:
    if key.digits:
        return 4 <= len(value) <= 20 and key.level >= (Level.WEAK if key.kind == "pin" else Level.STRONG)
    return key.level >= Level.MEDIUM and len(value) >= 15


def is_reference(value: bytes, key: Key) -> bool:
    """Paths, addresses, digests, versions, dates, expressions: what a key may point to instead of holding it."""
    if value.isalnum():
        return False
    if _DIGEST.match(value) or _VERSION.match(value) or _MAIL.match(value) or _HEADER_NAME.match(value):
        return True
    if b"://" in value or b"%3A%2F%2F" in value.upper() or value.count(b"|") >= 3:
        return True
    if _EXPRESSION.search(value) or _MOMENT.search(value):
        return True
    if key.level < Level.PASSWORD and _PATH_TO_FILE.match(value):
        return True
    if _PATH.match(value) or _FILE.match(value):
        return (key.level < Level.PASSWORD or value.count(b"/") > 1) and surprise(value) < 20
    return False


def is_random(value: bytes, key: Key) -> bool:
    """Random enough for what its key promises."""
    size = len(value)
    if _UUID.match(value):
        return key.level >= Level.MEDIUM and key.kind != "cookie" and (key.kind != "api-key" or key.level >= Level.STRONG)
    if _HEXADECIMAL.match(value):
        digits = value.replace(b"-", b"")
        least = 16 if key.level >= Level.STRONG or key.kind == "token" else 20
        return len(digits) >= least and key.level >= Level.MEDIUM and not digits.isalpha()
    bits = surprise(value)
    if _is_sequence(value) or (bits < 25 and _DOTTED.match(value)):
        return False
    if key.kind == "signature":
        return key.level > Level.WEAK and size >= 20 and _has_digit_or_mix(value)
    if key.level <= Level.WEAK:
        return size >= 20 and bits >= 30 and _has_digit_or_mix(value)
    if _is_dense(value) or _HEXADECIMAL_INSIDE.search(value):
        return True
    if key.level >= Level.STRONG:
        return size >= 10 and bits >= 6 and (size >= 12 or _has_digit(value))
    return size >= 12 and bits >= 8 and _has_digit_or_mix(value)


def _has_digit(value: bytes) -> bool:
    return any(48 <= code <= 57 for code in value)


def _has_digit_or_mix(value: bytes) -> bool:
    letters = bytes(code for code in value if code > 64)
    return _has_digit(value) or (len(value) >= 20 and letters.lower() not in (letters, letters.upper()))


def _is_dense(value: bytes) -> bool:
    """Letters and digits in one long run, plenty of both."""
    digits = sum(48 <= code <= 57 for code in value)
    return len(value) >= 24 and value.isalnum() and 4 <= digits <= len(value) - 4


def _is_sequence(value: bytes) -> bool:
    """An alphabet written out: `0123456789abcdef…`."""
    return len(value) >= 20 and sum(second - first == 1 for first, second in pairwise(value)) >= 0.85 * (len(value) - 1)


def _ends_randomly(value: bytes, key: Key) -> bool:
    """A scheme and a token in one string: `FlyV1 …`, `ApiKey-v1 …`."""
    words = value.split()
    return len(words) <= 3 and len(words[-1]) >= 16 and is_random(words[-1], key) and not is_example(words[-1])


def _is_passphrase(value: bytes, key: Key) -> bool:
    """Words in quotes after `password =`, unless they read like a message."""
    if key.kind == "mnemonic":
        return len(value.split()) >= 12
    if key.kind not in ("password", "secret") or key.level < Level.STRONG or b"_" in value:
        return False
    return len(value) <= 100 and _WORDS_ONLY.match(value) is not None and not is_prose(value) and not is_vocabulary(value)


def _is_password(value: bytes, key: Key, *, quoted: bool, setting: bool) -> bool:
    """A password that people choose: `hunter2`, `Summer2024!`, `correct-horse-battery-staple`."""
    if _DOTTED.match(value):
        return False
    digits = _has_digit(value)
    name = _NAME.match(value) is not None
    snake = b"_" in value
    if quoted:
        return digits or (key.word and not (name and snake)) or not (name or snake)
    if setting:
        return digits or not name or (key.word and len(value) >= 8 and value.islower())
    return digits and len(value) >= 6 and not value[:1].isdigit() and not (name and snake)


def _is_readable_key(value: bytes, *, quoted: bool) -> bool:
    """`plain-FAKE-value`: no random key, but no plain name either."""
    if len(value) < 10 or _DOTTED.match(value):
        return False
    if len(set(value) & _SYMBOLS) >= 4:
        return True
    if _has_digit(value):
        return not (_NAME.match(value) and b"_" in value and not quoted)
    return value.lower() != value and value.upper() != value and not _NAME.match(value)


_USER_AND_PASSWORD = lazy(rb"[^\x00-\x1f:]{1,200}:[^\x00-\x1f]{0,400}\Z")
_BASE64 = lazy(rb"[A-Za-z0-9+/_-]{8,}={0,2}\Z")


def is_basic(value: bytes) -> bool:
    """True for the base64 of `user:password`."""
    if not _BASE64.match(value):
        return False
    bare = value.rstrip(b"=")
    try:
        decoded = base64.b64decode(bare + b"=" * (-len(bare) % 4), altchars=b"-_")
    except (binascii.Error, ValueError):
        return False
    return _USER_AND_PASSWORD.match(decoded) is not None
