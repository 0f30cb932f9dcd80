"""Backups: one file that holds the whole workspace as it was at one moment, checked after it was written.

    manifest.json      {"format": "diarist-backup/1", "made_at": …, "workspace_id": …, "seq": n, "files": {name: SHA-256}}
    store.zst          `diarist export --format store`: records, history, tombstones and their key, sources, ledger, evidence
    files/…            what lies beside the store and cannot be made anew: sessions left out, places of projects

A tar archive. It is as confidential as the workspace; nothing in it is a secret of a transcript, since all was redacted.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

import msgspec

from diarist.app.backup_drafts import draft_folder
from diarist.app.moving import export_store, import_store
from diarist.durable import sync_folder
from diarist.errors import InvalidInputError, StoreCorruptError, StoreFullError
from diarist.model.machinery import Backup

if TYPE_CHECKING:
    from diarist.app.moving import Progress
    from diarist.app.toolbox import Toolbox

FORMAT = "diarist-backup/1"
MANIFEST, STORE, DRAFT = "manifest.json", "store.zst", "backup.tar"
MAX_MANIFEST = 16 << 20
MAX_FILE = 1 << 20
MAX_FILES = 100_000
_BESIDE = ("left-out/*", "projects/*/checkout")
"""What lies beside the store and goes with it."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup says of itself."""

    format: str = FORMAT
    made_at: datetime
    workspace_id: str
    seq: int
    """The last change it holds."""
    files: dict[str, str]
    """SHA-256 (64 hex digits) by name of everything else in the archive."""


def back_up(box: Toolbox, target: Path, on_progress: Progress | None = None) -> Manifest:
    """Writes a backup while others go on working, reads it back, and notes that it was made.

    Raises
    ------
    StoreFullError
        It cannot be written there; nothing is left of it.
    InvalidInputError
        There is a file of that name already.
    """
    if target.exists():
        raise InvalidInputError(f"{target} is there already; a backup never overwrites one. Choose another name.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with draft_folder(box.settings.workspace, target.parent) as folder:
            store, draft = folder / STORE, folder / DRAFT
            seq = box.store.last_seq()
            export_store(box, store, on_progress)
            manifest = _write(box, draft, store, seq)
            read_manifest(draft, check=True)
            draft.rename(target)
            sync_folder(target.parent)
    except OSError as error:
        raise StoreFullError(
            f"the backup {target} cannot be written ({error.strerror or error}). Free some space, or choose another place."
        ) from error
    with box.store.transaction(actor=box.actor, at=box.now()) as tx:
        tx.put_backup(Backup(box.reader().redactor.redact(str(target)), manifest.made_at, manifest.seq))
    return manifest


def _write(box: Toolbox, draft: Path, store: Path, seq: int) -> Manifest:
    workspace = box.settings.workspace
    beside = [path for pattern in _BESIDE for path in sorted(workspace.glob(pattern)) if path.is_file() and not path.is_symlink()]
    small = {f"files/{path.relative_to(workspace).as_posix()}": path.read_bytes()[:MAX_FILE] for path in beside[:MAX_FILES]}
    files = {STORE: _digest(store), **{name: hashlib.sha256(data).hexdigest() for name, data in small.items()}}
    manifest = Manifest(made_at=box.now(), workspace_id=box.store.workspace_id(), seq=seq, files=files)
    descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
            _add(archive, MANIFEST, msgspec.json.encode(manifest))
            for name, data in small.items():
                _add(archive, name, data)
            info = tarfile.TarInfo(STORE)
            info.size, info.mode = store.stat().st_size, 0o600
            with store.open("rb") as content:
                archive.addfile(info, content)
        stream.flush()
        os.fsync(stream.fileno())
    return manifest


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), 0o600
    archive.addfile(info, io.BytesIO(data))


def read_manifest(source: Path, *, check: bool = False) -> Manifest:
    """The manifest of a backup; with `check` every digest in it is compared with what the archive holds.

    Raises
    ------
    InvalidInputError
        It is no backup, or cannot be read.
    StoreCorruptError
        It is damaged: names the part.
    """
    manifest: Manifest | None = None
    seen = {}
    with _reading(source):
        for name, stream, size in _members(source):
            if name == MANIFEST:
                manifest = _manifest(stream.read(MAX_MANIFEST), source)
                if not check:
                    return manifest
            else:
                seen[name] = _digest_of(stream, size)
    if manifest is None:
        raise InvalidInputError(f"{source} is no backup that Diarist wrote: it has no manifest")
    for name, digest in manifest.files.items():
        if seen.get(name) != digest:
            raise StoreCorruptError(f"the backup {source} is damaged: {name} is not what its manifest says. Use another one.")
    return manifest


def unpack(source: Path, folder: Path) -> Path:
    """Puts what lies beside the store into a workspace folder; returns the store's file, beside that folder.

    Raises as `read_manifest` does. Names that lead elsewhere are refused.
    """
    manifest = read_manifest(source, check=True)
    store = folder.with_name(f"{folder.name}.{STORE}")
    for name, stream, _ in _members(source):
        if name == STORE:
            with os.fdopen(os.open(store, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as target:
                shutil.copyfileobj(stream, target, 1 << 20)
        elif name in manifest.files and name.startswith("files/"):
            place = folder.joinpath(*PurePosixPath(name).parts[1:])
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(os.open(place, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as target:
                target.write(stream.read(MAX_FILE))
    return store


def fill(box: Toolbox, store: Path, on_progress: Progress | None = None) -> None:
    """Reads the store of a backup into a new workspace and checks it.

    Raises
    ------
    StoreCorruptError
        What came in is not whole; names the first break.
    """
    import_store(box, store, on_progress)
    faults = [*box.store.check_history(), *box.store.check_storage(), *_missing_chunks(box)]
    if faults:
        raise StoreCorruptError(f"the backup is damaged, nothing was restored: {faults[0]}")


def _missing_chunks(box: Toolbox) -> Iterator[str]:
    vault = box.reader().vault
    for agent, session in box.store.list_sessions():
        for part in box.store.get_parts(agent, session):
            for chunk in part.chunks:
                try:
                    vault.get(chunk)
                except Exception as error:  # noqa: BLE001 - whatever is wrong with it, it is not whole
                    yield f"evidence of session {session} of {agent}: {error}"


def _members(source: Path) -> Iterator[tuple[str, IO[bytes], int]]:
    """Plain files of the archive, in order, under safe names."""
    with source.open("rb") as file, tarfile.open(fileobj=file, mode="r|") as archive:
        for number, info in enumerate(archive):
            parts = PurePosixPath(info.name).parts
            safe = parts and not info.name.startswith("/") and not set(parts) & {"..", "."} and not set(info.name) & set("\\:\0")
            if not info.isreg() or not safe or number > MAX_FILES + 2:
                raise InvalidInputError(f"{source} is no backup that Diarist wrote: it holds {info.name[:80]!r}")
            stream = archive.extractfile(info)
            assert stream is not None
            yield info.name, stream, info.size


@contextmanager
def _reading(source: Path) -> Iterator[None]:
    """What can go wrong with an archive, in our words."""
    try:
        yield
    except OSError as error:
        raise InvalidInputError(f"{source} cannot be read ({error.strerror or error})") from error
    except (tarfile.TarError, EOFError) as error:
        raise InvalidInputError(f"{source} is no backup that Diarist wrote, or ends before its time ({error})") from error


def _manifest(data: bytes, source: Path) -> Manifest:
    try:
        made = msgspec.json.decode(data, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"{source} is no backup that Diarist wrote ({error})") from error
    if made.format != FORMAT:
        raise InvalidInputError(f"{source} has the form {made.format[:40]!r}, which a newer Diarist may know")
    return made


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _digest_of(stream: IO[bytes], size: int) -> str:
    digest = hashlib.sha256()
    while size > 0 and (block := stream.read(min(size, 1 << 20))):
        digest.update(block)
        size -= len(block)
    return digest.hexdigest()
