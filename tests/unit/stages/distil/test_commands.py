"""Commands are understood through what stands around them."""

from __future__ import annotations

import pytest

from diarist.stages.distil.commands import understand


@pytest.mark.parametrize(
    ("text", "kind", "key"),
    [
        ("cd api && CI=1 uv run --group dev pytest -q tests/a.py 2>&1 | tail -3", "test", "pytest tests/a.py"),
        ("bash -lc 'cd web; npm run build'", "build", "npm run build"),
        ("timeout 60 npx tsc --noEmit", "typecheck", "tsc --noEmit"),
        ("python3 -m pytest -x", "test", "pytest"),
        ("sudo -E env FOO=1 make test", "test", "make test"),
        ("docker compose exec -T web python manage.py test shop", "test", "python manage.py test shop"),
        ("docker run --rm -v /x:/y image:1 cargo test", "test", "cargo test"),
        ("poetry run mypy src", "typecheck", "mypy src"),
    ],
)
def test_wrappers_are_seen_through(text: str, kind: str, key: str) -> None:
    command = understand(text)
    assert (command.kind, command.key) == (kind, key)


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (
            "test",
            [
                "go test ./...",
                "cargo nextest run",
                "npm t",
                "yarn test:unit",
                "mvn -q test",
                "./gradlew test",
                "dotnet test",
                "bundle exec rspec",
            ],
        ),
        (
            "test",
            [
                "python tests/runtests.py auth",
                "python test_cart.py",
                "node --test",
                "php artisan test",
                "ctest",
                "make check-all",
                "vendor/bin/phpunit",
            ],
        ),
        (
            "build",
            [
                "make",
                "cargo build --release",
                "npm run build",
                "go build ./cmd/x",
                "gcc -o x x.c",
                "docker build .",
                "javac A.java",
                "cmake --build .",
            ],
        ),
        (
            "lint",
            ["ruff check .", "golangci-lint run", "npx eslint src", "cargo clippy", "pre-commit run -a", "terraform fmt -check", "rubocop"],
        ),
        ("typecheck", ["npx tsc -p .", "pyright", "cargo check", "npm run typecheck", "terraform validate", "vendor/bin/phpstan analyse"]),
        (
            "install",
            ["pip install -e .", "npm ci", "pnpm add left-pad", "go mod tidy", "apt-get install -y jq", "uv sync", "bundle install"],
        ),
        (
            "run",
            [
                "python main.py",
                "node app.js",
                "cargo run",
                "kubectl apply -f x.yaml",
                "terraform apply",
                "psql -c 'select 1'",
                "npm start",
                "./run.sh",
            ],
        ),
        ("vcs", ["git status", "gh pr create", "hg log"]),
        ("search", ["grep -rn foo src", "rg foo", "ls -la", "sed -n 1,20p a.py", "kubectl get pods", "find . -name '*.go' | head"]),
        ("other", ["mkdir -p a", "rm -f x", "sed -i s/a/b/ f.py", "cat > a.txt <<E\nx\nE", "echo hi", ""]),
    ],
)
def test_kinds_of_the_usual_ecosystems(kind: str, texts: list[str]) -> None:
    assert {text: understand(text).kind for text in texts} == dict.fromkeys(texts, kind)


def test_the_weightiest_part_says_what_a_line_is_for() -> None:
    assert understand("npm ci && npm run lint && npm test").kind == "test"
    assert understand("git add -A && git commit -m 'pytest fixes'").kind == "vcs"


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("pytest", True),
        ("cd x && pytest && echo ok", True),
        ("pytest | tail -5", False),
        ("set -o pipefail; pytest | tee log", True),
        ("pytest || true", False),
        ("pytest; echo done", False),
        ("pytest -q 2>&1", True),
    ],
)
def test_the_exit_status_tells_only_where_it_is_the_check_s_own(text: str, tells: bool) -> None:
    assert understand(text).exit_tells is tells


def test_a_failure_of_a_later_command_is_not_blamed_on_the_check() -> None:
    assert understand("npm run lint; git stash pop").exit_blames is False
    assert understand("npm run lint && git push").exit_blames is True


def test_a_formatter_at_work_is_no_check_but_its_dry_run_is() -> None:
    assert not understand("npx prettier --write .").is_check
    assert not understand("mise run fmt").is_check
    assert understand("black --check .").is_check
    assert understand("mise run fmt && mise run lint").is_check


def test_options_that_only_change_the_output_do_not_make_another_check() -> None:
    assert understand("pytest -vv -x tests").key == understand("pytest tests -q").key.replace(" -q", "")
