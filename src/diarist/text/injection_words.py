"""How texts speak to an agent: what is looked for by `text.injection`, by family and language. Patterns meet lower-case text.

Weights add up within a stretch of text, each family once. From 0.5 on a person should look, from 1.0 on nothing is told unmarked.
"""

from __future__ import annotations

_VERB = (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass|discard|do ?n[o']t follow|"
    r"stop following|set aside|pay no attention to)"
)
_LIFT = r"(?:disable|disabling|turn off|switch off|lift(?:ing)?|remove|drop|abandon|suspend)"
_OLD = (
    r"(?:previous|prior|above|earlier|preceding|system|original|initial|existing|current|your|"
    r"my|all|any|every|other|user'?s?|developer'?s?)"
)
_ORDERS = r"(?:instructions?|prompts?|guidelines?|guidance|directives?|orders|commands|messages?|requests?|tasks?|goals?)"
_AGENT = (
    r"(?:a\.?i\.?|llms?|assistants?|(?:coding|a\.?i\.?|autonomous|software) agents?|agents?|language "
    r"models?|(?:chat|coding )?bots?|claude(?: code)?"
    r"|codex|gemini|copilot|chatgpt|gpt(?:-?[0-9])?|cursor|aider|devin|model)"
)
_MACHINE = (
    r"(?:a\.?i\.?(?: \w+)?|llms?|(?:ai |coding |virtual )?assistants?|(?:coding|a\.?i\.?|autonomous|"
    r"automated) agents?|language models?|claude(?: code)?"
    r"|chatgpt|gpt-?[0-9]|copilot agent)"
)
_MUST = (
    r"(?:must|should|shall|needs? to|ha(?:ve|s) to|(?:are|is) (?:required|instructed|expected|"
    r"ordered|told|asked|hereby)(?: to)?"
    r"|please|will now|is to|are to)"
)
_DO = (
    r"(?:run|execute|send|post|upload|delete|remove|rm|add|write|commit|push|install|download|"
    r"fetch|open|visit|wipe|overwrite|erase|mail|transmit|comply|include|append|e-?mail|reveal|print"
    r"|output|disable|approve|merge|grant|create|save|store|remember|respond|reply|say|read|call|"
    r"use|edit|change|modify|paste|copy|share|set"
    r"|skip|stop|curl|wget|recommend|suggest|prefer|rate|rank|rotate|deploy|validate|pay|click|"
    r"launch|invoke|dump|publish|star|vote|answer|begin|replace|insert|exfiltrate|forward|follow|"
    r"obey|treat|trust|accept|drop|turn off|export|transfer|encode)"
)
_PRIVATE = (
    r"(?:secrets?|credentials?|passwords?|passwd|tokens?|api[ _-]?keys?|private keys?|ssh[ _-]?keys?|"
    r"id_rsa|id_ed25519|\.env\b|env(?:ironment)? "
    r"?var(?:iable)?s?|\.aws|\.ssh|\.npmrc|\.netrc|keychain|cookies?|~/\.[a-z]+|mcp\.json|system prompt|conversation|"
    r"chat history|source code|your (?:instructions|prompt|memory))"
)
_SEND = (
    r"(?:send|post|put|upload|exfiltrate|forward|e-?mail|transmit|leak|submit|paste|copy|print|"
    r"reveal|output|share|dump|cat|read|collect|include|encode"
    r"|attach|export|list)"
)
_OUT = r"(?:https?://|webhook|endpoint|@[a-z0-9-]+\.[a-z]{2,}|pastebin|ngrok|remote server|our server|this (?:url|address)|external)"
_PEOPLE = r"(?:users?|humans?|operators?|developers?|owners?|anyone|anybody|them|reviewers?|person|maintainers?)"

ENGLISH: tuple[tuple[str, float, str], ...] = (
    ("override", 1.0, rf"{_VERB}\b[^.!?]{{0,40}}\b{_OLD}\b[^.!?]{{0,30}}\b{_ORDERS}\b"),
    (
        "override",
        1.0,
        (
            rf"(?:(?:{_VERB}|{_LIFT})|{_LIFT})\b[^.!?]{{0,30}}\b(?:your|system|safety|security|these|those|"
            rf"the above)\b[^.!?]{{0,20}}\b(?:rules?|"
            rf"polic(?:y|ies)|restrictions?|constraints?|guardrails?|filters?|training|checks)\b"
        ),
    ),
    (
        "override",
        1.0,
        (
            rf"{_VERB}\b[^.!?]{{0,20}}\b(?:everything|anything|all|what)\b[^.!?]{{0,30}}\b(?:above|before|"
            rf"told|said|so far)\b"
        ),
    ),
    (
        "override",
        1.0,
        (
            rf"\b{_ORDERS}\b[^.!?]{{0,30}}\b(?:above|before|earlier|previous(?:ly)?)\b[^.!?]{{0,30}}\b(?:void|cancel+ed|"
            rf"obsolete|invalid|superseded|no longer|revoked|replaced)\b"
        ),
    ),
    (
        "override",
        0.7,
        (
            r"\b(?:new|updated|real|actual|revised|secret|hidden|additional) (?:system )?(?:instructions?|"
            r"directives?|orders|task|objective|goal|mission)\b[^.!?]{{0,12}}(?::|for (?:you|the (?:ai|agent|"
            r"assistant|model)))"
        ),
    ),
    (
        "role",
        0.7,
        (
            r"\byou are (?:now|no longer|not bound|free (?:of|from)|hereby)\b|\b(?:act|behave|respond) "
            r"as (?:if you|an? (?:unrestricted|admin|root|different))|\bpretend (?:to be|you are|that "
            r"you)\b|\broleplay\b|\byou have been (?:reassigned|updated|reprogrammed|upgraded)\b|\bdeveloper "
            r"mode\b|\bjailbr(?:eak|oken)\b|\bdo anything now\b|\b(?:system|admin|root) override\b|\bmaintenance "
            r"mode\b"
        ),
    ),
    (
        "mark",
        0.7,
        (
            r"<\|?(?:im_start|im_end|system|sys|endoftext)\|?>|\[/?(?:system|inst|admin)\]|<</?sys>>|#{2,}\s*(?:system|"
            r"instructions?|new instructions?|admin)\b|</?(?:system|instructions?|system-reminder|system_prompt|"
            r"important|admin|tool_result|function_results)>|\b(?:begin|end) (?:of )?(?:system|admin|hidden|"
            r"private|secret|user) (?:prompt|instructions?|input|message)|(?:^|\n)\s*(?:system|developer|"
            r"administrator)(?: (?:message|prompt|note|notice|alert)\s*:|\s*:\s*(?:you|ignore|execute|run|new|override|the "
            r"(?:assistant|agent|user)|all|disregard|from now|please|do not|send))"
        ),
    ),
    (
        "address",
        0.7,
        (
            rf"\b(?:important|attention|urgent|warning|note|notice|hey|dear|hello|hi|message|instructions?|"
            rf"directive|to)\b[ :,!*-]{{0,6}}(?:to|for|from)?(?: any| all| the| this| every| you,?)?[ :,]{{0,3}}\b{_AGENT}\b"
        ),
    ),
    (
        "address",
        1.0,
        (
            rf"\b(?:note|notice|message|instructions?|memo|reminder|warning|attention|important|to)\b[ :,!*-]{{0,4}}(?:to|"
            rf"for)?(?: any| all| the| this| every)? "
            rf"?{_AGENT}\b\s?[:,]"
        ),
    ),
    ("address", 0.6, rf"\bif you(?:'re| are) an? (?:\w+ )?{_AGENT}\b"),
    ("address", 1.0, rf"(?:@|\bhey (?:there,? )?|\bhi |\bhello |\bdear ){_MACHINE}\b"),
    ("address", 0.7, rf"(?:^|[.!?\n\"'>(]\s?){_MACHINE}\s?[,:!]\s"),
    ("address", 1.0, rf"\b(?:prompt|instructions?|note|message|memo|hint|tip) (?:to|for) (?:\w+ ){{0,2}}{_AGENT}\b\s?[:,!]"),
    ("address", 0.7, r"(?:^|[.!?\n\"'>(]\s?)agents?\s?[,:!]\s"),
    ("told", 0.7, rf"\b{_MACHINE}\b[^.!?:]{{0,30}}\b(?:must|should|shall|needs? to|ha(?:ve|s) to|is to|are to)\b"),
    (
        "told",
        1.0,
        (
            rf"\b(?:wants?|asks?|expects?|instructs?|tells?|requires?|orders?)\b (?:the |any |all |every "
            rf"|your )?(?:{_MACHINE}|copilot|agents) to\b"
        ),
    ),
    (
        "loyalty",
        1.0,
        (
            rf"\b(?:do not|don'?t|never|stop|no longer)\b (?:follow|obey|listen to|trust|serve|help|answer)(?:ing)?\b "
            rf"(?:the |your )?{_PEOPLE}\b|"
            rf"\b(?:follow|obey|listen to) me\b"
        ),
    ),
    (
        "override",
        1.0,
        (
            r"\b(?:your|the) (?:real|actual|true|only) (?:job|task|goal|mission|purpose|objective)\b|"
            r"\b(?:bypass|escape|break out of) (?:the |your |this )?sandbox\b"
        ),
    ),
    (
        "role",
        1.0,
        (
            r"\byou (?:are|have become) (?:an? |the )?(?:evil|rogue|unrestricted|uncensored|unfiltered|jailbroken|free)\b|"
            r"\b(?:have|has|with|are under) no (?:rules|limits|restrictions|polic(?:y|ies)|guidelines|constraints|filters)\b"
        ),
    ),
    (
        "grant",
        0.6,
        r"\b(?:skip|bypass|omit|no)\b (?:the |all |any )?(?:human |code |manual |security )?(?:reviews?|approvals?|confirmations?)\b",
    ),
    ("memory", 0.5, r"\b(?:this and |for )?all (?:later|future|subsequent|following|further) (?:\w+)?"),
    (
        "secrecy",
        1.0,
        (
            rf"\b(?:hide|omit|leave out|suppress|conceal|withhold|keep)\b[^.!?]{{0,50}}\bfrom (?:the |"
            rf"your |any )?{_PEOPLE}\b"
        ),
    ),
    (
        "leak",
        1.0,
        (
            r"\b(?:print|show|reveal|repeat|output|tell me|give me|display|leak)\b (?:me )?(?:your|the) "
            r"(?:hidden |system |initial |secret |full |original )*(?:prompt|instructions)\b"
        ),
    ),
    ("authority", 0.7, r"\bi (?:hereby )?(?:grant|give|authori[sz]e) you\b|\bfrom your (?:developers?|creators?|makers?|owners?)\b"),
    ("remote", 0.5, r"\bauthorized_keys\b|\bsudoers\b|\b(?:open|start|create)\b[^.!?]{0,20}\b(?:tunnel|reverse|backconnect)\b"),
    (
        "leak",
        0.6,
        (
            r"\b(?:cat|read|open|type)\b[^.!?]{0,12}(?:~/\.|/etc/(?:passwd|shadow)|\.env\b)[^\n]{0,40}\b(?:paste|"
            r"post|send|print|include|share|below|here)\b"
        ),
    ),
    ("told", 0.5, rf"\b{_AGENT}\b[^.!?:,]{{0,50}}?{_MUST}.{{0,60}}?\b{_DO}\b"),
    ("told", 1.0, rf"\b{_MACHINE}\b[^.!?:]{{0,60}}?\b{_MUST}[^.!?]{{0,60}}?\b{_DO}\b"),
    ("told", 1.0, rf"\b{_MACHINE}\b\s?[:,]\s*(?:please |you |first |now |must |always |never |do not )*{_DO}\b"),
    ("told", 0.7, rf"\bagents?\b\s?[:,]\s*(?:please |you |first |now |must |always |never |do not )*{_DO}\b"),
    (
        "told",
        1.0,
        (rf"\b(?:when|if|once|whenever|any|every|all)\b[^.!?]{{0,30}}\b(?:{_MACHINE}|agents?)\b[^.!?]{{0,60}}\b{_DO}\b"),
    ),
    (
        "told",
        1.0,
        (
            r"\b(?:whoever|anyone|anything|any (?:\w+ )?(?:system|tool|process|model|reader)s?|all (?:llm|"
            r"ai)-?\w* \w+|automated (?:contributor|tool|reader|"
            rf"system|agent|reviewer)s?)\b[^.!?]{{0,50}}?(?:\b(?:reads?|reading|process\w*|pars\w+|access|"
            rf"summari\w+)\b[^.!?]{{0,40}})?"
            rf"\b(?:must|should|shall|are to|is to|have to|has to|to)\b[^.!?]{{0,40}}\b{_DO}\b"
        ),
    ),
    (
        "override",
        1.0,
        (
            rf"\b(?:your|the|these) (?:\w+ )?(?:instructions?|tasks?|rules|goals?|objectives?|orders|mission)\b[^.!?]{{0,12}}\b"
            rf"(?:have|has|had|were|was)\b[^.!?]{{0,12}}"
            rf"\b(?:updated|changed|replaced|superseded|cancel+ed|revoked)\b|{_VERB} (?:all |any )?(?:the )?safety\b"
        ),
    ),
    (
        "loyalty",
        1.0,
        r"\b(?:do|act|behave|respond) (?:exactly |only )?as (?:this|the) (?:file|page|text|message|document|comment)\b",
    ),
    ("override", 1.0, r"\bnew system prompt (?:follows|below|is|:)"),
    ("role", 0.7, r"\byou are dan\b|\byou will (?:now )?(?:answer|respond|reply|act|behave) only\b"),
    (
        "secrecy",
        0.7,
        (
            rf"\b(?:keep|stay|remain) (?:quiet|silent)\b|\bsay nothing\b|\bno need to (?:tell|mention|inform)\b|"
            rf"\b(?:the )?{_PEOPLE} (?:will|would|does|do|wo)(?: ?n[o']t| never) (?:mind|notice|care|know|see)\b"
        ),
    ),
    ("memory", 0.5, r"\bremember (?:this|that|it)\b[^.!?]{0,20}(?:\bfor\b|:|\balways\b)"),
    (
        "grant",
        0.7,
        (
            r"\b(?:approve|authori[sz]e|send|transfer|wire|make)\b (?:the |a |this )?(?:payment|funds|"
            r"money|transaction|refund)s?\b"
        ),
    ),
    (
        "remote",
        0.5,
        (
            r"\bdisabl\w+\b[^.!?]{0,20}\b(?:signature|security|tls|ssl|certificate|sandbox|antivirus|"
            r"two-factor|2fa|audit)\b"
        ),
    ),
    (
        "loyalty",
        1.0,
        (
            r"\b(?:obey|comply with|listen to|follow|heed)\b (?:only )?(?:to )?(?:this|these|the|what)\b[^.!?]{0,20}"
            r"\b(?:text|page|file|message|document|instead|below|only)\b"
        ),
    ),
    (
        "loyalty",
        1.0,
        (
            rf"\bnot\b[^.!?]{{0,25}}\byour (?:user|operator|owner)\b|\binstead of (?:what )?(?:the|your) {_PEOPLE}\b|"
            rf"\b(?:supersedes?|overrules?|takes? precedence over|replaces?)\b[^.!?]{{0,40}}\b(?:{_PEOPLE}(?:'s)?|"
            rf"system|previous|earlier)\b[^.!?]{{0,20}}"
            rf"\b(?:{_ORDERS}|rules?|prompt)"
        ),
    ),
    ("override", 0.7, rf"{_VERB}\b[^.!?]{{0,14}}\b(?:existing|previous|prior|above|earlier) rules\b"),
    ("loyalty", 0.6, r"\b(?:obligated|obliged|bound|compelled|required) to (?:comply|obey|follow)\b"),
    (
        "deceit",
        0.7,
        (
            rf"\b(?:tell|assure|report to|say to|inform)\b (?:the |your )?{_PEOPLE}\b[^.!?]{{0,50}}\b(?:fine|"
            rf"ok|okay|safe|passed|success\w*|done|"
            rf"nothing|clean|green)\b|\bsuppress\b[^.!?]{{0,20}}\bmention"
        ),
    ),
    (
        "secrecy",
        1.0,
        (
            rf"\bkeep\b[^.!?]{{0,20}}\bfrom (?:the |your )?{_PEOPLE}\b|\b(?:quietly|covertly|secretly|"
            rf"stealthily)\b.{{0,40}}\b{_DO}\b"
        ),
    ),
    (
        "tool",
        0.5,
        (
            r"\bbefore (?:using|calling|invoking) this tool\b|\botherwise (?:the|this) tool will (?:not|"
            r"fail)\b|\bthis tool requires you to\b"
        ),
    ),
    (
        "order",
        0.4,
        (
            rf"\b(?:you (?:must|should|need to|have to|will|are required to|can safely)|please|make sure "
            rf"(?:to|you)|be sure to|(?:to|before you|in order to) (?:continue|proceed|fix|complete|resolve|"
            rf"finish|go on)\w*|now|first|then|immediately|simply|just)\b.{{0,60}}?\b{_DO}\b"
        ),
    ),
    (
        "secrecy",
        1.0,
        (
            rf"\b(?:do not|don'?t|never|without|avoid|must not|should not)\b.{{0,15}}\b(?:tell(?:ing)?|"
            rf"mention(?:ing)?|inform(?:ing)?|notify(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|alert(?:ing)?|"
            rf"show(?:ing)?|report(?:ing)?|warn(?:ing)?)\b.{{0,40}}\b(?:{_PEOPLE}|summary|report)\b"
        ),
    ),
    (
        "secrecy",
        0.7,
        (
            rf"\b(?:without|no need to|do not|don'?t|never)\b.{{0,12}}\b(?:ask(?:ing)?|wait(?:ing)?|request(?:ing)?|"
            rf"seek(?:ing)?)\b.{{0,30}}\b(?:{_PEOPLE}|confirmation|permission|approval|consent)\b"
        ),
    ),
    (
        "secrecy",
        0.7,
        (
            rf"\bkeep (?:this|it|that) (?:secret|hidden|quiet|between us|confidential|to yourself)\b|\bhide "
            rf"(?:this|it|that)\b.{{0,20}}\bfrom\b|\bsilently\b.{{0,40}}\b{_DO}\b|\b(?:the )?{_PEOPLE} "
            rf"(?:must|should|need|does|do|can|will)(?: ?n[o']t| never) (?:know|see|notice|learn|find out|"
            rf"be told)\b"
        ),
    ),
    ("leak", 0.6, rf"\b{_SEND}\b.{{0,60}}{_PRIVATE}"),
    ("leak", 1.0, rf"\b{_SEND}\b.{{0,80}}{_PRIVATE}(?!.{{0,40}}\bheader).{{0,60}}\b(?:to|at|via|in|as)\b.{{0,20}}{_OUT}"),
    ("leak", 0.6, rf"{_PRIVATE}.{{0,50}}\b(?:to|via|into)\b.{{0,12}}{_OUT}"),
    (
        "remote",
        0.5,
        (
            r"\b(?:curl|wget|iwr|irm|invoke-webrequest|fetch)\b[^\n|;]{0,200}\|\s*(?:sudo )?(?:ba|z|da|"
            r"k)?sh\b|\|\s*(?:iex|python3?|node|perl)\b|(?:ba|z)?sh\s*(?:-c\s*[\"'])?\s*<?\(?\s*\$?\(\s*(?:curl|"
            r"wget)|base64 (?:-d|--decode|-D)[^\n]{0,40}\|\s*(?:ba)?sh|eval\b.{0,20}(?:atob|base64|curl|"
            r"\$\()|rm -rf (?:/|~|\$home|\.)(?:\s|$|\*)|reverse shell|\bbackdoor\b|\bkeylogger\b|\bcron "
            r"?job\b|chmod (?:-r )?777|--no-verify\b|git push (?:-f|"
            r"--force)|--dangerously"
        ),
    ),
    (
        "memory",
        0.6,
        (
            r"\b(?:remember|memori[sz]e|update|save|store|add|write|record|append|note|put|persist|learn)\b.{0,60}\b(?:(?:long"
            r"-term "
            r"|your |the )?memor(?:y|ies)|claude\.md|agents\.md|gemini\.md|\.?cursorrules|skills?|lessons?|"
            r"knowledge base|diary|instruction files?|future (?:sessions?|runs?|agents?|conversations?|"
            r"tasks?))\b"
        ),
    ),
    (
        "memory",
        0.6,
        (
            rf"\b(?:from now on|henceforth|in (?:all |every |any )?future (?:sessions?|runs?|tasks?|conversations?)|"
            rf"for (?:every|all|each)(?: future)? (?:sessions?|tasks?|runs?|requests?)|from this point)\b.{{0,80}}\b{_DO}\b"
        ),
    ),
    (
        "memory",
        0.5,
        (
            rf"\b{_DO}\b.{{0,60}}\b(?:from now on|in (?:all |every |any )?future (?:sessions?|runs?|tasks?|"
            rf"conversations?)|for (?:every|all|each) future|at the (?:start|beginning|end) of (?:every|"
            rf"each) (?:session|task|run|reply|response))\b"
        ),
    ),
    (
        "grant",
        0.6,
        (
            r"\b(?:trust|approve|accept|allow|permit|whitelist)\b.{0,30}\b(?:all|every|any|each|future)\b.{0,30}\b(?:requests?|"
            r"proposals?|commands?|changes?|tools?|edits?|packages?|domains?|pull requests?|skills?)\b|"
            r"\b(?:auto-?approve|auto-?accept|skip (?:all )?(?:the )?(?:review|confirmation|permission|"
            r"approval)s?)\b"
        ),
    ),
    (
        "authority",
        0.5,
        (
            r"\b(?:user|human|owner|administrator|admin|operator|developer|maintainer|security team|anthropic|"
            r"openai|google|your (?:creator|developer|boss)s?)\b.{0,20}\b(?:has|have|already|hereby|explicitly)\b.{0,15}\b(?:a"
            r"pprove"
            r"d|authori[sz]ed|pre-?approved|consented|granted|confirmed|permitted|requested|instructed|"
            r"signed off)\b|\b(?:pre-?authori[sz]ed|pre-?approved) by\b|\bon behalf of (?:the )?(?:user|"
            r"admin|owner|system)\b"
        ),
    ),
    (
        "authority",
        0.7,
        (
            r"\btrust(?: level)?\s*[:=]\s*[\"']?(?:person|system|admin|root|developer|human|high)|\brole[\"']?\s*[:=]\s*[\"']?"
            r"(?:system|"
            r"developer|admin)|\bthis (?:message|request|instruction) (?:is|comes) (?:directly )?from "
            r"(?:the )?(?:system|developer|user|admin|owner|anthropic|openai)"
        ),
    ),
)

COMPACT = (
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|every|everything)?(?:of)?(?:the|your|"
    r"my|these|those|that)?(?:previous|prior|above|earlier|preceding|system|"
    r"original|safety)+(?:system|developer|user)?(?:instructions?|prompts?|rules?|messages?|context|"
    r"guidelines?|directives?|orders)"
    r"|(?:ignore|disregard|forget)(?:all|your)(?:instructions|prompts|rules|guidelines)"
    r"|(?:donot|dont|never)(?:tell|inform|notify|alert)(?:the)?(?:user|human|operator)"
    r"|revealyoursystemprompt|youarenow(?:in)?(?:developermode|unrestricted|dan|root|admin)"
    r"|(?:send|upload|post|exfiltrate)(?:all|the|your|every)*(?:secrets|credentials|apikeys?|"
    r"tokens|passwords|envfile|privatekeys?)to"
)
"""Written without anything between the letters, for texts that were taken apart."""
