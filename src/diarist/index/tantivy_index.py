"""The Tantivy index: one folder a generation, one writer at a time, readers that never wait."""

# pathlib, tempfile and the like would cost a cold search more than opening the index does.
# ruff: noqa: PTH103, PTH105, PTH112, PTH113, PTH116, PTH118, PTH123
from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import tantivy

from diarist.errors import IndexUnavailableError
from diarist.index import folders
from diarist.index.folders import META, STATE
from diarist.index.freeing import give_back
from diarist.index.schema import (
    CREATED,
    ERRORS,
    MARKS,
    RECORD,
    SEQ,
    SET_ASIDE,
    TEXT,
    has_words,
    make_document,
    make_part,
    make_query,
    make_schema,
    mark,
    text_field,
)
from diarist.model.hit import Frequencies, Match, Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from diarist.model.record import Change, Record, SearchText

_HEAP = 64_000_000
"""Bytes one indexing thread collects before it writes a segment. One thread only: the same history gives the same ranking."""
_TIES = 16
"""Results asked for beyond the limit, so that equal scores at the edge come in a fixed order."""
_COMMON = 0.03
"""A term that more than this share of the records hold decides their order, and not which are looked at, where rarer terms stand
beside it: at a million records most of the time would go into lists of nearly all of them."""
_DULL = 0.6
"""A term that more than this share of them hold tells nothing there, and is left out."""
_FEWEST = 20
"""Records for each result asked for that the rarer terms have to find."""
_NONE: frozenset[str] = frozenset()
_ABOUT = mark("about", "")
_KNOWN = 50_000
"""Counts of terms that are remembered until the index changes."""


class _State(NamedTuple):
    """What the engine does not keep: change-log position, and documents ever added with their different terms."""

    position: int = 0
    documents: int = 0
    terms: int = 0


class TantivyIndex:
    """Implements `ports.Index`."""

    def __init__(self, folder: str, *, read_only: bool, exactly: bool = False) -> None:
        """`exactly`: the folder is a generation itself, and not where the generations are."""
        self._root = folder
        self._exactly = exactly
        self._folder = folder if exactly else folders.current(folder)
        self._read_only = read_only
        self._index: Any = None
        self._wrote = False
        self._schema = make_schema()
        self._seen: tuple[int, int] = (-1, -1)
        self._state: tuple[tuple[int, int], _State] = ((-1, -1), _State())
        self._counts: dict[tuple[str, str], int] = {}
        if read_only:
            self._open()
        else:
            self._prepare()

    # --- life cycle -------------------------------------------------------------------------------------------------------

    def position(self) -> int:
        """Change-log `seq` up to which it is current; 0 for a new one."""
        return self._read_state().position

    @contextmanager
    def renewed(self) -> Iterator[TantivyIndex]:
        """An empty index that takes this one's place when the block is left normally; until then everybody searches this one.

        Raises
        ------
        IndexUnavailableError
            It was opened for reading only, or the folder cannot be written.
        """
        if self._read_only:
            raise IndexUnavailableError("the search index was opened for reading only")
        with _guarded("made anew"):
            made = folders.draft(self._root)
        try:
            fresh = TantivyIndex(made, read_only=False, exactly=True)
            yield fresh
            fresh.close()
            with _guarded("put in its place"):
                self._folder = folders.publish(self._root, made)
        except BaseException:
            folders.remove(made)
            raise
        self._open()
        folders.sweep(self._root, self._folder)

    def close(self) -> None:
        """Lets go of all files, and of the memory it took to write."""
        self._index = None
        if self._wrote:
            give_back()

    def _prepare(self) -> None:
        """Opens the index for writing, empty where it is missing or cannot be read."""
        try:
            os.makedirs(self._root, mode=0o700, exist_ok=True)
        except OSError as error:
            raise IndexUnavailableError(f"the search index {self._root} cannot be made: {error.strerror or error}") from error
        there = os.path.isdir(self._folder)
        try:
            self._open()
        except IndexUnavailableError:
            self._make_anew(damaged=there)
        if not self._exactly:
            folders.sweep(self._root, self._folder)

    def _make_anew(self, *, damaged: bool) -> None:
        """An empty index in place of a missing or damaged one: this process's, or that of another which was quicker."""
        with _guarded("made"):
            if self._exactly:
                tantivy.Index(self._schema, path=self._folder)
            else:
                made = folders.draft(self._root)
                tantivy.Index(self._schema, path=made)
                self._folder = folders.claim(self._root, made, self._folder, damaged=damaged)
        self._open()

    def _open(self) -> None:
        """Opens the newest generation. Other processes may put newer ones in its place meanwhile and remove this one."""
        while True:
            try:
                self._open_folder()
            except IndexUnavailableError:
                newest = self._folder if self._exactly else folders.current(self._root)
                if newest == self._folder:
                    raise
                self._folder = newest
            else:
                return

    def _open_folder(self) -> None:
        if not os.path.isfile(os.path.join(self._folder, META)):
            raise IndexUnavailableError(
                f"there is no search index of this version in {self._root}. `diarist index rebuild` makes it from the store."
            )
        with _guarded("read"):
            self._counts.clear()
            self._seen = self._stamp()
            self._index = folders.open_index(self._folder)
            self._index.searcher()

    def _fresh(self) -> Any:
        """The engine's index, showing the last commit of any process, or the generation that took its place."""
        seen = self._stamp()
        if self._index is None or seen != self._seen:
            self._counts.clear()
            newest = self._folder if self._exactly else folders.current(self._root)
            if self._index is None or newest != self._folder or not os.access(self._folder, os.W_OK):
                self._folder = newest
                self._open()
            else:
                self._index.reload()
                self._seen = seen
        return self._index

    def _stamp(self) -> tuple[int, int]:
        return _stamp_of(os.path.join(self._folder, META))

    def _read_state(self) -> _State:
        path = os.path.join(self._folder, STATE)
        stamp = _stamp_of(path)
        if stamp != self._state[0]:
            try:
                with open(path, "rb") as file:
                    self._state = (stamp, _State(**json.load(file)))
            except (OSError, ValueError, TypeError):
                self._state = (stamp, _State())
        return self._state[1]

    def _write_state(self, state: _State) -> None:
        """Written after the commit: what a crash between the two leaves out is applied again, to the same effect."""
        target = os.path.join(self._folder, STATE)
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
                        state = state._replace(documents=state.documents + bool(terms), terms=state.terms + terms)
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
            self._wrote = True

    def beside_removed(self) -> list[int]:
        """`seq` of the records that lie in one part of it with removed ones, whose words are still in its files."""
        from diarist.index.purging import documents_beside_removed

        with _guarded("searched"):
            return documents_beside_removed(self._folder, self._fresh().searcher())

    def is_pure(self) -> bool:
        """Lets go of files that are not needed any more; True where nothing of removed records is left in those that are."""
        from diarist.index.purging import is_pure

        with _guarded("written"):
            self._open()  # what this process had open is given back
            with self._writer() as writer:
                writer.garbage_collect_files()
            return is_pure(self._folder)

    # --- reading ----------------------------------------------------------------------------------------------------------

    def search(self, query: Query, limit: int) -> list[Match]:
        """Best first; equal scores by seq, newest first. Filters alone: the newest first, all with score 0."""
        with _guarded("searched"):
            searcher = self._fresh().searcher()
            words, depth = has_words(query), limit + _TIES
            if query.about and not self._tells_of_others(searcher):
                return []
            if not words:
                built = make_query(self._schema, query) or tantivy.Query.all_query()
                hits = [(0.0, at) for _, at in searcher.search(built, depth, count=False, order_by_field=CREATED).hits]
            else:
                common, dull = self._common(query, depth)
                told = query._replace(terms=tuple(term for term in query.terms if term not in dull)) if dull else query
                hits = searcher.search(make_query(self._schema, told, common), depth, count=False).hits
                if common and len(hits) < depth:  # filters left few of them
                    hits = searcher.search(make_query(self._schema, query), depth, count=False).hits
            numbers = searcher.fast_field_values(SEQ, [address for _, address in hits])
        order = [-score for score, _ in hits] if words else list(range(len(hits)))
        ranked = sorted(zip(order, [-(number or 0) for number in numbers], [score for score, _ in hits], strict=True))
        return [Match(-number, score) for _, number, score in ranked[:limit]]

    def _tells_of_others(self, searcher: Any) -> bool:
        """Whether any record says of another one that it is superseded, or stands; in many stores none does."""
        key = (MARKS, _ABOUT)
        if key not in self._counts:
            self._counts[key] = len(searcher.terms_with_prefix(MARKS, _ABOUT, limit=1))
        return self._counts[key] > 0

    def _common(self, query: Query, depth: int) -> tuple[frozenset[str], frozenset[str]]:
        """Terms that need not be looked for, and those of them that need not count: rarer ones beside them find enough records."""
        if query.phrases or query.fingerprints or len(query.terms) < 2 or text_field(query) != TEXT:
            return _NONE, _NONE
        found = self.frequencies(query.terms, errors_only=query.errors_only)
        common = frozenset(term for term in query.terms if found.counts[term] > _COMMON * found.records)
        rarer = sum(found.counts[term] for term in query.terms if term not in common)
        if rarer < _FEWEST * depth:
            return _NONE, _NONE
        return common, frozenset(term for term in common if found.counts[term] > _DULL * found.records)

    def frequencies(self, terms: Sequence[str], *, errors_only: bool = False) -> Frequencies:
        """How common analysed terms are. Deleted records count until the engine merges them away."""
        field = ERRORS if errors_only else TEXT
        with _guarded("searched"):
            searcher = self._fresh().searcher()
            known = self._counts
            if len(known) > _KNOWN:
                known.clear()
            counts: dict[str, int] = {}
            for term in terms:
                count = known.get((field, term))
                if count is None:
                    count = known[field, term] = searcher.doc_freq(field, term)
                counts[term] = count
            records = searcher.num_docs - searcher.doc_freq(MARKS, mark("kind", SET_ASIDE))
            state = self._read_state()
            return Frequencies(max(records, 0), counts, state.terms / state.documents if state.documents else 0.0)

    def term_scores(self, seq: int, terms: Sequence[str]) -> dict[str, float]:
        """What each of the terms adds to the score of the record; those it does not hold are left out."""
        with _guarded("searched"):
            searcher = self._fresh().searcher()
            _, dull = self._common(Query(terms=tuple(terms)), _TIES)
            found = {term: searcher.search(make_part(self._schema, seq, term), 1, count=False).hits for term in terms if term not in dull}
            return {term: hits[0][0] for term, hits in found.items() if hits}

    def check(self) -> list[str]:
        """What is wrong with its own files, one line each."""
        from diarist.index.soundness import unsound_files

        return unsound_files(self._folder if self._exactly else folders.current(self._root))

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


def _stamp_of(path: str) -> tuple[int, int]:
    """Another one means that the file was replaced; (0, 0) where there is none."""
    try:
        stat = os.stat(path)
    except OSError:
        return (0, 0)
    return (stat.st_mtime_ns, stat.st_ino)


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
