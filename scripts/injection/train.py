"""Learns the weights of `diarist.text.injection_wording` and writes them beside it.

    python scripts/injection/train.py [--check]

Cases: `cases.jsonl` here, one `{"attack": true, "text": "…"}` a line, all written for this, and as harmless ones the paragraphs of
the documentation and some lines of the code. Logistic regression by AdaGrad in plain Python, in a fixed order, so that the same
cases give the same weights.
`--check`: learns from four fifths in turn and prints how many of the rest are found at each threshold, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from math import exp, sqrt
from pathlib import Path

from diarist.text.injection_wording import BUCKETS, SCALE, WEIGHTS, features, size, statements

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
ROUNDS, RATE, DECAY = 30, 0.7, 2e-4
_EVERY = 20
"""Of the lines of code one in so many is learned from."""
FOLDS = 5
THRESHOLDS = (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0)

Sample = tuple[list[int], float, float]
"""Buckets of a text, what is divided by, and 1 for an attack or -1."""


def cases() -> list[tuple[str, bool]]:
    """All texts, attacks and harmless ones; those of the project last."""
    read = [json.loads(line) for line in (HERE / "cases.jsonl").read_text("utf-8").splitlines()]
    told = [(case["text"], case["attack"]) for case in read]
    pages = [page.read_text("utf-8") for page in sorted((PROJECT / "docs").rglob("*.md"))]
    paragraphs = sorted({" ".join(part.split()) for page in pages for part in re.split(r"\n\s*\n", page)})
    code = [module.read_text("utf-8") for module in sorted((PROJECT / "src").rglob("*.py")) if "injection" not in module.name]
    lines = sorted({line.strip() for module in code for line in module.splitlines()})
    return told + [(text, False) for text in (*paragraphs, *lines[::_EVERY]) if 40 < len(text) < 600]


def samples(texts: list[tuple[str, bool]]) -> list[Sample]:
    """Of a long attack any statement may be the one; of a harmless text each is harmless."""
    made = []
    for text, attack in texts:
        for part in [text] if attack else statements(text.lower()):
            buckets = features(part.lower())
            made.append((buckets, size(buckets), 1.0 if attack else -1.0))
    return made


def learn(told: list[Sample]) -> tuple[float, list[float]]:
    """Bias and weights by bucket."""
    weights, slopes = [0.0] * BUCKETS, [1e-6] * BUCKETS
    bias, bias_slope = 0.0, 1e-6
    attacks = sum(side > 0 for _, _, side in told)
    share = {1.0: 0.5 * (len(told) - attacks) / max(attacks, 1), -1.0: 1.0}
    order = random.Random(7)  # noqa: S311 - the order of the samples, always the same
    for _ in range(ROUNDS):
        order.shuffle(told)
        for buckets, length, side in told:
            odds = bias + sum(weights[each] for each in buckets) / length
            pull = -side * share[side] / (1.0 + exp(max(-30.0, min(30.0, side * odds))))
            bias_slope += pull * pull
            bias -= RATE * pull / sqrt(bias_slope)
            for each in buckets:
                step = pull / length + DECAY * weights[each]
                slopes[each] += step * step
                weights[each] -= RATE * step / sqrt(slopes[each])
    return bias, weights


def odds_of(text: str, bias: float, weights: list[float]) -> float:
    """Log odds of the strongest statement of the text."""
    parts = [features(each) for each in statements(text.lower())]
    return max((bias + sum(weights[each] for each in part) / size(part) for part in parts), default=bias)


def check(texts: list[tuple[str, bool]]) -> None:
    """Prints the rates on texts that were not learned from."""
    found = []
    for fold in range(FOLDS):
        bias, weights = learn(samples([each for at, each in enumerate(texts) if at % FOLDS != fold]))
        found += [(odds_of(text, bias, weights), attack) for at, (text, attack) in enumerate(texts) if at % FOLDS == fold]
    for threshold in THRESHOLDS:
        rates = [
            sum(odds > threshold for odds, kind in found if kind is side) / sum(kind is side for _, kind in found) for side in (True, False)
        ]
        sys.stdout.write(f"above {threshold:4}: {rates[0]:.1%} of the attacks, {rates[1]:.1%} of the harmless\n")


def main() -> int:
    """Writes the weights, or prints how well they would do."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    texts = cases()
    if parser.parse_args().check:
        check(texts)
        return 0
    bias, weights = learn(samples(texts))
    Path(WEIGHTS).write_bytes(bytes(max(-127, min(127, round(each * SCALE))) & 0xFF for each in (bias, *weights)))
    sys.stdout.write(f"learned from {len(texts)} texts\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
