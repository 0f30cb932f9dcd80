"""A fortnight of a small web shop, told by agents' sessions: what the sample report in the docs is made of.

python tests/shop_weeks.py        # writes docs/explanation/synthesis-sample.md anew
"""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from builders import ClaudeSession

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SHOP = "/home/kim/work/shop"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "synthesis-sample.md"
_HEAD = """\
# A sample report

`diarist synthesize` wrote the report below over fifteen sessions of a small web shop. They are made up, in
[tests/shop_weeks.py](../../tests/shop_weeks.py), which also writes this page.

What to read out of it: the deadlock has one fix that worked in three runs of four and one that only hid it; whoever renews
the certificate is told to reload, not to restart; and runs about quite different things each found out anew how tests are run here,
which is worth a line in `AGENTS.md`. Two questions about vouchers are only about the same thing: they are listed, and there is nothing to
decide. See [how themes are found](synthesis.md) and [how to use a report](../howto/synthesize.md).

"""
_DEADLOCK = "E   psycopg.errors.DeadlockDetected: deadlock detected\n1 failed, 11 passed in 2.31s"
_PROMPTS = (
    "The orders table deadlocks when two checkouts run at once, please fix it.",
    "Fix the deadlock between two checkouts of one order, please.",
    "Checkout deadlocks under load again, find out why and please fix it.",
    "Deadlock in checkout: two requests update one order, please fix it.",
)


def session(number: int, day: float) -> ClaudeSession:
    """An empty one, so many days before the report."""
    return ClaudeSession(number, cwd=SHOP, start=NOW - timedelta(days=day))


def deadlock(number: int, *, retried: bool = False, solved: bool = True) -> ClaudeSession:
    """Two checkouts that wait for each other."""
    run = session(number, 9 - number).prompt(_PROMPTS[number])
    run.bash("uv run pytest -q tests/test_checkout.py", _DEADLOCK, 1)
    run.reply("Both checkouts lock the order rows in opposite order, because `reserve` sorts by price.")
    if retried:
        run.edit(f"{SHOP}/orders/checkout.py", "checkout(order)", "retry(checkout, order, times=3)")
        run.bash("uv run pytest -q tests/test_checkout.py", _DEADLOCK, 1)
        run.reply("Retrying only hid the deadlock: it came back after the third try.")
    if not solved:
        return run.reply("I could not find a way yet.")
    run.edit(f"{SHOP}/orders/checkout.py", "rows = select(order)", "rows = select(order).order_by(Order.id).with_for_update()")
    run.bash("uv run pytest -q tests/test_checkout.py", "12 passed in 1.90s")
    return run.reply("The rows are locked in id order now; the checkout tests pass.")


def certificate(number: int, request: str, *, set_right: bool) -> ClaudeSession:
    """A renewed certificate that the proxy does not pick up."""
    run = session(number, 14 - number).prompt(request)
    run.bash("make check-tls", "curl: (60) SSL certificate problem: certificate has expired\nmake: *** [check-tls] Error 60", 2)
    if set_right:
        run.edit(f"{SHOP}/deploy/renew.sh", "certbot renew", "certbot renew --deploy-hook 'systemctl restart nginx'")
        run.prompt("No, do not restart nginx, that drops open checkouts. Reload it.")
    run.edit(f"{SHOP}/deploy/renew.sh", "certbot renew", "certbot renew --deploy-hook 'systemctl reload nginx'")
    run.bash("make check-tls", "certificate valid until 2027-02-20")
    return run.reply("The renewal reloads the proxy with a deploy hook now, because nginx keeps the old certificate in memory.")


VOUCHERS = "Look through the vouchers of the spring sale in the campaign table of the reporting database."


def alone(number: int, request: str, file: str, old: str, new: str) -> ClaudeSession:
    """Something that came up once, by an agent that had to find out how tests are run here."""
    run = session(number, 11 - number / 2).prompt(request)
    run.edit(f"{SHOP}/{file}", old, new)
    run.bash("pytest -q", "bash: line 1: pytest: command not found", 127)
    run.bash("uv run pytest -q", "214 passed in 20.41s")
    return run.reply(f"Done: {file} says so now, and the tests pass.")


def sessions() -> list[ClaudeSession]:
    """All of them."""
    return [
        deadlock(0),
        deadlock(1, retried=True),
        deadlock(2, retried=True, solved=False),
        deadlock(3),
        certificate(4, "The proxy serves an expired certificate.", set_right=True),
        certificate(5, "The TLS certificate of the proxy was renewed but is not used.", set_right=True),
        certificate(6, "A renewed certificate is not picked up by the proxy.", set_right=False),
        alone(10, "Rename the gallery to showroom.", "pages/gallery.py", "Gallery", "Showroom"),
        alone(11, "Letters go out twice when the worker is slow; send each once.", "mail/outbox.py", "send(letter)", "send_once(letter)"),
        alone(12, "Show prices in the currency of the visitor's country.", "catalog/money.py", "format(amount)", "format(amount, locale)"),
        alone(13, "The search box forgets accents: cafe should find café.", "search/fold.py", "text.lower()", "fold(text)"),
        session(14, 3).prompt("What does the nightly job do?").reply("It archives carts that nobody touched for thirty days."),
        session(16, 5).prompt(f"{VOUCHERS} Which are still valid?").reply("Four: FLORA, IRIS, MAY and TULIP."),
        session(17, 4).prompt(f"{VOUCHERS} Which were used most?").reply("TULIP, 212 times; MAY came next with 97."),
        session(15, 2).prompt("Translate the imprint to Dutch.").edit(f"{SHOP}/pages/imprint.nl.md", "", "# Colofon").reply("Translated."),
    ]


def make_page() -> str:
    """The page, as `diarist synthesize` writes its report at `NOW`."""
    from diarist.bootstrap import open_memory
    from diarist.stages.synthesis import render_report

    with tempfile.TemporaryDirectory() as folder:
        for each in sessions():
            each.write(Path(folder) / "sessions")
        environ = {"HOME": folder, "DIARIST_ACTOR": "kim"}
        with open_memory(Path(folder) / "workspace", environ=environ, now=lambda: NOW) as memory:
            memory.ingest([Path(folder) / "sessions"])
            report = memory.synthesize(now=NOW, project=SHOP)
    return f"{_HEAD}`````markdown\n{render_report(report)}`````\n"


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf-8")
