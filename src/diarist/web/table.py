"""The table of pages."""

from __future__ import annotations

from diarist.web import atlas, documents, finding, home, reviewing, ruling
from diarist.web.page import Page

PAGES: tuple[Page, ...] = (
    Page("GET", "/", home.home),
    Page("GET", "/live", home.live),
    Page("GET", "/search", finding.search),
    Page("GET", "/new", documents.create, "write"),
    Page("POST", "/new", documents.create, "write"),
    Page("GET", "/kb/{id}", documents.show),
    Page("GET", "/kb/{id}/raw", documents.raw),
    Page("GET", "/kb/{id}/history", documents.history),
    Page("POST", "/kb/{id}/revert", documents.revert, "write"),
    Page("GET", "/kb/{id}/edit", documents.edit, "write"),
    Page("POST", "/kb/{id}/edit", documents.edit, "write"),
    Page("GET", "/kb/{id}/transcript", documents.transcript),
    Page("GET", "/kb/{id}/transcript/{number}", documents.step),
    Page("GET", "/kb/{id}/near", documents.near),
    Page("GET", "/kb/{id}/verify", documents.verify),
    Page("POST", "/kb/{id}/feedback", documents.feedback, "write"),
    Page("GET", "/kb/{id}/erase", documents.erase, "admin"),
    Page("POST", "/kb/{id}/erase", documents.erase, "admin"),
    Page("GET", "/review", reviewing.queue),
    Page("GET", "/review/{id}", reviewing.show),
    Page("POST", "/review/{id}/decision", reviewing.decide, "review"),
    Page("POST", "/review/{id}/words", reviewing.reword, "review"),
    Page("GET", "/reports", reviewing.reports),
    Page("POST", "/reports", reviewing.draft, "review"),
    Page("GET", "/reports/{id}", reviewing.report),
    Page("GET", "/reports/{id}/raw", reviewing.report_file),
    Page("POST", "/reports/{id}/approve", reviewing.approve, "review"),
    Page("GET", "/skills", reviewing.skills),
    Page("GET", "/skills/{name}", reviewing.skill),
    Page("GET", "/projects", home.projects),
    Page("GET", "/trail", home.trail),
    Page("GET", "/trail/{workflow}", home.trail),
    Page("GET", "/map", atlas.show),
    Page("GET", "/map/points", atlas.points),
    Page("GET", "/keys", ruling.keys, "admin"),
    Page("POST", "/keys", ruling.add_key, "admin"),
    Page("POST", "/keys/revoke", ruling.revoke_key, "admin"),
    Page("GET", "/audit", ruling.audit, "admin"),
    Page("POST", "/logout", ruling.sign_out),
)
