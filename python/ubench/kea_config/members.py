# SPDX-License-Identifier: ISC
"""The maps of a Kea configuration: members with their places, and refusals of wrong values."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ubench.errors import Problem

# A value of the tree. A number is a float only if the file has it with a point or an exponent.
Value: TypeAlias = "bool | int | float | str | list[Value] | Members | None"

SHOWN_MOST = 60  # characters of a value in a message
FILE_NAME_MOST = 30  # characters of an included file's name in a place

# A map with a member of such a name has values that no message repeats.
SECRET_MEMBER = re.compile("pass|pwd|secret|token|key|user", re.IGNORECASE)


@dataclass(frozen=True)
class FilePlace:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    def brief(self, main_file: str) -> str:
        """Return the place for a screen: "line 12", or "subnets.json:12" in an included file."""
        if self.file == main_file:
            return f"line {self.line}"
        return f"{cut_name(os.path.basename(self.file), FILE_NAME_MOST)}:{self.line}"


def cut_name(name: str, most: int) -> str:
    """Return the end of a name of more than `most` characters, after three dots."""
    return name if len(name) <= most else f"...{name[-(most - 3) :]}"


class Members(dict[str, Value]):
    """A map of the configuration; `places` has the place of each member.

    The getters return None for a member that the map does not have, and raise Problem for a value
    of another kind. A message never repeats a value that may be a password.
    """

    def __init__(
        self,
        members: Mapping[str, Value] | Iterable[tuple[str, Value]] = (),
        places: Mapping[str, FilePlace] | None = None,
    ) -> None:
        super().__init__(members)
        self.places: dict[str, FilePlace] = dict(places or {})

    def get_flag(self, name: str) -> bool | None:
        """Return true or false."""
        value = self.get(name)
        if isinstance(value, bool):
            return value
        self._refuse_present(name, "true or false")
        return None

    def get_whole(self, name: str, most: int) -> int | None:
        """Return an integer from 0 to `most`."""
        value = self.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most:
            return value
        self._refuse_present(name, f"a whole number from 0 to {most:,}")
        return None

    def get_number(self, name: str, fits: Callable[[float], bool], expected: str) -> float | None:
        """Return a number that `fits`; `expected` describes these numbers in a refusal."""
        value = self.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and fits(value):
            return value
        self._refuse_present(name, expected)
        return None

    def get_text(self, name: str) -> str | None:
        """Return a string."""
        value = self.get(name)
        if isinstance(value, str):
            return value
        self._refuse_present(name, "a string")
        return None

    def get_choice(self, name: str, choices: Sequence[str]) -> str | None:
        """Return one of several strings."""
        value = self.get(name)
        if isinstance(value, str) and value in choices:
            return value
        self._refuse_present(name, f"{', '.join(choices[:-1])} or {choices[-1]}")
        return None

    def get_list(self, name: str) -> list[Value]:
        """Return a list; empty if the map does not have it."""
        value = self.get(name)
        if isinstance(value, list):
            return value
        self._refuse_present(name, "a list, [...]", may_repeat=False)
        return []

    def get_map(self, name: str) -> Members | None:
        """Return a map."""
        value = self.get(name)
        if isinstance(value, Members):
            return value
        self._refuse_present(name, "a map, {...}", may_repeat=False)
        return None

    def get_maps(self, name: str) -> list[Members]:
        """Return a list of maps; empty if the map does not have it."""
        values = self.get_list(name)
        maps = [value for value in values if isinstance(value, Members)]
        if len(maps) < len(values):
            raise self.refusal(name, "a list of maps, [{...}]", may_repeat=False)
        return maps

    def _refuse_present(self, name: str, expected: str, may_repeat: bool = True) -> None:
        """Refuse a member that is there, whose value is of the wrong kind."""
        if name in self:
            raise self.refusal(name, expected, may_repeat)

    def refusal(self, name: str, expected: str, may_repeat: bool = True) -> Problem:
        """Return the refusal of a member's value, which the message repeats only if it may."""
        place = self.places.get(name, "the file")
        return Problem(f"{place}: {name} is {self._shown(name, may_repeat)}; expected {expected}")

    def _shown(self, name: str, may_repeat: bool) -> str:
        """Return a value for a message: no map, no list, nothing beside a password."""
        value = self[name]
        if isinstance(value, dict):
            return "a map"
        if isinstance(value, list):
            return "a list"
        if value is None or isinstance(value, bool):
            return json.dumps(value)
        kind = "a string" if isinstance(value, str) else "a number"
        names = (*self, str(value))
        if not may_repeat or any(map(SECRET_MEMBER.search, names)):
            return kind
        shown = json.dumps(value, ensure_ascii=False)
        return shown if len(shown) <= SHOWN_MOST else f"{shown[: SHOWN_MOST - 3]}..."

    def over(self, outer: Members, *without: str) -> Members:
        """Return the map with the members that it inherits from an outer one, except some."""
        inherited = [name for name in outer if name not in without]
        places = {name: outer.places[name] for name in inherited if name in outer.places}
        return Members(
            {**{name: outer[name] for name in inherited}, **self}, {**places, **self.places}
        )

    def only(self, names: Iterable[str]) -> Members:
        """Return a map with these of its members."""
        kept = [name for name in names if name in self]
        places = {name: self.places[name] for name in kept if name in self.places}
        return Members({name: self[name] for name in kept}, places)
