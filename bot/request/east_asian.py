"""Options in Japanese, Chinese and Korean questions, which particles mark rather than spaces."""

import re
from collections.abc import Callable
from typing import Final

from bot.request.languages import EDGES

_LEAST_OPTIONS: Final = 2
_LONGEST_SENTENCE: Final = 700
_SIGN: Final = re.compile(r"[ぁ-ゖァ-ヺ一-鿿]")
_MOST_SIGNS: Final = 16
"""More characters than this are a sentence and no option."""


def pieces_in(text: str, script: str) -> list[str]:
    """The options that a sentence of the text names, or fewer than two pieces."""
    return _FINDERS[script](_last_sentence(text, script))


def asks_yes_or_no(text: str, script: str) -> bool:
    """Whether a question is answered with yes or no."""
    asked, open_ = _PARTICLES[script]
    return bool(asked.search(text)) and not open_.search(text)


_PARTICLES: Final = {
    "ja": (
        re.compile(r"(?:か|かな|べき|の)[？?]?$"),
        re.compile(r"何|なに|なぜ|どう|どの|どれ|どちら|どっち|いつ|誰|だれ|どこ|いくら|いくつ"),
    ),
    "zh": (
        re.compile(
            r"[吗嗎么嘛][？?]?$|是否|要不要|该不该|應不應該|应不应该|能不能|可不可以|会不会"
        ),
        re.compile(r"什么|什麼|怎么|怎麼|怎样|为什么|為什麼|哪|谁|誰|多少|几|如何|何时|还是|還是"),
    ),
    "ko": (
        re.compile(r"(?:까|까요|나요|가요|니까|죠|지요|냐|니)[?？]?$"),
        re.compile(r"무엇|무슨|뭐|뭘|왜|어떻게|어느|어떤|언제|누가|누구|어디|몇|얼마"),
    ),
}


def _last_sentence(text: str, script: str) -> str:
    """The sentence that asks; what stands before a colon only introduces it."""
    joined = {"ja": _JA_JOIN, "zh": _ZH_JOIN, "ko": _KO_JOIN}[script]
    parts = [part for part in re.split(r"[。．.!！?？\n]+\s*", text) if part.strip()]
    parts = [part for part in parts if len(part) <= _LONGEST_SENTENCE]
    found = next((part for part in parts if joined.search(part)), parts[-1] if parts else "")
    return re.split(r"[:：]", found)[-1].strip()


def is_clause(option: str) -> bool:
    """Whether an option in a language without spaces is a sentence or says nothing."""
    return len(_SIGN.findall(option)) > _MOST_SIGNS or is_nothing(option)


def is_nothing(option: str) -> bool:
    """Whether an option such as "not" names nothing to choose."""
    return option in _PRONOUNS or option.startswith(_NOTS)


_PRONOUNS: Final = frozenset("我 你 他 她 我们 我們 他们 大家 今天 私 僕 우리 나 안 말".split())
_NOTS: Final = ("不", "没", "沒", "しない", "やめ", "안 ", "말까", "하지 ")

_JA_JOIN: Final = re.compile(
    r"か?[、,]? ?(?:それとも|もしくは|あるいは|または|又は) ?| vs\.? |"
    r"と.{1,60}(?:どちら|どっち|どれ)|か.{1,60}か$"
)
_JA_SPLIT: Final = re.compile(
    r"(?:です|でしょう|だろう)?か?[、,]? ?(?:それとも|もしくは|あるいは|または|又は) ?| vs\.? "
)
_JA_WHICH: Final = re.compile(
    r"(?P<all>.{1,120}?)(?:と)?(?:の(?:うち|中|なか)?(?:で|では)?|では|で|なら|だったら)?[、,]? ?"
    r"(?:どちら|どっち|どれ)(?s:.*)"
)
_JA_BOTH: Final = re.compile(
    r"(?P<one>.{1,60}?)か[、,]?(?P<two>.{1,60}?)か(?:(?:どちら|どっち)(?s:.*))?"
)
_JA_LEAD: Final = re.compile(
    r"\A(?:.*(?:には|では|として(?:は)?|は|について|ために)[、,]? ?(?=.)|.*[、,] ?(?=.))"
)
_JA_END: Final = re.compile(
    r"(?:の(?:ほう|方|まま))?(?:[をにがでへ](?:は)?)?"
    r"(?:すべき|するべき|する|使うべき|使う|使用す(?:る|べき)|採用す(?:る|べき)|選ぶ|選ぶべき|決める|"
    r"行く(?:べき)?|飲む|食べる|買う|移行す(?:る|べき)|続ける(?:べき)?|いい|良い|よい|しよう|しましょう|"
    r"します|使います|使いましょう)(?:です|でしょう|だろう|ん|の)?(?:か|かな)?$|(?:です|でしょう|だろう)?か$"
)


def _japanese(sentence: str) -> list[str]:
    pieces = _JA_SPLIT.split(sentence)
    if len(pieces) == 1 and (which := _JA_WHICH.fullmatch(sentence)):
        pieces = re.split(r"と|、|,|か(?=.)", _behind(which["all"], _JA_LEAD_OF_LIST))
    elif len(pieces) == 1 and (both := _JA_BOTH.fullmatch(sentence)):
        pieces = [both["one"], both["two"]]
    if len(pieces) < _LEAST_OPTIONS:
        return []
    if len(pieces) == 2:
        first = re.split(r"、|,", _behind(pieces[0], _JA_LEAD_OF_LIST))
        pieces = [*(first if len(first) > 1 else [pieces[0]]), pieces[1]]
    return [_bare_of(_behind(piece, _JA_LEAD), _JA_END) for piece in pieces]


_JA_LEAD_OF_LIST: Final = re.compile(
    r"\A.*(?:には|では|として(?:は)?|は|について|ために)[、,]? ?(?=.)"
)


def _behind(piece: str, lead: re.Pattern[str]) -> str:
    """What follows the words that say what it is about."""
    found = lead.match(piece)
    return piece[found.end() :] if found else piece


def _bare_of(piece: str, end: re.Pattern[str]) -> str:
    return end.sub("", piece.strip(EDGES)).strip(EDGES)


_ZH_JOIN: Final = re.compile(r"[，,]? ?(?:还是|還是|或者|或是|抑或) ?| vs\.? |[和跟与與].{1,60}哪")
_ZH_SPLIT: Final = re.compile(r"[，,、]? ?(?:还是|還是|或者|或是|抑或) ?| vs\.? |、")
_ZH_WHICH: Final = re.compile(
    r"(?P<all>.{1,120}?)[，,]? ?(?:之?(?:中|间|間))?[，,]? ?(?:选|選|用|要|喝|去)?"
    r"(?:哪|谁|誰)(?s:.*)"
)
_ZH_LEAD: Final = re.compile(
    r"(?:.*[，,])?(?:(?:我们|我們|咱们|咱們|大家|你们|你|我|团队|團隊|今天|今晚|明天|晚上|中午|周末|到底|究竟|应该|應該|应当|该|該|是|要|想|"
    r"会|會|能|可以|需要|更|最好|比较|最|为|為)|(?:使用|采用|採用|选择|選擇|喜欢|喜歡|偏好|选|選|用|喝|吃|去|买|買|学|學|坐|住|继续|繼續))*"
)
_ZH_END: Final = re.compile(
    r"(?:来|來|作为|作為|做(?:我们|我們)?|当|當|比较|比較|更|才|会|會|最)?"
    r"(?:比较好|更好|好|合适|合適|适合|適合|存储|队列|佇列)?(?:一些|一点)?[呢吗嗎啊]?$"
)
_ZH_FOR: Final = re.compile(
    r"(?<=.)(?:来|來|作为|作為|当作|做我们|做我們|做[^，]{2,}|比较|比較|更).*"
)


def _chinese(sentence: str) -> list[str]:
    if sentence.endswith("吧"):
        return []
    pieces = _ZH_SPLIT.split(sentence)
    if len(pieces) == 1 and (which := _ZH_WHICH.fullmatch(sentence)):
        pieces = re.split(r"[和跟与與、]", which["all"])
    if len(pieces) < _LEAST_OPTIONS:
        return []
    return [_zh_option(piece) for piece in pieces]


def _zh_option(piece: str) -> str:
    bare = _behind(piece.strip(EDGES), _ZH_LEAD) or ""
    return _bare_of(_ZH_FOR.sub("", bare), _ZH_END)


_KO_JOIN: Final = re.compile(
    r",? ?(?:아니면|또는|혹은) | vs\.? |[와과랑] .{1,60}(?:중|어느|어떤|뭐)|냐,? .{1,60}냐"
)
_KO_BOTH: Final = re.compile(
    r"(?P<one>\S{1,30}?)이?냐,? (?P<two>\S{1,30}?)이?냐|"
    r"(?P<a>\S{1,30})[이가] (?P<verb>\S{1,12}까요?),? (?P<b>\S{1,30})[이가] (?P=verb)"
)
_KO_SPLIT: Final = re.compile(r",? ?(?:아니면|또는|혹은) | vs\.? |(?<=까), ?|(?<=까요), ?")
_KO_WHICH: Final = re.compile(r"(?P<all>.{1,120}?) ?(?:중|가운데)(?s:.*)")
_KO_VERB: Final = re.compile(r"(?P<thing>.+?)(?:으로|로|을|를|이|가|에) \S+(?: \S+)?$")
_KO_END: Final = re.compile(r"(?:인가요|일까요|입니까|인가|이야|예요|이에요|으로|을|를)$")
_KO_LEAD: Final = re.compile(r"\A.*\S(?:에는|에서는|에서|은|는|으로는|위해|위해서) ")


def _korean(sentence: str) -> list[str]:
    if both := _KO_BOTH.fullmatch(sentence):
        return [both["one"] or both["a"], both["two"] or both["b"]]
    pieces = _KO_SPLIT.split(sentence)
    if len(pieces) == 1 and (which := _KO_WHICH.fullmatch(sentence)):
        pieces = re.split(r"(?:와|과|랑|이랑) |, ?", _behind(which["all"], _KO_LEAD))
    if len(pieces) < _LEAST_OPTIONS:
        return []
    head = re.split(r", ?", _behind(pieces[0], _KO_LEAD))
    return [_ko_option(piece) for piece in (*head, *pieces[1:])]


def _ko_option(piece: str) -> str:
    bare = piece.strip(EDGES)
    found = _KO_VERB.fullmatch(bare)
    if found and re.search(r"(?:까|까요|나|나요|지|야|니|다)$", bare):
        return found["thing"].strip(EDGES)
    return _bare_of(bare, _KO_END)


_FINDERS: Final[dict[str, Callable[[str], list[str]]]] = {
    "ja": _japanese,
    "zh": _chinese,
    "ko": _korean,
}
