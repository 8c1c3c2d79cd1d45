# SPDX-License-Identifier: ISC
"""The checks of the sources find calls between the wrong layers, and mistakes in English."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "check.py"

# An engine and its loop, which call each other through one header, and a store that calls up.
CIRCLE = {
    "load/engine.h": "void engine(void);\n/* calls loop(1) */\n",
    "load/engine.c": '#include "load/loop.h"\nvoid engine(void)\n{\n    loop(1);\n}\n',
    "load/loop.h": '#include "load/engine.h"\nint loop(int i);\n',
    "load/loop.c": '#include "load/loop.h"\nint loop(int i)\n{\n    engine();\n    return i;\n}\n',
}
STRAIGHT = CIRCLE | {
    "load/loop.c": '#include "load/loop.h"\nint loop(int i)\n{\n    return i; /* engine() */\n}\n',
}
UPWARD = STRAIGHT | {
    "store/disk.c": '#include "load/engine.h"\n\nvoid disk(void)\n{\n    engine();\n}\n',
}
# A name that another folder has, too, is not called by who does not include its header.
NAMESAKE = STRAIGHT | {
    "store/disk.c": "static void engine(void)\n{\n}\n\nvoid disk(void)\n{\n    engine();\n}\n",
}


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["check"] = module  # for its dataclasses
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("tree", "complaints"),
    [
        (STRAIGHT, []),
        (CIRCLE, ["calls in a circle: load/engine load/loop load/engine"]),
        (UPWARD, ["ubench/store/disk calls load/engine, which is not in a layer below"]),
        (NAMESAKE, []),
    ],
    ids=["straight", "circle", "upward", "namesake"],
)
def test_calls_go_one_way(
    check: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    tree: dict[str, str],
    complaints: list[str],
) -> None:
    for name, text in tree.items():
        path = tmp_path / "ubench" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(check, "TOP", tmp_path)
    files = [check.Source(Path("ubench") / name, Path(name).suffix) for name in tree]
    assert list(check.check_c_calls(files)) == complaints


def test_prose_names_the_file_the_line_and_the_rule(
    check: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    texts = {
        "README.md": "# Right\n\nThis is an answer, in 5 ms.\n",
        "docs/README.md": "# Wrong\n\nThis sentence is right.\n\nThis is an test.\n",
        "docs/other.md": "# Code\n\n    this are an command\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(check, "TOP", tmp_path)
    files = [check.Source(Path(name), ".md") for name in texts]
    try:
        complaints = list(check.check_prose(files))
    except check.ToolMissingError as error:
        pytest.skip(str(error))
    assert complaints == ["docs/README.md:5: AnA: Incorrect indefinite article. ('an')"]
