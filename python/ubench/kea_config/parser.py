# SPDX-License-Identifier: ISC
"""Parses Kea's JSON: with comments (#, //, /* */), surplus commas and <?include "FILE"?>.

A message names the file and the line and says what was expected. It never repeats a string, a
number or a word of the file, because a damaged file can have a password anywhere.
"""

from __future__ import annotations

import codecs
import errno
import json
import math
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from ubench.errors import Problem
from ubench.kea_config.members import FilePlace, Members, Value

FILES_MOST = 1000  # with all included files
BYTES_MOST = 16 << 20  # in all of these files together
INCLUDES_MOST = 10  # levels of includes, as in Kea
NESTING_MOST = 100  # levels of maps and lists
SERVER_DEPTH = 1  # the level of the members of Dhcp4
INT64 = 1 << 63  # Kea's integers are smaller
GZIP_BEGIN = b"\x1f\x8b"
OTHER_QUOTES = "'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u2032\u2033"
ESCAPED_BYTES = range(0xDC80, 0xDD00)  # of surrogateescape: bytes that are not UTF-8

PATTERN = re.compile(
    r"""
      (?P<blank>    [ \t\r\n]+ | (?:\#|//)[^\n]* | /\*.*?\*/ )
    | <\?\s*include\s+"(?P<include>[^"\n]+)"\s*\?>
    | (?P<number>   -? (?: \d+(?:\.\d*)? | \.\d+ ) (?:[eE][-+]?\d+)? )
    | (?P<word>     \w+ )
    | (?P<sign>     [][{}:,] )
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
STRING_END = re.compile(r'["\\\x00-\x1f]')
CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")
LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None}

# The names of members that a message may repeat. Another one could be a password in a damaged file.
NAMES = frozenset((
    "Dhcp4", "Dhcp6", "DhcpDdns", "Control-agent", "Logging", "Netconf", "arguments", "result",
    "subnet4", "subnet6", "pools", "pool", "pd-pools", "prefix", "prefix-len", "delegated-len",
    "shared-networks", "reservations", "lease-database", "type", "name", "user", "password",
    "host", "port", "hosts-database", "hosts-databases", "config-control", "config-databases",
    "hooks-libraries", "library", "parameters", "high-availability", "mode", "peers", "role",
    "send-lease-updates", "sync-leases", "wait-backup-ack", "heartbeat-delay",
    "max-response-delay", "multi-threading", "loggers", "interfaces-config", "interfaces",
    "client-classes", "valid-lifetime", "preferred-lifetime", "renew-timer", "rebind-timer",
    "calculate-tee-times", "t1-percent", "cache-threshold", "cache-max-age", "allocator", "id",
    "subnet", "dhcp-ddns", "enable-updates", "ddns-send-updates", "expired-leases-processing",
    "dhcp-queue-control", "option-data", "user-context", "comment", "ip-address",
    "ip-addresses", "prefixes", "hw-address",
))  # fmt: skip


class TokenKind(Enum):
    """The kinds of tokens, each with the words for it in a message."""

    SIGN = "a sign"
    STRING = "a string"
    NUMBER = "a number"
    WORD = "a word without quotes"
    ABSENT = "an include of a file that is not here"
    END = "the end of the file"


class Token(NamedTuple):
    """A token with its place. A large file has millions: these are cheaper than dataclasses."""

    kind: TokenKind
    text: str
    file: str
    line: int

    @property
    def place(self) -> FilePlace:
        """Where the token begins."""
        return FilePlace(self.file, self.line)


@dataclass(frozen=True)
class AbsentFile:
    """A file that is included and is not on this machine."""

    name: str
    included_at: FilePlace
    member: str | None = ""  # whose value it is; None: it has members of the server; "": others

    def refusal(self) -> Problem:
        """Return the refusal of a configuration that cannot do without it."""
        error = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return unreadable(self.name, error, f"{self.included_at}: include: ")


class Scanner:
    """Divides a file and the files that it includes into tokens, within limits.

    Includes of files that do not exist are refused unless `skip_absent` is true. Then they become
    tokens of their own, and `absent` lists the files.
    """

    def __init__(self, skip_absent: bool = False) -> None:
        self.files = 0
        self.bytes_left = BYTES_MOST
        self.skip_absent = skip_absent
        self.absent: list[AbsentFile] = []

    def tokens(self, path: str, depth: int = 0, included_at: str = "") -> Iterator[Token]:
        """Yield all tokens of a file and, in their places, of the files that it includes.

        `included_at` begins each message about the file itself: the place of the include.
        """
        if depth > INCLUDES_MOST:
            raise Problem(
                f"{included_at}the file includes itself, or includes are nested too deeply; "
                f"expected at most {INCLUDES_MOST} levels, Kea's limit"
            )
        text = self._read(path, included_at)
        end, line = 0, 1
        while end < len(text):
            begin = end
            if text[begin] == '"':
                end = string_end(text, begin, FilePlace(path, line))
                yield Token(TokenKind.STRING, text[begin:end], path, line)
                continue
            match = PATTERN.match(text, begin)
            if match is None:
                raise no_token(text, begin, FilePlace(path, line))
            end = match.end()
            if match.lastgroup == "include":
                name = included_file(path, match["include"])
                if self.skip_absent and is_missing(name):
                    self.absent.append(AbsentFile(name, FilePlace(path, line)))
                    yield Token(TokenKind.ABSENT, "", path, line)
                else:
                    yield from self.tokens(name, depth + 1, f"{path}:{line}: include: ")
            elif match.lastgroup != "blank":
                yield Token(TokenKind[str(match.lastgroup).upper()], match[0], path, line)
            line += text.count("\n", begin, end)
        if depth == 0:
            yield Token(TokenKind.END, "", path, line)

    @property
    def has_read_nothing(self) -> bool:
        """True if all files so far are empty."""
        return self.bytes_left == BYTES_MOST

    def _read(self, path: str, included_at: str) -> str:
        """Return the text of a regular file."""
        self.files += 1
        if self.files > FILES_MOST:
            raise Problem(
                f"{included_at}the configuration includes too many files; "
                f"expected at most {FILES_MOST:,}"
            )
        try:
            data = read_regular_file(path, self.bytes_left + 1)
        except ValueError:  # from open(), of a NUL character
            raise Problem(
                f"{included_at}the file name contains a NUL character; expected the name of a file"
            ) from None
        except OSError as error:
            raise unreadable(path, error, included_at) from None
        if data is None:
            raise Problem(
                f"{included_at}{path}: is not a regular file; expected a Kea configuration such as "
                "/etc/kea/kea-dhcp4.conf"
            )
        self.bytes_left -= len(data)
        if self.bytes_left < 0:
            raise Problem(
                f"{included_at}{path}: the configuration is too large; expected at most "
                f"{BYTES_MOST >> 20} MiB with all included files"
            )
        refuse_other_bytes(data, f"{included_at}{path}")
        # Kea takes any bytes in comments and strings.
        return data.decode("utf-8", "surrogateescape")


def read_regular_file(path: str, most: int) -> bytes | None:
    """Return up to `most` bytes of a file; None if it is not a regular file.

    Neither a FIFO nor a terminal can block this. Raises OSError, and ValueError for a NUL in the
    path.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with open(descriptor, "rb", closefd=False) as stream:
            return stream.read(most)
    finally:
        os.close(descriptor)


def refuse_other_bytes(data: bytes, name: str) -> None:
    """Refuse a file that is not in the encoding of a configuration."""
    if data.startswith(GZIP_BEGIN):
        raise Problem(f"{name}: is compressed; expected the configuration itself (gzip -d)")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise Problem(f"{name}: is in UTF-16, which Kea rejects; expected UTF-8")


def included_file(path: str, name: str) -> str:
    """Return the path of a file that the file at `path` includes.

    Kea looks up a relative name in the directory in which it was started; here it is relative to
    the including file. Files that were copied from a server keep their absolute names, so a file
    of the same name beside the including one stands in for a missing one.
    """
    folder = os.path.dirname(path)
    copy = os.path.join(folder, os.path.basename(name))
    if os.path.isabs(name) and is_missing(name) and not is_missing(copy):
        return copy
    return os.path.join(folder, name)


def is_missing(path: str) -> bool:
    """Return whether no file has that name. Opening the file says what else may be wrong."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def unreadable(path: str, error: OSError, included_at: str) -> Problem:
    """Return the refusal of a file that cannot be opened or read."""
    expected = ""
    if included_at:
        expected = "; expected the file there, or a file of that name beside the including file"
    return Problem(f"{included_at}{path}: {error.strerror}{expected}")


def string_end(text: str, begin: int, place: FilePlace) -> int:
    """Return the end of the string that begins with a quote at `begin`."""
    end = begin + 1
    while match := STRING_END.search(text, end):
        if match[0] == '"':
            return match.end()
        if match[0] != "\\":
            break
        end = match.end() + 1
    raise Problem(f'{place}: unterminated string; expected a closing " on the same line')


def no_token(text: str, begin: int, place: FilePlace) -> Problem:
    """Say why no token begins there."""
    if text.startswith("/*", begin):
        return Problem(f"{place}: unterminated comment; expected */")
    if text.startswith("<?", begin):
        return Problem(f'{place}: malformed include; expected <?include "FILE"?>')
    if text.startswith("\ufeff", begin):
        return Problem(f"{place}: the file has a byte order mark, which Kea rejects; expected {{")
    expected = "JSON"
    if text[begin] in OTHER_QUOTES:
        expected = 'JSON, whose strings have straight quotes (")'
    return Problem(
        f"{place}: unexpected character {character_name(text[begin])}; expected {expected}"
    )


def character_name(character: str) -> str:
    """Return a character for a message; its number if it cannot be seen."""
    if character.isprintable():
        return character
    number = ord(character)
    if number in ESCAPED_BYTES:
        return f"(byte {number & 0xFF:#04x})"
    return f"U+{number:04X}"


class TreeParser:
    """Makes a tree of the tokens of a file, as Kea's own grammar does.

    With `skip_absent`, files that are included and do not exist are left out: a member or an
    element whose value is in such a file, and the members and elements that it has.
    """

    def __init__(self, path: str, skip_absent: bool = False) -> None:
        self.scanner = Scanner(skip_absent)
        self.tokens = self.scanner.tokens(path)
        self.token = next(self.tokens)

    def parse(self) -> Value:
        """Return the value that the whole file is."""
        first = self.token
        if first.kind is TokenKind.END:
            found = "is empty" if self.scanner.has_read_nothing else "has only blanks and comments"
            raise Problem(f'{first.place}: the file {found}; expected {{ "Dhcp4": {{...}} }}')
        if first.kind is TokenKind.ABSENT:
            raise self.scanner.absent[0].refusal()
        if first.kind in (TokenKind.WORD, TokenKind.NUMBER):
            raise Problem(
                f"{first.place}: is not a configuration of Kea; expected "
                '{ "Dhcp4": {...} }, as in /etc/kea/kea-dhcp4.conf'
            )
        value = self._value(0)
        if first.kind is TokenKind.STRING and self._is_sign(":"):
            raise Problem(
                f"{first.place}: the file does not begin with a brace; expected braces around all "
                'of it: { "Dhcp4": {...} }'
            )
        if self.token.kind is not TokenKind.END:
            raise self._unexpected("nothing after the configuration", self.token)
        return value

    def _advance(self) -> Token:
        """Return the current token, and move to the next one."""
        token = self.token
        if token.kind is not TokenKind.END:
            self.token = next(self.tokens)
        return token

    def _is_sign(self, signs: str) -> bool:
        """Return whether the current token is one of these signs."""
        return self.token.kind is TokenKind.SIGN and self.token.text in signs

    def _unexpected(self, expected: str, token: Token) -> Problem:
        """Return the refusal of a token. Its text may be a password, so only signs are repeated."""
        shown = token.kind.value
        if token.kind is TokenKind.SIGN:
            shown = f"'{token.text}'"
        elif token.text.lower() in LITERALS:
            shown = token.text
        return Problem(f"{token.place}: found {shown}; expected {expected}")

    def _value(self, depth: int) -> Value:
        if depth > NESTING_MOST:
            raise Problem(
                f"{self.token.place}: maps and lists are nested more than {NESTING_MOST} levels "
                "deep; expected a Kea configuration"
            )
        token = self._advance()
        if token.kind is TokenKind.STRING:
            return parse_string(token)
        if token.kind is TokenKind.NUMBER:
            return parse_number(token)
        if token.kind is TokenKind.WORD and token.text in LITERALS:
            return LITERALS[token.text]
        if token.text == "{":
            return self._map(depth)
        if token.text == "[":
            return self._list(depth)
        if token.text.lower() in LITERALS:
            raise self._unexpected(f"{token.text.lower()}, in lower case", token)
        raise self._unexpected(
            'a value: "string", a number, true, false, null, {...} or [...]', token
        )

    def _map(self, depth: int) -> Members:
        """Return the map whose brace was just read."""
        members = Members()
        while not self._is_sign("}"):
            if self._skips_absent(None if depth <= SERVER_DEPTH else ""):
                continue
            name, place = self._name(members), self.token.place
            self._advance()
            if not self._is_sign(":"):
                raise self._unexpected("':' after the name of a member", self.token)
            self._advance()
            if not self._skips_absent(name):
                members[name] = self._value(depth + 1)
                members.places[name] = place
                self._separate("}", "',' before the next member, or '}'")
        self._advance()
        return members

    def _name(self, members: Members) -> str:
        """Return the name of the next member, which the map does not have yet."""
        if self.token.kind is not TokenKind.STRING:
            raise self._unexpected(
                "the name of a member, as in \"valid-lifetime\": 7200, or '}'", self.token
            )
        name = parse_string(self.token)
        if CONTROL.search(name):
            raise Problem(
                f"{self.token.place}: the name of a member contains a control character; expected "
                "a Kea parameter"
            )
        if name in members:
            shown = name if name in NAMES else "a member"
            raise Problem(
                f"{self.token.place}: {shown} appears twice in one map, first at "
                f"{members.places[name]}; expected it once"
            )
        return name

    def _list(self, depth: int) -> list[Value]:
        """Return the list whose bracket was just read."""
        values: list[Value] = []
        while not self._is_sign("]"):
            if self._skips_absent():
                continue
            values.append(self._value(depth + 1))
            self._separate("]", "',' before the next value, or ']'")
        self._advance()
        return values

    def _skips_absent(self, member: str | None = "") -> bool:
        """Pass over the include of an absent file, with commas; false if there is none.

        `member` is what the file is, as in AbsentFile.
        """
        if self.token.kind is not TokenKind.ABSENT:
            return False
        absent = self.scanner.absent
        absent[-1] = replace(absent[-1], member=member)  # the scanner is not beyond this token
        self._advance()
        while self._is_sign(","):
            self._advance()
        return True

    def _separate(self, end: str, expected: str) -> None:
        """Pass over commas; Kea accepts surplus ones, with a warning."""
        if self.token.kind is TokenKind.ABSENT:  # the file may begin with a comma
            return
        if not self._is_sign("," + end):
            raise self._unexpected(expected, self.token)
        while self._is_sign(","):
            self._advance()


def parse_string(token: Token) -> str:
    """Return the string that a token stands for."""
    try:
        return str(json.loads(token.text, strict=False))
    except ValueError:
        raise Problem(
            f"{token.place}: invalid escape sequence in a string; expected \\\\ for a backslash, "
            '\\" for a quote'
        ) from None


def parse_number(token: Token) -> int | float:
    """Return the integer or float that a token stands for; Kea accepts leading zeros."""
    if re.fullmatch(r"-?\d+", token.text, re.ASCII):
        if len(token.text) <= 40 and -INT64 <= int(token.text) < INT64:
            return int(token.text)
    elif math.isfinite(float(token.text)):
        return float(token.text)
    raise Problem(f"{token.place}: a number is too large; expected a number of 64 bits")
