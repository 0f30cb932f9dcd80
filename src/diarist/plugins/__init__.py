"""Package data: plugins and marketplaces for Claude Code and Codex, and the OpenCode plugin."""
