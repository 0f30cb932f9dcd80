"""What a key promises about its value: how surely `DB_PASSWORD`, `apiKey` or `max_tokens` names a secret."""

from __future__ import annotations

import re

from diarist.stages.redact.lazy import Lazy
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple


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


def _set(text: str) -> frozenset[bytes]:
    return frozenset(text.encode().split())


_PASSWORD = _set(
    """password passwd passphrase passcode passwort kennwort contraseña contrasena senha motdepasse pwd pw passw pass
    密码 口令 パスワード 비밀번호 пароль mnemonic"""
)
_NUMERIC = _set("password passwd passcode pin otp totp pwd pass secret 密码")
_SECRET = _set("secret apikey apikeys apitoken authtoken accesstoken secretkey privatekey accesskey psk authkey authorization")
_TOKEN = _set("token tokens jwt bearer pat sas secrets credential credentials creds")
_KEYLIKE = _set("key keys")
_WEAK = _set("auth salt cookie session sid pem seed license hmac webhook cred dsn otp pin totp")
_KEY_QUALIFIERS = _set(
    """api access secret private auth signing sign encryption encrypt encrypted decrypt decryption master account storage license shared
    service deploy client app application admin server consumer subscription write read ssh session root hmac aes webhook rest
    integration management live prod production user developer dev org organization personal project bot ingest insert sdk"""
)
_PASS_QUALIFIERS = _set(
    """db database user usr smtp mail email root admin ftp sftp mysql pg postgres redis ldap my jdbc wifi vpn rdp ssh auth login api app proxy
    http basic client server keystore key store truststore cert pfx sudo default new old current encrypted secret service svc account bot
    imap pop mqtt rabbitmq amqp mongo mongodb couch es elastic sql oracle mssql rabbit vault jenkins git repo registry docker nexus
    archive zip the network guest master test dev prod temp tmp initial"""
)
_STEMS = Lazy(
    rb"(?:password|passwd|passphrase|passcode|secret|token|apikey|credential|privatekey|secretkey|accesskey"
    rb"|(?:db|user|my|smtp|root|admin|ftp|pg|sql|mail|redis|key|store)(?:pass|pwd))s?\Z"
)
_NOT_STEM = Lazy(rb"detoken|subtoken|untoken")

_DENY_AFTER = _set(
    """id ids name names path paths file files filename dir directory folder url urls uri uris endpoint endpoints ttl count counts counter
    length lengths len size sizes type types typ kind field fields header headers prefix prefixes suffix expiry expire expires expired
    expiration exp at date dates time times timeout timestamp limit limits max min policy policies rule rules regex regexp pattern patterns
    format formats hint hints label labels placeholder error errors message messages msg text texts title description desc help info
    enabled disabled required optional valid invalid exists status state index idx position pos offset usage used use uses budget cost
    costs price rate rates version versions algorithm alg algo manager provider providers store stores service services factory handler
    class func function fn callback callbacks button form page view input inputs screen column columns table param params parameter
    parameters env var variable variables source ref refs reference arn map mapping list lists set sets dict array bits fingerprint
    fingerprints checksum digest hash hashes thumbprint kid stdin method methods mode model models schema owner user username email
    interval window period duration age refresh_interval strength score check checks validator validation validate verification
    require requires generator generate generation reset resets change changed changes updated update rotation rotate request requests
    response responses grant scope scopes audience issuer claim claims payload bucket buckets budget_tokens processor parser
    selector getter setter helper utils util config configuration options option settings setting manager client clients
    vault_name vaults ring rings storage cache caches cached created creation prompt prompts dialog modal toggle visible visibility
    icon link links template templates example examples test tests spec attempts attempt retries retry failures failed success
    per remaining left total totals sum avg average ratio percent balance overhead only line lines start end mint supply symbol
    address decimals uri_template event events listener press pressed down up code codes word words board stroke frame frames
    file_path filepath location loc region zone exchange introspection revocation signature_algorithm alias aliases size_bytes
    property properties attribute attributes attr pair pairs type_hint annotation separator sep delimiter space spaces distance
    ends literal literals kinds stream streams iterator iter"""
)
_DENY_BEFORE = _set(
    """public pub publishable trial primary foreign cache cached caching restore sort partition row dict object s3 sidekiq next page continuation cancel cancellation pagination cursor
    csrf xsrf idempotency event keyboard hot shortcut press down up max min num number count total input output prompt completion
    used cached reasoning eos bos pad unk mask cls sep special stop start end first last current lookahead prev previous peek
    forgot reset has is no show hide require enable disable missing invalid wrong incorrect bad expected unexpected
    translation lookup registry map hash composite unique natural surrogate candidate index join group hashed ordering
    i18n locale lang menu nav react component widget config feature flag metric dimension tag label column field cell header
    schema json yaml xml query search filter storage_key sync async issuer cuda accessory dedup dedupe budget remaining
    cumulative average avg per estimated thinking image audio video text"""
)
_BENIGN_AFTER = _set(
    "value values val string str raw plain plaintext b64 base64 base enc encrypted encoded prod production dev stage staging local new old "
    "current fake default live data bytes literal s key token secret password here hex jwt env1 v1 v2"
)

_SPLIT = Lazy(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[\x80-\xff]+")


def split_words(name: bytes) -> list[bytes]:
    """`dbPassword`, `DB_PASSWORD`, `db-password` → db, password. Lower case; digits apart."""
    return [word.lower() for word in _SPLIT.findall(name)]


_COOKIE_NAMES = _set("jsessionid phpsessid aspsessionid asp.net_sessionid connect.sid cfid cftoken")
_UPPER_NAME = Lazy(rb"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")


@lru_cache(maxsize=4096)
def read_key(name: bytes) -> Key:
    """What the key `name` (an identifier, a dotted path, a header, a few words) promises about its value."""
    if name.lower() in _COOKIE_NAMES:
        return Key(Level.MEDIUM, "cookie")
    words = split_words(name[-80:])
    for at in range(len(words) - 1, -1, -1):
        key = _read_word(words, at)
        if key.level:
            return _weigh(key, words, at, upper=_UPPER_NAME.match(name) is not None)
        if words[at] in _DENY_AFTER:
            return NO_KEY
    return NO_KEY


_POINTERS = _DENY_AFTER - _set("id secret token key code owner user username client")
"""What a vendor's name may not be followed by."""


def is_denied(rest: bytes) -> bool:
    """True where what follows a vendor's name says that no key comes: `_url`, `Sha`, `.version`."""
    return any(word in _POINTERS or word in (b"sha", b"commit", b"rev", b"revision", b"etag", b"md5") for word in split_words(rest))


def _read_word(words: list[bytes], at: int) -> Key:
    """What the word at `at` says by itself, together with the one before it."""
    word = words[at]
    before = words[at - 1] if at else b""
    if word in _PASSWORD:
        if word == b"pass" and before and before not in _PASS_QUALIFIERS:
            return NO_KEY
        return Key(Level.PASSWORD, "password", digits=True, word=bool(before) or word not in (b"pass", b"pw", b"pwd"))
    if word in (b"pin", b"otp", b"totp"):
        return Key(Level.WEAK, "pin", digits=True)
    if word in _KEYLIKE:
        if before in _KEY_QUALIFIERS:
            return Key(Level.STRONG, "private-key" if before == b"private" else "api-key")
        return Key(Level.MEDIUM if before else Level.WEAK, "api-key")
    if word in _SECRET:
        return Key(Level.STRONG, "secret", digits=word == b"secret")
    if word in _TOKEN:
        return Key(Level.STRONG if before in _KEY_QUALIFIERS else Level.MEDIUM, "token")
    if word in _WEAK:
        return Key(Level.WEAK, "secret")
    if word == b"signature" and before in (b"amz", b"goog", b"x") or word == b"sig":
        return Key(Level.WEAK, "signature")
    return _read_compound(word)


def _read_compound(word: bytes) -> Key:
    """`pgpassword`, `authtoken`, `dbsecret`: words written as one."""
    match = _STEMS.search(word) if len(word) > 4 and not _NOT_STEM.search(word) else None
    if match is None:
        return NO_KEY
    stem = match[0]
    if stem.startswith(b"token"):
        return Key(Level.MEDIUM, "token")
    if stem.startswith(b"pass") or stem.rstrip(b"s").endswith((b"pas", b"pwd")):
        return Key(Level.PASSWORD, "password", digits=True)
    return Key(Level.STRONG, "secret")


def _weigh(key: Key, words: list[bytes], at: int, *, upper: bool) -> Key:
    """Takes the words around the one that names a secret into account."""
    after = words[at + 1 :]
    if any(word in _DENY_AFTER for word in after):
        return NO_KEY
    if at and (words[at - 1] in _DENY_BEFORE or (words[0] in _DENY_BEFORE and key.kind != "password")):
        return NO_KEY
    level = key.level
    unknown = [word for word in after if word not in _BENIGN_AFTER and not word.isdigit()]
    if unknown and level > Level.WEAK:
        level = Level(level - 1)
    elif upper and level == Level.MEDIUM and words[at] != b"pat":
        level = Level.STRONG
    return key._replace(level=level)


_VOCABULARY = _set(
    """your my our the a an this that some any api app application key keys token tokens secret secrets password passwords passwd pwd pass
    pw passphrase user username name email login auth access client server service account admin root test testing example examples sample
    demo dummy placeholder changeme change me insert replace enter put add here value values string str text todo fixme tbd none null nil
    undefined true false yes no empty default required optional hidden redacted removed masked secure private public bearer basic digest
    oauth oauth2 jwt id ids type types new old current next confirm confirmation reset forgot field input header headers config env
    environment variable var local dev prod production staging data base base64 db database http https url uri host port path file int
    integer bool boolean float number object array list dict map set any unknown bytes byte char varchar long short mixed self this it
    literal optional option some result error err ok goes is not of for and or to from with in on x y z foo bar baz qux
    unset missing invalid valid wrong bad good correct incorrect expired active inactive enabled disabled success failed failure
    generated random real actual own personal github gitlab openai anthropic aws azure google gcp slack stripe
    consumer application session cookie csrf sig signature sign signing hash hashed salt encrypted encryption credential credentials creds
    refresh code grant scope kind role group org organization project team
    get fetch read load parse make create generate build check verify validate update delete remove store save show hide toggle
    bot webhook callback provider manager param params parameter request response payload body content form query json xml yaml html css
    super super_secret supersecret mysecret mypassword secretkey apikey accesstoken nothing something anything whatever
    xxx xxxx xxxxx abc abcd abcdef xyz asdf qwerty notused unused n/a na too"""
)

_PROSE = _set(
    """the your is are was must please enter new confirm not invalid incorrect forgot reset change required to for of and with a an in on
    or has have been should can cannot match current old wrong missing minimum at least characters password passwords token tokens secret
    secrets key keys be by from this that it its as if when will would we you i my no yes do does don did use used using show hide type
    repeat again login sign log here see set get same different too short long weak strong policy value user username email field
    authentication authorization required. optional default none description provide provided generate create update"""
)


def is_vocabulary(value: bytes) -> bool:
    """True where a value is made of nothing but words that name things: `your_api_key`, `access_token`, `changeme`, `str`."""
    words = split_words(value)
    return all(word in _VOCABULARY or word.isdigit() and len(word) <= 3 for word in words)


def is_prose(value: bytes) -> bool:
    """True where several words read like a label or a message rather than a passphrase."""
    words = value.lower().split()
    return len(words) > 9 or value.rstrip()[-1:] in b".?!:" or any(word.strip(b",.;:!?'\"()") in _PROSE for word in words)


_EXAMPLE = Lazy(
    rb"(?i)(?:^|[^a-z])(?:(?:your|insert|replace|enter|put|add)[-_ .]?(?:own[-_ ]|with[-_ ])?|my[-_ .])(?:api|access|secret|auth|client|app|private|token|key|pass|user|bot|real|account|org)"
    rb"|EXAMPLEEXAMPLE|\A[A-Z0-9]{4,24}EXAMPLE\Z|EXAMPLEKEY\Z|[-_ ]here\b|[-_]here(?![a-z])|placeholder|change[-_ ]?me|redacted|<[a-z]|not[-_]a[-_]real|goes[-_]here|xxxx+|\*\*\*\*|dummy"
    rb"|\.\.\.|\xe2\x80\xa6"
)


def is_example(value: bytes) -> bool:
    """`YOUR_API_KEY`, `insert-token-here`, `changeme`, `sk-xxxx`: shown to be replaced."""
    return _EXAMPLE.search(value) is not None
