"""Connecting agents' clients: hooks, MCP server and instructions in their own settings files.

`edits` changes one file and changes it back; one small module a client says what goes where; `connecting` is the use case.
"""
