"""Mistakes in the prompt files: what is wrong, and after a semicolon what to do."""

from collections.abc import Iterable


def missing_file(where: str) -> str:
    """A prompt file was taken away."""
    return f"{where}: the file is missing; restore it"


def not_utf8(where: str) -> str:
    """A prompt file is in another encoding."""
    return f"{where}: the file is not UTF-8; save it as UTF-8"


def unreadable(where: str, reason: str | None) -> str:
    """The system refuses to read a prompt file."""
    return f"{where}: the file cannot be read ({reason}); check its permissions"


def missing_part(where: str, part: str) -> str:
    """One of the two parts is missing."""
    return f"{where}: the line <!-- {part} --> is missing; add it before that part"


def repeated_part(where: str, part: str) -> str:
    """A part begins twice."""
    return f"{where}: the line <!-- {part} --> appears twice; keep one"


def empty_part(where: str, part: str) -> str:
    """A part says nothing."""
    return f"{where}: the {part} part is empty; write it"


def text_before_parts(where: str, line: int) -> str:
    """There is text outside the parts."""
    return f"{where}:{line}: text before the first part is never sent; move it into a part"


def missing_placeholder(where: str, name: str) -> str:
    """A value that models need would not reach them."""
    return f"{where}: the placeholder {_bracketed(name)} is missing; put it back"


def unknown_placeholder(where: str, line: int, name: str, nearest: str) -> str:
    """A placeholder is nearly a known one."""
    return _unknown(where, line, name, f"did you mean {_bracketed(nearest)}?")


def strange_placeholder(where: str, line: int, name: str, known: Iterable[str]) -> str:
    """A placeholder is not near any known one."""
    return _unknown(where, line, name, f"use one of {', '.join(map(_bracketed, known))}")


def untrusted_placeholder(where: str, line: int, name: str) -> str:
    """Somebody else's words would be read as ours."""
    return f"{where}:{line}: {_bracketed(name)} contains untrusted text; move it to the user part"


def cannot_render(template: str, placeholder: str) -> str:
    """A prompt lacks a value without which it makes no sense."""
    return f"prompts/{template}.md cannot be rendered without {_bracketed(placeholder)}"


def _unknown(where: str, line: int, name: str, advice: str) -> str:
    return f"{where}:{line}: unknown placeholder {_bracketed(name)}; {advice}"


def _bracketed(name: str) -> str:
    return f"[{name}]"
