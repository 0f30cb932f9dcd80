"""Secrets made at run time, of every kind the rules know. Nothing in here looks like a live key until a generator has run."""

from __future__ import annotations

import base64
import json
from random import Random

DIGITS = "0123456789"
LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
ALNUM = LOWER + UPPER + DIGITS
HEX = DIGITS + "abcdef"
URL = ALNUM + "-_"
BASE64 = ALNUM + "+/"
WORDS = [
    *("otter", "marble", "quiet", "lantern", "copper", "willow", "tundra", "saddle"),
    *("pepper", "velvet", "orbit", "canyon", "maple", "thunder", "pickle", "harbor"),
]


class Maker:
    """Makes secrets from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def chars(self, alphabet: str, size: int) -> str:
        return "".join(self.random.choices(alphabet, k=size))

    def mixed(self, size: int, alphabet: str = ALNUM) -> str:
        """Random characters with at least two digits, a capital and a small letter, as real generators nearly always give."""
        while True:
            text = self.chars(alphabet, size)
            digits = sum(char.isdigit() for char in text)
            if digits >= 2 and text.lower() != text and text.upper() != text and text[0].isalnum() and text[-1].isalnum():
                return text

    def hex(self, size: int) -> str:
        while True:
            text = self.chars(HEX, size)
            if any(char.isdigit() for char in text) and any(char.isalpha() for char in text):
                return text

    def uuid(self) -> str:
        return "-".join(self.hex(size) for size in (8, 4, 4, 4, 12))

    # Vendors' tokens, put together from parts
    def github(self) -> str:
        return self.random.choice(["ghp", "gho", "ghu", "ghs", "ghr"]) + "_" + self.mixed(36)

    def github_fine(self) -> str:
        return "github_" + "pat_" + self.mixed(22) + "_" + self.mixed(59)

    def gitlab(self) -> str:
        return "glpat" + "-" + self.mixed(20, URL)

    def aws_id(self) -> str:
        return self.random.choice(["AKIA", "ASIA"]) + "".join(self.random.choices(UPPER + "234567", k=15)) + "7"

    def aws_secret(self) -> str:
        return self.mixed(40, BASE64)

    def openai(self) -> str:
        return "sk-" + "proj-" + self.mixed(74) + "T3Blbk" + "FJ" + self.mixed(74)

    def openai_old(self) -> str:
        return "sk-" + self.mixed(48)

    def anthropic(self) -> str:
        return "sk-" + "ant-" + "api03-" + self.mixed(93, URL) + "AA"

    def google(self) -> str:
        return "AI" + "za" + self.mixed(35, URL)

    def slack(self) -> str:
        return "xo" + "xb-" + self.chars(DIGITS, 12) + "-" + self.chars(DIGITS, 13) + "-" + self.mixed(24)

    def slack_hook(self) -> str:
        return f"T{self.chars(UPPER + DIGITS, 10)}/B{self.chars(UPPER + DIGITS, 10)}/{self.mixed(24)}"

    def stripe(self) -> str:
        return "sk_" + "live_" + self.mixed(24)

    def npm(self) -> str:
        return "npm" + "_" + self.mixed(36)

    def pypi(self) -> str:
        return "pypi-" + "AgEIcHlwaS5vcmc" + self.mixed(70, URL)

    def sendgrid(self) -> str:
        return "SG" + "." + self.mixed(22, URL) + "." + self.mixed(43, URL)

    def huggingface(self) -> str:
        return "hf" + "_" + self.mixed(34, LOWER + UPPER + DIGITS)

    def telegram(self) -> str:
        return self.chars("123456789", 10) + ":AA" + self.mixed(33, URL)

    def discord(self) -> str:
        head = base64.b64encode(self.chars("123456789", 18).encode()).decode()
        return "M" + head[1:] + "." + self.mixed(6) + "." + self.mixed(27, URL)

    def airtable(self) -> str:
        return "pat" + self.mixed(14) + "." + self.hex(64)

    def vault(self) -> str:
        return "hv" + "s." + self.mixed(90, URL)

    def digitalocean(self) -> str:
        return "dop" + "_v1_" + self.hex(64)

    def shopify(self) -> str:
        return "shp" + "at_" + self.hex(32)

    def jwt(self) -> str:
        parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": self.chars(DIGITS, 10), "iat": 1516239022}]
        head = ".".join(base64.urlsafe_b64encode(json.dumps(part, separators=(",", ":")).encode()).decode().rstrip("=") for part in parts)
        return head + "." + self.mixed(43, URL)

    # What has no prefix
    def password(self) -> str:
        """As people choose them."""
        word = self.random.choice(WORDS)
        return self.random.choice(
            [
                f"{word.capitalize()}{self.random.randint(10, 9999)}!",
                f"{word}{self.random.randint(1, 99)}",
                f"{word[:3]}{self.random.choice('@$!')}{word[3:]}{self.random.randint(0, 9)}",
                self.mixed(self.random.randint(10, 16)),
                self.mixed(14, ALNUM + "!@#%^*_-+"),
            ]
        )

    def simple_password(self) -> str:
        """Letters and digits only, so that it fits everywhere unescaped."""
        return self.random.choice([f"{self.random.choice(WORDS)}{self.random.randint(10, 9999)}", self.mixed(self.random.randint(10, 18))])

    def passphrase(self, separator: str = " ") -> str:
        return separator.join(self.random.sample(WORDS, 4))

    def key(self) -> str:
        """A key of no particular vendor."""
        return self.random.choice([self.mixed(32), self.mixed(40), self.hex(32), self.hex(40), self.mixed(24), self.mixed(43, URL)])

    def pem(self, kind: str = "RSA ", lines: int = 12) -> tuple[str, list[str], str]:
        """Banner, body lines, banner."""
        body = ["MIIE" + self.mixed(60, BASE64), *(self.mixed(64, BASE64) for _ in range(lines - 2)), self.mixed(40, BASE64) + "=="]
        return f"-----BEGIN {kind}PRIVATE" + " KEY-----", body, f"-----END {kind}PRIVATE" + " KEY-----"

    def vendor(self) -> str:
        """A token with a prefix."""
        names = [
            *(self.github, self.github_fine, self.gitlab, self.aws_id, self.openai, self.openai_old, self.anthropic, self.google),
            *(self.slack, self.stripe, self.npm, self.pypi, self.sendgrid, self.huggingface, self.telegram, self.discord),
            *(self.airtable, self.vault, self.digitalocean, self.shopify, self.jwt),
        ]
        return self.random.choice(names)()
