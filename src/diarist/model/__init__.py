"""Frozen value types. Import them from their modules, so that a cold start loads only what it uses."""
