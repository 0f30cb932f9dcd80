"""The Tantivy index: one folder a version, one writer at a time, readers that never wait."""

# pathlib, tempfile and the like would cost a cold search more than opening the index does.
# ruff: noqa: PTH100, PTH103, PTH105, PTH108, PTH112, PTH113, PTH116, PTH118, PTH123, PTH208, PTH211
from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import tantivy

from diarist.errors import IndexUnavailableError
from diarist.index.schema import CREATED, ERRORS, RECORD, SEQ, TEXT, VERSION, has_words, make_document, make_query, make_schema
from diarist.model.hit import Frequencies, Match, Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from diarist.model.record import Change, Record, SearchText

_HEAP = 64_000_000
"""Bytes one indexing thread collects before it writes a segment. One thread only: the same history gives the same ranking."""
_TIES = 16
"""Results asked for beyond the limit, so that equal scores at the edge come in a fixed order."""
_META, _STATE = "meta.json", "state.json"


class _State(NamedTuple):
    """What the engine does not keep: change-log position, and documents ever added with their different terms."""

    position: int = 0
    documents: int = 0
    terms: int = 0


class TantivyIndex:
    """Implements `ports.Index`."""

    def __init__(self, folder: str, *, read_only: bool) -> None:
        self._root = folder
        self._folder = os.path.join(folder, _folder_name())
        self._read_only = read_only
        self._index: Any = None
        self._schema = make_schema()
        self._seen: tuple[int, int] = (-1, -1)
        if read_only:
            self._open()
        else:
            self._prepare()

    # --- life cycle -------------------------------------------------------------------------------------------------------

    def position(self) -> int:
        """Change-log `seq` up to which it is current; 0 for a new one."""
        return self._read_state().position

    def clear(self) -> None:
        """Empties it. Other processes go on reading what they have open.

        Raises
        ------
        IndexUnavailableError
            It was opened for reading only, or another process is writing it.
        """
        if self._read_only:
            raise IndexUnavailableError("the search index was opened for reading only")
        try:
            self._open()
        except IndexUnavailableError:
            self._make_anew()
            return
        with _guarded("emptied"):
            with self._writer() as writer:
                writer.delete_all_documents()
            self._write_state(_State())

    def close(self) -> None:
        """Lets go of all files."""
        self._index = None

    def _prepare(self) -> None:
        """Opens the index for writing, empty where it is missing or cannot be read."""
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            others = [name for name in os.listdir(self._root) if os.path.join(self._root, name) != self._folder]
        except OSError as error:
            raise IndexUnavailableError(f"the search index {self._root} cannot be made: {error.strerror or error}") from error
        try:
            self._open()
        except IndexUnavailableError:
            self._make_anew()
        for name in others:
            _remove(os.path.join(self._root, name))

    def _make_anew(self) -> None:
        """An empty index in place of a missing or damaged one."""
        _remove(os.path.join(self._folder, _STATE))
        if os.path.isfile(os.path.join(self._folder, _META)):
            _remove(self._folder)  # damaged; without that file, another process may be about to make it
        with _guarded("made"):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            self._index = tantivy.Index(self._schema, path=self._folder)

    def _open(self) -> None:
        if not os.path.isfile(os.path.join(self._folder, _META)):
            raise IndexUnavailableError(
                f"there is no search index of this version in {self._root}. `diarist index rebuild` makes it from the store."
            )
        with _guarded("read"):
            self._seen = self._stamp()
            self._index = _open_folder(self._folder)
            self._index.searcher()

    def _fresh(self) -> Any:
        """The engine's index, showing the last commit of any process."""
        if self._index is None:
            self._open()
        seen = self._stamp()
        if seen != self._seen:
            if os.access(self._folder, os.W_OK):
                self._index.reload()
                self._seen = seen
            else:
                self._open()
        return self._index

    def _stamp(self) -> tuple[int, int]:
        try:
            stat = os.stat(os.path.join(self._folder, _META))
        except OSError:
            return (0, 0)
        return (stat.st_mtime_ns, stat.st_ino)

    def _read_state(self) -> _State:
        try:
            with open(os.path.join(self._folder, _STATE), "rb") as file:
                return _State(**json.load(file))
        except (OSError, ValueError, TypeError):
            return _State()

    def _write_state(self, state: _State) -> None:
        """Written after the commit: what a crash between the two leaves out is applied again, to the same effect."""
        target = os.path.join(self._folder, _STATE)
        with open(target + ".new", "w", encoding="ascii") as file:
            json.dump(state._asdict(), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(target + ".new", target)

    # --- writing ----------------------------------------------------------------------------------------------------------

    def apply(self, changes: Iterable[tuple[Record, SearchText] | Change], position: int) -> None:
        """Brings it up to `position` in one commit. A `Change` among the items removes that record's earlier versions.

        Raises
        ------
        IndexUnavailableError
            Another process is writing, the disk is full, or the index is damaged.
        """
        if self._read_only:
            raise IndexUnavailableError("the search index was opened for reading only")
        state = self._read_state()._replace(position=position)
        with _guarded("written"):
            with self._writer() as writer:
                for item in changes:
                    record_id = item[0].id if isinstance(item, tuple) else item.record_id
                    writer.delete_documents_by_term(RECORD, record_id)
                    if isinstance(item, tuple):
                        document, terms = make_document(*item)
                        writer.add_document(document)
                        state = state._replace(documents=state.documents + 1, terms=state.terms + terms)
            self._write_state(state)

    @contextmanager
    def _writer(self) -> Iterator[Any]:
        """The engine's writer: commits when left normally, else leaves the index as it was; waits for merges, then frees its lock."""
        writer = self._fresh().writer(heap_size=_HEAP, num_threads=1)
        try:
            yield writer
            writer.commit()
        except BaseException:
            with suppress(Exception):
                writer.rollback()
            raise
        finally:
            writer.wait_merging_threads()

    # --- reading ----------------------------------------------------------------------------------------------------------

    def search(self, query: Query, limit: int) -> list[Match]:
        """Best first; equal scores by seq, newest first. Filters alone: the newest first, all with score 0."""
        built = make_query(self._schema, query)
        with _guarded("searched"):
            searcher = self._fresh().searcher()
            if built is None:
                built = tantivy.Query.all_query()
            if has_words(query):
                hits = searcher.search(built, limit + _TIES, count=False).hits
            else:
                hits = [(0.0, at) for _, at in searcher.search(built, limit + _TIES, count=False, order_by_field=CREATED).hits]
            numbers = searcher.fast_field_values(SEQ, [address for _, address in hits])
            order = [-score for score, _ in hits] if has_words(query) else list(range(len(hits)))
            ranked = sorted(zip(order, [-(number or 0) for number in numbers], [score for score, _ in hits], strict=True))
        return [Match(-number, score) for _, number, score in ranked[:limit]]

    def frequencies(self, terms: Sequence[str], *, errors_only: bool = False) -> Frequencies:
        """How common analysed terms are. Deleted records count until the engine merges them away."""
        field = ERRORS if errors_only else TEXT
        with _guarded("searched"):
            searcher = self._fresh().searcher()
            counts = {term: searcher.doc_freq(field, term) for term in terms}
            state = self._read_state()
            return Frequencies(searcher.num_docs, counts, state.terms / state.documents if state.documents else 0.0)

    def record_count(self) -> int:
        """Records it holds now."""
        with _guarded("searched"):
            return int(self._fresh().searcher().num_docs)

    def suggest(self, term: str) -> list[str]:
        """Indexed words a typo away, best first."""
        from diarist.index.typos import close_terms

        with _guarded("searched"):
            searcher = self._fresh().searcher()
            return close_terms(term, lambda prefix: searcher.terms_with_prefix(TEXT, prefix, limit=20_000))


def _folder_name() -> str:
    """One folder a version, so that nothing ever reads an index that was made otherwise."""
    return "v-" + VERSION.replace("/", "").replace(" ", "-")


def _open_folder(folder: str) -> Any:
    """Opens an index; the engine wants to put a lock file beside it, so a folder that may not be written is opened through links."""
    if os.access(folder, os.W_OK):
        return tantivy.Index.open(folder)
    import shutil
    import tempfile

    borrowed = tempfile.mkdtemp(prefix="diarist-index-")
    try:
        for name in os.listdir(folder):
            if not name.endswith(".lock"):
                _link(os.path.join(os.path.abspath(folder), name), os.path.join(borrowed, name))
        index = tantivy.Index.open(borrowed)
        index.searcher()  # maps all segments, so that the links are not needed any more
        return index
    finally:
        shutil.rmtree(borrowed, ignore_errors=True)


def _link(source: str, target: str) -> None:
    try:
        os.symlink(source, target)
    except (OSError, NotImplementedError):
        try:
            os.link(source, target)
        except OSError:
            import shutil

            shutil.copyfile(source, target)


def _remove(path: str) -> None:
    import shutil

    if os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(path)


@contextmanager
def _guarded(done: str) -> Iterator[None]:
    """Turns the engine's ways to fail into IndexUnavailableError; a damaged file makes it panic, which is no Exception."""
    try:
        yield
    except IndexUnavailableError:
        raise
    except BaseException as error:
        text = str(error)
        if "LockBusy" in text:
            raise IndexUnavailableError("another process is writing the search index; it will be brought up to date later") from error
        if type(error).__name__ == "PanicException" or isinstance(error, ValueError | OSError):
            reason = text.splitlines()[0][:200] if text else type(error).__name__
            raise IndexUnavailableError(f"the search index cannot be {done} ({reason}). `diarist index rebuild` makes it anew.") from error
        raise
