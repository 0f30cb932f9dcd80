"""What the usual programs are for. Data for `commands`; one row a family, so that a new tool is one word more."""

from __future__ import annotations

import re
from collections.abc import Mapping

from diarist.model.entry import CommandKind
from diarist.stages.distil.words import word_set
from diarist.text.lazy import lazy


def _table(rows: Mapping[CommandKind, str]) -> dict[str, CommandKind]:
    return {name: kind for kind, names in rows.items() for name in names.split()}


PROGRAMS = _table(
    {
        "test": """pytest py.test nose2 nosetests unittest doctest trial stestr tox nox behave robot jest vitest mocha ava tap tape
            jasmine karma
            playwright cypress testcafe wdio rspec minitest cucumber phpunit pest codecept behat ctest gtest bats shellspec busted prove
            gotestsum ginkgo nextest tarpaulin testthat kotest runtests runtests.py xctest swift-testing hspec-discover elm-test
            trunk-test""",
        "typecheck": """mypy pyright basedpyright pytype pyre ty tsc tsgo vue-tsc svelte-check flow sorbet srb steep phpstan psalm
            phan dialyzer
            typecheck attw""",
        "lint": """ruff flake8 pylint black isort autopep8 yapf pycodestyle pydocstyle bandit eslint eslint_d biome prettier oxlint
            standard xo
            stylelint tslint dprint markdownlint markdownlint-cli2 golangci-lint staticcheck revive gofmt gofumpt goimports clippy
            rustfmt rubocop
            standardrb brakeman erb_lint shellcheck shfmt hadolint yamllint actionlint ansible-lint tflint tfsec checkov ktlint detekt
            checkstyle
            spotbugs pmd spotless phpcs phpcbf php-cs-fixer pint clang-tidy clang-format cppcheck cpplint sqlfluff buf vale codespell
            pre-commit
            lint-imports import-linter vulture knip depcheck lint-staged commitlint djlint credo swiftlint swiftformat hlint jsonlint
            vet fmt""",
        "build": """make gmake cmake ninja meson bazel bazelisk buck2 gradle gradlew mvn mvnw ant sbt mill lein webpack rollup esbuild
            vite parcel
            tsup tsdown swc turbo gcc g++ cc c++ clang clang++ rustc javac kotlinc scalac ghc msbuild xcodebuild xcrun swiftc zig hugo
            jekyll mkdocs
            sphinx-build latexmk pdflatex xelatex tectonic goreleaser nix-build electron-builder protoc cabal stack dune ldc2 wasm-pack
            maturin
            ncc f2py cythonize build setuptools""",
        "install": "pip pip3 pipx conda mamba micromamba apt apt-get dnf yum apk pacman brew gem cpan cpanm luarocks choco winget "
        "scoop corepack nvm",
        "run": """python python3 node deno ruby php perl lua java Rscript julia psql mysql sqlite3 mongosh redis-cli docker
            docker-compose podman
            kubectl helm terraform tofu pulumi ansible ansible-playbook vagrant aws gcloud az flyctl vercel netlify heroku curl wget http
            flask uvicorn gunicorn streamlit django-admin ts-node tsx nodemon pm2 serve storybook expo electron ollama ipython jupyter R
            alembic prisma sequelize knex flyway liquibase dbt uv uvx k6 wrk hyperfine""",
        "vcs": "git gh hg svn jj glab git-lfs sl fossil cvs",
        "search": """grep egrep fgrep rg ag ack find fd fdfind ls ll cat bat head tail less more tree wc awk gawk which where whereis
            type locate
            jq yq file stat du df diff cmp comm nl od xxd strings readlink realpath basename dirname pwd printenv env ps lsof netstat
            lsd eza
            pgrep ast-grep sort uniq cut search_dir search_file find_file open goto scroll_down scroll_up sed man date whoami uname
            hostname id""",
    }
)

SUBCOMMANDS: dict[str, dict[str, CommandKind]] = {
    "go": _table(
        {
            "test": "test",
            "build": "build install generate",
            "lint": "vet fmt fix",
            "install": "get mod work",
            "run": "run tool",
            "search": "list doc env version",
        }
    ),
    "cargo": _table(
        {
            "test": "test nextest t bench tarpaulin insta",
            "build": "build b rustc doc package publish",
            "typecheck": "check c",
            "lint": "clippy fmt fix deny audit machete",
            "install": "add install update fetch remove",
            "run": "run r",
            "search": "tree metadata search",
        }
    ),
    "dotnet": _table(
        {"test": "test vstest", "build": "build publish pack msbuild", "lint": "format", "install": "restore add tool", "run": "run ef"}
    ),
    "mvn": _table(
        {
            "test": "test verify surefire:test failsafe:integration-test",
            "build": "compile package install deploy test-compile",
            "lint": "checkstyle:check spotless:check",
        }
    ),
    "swift": _table({"test": "test", "build": "build", "run": "run", "install": "package"}),
    "zig": _table({"test": "test", "build": "build", "lint": "fmt", "run": "run"}),
    "mix": _table(
        {"test": "test", "build": "compile release", "lint": "format credo", "install": "deps.get", "run": "run phx.server ecto.migrate"}
    ),
    "flutter": _table({"test": "test drive", "build": "build", "lint": "analyze format", "install": "pub", "run": "run"}),
    "dart": _table({"test": "test", "build": "compile", "lint": "analyze format", "install": "pub", "run": "run"}),
    "deno": _table(
        {"test": "test", "lint": "lint fmt", "typecheck": "check", "run": "run", "install": "add install", "build": "compile bundle"}
    ),
    "bazel": _table({"test": "test", "build": "build", "run": "run", "search": "query"}),
    "stack": _table({"test": "test", "build": "build", "run": "exec run ghci"}),
    "cabal": _table({"test": "test", "build": "build", "run": "run repl"}),
    "dune": _table({"test": "test runtest", "build": "build", "run": "exec", "lint": "fmt"}),
    "sbt": _table({"test": "test testOnly testQuick", "build": "compile package assembly", "run": "run"}),
    "docker": _table({"build": "build buildx", "install": "pull", "search": "ps images logs inspect"}),
    "podman": _table({"build": "build", "install": "pull", "search": "ps images logs inspect"}),
    "docker-compose": _table({"build": "build", "install": "pull", "search": "ps logs"}),
    "terraform": _table(
        {"typecheck": "validate", "lint": "fmt", "install": "init", "run": "plan apply destroy import", "search": "show output state"}
    ),
    "tofu": _table({"typecheck": "validate", "lint": "fmt", "install": "init", "run": "plan apply destroy import"}),
    "helm": _table({"lint": "lint template", "run": "install upgrade", "search": "list status get"}),
    "kubectl": _table({"search": "get describe logs explain top", "run": "apply delete rollout exec create"}),
    "next": _table({"build": "build", "lint": "lint", "run": "dev start"}),
    "nuxt": _table({"build": "build generate", "run": "dev", "typecheck": "typecheck"}),
    "vite": _table({"build": "build", "run": "dev preview serve"}),
    "astro": _table({"build": "build", "typecheck": "check", "run": "dev"}),
    "ng": _table({"test": "test e2e", "build": "build", "lint": "lint", "run": "serve"}),
    "expo": _table({"build": "export build prebuild", "run": "start", "install": "install"}),
    "rails": _table({"test": "test", "run": "server runner console db:migrate generate"}),
    "artisan": _table({"test": "test", "run": "migrate serve tinker"}),
    "symfony": _table({"run": "console serve", "lint": "check:requirements"}),
    "django-admin": _table({"test": "test", "typecheck": "check"}),
    "django": _table({"test": "test", "typecheck": "check", "run": "migrate makemigrations runserver shell"}),
    "manage.py": _table({"test": "test", "typecheck": "check", "run": "migrate makemigrations runserver shell"}),
    "setup.py": _table({"test": "test", "build": "build build_ext sdist bdist_wheel", "install": "install develop"}),
    "pip": _table({"search": "list show freeze check"}),
    "pip3": _table({"search": "list show freeze check"}),
    "uv": _table({"install": "sync add remove pip lock venv tool python", "build": "build publish"}),
    "poetry": _table({"install": "install add remove update lock", "build": "build publish", "typecheck": "check"}),
    "pdm": _table({"install": "install add remove update lock sync", "build": "build"}),
    "hatch": _table({"build": "build", "test": "test", "lint": "fmt"}),
    "rye": _table({"install": "sync add", "test": "test", "lint": "lint fmt", "build": "build"}),
    "bundle": _table({"install": "install add update"}),
    "composer": _table({"install": "install require update dump-autoload", "typecheck": "validate"}),
    "npm": _table(
        {
            "install": "i install ci add update uninstall remove rm link",
            "test": "t tst",
            "build": "publish pack",
            "search": "ls list view outdated",
            "lint": "audit",
            "run": "start init create",
        }
    ),
    "pnpm": _table(
        {"install": "i install add update remove rm", "build": "publish pack", "search": "ls list why", "run": "start create init"}
    ),
    "yarn": _table({"install": "install add upgrade remove", "build": "publish pack", "search": "list why", "run": "start create init"}),
    "bun": _table({"install": "i install add remove", "test": "test", "build": "build", "run": "start create init"}),
    "git": {},
    "ruff": {},
    "conda": _table({"search": "list info", "run": "activate"}),
    "nx": _table({"test": "test e2e", "build": "build", "lint": "lint format", "run": "serve"}),
    "playwright": _table({"test": "test", "install": "install"}),
    "prisma": _table({"build": "generate", "run": "migrate db", "typecheck": "validate", "lint": "format"}),
}
"""First word that is no option decides, where it is listed; else the program's own kind."""

RUNNERS = word_set(
    """
    npm pnpm yarn bun deno make gmake just task mise rake invoke inv poe pdm hatch composer turbo nx gradle gradlew lerna rush moon doit
    ant grunt gulp wireit earthly melos cargo-make xtask scons mage
    """
)
"""Programs that run a task the project named: its name says what for."""

_TASK_WORDS: tuple[tuple[CommandKind, re.Pattern[str]], ...] = (
    ("install", re.compile(r"(?:^|[:_./\-])(?:install|setup|bootstrap|deps|dependencies|ci-install)\b")),
    ("typecheck", re.compile(r"type-?s?check|check-?types?|(?:^|[:_./\-])(?:types?|tsc|mypy|pyright)(?:$|[:_./\-])|check:ts")),
    (
        "lint",
        re.compile(
            r"(?:^|[:_./\-])(?:lint\w*|fmt|format\w*|style|eslint|prettier|clippy|vet|spotless\w*|checkstyle\w*|ktlint\w*|detekt)(?:$|"
            r"[:_./\-A-Z])"
        ),
    ),
    (
        "test",
        re.compile(
            r"(?:^|[:_./\-])(?:(?:unit|all)?tests?|e2e|spec|specs|check-?all|verify|coverage|integration|smoke|ci|jest|vitest|"
            r"pytest)(?:$|[:_./\-A-Z])|Test(?:s|$)"
        ),
    ),
    ("typecheck", re.compile(r"(?:^|[:_./\-])check(?:$|[:_./\-])")),
    (
        "build",
        re.compile(
            r"(?:^|[:_./\-])(?:build\w*|compile\w*|bundle|dist|package|assemble\w*|release|publish|all|docs?|generate|codegen|jar)(?:$|"
            r"[:_./\-A-Z])"
        ),
    ),
    ("run", re.compile(r"(?:^|[:_./\-])(?:dev|start|serve|run|watch|preview|migrate|seed|deploy|up|down|exec\w*)(?:$|[:_./\-])")),
)


TEST_CLASS = lazy(r"(?:^|[./$])(?:Test[A-Z]\w*|\w*[a-z]Tests?)$")
"""A compiled class whose name says that it tests."""


def task_kind(name: str) -> CommandKind | None:
    """What a task of a project's own runner is for, by its name: "lint:fix" → lint."""
    return next((kind for kind, pattern in _TASK_WORDS if pattern.search(name)), None)


TEST_FILE = lazy(
    r"(?:^|[/\\._\-])(?:run)?_?tests?(?:$|[/\\._\-])|(?:^|[/\\])test[A-Z_]|_spec\.|\.spec\.|\.test\.|runtests|_test\.\w+$", re.IGNORECASE
)
"""A script or path whose name says that it tests."""
