"""Tokens that carry their vendor's prefix.

One row a format: what it is called, the literals it starts with, the characters that follow, how many at least, and where the
fact comes from. `confirm` in `tokens.py` of the package reads these rows; nothing in here is a regular expression of a scanner.

Sources: "docs" is the vendor's public documentation or announcement of the format, "published" a sample key that the vendor or a
test suite published, "program" the vendor's open-source client or server that makes or checks it.
"""

from __future__ import annotations

from typing import NamedTuple

ALNUM = "A-Za-z0-9"
LOWER = "a-z0-9"
UPPER = "A-Z0-9"
HEX = "a-fA-F0-9"
URL = r"A-Za-z0-9_\-"
DOTTED = r"A-Za-z0-9_.\-"
WORD = "A-Za-z0-9_"
BASE64 = r"A-Za-z0-9+/=_\-"
ANYTHING = -999.0
"""Floor of a format so peculiar that nothing else looks like it."""
LOOSE = r"A-Za-z0-9_=\-"


class Token(NamedTuple):
    """One token format."""

    id: str
    """Rule id, and the kind in the placeholder."""
    literals: tuple[str, ...]
    """What it starts with. Case counts."""
    alphabet: str
    """Characters after the literal, as the inside of a character class."""
    length: int
    """How many of them a whole token has at least."""
    source: str
    exact: bool = False
    """A whole token has exactly `length`; a longer run is something else."""
    fixed: bool = False
    """A whole token has exactly `length`, so a line wrap inside it can be told."""
    floor: float = -18.0
    """Least `shape.surprise` (bits) of what follows the literal: keeps names that happen to start alike."""
    filled: bool = False
    """Documentation fills samples of it with one letter, and so do people with real ones: only x, 0 and * are taken for fillers."""
    shown: bool = False
    """The literal is an address that may stay."""
    anywhere: bool = False
    """So peculiar that it may start within a word."""
    short: int = 12
    """Least length of a token that was cut off."""


def _row(id_: str, literals: str, alphabet: str, length: int, source: str = "docs", **more: float) -> Token:
    return Token(id_, tuple(literals.split()), alphabet, length, source, **more)  # type: ignore[arg-type]


TOKENS: tuple[Token, ...] = (
    # Source forges
    _row("github-token", "ghp_ gho_ ghu_ ghr_", ALNUM, 36, fixed=True),
    _row("github-token", "ghs_", DOTTED, 36),
    _row("github-token", "github_pat_", WORD, 82, fixed=True),
    _row(
        "gitlab-token",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-",
        DOTTED,
        20,
        floor=-200,
        filled=True,
    ),
    _row("gitlab-token", "GR1348941", URL, 20, floor=-200),
    _row("gitlab-session", "_gitlab_session=", HEX + ALNUM, 32),
    _row("bitbucket-token", "ATBB", ALNUM, 32, fixed=True, floor=10),
    _row("atlassian-token", "ATATT3 ATCTT3", BASE64, 100),
    _row("sourcegraph-token", "sgp_ slk_ sgd_ sgs_", WORD, 40),
    _row("gitea-token", "gtea_", HEX, 40),
    # Clouds
    _row("aws-access-key", "AKIA ASIA ABIA ACCA", UPPER, 16, exact=True, floor=-30),
    _row("aws-bedrock-key", "ABSK", BASE64, 100),
    _row("aws-bedrock-key", "bedrock-api-key-", BASE64, 28),
    _row("google-api-key", "AIza", URL, 35, floor=-60),
    _row("google-oauth-token", "ya29.", DOTTED, 20, floor=5),
    _row("google-oauth-secret", "GOCSPX-", URL, 28),
    _row("google-refresh-token", "1//0", URL, 38, floor=10),
    _row("google-api-key", "AQ.Ab", URL, 40),
    _row("azure-key", "JQQJ99", ALNUM, 30, "published", floor=10),
    _row("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", HEX, 64, fixed=True),
    _row("alibaba-access-key", "LTAI", ALNUM, 12, floor=5),
    _row("alibaba-access-key", "STS.", ALNUM, 20, floor=10),
    _row("alibaba-token", "CAIS", BASE64, 40, floor=15),
    _row("yandex-key", "AQVN", URL, 35, floor=10),
    _row("yandex-key", "YCA YCM YCN YCO YCP", URL, 36, "docs", floor=25),
    _row("yandex-token", "t1.", DOTTED + "=", 80, floor=20),
    _row("yandex-token", "y0_ y1_ y2_ y3_", URL, 50, floor=15),
    _row("cloudflare-token", "cfk_ cfut_ cfat_ cfoat_", ALNUM, 40),
    _row("cloudflare-origin-key", "v1.0-", HEX + "-", 140, "published"),
    _row("heroku-key", "HRKU-", URL, 36),
    _row("fly-token", "FlyV1 ", "A-Za-z0-9+/=,_-", 60),
    _row("fly-token", "fo1_", URL, 43),
    _row("fly-token", "fm1_ fm1r_ fm1a_ fm2_", "A-Za-z0-9+/=,_-", 60),
    _row("render-key", "rnd_", ALNUM, 28, floor=8),
    _row("vercel-token", "vck_ vcp_ vci_ vca_ vcr_", URL, 24, floor=12),
    _row("netlify-token", "nfp_ nfo_ nfc_ nfb_", ALNUM, 36),
    _row("scalingo-token", "tk-us-", URL, 48),
    _row("upcloud-token", "ucat_", UPPER, 26),
    _row("ovh-token", "ovh_", ALNUM, 32, floor=20),
    _row("exoscale-key", "EXO", HEX, 24, floor=-6),
    _row("openshift-token", "sha256~", URL, 43),
    _row("doppler-token", "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.", DOTTED, 40),
    _row("pulumi-token", "pul-", HEX, 40, fixed=True),
    _row("terraform-token", "atlasv1.", LOOSE, 60),
    _row("vault-token", "hvs. hvb. hvr.", URL, 24, floor=-6),
    _row("scalr-token", "at-", DOTTED, 60, floor=40),
    _row("infracost-key", "ico-", ALNUM, 32, floor=8),
    _row("tailscale-key", "tskey-", URL, 20, floor=-44, filled=True, anywhere=True),
    _row("defined-networking-token", "dnkey-", LOOSE, 60),
    _row("docker-token", "dckr_pat_ dckr_oat_", URL, 27, floor=-6),
    _row("docker-swarm-token", "SWMTKN-1- SWMKEY-1-", "A-Za-z0-9+/-", 40),
    _row("databricks-token", "dapi", HEX, 32, floor=-40, short=20),
    _row("planetscale-token", "pscale_tkn_ pscale_oauth_ pscale_pw_", DOTTED + "=", 32),
    _row("neon-key", "napi_", ALNUM, 40),
    _row("supabase-key", "sbp_", ALNUM, 40, fixed=True),
    _row("supabase-key", "sb_secret_", URL, 31),
    _row("cockroach-key", "CCDB1_", WORD, 60),
    _row("datastax-token", "AstraCS:", "A-Za-z0-9:", 40),
    _row("elastic-key", "essu_", ALNUM + "=_-", 40),
    _row("mongodb-secret", "mdb_sa_sk_", URL, 40),
    _row("influx-token", "apiv3_", URL, 60),
    _row("cloudsmith-key", "csa_ ecosystem_", ALNUM, 36, "program", floor=0),
    # Models
    _row("anthropic-key", "sk-ant-", URL, 80),
    _row("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", URL, 40),
    _row("openai-session", "sess-", ALNUM, 40, floor=15),
    _row("openrouter-key", "sk-or-v1-", HEX, 64, fixed=True),
    _row("api-key", "sk-", URL, 30, "docs", floor=2),
    _row("huggingface-token", "hf_ api_org_", ALNUM, 34, fixed=True, floor=8),
    _row("groq-key", "gsk_", ALNUM, 52, fixed=True, floor=-30),
    _row("xai-key", "xai-", WORD, 70),
    _row("perplexity-key", "pplx-", ALNUM, 48, fixed=True),
    _row("replicate-token", "r8_", ALNUM, 37, fixed=True, floor=10),
    _row("nvidia-key", "nvapi-", URL, 60),
    _row("together-key", "tgp_v1_", URL, 43),
    _row("cerebras-key", "csk-", LOWER, 48, floor=10),
    _row("fireworks-key", "fw_", ALNUM, 22, floor=12),
    _row("cursor-key", "key_", HEX, 64, fixed=True),
    _row("langsmith-key", "lsv2_pt_ lsv2_sk_", WORD, 40),
    _row("pinecone-key", "pcsk_", WORD, 60),
    _row("jina-key", "jina_", ALNUM, 48),
    _row("tavily-key", "tvly-", URL, 32),
    _row("e2b-key", "e2b_", HEX, 40),
    _row("wandb-key", "wandb_v1_", WORD, 60),
    _row("runpod-key", "rpa_", ALNUM, 30, floor=10),
    _row("voyage-key", "pa-", URL, 43, exact=True, floor=25),
    _row("brave-key", "BSA", URL, 27, floor=18),
    _row("kagi-key", "AQAAUP", DOTTED, 45, "published", floor=10),
    _row("devin-key", "apk_user_ apk_", ALNUM, 60, floor=15),
    _row("devin-token", "cog_", LOWER, 48, floor=10),
    # Payments
    _row("stripe-key", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", ALNUM + "_+/=-", 20, floor=-22, filled=True),
    _row("stripe-webhook-secret", "whsec_", BASE64, 32),
    _row("api-key", "sk_", HEX + "-", 36, floor=-40),
    _row("square-token", "sq0atp- sq0csp-", URL, 22),
    _row("square-token", "EAAA", URL, 56, floor=20),
    _row("paypal-token", "access_token$production$ access_token$sandbox$", "a-z0-9$", 30),
    _row("shopify-token", "shpat_ shpca_ shppa_ shpss_", ALNUM, 32, fixed=True, floor=-40),
    _row("flutterwave-key", "FLWSECK_TEST- FLWSECK- FLWPUBK_TEST- FLWPUBK-", ALNUM + "-", 12, floor=-30),
    _row("shippo-token", "shippo_live_ shippo_test_", HEX, 40, fixed=True),
    _row("duffel-token", "duffel_test_ duffel_live_", LOOSE, 40),
    _row("easypost-key", "EZAK EZTK", ALNUM, 54, fixed=True, floor=10),
    _row("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_", WORD, 50),
    _row("polar-token", "polar_at_ polar_oat_ polar_pat_", WORD, 38, floor=0),
    _row("ramp-secret", "ramp_sec_ ramp_id_", ALNUM, 40),
    _row("asaas-token", "$aact_", ALNUM + "_:=-", 30),
    _row("mercury-token", "mercury_production_", WORD, 40),
    _row("rainforest-key", "apikey_", HEX, 60),
    _row("cfxre-key", "cfxk_", ALNUM, 20, floor=ANYTHING),
    _row("midtrans-key", "Mid-server- Mid-client-", URL, 14),
    _row("freemius-key", "sk_", r"A-Za-z0-9#&@*$%!_.^-", 28, "published", floor=25),
    # Messages
    _row(
        "slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxe- xoxe.xoxp- xoxe.xoxb- xapp-", ALNUM + "-", 14, floor=-60, short=14
    ),
    _row("slack-cookie", "xoxd-", "A-Za-z0-9%+/=_-", 40),
    _row("slack-webhook", "hooks.slack.com/", r"A-Za-z0-9+/_-", 20, floor=-10, shown=True),
    _row("discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", r"A-Za-z0-9/_-", 40, shown=True),
    _row("teams-webhook", "webhook.office.com/webhookb2/ outlook.office.com/webhook/", r"A-Za-z0-9/@_-", 40, floor=-60, shown=True),
    _row("zapier-webhook", "hooks.zapier.com/hooks/catch/", r"A-Za-z0-9/", 10, floor=-60, shown=True),
    _row("discord-token", "mfa.", URL, 80, floor=20),
    _row("sendgrid-key", "SG.", DOTTED, 50, floor=0, anywhere=True),
    _row("mailgun-key", "key- pubkey-", HEX, 32, exact=True, floor=-40),
    _row("mailersend-token", "mlsn.", ALNUM, 40),
    _row("brevo-key", "xkeysib- xsmtpsib-", ALNUM + "-", 64),
    _row("resend-key", "re_", WORD, 28, floor=25),
    _row("onesignal-key", "os_v2_app_ os_v2_org_", LOWER, 60),
    _row("plivo-id", "MAQF", UPPER, 16, "published", floor=-6),
    _row("telnyx-key", "KEY0", WORD, 40),
    # Packages and builds
    _row("npm-token", "npm_", ALNUM, 36, fixed=True, floor=8),
    _row("pypi-token", "pypi-AgE pypi-AgEN", BASE64, 50),
    _row("rubygems-key", "rubygems_", HEX, 48, fixed=True),
    _row("crates-token", "cio", ALNUM, 32, exact=True, floor=20),
    _row("clojars-token", "CLOJARS_", ALNUM, 60),
    _row("nuget-key", "oy2", LOWER, 43, exact=True, floor=10),
    _row("artifactory-key", "AKCp", ALNUM, 60),
    _row("artifactory-token", "cmVmdG cmVmd", ALNUM, 58),
    _row("buildkite-token", "bkua_ bkpat_ bkaj_ bkct_", WORD, 40),
    _row("circleci-token", "CCIPAT_ CCIPRJ_", WORD, 40),
    _row("jfrog-token", "eyJ2ZXIiOiIyIiwidHlwIjoiSldUI", BASE64 + ".", 60),
    _row("harness-key", "pat. sat.", ALNUM + "._-", 60, floor=20),
    _row("octopus-key", "API-", UPPER, 26, exact=True, floor=8),
    _row("sonar-token", "squ_ sqp_ sqa_", ALNUM, 40, floor=-60),
    _row("snyk-token", "snyk_uat.", DOTTED, 40),
    _row("codecov-token", "codecov_", ALNUM, 40, floor=20),
    _row("prefect-token", "pnu_ pnb_", ALNUM, 36, fixed=True, floor=8),
    _row("apify-token", "apify_api_", ALNUM, 36),
    _row("deno-token", "ddp_ ddw_", ALNUM, 36, floor=8),
    _row("ionic-token", "ion_", ALNUM, 42, floor=10),
    _row("unkey-key", "unkey_", ALNUM, 22, floor=8),
    _row("zuplo-key", "zpka_", WORD, 40),
    _row("rootly-key", "rootly_", HEX, 64, fixed=True),
    _row("thunderstore-token", "tss_", URL, 32, floor=10),
    # Observability
    _row("grafana-token", "glc_ glsa_", BASE64, 32, floor=0),
    _row("grafana-key", "eyJrIjoi", BASE64, 60),
    _row("new-relic-key", "NRAK- NRII- NRJS- NRIQ- NRRA- NRAL- NRBR-", ALNUM, 19, floor=-40),
    _row("sentry-token", "sntrys_ sntryu_ sntrya_ sntryi_", BASE64, 50, floor=-40),
    _row("dynatrace-token", "dt0c01. dt0s01. dt0s16.", DOTTED, 60),
    _row("posthog-key", "phx_ phc_ phr_ phs_", URL, 40, floor=8),
    _row("honeycomb-key", "hcaik_ hcalk_ hcaic_", ALNUM, 50),
    # Products
    _row("adobe-secret", "p8e-", LOWER, 32, fixed=True),
    _row("age-key", "AGE-SECRET-KEY-1", UPPER, 58, fixed=True, floor=ANYTHING),
    _row("1password-key", "A3-", UPPER + "-", 34, floor=0),
    _row("1password-token", "ops_eyJ", BASE64, 100),
    _row("linear-key", "lin_api_ lin_oauth_ lin_wh_", ALNUM, 40, fixed=True),
    _row("notion-token", "ntn_", ALNUM, 46, fixed=True, floor=0),
    _row("figma-token", "figd_ figu_ figo_", URL, 36),
    _row("airtable-token", "APP", DOTTED, 100, "published", floor=40),
    _row("postman-key", "PMAK-", ALNUM + "-", 59),
    _row("readme-key", "rdme_", LOWER, 60),
    _row("typeform-token", "tfp_", LOOSE, 50),
    _row("frameio-token", "fio-u-", LOOSE, 60),
    _row("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", ALNUM, 16, floor=-4),
    _row("beamer-token", "b_", LOOSE, 44, exact=True, floor=25),
    _row("launchdarkly-token", "api- sdk- mob-", HEX + "-", 36, exact=True, floor=-40),
    _row("devcycle-key", "dvc_server_ dvc_client_ dvc_mobile_", ALNUM, 20, floor=0),
    _row("configcat-key", "configcat-sdk-1/", URL + "/", 40),
    _row("lichess-token", "lip_ lio_", WORD, 20, floor=10),
    _row("samsara-token", "samsara_api_", ALNUM, 28),
    _row("pinterest-token", "pina_", URL, 38),
    _row("valtown-token", "vtwn_", ALNUM, 30, floor=0),
    _row("wakatime-key", "waka_", ALNUM + "-", 36),
    _row("endor-key", "endr+", ALNUM + "+/", 16, floor=-4),
    _row("canva-secret", "cnvca", URL, 45),
    _row("aikido-secret", "AIK_SECRET_ AIK_CI_ AIK_CLIENT_", ALNUM, 20),
    _row("persona-key", "persona_production_ persona_sandbox_", ALNUM, 24),
    _row("proof-key", "prf_", URL, 32, floor=10),
    _row("mergify-key", "mergify_application_key_", WORD, 40),
    _row("lark-id", "cli_", ALNUM, 16, exact=True, floor=12),
    _row("ebay-secret", "PRD-", HEX + "-", 32, exact=True, floor=-40),
    _row("workato-token", "wrka wrkaeu- wrkaus- wrkajp- wrkasg- wrkaau-", DOTTED, 80),
    _row("gcnotify-key", "ApiKey-v1 ", DOTTED, 60),
    _row("authress-key", "sc_ ext_ scauth_ authress_", DOTTED + "+/=", 80, floor=10),
    _row("onfido-token", "api_live. api_live_us. api_live_ca. api_sandbox.", DOTTED, 30),
    _row("facebook-token", "EAA", ALNUM, 80, floor=40),
    _row("twitter-token", "AAAAAAAAAAAAAAAAAAAA", "A-Za-z0-9%", 60),
    _row("intra42-secret", "s-s4t2ud- s-s4t2af-", HEX, 64, fixed=True),
)
