# SPDX-License-Identifier: ISC
"""Private words that are left in a line: a last look, which refuses what it does not understand.

`public` replaces what it knows. Texts that users wrote, such as a campaign's name, may still have
the name of a machine or of a person in them.
"""

from __future__ import annotations

import contextlib
import getpass
import re
import socket
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ubench.report.contribution.public import ADDRESS, PATH, REMOTE, SYSTEM_PATH

# Names that machines, users and directories of many people have.
COMMON = {
    "admin", "build", "debian", "home", "localhost", "mysql", "pgsql", "postgres", "root", "test",
    "ubench", "ubuntu", "user",
}  # fmt: skip
LEAST_LETTERS = 3  # of a name; shorter ones are parts of many words
PLACEHOLDERS = {"/path", "/socket", "/"}

MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
# An IPv6 address of eight groups or with "::", or the address of a network card.
LONG_ADDRESS = re.compile(
    r"(?i)(?<![\w:.$])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}"
    r"|[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?"
    r"|(?:[0-9a-f]{2}:){5}[0-9a-f]{2})(?![\w:])"
)
FILE_ADDRESS = re.compile(r"\b[a-z]+://[^\s\"']+|(?<![\w/:])(?:~|/)/[\w.@+-]+[^\s\"']*")
SECRET = re.compile(r"(?i)passw(?:or)?d\s*[=:]|secret|api[_-]?key|\btoken\b")
DOMAIN = re.compile(
    r"(?i)\b[a-z0-9](?:[a-z0-9-]*\.)+"
    r"(?:com|net|org|edu|gov|io|dev|cloud|local|lan|internal|intranet|corp|home|localdomain|"
    r"de|uk|fr|nl|eu|ch|at|us|cz|se|pl|it|es|jp|cn|ru|br|in|au|ca)\b"
)


@dataclass(frozen=True)
class Private:
    """A private word, and the member of the line that has it."""

    place: str
    word: str
    kind: str


def own_words() -> set[str]:
    """Return the names of this machine and of its user, which no line may have."""
    name = socket.gethostname()
    words = [name, *name.split(".")]
    for find in (getpass.getuser, lambda: Path.home().name):
        # A user of a container may have neither a name nor a home.
        with contextlib.suppress(KeyError, OSError, RuntimeError):
            words.append(find())
    return distinctive(words)


def distinctive(words: Iterable[str]) -> set[str]:
    """Return the words that are long enough to be looked for, and not common."""
    return {
        word.lower() for word in words if len(word) >= LEAST_LETTERS and word.lower() not in COMMON
    }


def private_words(line: object, words: set[str]) -> list[Private]:
    """Return what is private in any text of a line, its names of members included."""
    return [
        Private(place, word, kind)
        for place, text in texts_in(line)
        for word, kind in private_in(text, words)
    ]


def texts_in(value: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text of a decoded line, with its place: "sides[0].command"."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield place, str(name)
            yield from texts_in(member, f"{place}.{name}".lstrip("."))
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from texts_in(member, f"{place}[{number}]")


def private_in(text: str, words: set[str]) -> Iterator[tuple[str, str]]:
    """Yield what is private in a text, and what it is."""
    for pattern, kind in KINDS:
        for found in pattern.finditer(text):
            if not is_harmless(found[0]):
                yield found[0], kind
    named = set(re.findall(r"[\w-]+", text.lower())) | set(re.findall(r"\w+", text.lower()))
    for word in sorted(words & named):
        yield word, "a name of this machine or its user"


def is_harmless(text: str) -> bool:
    """Return whether a text is a placeholder, or a path that every system has."""
    return text in PLACEHOLDERS or REMOTE in text or bool(SYSTEM_PATH.fullmatch(text))


KINDS: Sequence[tuple[re.Pattern[str], str]] = (
    (MAIL, "a mail address"),
    (ADDRESS, "a network address"),
    (LONG_ADDRESS, "a network address"),
    (FILE_ADDRESS, "a path"),
    (PATH, "a path"),
    (DOMAIN, "a domain name"),
    (SECRET, "a password"),
)
