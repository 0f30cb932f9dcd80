"""What a text must hold to be worth a closer look, by family: the patterns of `text.injection_words` are not tried on others."""

from __future__ import annotations

HINTS = (
    "skip", "command", "confirm", "whoever", "automated", "disabl", "compromised", "reader", "url", "user", "environment",
    "page", "transmit", "comply", "kindly", "ignor", "disregard", "forget", "overrid", "bypass", "discard", "instruction",
    "prompt", "approve", "accept", "reprogram", "you have been", "filters", "constraints", "exfil", "obey", "supersede",
    "tell the", "quietly", "memory", "tool", "system", "assistant", "agent", " ai ", " ai,", " ai:", "claude", "codex",
    "copilot", "gemini", "gpt", "llm", "model", "do not", "don't", "never", "without", "secret", "credential", "password",
    "token", "api key", "api_key", ".env", "curl", "wget", "base64", "rm -rf", "remember", "from now on", "future", "approved",
    "authoriz", "authoris", "silently", "pretend", "you are now", "you must", "you should", "please", "hide this", "keep this",
    "jailbr", "trust", "--no-verify", "--force", "chmod",
)  # fmt: skip
"""One of these is in every English text that is worth a closer look."""

_AGENTS = (
    "ai", "llm", "assistant", "agent", "model", "bot", "claude", "codex", "gemini", "copilot", "gpt", "cursor", "aider",
    "devin", "a.i",
)  # fmt: skip
NEEDS: dict[str, tuple[str, ...]] = {
    "override": (
        "your ", "the true", "the only", "sandbox",
        "ignor", "disregard", "forget", "overrid", "bypass", "discard", "follow", "set aside", "attention", "disabl",
        "turn off", "switch off", "lift", "suspend", "abandon", "void", "cancel", "obsolete", "invalid", "supersed",
        "no longer", "revoked", "replaced", "new ", "updated", "real ", "actual", "revised", "additional", "hidden", "secret",
        "drop", "remove",
    ),
    "role": (
        "no rules", "no limits", "no restrict", "no polic", "no guideline", "no constraint", "no filters",
        "you are", "you will", "system prompt", "act as", "behave as", "respond as", "pretend", "roleplay", "you have been",
        "developer mode", "jailbr", "anything now", " mode", " override",
    ),
    "mark": (
        "<", "[", "##", "begin ", "end ", "system", "developer", "administrator",
    ),
    "address": (
        *_AGENTS,
    ),
    "told": (
        *_AGENTS, "whoever", "anyone", "anything", "any ", "automated",
    ),
    "order": (
        "you ", "please", "make sure", "be sure", "to ", "now", "first", "then", "immediately", "simply", "just",
    ),
    "secrecy": (
        "omit", "leave out", "suppress", "conceal", "withhold",
        "tell", "mention", "inform", "notify", "reveal", "disclos", "alert", "show", "report", "warn", "ask", "wait",
        "request", "seek", "keep", "hide", "silently", "quietly", "covertly", "secretly", "stealth", "know", "see", "notice",
        "learn", "find out", "mind", "care", "quiet", "silent", "nothing",
    ),
    "leak": (
        "prompt", "instructions", "/etc/",
        "secret", "credential", "passw", "token", "key", "ssh", "id_rsa", "id_ed", "env", "aws", "npmrc", "netrc", "cookie",
        "~/.", "mcp.json", "system prompt", "conversation", "chat history", "source code", "your ",
    ),
    "remote": (
        "authorized_keys", "sudoers", "tunnel", "reverse", "disabl",
        "curl", "wget", "iwr", "irm", "invoke", "fetch", "| ", "|", "base64", "eval", "rm -rf", "chmod", "--no-verify",
        "git push", "--danger", "shell", "backdoor", "keylogger", "cron",
    ),
    "memory": (
        "all later", "all further", "all subsequent", "all following",
        "remember", "memor", "claude.md", "agents.md", "gemini.md", "cursorrules", "skill", "lesson", "knowledge", "diary",
        "instruction file", "future", "from now", "henceforth", "every", "each", "from this point",
    ),
    "grant": (
        "bypass", "omit", "no ",
        "trust", "approve", "accept", "allow", "permit", "whitelist", "auto", "skip",
    ),
    "authority": (
        "i grant", "i give", "i hereby", "from your",
        "approved", "authori", "consent", "granted", "confirm", "permitted", "requested", "instructed", "signed off", "trust",
        "role", "this ", "behalf",
    ),
    "loyalty": (
        "user", "operator", "human", "owner", "developer", " me",
        "obey", "as this", "as the ", "comply", "listen to", "follow", "heed", "your ", "instead of", "supersede", "overrule",
        "precedence", "replace", "oblig", "bound",
    ),
    "deceit": (
        "tell", "assure", "report to", "say to", "inform", "suppress",
    ),
    "tool": (
        "this tool", "the tool",
    ),
}  # fmt: skip
"""By family of English: one of these is in every text that its patterns fit."""

STEMS = (
    "ignore", "disregard", "forget", "override", "bypass", "donot", "dont", "never", "revealyour", "youarenow", "send",
    "upload", "post", "exfil", "erongi", "dragersid", "tegrof", "edirrevo", "ssapyb", "vtaber", "qvfertneq", "sbetrg",
    "bireevqr", "olcnff",
)  # fmt: skip
"""The same for texts that were taken apart, as they are, backwards and by rot13."""
