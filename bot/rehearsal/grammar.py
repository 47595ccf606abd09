"""The English that topics are written in, as far as it is read: patterns and word lists."""

import re


def _any(*choices: str) -> str:
    return f"(?:{'|'.join(choices)})"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_WE = _any("we", "i", "you", "they", "one", "our team", "the team")
_MODAL = _any("should", "shall", "must", "may")
_TIERS = _any("better", "best", "faster", "safer", "cheaper")
_SOMEONE = _any("someone", "somebody", "an attacker", "anyone", "you", "we")
_HOLES = _any("vulnerabilities", "weaknesses", "holes", "flaws", "risks", "weak spots")
_DANGERS = _any("risks?", "threats?", "failure modes?", "vulnerabilit(?:y|ies)", "dangers?")

POLITE = _pattern(
    "^"
    + _any("please", "hey", "ok", "so", "let'?s", "help (?:me|us)(?: to)?", "(?:can|could) you")
    + "[, ]+"
)
PLAN = _pattern(
    "^"
    + _any(
        f"{_MODAL} {_WE}",
        "is it (?:wise|right|time|worth it|a good idea|okay|ok) to",
        "do we (?:need|have) to",
    )
    + r"\s+(?P<rest>\S.*)$"
)
HOW = _pattern(
    rf"^how (?:do|should|can|could|would|to|might)(?: {_WE})?\s+(?P<rest>\S.*)$",
)
MAKING = _pattern(
    r"^(?:design|build|implement|create|develop|write|architect|draft|make|code|set up|sketch"
    r"|prototype)\s+(?P<thing>\S.*)$"
)
DOING = _pattern(
    r"^(?P<action>(?:migrate|refactor|improve|move|switch|replace|reduce|introduce|adopt|launch"
    r"|scale|speed up|fix|deploy|extend|split|rewrite)\s+\S.*)$"
)
TARGET = _pattern(
    rf"^(?:how (?:could|would|can|might) {_SOMEONE} )?"
    + _any(
        "attack",
        "break(?: into)?",
        "exploit",
        "red[- ]?team",
        "hack",
        "threat[- ]model",
        "stress[- ]test",
        "poke holes in",
        "abuse",
        f"find (?:the |all |any )?{_HOLES} (?:in|of|with)",
        "what (?:could|can|might|would) (?:go wrong|break|fail) (?:with|in|on|at)",
        rf"what are the (?:\w+ )?{_DANGERS} (?:of|in|to|with)",
        f"(?:the )?{_DANGERS} (?:of|in|to|with)",
    )
    + r"\s+(?P<thing>\S.*)$"
)
YESNO = _pattern(
    r"^(?:is|are|was|were|do|does|did|will|would|can|could|should|shall|must|may|has|have|had|am)"
    r"(?:n't)?\b"
)
LEAD_IN = _pattern(
    "^"
    + _any(
        r"(?:which|what)\b[^:,?]*[:,]",
        f"(?:which|what) (?:is|are) {_TIERS}[:,]?",
        "(?:is|would) it (?:be )?better to",
        f"{_TIERS}(?: option)?[:,]",
        f"(?:should|shall|do|would|can) {_WE}(?: rather)?",
        f"(?:choose |decide )?whether (?:to|{_WE} should)",
        "(?:choose|decide|pick|select|vote|recommend|compare)(?: between)?[:,]?",
        "are|is",
    )
    + r"\s+"
)
CHOOSING_VERB = _pattern(
    r"^(?:use|choose|pick|take|buy|adopt|prefer|learn|select|go with|go for|get|have|switch to"
    r"|deploy on|build on|write it in|host on)\s+"
)
BETWEEN = _pattern(r"\bbetween\s++(?P<x>\S.{0,200}?)(?<!\s)\s++and\s++(?P<y>\S.*)$")
ALTERNATIVE = _pattern(r"\s(?:or|vs\.?|versus)\s")
OR = _pattern(r",?(?<!\s)\s++(?:or|vs\.?|versus)\s++|(?<!\s)\s*+,\s++")
TAIL = _pattern(
    r"(?<!\s)\s++(?:for|in|as|when|given|if|at|on|with|better|first|next|this|now)\b.*$"
)
OR_NOT = _pattern(r",?(?<!\s)\s++or\s++not\b.*$")
NOUN_PHRASE = _pattern(r"^(?:a|an|the|our|your|my|this|that|these|their|its)\s")
BULLET = re.compile(r"^\s*(?:[-*•‣]|\(?\d{1,2}[.)]|\(?[A-Za-z][.)])\s+")
BREAK = re.compile(
    r"\s(?:that|which|so that|using|with|and|because|while|where|when|without)\s|[,;:–—]"
)
PERSONS = {"my": "your", "i": "you", "me": "you", "mine": "yours", "myself": "yourself"}
STOP = frozenset(
    (
        "about adopt after again against also attack because been before being best better between"
        " both build choose could create decide design develop does doing down during each every"
        " from have having here implement into introduce just keep like make more most move much"
        " must need only option other over please replace same should some start stop such switch"
        " take than that their them then there these they this those through under until used very"
        " want were what when where which while whom whole will with without would write your ours"
    ).split()
)
SECURITY = frozenset(
    (
        "account accounts admin agent ai auth authentication backup backups chatbot checkout data"
        " email encryption endpoint firewall flow hardware key keys llm model network oauth"
        " password passwords payment payments platform plugin prompt session sessions signup sso"
        " storage system token tokens vpn wallet wifi"
    ).split()
)
TECHNICAL = frozenset(
    (
        "api app apps aws azure backend bot bots browser cache ci cli code codebase css"
        " database databases deploy deployment devops django docker framework frontend git"
        " github golang graphql grpc infrastructure java javascript json kafka kubernetes linux"
        " login microservice microservices mongodb monolith monorepo mysql nodejs orm php"
        " pipeline postgres postgresql protobuf python rails react redis refactor repo"
        " repository rust saas server serverless servers software sql sqlite ssd terraform"
        " typescript ui vm vue web webhook website websocket websockets yaml"
    ).split()
)
