# SPDX-License-Identifier: ISC
"""The mutations of `make mutants`: what they change, and that the result is a program."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from mutations import mutations_of

MODULES = sorted((Path(__file__).resolve().parents[1] / "ubench").rglob("*.py"))


def mutated(name: str, text: str) -> list[str]:
    """The texts of a file with each of its mutations."""
    return [each.applied(text) for each in mutations_of(Path(name), text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b", ["a <= b"]),
        ("a not in b", ["a in b"]),
        ("a and (b or c)", ["a or (b or c)", "a and (b and c)"]),
        ("not a", [" a"]),
        ("é = 'ü' + 1  # - 2", ["é = 'ü' - 1  # - 2", "é = 'ü' + (1 + 1)  # - 2"]),
        ("if a: pass", ["if not (a): pass"]),
        ("a if b else c", ["a if not (b) else c"]),
        ("[a for a in b if a]", ["[a for a in b if not (a)]"]),
        ("x: int | None = True", ["x: int | None = False"]),
        ('@dataclass(frozen=True)\nclass A:\n    """3 < 4"""\n    b: int = 5',
         ['@dataclass(frozen=True)\nclass A:\n    """3 < 4"""\n    b: int = (5 + 1)']),
    ],
)
def test_python(text: str, expected: list[str]) -> None:
    assert mutated("x.py", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('#include "a1.h"\n/* 1 < 2 */ char *c = "a == 3";', []),
        ("if (a == b && c)", ["if (a != b && c)", "if (a == b || c)"]),
        ("a < 10u", ["a <= 10u"]),
        ("a[0] = b - 'c';", ["a[1] = b - 'c';", "a[0] = b + 'c';"]),
        ("p->x++", ["p->x--"]),
    ],
)
def test_c(text: str, expected: list[str]) -> None:
    assert mutated("x.c", text) == expected


def test_mutants_are_programs() -> None:
    """The mutations of some modules can be parsed, and differ from them."""
    for path in MODULES[::40]:
        text = path.read_text("utf-8")
        for mutant in mutated(path.name, text):
            assert ast.dump(ast.parse(mutant)) != ast.dump(ast.parse(text))
