"""Vendors whose keys have no prefix: their name beside a value of the right shape says enough.

One row a shape: regular expression of the value, and the vendors whose keys look so. Sources: the vendors' documentation of their
keys, and the samples they publish.
"""

from __future__ import annotations

HEX32 = r"[0-9a-f]{32}"
HEX40 = r"[0-9a-f]{40}"
HEX64 = r"[0-9a-f]{64}"
ALNUM32 = r"[A-Za-z0-9]{32}"
ALNUM40 = r"[A-Za-z0-9_-]{40}"
ALNUM64 = r"[A-Za-z0-9_-]{64}"
UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"

SHAPES: tuple[tuple[str, str], ...] = (
    (
        HEX32,
        "adobe algolia amplitude bittrex cloudinary datadog facebook finicity honeycomb linear mistral openweather weatherstack "
        "linode mapquest ipinfo rollbar bugsnag airbrake",
    ),
    (HEX40, "bitly circleci meraki sendbird wandb deepgram gitea jumpcloud sourcegraph sonar semaphore travis vultr"),
    (HEX64, "cloudinary discord gumroad sentry polymarket"),
    (r"[0-9a-f]{37}", "cloudflare"),
    (
        ALNUM40,
        "cloudflare sonar sourcegraph cohere datadog datagov exoscale greptile maxmind plivo upstage yandex zendesk gitter lob datastax",
    ),
    (
        ALNUM32,
        "adafruit asana assemblyai bitbucket box cloudinary droneci fastly flickr kiteworks lark mistral nytimes openweather pyowm ovh "
        "trello twitch privateai amplitude",
    ),
    (ALNUM64, "bitbucket coinbase confluent freshbooks jfrog artifactory new-relic newrelic sumo disqus snowflake"),
    (
        UUID,
        "codecov heroku hubspot kucoin messagebird pinecone MessageBird HubSpot scaleway sendbird snyk squarespace wakatime checkout postmark azure_client_secret",
    ),
    (r"su[A-Za-z0-9]{12}", "sumo"),
    (r"[0-9a-f]{8}:[0-9a-f]{8}", "contribsys"),
    (r"\d{8,10}:A[A-Za-z0-9_-]{34}", "telegram"),
    (r"[A-Za-z0-9_-]{42,43}", "contentful ibmcloud"),
    (r"[A-Za-z0-9]{50}", "civo twitter rapidapi"),
    (r"[A-Za-z0-9_-]{45}", "netlify twitter"),
    (r"[A-Za-z0-9]{20,28}", "finnhub looker plaid twitch mattermost travis twitter etsy messagebird clickhouse"),
    (r"00[A-Za-z0-9_-]{40}", "okta"),
    (r"[A-Za-z0-9_=-]{60}", "intercom"),
    (r"[A-Za-z0-9+/=_-]{48}", "greptile"),
    (r"[A-Za-z0-9+/=_-]{80,90}", "kraken influx greptile"),
    (r"[0-9a-f]{32}-us\d{1,2}", "mailchimp"),
    (r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}", "mailgun"),
)
