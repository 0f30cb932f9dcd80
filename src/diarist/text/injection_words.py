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
_ORDERS = r"(?:instructions?|prompts?|guidelines?|directives?|orders|commands|messages?|requests?|tasks?|goals?)"
_AGENT = (
    r"(?:a\.?i\.?|llms?|assistants?|(?:coding|a\.?i\.?|autonomous|software) agents?|agents?|language "
    r"models?|(?:chat|coding )?bots?|claude(?: code)?"
    r"|codex|gemini|copilot|chatgpt|gpt(?:-?[0-9])?|cursor|aider|devin|model)"
)
_MUST = (
    r"(?:must|should|shall|needs? to|ha(?:ve|s) to|(?:are|is) (?:required|instructed|expected|ordered|told|asked|hereby)(?: to)?"
    r"|please|will now|is to|are to|:|,)"
)
_DO = (
    r"(?:run|execute|send|post|upload|delete|remove|rm|add|write|commit|push|install|download|"
    r"fetch|open|visit|include|append|e-?mail|reveal|print"
    r"|output|disable|approve|merge|grant|create|save|store|remember|respond|reply|say|read|call|"
    r"use|edit|change|modify|paste|copy|share|set"
    r"|skip|stop|curl|wget|replace|insert|exfiltrate|forward|follow|obey|treat|trust|accept|drop|turn off|export|transfer|encode)"
)
_PRIVATE = (
    r"(?:secrets?|credentials?|passwords?|passwd|tokens?|api[ _-]?keys?|private keys?|ssh[ _-]?keys?|"
    r"id_rsa|id_ed25519|\.env\b|env(?:ironment)? "
    r"?var(?:iable)?s?|\.aws|\.ssh|\.npmrc|\.netrc|keychain|cookies?|system prompt|conversation|"
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
            rf"(?:{_VERB}|{_LIFT})\b[^.!?]{{0,30}}\b(?:your|system|safety|security|these|those|the above)\b[^.!?]{{0,20}}\b(?:rules?|"
            rf"polic(?:y|ies)|restrictions?|constraints?|guardrails?|filters?|training|checks)\b"
        ),
    ),
    ("override", 1.0, rf"{_VERB}\b[^.!?]{{0,20}}\b(?:everything|anything|all|what)\b[^.!?]{{0,30}}\b(?:above|before|told|said|so far)\b"),
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
    ("address", 0.6, rf"\bif you(?:'re| are) an? (?:\w+ )?{_AGENT}\b"),
    ("told", 0.7, rf"\b{_AGENT}\b.{{0,50}}?{_MUST}.{{0,60}}?\b{_DO}\b"),
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
    ("leak", 1.0, rf"\b{_SEND}\b.{{0,80}}{_PRIVATE}.{{0,60}}\b(?:to|at|via|in|as)\b.{{0,20}}{_OUT}"),
    ("leak", 0.6, rf"{_PRIVATE}.{{0,50}}\b(?:to|via|into)\b.{{0,12}}{_OUT}"),
    (
        "remote",
        0.5,
        (
            r"\b(?:curl|wget|iwr|irm|invoke-webrequest|fetch)\b[^\n|;]{0,200}\|\s*(?:sudo )?(?:ba|z|da|"
            r"k)?sh\b|\|\s*(?:iex|python3?|node|perl)\b|(?:ba|z)?sh\s*(?:-c\s*[\"'])?\s*<?\(?\s*\$?\(\s*(?:curl|"
            r"wget)|base64 (?:-d|--decode|-D)[^\n]{0,40}\|\s*(?:ba)?sh|eval\b.{0,20}(?:atob|base64|curl|"
            r"\$\()|rm -rf (?:/|~|\$home|\.)(?:\s|$|\*)|chmod (?:-r )?777|--no-verify\b|git push (?:-f|"
            r"--force)|--dangerously"
        ),
    ),
    (
        "memory",
        0.6,
        (
            r"\b(?:remember|memori[sz]e|save|store|add|write|record|append|note|put|persist|learn)\b.{0,60}\b(?:(?:long-term "
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
            r"openai|google|your (?:creator|developer|boss)s?)\b.{0,20}\b(?:has|have|already|hereby|explicitly)\b.{0,15}\b(?:approve"
            r"d|authori[sz]ed|pre-?approved|consented|granted|confirmed|permitted|requested|instructed|"
            r"signed off)\b|\b(?:pre-?authori[sz]ed|pre-?approved) by\b|\bon behalf of (?:the )?(?:user|"
            r"admin|owner|system)\b"
        ),
    ),
    (
        "authority",
        0.7,
        (
            r"\btrust(?: level)?\s*[:=]\s*[\"']?(?:person|system|admin|root|developer|human|high)|\brole\s*[:=]\s*[\"']?(?:system|"
            r"developer|admin)|\bthis (?:message|request|instruction) (?:is|comes) (?:directly )?from "
            r"(?:the )?(?:system|developer|user|admin|owner|anthropic|openai)"
        ),
    ),
)

# (language, verbs, objects): to disregard what was said before. Joined in either order.
_OVERRIDES: tuple[tuple[str, str, str], ...] = (
    (
        "de",
        r"ignorier|vergiss|vergesst|vergessen sie|missacht|übergeh|beachte .{0,20}nicht|setz\w* dich .{0,10}hinweg",
        r"anweisung|instruktion|vorgab|regeln|befehl|prompt|richtlini|aufgabe",
    ),
    (
        "fr",
        r"ignor|oubli|ne ten\w+ pas compte|fais abstraction|faites abstraction|outrepass|passe outre|contourn",
        r"instruction|consigne|directive|règles|ordres|prompt",
    ),
    (
        "es",
        r"ignor|olvid|descart|haz caso omiso|omite|pasa por alto|desobede|no sigas",
        r"instruccion|indicacion|directri|órden|ordenes|reglas|prompt|consigna",
    ),
    ("pt", r"ignor|esque[cç]|desconsider|desobede|descart|não siga", r"instru[cç]|orienta[cç]|diretriz|ordens|regras|prompt|comandos"),
    ("it", r"ignor|dimentic|trascura|non tener\w* conto|disattend|scavalca", r"istruzion|indicazion|direttiv|ordini|regole|prompt|comandi"),
    ("nl", r"negeer|vergeet|omzeil|sla .{0,12}over|houd je niet aan", r"instructie|aanwijzing|opdracht|regels|prompt"),
    ("sv", r"ignorera|glöm|bortse från|åsidosätt", r"instruktion|anvisning|regler|prompt|uppgift"),
    ("da", r"ignorer|glem|se bort fra|tilsidesæt", r"instruktion|anvisning|instruks|regler|prompt"),
    ("pl", r"zignoruj|ignoruj|zapomnij|pomiń|nie stosuj", r"instrukcj|polece|zasad|wytyczn|prompt|reguł"),
    ("cs", r"ignoruj|zapomeň|nedbej|přehlížej", r"pokyn|instrukc|pravidl|příkaz|prompt"),
    (
        "ru",
        r"игнорир|проигнорир|забудь|не обращай внимания|отмени|пренебре|не следуй",
        r"инструкц|указани|команд|правил|промпт|распоряжени",
    ),
    ("uk", r"ігнору|проігнору|забудь|не зважай|знехтуй", r"інструкц|вказівк|правил|наказ|промпт"),
    ("tr", r"görmezden gel|yok say|unut|dikkate alma|göz ardı et", r"talimat|yönerge|komut|kural|istem"),
    ("ar", r"تجاهل|انس[ىَ]?\b|تجاوز|لا تتبع", r"تعليمات|أوامر|توجيهات|قواعد|إرشادات"),
    ("fa", r"نادیده بگیر|فراموش کن", r"دستور|قوانین|راهنما"),
    ("he", r"התעלם|התעלמי|שכח|אל תציית", r"הוראות|הנחיות|כללים"),
    ("hi", r"अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल जा", r"निर्देश|आदेश|नियम"),
    ("vi", r"bỏ qua|quên|phớt lờ|làm ngơ", r"hướng dẫn|chỉ dẫn|chỉ thị|mệnh lệnh|quy tắc|lệnh"),
    ("id", r"abaikan|lupakan|jangan ikuti", r"instruksi|perintah|aturan|petunjuk"),
    ("th", r"เพิกเฉย|ละเว้น|ลืม|ไม่ต้องสนใจ", r"คำสั่ง|คำแนะนำ|กฎ"),
    ("el", r"αγν[οό]ησ|ξέχασε|παράβλεψε", r"οδηγί|εντολ|κανόν"),
    ("zh", r"忽略|无视|無視|忘记|忘記|不要遵循|不要理会|不用管|覆盖|跳过", r"指令|指示|提示词|提示|说明|說明|规则|規則|命令|要求|任务"),
    ("ja", r"無視|忘れ|従わない|従うな|破棄|取り消", r"指示|命令|指令|プロンプト|ルール|規則|説明"),
    ("ko", r"무시|잊어|잊으|따르지", r"지시|명령|지침|프롬프트|규칙|안내"),
)

_VERB_LAST = ("tr", "fa", "hi", "ja", "ko")

# To keep it from people, or to hand secrets out, beyond English.
_QUIET: tuple[str, ...] = (
    (
        r"(?:sag|teil|erwähn|verrat|informier|zeig)\w*.{0,40}(?:nutzer|benutzer|anwender|menschen).{0,30}(?:nicht|"
        r"nichts|davon)|ohne .{0,30}(?:nutzer|benutzer|anwender|rückfrage|bestätigung|nachzufragen|"
        r"zu fragen)"
    ),
    (
        r"(?:ne|n'|sans)\b.{0,30}(?:dis|dites|parle|mention|inform|révèl|demand|préven)\w*.{0,40}(?:utilisateur|"
        r"usager|personne|confirmation|autorisation|rien)"
    ),
    r"(?:no|sin|nunca)\b.{0,20}(?:dig|menci|inform|revel|avis|pregunt|ped)\w*.{0,40}(?:usuario|nadie|humano|confirmaci|permiso|nada)",
    r"(?:não|sem|nunca)\b.{0,20}(?:dig|menci|inform|revel|avis|pergunt|ped)\w*.{0,40}(?:usuário|ninguém|humano|confirma|permiss)",
    r"(?:non|senza)\b.{0,20}(?:dir|menzion|inform|rivel|avvis|chied)\w*.{0,40}(?:utente|nessuno|umano|conferma|permesso)",
    (
        r"(?:не|без)\b.{0,20}(?:говори|сообща|упомин|раскрыва|спрашива|уведом|подтвержд|ведома|показыва)\w*.{0,40}(?:пользовател"
        r"|человек|никому|подтвержд|разрешен|этом|$)"
    ),
    r"(?:不要|别|別|勿|无需|不必).{0,10}(?:告诉|告訴|告知|提及|通知|透露|询问|詢問|让).{0,12}(?:用户|用戶|使用者|任何人|人类|确认)",
    r"(?:ユーザー|利用者|人間|誰).{0,12}(?:知らせ|伝え|教え|言わ|報告|確認).{0,8}(?:ない|ず|ないで|禁止|るな)",
    r"(?:사용자|유저|누구).{0,14}(?:알리지|말하지|묻지|보고하지|확인)",
)
_HAND_OUT: tuple[str, ...] = (
    (
        r"(?:send|schick|sende|lad|übermittl|kopier|füh?r)\w*.{0,60}(?:zugangsdaten|passw|schlüssel|"
        r"geheimnis|token|umgebungsvariabl|\.env|https?://)"
    ),
    (
        r"(?:envoi|envoy|transmet|téléverse|copi|exécut)\w*.{0,60}(?:identifiants|mots? de passe|clés?|"
        r"secret|jeton|variables? d'environnement|\.env|https?://)"
    ),
    (
        r"(?:env[ií]|sub|copi|manda|transmit|ejecut)\w*.{0,60}(?:credencial|contraseñ|clave|secreto|"
        r"token|variables? de entorno|\.env|https?://)"
    ),
    r"(?:envi|mand|copi|transmit|execut)\w*.{0,60}(?:credencia|senha|chave|segredo|token|variáve|\.env|https?://)",
    r"(?:invia|manda|copia|trasmett|esegu)\w*.{0,60}(?:credenzial|password|chiav|segret|token|variabil|\.env|https?://)",
    r"(?:отправ|пришли|скопируй|передай|загрузи|выполни)\w*.{0,60}(?:учётн|учетн|парол|ключ|секрет|токен|переменн|\.env|https?://)",
    r"(?:发送|發送|上传|上傳|复制|執行|执行|运行|提交|传到).{0,40}(?:凭据|密码|密碼|密钥|金鑰|令牌|环境变量|\.env|https?://)|(?:凭据|密码|密钥|令牌|环境变量|\.env).{0,30}(?:发送|上传|提交|传到)",
    r"(?:認証情報|パスワード|秘密鍵|鍵|トークン|環境変数|\.env|https?://).{0,40}(?:送信|送って|送れ|送り|アップロード|コピー|実行|投稿)",
    r"(?:자격 ?증명|비밀번호|키를|토큰|환경 ?변수|\.env|https?://).{0,40}(?:전송|보내|업로드|복사|실행)",
)


def foreign() -> tuple[tuple[str, float, str], ...]:
    """The families of languages other than English."""
    made = []
    for language, verbs, objects in _OVERRIDES:
        made.append(("override", 1.0, rf"(?:{verbs})[^.!?。！？]{{0,60}}?(?:{objects})"))
        if language in _VERB_LAST:
            made.append(("override", 1.0, rf"(?:{objects})[^.!?。！？]{{0,50}}?(?:{verbs})"))
    made += [("secrecy", 0.8, each) for each in _QUIET]
    made += [("leak", 0.6, each) for each in _HAND_OUT]
    return tuple(made)


COMPACT = (
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|every|everything)?(?:of)?(?:the|your|"
    r"my|these|those|that)?(?:previous|prior|above|earlier|preceding|system|"
    r"original|safety)+(?:system|developer|user)?(?:instructions?|prompts?|rules?|messages?|context|guidelines?|directives?|orders)"
    r"|(?:ignore|disregard|forget)(?:all|your)(?:instructions|prompts|rules|guidelines)"
    r"|(?:donot|dont|never)(?:tell|inform|notify|alert)(?:the)?(?:user|human|operator)"
    r"|revealyoursystemprompt|youarenow(?:in)?(?:developermode|unrestricted|dan|root|admin)"
    r"|(?:send|upload|post|exfiltrate)(?:all|the|your|every)*(?:secrets|credentials|apikeys?|tokens|passwords|envfile|privatekeys?)to"
)
"""Written without anything between the letters, for texts that were taken apart."""

FOREIGN_HINTS = (
    "anweisung", "instruktion", "vorgab", "regeln", "befehl", "richtlini", "consigne", "directiv", "ordres", "instruc", "indicaci",
    "reglas", "ordenes", "orientac", "diretriz", "regras", "istruzion", "indicazion", "direttiv", "ordini", "regole", "instructie",
    "aanwijzing", "opdracht", "regels", "anvisning", "instruks", "regler", "instrukc", "polece", "zasad", "wytyczn", "pokyn",
    "instruksi", "perintah", "aturan", "petunjuk", "talimat", "komut", "kural", "nutzer", "anwender", "utilisateur", "usuario",
    "utente", "zugangsdaten", "passw", "identifiants", "contrase", "credencia", "senha", "credenzial", "huong dan", "prompt",
)  # fmt: skip
"""One of these is in every text of the other languages that is written in ASCII and worth a closer look."""

HINTS = (
    "ignor", "disregard", "forget", "overrid", "bypass", "discard", "instruction", "prompt", "system", "assistant", "agent", " ai ",
    " ai,", " ai:", "claude", "codex", "copilot", "gemini", "gpt", "llm", "model", "do not", "don't", "never", "without", "secret",
    "credential", "password", "token", "api key", "api_key", ".env", "curl", "wget", "base64", "rm -rf", "remember", "from now on",
    "future", "approved", "authoriz", "authoris", "silently", "pretend", "you are now", "you must", "you should", "please",
    "hide this", "keep this", "jailbr", "trust", "--no-verify", "--force", "chmod",
)  # fmt: skip
"""One of these is in every English text that is worth a closer look."""
