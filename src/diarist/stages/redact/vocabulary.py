"""Words: how names are split into them, and which values are made of nothing but words that name, show or ask for something."""

from __future__ import annotations

from diarist.text.lazy import lazy


def word_set(text: str) -> frozenset[bytes]:
    """The words of `text`, for looking up bytes."""
    return frozenset(text.encode().split())


_SPLIT = lazy(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[\x80-\xff]+")


def split_words(name: bytes) -> list[bytes]:
    """`dbPassword`, `DB_PASSWORD`, `db-password` → db, password. Lower case; digits apart."""
    return [word.lower() for word in _SPLIT.findall(name)]


_NAMING = word_set(
    """your my our the a an this that some any api app application key keys token tokens secret secrets password passwords passwd pwd pass
    pw passphrase user username name email login auth access client server service account admin root test testing example examples sample
    demo dummy placeholder changeme change me insert replace enter put add here value values string str text todo fixme tbd none null nil
    undefined true false yes no empty default required optional hidden redacted removed masked secure private public bearer basic digest
    oauth oauth2 jwt id ids type types new old current next confirm confirmation reset forgot field input header headers config env
    environment variable var local dev prod production staging data base base64 db database http https url uri host port path file int
    integer bool boolean float number object array list dict map set unknown bytes byte char varchar long short mixed self it literal
    option result error err ok goes is not of for and or to from with in on x y z foo bar baz qux unset missing invalid valid wrong bad
    good correct incorrect expired active inactive enabled disabled success failed failure generated random real actual own personal
    github gitlab openai anthropic aws azure google gcp slack stripe consumer session cookie csrf sig signature sign signing hash hashed
    salt encrypted encryption credential credentials creds refresh code grant scope kind role group org organization project team get
    fetch read load parse make create generate build check verify validate update delete remove store save show hide toggle bot webhook
    callback provider manager param params parameter request response payload body content form query json xml yaml html css super
    supersecret mysecret mypassword secretkey apikey accesstoken nothing something anything whatever xxx xxxx xxxxx abc abcd abcdef xyz
    asdf qwerty notused unused n/a na too"""
)


def is_vocabulary(value: bytes) -> bool:
    """True where a value is made of nothing but words that name things: `your_api_key`, `access_token`, `changeme`, `str`."""
    return all(word in _NAMING or (word.isdigit() and len(word) <= 3) for word in split_words(value))


_TELLING = word_set(
    """the your is are was must please enter new confirm not invalid incorrect forgot reset change required to for of and with a an in on
    or has have been should can cannot match current old wrong missing minimum at least characters password passwords token tokens secret
    secrets key keys be by from this that it its as if when will would we you i my no yes do does don did use used using show hide type
    repeat again login sign log here see set get same different too short long weak strong policy value user username email field
    authentication authorization optional default none description provide provided generate create update"""
)


def is_prose(value: bytes) -> bool:
    """True where several words read like a label or a message rather than a passphrase."""
    words = value.lower().split()
    return len(words) > 9 or value.rstrip()[-1:] in b".?!:" or any(word.strip(b",.;:!?'\"()") in _TELLING for word in words)


_EXAMPLE = lazy(
    rb"(?i:(?:^|[^a-z])(?:(?:your|insert|replace|enter|put|add)[-_ .]?(?:own[-_ ]|with[-_ ])?|my[-_ .])"
    rb"(?:api|access|secret|auth|client|app|private|token|key|pass|user|bot|real|account|org)"
    rb"|[-_ ]here\b|[-_]here(?![a-z])|placeholder|change[-_ ]?me|redacted|<[a-z]|not[-_]a[-_]real|dummy|xxxx|\*\*\*\*|\.\.\.|\xe2\x80\xa6)"
    rb"|\A(?i:your)[-_ ]|EXAMPLEEXAMPLE|\A[A-Z0-9]{4,24}EXAMPLE\Z|EXAMPLEKEY\Z"
)


def is_example(value: bytes) -> bool:
    """`YOUR_API_KEY`, `insert-token-here`, `changeme`, `sk-xxxx`, Amazon's `…EXAMPLE`: shown to be replaced."""
    return _EXAMPLE.search(value) is not None
