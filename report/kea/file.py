# SPDX-License-Identifier: ISC
"""Reads a configuration of Kea: JSON with comments (#, //, /* */), with surplus commas and with
<?include "FILE"?>, or the answer to the command config-get.

A fault is a Problem that names the file and the line, and says what was expected.  It never repeats
a value that may be a password."""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from report import Problem

FILES_MOST = 1000  # with all that are included
BYTES_MOST = 16 << 20  # in all of these files together
INCLUDES_MOST = 10  # files that include each other, as in Kea
NESTING_MOST = 100  # maps and lists in each other
INT64 = 1 << 63  # Kea's whole numbers are smaller
LIFETIME_MOST = 0xffffffff

TOKEN = re.compile(r'(?P<blank>[ \t\r\n]+|(?:#|//)[^\n]*|/\*.*?\*/)'
                   r'|<\?\s*include\s+"(?P<include>[^"\n]+)"\s*\?>'
                   r'|(?P<number>-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)|(?P<word>\w+)'
                   r'|(?P<sign>[][{}:,])', re.DOTALL | re.ASCII)
TEXT_END = re.compile(r'["\\\x00-\x1f]')
CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")
WORDS = {"true": True, "false": False, "null": None}
# A map with a member of such a name has values that no message repeats.
SECRET = re.compile("pass|pwd|secret|token|key|user", re.IGNORECASE)
# The names that a message may repeat.  Another one could be a password in a damaged file.
NAMES = frozenset(
    "Dhcp4 Dhcp6 DhcpDdns Control-agent Logging Netconf arguments result subnet4 subnet6 pools pool"
    " pd-pools prefix prefix-len delegated-len shared-networks reservations lease-database type"
    " name user password host port hosts-database hosts-databases config-control config-databases"
    " hooks-libraries library parameters high-availability mode peers role send-lease-updates"
    " sync-leases wait-backup-ack heartbeat-delay max-response-delay multi-threading loggers"
    " interfaces-config interfaces client-classes valid-lifetime preferred-lifetime renew-timer"
    " rebind-timer calculate-tee-times t1-percent cache-threshold cache-max-age allocator id subnet"
    " dhcp-ddns enable-updates ddns-send-updates expired-leases-processing dhcp-queue-control"
    " option-data user-context comment ip-address ip-addresses prefixes hw-address".split())


class Kind(NamedTuple):
    """A condition for the value of a member."""
    expected: str
    fits: Callable[[Any], bool]
    is_plain: bool = True  # a message may repeat a value that does not fit


def counts(most: int) -> Kind:
    """Whole numbers up to a limit of Kea's."""
    return Kind(f"a whole number from 0 to {most:,}",
                lambda value: type(value) is int and 0 <= value <= most)


def choices(*names: str) -> Kind:
    return Kind(" or ".join(filter(None, (", ".join(names[:-1]), names[-1]))),
                lambda value: value in names)


KINDS = {
    "count": counts(INT64 - 1),
    "seconds": counts(LIFETIME_MOST),
    "short": counts(0xffff),
    "share": Kind("a number from 0 up to 1, without 1",
                  lambda value: type(value) in (int, float) and 0 <= value < 1),
    "part": Kind("a number between 0 and 1",
                 lambda value: type(value) in (int, float) and 0 < value < 1),
    "flag": Kind("true or false", lambda value: type(value) is bool),
    "text": Kind("a text", lambda value: type(value) is str),
    "list": Kind("a list, [...]", lambda value: type(value) is list, False),
    "map": Kind("a map, {...}", lambda value: type(value) is Members, False),
    "maps": Kind("a list of maps, [{...}]", lambda value: type(value) is list and all(
        type(item) is Members for item in value), False),
}


class Members(dict):
    """A map of the file; lines has the place of each member, "kea-dhcp4.conf:12"."""

    def __init__(self, members=(), lines=()):
        super().__init__(members)
        self.lines = dict(lines)

    def value(self, name: str, kind: str | Kind, default: Any = None) -> Any:
        """A member, or the default.  Raises Problem if it is of another kind."""
        if name not in self:
            return default
        wanted = KINDS[kind] if isinstance(kind, str) else kind
        if not wanted.fits(self[name]):
            raise self.problem(name, wanted.expected, wanted.is_plain)
        return self[name]

    def problem(self, name: str, expected: str, is_plain: bool = True) -> Problem:
        """The refusal of a member; is_plain: its value may be repeated."""
        return Problem(f"{self.lines.get(name, 'the file')}: {name} is "
                       f"{self._shown(name, is_plain)}; expected {expected}")

    def _shown(self, name: str, is_plain: bool) -> str:
        """A value for a message: no map, no list, and nothing beside a password."""
        value = self[name]
        if isinstance(value, dict):
            return "a map"
        if isinstance(value, list):
            return "a list"
        if value is None or isinstance(value, bool):
            return json.dumps(value)
        is_text = isinstance(value, str)
        if not is_plain or any(map(SECRET.search, self)) or (is_text and SECRET.search(value)):
            return "a text" if is_text else "a number"
        shown = json.dumps(value, ensure_ascii=False)
        return shown if len(shown) <= 60 else f"{shown[:57]}..."

    def over(self, outer: Members, *without: str) -> Members:
        """With what it inherits from another map, save some members."""
        kept = [name for name in outer if name not in without]
        return Members({**{name: outer[name] for name in kept}, **self},
                       {**{name: outer.lines[name] for name in kept if name in outer.lines},
                        **self.lines})


class Configuration(NamedTuple):
    """A file: the family of the server, the members of Dhcp4 or Dhcp6, and the other members of
    the file, which were not read."""
    family: int
    site: Members
    others: list[str]


class Token(NamedTuple):
    kind: str  # sign, text, number, word, or end
    text: str
    place: str


class Files:
    """Opens a file and all that it includes, within limits."""

    def __init__(self) -> None:
        self.count, self.bytes_left = 0, BYTES_MOST

    def read(self, path: str, included: str) -> str:
        """The text of a regular file.  included: the place of the include, for a message."""
        self.count += 1
        if self.count > FILES_MOST:
            raise Problem(f"{included}it includes more than {FILES_MOST:,} files; expected fewer")
        try:
            number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        except ValueError:
            raise Problem(f"{included}the name of the file has a NUL character in it; expected "
                          "the name of a file") from None
        except OSError as why:
            raise unreadable(path, why, included) from None
        try:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise Problem(f"{included}{path}: is not a regular file; expected a configuration "
                              "of Kea, such as /etc/kea/kea-dhcp4.conf")
            with open(number, "rb", closefd=False) as file:
                data = file.read(self.bytes_left + 1)
        except OSError as why:
            raise unreadable(path, why, included) from None
        finally:
            os.close(number)
        self.bytes_left -= len(data)
        if self.bytes_left < 0:
            raise Problem(f"{included}{path}: is too long; expected at most {BYTES_MOST >> 20} MiB "
                          "with all included files")
        # Kea takes any bytes in comments and texts.
        return data.decode("utf-8", "surrogateescape")

    def tokens(self, path: str, depth: int = 0, included: str = "") -> Iterator[Token]:
        """All tokens but those that say nothing, with those of included files."""
        if depth > INCLUDES_MOST:
            raise Problem(f"{included}the file includes itself, or more than {INCLUDES_MOST} files "
                          f"include each other; expected at most {INCLUDES_MOST}, as Kea does")
        text = self.read(path, included)
        end, line = 0, 1
        while end < len(text):
            place, begin = f"{path}:{line}", end
            if text[end] == '"':
                end = text_end(text, begin, place)
                yield Token("text", text[begin:end], place)
                continue
            found = TOKEN.match(text, begin)
            if not found:
                raise no_token(text, begin, place)
            end = found.end()
            if found.lastgroup == "include":
                # Kea itself seeks a relative name in the directory where it was started.
                name = os.path.join(os.path.dirname(path), found["include"])
                copy = os.path.join(os.path.dirname(path), os.path.basename(found["include"]))
                if os.path.isabs(found["include"]) and is_missing(name) and not is_missing(copy):
                    name = copy  # the files were copied from where they belong
                yield from self.tokens(name, depth + 1, f"{place}: include: ")
            elif found.lastgroup != "blank":
                yield Token(str(found.lastgroup), found[0], place)
            line += text.count("\n", begin, end)
        if depth == 0:
            yield Token("end", "", f"{path}:{line}")


def is_missing(path: str) -> bool:
    """Whether there is no file of that name."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False  # opening it says what is wrong
    return False


def unreadable(path: str, why: OSError, included: str) -> Problem:
    """The refusal of a file that cannot be opened or read."""
    expected = "; expected the file there, or one of that name beside the one that includes it" \
        if included else ""
    return Problem(f"{included}{path}: {why.strerror}{expected}")


def text_end(text: str, begin: int, place: str) -> int:
    """The end of a text that begins with a quote there."""
    end = begin + 1
    while found := TEXT_END.search(text, end):
        if found[0] == '"':
            return found.end()
        if found[0] != "\\":
            break
        end = found.end() + 1
    raise Problem(f"{place}: a text does not end in its line; expected a closing \"")


def no_token(text: str, begin: int, place: str) -> Problem:
    """Why no token begins there."""
    if text.startswith("/*", begin):
        return Problem(f"{place}: a comment does not end; expected */")
    if text.startswith("<?", begin):
        return Problem(f'{place}: an include is damaged; expected <?include "FILE"?>')
    if text.startswith("\ufeff", begin):
        return Problem(f"{place}: the file has a byte order mark, which Kea refuses; expected {{")
    return Problem(f"{place}: found the character {text[begin]}; expected JSON, in which texts "
                   'have straight quotes (")')


class Parser:
    """Makes maps, lists and values of tokens, as Kea's own grammar does."""

    def __init__(self, path: str):
        self.tokens = Files().tokens(path)
        self.token = next(self.tokens)

    def advance(self) -> Token:
        """The present token; the next one becomes the present one."""
        token = self.token
        if token.kind != "end":
            self.token = next(self.tokens)
        return token

    def is_sign(self, signs: str) -> bool:
        return self.token.kind == "sign" and self.token.text in signs

    def problem(self, expected: str, token: Token | None = None) -> Problem:
        """A refusal.  The text of a token is not repeated, because it may be a password."""
        token = token or self.token
        if token.kind == "sign":
            shown = f"'{token.text}'"
        elif token.kind == "word" and token.text.lower() in WORDS:
            shown = token.text
        else:
            shown = {"text": "a text", "number": "a number", "word": "a word without quotes",
                     "end": "the end of the file"}[token.kind]
        return Problem(f"{token.place}: found {shown}; expected {expected}")

    def file(self) -> Any:
        """The value that a whole file is."""
        first = self.token
        if first.kind == "end":
            raise Problem(f'{first.place}: the file is empty; expected {{ "Dhcp4": {{...}} }}')
        value = self.value(0)
        if isinstance(value, str) and self.is_sign(":"):
            raise Problem(f"{first.place}: the file does not begin with a brace; expected braces "
                          'around all of it: { "Dhcp4": {...} }')
        if self.token.kind != "end":
            raise self.problem("nothing after the configuration")
        return value

    def value(self, depth: int) -> Any:
        if depth > NESTING_MOST:
            raise Problem(f"{self.token.place}: more than {NESTING_MOST} maps and lists are in "
                          "each other; expected a configuration of Kea")
        token = self.advance()
        if token.kind == "text":
            return self.text(token)
        if token.kind == "number":
            return self.number(token)
        if token.kind == "word" and token.text in WORDS:
            return WORDS[token.text]
        if token.kind == "sign" and token.text == "{":
            return self.map(depth)
        if token.kind == "sign" and token.text == "[":
            return self.list(depth)
        if token.kind == "word" and token.text.lower() in WORDS:
            raise self.problem(f"{token.text.lower()}, in lower case", token)
        raise self.problem('a value: "text", a number, true, false, null, {...} or [...]', token)

    def text(self, token: Token) -> str:
        try:
            return json.loads(token.text, strict=False)
        except ValueError:
            raise Problem(f"{token.place}: a text has a backslash with a wrong character after it; "
                          'expected \\\\ for a backslash, \\" for a quote') from None

    def number(self, token: Token) -> int | float:
        if re.fullmatch(r"-?\d+", token.text, re.ASCII):
            number = int(token.text) if len(token.text) <= 40 else INT64
            if -INT64 <= number < INT64:
                return number
        elif (real := float(token.text)) and math.isfinite(real) or not real:
            return real
        raise Problem(f"{token.place}: a number is too large; expected a number of 64 bits")

    def map(self, depth: int) -> Members:
        members = Members()
        while not self.is_sign("}"):
            name = self.name(members)
            place = self.token.place
            self.advance()
            if not self.is_sign(":"):
                raise self.problem("':' after the name of a member")
            self.advance()
            members[name] = self.value(depth + 1)
            members.lines[name] = place
            self.separate("}", "',' before the next member, or '}'")
        self.advance()
        return members

    def name(self, members: Members) -> str:
        """The name of the next member of a map."""
        if self.token.kind != "text":
            raise self.problem('the name of a member, as in "valid-lifetime": 7200, or \'}\'')
        name = self.text(self.token)
        if CONTROL.search(name):
            raise Problem(f"{self.token.place}: the name of a member has a control character in "
                          "it; expected a name of Kea's")
        if name in members:
            first = members.lines[name]
            raise Problem(f"{self.token.place}: {name if name in NAMES else 'a member'} is there "
                          f"twice in one map, first at {first}; expected it once")
        return name

    def list(self, depth: int) -> list:
        items = []
        while not self.is_sign("]"):
            items.append(self.value(depth + 1))
            self.separate("]", "',' before the next value, or ']'")
        self.advance()
        return items

    def separate(self, end: str, expected: str) -> None:
        """Passes over commas: Kea takes surplus ones, with a warning."""
        if not self.is_sign("," + end):
            raise self.problem(expected)
        while self.is_sign(","):
            self.advance()


def load(path: str) -> Configuration:
    """The configuration of kea-dhcp4 or kea-dhcp6 in a file, or in an answer to config-get."""
    parser = Parser(path)
    place = parser.token.place
    tree = parser.file()
    answers = tree if isinstance(tree, list) else [tree]
    if not answers or not all(isinstance(item, Members) for item in answers):
        raise Problem(f"{place}: found no map; expected {{ \"Dhcp4\": {{...}} }}, or the answer to "
                      "config-get")
    maps = [arguments_of(item) if "result" in item else item for item in answers]
    for members in maps:
        for family in (4, 6):
            if f"Dhcp{family}" in members:
                others = [name for each in maps for name in each
                          if (each is not members or name != f"Dhcp{family}") and name != "hash"]
                return Configuration(family, members.value(f"Dhcp{family}", "map"), others)
    raise no_server(maps[0], place)


def arguments_of(answer: Members) -> Members:
    """The configuration in an answer to config-get."""
    result = answer.value("result", "count")
    if result != 0:
        raise Problem(f"{answer.lines['result']}: the answer to config-get is an error, result "
                      f"{result}; expected result 0 and a configuration in its arguments")
    return answer.value("arguments", "map", Members())


def no_server(members: Members, place: str) -> Problem:
    """The refusal of a map that has neither server."""
    name = next((name for name in members if name in NAMES), None)
    expected = "Dhcp4 or Dhcp6, the configuration of kea-dhcp4 or kea-dhcp6"
    if name is None:
        return Problem(f"{place}: found neither Dhcp4 nor Dhcp6; expected {expected}")
    if name in ("subnet4", "lease-database", "valid-lifetime", "interfaces-config", "subnet6"):
        return Problem(f"{members.lines[name]}: {name} is a member of the whole file; expected it "
                       'within { "Dhcp4": {...} } or { "Dhcp6": {...} }')
    return Problem(f"{members.lines[name]}: found {name}; expected {expected}")


def read(path: str) -> tuple[int, Members]:
    """The family, and the members of Dhcp4 or Dhcp6."""
    found = load(path)
    return found.family, found.site


def library(hook: Members) -> str:
    """The name of a hook library: libdhcp_NAME.so."""
    name = os.path.basename(hook.value("library", "text", ""))
    return name[len("libdhcp_"):-len(".so")] if name.startswith("libdhcp_") else name


def high_availability(site: Members) -> Members | None:
    """The parameters of its first relationship with other servers."""
    for hook in site.value("hooks-libraries", "maps", []):
        if library(hook) == "ha":
            parameters = hook.value("parameters", "map", Members())
            return (parameters.value("high-availability", "maps") or [Members()])[0]
    return None


def pair(site: Members) -> str:
    """The mode of its pair of servers, or none."""
    mode = (high_availability(site) or {}).get("mode")
    return mode if mode in ("hot-standby", "load-balancing") else "none"


def subnets(site: Members, family: int) -> list[Members]:
    """All, those of shared networks with what they inherit from these."""
    name = f"subnet{family}"
    found = list(site.value(name, "maps", []))
    for network in site.value("shared-networks", "maps", []):
        found += [subnet.over(network, name, "name", "reservations")
                  for subnet in network.value(name, "maps", [])]
    return found


def place(members: Members, name: str, path: str) -> str:
    """Where a member is, short: "line 12", or with the name of an included file."""
    if name not in members:
        return "not in the file"
    file, _, line = members.lines.get(name, path + ":1").rpartition(":")
    return f"line {line}" if file == path else f"{cut_name(os.path.basename(file), 30)}:{line}"


def cut_name(name: str, most: int) -> str:
    """The end of a name that is too long, with a mark."""
    return name if len(name) <= most else f"...{name[-(most - 3):]}"
