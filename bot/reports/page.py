"""The minutes as one HTML file that needs nothing else, prints well and runs no script.

The file is made of the Markdown of the minutes: every character is escaped first, and only the few
marks that the minutes use become elements, so that nothing a model wrote can become markup.
"""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Final

from bot.messages.minutes import MinutesText
from bot.pictures.facts import DrawnPicture
from bot.record.record import RunRecord
from bot.reports.minutes import minutes_text

_PICTURE: Final = "picture"
_HEADING: Final = re.compile(r"(#{1,4}) (.+)")
_IMAGE: Final = re.compile(rf"!\[([^\]]*)\]\({_PICTURE}\)")
_ITEM: Final = re.compile(r"\s{0,8}(?:[-*•]|(\d{1,3})[.)]) (?:\[ \] )?(.*)")
_FENCE: Final = "```"
_DIVIDER: Final = re.compile(r"\|(?: --- \|)+")
_INLINE: Final = re.compile(
    r"(?P<code>`[^`\n]{1,2000}`)"
    r"|\*\*(?P<bold>[^*\n]{1,1000})\*\*"
    r"|(?<!\w)_(?P<italic>[^_\n]{1,1000})_(?!\w)"
    r"|\[(?P<label>[^\[\]\n]{1,300})\]\((?P<url>https://[^\s()<>\"']{1,500})\)"
)
_STYLE: Final = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 46rem; color: #1c1e21;
  background: #fff; font: 16px/1.55 Georgia, "Times New Roman", serif; overflow-wrap: break-word; }
h1, h2, h3, h4, th { font-family: "Segoe UI", Helvetica, Arial, sans-serif; line-height: 1.25; }
h1 { font-size: 1.7rem; margin: 0 0 1rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .6rem; padding-bottom: .25rem;
  border-bottom: 1px solid #c8ccd1; }
h3 { font-size: 1.02rem; margin: 1.4rem 0 .4rem; }
h4 { font-size: .95rem; margin: 1rem 0 .3rem; }
header { padding: 1rem 1.2rem; margin-bottom: 1.2rem; border-left: 5px solid #2e7d5b;
  background: #f2f7f4; }
header p { margin: .4rem 0; }
header ul { margin: 0; padding: 0; list-style: none; }
header li { margin: .4rem 0; }
header li:nth-child(2) { font-size: 1.25rem; }
img { display: block; max-width: 100%; height: auto; margin: 1rem auto; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th, td { padding: .35rem .6rem; border: 1px solid #c8ccd1; text-align: left; vertical-align: top; }
th { background: #f0f2f4; }
blockquote { margin: .6rem 0; padding: .2rem 1rem; border-left: 4px solid #b07a1e;
  background: #fbf6ec; }
blockquote p { margin: .3rem 0; }
pre { padding: .7rem; background: #f4f5f7; white-space: pre-wrap; font-size: .85rem; }
code { font-size: .9em; background: #f4f5f7; }
ul.tasks { list-style: "\\2610\\00a0"; }
a { color: #1a5fb4; }
@page { margin: 18mm 16mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  h1, h2, h3, h4 { break-after: avoid; }
  header, table, blockquote, img, li { break-inside: avoid; }
  h2.transcript { break-before: page; }
  img { max-height: 62mm; width: auto; }
  a { color: inherit; text-decoration: none; }
  header a::after { content: " (" attr(href) ")"; font-size: .8em; }
}
"""
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def printable_page(record: RunRecord, drawn: DrawnPicture | None) -> str:
    """The whole file, with the picture inside if there is one."""
    text = minutes_text(record, _PICTURE, drawn.alt) if drawn else minutes_text(record)
    source = f"data:image/png;base64,{base64.b64encode(drawn.png).decode()}" if drawn else ""
    title, *blocks = [block for block in _blocks(text.split("\n")) if block]
    shown = [_block(block, source) for block in blocks]
    heading = title[0].removeprefix("# ")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(heading)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{_inline(heading)}</h1>\n<header>\n{_lead(shown)}\n</header>\n"
        f"{_rest(shown)}\n</body>\n</html>\n"
    )


def _lead(shown: Sequence[str]) -> str:
    """The paragraphs before the picture and the first heading: the decision and its reason."""
    return "\n".join(shown[: _end_of_lead(shown)])


def _rest(shown: Sequence[str]) -> str:
    return "\n".join(shown[_end_of_lead(shown) :])


def _end_of_lead(shown: Sequence[str]) -> int:
    ends = (n for n, block in enumerate(shown) if block.startswith(("<h2", "<img")))
    return next(ends, len(shown))


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines that belong together; code keeps its empty lines, headings stand alone."""
    block: list[str] = []
    in_code = False
    for line in lines:
        fence = line.lstrip().startswith(_FENCE)
        alone = not in_code and (not line.strip() or _HEADING.fullmatch(line) is not None)
        if alone or (fence and not in_code):
            yield block
            block = []
        if in_code or line.strip():
            block.append(line)
        if (fence and in_code) or (alone and line.strip()):
            yield block
            block = []
        in_code ^= fence
    yield block


def _block(lines: Sequence[str], picture: str) -> str:
    first = lines[0]
    if heading := _HEADING.fullmatch(first):
        return _heading(len(heading[1]), heading[2])
    if image := _IMAGE.fullmatch(first):
        return f'<img src="{picture}" alt="{escape(image[1])}">'
    if first.lstrip().startswith(_FENCE):
        return f"<pre>{escape(chr(10).join(lines[1:]).rstrip().removesuffix(_FENCE))}</pre>"
    if len(lines) > 1 and _DIVIDER.fullmatch(lines[1]):
        return _table(lines)
    if first.startswith("> "):
        inner = [line.removeprefix(">").removeprefix(" ") for line in lines]
        said = "".join(_text(block) for block in _blocks(inner) if block)
        return f"<blockquote>{said}</blockquote>"
    return _text(lines)


def _heading(level: int, text: str) -> str:
    whole = f"{'#' * level} {text}"
    mark = ' class="transcript"' if whole == MinutesText.TRANSCRIPT else ""
    return f"<h{level}{mark}>{_inline(text)}</h{level}>"


def _table(lines: Sequence[str]) -> str:
    head, _, *rows = ([cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines)

    def row(cells: Sequence[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{_inline(cell)}</{tag}>' for cell in cells)}</tr>"

    body = "".join(row([*cells, *[""] * (len(head) - len(cells))], "td") for cells in rows)
    return f"<table><thead>{row(head, 'th')}</thead><tbody>{body}</tbody></table>"


def _text(lines: Sequence[str]) -> str:
    """Paragraphs and lists, which may follow each other without an empty line."""
    out: list[str] = []
    at = 0
    while at < len(lines):
        is_item = _ITEM.fullmatch(lines[at]) is not None
        end = at + 1
        while end < len(lines) and (_ITEM.fullmatch(lines[end]) is not None) == is_item:
            end += 1
        out.append((_list if is_item else _paragraph)(lines[at:end]))
        at = end
    return "\n".join(out)


def _paragraph(lines: Sequence[str]) -> str:
    return f"<p>{'<br>'.join(map(_inline, lines))}</p>"


def _list(lines: Sequence[str]) -> str:
    """A list; items that are moved in belong to the item above them."""
    items: list[tuple[str, list[str]]] = []
    outer = _indent(lines[0])
    for line in lines:
        if _indent(line) > outer + 1:
            items[-1][1].append(line.strip())
        else:
            items.append((line, []))
    found = [(item, inner) for line, inner in items if (item := _ITEM.fullmatch(line))]
    rows = "".join(
        f"<li>{_inline(item[2])}{_list(inner) if inner else ''}</li>" for item, inner in found
    )
    number = found[0][0][1]
    if number:
        start = "" if number == "1" else f' start="{int(number)}"'
        return f"<ol{start}>{rows}</ol>"
    tasks = ' class="tasks"' if all("[ ] " in line for line, _ in items) else ""
    return f"<ul{tasks}>{rows}</ul>"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _inline(text: str) -> str:
    """A line with its marks as elements; everything between them is escaped."""
    out: list[str] = []
    at = 0
    for found in _INLINE.finditer(text):
        out += [escape(text[at : found.start()]), _element(found)]
        at = found.end()
    return "".join([*out, escape(text[at:])])


def _element(found: re.Match[str]) -> str:
    ways: dict[str, Callable[[str], str]] = {
        "code": lambda text: f"<code>{escape(text.strip('`'))}</code>",
        "bold": lambda text: f"<strong>{escape(text)}</strong>",
        "italic": lambda text: f"<em>{escape(text)}</em>",
    }
    for name, way in ways.items():
        if found[name] is not None:
            return way(found[name])
    return f'<a href="{escape(found["url"])}" rel="noreferrer">{escape(found["label"])}</a>'
