"""Single faults in a source file, each as small as a slip of the pen; ``mutate`` puts them in and runs the tests."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_COUNTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """The bytes from ``begin`` to ``end`` of a file, ``was``, become ``now``; ``context`` is the line they begin in.

    ``inside`` is the class or function that the line is in, as ``Class.method``. ``before`` is how many faults that
    read the same come before it.
    """

    line: int
    begin: int
    end: int
    was: str
    now: str
    context: str
    inside: str
    before: int

    @property
    def name(self) -> tuple[str, str, str, int]:
        """What stays the same when other lines of the file change."""
        return self.context, self.was, self.now, self.before

    def put_into(self, source: bytes) -> bytes:
        """The file with this fault."""
        return source[: self.begin] + self.now.encode() + source[self.end :]


def faults(source: bytes) -> Iterator[Fault]:
    """Comparisons turned, constants off by one, and/or, signs, ``not`` left out, statements deleted."""
    lines = source.splitlines(keepends=True)
    alike: Counter[tuple[str, str, str]] = Counter()
    starts = [0]
    for text in lines:
        starts.append(starts[-1] + len(text))

    def place(line: int, column: int) -> int:
        return starts[line - 1] + column

    tree = ast.parse(source)
    names = list(_names(tree, ""))
    for node, now in _changes(tree):
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin, end = place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)
        was, context = source[begin:end].decode(), lines[node.lineno - 1].decode().strip()
        inside = next((name for first, last, name in reversed(names) if first < node.lineno <= last), "")
        yield Fault(node.lineno, begin, end, was, now, context, inside, alike[context, was, now])
        alike[context, was, now] += 1


def _names(tree: ast.AST, outside: str) -> Iterator[tuple[int, int, str]]:
    """Its classes and functions, as the line that each begins in, its last one and its name; inner after outer ones."""
    for node in ast.iter_child_nodes(tree):
        inside = outside
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            inside = f"{outside}.{node.name}".lstrip(".")
            assert node.end_lineno is not None
            yield node.lineno, node.end_lineno, inside
        yield from _names(node, inside)


def _changes(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Nodes and the text that takes their place."""
    for node in _of_interest(tree):
        if isinstance(node, ast.Compare):
            for at, kind in enumerate(node.ops):
                if type(kind) in _COMPARED:
                    other = copy.deepcopy(node)
                    other.ops[at] = _COMPARED[type(kind)]()
                    yield node, f"({ast.unparse(other)})"
        elif isinstance(node, ast.BoolOp):
            kind = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield node, f"({ast.unparse(ast.BoolOp(kind, node.values))})"
        elif isinstance(node, ast.BinOp) and type(node.op) in _COUNTED:
            yield node, f"({ast.unparse(ast.BinOp(node.left, _COUNTED[type(node.op)](), node.right))})"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            yield node, f"({ast.unparse(node.operand)})"
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield node, str(not node.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield node, repr(node.value + 1)
        elif isinstance(node, ast.AugAssign) and type(node.op) in _COUNTED:
            yield node, ast.unparse(ast.AugAssign(node.target, _COUNTED[type(node.op)](), node.value))
            yield node, "pass"
        elif _can_be_left_out(node):
            yield node, "pass"


def _can_be_left_out(node: ast.AST) -> bool:
    """Whether this is a statement that a program runs without, if not as it should."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await)
    return called or isinstance(node, ast.Raise | ast.Break | ast.Continue)


def _of_interest(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that do something here: no annotations, decorators, texts of messages, checks of types, nor Windows."""
    yield node
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Raise | ast.Assert | ast.JoinedStr):
        return
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.If) and ast.unparse(node.test) == "sys.platform == 'win32'":
        for other in node.orelse:
            yield from _of_interest(other)
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _of_interest(child)
