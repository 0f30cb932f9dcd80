"""Personal data, masked on request: each kind by its shape, and by its checksum where it has one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from diarist.errors import InvalidInputError
from diarist.stages.redact.engine import Finder
from diarist.stages.redact.spans import Span
from diarist.text.lazy import lazy

KINDS = ("email", "phone", "iban", "card", "ip", "home")

_EMAIL = lazy(rb"(?<![\w.+-])[\w.+%-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}[A-Za-z]{2,24}(?![\w@-])")
_PHONE = lazy(rb"(?<![\w+.])\+[1-9](?:[ .()/-]{0,2}\d){6,14}(?![\w])")
_IBAN = lazy(rb"(?<![A-Za-z0-9])(?=(?P<iban>[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}))")
_IBAN_LENGTHS = {
    code.encode(): int(length)
    for length, codes in {
        "15": "NO", "16": "BE", "18": "DK FI FO GL NL", "19": "MK SI", "20": "AT BA EE KZ LT LU XK", "21": "CH HR LI LV",
        "22": "BG BH CR DE GB GE IE ME RS VA", "23": "AE GI IL IQ TL", "24": "AD CZ ES MD PK RO SA SE SK TN VG", "25": "PT ST",
        "26": "IS TR", "27": "FR GR IT MC MR SM", "28": "AL AZ BY CY DO GT HU LB PL SV", "29": "BR EG PS QA UA", "30": "JO KW MU",
        "31": "MT SC", "32": "LC",
    }.items()
    for code in codes.split()
}  # fmt: skip
"""How long an IBAN is, by country (ISO 13616)."""
_CARD = lazy(rb"(?<![\w.-])[3-6]\d{3}(?:[ -]?\d){9,15}(?![\w.]|-\d)")
_IPV4 = lazy(rb"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\d)")
_IPV6 = lazy(rb"(?<![\w:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:.])")
_HOME = lazy(
    rb"(?:/(?:home|Users)/|[A-Za-z]:\\{1,4}Users\\{1,4}|-(?:home|Users)-(?=[^-]))(?P<user>[^\s/\\:\"'<>|*?,;()\[\]-][^\s/\\:\"'<>|*?,;()\[\]-]{0,63})"
)
_NO_USER = frozenset((b"user", b"username", b"runner", b"root", b"shared", b"public", b"default", b"$user", b"${user}", b"you", b"me"))


def finders(kinds: Sequence[str]) -> list[Finder]:
    """One for each kind. Raises InvalidInputError for a kind that is not known."""
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise InvalidInputError(f"unknown kind of personal data: {', '.join(unknown)}. Known are {', '.join(KINDS)}.")
    return [finder for kind in kinds for finder in _FINDERS[kind]]


def _finder(kind: str, expression: re.Pattern[bytes], is_one: Callable[[bytes], bool], group: str | int = 0) -> Finder:
    def find(data: bytes) -> list[Span]:
        return [
            Span(*match.span(group), rule=kind, kind=kind, rank=0, origin=match.start())
            for match in expression.finditer(data)
            if is_one(match[group])
        ]

    return find


def _is_email(address: bytes) -> bool:
    name, _, domain = address.lower().rpartition(b"@")
    return name != b"git" and not domain.endswith((b".local", b".png", b".svg", b".jpg", b".css", b".js", b".ts", b".py"))


def _is_phone(number: bytes) -> bool:
    """E.164: a plus, seven to fifteen digits."""
    return 7 <= sum(48 <= code <= 57 for code in number) <= 15


def is_iban(text: bytes) -> bool:
    """ISO 13616: the number modulo 97, country and check digits moved to the end, is 1."""
    compact = text.replace(b" ", b"")
    if len(compact) != _IBAN_LENGTHS.get(compact[:2]):
        return False
    turned = compact[4:] + compact[:4]
    return int("".join(str(int(chr(code), 36)) for code in turned)) % 97 == 1


def _find_ibans(data: bytes) -> list[Span]:
    spans = []
    for match in _IBAN.finditer(data):
        left = _IBAN_LENGTHS.get(match["iban"][:2], 0)
        end = match.start()
        while left and end < match.end("iban"):
            left -= data[end] != 32
            end += 1
        if not left and not data[end : end + 1].isalnum() and is_iban(data[match.start() : end]):
            spans.append(Span(match.start(), end, "iban", "iban"))
    return spans


def is_card(text: bytes) -> bool:
    """ISO 7812: the Luhn checksum of 13 to 19 digits."""
    digits = [code - 48 for code in text if 48 <= code <= 57]
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    total = sum(digits[-1::-2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return total % 10 == 0


def _is_public_ipv4(text: bytes) -> bool:
    try:
        address = IPv4Address(text.decode())
    except AddressValueError:
        return False
    return address.is_global and not address.is_multicast and text not in (b"1.1.1.1", b"8.8.8.8", b"8.8.4.4")


def _is_public_ipv6(text: bytes) -> bool:
    try:
        return IPv6Address(text.decode()).is_global
    except AddressValueError:
        return False


def _is_user(name: bytes) -> bool:
    return name.lower() not in _NO_USER and not name.startswith((b"$", b"%", b"{", b"~", b"."))


_FINDERS: dict[str, list[Finder]] = {
    "email": [_finder("email", _EMAIL, _is_email)],
    "phone": [_finder("phone", _PHONE, _is_phone)],
    "iban": [_find_ibans],
    "card": [_finder("card", _CARD, is_card)],
    "ip": [_finder("ip", _IPV4, _is_public_ipv4), _finder("ip", _IPV6, _is_public_ipv6)],
    "home": [_finder("home", _HOME, _is_user, "user")],
}
