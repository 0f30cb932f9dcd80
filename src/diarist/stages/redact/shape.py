"""What a value looks like: random or made of words, a filler, a template.

`surprise` measures, in bits, how much likelier a value is under "random characters" than under "names, words, paths and
versions as they stand in source code". It sums over pairs of neighbours two small tables: which letter follows which (case
folded) and which class of character follows which. Both were counted over the identifiers of Python's standard library and
over generated random strings; they hold statistics, no text. No list of words is needed to tell `getTokenCount` from
`gEt7kQ0nCxUw`.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from math import log2

from diarist.text.lazy import lazy

_ORIGIN = ord("N")
"""Both tables write half bits as letters; "N" is zero, later letters speak for chance, earlier ones for words."""

_LETTERS = (
    "UNLMVSLWMXPIJIZKYHJGMPOONQ"  # a
    "NVSUOWVZOPaMUTNTaPPUMYZaQZ"  # b
    "MVQSKTUKMaKLRUHRYMOJMUXYOa"  # c
    "MSTPJSQVJVWPRTLQYONONUUWRZ"  # d
    "MRKKPMMTOWTHKHPLNGFIRMOJNV"  # e
    "OWUUPPUYIaZOVTLUaNRPNZYZSa"  # f
    "OVSUIUQONaXPROQTaMNQNWWaVY"  # g
    "LVUVKWYYNaXTRWMUYQRORZXaSa"  # h
    "MNJKLNKXUXRKLGHMVMJITNaOaN"  # i
    "SaaaQaaaWaZaaaQYaaRaTaaaaa"  # j
    "RXUUKVUYOaaTUTUVaVPVSYTWXZ"  # k
    "JRRNHISWIZVLTTJQZTMMLRVZOZ"  # l
    "IOTSIUXZLaWPOTLKYTNSOXYXQX"  # m
    "JTKJJLJSKUQPROKOYSIHNOVTTW"  # n
    "ONLKSOOXOUOKKGNKaHMLJOMSTW"  # o
    "JVQPITVOMaUKTUKMYJOMNUXaMY"  # p
    "ZaaaaZaaaaaTZZaaZUWZMaaaaa"  # q
    "ISMNGQLVIZOPMNIQYLKJMOTYNa"  # r
    "NULSGQRMJYPPQRKLRRKFLTRXNZ"  # s
    "ISNPFQTJGYUPORJOXIKMNSQSKU"  # t
    "ONOQLRQaOaYKMKSLaKLKXYaVaZ"  # u
    "KYVXJYXaMaaZWXRSaYVXaaaZZa"  # v
    "OYWVPXZRMaZUXROXaPOWaZTaaa"  # w
    "QUPVPSaYPaaRTXWNaWVMZYZSUa"  # x
    "SURSSUTXTaaQOQTLZTOOWVTZXW"  # y
    "SaaaNaaaSaaZYYQYaaZaaaaaXV"  # z
)
"""26 × 26: row, the letter; column, the letter after it."""

_CLASSES = "MTXGMNSISULFLSNL"
"""4 × 4 of lower, upper, digit, other: row, the class; column, the class after it."""

_OTHER = 63


def _symbol(code: int) -> int:
    """0–25 lower case, 26–51 upper case, 52 digit, 63 anything else."""
    if 97 <= code <= 122:
        return code - 97
    if 65 <= code <= 90:
        return code - 65 + 26
    return 52 if 48 <= code <= 57 else _OTHER


_SYMBOLS = bytes(_symbol(code) for code in range(256))


def _class(symbol: int) -> int:
    return 0 if symbol < 26 else 1 if symbol < 52 else 2 if symbol == 52 else 3


@lru_cache(maxsize=1)
def _pairs() -> list[int]:
    """Half bits for each pair of symbols, at 64 × the first + the second."""
    table = [0] * 4096
    for first in (*range(53), _OTHER):
        for second in (*range(53), _OTHER):
            half_bits = ord(_CLASSES[4 * _class(first) + _class(second)]) - _ORIGIN
            if first < 52 and second < 52:
                half_bits += ord(_LETTERS[26 * (first % 26) + second % 26]) - _ORIGIN
            table[64 * first + second] = half_bits
    return table


def surprise(value: bytes) -> float:
    """Bits by which `value` is likelier to be random than to be words. Grows with length; below 0 for ordinary names."""
    symbols = value.translate(_SYMBOLS)
    pairs = _pairs()
    return sum([pairs[64 * first + second] for first, second in pairwise(symbols)]) / 2


def entropy(value: bytes) -> float:
    """Shannon entropy in bits per byte."""
    total = len(value)
    return -sum(count / total * log2(count / total) for count in Counter(value).values()) if total else 0.0


_SEPARATORS = b"-_./:+~ *#?=,"
_RUNS = lazy(rb"(.)\1*", re.DOTALL)


def is_filler(value: bytes) -> bool:
    """`xxxxxxxx`, `********`, `0000-0000`, `aaaabbbbcccc`, `abcabcabcabc`: nobody's secret."""
    core = value.translate(None, _SEPARATORS).lower()
    size = len(core)
    if size < 2:
        return True
    different = len(set(core))
    if size < 6:
        return different == 1
    if different <= 3:
        return True
    if size >= 12 and different == 4 and core == (core[:4] * size)[:size]:
        return True
    if different <= 0.28 * size + 1:
        if max(Counter(core).values()) >= 0.8 * size:
            return True
        if size >= 16 and len(_RUNS.findall(core)) <= 0.28 * size:
            return True
    return _is_alphabet(core)


def _is_alphabet(core: bytes) -> bool:
    """`abcdefghijklmnop…`: letters only, nearly every one after its neighbour in the alphabet."""
    if len(core) < 16 or not core.isalpha():
        return False
    steps = sum(second - first in (1, -25) for first, second in pairwise(core))
    return steps >= 0.85 * (len(core) - 1)


_TEMPLATE = lazy(
    rb"""
      <[^<>\s][^<>]{0,80}>                        # <token>
    | [$@\#%]?\{\{?[^{}\n]{0,120}\}?\}            # ${VAR} {var} {{ var }} #{var}
    | \$[A-Za-z_(\[][^\s"']{0,120}                # $VAR $(command)
    | %(?:\([\w.]{1,60}\))?[sdr]                  # %s %(name)s
    | %[A-Za-z_]\w{0,60}%                         # %VAR%
    | \[[^\]\n]{0,80}\]                           # [PASSWORD]
    | __\w{1,60}__ | @@?[A-Za-z_]\w{0,60}@@?      # __TOKEN__ @TOKEN@
    | `[^`\n]{0,120}`? | &lt;[^&]{0,80}&gt;
    """,
    re.VERBOSE,
)
_ELIDED = lazy(rb"(?:\.{3,}|\xe2\x80\xa6|\*{3,}|[xX]{6,})")


def is_template(value: bytes) -> bool:
    """`<token>`, `${VAR}`, `$VAR`, `{{ var }}`, `%s`: stands for a secret and holds none."""
    match = _TEMPLATE.match(value)
    if match is None:
        return value.startswith((b"${", b"$(", b"{{", b"#{", b"<%", b"%("))
    return match.end() == len(value) or not value[match.end() :].strip(b"-_/.:@ ").isalnum()


def is_elided(value: bytes) -> bool:
    """`sk-…`, `ghp_...abc`, `sk-xxxxxxxx`: most of it is left out."""
    match = _ELIDED.search(value)
    if match is None:
        return False
    rest = value[: match.start()] + value[match.end() :]
    return len(rest) <= 16
