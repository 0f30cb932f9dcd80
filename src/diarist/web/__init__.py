"""Atlas: the hub as pages for people. Server-rendered; works without script."""
