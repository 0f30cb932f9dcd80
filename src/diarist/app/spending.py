"""Asking a language model within the day's cap: the most a call can cost is taken out of the budget before the call, what it did not
take is given back after it. So no number of processes can overspend.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from diarist.model.machinery import Spending
from diarist.stages.reflect import estimate_tokens

if TYPE_CHECKING:
    from diarist.app.toolbox import Toolbox
    from diarist.model.redacted import Redacted
    from diarist.ports import Completer


class Paid(NamedTuple):
    """An answer, not redacted yet, and what it took: tokens as the service counts them, estimated where it does not tell; US dollars."""

    text: str
    input_tokens: int
    output_tokens: int
    usd: float


def ask(box: Toolbox, completer: Completer, prompt: Redacted, *, role: str, max_tokens: int) -> Paid | None:
    """One answer; None where it does not fit into the day's budget (`reflect.daily_tokens`, `reflect.daily_usd`): then nothing was sent.

    `role`: what the call is for, as it is booked.

    Raises
    ------
    ModelError
        Whatever went wrong. The call counts as one, without tokens.
    """
    reserved = _price(box, estimate_tokens(prompt), max_tokens)
    if not _reserve(box, role, reserved):
        return None
    spent = Spending(1)
    try:
        answer = completer.complete(prompt, max_tokens=max_tokens)
        tokens_in = answer.input_tokens or estimate_tokens(prompt)
        tokens_out = answer.output_tokens or estimate_tokens(answer.text)
        spent = _price(box, tokens_in, tokens_out)
    finally:
        _settle(box, role, reserved, spent)
    return Paid(answer.text, tokens_in, tokens_out, spent.micro_usd / 1e6)


def basis_of(prompt: Redacted) -> str:
    """Digest of a prompt (SHA-256, hex): what is kept beside an answer, to tell whether it would be asked the same again."""
    return hashlib.sha256(prompt.encode()).hexdigest()


def _reserve(box: Toolbox, role: str, wanted: Spending) -> bool:
    day = f"{box.now():%Y-%m-%d}"
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        spent = box.store.get_spending(day)
        if spent.tokens + wanted.tokens > box.settings.get("reflect.daily_tokens"):
            return False
        if wanted.micro_usd and spent.micro_usd + wanted.micro_usd > box.settings.get("reflect.daily_usd") * 1e6:
            return False
        tx.add_spending(day, role, wanted)
    return True


def _settle(box: Toolbox, role: str, reserved: Spending, spent: Spending) -> None:
    change = Spending(spent.calls - reserved.calls, spent.tokens - reserved.tokens, spent.micro_usd - reserved.micro_usd)
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        tx.add_spending(f"{box.now():%Y-%m-%d}", role, change)


def _price(box: Toolbox, tokens_in: int, tokens_out: int) -> Spending:
    usd = tokens_in * box.settings.get("reflect.usd_per_million_input") + tokens_out * box.settings.get("reflect.usd_per_million_output")
    return Spending(1, tokens_in + tokens_out, round(usd))
