"""What must come out of redaction unchanged: generated hashes and ids, examples, code, settings without secrets."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator

from unit.stages.redact.secrets_made import ALNUM, BASE64, HEX, UPPER, Maker

Generator = Callable[[Maker], Iterator[str]]


def commits(make: Maker) -> Iterator[str]:
    sha, short = make.hex(40), make.hex(7)
    yield f"commit {sha}\nAuthor: Ann <ann@example.com>\nDate:   Mon Jan 5 10:00:00 2026 +0100\n\n    Rotate api token"
    yield f"{short} Fix password reset token expiry\n{make.hex(7)} Add auth key cache"
    yield f"index {short}..{make.hex(7)} 100644"
    yield f"Merge: {short} {make.hex(7)}"
    yield f'"gitCommit": "{sha}", "branch": "token-refresh"'
    yield f"uses: actions/checkout@{sha} # v4"
    yield f"HEAD is now at {short} secret rotation"
    yield json.dumps({"пароль": "показать пароль", "パスワード": "パスワードを表示", "密码": "请输入密码"})
    yield f"git revert {sha}"
    yield f"github_sha={sha}"
    yield f"GITHUB_SHA={sha}"
    yield f'rev: "{sha}"'
    yield f"https://github.com/acme/app/commit/{sha}"
    yield f"remote: Resolving deltas: 100%\n   {short}..{make.hex(7)}  main -> main"
    yield f"git+https://github.com/acme/app.git@{sha}#egg=app"
    yield f"From {sha} Mon Sep 17 00:00:00 2001"
    yield f"tree {make.hex(40)}\nparent {make.hex(40)}"


def identifiers(make: Maker) -> Iterator[str]:
    uuid = make.uuid()
    yield json.dumps(
        {"type": "user", "uuid": uuid, "parentUuid": make.uuid(), "sessionId": make.uuid(), "requestId": "req_" + "011" + make.mixed(20)}
    )
    yield f"request_id={uuid} trace_id={make.hex(32)} span_id={make.hex(16)}"
    yield f'"tool_use_id": "toolu_{"01" + make.mixed(22)}"'
    yield f'"id": "msg_{"01" + make.mixed(22)}", "call_id": "call_{make.mixed(24)}"'
    yield f'"response_id": "resp_{make.hex(48)}"'
    yield f"pod/api-{make.hex(10)}-{make.chars('bcdfghjklmnpqrstvwxz2456789', 5)} Running"
    yield f"Successfully built {make.hex(12)}"
    yield "arn:aws:iam::123456789012:role/token-rotator"
    yield f"arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-{make.mixed(6)}"
    yield f"client_id: {uuid}"
    yield f"AZURE_TENANT_ID={uuid}"
    yield f"credentialsId: '{uuid}'"
    yield f'kms_key_id = "{uuid}"'
    yield f"correlation-id: {uuid}\nx-amzn-requestid: {make.uuid()}"
    yield f"session: {uuid}"
    yield f"rollout-2026-01-05T10-00-00-{uuid}.jsonl"
    yield f"thread_{make.mixed(24)}"
    yield f"01{make.chars('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 24)}"


def digests(make: Maker) -> Iterator[str]:
    sha256 = make.hex(64)
    yield f'"integrity": "sha512-{make.mixed(86, BASE64)}=="'
    yield f"  integrity sha512-{make.mixed(86, BASE64)}=="
    yield f"sha256:{sha256}"
    yield f"{sha256}  dist/app-1.0.tar.gz"
    yield f"image: registry.example.com/app@sha256:{sha256}"
    yield f"    --hash=sha256:{sha256} \\\n    --hash=sha256:{make.hex(64)}"
    yield f'checksum = "{sha256}"'
    yield f"golang.org/x/crypto v0.17.0 h1:{make.mixed(43, BASE64)}="
    yield f'etag: "{make.hex(32)}"'
    yield f"md5sum: {make.hex(32)}"
    yield f"SHA256 fingerprint: {make.mixed(43, BASE64)}"
    yield f"SHA256:{make.mixed(43, BASE64)} ann@host (ED25519)"
    yield f'<script src="x.js" integrity="sha384-{make.mixed(64, BASE64)}" crossorigin="anonymous">'
    yield f'"redaction_hash": "{sha256}", "entry_hash": "{make.hex(64)}"'
    yield f"digest: {sha256}\nsize: 1234"
    yield f"cache key: node-modules-{make.hex(64)}"
    yield f"restore-keys: |\n  Linux-pip-{make.hex(40)}"
    yield f"app.{make.hex(8)}.js  app.{make.hex(20)}.css"
    yield f"Digest: sha256:{sha256}\nStatus: Downloaded newer image for postgres:16"
    yield f'"contentHash": "{make.hex(32)}"'
    yield f"layer {make.hex(12)}: Pull complete"


def examples(make: Maker) -> Iterator[str]:
    yield "OPENAI_API_KEY=sk-..."
    yield "OPENAI_API_KEY=sk-\u2026"
    yield "export ANTHROPIC_API_KEY=sk-ant-..."
    yield "export ANTHROPIC_API_KEY=your-api-key-here"
    yield 'api_key = "YOUR_API_KEY"'
    yield "API_KEY=<your-api-key>"
    yield "token: ${GITHUB_TOKEN}"
    yield "token: ${{ secrets.GITHUB_TOKEN }}"
    yield "password: $DB_PASSWORD"
    yield "password: $(cat /run/secrets/db)"
    yield 'password = os.environ["DB_PASSWORD"]'
    yield "password = getpass.getpass()"
    yield "password: {{ .Values.db.password }}"
    yield "password: {{ vault_db_password }}"
    yield 'password = "<password>"'
    yield "password: ********"
    yield "password=xxxxxxxx"
    yield "DB_PASSWORD=changeme"
    yield "token = process.env.TOKEN"
    yield "token = settings.API_TOKEN"
    yield "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    yield "ghp_XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX"
    yield "sk-xxxxxxxxxxxxxxxxxxxxxxxx"
    yield "sk-proj-xxxxxxxxxxxxxxxxxxxxxxxx"
    yield "sk-your-key-here"
    yield "AKIAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY are Amazon's examples"
    yield "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    yield "AKIAXXXXXXXXXXXXXXXX"
    yield "xoxb-your-token-here"
    yield "xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxx"
    yield "Authorization: Bearer <token>"
    yield "Authorization: Bearer $TOKEN"
    yield "Authorization: `Bearer ${token}`"
    yield 'headers = {"Authorization": f"Bearer {token}"}'
    yield "Authorization: Bearer YOUR_TOKEN"
    yield "curl -u user:password https://example.com"
    yield "curl -u $USER:$PASS https://example.com"
    yield "postgres://user:password@localhost/db"
    yield "postgres://${DB_USER}:${DB_PASS}@db/app"
    yield "postgres://<user>:<password>@<host>/db"
    yield "https://username:password@host/path"
    yield "the key looks like sk-abc... and the token like ghp_abc..."
    yield 'pattern = r"ghp_[A-Za-z0-9]{36}"'
    yield 're.compile(r"sk-(?:proj-)?[A-Za-z0-9_-]{20,}")'
    yield 'regex: "AKIA[0-9A-Z]{16}"'
    yield "op://vault/item/password"
    yield "password: vault:secret/data/db#password"
    yield "password: !Ref DBPassword"
    yield "value: ENC[AES256_GCM,data:abc,iv:def]"
    yield "secretKeyRef:\n  name: db-credentials\n  key: password"
    yield "token: [REDACTED]"
    yield "password: [FILTERED]"
    yield "password=***"
    yield "_authToken=${NPM_TOKEN}"
    yield "machine github.com login USERNAME password TOKEN"
    yield "localhost:5432:mydb:myuser:mypassword"
    yield "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----"
    yield 'if line.startswith("-----BEGIN RSA PRIVATE KEY-----"):'
    yield "docker login -u $USER -p $PASSWORD"
    yield "mysql -u root -p mydb"
    yield "mysql -u root -p$MYSQL_ROOT_PASSWORD mydb"
    yield 'sshpass -p "$PASS" ssh host'
    yield "sshpass -e ssh host"
    yield "echo $PASSWORD | sudo -S ls"
    yield 'echo "$TOKEN" | docker login --password-stdin'


def code(make: Maker) -> Iterator[str]:
    yield "def test_password_reset_token_expires_after_24h(client):"
    yield "it('rejects an invalid API key', async () => {"
    yield "PASSED tests/test_auth.py::test_token_refresh[secret-key-rotation]"
    yield "class PasswordResetTokenGenerator(BaseTokenGenerator):"
    yield "if password != confirm_password:\n    raise ValidationError('Passwords do not match')"
    yield "password = models.CharField(max_length=128)"
    yield "password: z.string().min(8),"
    yield "password: string;"
    yield "password: Optional[str] = None"
    yield "token: Token | None"
    yield "string password = 2;"
    yield "password VARCHAR(255) NOT NULL,"
    yield "private String password;"
    yield 'Password string `json:"password"`'
    yield "const { password, token } = req.body;"
    yield "return bcrypt.compare(password, user.passwordHash)"
    yield "token = self._next_token()"
    yield "tokens = tokenizer.encode(text)"
    yield "for key, value in items.items():"
    yield "sorted(items, key=lambda item: item.created_at)"
    yield "cache_key = f'{prefix}:{user_id}'"
    yield "primary_key=True, foreign_key='users.id'"
    yield "secret = secrets.token_urlsafe(32)"
    yield "const token = jwt.sign({ id }, SECRET, { expiresIn: '1h' });"
    yield "api_key=api_key, token=token, password=password"
    yield "self.password = password\nself.token = token"
    yield "kwargs['password'] = user.password"
    yield '<input type="password" name="password" id="password" placeholder="Password">'
    yield '<label for="token">Token</label>'
    yield '"password": "Password",\n"forgotPassword": "Forgot your password?",\n"passwordHint": "Enter your password"'
    yield "password.length < 8"
    yield "assert response.json()['token_type'] == 'bearer'"
    yield "TOKEN_URL = 'https://auth.example.com/oauth/token'"
    yield "SECRET_NAME = 'prod/db/credentials'"
    yield "API_KEY_HEADER = 'X-API-Key'"
    yield "AUTH_TOKEN_COOKIE = 'auth_token'"
    yield "CONF_API_KEY = 'api_key'"
    yield "grant_type=client_credentials"
    yield "from app.auth import get_password_hash, create_access_token"
    yield "export type AccessToken = { token: string; expiresAt: number }"
    yield "fn authenticate(token: &str, secret: &[u8]) -> Result<Claims>"
    yield "public async Task<string> GetTokenAsync(CancellationToken cancellationToken = default)"
    yield "key={item.id}"
    yield "<li key={index}>"
    yield "token === '(' ? open() : close()"
    yield "expect(screen.getByLabelText('Password')).toBeInTheDocument()"
    yield "Error: Missing required environment variable API_TOKEN"
    yield "KeyError: 'password'"
    yield "sed -i 's/password=.*/password=/' config.ini"
    yield "grep -rn 'api_key' src/ | head"
    yield "SELECT id, password_hash, token FROM users WHERE token = $1"
    yield "password required pam_unix.so"
    yield "auth    required    pam_unix.so nullok"
    yield "key: value"
    yield "Press any key: continue"
    yield "monkey=banana keyboard=us keypath=/a/b"
    yield "passes: 12, tokens: 3456, keys: 7"
    yield "secrets: inherit"
    yield "permissions:\n  id-token: write\n  contents: read"
    yield "token: required"
    yield "--password-file /run/secrets/pw"
    yield "git config credential.helper store"
    yield "$ssh -i ~/.ssh/id_rsa ann@host"
    yield "ssh-keygen -t ed25519 -f key"
    yield "var e=t(12),n=e.token,r=e.secretKey||n,o=function(e){return e.password=e.pw,e}"
    yield 'a.key="Enter",b.keyCode=13,c.token=d.next(),e.auth=f.bind(this,"login")'
    yield "use the password `otter` in the docs"[:24]


def numbers(make: Maker) -> Iterator[str]:
    yield '{"input_tokens": 12345, "output_tokens": 678, "cache_read_input_tokens": 99999, "max_tokens": 4096}'
    yield "total tokens: 123456 | prompt tokens: 100000 | completion tokens: 23456"
    yield "token_count=2048 tokens_used=12345 secretCount: 4096 password_attempts: 3"
    yield "keys: 1700000000, tokens: 1700000000000"
    yield "max_token_length = 16384"
    yield "password_min_length: 12"
    yield "token expires in 3600 seconds"
    yield f"ts={make.chars('123456789', 13)} pid=1234 port=5432"
    yield "2026-01-05T10:11:12.345678Z token refreshed"
    yield "cookie_max_age: 1209600"
    yield "1.2.3.4:5432:0:0"
    yield "10:20:30:40:50"


def encoded(make: Maker) -> Iterator[str]:
    yield "data:image/png;base64,iVBORw0KGgo" + make.mixed(300, BASE64)
    yield '{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo' + make.mixed(2000, BASE64) + '"}'
    yield "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC" + make.mixed(300, BASE64) + " ann@laptop"
    yield "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + make.mixed(43, BASE64) + " ann@laptop"
    yield "-----BEGIN CERTIFICATE-----\nMIID" + make.mixed(60, BASE64) + "\n" + make.mixed(64, BASE64) + "\n-----END CERTIFICATE-----"
    yield "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A" + make.mixed(32, BASE64) + "\n-----END PUBLIC KEY-----"
    yield base64.b64encode(b"hello world, nothing to hide in this text at all").decode()
    yield (
        "//# sourceMappingURL=data:application/json;base64,"
        + base64.b64encode(b'{"version":3,"sources":["a.ts"],"mappings":"AAAA"}').decode()
    )
    yield 'd="M10 20c-5.5 0-10 4.5-10 10s4.5 10 10 10 10-4.5 10-10S15.5 20 10 20z"'
    yield "@font-face{src:url(data:font/woff2;base64,d09GMgABAAAAA" + make.mixed(200, BASE64) + ")}"
    yield "public_key: " + make.mixed(43, BASE64) + "="
    yield 'mappings: "AAAA,SAAS,CAAC,CAAC,CAAC,CAAC;IACZ,OAAO,CAAC,GAAG,CAAC,CAAC,CAAC,CAAC"'
    yield "nonce: '" + make.mixed(22, BASE64) + "=='"
    yield "csrf-token=" + make.mixed(40)
    yield "ACGTACGTTAGCATCGATCGATCGATTACGATCGATCAGCATCAGCATCAGCATACGACTACGACT"
    yield "".join(make.chars(UPPER[:4], 80))
    yield "0x" + make.hex(8).upper() + " 0x" + make.chars(HEX, 16)
    yield "https://example.com/d/" + make.mixed(44, ALNUM) + "/edit"
    yield "cursor=" + make.mixed(24) + "&next_page_token=" + make.mixed(30)


HARMLESS: dict[str, Generator] = {
    generator.__name__: generator for generator in (commits, identifiers, digests, examples, code, numbers, encoded)
}
