"""What agents' clients call at every turn: `diarist hook <event> --client <name>`.

Capture imports next to nothing: it leaves ids and paths in the spool, wakes the worker, and returns. Injection reads the store.
A hook always exits 0, and prints nothing or exactly what the client's schema asks for. See docs/explanation/hooks.md.
"""
