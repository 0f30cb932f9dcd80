"""Who calls: a key in a header, a signed cookie, or, as long as there is no key at all, whoever reaches a loopback address."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from diarist.app.keys import caller_of, hash_of
from diarist.asgi.workroom import OWNER, Workroom

if TYPE_CHECKING:
    from diarist.model.access import Caller

COOKIE = "diarist_session"
SESSION_SECONDS = 12 * 3600
KEY_SEEN_SECONDS = 5.0
"""How long another process's first key may go unnoticed."""


class Session(NamedTuple):
    """A person's visit. `token`: what every form of it must carry."""

    caller: Caller
    token: str


class Doorkeeper:
    """Tells who calls. To be asked in a thread of the workroom.

    `open_house`: where there is no key yet, everybody is the owner; True only where the address is a loopback one.
    """

    def __init__(self, room: Workroom, *, open_house: bool) -> None:
        self._room = room
        self._open_house = open_house
        self._keys = False
        self._looked = 0.0
        self._signing = b""

    def needs_key(self) -> bool:
        """False as long as everybody is let in."""
        if not self._keys and (not self._looked or time.monotonic() - self._looked > KEY_SEEN_SECONDS):
            self._keys = bool(self._room.memory().api_keys())
            self._looked = time.monotonic()
        return self._keys or not self._open_house

    def key_was_made(self) -> None:
        """From now on a key is needed."""
        self._keys = True

    def by_header(self, headers: Mapping[str, str]) -> Caller | None:
        """Who shows a good key in `x-api-key` or as a bearer; the owner where none is needed and none is shown."""
        secret = headers.get("x-api-key", "").strip()
        kind, _, rest = headers.get("authorization", "").partition(" ")
        if not secret and kind.lower() == "bearer":
            secret = rest.strip()
        if secret:
            return self.by_key(secret)
        return None if self.needs_key() else OWNER

    def by_key(self, secret: str) -> Caller | None:
        """Who this key stands for, if it is good."""
        return self._room.memory().find_caller(secret)

    def by_cookie(self, cookie: str) -> Session | None:
        """The visit that a cookie of ours means; the owner's where no key is needed."""
        if not self.needs_key():
            return Session(OWNER, self._sign("form", "owner"))
        told, _, mark = cookie.rpartition(".")
        if not told or not hmac.compare_digest(self._sign("visit", told), mark):
            return None
        try:
            claim = json.loads(base64.urlsafe_b64decode(told + "=" * (-len(told) % 4)))
            digest, until = str(claim["key"]), float(claim["until"])
        except (binascii.Error, ValueError, KeyError, TypeError):
            return None
        memory = self._room.memory()
        found = memory.get_key(digest)
        if found is None or time.time() > until or not found.is_good(memory.now()):
            return None
        return Session(caller_of(found), self._sign("form", told))

    def make_cookie(self, secret: str) -> str:
        """The value of the cookie for a visit with this key: its hash and until when, signed; not the key."""
        claim = json.dumps({"key": hash_of(secret), "until": int(time.time()) + SESSION_SECONDS}, sort_keys=True)
        told = base64.urlsafe_b64encode(claim.encode()).decode().rstrip("=")
        return f"{told}.{self._sign('visit', told)}"

    def _sign(self, purpose: str, text: str) -> str:
        if not self._signing:
            self._signing = self._room.memory().signing_key()
        return hmac.new(self._signing, f"{purpose}\0{text}".encode(), hashlib.sha256).hexdigest()
