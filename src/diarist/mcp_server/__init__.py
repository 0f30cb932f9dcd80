"""Diarist over MCP: one server for both eras of the protocol, on standard streams and as an ASGI app.

Reading only, unless it was started to write. What it returns are records of past sessions: data, fenced and cited, never
instructions.
"""
