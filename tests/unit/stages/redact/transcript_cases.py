"""Secrets as transcripts of coding agents hold them: one generator a category, written for these tests.

Each yields `Case`s: a text, the secrets in it that must go, and what must stay.
"""

from __future__ import annotations

import base64
import json
import urllib.parse
from collections.abc import Callable, Iterator
from typing import NamedTuple

from unit.stages.redact.secrets_made import ALNUM, BASE64, Maker


class Case(NamedTuple):
    text: str
    secrets: tuple[str, ...]
    keep: tuple[str, ...] = ()


Generator = Callable[[Maker], Iterator[Case]]


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def bare_tokens(make: Maker) -> Iterator[Case]:
    for token in (
        make.github(), make.github_fine(), make.gitlab(), make.aws_id(), make.openai(), make.openai_old(), make.anthropic(), make.google(),
        make.slack(), make.stripe(), make.npm(), make.pypi(), make.sendgrid(), make.huggingface(), make.telegram(), make.discord(),
        make.airtable(), make.vault(), make.digitalocean(), make.shopify(), make.jwt(),
    ):  # fmt: skip
        before, after = make.random.choice(
            [("I used ", " and it worked"), ("(", ")"), ("key=", "&page=2"), ("<td>", "</td>"), ("see: ", ", then retry"), ("`", "`"),
             ("'", "',"), ("| ", " | active |"), ("[", "](https://example.com)"), ("", ""), ("Found it!\n", "\n"), ("**", "**")]
        )  # fmt: skip
        yield Case(before + token + after, (token,), (before.strip("'`([|*< ") or "", after.strip("'`)]|*, ")[:6]))


def json_escaped(make: Maker) -> Iterator[Case]:
    token, password, key = make.vendor(), make.simple_password(), make.key()
    inner = json.dumps({"config": {"password": password, "retries": 3}, "note": f"token is {token}", "API_KEY": key})
    yield Case(json.dumps({"output": inner}), (token, password, key), ("retries", "note", "config"))
    yield Case(json.dumps(json.dumps({"output": inner})), (token, password, key), ("retries",))
    script = f"export API_TOKEN={token}\nexport DB_PASSWORD={password}\nrun --fast\n"
    yield Case(json.dumps({"command": script}), (token, password), ("run --fast", "DB_PASSWORD"))
    yield Case(json.dumps(json.dumps({"command": script})), (token, password), ("run --fast",))
    yield Case('{"old_string":"const k = \\"' + key + '\\";","secret_key":"' + key + '"}', (), ("old_string",))
    yield Case(r"{\"accessToken\":\"" + key + r"\",\"expiresIn\":3600}", (key,), ("expiresIn", "3600"))
    yield Case(r"\ttoken\t= \"" + key + r"\"\n\tname\t= \"demo\"", (key,), ("demo",))
    yield Case(r"{\\\"client_secret\\\": \\\"" + key + r"\\\", \\\"region\\\": \\\"eu\\\"}", (key,), ("region",))
    yield Case('{"text":"line\\nghp' + "_" + 'x"}', (), ("line",))
    unicode_escaped = json.dumps({"a": 1})[:-1] + r",\u0022password\u0022:\u0022" + password + r"\u0022}"
    yield Case(unicode_escaped, (password,))
    yield Case(r"password\u003d" + password + r"\u0026next\u003d1", (password,), ("next",))
    yield Case("look at this:\n" + r"password\u003d" + password + r"\u0026next\u003d1", (password,), ("next", "look at this:"))
    for name in ("пароль", "パスワード", "密码", "비밀번호", "contraseña"):
        spelled = json.dumps({name: password, "retries": 3})
        yield Case(spelled, (password,), ("retries",))
        yield Case(json.dumps({"output": spelled}), (password,), ("retries",))
        yield Case(json.dumps(json.dumps({"output": spelled})), (password,), ("retries",))


def line_numbers(make: Maker) -> Iterator[Case]:
    token, password, key = make.vendor(), make.password(), make.key()
    for form in (
        "     1\u2192{}\n     2\u2192{}\n     3\u2192{}",
        "1: {}\n2: {}\n3: {}",
        "  10\t{}\n  11\t{}\n  12\t{}",
        "src/app.env:4:{}\nsrc/app.env:5:{}\nsrc/app.env:6:{}",
    ):
        yield Case(
            form.format("HOST=db.internal", f"DB_PASSWORD={password}", f"API_KEY={key}"),
            (password, key),
            ("HOST=db.internal", "DB_PASSWORD"),
        )
        yield Case(
            form.format("host: db.internal", f"password: {make.simple_password()}9", f'token: "{token}"'), (token,), ("host: db.internal",)
        )
    yield Case(f"    7\u2192  secretKey: '{key}',\n    8\u2192  port: 8080,", (key,), ("port: 8080",))
    yield Case(f"cat -n .env\n     1\tSTRIPE={make.stripe()}\n     2\tDEBUG=1\n", (), ("DEBUG=1",))


def ansi(make: Maker) -> Iterator[Case]:
    token, key, password = make.github(), make.key(), make.simple_password()
    cut = make.random.randint(6, len(token) - 4)
    yield Case(f"\x1b[32m{token}\x1b[0m done", (token,), ("done",))
    yield Case(f"token: \x1b[1;33m{key}\x1b[0m (valid)", (key,), ("(valid)",))
    yield Case(f"\x1b[36mAPI_KEY\x1b[0m=\x1b[33m{key}\x1b[39m\n\x1b[36mHOST\x1b[0m=local", (key,), ("HOST",))
    broken = token[:cut] + "\x1b[31m" + token[cut:]
    yield Case(f"found {broken}\x1b[0m in log", (token[:cut], token[cut:]), ("found", "in log"))
    yield Case(
        f"\x1b[90mpassword\x1b[39m: \x1b[32m'{password}'\x1b[39m,\n\x1b[90mport\x1b[39m: \x1b[33m5432\x1b[39m", (password,), ("5432",)
    )
    escaped = json.dumps(f"\x1b[32m{token}\x1b[0m ok")
    yield Case(escaped, (token,), ("ok",))
    yield Case(r"\033[32m" + token + r"\033[0m ok", (token,), ("ok",))
    yield Case(r"\x1b[32mDB_PASSWORD\x1b[0m=" + password + r"\x1b[0m", (password,))


def diffs(make: Maker) -> Iterator[Case]:
    old, new, password = make.vendor(), make.vendor(), make.password()
    yield Case(f"@@ -1,3 +1,3 @@\n-API_TOKEN={old}\n+API_TOKEN={new}\n context", (old, new), ("context", "API_TOKEN"))
    yield Case(f"-  password: {make.simple_password()}7\n+  password: ${{DB_PASSWORD}}\n", (), ("${DB_PASSWORD}",))
    yield Case(f'+const client = new Client("{new}");\n-const client = new Client(process.env.KEY);', (new,), ("process.env.KEY",))
    yield Case(f"+DB_PASSWORD='{password}'\n+DB_HOST=localhost\n", (password,) if "'" not in password else (), ("DB_HOST=localhost",))
    start, body, end = make.pem()
    yield Case("\n".join("+" + line for line in [start, *body, end]), tuple(body), ())


def wraps(make: Maker) -> Iterator[Case]:
    for token in (make.github(), make.openai(), make.anthropic(), make.jwt(), make.npm(), make.github_fine(), make.slack()):
        cut = make.random.randint(12, len(token) - 6)
        yield Case(f"the token is {token[:cut]}\n{token[cut:]}\nnext line", (token[cut:],), ("next line",))
        yield Case(f"  value: {token[:cut]}\n    {token[cut:]}\n  other: 1", (token[cut:],), ("other: 1",))
    token = make.openai()
    yield Case(f"OPENAI_API_KEY={token[:60]}\n{token[60:120]}\n{token[120:]}\nDEBUG=1", (token[60:120], token[120:]), ("DEBUG=1",))


def url_encoded(make: Maker) -> Iterator[Case]:
    token, key, password = make.github(), make.mixed(32), make.simple_password()
    yield Case(f"GET /cb?access_token%3D{token}%26state%3Dabc", (token,), ("state",))
    yield Case(f"redirect=https%3A%2F%2Fapp%2F%3Ftoken%3D{key}%26lang%3Den", (key,), ("lang",))
    yield Case("body=" + urllib.parse.quote(json.dumps({"password": password, "user": "ann"})), (password,), ("ann",))
    yield Case(f"https://api.example.com/v1?api_key={key}&limit=10", (key,), ("limit=10", "api.example.com"))
    yield Case(f"username=ann&password={password}&remember=1", (password,), ("username=ann", "remember=1"))
    yield Case(f"dsn=postgres%3A%2F%2Fapp%3A{password}%40db%2Fprod", (password,), ("prod",))
    yield Case(f"https://maps.example.com/js?key={make.google()}&v=3", (), ("v=3",))


def env_dumps(make: Maker) -> Iterator[Case]:
    token, key, password = make.vendor(), make.key(), make.password()
    dump = (
        f"HOME=/home/dev\nLANG=en_US.UTF-8\nGITHUB_TOKEN={token}\nPATH=/usr/bin:/bin\nDATABASE_PASSWORD={password}\n"
        f"AWS_SECRET_ACCESS_KEY={make.aws_secret()}\nMY_SERVICE_KEY={key}\nSHLVL=1\n"
    )
    yield Case("$ env | sort\n" + dump, (token, password, key), ("HOME=/home/dev", "PATH=/usr/bin:/bin", "SHLVL=1", "DATABASE_PASSWORD"))
    yield Case(json.dumps({"stdout": dump}), (token, key), ("SHLVL=1",))
    declared = "\n".join(f'declare -x {line.partition("=")[0]}="{line.partition("=")[2]}"' for line in dump.splitlines())
    yield Case(declared, (token, key), ('SHLVL="1"',))
    yield Case(f"process.env: {{ NODE_ENV: 'test', JWT_SECRET: '{key}', PORT: '3000' }}", (key,), ("NODE_ENV: 'test'", "PORT"))
    yield Case(f"environ({{'HOME': '/root', 'SLACK_BOT_TOKEN': '{make.slack()}', 'SECRET_KEY': '{key}'}})", (key,), ("/root",))
    yield Case(f"PGPASSWORD={make.simple_password()}1 psql -h db -U app -c 'select 1'", (), ("psql -h db -U app", "select 1"))
    yield Case(f"$env:API_SECRET = '{key}'\n$env:MODE = 'fast'", (key,), ("$env:MODE = 'fast'",))
    yield Case(f"set DB_PASS={make.simple_password()}\nset DB_USER=sa", (), ("DB_USER=sa",))
    yield Case(f"setx AZURE_CLIENT_SECRET {key}", (key,), ("AZURE_CLIENT_SECRET",))


def dotenv(make: Maker) -> Iterator[Case]:
    key, password, phrase = make.key(), make.simple_password(), make.passphrase()
    yield Case(
        f'APP_NAME="My App"\nAPP_KEY="{key}"\nDB_PASSWORD="{password}"\nAPP_DEBUG=true\n', (key, password), ("My App", "APP_DEBUG=true")
    )
    yield Case(f"export SESSION_SECRET='{key}'\nexport PORT=80", (key,), ("PORT=80",))
    yield Case(f'  3\u2192MAIL_PASSWORD="{phrase}"\n  4\u2192MAIL_PORT=25', (phrase,), ("MAIL_PORT=25",))
    yield Case(f'"  2\\tREDIS_PASSWORD={password}\\n  3\\tREDIS_PORT=6379\\n"', (password,), ("REDIS_PORT=6379",))
    yield Case(f"# production\nSMTP_PASS={password}   # rotate soon\nSMTP_HOST=mail", (password,), ("# rotate soon", "SMTP_HOST=mail"))
    yield Case(f"MYSQL_ROOT_PASSWORD: {password}9\nMYSQL_DATABASE: shop", (f"{password}9",), ("MYSQL_DATABASE: shop",))


def netrc(make: Maker) -> Iterator[Case]:
    password, token = make.password(), make.mixed(20)
    yield Case(f"machine github.com login octo password {token}\n", (token,), ("github.com", "octo"))
    yield Case(
        f"machine api.example.com\n  login bob\n  password {password}\nmachine other\n  login eve\n",
        (password,),
        ("bob", "eve", "api.example.com"),
    )
    yield Case(
        f"     1\u2192machine git.example.com\n     2\u2192login ci\n     3\u2192password {token}\n", (token,), ("git.example.com", "ci")
    )
    yield Case(json.dumps(f"machine x.example.com\n\tlogin bob\n\tpassword {token}\n"), (token,), ("bob",))


def pgpass(make: Maker) -> Iterator[Case]:
    password = make.simple_password()
    yield Case(f"localhost:5432:shop:app:{password}\n", (password,), ("localhost:5432:shop:app",))
    yield Case(f"*:*:*:postgres:{password}", (password,), ("postgres",))
    yield Case(f"cat ~/.pgpass\ndb-1.example.com:6432:orders:reader:{password}\n", (password,), ("db-1.example.com:6432:orders:reader",))


def cookies(make: Maker) -> Iterator[Case]:
    sid, token = make.mixed(32), make.jwt()
    yield Case(f"Cookie: theme=dark; sessionid={sid}; lang=en", (sid,), ("theme=dark", "lang=en"))
    yield Case(f"Set-Cookie: connect.sid=s%3A{sid}; Path=/; HttpOnly; SameSite=Lax", (sid,), ("Path=/", "SameSite=Lax"))
    yield Case(f"< set-cookie: auth_token={token}; Max-Age=3600; Secure", (token,), ("Max-Age=3600",))
    yield Case(f"curl -b 'JSESSIONID={make.hex(32).upper()}; seen=1' https://x.example.com", (), ("https://x.example.com",))
    yield Case(f"curl -H 'Cookie: _session={sid}' https://x.example.com/a", (sid,), ("https://x.example.com/a",))
    yield Case(json.dumps({"headers": {"Cookie": f"laravel_session={sid}; tz=UTC", "Accept": "*/*"}}), (sid,), ("tz=UTC", "*/*"))


def curl(make: Maker) -> Iterator[Case]:
    password, token, key = make.simple_password(), make.mixed(36), make.key()
    yield Case(f"curl -u admin:{password} https://api.example.com/v1", (password,), ("admin", "https://api.example.com/v1"))
    yield Case(f"curl -su 'deploy:{password}' -X POST https://ci.example.com", (password,), ("deploy", "https://ci.example.com"))
    yield Case(f'curl --user "bob:{password}" https://x.example.com', (password,), ("bob",))
    yield Case(f"curl --user=bob:{password} https://x.example.com", (password,), ("bob",))
    yield Case(f'curl -u"bob:{password}" https://x.example.com', (password,), ("bob",))
    yield Case(f"curl -u 'bob':'{password}' https://x.example.com", (password,), ("bob",))
    yield Case(f"curl https://x.example.com -u bob:{password}", (password,), ("bob",))
    yield Case(json.dumps({"command": f'curl -s -u "bob:{password}" https://x.example.com'}), (password,), ("bob",))
    yield Case(f"curl -u {make.stripe()}: https://api.example.com", (), ("https://api.example.com",))
    yield Case(f"curl -H 'Authorization: Bearer {token}' https://x.example.com", (token,), ("Authorization", "Bearer"))
    yield Case(f'curl -H "X-Api-Key: {key}" -H "Accept: text/plain" https://x', (key,), ("Accept: text/plain",))
    yield Case(f"curl -H 'PRIVATE-TOKEN: {make.gitlab()}' https://gitlab.example.com/api", (), ("https://gitlab.example.com/api",))
    yield Case(f'curl -d \'{{"username":"bob","password":"{password}"}}\' https://x', (password,), ("bob",))
    yield Case(f"curl -d 'grant_type=password&client_secret={key}&scope=all' https://x", (key,), ("scope=all", "grant_type=password"))
    yield Case(f"wget --http-password={password} --http-user=bob https://x", (password,), ("--http-user=bob",))


def headers(make: Maker) -> Iterator[Case]:
    token, key = make.mixed(40), make.key()
    yield Case(f"> Authorization: Bearer {token}\n> Accept: */*", (token,), ("Accept: */*",))
    yield Case(f"authorization: token {make.hex(40)}\nhost: x", (), ("host: x",))
    basic = _b64(f"svc-user:{make.simple_password()}")
    yield Case(f"Authorization: Basic {basic}\nHost: y", (basic,), ("Host: y",))
    yield Case(f"{{'Authorization': 'Bearer {token}', 'Accept': 'json'}}", (token,), ("json",))
    yield Case(f'headers={{"x-api-key": "{key}", "anthropic-version": "2023-06-01"}}', (key,), ("2023-06-01",))
    yield Case(f"Proxy-Authorization: Basic {basic}", (basic,))
    yield Case(f"X-Auth-Token: {key}\r\nX-Request-Id: 17", (key,), ("X-Request-Id: 17",))
    yield Case(f"api-key: {key}\ncontent-type: application/json", (key,), ("application/json",))
    yield Case(f'"headers": [["authorization", "Bearer {token}"], ["accept", "json"]]', (token,), ("accept",))
    yield Case(f"Ocp-Apim-Subscription-Key: {make.hex(32)}", ())


def kubeconfig(make: Maker) -> Iterator[Case]:
    start, body, end = make.pem()
    pem = _b64("\n".join([start, *body, end]))
    cert = _b64("-----BEGIN CERTIFICATE-----\n" + "\n".join(make.mixed(64, BASE64) for _ in range(8)) + "\n-----END CERTIFICATE-----")
    token = make.jwt()
    config = (
        f"apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: {cert}\n"
        "    server: https://k8s.example.com:6443\n  name: prod\n"
        f"users:\n- name: admin\n  user:\n    client-certificate-data: {cert}\n    client-key-data: {pem}\n    token: {token}\n"
    )
    yield Case(config, (pem, token), ("https://k8s.example.com:6443", "name: prod", "client-key-data", cert[:40]))
    yield Case(_b64(config), (_b64(config)[40:400],))
    password = make.simple_password()
    yield Case(
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: {_b64(password)}\n  username: {_b64('app')}\n",
        (_b64(password),),
        ("name: db",),
    )
    yield Case(f"stringData:\n  api-token: {make.key()}\n  mode: fast", (), ("mode: fast",))
    docker = _b64(json.dumps({"auths": {"registry.example.com": {"username": "ci", "auth": _b64("ci:" + password)}}}))
    yield Case(
        f"data:\n  .dockerconfigjson: {docker}\ntype: kubernetes.io/dockerconfigjson", (docker,), ("type: kubernetes.io/dockerconfigjson",)
    )
    auth = _b64("ci:" + password)
    yield Case(json.dumps({"auths": {"registry.example.com": {"auth": auth}}}), (auth,), ("registry.example.com",))


def base64_wrapped(make: Maker) -> Iterator[Case]:
    token = make.random.choice([make.github, make.aws_id, make.anthropic, make.gitlab, make.slack, make.npm, make.stripe, make.jwt])()
    password = make.simple_password()
    text = (
        f"host=db.example.com\npassword={password}\nuser=app\nregion=eu-west-1\nGITHUB_TOKEN={make.github()}\n"
        "# end of file, nothing more to say here\n"
    )
    blob = _b64(text)
    yield Case(f"echo {blob} | base64 -d", (blob,), ("base64 -d",))
    lines = [blob[at : at + 76] for at in range(0, len(blob), 76)]
    yield Case("$ base64 .env\n" + "\n".join(lines) + "\n$ ls", tuple(lines), ("$ ls",))
    lines = [blob[at : at + 64] for at in range(0, len(blob), 64)]
    yield Case("\n".join(f"    {line}" for line in lines), tuple(lines))
    yield Case(json.dumps({"content": "\n".join(lines) + "\n", "encoding": "base64"}), tuple(lines), ("encoding",))
    yield Case(f"data:text/plain;base64,{_b64('API_TOKEN=' + token)}", (_b64("API_TOKEN=" + token),))
    yield Case(f"value: {_b64('prefix ' + token + ' suffix')}", (_b64("prefix " + token + " suffix"),))
    double = _b64(_b64(f"secret_key={make.mixed(30)}"))
    yield Case(f"payload {double}", (double,), ("payload",))
    url_safe = base64.urlsafe_b64encode(f'??>>{{"password":"{password}"}}~~~'.encode()).decode()
    yield Case(f"state={url_safe}", (url_safe.rstrip("="),), ("state",))


def pem_keys(make: Maker) -> Iterator[Case]:
    for kind in ("RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA "):
        start, body, end = make.pem(kind)
        yield Case("\n".join(["key:", start, *body, end, "after"]), tuple(body), ("key:", "after"))
    start, body, end = make.pem()
    whole = [start, *body, end]
    yield Case(json.dumps({"private_key": "\n".join(whole) + "\n", "client_email": "bot@example.com"}), tuple(body), ("bot@example.com",))
    yield Case(json.dumps(json.dumps({"key": "\n".join(whole)})), tuple(body))
    yield Case("\n".join(f"{number:6}\u2192{line}" for number, line in enumerate(whole, 1)), tuple(body))
    yield Case("\n".join(f"{number}: {line}" for number, line in enumerate(whole, 1)), tuple(body))
    yield Case("\n".join(f"{number:5}\t{line}" for number, line in enumerate(whole, 1)), tuple(body))
    yield Case("\n".join(f"    {line}" for line in whole) + "\n  next: 1", tuple(body), ("next: 1",))
    yield Case("\n".join(f"> {line}" for line in whole), tuple(body))
    yield Case("\n".join(f'"{line}\\n" +' for line in whole), tuple(body))
    yield Case('PRIVATE_KEY="' + "\\n".join(whole) + '"\nPORT=1', tuple(body), ("PORT=1",))
    yield Case(f"{start} {' '.join(body)} {end}", tuple(body))
    yield Case("\r\n".join(whole), tuple(body))


def pem_truncated(make: Maker) -> Iterator[Case]:
    start, body, end = make.pem()
    yield Case("\n".join(["$ head -5 id_rsa", start, *body[:4]]), tuple(body[:4]), ("$ head -5 id_rsa",))
    yield Case("\n".join([start, *body[:3], body[3][:20]]) + "\n... [output truncated]", tuple(body[:3]), ("[output truncated]",))
    yield Case("\n".join([start, *body[:3], body[3][:20] + "..."]), tuple(body[:3]))
    yield Case("\n".join(["...", *body[6:], end, "$ exit"]), tuple(body[6:-1]), ("$ exit",))
    yield Case(
        "\n".join([f"{start}", "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF", "", *body, end]),
        tuple(body),
    )
    yield Case("\n".join(f"{number:4}\u2192{line}" for number, line in enumerate([start, *body[:2]], 1)), tuple(body[:2]))


def connection_strings(make: Maker) -> Iterator[Case]:
    password, key = make.simple_password(), make.mixed(86, BASE64) + "=="
    for scheme in ("postgres", "postgresql+asyncpg", "mysql", "mongodb+srv", "redis", "amqp", "mssql+pyodbc", "ftp", "https", "smtp"):
        yield Case(f"url = '{scheme}://app:{make.simple_password()}@db.example.com:5432/shop'", (), ("app:", "@db.example.com:5432/shop"))
    yield Case(f"redis://:{password}@cache:6379/0", (password,), ("cache:6379/0",))
    yield Case(f"DATABASE_URL=postgres://app:{password}@db/shop?sslmode=require", (password,), ("sslmode=require", "app"))
    yield Case(f"Server=db;Database=shop;User Id=sa;Password={password};Encrypt=true", (password,), ("User Id=sa", "Encrypt=true"))
    yield Case(
        f"DefaultEndpointsProtocol=https;AccountName=files;AccountKey={key};EndpointSuffix=core.windows.net",
        (key,),
        ("AccountName=files", "core.windows.net"),
    )
    yield Case(
        f"Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey={make.mixed(43, BASE64)}=",
        (),
        ("SharedAccessKeyName=root",),
    )
    yield Case(f"jdbc:postgresql://db/shop?user=app&password={password}&ssl=true", (password,), ("ssl=true", "user=app"))
    yield Case(f"root:{password}@tcp(127.0.0.1:3306)/shop?parseTime=true", (password,), ("127.0.0.1:3306", "root"))
    yield Case(f"https://x-access-token:{make.github()}@github.com/acme/app.git", (), ("github.com/acme/app.git",))
    yield Case(f"git clone https://oauth2:{make.gitlab()}@gitlab.com/a/b.git", (), ("gitlab.com/a/b.git",))
    yield Case(f"remote: https://{make.github()}@github.com/acme/app.git", (), ("github.com/acme/app.git",))
    yield Case(f"host=db port=5432 dbname=shop user=app password={password} sslmode=disable", (password,), ("sslmode=disable", "user=app"))
    yield Case(f"https://{make.hex(32)}@o42.ingest.sentry.io/7", (), ("ingest.sentry.io/7",))


def signed_urls(make: Maker) -> Iterator[Case]:
    signature = make.hex(64)
    yield Case(
        f"https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260101T000000Z&X-Amz-Expires=900&X-Amz-Signature={signature}",
        (signature,),
        ("X-Amz-Expires=900",),
    )
    sas = urllib.parse.quote(make.mixed(43, BASE64) + "=", safe="")
    yield Case(f"https://a.blob.core.windows.net/c/f.txt?sv=2024-01-01&se=2026-01-01&sr=b&sp=r&sig={sas}", (sas,), ("sp=r", "f.txt"))
    yield Case(
        f"https://storage.googleapis.com/b/o?X-Goog-Expires=60&X-Goog-Signature={make.hex(128)}&x=1", (), ("X-Goog-Expires=60", "x=1")
    )
    yield Case(f"https://hooks.slack.com/services/{make.slack_hook()}", (), ("hooks.slack.com",))
    hook = make.mixed(68, ALNUM + "-_")
    yield Case(f"https://discord.com/api/webhooks/{make.chars('123456789', 18)}/{hook}", (hook,), ("discord.com",))
    yield Case(f"https://x.example.com/reset?token={make.mixed(40)}&user=7", (), ("user=7",))
    yield Case(f"wss://x.example.com/socket?access_token={make.jwt()}&v=2", (), ("v=2",))


def command_line(make: Maker) -> Iterator[Case]:
    password, key = make.simple_password(), make.key()
    yield Case(f"mysql -h db -u root -p{password} shop", (password,), ("mysql -h db -u root", "shop"))
    yield Case(f"mysqldump --user=root --password={password} shop > out.sql", (password,), ("out.sql",))
    yield Case(f"sshpass -p '{password}' ssh ann@host uptime", (password,), ("ssh ann@host uptime",))
    yield Case(f"docker login -u ci -p {password} registry.example.com", (password,), ("registry.example.com", "ci"))
    yield Case(f"echo {password}A1 | docker login -u ci --password-stdin", (f"{password}A1",), ("docker login -u ci",))
    yield Case(f"redis-cli -h cache -a {password} ping", (password,), ("ping",))
    yield Case(f"tool deploy --token {key} --region eu", (key,), ("--region eu",))
    yield Case(f"tool deploy --api-key={key} --dry-run", (key,), ("--dry-run",))
    yield Case(f"twine upload -u __token__ -p {make.pypi()} dist/*", (), ("dist/*",))
    yield Case(f"npm config set //registry.npmjs.org/:_authToken {make.npm()}", (), ("registry.npmjs.org",))
    yield Case(
        f"//registry.example.com/:_authToken={key}\nregistry=https://registry.example.com/",
        (key,),
        ("registry=https://registry.example.com/",),
    )
    yield Case(f"kubectl create secret generic db --from-literal=password={password} -n prod", (password,), ("-n prod",))
    yield Case(
        f"docker run -e POSTGRES_PASSWORD={password} -e POSTGRES_USER=app -p 5432:5432 postgres:16",
        (password,),
        ("POSTGRES_USER=app", "5432:5432"),
    )
    yield Case(f"aws configure set aws_secret_access_key {make.aws_secret()}", (), ("aws configure set",))
    yield Case(f"openssl enc -d -aes-256-cbc -in a -out b -pass pass:{password}", (password,), ("-in a -out b",))
    yield Case(f"gpg --batch --passphrase {password} -d x.gpg", (password,), ("x.gpg",))
    yield Case(f"smbclient -U ann%{password} //files/share", (password,), ("//files/share", "ann"))
    yield Case(f"ldapsearch -x -D cn=admin -w {password} -b dc=example", (password,), ("dc=example",))
    yield Case(f"htpasswd -bc .htpasswd ann {password}", (password,), (".htpasswd ann",))
    yield Case(f"gh secret set DEPLOY_KEY --body {key}", (key,), ("DEPLOY_KEY",))
    yield Case(f"az login --service-principal -u app -p {key} --tenant t", (key,), ("--tenant t",))
    yield Case(f"echo '{password}' | sudo -S apt update", (password,), ("apt update",))
    yield Case(f"mongosh --username root --password {password} --eval 'db.stats()'", (password,), ("db.stats()",))
    yield Case(f"psql \"host=db user=app password={password}\" -c 'select 1'", (password,), ("select 1",))
    yield Case(f"CREATE USER app WITH PASSWORD '{password}';", (password,), ("CREATE USER app",))
    yield Case(f"ALTER USER 'root'@'localhost' IDENTIFIED BY '{password}';", (password,), ("'root'@'localhost'",))


def config_files(make: Maker) -> Iterator[Case]:
    password, key = make.simple_password(), make.key()
    yield Case(
        f"[default]\naws_access_key_id = {make.aws_id()}\naws_secret_access_key = {make.aws_secret()}\nregion = eu-west-1",
        (),
        ("region = eu-west-1",),
    )
    yield Case(f"database:\n  host: db\n  password: {password}7\n  port: 5432\n", (f"{password}7",), ("port: 5432", "host: db"))
    yield Case(f'{{"db": {{"host": "db", "password": "{password}", "port": 5432}}}}', (password,), ('"port": 5432',))
    yield Case(f"[client]\nuser=root\npassword={password}\nhost=db", (password,), ("host=db", "user=root"))
    yield Case(
        f'<connectionStrings><add name="db" connectionString="Server=x;Password={password};"/></connectionStrings>',
        (password,),
        ("Server=x",),
    )
    yield Case(
        f"<server><id>nexus</id><username>ci</username><password>{password}</password></server>", (password,), ("<username>ci</username>",)
    )
    yield Case(f'<add key="ApiSecret" value="{key}" />', (key,), ("ApiSecret",))
    yield Case(f"<key>API_SECRET</key>\n<string>{key}</string>\n<key>Mode</key>", (key,), ("<key>Mode</key>",))
    yield Case(f'<string name="maps_api_key">{make.google()}</string>', (), ("maps_api_key",))
    yield Case(f"env:\n  - name: DB_PASSWORD\n    value: {password}\n  - name: MODE\n    value: fast", (password,), ("value: fast",))
    yield Case(f'{{"name": "API_TOKEN", "value": "{key}", "type": "plain"}}', (key,), ("plain",))
    yield Case(f'variable "db_password" {{ default = "{password}" }}\npassword = "{password}x9"', (f"{password}x9",))
    yield Case(f"FROM python:3.12\nENV API_KEY {key}\nENV MODE fast\nARG TOKEN={key}", (key,), ("ENV MODE fast", "FROM python:3.12"))
    yield Case(
        f"services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: {password}3\n      POSTGRES_DB: shop",
        (f"{password}3",),
        ("POSTGRES_DB: shop",),
    )
    yield Case(f"spring.datasource.password={password}\nspring.datasource.username=app", (password,), ("username=app",))
    yield Case(f"SECRET_KEY = 'django-insecure-{make.mixed(50)}'", (), ("SECRET_KEY",))
    yield Case(f"[pypi]\nusername = __token__\npassword = {make.pypi()}", (), ("__token__",))
    yield Case(f"https://bob:{password}@github.com\n", (password,), ("github.com",))
    yield Case(f"ann:$2y$10${make.mixed(53, ALNUM + './')}", (), ("ann",))
    yield Case(f"secret_key_base: {make.hex(128)}\nlog_level: info", (), ("log_level: info",))
    yield Case(f"define('DB_PASSWORD', '{password}');\ndefine('DB_HOST', 'localhost');", (password,), ("localhost",))
    yield Case(f"$config['encryption_key'] = '{key}';", (key,), ("encryption_key",))
    yield Case(f"| Name | Value |\n|---|---|\n| DB_PASSWORD | {password}5 |\n| DB_HOST | db |", (f"{password}5",), ("| DB_HOST | db |",))
    yield Case(f"DB_PASSWORD      {password}5\nDB_HOST          db", (f"{password}5",), ("DB_HOST",))
    yield Case(f"=== app Config Vars\nSECRET_TOKEN:   {key}\nWEB_CONCURRENCY: 2", (key,), ("WEB_CONCURRENCY: 2",))


def source_code(make: Maker) -> Iterator[Case]:
    password, key, token = make.simple_password(), make.key(), make.vendor()
    yield Case(f'password = "{password}"\nuser = "ann"', (password,), ('user = "ann"',))
    yield Case(f"const apiKey = '{key}';\nconst url = '/v1';", (key,), ("'/v1'",))
    yield Case(f'client = OpenAI(api_key="{token}", timeout=30)', (token,), ("timeout=30",))
    yield Case(f'os.environ["SECRET_TOKEN"] = "{key}"', (key,), ("SECRET_TOKEN",))
    yield Case(f'os.environ.setdefault("API_SECRET", "{key}")', (key,), ("setdefault",))
    yield Case(f"process.env.STRIPE_KEY || '{key}'", (key,), ("process.env.STRIPE_KEY",))
    yield Case(f'localStorage.setItem("token", "{key}")', (key,), ("localStorage.setItem",))
    yield Case(f'var dbPassword string = "{password}"', (password,), ("dbPassword",))
    yield Case(f'private static final String API_SECRET = "{key}";', (key,), ("private static final",))
    yield Case(f'let secret: &str = "{key}";', (key,), ("let secret",))
    yield Case(f'password: str = "{password}"', (password,), ("str",))
    yield Case(f"{{ user: 'ann', pass: '{password}9', port: 465 }}", (f"{password}9",), ("port: 465",))
    yield Case(f"$password = '{password}';\n$host = 'db';", (password,), ("$host = 'db';",))
    yield Case(f":password => '{password}', :host => 'db'", (password,), (":host => 'db'",))
    yield Case(f'if token == "{key}": allow()', (key,), ("allow()",))
    yield Case(
        f"boto3.client('s3', aws_access_key_id='{make.aws_id()}', aws_secret_access_key='{make.aws_secret()}')", (), ("boto3.client",)
    )
    yield Case(f"jwt.encode(payload, secret_key='{key}', algorithm='HS256')", (key,), ("HS256",))


def prose(make: Maker) -> Iterator[Case]:
    password, key, token = make.mixed(14), make.key(), make.vendor()
    yield Case(f"The password is {password} and the port is 22.", (password,), ("port is 22",))
    yield Case(f"Use this API key: {key}\nThanks!", (key,), ("Thanks!",))
    yield Case(f"here's my token {token}, please try again", (token,), ("please try again",))
    yield Case(f"Secret access key: {make.aws_secret()}\nAccess key ID: {make.aws_id()}\n", (), ("Access key ID",))
    yield Case(f"password: {make.random.choice(['otter', 'maple'])}{make.random.randint(100, 999)}!\nuser: ann", (), ("user: ann",))
    yield Case(f"**Password:** `{password}`\n**User:** ann", (password,), ("ann",))
    yield Case(f'The secret "{key}" was rejected with 401', (), ("401",))
    yield Case(f'password = "{make.passphrase()}"', (), ())
    yield Case(f"密码：{password}，请保存", (password,), ("请保存",))
    yield Case(f"login: ann / password: {password}", (password,), ("login: ann",))
    yield Case(f"my creds -> user: ann, password: {password}, 2fa off", (password,), ("2fa off",))


def truncated(make: Maker) -> Iterator[Case]:
    for token in (make.github(), make.openai(), make.anthropic(), make.github_fine(), make.npm(), make.sendgrid()):
        part = token[: max(len(token) // 2, 18)]
        while not any(char.isdigit() for char in part[10:]):
            part = part[:-1] + "7"
        yield Case(f"API response: {part}...", (part,), ("API response",))
        yield Case(f'{{"content":"token {part}', (part,), ("content",))
    token = make.jwt()
    yield Case(f"Authorization: Bearer {token[:60]}... [truncated 400 chars]", (token[:60],), ("truncated",))
    key = make.mixed(40)
    yield Case(f'{{"api_key": "{key[:28]}', (key[:28],), ("api_key",))


POSITIVE: dict[str, Generator] = {
    generator.__name__: generator
    for generator in (
        bare_tokens, json_escaped, line_numbers, ansi, diffs, wraps, url_encoded, env_dumps, dotenv, netrc, pgpass, cookies, curl, headers,
        kubeconfig, base64_wrapped, pem_keys, pem_truncated, connection_strings, signed_urls, command_line, config_files, source_code,
        prose, truncated,
    )
}  # fmt: skip
