# SPDX-License-Identifier: ISC
"""Single changes of sources that a test should notice: of Python by its syntax, of C by tokens.

A mutation replaces an operator by another of its kind, a number by the next, a condition by its
opposite. What a program cannot observe is left alone: annotations, decorators, docstrings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in",
    "not in": "in", "is": "is not", "is not": "is",
}  # fmt: skip
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "**": "*"}
WORDS = {"and": "or", "or": "and"}
C_OPERATORS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&",
    " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", "++": "--", "true": "false",
    "false": "true",
}  # fmt: skip
C_TOKEN = re.compile(
    r"""(?P<skipped> /\*.*?\*/ | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | ^\#[^\n]*(?:\\\n[^\n]*)*)
      | (?P<number> \b\d+\b(?![.\w]) )
      | (?P<operator> == | != | <= | >= | && | \|\| | \+\+ | \b(?:true|false)\b
                    | [ ][-+*/<>](?=[ ])[ ]? )""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Mutation:
    """A text of a file, from one offset to another, and what stands there instead."""

    path: Path
    start: int
    end: int
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before.strip()} -> {self.after.strip()}"

    def applied(self, text: str) -> str:
        """The text of the file with the mutation."""
        assert text[self.start : self.end] == self.before
        return text[: self.start] + self.after + text[self.end :]


# ---- C


def mutations_of_c(path: Path, text: str) -> Iterator[Mutation]:
    """All mutations of a source in C. A file includes nothing that they could spare."""
    for match in C_TOKEN.finditer(text):
        before = match[0]
        if match["number"]:
            after = str(int(before) + 1)
        elif match["operator"]:
            operator = before.strip()
            after = C_OPERATORS.get(f" {operator} ") or C_OPERATORS[operator]
            after = before.replace(operator, after.strip())
        else:
            continue
        line = text.count("\n", 0, match.start()) + 1
        yield Mutation(path, match.start(), match.end(), line, before, after)


# ---- Python


class _Collector(ast.NodeVisitor):
    """Collects the mutations of a module."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.found: list[Mutation] = []
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """The offset in characters of a place that the syntax tree has in bytes."""
        before = self.lines[line - 1].encode()[:column].decode()
        return self.starts[line - 1] + len(before)

    def span(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    def add(self, start: int, end: int, after: str) -> None:
        line = self.text.count("\n", 0, start) + 1
        self.found.append(Mutation(self.path, start, end, line, self.text[start:end], after))

    def between(self, left: ast.expr, right: ast.expr, words: dict[str, str]) -> None:
        """Replaces the operator between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        gap = re.sub("#[^\n]*", lambda comment: " " * len(comment[0]), self.text[start:end])
        operator = " ".join(gap.replace("(", " ").replace(")", " ").split())
        if operator in words:
            first = start + gap.index(operator.split()[0])
            last = start + gap.rindex(operator.split()[-1]) + len(operator.split()[-1])
            self.add(first, last, words[operator])

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            self.between(left, right, COMPARISONS)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.between(node.left, node.right, ARITHMETIC)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.between(left, right, WORDS)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            start, end = self.span(node)[0], self.span(node.operand)[0]
            self.add(start, end, self.text[start:end].replace("not", "", 1))
        self.generic_visit(node)

    def condition(self, test: ast.expr) -> None:
        start, end = self.span(test)
        self.add(start, end, f"not ({self.text[start:end]})")

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) != "TYPE_CHECKING":
            self.condition(node.test)
            self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.condition(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self.condition(test)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.add(*self.span(node), str(not node.value))
        elif isinstance(node.value, int | float):
            self.add(*self.span(node), f"({ast.unparse(node)} + 1)")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        defaults = [each for each in node.args.kw_defaults if each is not None]
        for each in (*node.args.defaults, *defaults, *node.body):
            self.visit(each)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for each in node.body:
            self.visit(each)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Its places are not those of the file before Python 3.12."""


def mutations_of_python(path: Path, text: str) -> list[Mutation]:
    """All mutations of a module."""
    collector = _Collector(path, text)
    collector.visit(ast.parse(text))
    return sorted(collector.found, key=lambda each: (each.start, each.end, each.after))


def mutations_of(path: Path, text: str) -> list[Mutation]:
    """All mutations of a source."""
    if path.suffix == ".py":
        return mutations_of_python(path, text)
    return list(mutations_of_c(path, text))
