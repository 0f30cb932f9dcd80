"""Text from terminals: to read it (`plain`) and to print it (`safe`)."""

from __future__ import annotations

from diarist.text.lazy import lazy

_ESCAPES = lazy(
    "\x1b\\][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\\\|\x9c)?"  # OSC: titles, links
    "|\x1b[PX^_][^\x1b\x9c\n]*(?:\x1b\\\\|\x9c)?"  # DCS, SOS, PM, APC
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    "|\x1b[ -/]*[0-~]?"  # the short ones
)
_UNSAFE = lazy(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, except tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction marks, embeddings, overrides and isolates
    "\u2028\u2029\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"  # separators, annotations, tags, lone surrogates
)


def plain(text: str) -> str:
    r"""The text as a person saw it in the end: no escape sequences, progress lines collapsed to their last state.

    Line breaks become line feeds; back spaces and NUL are left out. Linear in the length of the text.

    >>> plain("\x1b[31mfailed\x1b[0m\r\n 10%\r100%\n")
    'failed\n100%\n'
    """
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPES.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        if "\r" in text:
            text = "\n".join(_last_state(line) for line in text.split("\n"))
    if "\x08" in text or "\x00" in text:
        text = text.replace("\x08", "").replace("\x00", "")
    return text


def safe(text: str) -> str:
    r"""The text in a form that cannot act on a terminal: no escapes, controls, direction overrides or invisible tags.

    What is harmless stays as it is, tabs and line feeds included; whatever else was dangerous becomes "\ufffd", so that a
    reader sees that something was there. Escape sequences vanish as a whole.

    >>> safe("\x1b]0;title\x07ok \u202egnp.exe")
    'ok \ufffdgnp.exe'
    """
    if text.isascii() and text.isprintable():
        return text
    text = _ESCAPES.sub("", text) if "\x1b" in text or "\x9b" in text else text
    return _UNSAFE.sub("\ufffd", text.replace("\r\n", "\n"))


def _last_state(line: str) -> str:
    """What stays on the screen of a line that was overwritten: the last part that is not empty."""
    if "\r" not in line:
        return line
    for part in reversed(line.split("\r")):
        if part.strip():
            return part
    return ""
