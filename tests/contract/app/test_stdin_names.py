"""What comes through standard input gets a name made from its bytes, and from the workspace's key."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec

from diarist.app.reading import name_bytes, source_key
from diarist.bootstrap import open_memory
from diarist.model.redacted import derived

TALK = "\n".join(json.dumps({"role": role, "content": text}) for role, text in (("user", "Mend it."), ("assistant", "Mended."))).encode()


def test_the_name_is_the_same_for_the_same_bytes_and_differs_between_workspaces(tmp_path: Path) -> None:
    """A guess of what the bytes were cannot be tried on it without the key."""
    names = []
    for workspace in ("one", "one", "two"):
        with open_memory(tmp_path / workspace) as memory:
            memory.ingest(stdin=TALK)
            names.append(name_bytes(memory._box.store, TALK))
            assert memory._box.store.get_source(source_key(names[-1])) is not None
    assert names[0] == names[1] != names[2]
    assert hashlib.sha256(TALK).hexdigest()[:16] not in str(names)


def test_what_came_before_names_were_keyed_stays_one_source(tmp_path: Path) -> None:
    """Under the name of then."""
    plain = Path(f"stdin-{hashlib.sha256(TALK).hexdigest()[:16]}")
    with open_memory(tmp_path / "w") as memory:
        memory.ingest(stdin=TALK)
        store = memory._box.store
        state = store.get_source(source_key(name_bytes(store, TALK)))
        assert state is not None
        with store.transaction(actor="t", at=memory.now()) as tx:
            tx.put_source(msgspec.structs.replace(state, key=source_key(plain), path=derived(str(plain))))
        assert name_bytes(store, TALK) == plain
