"""The vault gives back what it was given, or says that it cannot."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diarist.errors import InvalidInputError, NotFoundError
from diarist.ports import Vault


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(content=st.binary(max_size=2000))
def test_content_comes_back(vault: Vault, content: bytes) -> None:
    chunk_id = vault.put(content)
    assert chunk_id == hashlib.sha256(content).hexdigest()
    assert vault.get(chunk_id) == content
    vault.flush()
    assert vault.get(chunk_id) == content


@pytest.mark.parametrize("content", [b"", b"\n" * 5_000_000, bytes(range(256)) * 4000], ids=["empty", "repetitive", "mixed"])
def test_content_of_any_size_comes_back(vault: Vault, content: bytes) -> None:
    chunk_id = vault.put(content)
    vault.flush()
    assert vault.get(chunk_id) == content


def test_ids_are_listed_once_and_sorted(vault: Vault) -> None:
    assert list(vault.ids()) == []
    ids = {vault.put(str(number % 40).encode()) for number in range(80)}
    assert list(vault.ids()) == sorted(ids)
    vault.flush()
    vault.put(b"1")
    ids.add(vault.put(b"not flushed"))
    assert list(vault.ids()) == sorted(ids)


def test_a_deleted_chunk_is_gone_and_can_be_put_again(vault: Vault) -> None:
    kept, early = vault.put(b"a"), vault.put(b"b")
    vault.flush()
    late = vault.put(b"c")
    for chunk_id in (early, late, hashlib.sha256(b"never there").hexdigest()):
        vault.delete(chunk_id)
    vault.flush()
    assert list(vault.ids()) == [kept]
    with pytest.raises(NotFoundError, match=early):
        vault.get(early)
    assert vault.put(b"b") == early
    vault.flush()
    assert vault.get(early) == b"b"


@pytest.mark.parametrize("chunk_id", ["", "ab", "../" * 21 + "x", "AB" * 32, "g" * 64, "ab" * 32])
def test_what_is_no_chunk_is_not_found(vault: Vault, chunk_id: str) -> None:
    with pytest.raises(NotFoundError):
        vault.get(chunk_id)


def test_a_chunk_that_is_too_large_is_refused(vault: Vault) -> None:
    with pytest.raises(InvalidInputError, match="too large"):
        vault.put(bytes(64 * 1024 * 1024 + 1))


def test_threads_may_share_it(vault: Vault) -> None:
    def put(number: int) -> str:
        chunk_id = vault.put(str(number % 50).encode() * 100)
        if number % 7 == 0:
            vault.flush()
        return chunk_id

    with ThreadPoolExecutor(4) as pool:
        ids = set(pool.map(put, range(200)))
    vault.flush()
    assert list(vault.ids()) == sorted(ids)
    assert all(hashlib.sha256(vault.get(chunk_id)).hexdigest() == chunk_id for chunk_id in ids)
