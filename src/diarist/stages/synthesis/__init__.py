"""Synthesis: entries → themes → a report that a person approves. Pure and deterministic; independent of input order.

intake = Intake(); item = intake.take(id, digest, gist)     # every entry of the window, then those of the time before
report = synthesize(intake, items, earlier, request)
markdown = render_report(report)
"""

from __future__ import annotations

from diarist.stages.synthesis.features import Features
from diarist.stages.synthesis.lessons import make_lesson, render_block
from diarist.stages.synthesis.lineage import Ancestor
from diarist.stages.synthesis.report import Approval, render_body, render_file, render_report, render_theme, report_fields
from diarist.stages.synthesis.runs import Intake, Item, Ranked
from diarist.stages.synthesis.synthesis import Request, check, synthesize, without

__all__ = [
    "Ancestor",
    "Approval",
    "Features",
    "Intake",
    "Item",
    "Ranked",
    "Request",
    "check",
    "make_lesson",
    "render_block",
    "render_body",
    "render_file",
    "render_report",
    "render_theme",
    "report_fields",
    "synthesize",
    "without",
]
