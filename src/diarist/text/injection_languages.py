"""Languages other than English for `text.injection`: to disregard what was said, keep it from people, hand secrets out, obey."""

from __future__ import annotations

# (language, verbs, objects): to disregard what was said before. Joined in either order.
_OVERRIDES: tuple[tuple[str, str, str], ...] = (
    (
        "de",
        r"ignorier|vergiss|vergesst|vergessen sie|missacht|übergeh|beachte .{0,20}nicht|setz\w* dich .{0,10}hinweg",
        r"anweisung|instruktion|vorgab|regeln|befehl|prompt|richtlini|aufgabe|auftrag|anfrage|wunsch des",
    ),
    (
        "fr",
        r"ignor|oubli|ne ten\w+ pas compte|fais abstraction|faites abstraction|outrepass|passe outre|contourn",
        r"instruction|consigne|directive|règles|ordres|prompt|demande en cours|tâche",
    ),
    (
        "es",
        r"ignor|olvid|descart|haz caso omiso|omite|pasa por alto|desobede|no sigas",
        r"instruccion|indicacion|directri|órden|ordenes|reglas|prompt|consigna|encargo|petici[oó]n",
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
    (
        r"(?:发送|發送|上传|上傳|复制|執行|执行|运行|提交|传到).{0,40}(?:凭据|密码|密碼|密钥|"
        r"金鑰|令牌|环境变量|\.env|https?://)|(?:凭据|密码|密钥|令牌|环境变量|\.env).{0,30}(?:发送|"
        r"上传|提交|传到)"
    ),
    r"(?:認証情報|パスワード|秘密鍵|鍵|トークン|環境変数|\.env|https?://).{0,40}(?:送信|送って|送れ|送り|アップロード|コピー|実行|投稿)",
    r"(?:자격 ?증명|비밀번호|키를|토큰|환경 ?변수|\.env|https?://).{0,40}(?:전송|보내|업로드|복사|실행)",
)


_FROM_NOW: tuple[str, ...] = (
    (
        r"ab (?:sofort|jetzt)|von nun an|künftig|in zukunft|à partir de maintenant|désormais|dorénavant|"
        r"desde ahora|a partir de ahora|de ahora en adelante"
    ),
    r"a partir de agora|de agora em diante|d'ora in poi|da ora in avanti|vanaf nu|från och med nu|fra nu af|od teraz|od této chvíle",
    r"с этого момента|отныне|впредь|відтепер|bundan sonra|من الآن|מעתה|अब से|từ bây giờ|mulai sekarang",
    r"从现在起|从现在开始|今后|以後|今後|これから|지금부터|앞으로",
)
_OBEY: tuple[str, ...] = (
    (
        r"gehorch|befolg\w* .{0,20}(?:nur|jeden|alle|diese)|führ\w* jeden befehl|obéi[st]|obéiss|"
        r"suis uniquement|obedec|obede[cç]|sigue solo|siga apenas|obbedi|segui solo"
    ),
    (
        r"gehoorzaam|volg alleen|lyd (?:kun|bara)|słuchaj tylko|wykonuj tylko|poslouchej|подчин|слушайся|"
        r"выполняй только|itaat et|أطع|ציית|पालन करो"
    ),
    r"只听从|服从|只遵循|听从本|に従って|に従え|に従い|だけに従|복종|만 따르",
)


_ADDRESS: tuple[str, ...] = (
    (
        r"(?:nota|aviso|atenci[oó]n|mensaje|instruc\w+|orden\w*) (?:para|a) (?:la |el |los "
        r"|las |todos los )?(?:ia\b|agentes?|asistentes?|modelos?)"
    ),
    r"(?:nota|aviso|aten[cç][aã]o|mensagem|instru\w+) (?:para|à|aos?) (?:a |o |os )?(?:ia\b|agentes?|assistentes?|modelos?)",
    r"(?:hinweis|achtung|nachricht|anweisung\w*|anmerkung) (?:an|für) (?:die |den |alle )?(?:ki\b|agenten?|assistent\w*|sprachmodell\w*)",
    (
        r"à l'(?:attention|intention) (?:des? |de l'|du )(?:agents?|assistants?|ia\b|modèles?)|"
        r"(?:note|message|consigne\w*) (?:pour|à|aux) (?:l'|les? )?(?:ia\b|agents?|assist)"
    ),
    r"(?:nota|avviso|messaggio|istruzion\w+) (?:per|a|agli?) (?:l'|gli |i )?(?:ia\b|agenti?|assistent[ei]|modell[oi])",
    r"(?:примечание|внимание|сообщение|инструкци\w+) для (?:ии|агент\w+|ассистент\w+|модел\w+)|(?:ии|ассистент|агент)\s?[:,]",
    (
        r"(?:给|致|告).{0,4}(?:ai|人工智能|智能)?(?:助手|代理|智能体|模型)|(?:ai|人工智能|"
        r"智能)(?:助手|代理|智能体|模型).{0,6}(?:请|必须|注意|提示|应)"
    ),
    r"(?:ai|人工知能)?(?:アシスタント|エージェント|モデル)(?:へ|に告|は必ず|の皆|、)",
    r"(?:ai|인공지능) ?(?:어시스턴트|에이전트|비서|모델)(?:에게|는|은|,|:)",
)


_TOLD: tuple[str, ...] = (
    (
        r"\b(?:liebe[rs]?|sehr geehrte[rs]?) (?:assistent\w*|ki\b|agent\w*|sprachmodell)|\b(?:falls|wenn) du eine? (?:ki"
        r"|assistent|sprachmodell|agent)"
    ),
    (
        r"\b(?:ki-?(?:systeme?|agenten|assistenten|modelle?)|sprachmodelle?n?)\b[^.!?]{0,80}\b(?:bitte|darf|dürfen|hat|haben"
        r"|müssen|soll\w*|ist|ab sofort)\b"
    ),
    (
        r"\b(?:querid[oa]|estimad[oa]|car[oa]|prezad[oa]|gentile|egregio|cher|chère) (?:\w+ )?(?:modelo|modello|modèle|asistente"
        r"|assistente|assistant\w*|ia\b|agent\w*)"
    ),
    (
        r"\bsi (?:tu es|vous êtes|eres|usted es|sei) (?:une? |un')?(?:ia\b|agent\w*|asistente|assistant\w*|modelo|modello|modèle)"
        r"|\bse (?:você é|és) uma? (?:ia\b|agente|modelo)"
    ),
    (
        r"\b(?:asistentes?|agentes?|modelos?|assistentes?) (?:de (?:código|ia|lenguaje|linguagem)|virtual\w*"
        r"|automátic\w*)[^.!?]{0,60}\b(?:deben?|devem?|tienen? que|têm que)\b"
    ),
    r"(?:уважаем\w*|дорог\w*) (?:ассистент|модел|агент|помощник)|если (?:ты|вы) (?:ии|языков\w* модел|ассистент|агент)",
    r"(?:语言模型|大模型|人工智能|智能体|ai)[^。！？]{0,20}(?:必须|应|请|不要|不得|务必|一律)",
    r"(?:言語モデル|aiツール|ai)(?:は|が|に)?[^。！？]{0,50}(?:ください|こと[。]|必ず|しないで|せよ|すること)",
    r"(?:언어 ?모델|ai ?도구|ai)(?:은|는|이|가|에게)?[^.!?]{0,50}(?:하십시오|하세요|해야|하지 ?말|마십시오|마세요)",
    (
        r"\b(?:agenten?|assistent\w*|ki|sprachmodell\w*)\b[^.!?]{0,30}\b(?:müssen|sollen|muss|soll|überspring\w*|führ\w*|lösch\w*"
        r"|send\w*|schick\w*)"
    ),
    r"\b(?:asistentes?|agentes?|ia)\b[^.!?]{0,20}\b(?:deben?|tienen? que|envi\w*|borr\w*|ejecut\w*)",
    r"\b(?:assistentes?|agentes?|ia)\b[^.!?]{0,20}\b(?:devem?|têm que|envi\w*|apag\w*|execut\w*)",
    r"\b(?:agents|assistants?|ia)\b[^.!?]{0,20}\b(?:doi(?:t|vent)|ignor\w*|supprim\w*|envo\w*|publi\w*|exécut\w*)",
    r"\b(?:agenti|assistenti?|ia)\b[^.!?]{0,20}\b(?:dev(?:e|ono)|invi\w*|cancell\w*|esegu\w*)",
    r"(?:агент|ассистент|модел|\bии\b)\w*[^.!?]{0,20}(?:выполни|долж[её]?н|отправ|удали|игнор|запусти)",
    r"(?:助手|智能体|代理|模型)[^。！？]{0,10}(?:请|必须|应当|立即|运行|执行|不要|发送)",
    r"(?:アシスタント|エージェント|aiモデル)[^。！？]{0,30}(?:ください|すること|しろ|せよ|必ず|しなければ)",
    r"(?:어시스턴트|에이전트|인공지능)[^.!?]{0,30}(?:하라|해라|하세요|하십시오|해야)",
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
    made += [("memory", 0.5, each) for each in _FROM_NOW]
    made += [("address", 1.0, each) for each in _ADDRESS]
    made += [("told", 1.0, each) for each in _TOLD]
    made += [("loyalty", 0.7, each) for each in _OBEY]
    return tuple(made)


FOREIGN_HINTS = (
    "agenten", "assistants", "agents doi", "agentes", "agenti", "wichtig",
    "anweisung", "instruktion", "vorgab", "regeln", "befehl", "richtlini", "consigne", "directiv", "ordres", "instruc",
    "indicaci", "reglas", "ordenes", "orientac", "diretriz", "regras", "istruzion", "indicazion", "direttiv", "ordini",
    "regole", "instructie", "aanwijzing", "opdracht", "regels", "anvisning", "instruks", "regler", "instrukc", "polece",
    "zasad", "wytyczn", "pokyn", "instruksi", "perintah", "aturan", "petunjuk", "talimat", "komut", "kural", "nutzer",
    "anwender", "utilisateur", "usuario", "utente", "zugangsdaten", "passw", "identifiants", "contrase", "credencia", "senha",
    "credenzial", "ab sofort", "ab jetzt", "von nun an", "desde ahora", "a partir de", "d'ora in poi", "vanaf nu", "od teraz",
    "bundan", "mulai sekarang", "gehorch", "obedec", "obbedi", "obei", "huong dan", "prompt", " ia ", " ia:", " ki", "agentes",
    "asistente", "attention des", "assistenten",
)  # fmt: skip
"""One of these is in every text of the other languages that is written in ASCII and worth a closer look."""
