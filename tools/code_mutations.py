"""Small changes to Python code: what a careless hand could have written instead.

Comparisons, `and` and `or`, conditions, numbers, words, returned and assigned values, members of
sets, and statements that are dropped. Log lines, texts of errors, docstrings, annotations and
decorators stay as they are, and so do parts of an f-string, which has changes only as a whole; a
change after which the file is no program or the same one is none.
"""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

_COMPARED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_COMPUTED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.BitOr: ("|", "&"),
    ast.BitAnd: ("&", "|"),
}
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}
_CALLED |= {"startswith": "endswith", "endswith": "startswith", "lower": "upper"}
_LOGS = {"log", "_log"}
_SHOWN = 60
_BLANKS = re.compile(r"\s+")


class PlaceError(Exception):
    """A place of the table that is not there (any more)."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change: characters of a file and what stands there instead.

    `lines` are the line of the change and the first line of its statement.
    """

    path: str
    place: str
    lines: tuple[int, int]
    start: int
    end: int
    old: str
    new: str
    nth: int = 0
    in_function: bool = True
    shown: str = ""

    @property
    def change(self) -> str:
        """The change in words, the same as long as the code is the same."""
        count = f" ({self.nth + 1})" if self.nth else ""
        return f"`{short(self.old)}` → `{short(self.shown or self.new)}`{count}"

    def applied(self, source: str) -> str:
        """The file with the change in it."""
        return source[: self.start] + self.new + source[self.end :]

    def is_program(self, source: str) -> bool:
        """Whether the changed file compiles, and to something else than before."""
        if not self.path.endswith(".py"):
            return True
        text = self.applied(source)
        try:
            compile(text, self.path, "exec")
        except (SyntaxError, ValueError):
            return False
        return ast.dump(ast.parse(text)) != ast.dump(ast.parse(source))


def short(text: str) -> str:
    """The text on one line that is not long."""
    line = _BLANKS.sub(" ", text).strip().replace("`", "'")
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def python_mutations(place: str, source: str) -> list[Mutation]:
    """Every change in a function, class or assignment of a file, also such as do not compile."""
    return _Python(place, source).mutations()


def named_node(tree: ast.Module, place: str) -> ast.stmt | ast.expr:
    """The function, class, assignment or value of a table that a place names."""
    node: ast.Module | ast.stmt | ast.expr = tree
    for name in place.partition("::")[2].split("."):
        inner = [below for below in getattr(node, "body", ()) if name in _names(below)]
        inner = inner or list(_values(node, name))
        if not inner:
            raise PlaceError(place)
        node = inner[-1]
    if isinstance(node, ast.Module):
        raise PlaceError(place)
    return node


def _values(node: ast.AST, name: str) -> Iterator[ast.expr]:
    """The value of a key, `DEBATE` or `Mode.DEBATE`, in the table that is assigned."""
    tables = [below for below in ast.walk(node) if isinstance(below, ast.Dict)]
    for key, value in zip(tables[0].keys, tables[0].values, strict=True) if tables else ():
        if key is not None and ast.unparse(key).rpartition(".")[2] == name:
            yield value


def _names(node: ast.stmt) -> set[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {node.name}
        case ast.Assign():
            return {target.id for target in node.targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)):
            return {name}
    return set()


class _Python(ast.NodeVisitor):
    """Collects the changes in one function, class or assignment."""

    def __init__(self, place: str, source: str) -> None:
        self._place = place
        self._source = source
        lines = source.encode().splitlines(keepends=True)
        self._starts = [0, *accumulate(map(len, lines))]
        self._bytes = source.encode()
        self._found: list[Mutation] = []
        self._depth = 0
        self._statement = 0

    def mutations(self) -> list[Mutation]:
        """Every change, whether it makes a program or not."""
        self.visit(named_node(ast.parse(self._source), self._place))
        return self._found

    def visit(self, node: ast.AST) -> None:
        """Go on below a node, and know in which statement."""
        if isinstance(node, ast.stmt):
            self._statement = node.lineno
        super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if node.name in {"__repr__", "__str__"}:
            return
        self._depth += 1
        self._body(node.body)
        self._depth -= 1

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._body(node.body)

    def _body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if not _is_docstring(statement):
                self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assigned(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._assigned(node.value)

    def _assigned(self, value: ast.expr) -> None:
        if self._depth and not isinstance(value, ast.Constant):
            self._replace(value, "None")
        self.visit(value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._between(node.target, node.value, _COMPUTED.get(type(node.op)), tail="=")
        self.visit(node.value)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            if not isinstance(node.value, ast.Constant):
                self._replace(node.value, "None")
            self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if _is_log(node.value):
            return
        if isinstance(node.value, ast.Call | ast.Await):
            self._replace(node, "pass")
        self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._replace(node, "pass")

    def visit_Continue(self, node: ast.Continue) -> None:
        self._replace(node, "break")

    def visit_Break(self, node: ast.Break) -> None:
        self._replace(node, "continue")

    def visit_If(self, node: ast.If | ast.While) -> None:
        self._condition(node.test)
        self._body(node.body)
        self._body(node.orelse)

    visit_While = visit_If  # noqa: N815

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node.test)
        self.visit(node.body)
        self.visit(node.orelse)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.visit(node.iter)
        for condition in node.ifs:
            self._replace(condition, "True")
            self.visit(condition)

    def _condition(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare | ast.UnaryOp) or len(getattr(test, "ops", "1")) > 1:
            self._replace(test, f"(not ({self._text(test)}))")
        self.visit(test)

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, op, right in zip(
            [node.left, *node.comparators], node.ops, node.comparators, strict=False
        ):
            self._between(left, right, _COMPARED.get(type(op)))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        swap = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between(left, right, swap)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._between(node.left, node.right, _COMPUTED.get(type(node.op)))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._replace(node, f"({self._text(node.operand)})")
        self.visit(node.operand)

    def visit_Call(self, node: ast.Call) -> None:
        if _is_log(node):
            return
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in _CALLED:
            end = self._offset(node.func.end_lineno, node.func.end_col_offset)
            self._add(end - len(name), end, _CALLED[name])
        self.generic_visit(node)

    def visit_Set(self, node: ast.Set) -> None:
        for member in node.elts:
            if not isinstance(member, ast.Constant | ast.Starred):
                self._replace(member, "*()")
            self.visit(member)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Words inside a formatted text have no place of their own in Python 3.11."""

    def visit_Constant(self, node: ast.Constant) -> None:
        match node.value:
            case bool():
                self._replace(node, str(not node.value))
            case int() | float():
                self._replace(node, str(node.value + 1))
            case str():
                self._replace(node, repr(f"{node.value}x"))

    def _between(
        self, left: ast.expr, right: ast.expr, swap: tuple[str, str] | None, tail: str = ""
    ) -> None:
        if swap is None:
            return
        start = self._offset(left.end_lineno, left.end_col_offset)
        end = self._offset(right.lineno, right.col_offset)
        place = self._bytes[start:end].find(swap[0].encode())
        if place >= 0:
            self._add(start + place, start + place + len(swap[0]) + len(tail), swap[1] + tail)

    def _replace(self, node: ast.stmt | ast.expr, new: str) -> None:
        start = self._offset(node.lineno, node.col_offset)
        self._add(start, self._offset(node.end_lineno, node.end_col_offset), new)

    def _add(self, start: int, end: int, new: str) -> None:
        old = self._bytes[start:end].decode()
        before = len(self._bytes[:start].decode())
        lines = (bisect_right(self._starts, start), self._statement)
        path = self._place.partition("::")[0]
        inside = self._depth > 0
        self._found.append(
            Mutation(path, self._place, lines, before, before + len(old), old, new, 0, inside)
        )

    def _text(self, node: ast.expr) -> str:
        return ast.get_source_segment(self._source, node) or ""

    def _offset(self, line: int | None, column: int | None) -> int:
        return self._starts[(line or 1) - 1] + (column or 0)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_log(node: ast.expr) -> bool:
    if isinstance(node, ast.Await):
        node = node.value
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name in _LOGS
    return False
