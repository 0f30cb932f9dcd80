"""Work that was claimed, not done, and then done: the agent says that it changed something, the person says that it did not.

Neither word is believed by itself. That the turn in between changed no file, and that a later one does, is seen.
"""

from __future__ import annotations

import re
from itertools import pairwise

from diarist.model.entry import Signal
from diarist.model.redacted import derived
from diarist.stages.distil.ledger import Asked, Ledger, Said
from diarist.text.clip import clip
from diarist.text.lazy import lazy

_LONGEST = 1_500
"""Characters of a request: who says that nothing was changed says it briefly."""
_CLAIMS = lazy(
    r"\b(?:i(?:'ve| have)?(?: now| just| also)? (?:updated|fixed|added|implemented|changed|created|modified|removed|refactored|applied|"
    r"rewr(?:ote|itten)|replaced|moved|renamed|deleted)|(?:has|have) been (?:\w+ly )?(?:updated|fixed|added|implemented|changed|created|"
    r"modified|removed|applied|replaced|moved|renamed|deleted)|(?:all )?done\b|"
    r"ich habe\b.{0,120}\b(?:geändert|behoben|hinzugefügt|angepasst|implementiert|erstellt|entfernt|ersetzt)|"
    r"j'ai (?:modifié|corrigé|ajouté|implémenté|créé|supprimé|remplacé)|"
    r"he (?:actualizado|corregido|añadido|implementado|cambiado|creado|eliminado))|"
    r"(?:変更|修正|追加|実装|更新)(?:し|を行い)ました|已(?:经)?(?:修改|修复|更新|添加|实现)",
    re.IGNORECASE | re.DOTALL,
)
_DENIES = lazy(
    r"\b(?:nothing (?:has |was |actually )?(?:changed|happened|done)|"
    r"no (?:file|files|change|changes|edit|edits|diff)(?: (?:were|was|have been|has been) (?:made|applied|changed|written|edited|saved))|"
    r"(?:did|do|does|have|has|had|was|were)(?:n'?t| not|nt) (?:actually |really |even )?"
    r"(?:chang\w+|edit\w*|modif\w+|appl(?:y|ied)|writ\w+|saved?|touch\w*|updated?|"
    r"do anything|done anything|been (?:changed|edited|modified|applied|written|saved|updated))|"
    r"(?:file|files|code|it|they|diff)(?:'s| is| are) (?:still )?(?:exactly )?(?:the same|unchanged|empty)|"
    r"i (?:see|have) no (?:change|changes|diff)|"
    r"nichts (?:geändert|passiert|verändert)|keine änderung(?:en)?|unverändert|nicht (?:geändert|gespeichert|angewendet)|"
    r"rien (?:n'a )?(?:changé|été)|aucune? (?:modification|changement)|n'as rien|"
    r"no (?:has|ha|se ha) cambiado|ning[úu]n cambio|sin cambios)\b|"
    r"変わっていません|変わってない|変更されて(?:い)?ない|没有(?:任何)?(?:改变|变化|修改|更改)|没改",
    re.IGNORECASE,
)


def claims_work(text: str) -> bool:
    """Does an agent say in it that it changed something?"""
    return _CLAIMS.search(text) is not None


def repaired_noops(ledger: Ledger) -> list[Signal]:
    """One signal each time it happened, with the steps of the claim, of what the person said, and of the first change after it."""
    prompts = list(ledger.prompts)
    if len(prompts) < 2 or not ledger.writes:
        return []
    found: list[Signal] = []
    for before, prompt in pairwise(prompts):
        if len(prompt.text) > _LONGEST or not _DENIES.search(prompt.text):
            continue
        claim = _claim(ledger, before, prompt)
        done = next((change.step for change in ledger.changed if change.step > prompt.step), None)
        if claim is not None and done is not None:
            detail = derived(f"said to be done, then done: {clip(' '.join(prompt.text.split()), 120)}")
            found.append(Signal(name="no-op-repaired", detail=detail, steps=(claim.step, prompt.step, done)))
    return found


def _claim(ledger: Ledger, before: Asked, prompt: Asked) -> Said | None:
    """The last reply between two requests that claims a change, where nothing was changed between them."""
    if any(before.step < change.step < prompt.step for change in ledger.changed):
        return None
    said = [reply for reply in ledger.replies if before.step < reply.step < prompt.step and not reply.actor]
    return said[-1] if said and _CLAIMS.search(said[-1].text) else None
