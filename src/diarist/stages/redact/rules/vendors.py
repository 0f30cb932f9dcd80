"""Vendors whose keys have no prefix: their name beside a value of the right shape says enough.

One row a shape: regular expression of the value, and the vendors whose keys look so. A name in lower case is also looked for
capitalised and in upper case; one in mixed case as it is, too. Sources: the vendors' documentation of their keys, and the samples
they publish.
"""

from __future__ import annotations

_ROWS = r"""
[0-9a-f]{32}            adobe algolia amplitude bittrex cloudinary datadog facebook finicity honeycomb linear mistral openweather
[0-9a-f]{32}            weatherstack linode mapquest ipinfo rollbar bugsnag airbrake
[0-9a-f]{40}            bitly circleci meraki sendbird wandb deepgram gitea jumpcloud sourcegraph sonar semaphore travis vultr
[0-9a-f]{64}            cloudinary discord gumroad sentry polymarket
[0-9a-f]{37}            cloudflare
[A-Za-z0-9_-]{40}       cloudflare sonar sourcegraph cohere datadog datagov exoscale greptile maxmind plivo upstage yandex zendesk
[A-Za-z0-9_-]{40}       gitter lob datastax
[A-Za-z0-9]{32}         adafruit asana assemblyai bitbucket box cloudinary droneci fastly flickr kiteworks lark mistral nytimes
[A-Za-z0-9]{32}         openweather pyowm ovh trello twitch privateai amplitude
[A-Za-z0-9_-]{64}       bitbucket coinbase confluent freshbooks jfrog artifactory new-relic newrelic sumo disqus snowflake
[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}   codecov heroku hubspot HubSpot kucoin messagebird MessageBird pinecone scaleway
[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}   sendbird snyk squarespace wakatime checkout postmark
su[A-Za-z0-9]{12}       sumo
[0-9a-f]{8}:[0-9a-f]{8} contribsys
\d{8,10}:A[A-Za-z0-9_-]{34} telegram
[A-Za-z0-9_-]{42,43}    contentful ibmcloud
[A-Za-z0-9]{50}         civo twitter rapidapi
[A-Za-z0-9_-]{45}       netlify twitter
[A-Za-z0-9]{20,28}      finnhub looker plaid twitch mattermost travis twitter etsy messagebird clickhouse
00[A-Za-z0-9_-]{40}     okta
[A-Za-z0-9_=-]{60}      intercom
[A-Za-z0-9+/=_-]{48}    greptile
[A-Za-z0-9+/=_-]{80,90} kraken influx greptile
[0-9a-f]{32}-us\d{1,2}  mailchimp
[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}    mailgun
"""

SHAPES: tuple[tuple[str, tuple[str, ...]], ...] = tuple(
    (shape, tuple(vendors)) for shape, *vendors in (line.split() for line in _ROWS.strip().splitlines())
)
"""(expression, vendors)."""
