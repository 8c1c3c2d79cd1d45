# SPDX-License-Identifier: ISC
"""Passwords in commands: a campaign records the commands that it runs, so it refuses these."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence

from ubench.errors import UsageError

# NAME=VALUE or NAME: VALUE, where the name stands for a secret.
SECRET_ARGUMENT = re.compile(
    r"""(?ix)
    (?: ^ | [\s'"?&;{,(-] )
    (?P<name>
        [\w.-]*?
        (?: password | passwd | passphrase | passwort | secret | token | _pwd | sshpass
          | (?: ^ | _ | - ) (?: pass | pw )
        )
    )
    ["']? \s* [=:] \s*
    (?! ["']? (?: \s | $ ) )  # it has a value
    """
)
# Settings of servers that end in "password" and have no password as their value.
PLUGIN = re.compile("(?i)(native|sha2|sha256|ed25519|skip|reset)[_-]password$")
URL = re.compile(r"[A-Za-z][\w+.-]*://[^\s/@:]*:[^\s@]+@")
USER_AT_HOST = re.compile(r"(?<![\w/])[\w.+-]+:[^\s@/:]+@[\w.-]")
LONG_OPTION = re.compile("--?pas(?:s(?:w(?:o(?:rd?)?|d)?|phrase)?)?(?P<value>=.|$)")
SHORT_OPTION = re.compile("-[hV6]*p")  # -p, perhaps after flags, which take no value
CLIENT = re.compile("(mysql|mariadb|mycli|sshpass)[a-z_-]*$|.*_ubench$")
NESTING_MAX = 8  # of commands within a word: ssh db 'sh -c "..."'


def find_password(words: Sequence[str], *, is_client: bool = False) -> str | None:
    """Look for a password in the words of a command: a variable, an option or a URL.

    A word with blanks is looked into as well, as it can be a command for ssh or sh -c. `is_client`:
    the words are options of a program whose -p is a password; otherwise a program's name tells.
    Returns what was seen without its value, or None.
    """
    return _find_password(words, is_client, depth=0)


def _find_password(words: Sequence[str], is_client: bool, depth: int) -> str | None:
    followers = [*words, ""][1:]
    for word, follower in zip(words, followers, strict=True):
        is_client = is_client or CLIENT.match(os.path.basename(word)) is not None
        sight = _password_in_word(word, follower, is_client)
        if sight is None and depth < NESTING_MAX and re.search(r"\s", word.strip()):
            parts = _split(word)
            sight = _find_password(parts, False, depth + 1) if parts != [word] else None
        if sight is not None:
            return sight
    return None


def _password_in_word(word: str, follower: str, is_client: bool) -> str | None:
    """Return what a single word has of a password; `follower` is the next word."""
    for secret in SECRET_ARGUMENT.finditer(word):
        if not PLUGIN.search(secret["name"]):
            return f"{secret['name'].lstrip('-')}=..."
    if URL.search(word) or USER_AT_HOST.search(word):
        return "a user with a password before an @"
    option = LONG_OPTION.match(word)
    if option and (follower or option["value"]):
        return word.partition("=")[0]
    if is_client and SHORT_OPTION.match(word):
        return "-p"
    return None


def _split(word: str) -> list[str]:
    """Return the words of a command that is one word."""
    try:
        return shlex.split(word)
    except ValueError:
        return word.split()


def refuse_passwords(words: Sequence[str], *, is_client: bool = False) -> None:
    """Raise UsageError if the words of a command have a password, before it is recorded."""
    sight = find_password(words, is_client=is_client)
    if sight:
        raise UsageError(
            f"{sight}: a password in a command would be recorded; put it into UBENCH_PASSWORD "
            "before the command, ~/.my.cnf or ~/.pgpass"
        )
