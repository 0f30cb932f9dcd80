"""From a question to an order of records: reading the query, scoring what the index found, judging what superseded what."""
