"""`/v1/*`: the hub over HTTP. One table of routes is what is served and what OpenAPI tells."""
