"""What a key promises about its value: how surely `DB_PASSWORD`, `apiKey` or `max_tokens` names a secret."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from diarist.stages.redact.vocabulary import split_words, word_set
from diarist.text.lazy import lazy


class Level(IntEnum):
    """How much a key says. The more it says, the less its value has to look like a secret."""

    NONE = 0
    WEAK = 1
    """`key`, `auth`, `salt`: only a plainly random value is masked."""
    MEDIUM = 2
    """`token`, `stripe_key`: a random value is masked."""
    STRONG = 3
    """`api_key`, `client_secret`, `GITHUB_TOKEN`: whatever is not a name, a template or an example is masked."""
    PASSWORD = 4
    """`password`, `DB_PASS`: people choose them, so short and readable values are masked as well."""


class Key(NamedTuple):
    """What a key says about its value, and what a masked value is called."""

    level: Level
    kind: str
    digits: bool = False
    """The secret may be a short number (PIN, one-time code, password)."""
    word: bool = True
    """The secret may be a plain word."""


NO_KEY = Key(Level.NONE, "")

_PASSWORDS = word_set(
    """password passwd passphrase passcode passwort kennwort contraseña contrasena senha pwd pw passw pass 密码 口令 パスワード 비밀번호
    пароль mnemonic"""
)
_PINS = word_set("pin otp totp")
_KEYS = word_set("key keys")
_SECRETS = word_set("secret apikey apikeys apitoken authtoken accesstoken secretkey privatekey accesskey psk authkey authorization")
_TOKENS = word_set("token tokens jwt bearer pat sas secrets credential credentials creds")
_WEAK = word_set("auth salt cookie session sid pem seed license hmac webhook cred dsn")
_COOKIES = word_set("jsessionid phpsessid aspsessionid asp.net_sessionid connect.sid cfid cftoken")

_KEY_QUALIFIERS = word_set(
    """api access secret private auth signing sign encryption encrypt encrypted decrypt decryption master account storage license shared
    service deploy client app application admin server consumer subscription write read ssh session root hmac aes webhook rest
    integration management live prod production user developer dev org organization personal project bot ingest insert sdk"""
)
"""What makes a key (or token) one that opens something."""

_PASS_QUALIFIERS = word_set(
    """db database user usr smtp mail email root admin ftp sftp mysql pg postgres redis ldap my jdbc wifi vpn rdp ssh auth login api app
    proxy http basic client server keystore key store truststore cert pfx sudo default new old current encrypted secret service svc
    account bot imap pop mqtt rabbitmq amqp mongo mongodb couch es elastic sql oracle mssql rabbit vault jenkins git repo registry docker
    nexus archive zip network guest master test dev prod temp tmp initial"""
)
"""What makes `pass` a password, and no low-pass filter."""

_COMPOUND = lazy(
    rb"(?:password|passwd|passphrase|passcode|secret|token|apikey|credential|privatekey|secretkey|accesskey"
    rb"|(?:db|user|my|smtp|root|admin|ftp|pg|sql|mail|redis|key|store)(?:pass|pwd))s?\Z"
)
_NO_COMPOUND = lazy(rb"detoken|subtoken|untoken")

_DENY_AFTER = word_set(
    """id ids name names path paths file files filename dir directory folder url urls uri uris endpoint endpoints ttl count counts counter
    length lengths len size sizes type types typ kind kinds field fields header headers prefix prefixes suffix expiry expire expires
    expired expiration exp at date dates time times timeout timestamp limit limits max min policy policies rule rules regex regexp
    pattern patterns format formats hint hints label labels placeholder error errors message messages msg text texts title description
    desc help info enabled disabled required optional valid invalid exists status state index idx position pos offset usage used use
    uses budget cost costs price rate rates version versions algorithm alg algo manager provider providers store stores service services
    factory handler class func function fn callback callbacks button form page view input inputs screen column columns table param
    params parameter parameters env var variable variables source ref refs reference arn map mapping list lists set sets dict array bits
    fingerprint fingerprints checksum digest hash hashes thumbprint kid stdin method methods mode model models schema owner user username
    email interval window period duration age strength score check checks validator validation validate verification require requires
    generator generate generation reset resets change changed changes updated update rotation rotate request requests response responses
    grant scope scopes audience issuer claim claims payload bucket buckets processor parser selector getter setter helper utils util
    config configuration options option settings setting client clients vaults ring rings storage cache caches cached created creation
    prompt prompts dialog modal toggle visible visibility icon link links template templates example examples test tests spec attempts
    attempt retries retry failures failed success per remaining left total totals sum avg average ratio percent balance overhead only
    line lines start end mint supply symbol address decimals event events listener press pressed down up code codes word words board
    stroke frame frames location loc region zone exchange introspection revocation alias aliases property properties attribute
    attributes attr pair pairs annotation separator sep delimiter space spaces distance ends literal literals stream streams iterator
    iter"""
)
"""After a word for a secret, these say that the value is about one and is none."""

_DENY_BEFORE = word_set(
    """public pub publishable trial primary foreign cache cached caching restore sort partition row dict object s3 sidekiq next page
    continuation cancel cancellation pagination cursor csrf xsrf idempotency event keyboard hot shortcut press down up max min num number
    count total input output prompt completion used reasoning eos bos pad unk mask cls sep special stop start end first last current
    lookahead prev previous peek forgot reset has is no show hide require enable disable missing invalid wrong incorrect bad expected
    unexpected translation lookup registry map hash composite unique natural surrogate candidate index join group hashed ordering i18n
    locale lang menu nav react component widget feature flag metric dimension tag label column field cell header schema json yaml
    xml query search filter sync async issuer cuda accessory dedup dedupe budget remaining cumulative average avg per estimated thinking
    image audio video text"""
)
"""Before one, these say that it is no secret."""

_DENY_BEFORE_PASSWORD = word_set(
    """has is no forgot reset show hide require enable disable missing invalid wrong incorrect bad unexpected without max min num i18n
    label field"""
)

_BENIGN_AFTER = word_set(
    """value values val string str raw plain plaintext b64 base64 base enc encrypted encoded prod production dev stage staging local new old
    current fake default live data bytes s key token secret password here hex jwt v1 v2"""
)
"""After one, these change nothing."""

_POINTERS = (_DENY_AFTER - word_set("id code owner user username client clients")) | word_set("sha commit rev revision etag md5")


def is_denied(rest: bytes) -> bool:
    """True where what follows a vendor's name says that no key comes: `_url`, `Sha`, `.version`."""
    return any(word in _POINTERS for word in split_words(rest))


_UPPER_NAME = lazy(rb"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")


@lru_cache(maxsize=4096)
def read_key(name: bytes) -> Key:
    """What the key `name` (an identifier, a dotted path, a header, a few words) promises about its value."""
    if name.lower() in _COOKIES or name == b"sessionid":
        return Key(Level.MEDIUM, "cookie")
    if name.lower().endswith(b"secret_id"):
        return Key(Level.MEDIUM, "secret")
    words = split_words(name[-80:].replace(b"\xc3\xb1", b"n").replace(b"\xc3\x91", b"N"))  # contraseña: words are split at ñ
    for at in range(len(words) - 1, -1, -1):
        key = _read_word(words[at], words[at - 1] if at else b"")
        if key.level:
            return _weigh(key, words, at, upper=_UPPER_NAME.match(name) is not None)
        if words[at] in _DENY_AFTER:
            return NO_KEY
    return NO_KEY


def _read_word(word: bytes, before: bytes) -> Key:
    """What a word says by itself, together with the one before it."""
    qualified = before in _KEY_QUALIFIERS
    if word in _PASSWORDS:
        return _read_password(word, before)
    if word in _KEYS:
        level = Level.STRONG if qualified else Level.MEDIUM if before else Level.WEAK
        return Key(level, "private-key" if before == b"private" else "api-key")
    if word in _TOKENS:
        return Key(Level.STRONG if qualified else Level.MEDIUM, "token")
    if word in _SECRETS:
        return Key(Level.STRONG, "secret", digits=word == b"secret")
    if word in _PINS:
        return Key(Level.WEAK, "pin", digits=True)
    if word == b"sig" or (word == b"signature" and before in (b"", b"amz", b"goog", b"x")):
        return Key(Level.WEAK, "signature")
    return Key(Level.WEAK, "secret") if word in _WEAK else _read_compound(word)


def _read_password(word: bytes, before: bytes) -> Key:
    if word == b"pass" and before and before not in _PASS_QUALIFIERS:
        return NO_KEY
    if word == b"mnemonic":
        return Key(Level.PASSWORD, "mnemonic")
    return Key(Level.PASSWORD, "password", digits=True, word=bool(before) or word not in (b"pass", b"pw", b"pwd"))


def _read_compound(word: bytes) -> Key:
    """`pgpassword`, `authtoken`, `dbsecret`: words written as one."""
    match = _COMPOUND.search(word) if len(word) > 4 and not _NO_COMPOUND.search(word) else None
    if match is None:
        return NO_KEY
    stem = match[0].rstrip(b"s")
    if stem == b"token":
        return Key(Level.MEDIUM, "token")
    if stem.startswith(b"pass") or stem.endswith((b"pas", b"pwd")):
        return Key(Level.PASSWORD, "password", digits=True)
    return Key(Level.STRONG, "secret")


def _weigh(key: Key, words: list[bytes], at: int, *, upper: bool) -> Key:
    """Takes the words around the one that names a secret into account."""
    after = words[at + 1 :]
    if any(word in _DENY_AFTER for word in after):
        return NO_KEY
    denied = _DENY_BEFORE_PASSWORD if key.kind == "password" else _DENY_BEFORE
    if at and (words[at - 1] in denied or words[0] in denied):
        return NO_KEY
    level = key.level
    unknown = [word for word in after if word not in _BENIGN_AFTER and not word.isdigit()]
    if unknown and level > Level.WEAK:
        level = Level(level - 1)
    elif upper and level == Level.MEDIUM and words[at] != b"pat":
        level = Level.STRONG
    return key._replace(level=level)
