# SPDX-License-Identifier: ISC
"""Shared by sweep, crash, dhcp, duel and agents: messages and options, files, programs that
they run, private servers.

They try to lose nothing: which runs are done is read from the output itself, and a signal
ends the program that runs first.
"""
import argparse
import contextlib
import fcntl
import functools
import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NoReturn

HERE = os.path.dirname(os.path.realpath(__file__))
# In a checkout that is scripts/, with the programs above it; once installed it is
# PREFIX/libexec/ubench, and the programs are in PREFIX/bin.
INSTALLED = HERE.endswith("/libexec/ubench")
PROGRAMS = HERE[:-len("/libexec/ubench")] + "/bin" if INSTALLED else os.path.dirname(HERE)
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
WRITABLE = os.path.join(CACHE, "ubench") if INSTALLED else os.path.join(PROGRAMS, "build")
BIN = os.path.abspath(os.environ.get("BIN") or PROGRAMS)
SERVERS = os.path.join(HERE, "servers")
sys.path.insert(0, HERE if INSTALLED else PROGRAMS)  # the package report
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

from report.results import UNWANTED  # noqa: E402 # the package's path is known now

# ---- Messages and the command line


def clean(text: str) -> str:
    """A text of a file or of another program, as a terminal may have it: a question mark for each
    character that it would obey, or not show.  Lines stay."""
    return "\n".join(UNWANTED.sub("?", line) for line in text.replace("\t", " ").split("\n"))


def show(*texts: object, **options: object) -> None:
    """Prints texts on standard output."""
    print(*(clean(str(text)) for text in texts), **options)


def say(text: str) -> None:
    """Prints a message of this program's on standard error."""
    name = os.path.basename(sys.argv[0])
    print(f"{name}: {clean(text)}", file=sys.stderr, flush=True)


def die(text: str, status: int = 1) -> NoReturn:
    """Ends the program: something is not as it has to be."""
    say(text)
    raise SystemExit(status)


def misuse(text: str) -> NoReturn:
    """Ends the program: its command line is wrong, which one line says."""
    die(text.strip("\n").replace("\n", "?"), 2)


# A name, or a member, that has a password as its value, and is neither a file's nor a plugin's.
SECRET_NAME = re.compile(
    r"""(?ix) (?:^|[\s'"?&;{,(-])
    ( [\w.-]*? (?: password | passwd | passphrase | passwort | secret | token | _pwd | sshpass
                 | (?:^|_|-)(?:pass|pw) | _auth ) )
    ["']? \s* [=:] \s* (?! ["']? (?: \s | $ ) )""")
PLUGIN = re.compile("(?i)(native|sha2|sha256|ed25519|skip|reset)[_-]password$")
URL = re.compile(r"[A-Za-z][\w+.-]*://[^\s/@:]*:[^\s@]+@|(?<![\w/])[\w.+-]+:[^\s@/:]+@[\w.-]")
PASSWORD_OPTION = re.compile("--?pas(?:s(?:w(?:o(?:rd?)?|d)?|phrase)?)?(=.|$)")
CLIENTS = re.compile("(mysql|mariadb|mycli|sshpass)[a-z_-]*$|.*_ubench$")


def find_password(words: Sequence[str], is_client: bool = False, depth: int = 0) -> str | None:
    """Looks for a password in the words of a command: a variable, an option or a URL, also in a
    command for ssh or sh -c, which is one word.  Returns its name without its value, or None.
    is_client: -p is a password from the first word on, and not only behind a client's name."""
    for word, follower in zip(words, [*words[1:], ""]):
        is_client = is_client or CLIENTS.match(os.path.basename(word)) is not None
        for found in SECRET_NAME.finditer(word):
            if not PLUGIN.search(found[1]):
                return f"{found[1].lstrip('-')}=..."
        if URL.search(word):
            return "a user with a password before an @"
        if (option := PASSWORD_OPTION.match(word)) and (follower or option[1]):
            return word.partition("=")[0]
        if is_client and re.match("-[hV6]*p", word):  # -p, or behind flags, which take no value
            return "-p"
        if depth < 8 and re.search(r"\s", word.strip()):
            try:
                parts = shlex.split(word)
            except ValueError:
                parts = word.split()
            found_inside = find_password(parts, False, depth + 1) if parts != [word] else None
            if found_inside:
                return found_inside
    return None


def refuse_passwords(words: Sequence[str], is_client: bool = False) -> None:
    """Ends the program before it prints or records a command with a password in it."""
    if found := find_password(words, is_client):
        misuse(f"{found}: a password in a command would be recorded; put it into UBENCH_PASSWORD "
               "before the command, ~/.my.cnf or ~/.pgpass")


def say_error(kind, error, trace):
    """A file that cannot be written, or an output that nobody reads, needs no traceback."""
    if not issubclass(kind, OSError):
        return sys.__excepthook__(kind, error, trace)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left is written at the end
    return say(f"{error.filename or 'writing'}: {error.strerror}")


sys.excepthook = say_error
sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 # closed
sys.stdout.reconfigure(line_buffering=True, errors="replace")


def text_of_time(seconds):
    """A time to wait, for people."""
    for below, unit, text in ((9.95, 0.1, "s"), (99.5, 1, "s"), (5970, 60, "min")):
        if seconds < below:
            return f"{int(seconds / unit + 0.5) * min(unit, 1):.3g} {text}"
    return f"{int(seconds / 360 + 0.5) / 10:g} h"


def make_parser(usage, text, ending, brief=1):
    """One that says what is wrong in one line: the option, the value, what was expected.  --help
    has the first paragraphs of the text, as many as brief, and options while there is space on a
    screen; --help all has everything."""
    def print_help(value):
        if value not in ("", "all"):
            misuse(f"--help: '{value}' is not all")
        if not value:
            shorten_help(parser, brief)
        print(parser.format_help(), end="")
        raise SystemExit(0)

    parser = argparse.ArgumentParser(
        usage=usage, description=text, epilog=ending, allow_abbrev=False, add_help=False,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(
            prog, max_help_position=26, width=80))
    parser.error = lambda said: misuse(said.replace("argument ", "", 1))
    parser.add_argument("-h", "--help", nargs="?", const="", type=print_help, metavar="all",
                        help="print this, or all options and what they mean, and exit")
    return parser


def shorten_help(parser, brief):
    """Leaves the first clause of each option's text, the example, and what fits a screen."""
    parser.description = "\n\n".join(parser.description.strip("\n").split("\n\n")[:brief])
    example = re.search(r"^Example:(\n?.+)+", parser.epilog, re.MULTILINE)
    parser.epilog = "--help all has every option, and what its values mean." + (
        f"\n{example[0]}" if example else "")
    shown = [one for one in parser._actions[1:] if one.help != argparse.SUPPRESS]
    parser._actions[0].help = argparse.SUPPRESS
    for one in shown:
        one.help = re.split(r"[;,([]", one.help)[0].strip()
    while parser.format_help().count("\n") > 24:
        shown.pop().help = argparse.SUPPRESS


def typed(scan, expected, least=None, most=math.inf):
    """The type of an option: what scan makes of its text.  None, or a value outside these limits,
    is not as expected."""
    def check(text):
        value = scan(text)
        if value is None or least is not None and not least <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not {expected}")
        return value

    return check


def fitting(pattern, expected):
    return typed(lambda text: text if re.fullmatch(pattern, text) else None, expected)


def whole(least, most):
    return typed(lambda text: int(text) if re.fullmatch("[0-9]{1,18}", text) else None,
                 f"a whole number in {least}..{most}", least, most)


def split_list(text):
    r"""The type of an option that is a list: "a,b\,c" is a and b,c."""
    values = [part.replace("\0", ",") for part in text.replace("\\,", "\0").split(",")]
    if "" in values:
        raise argparse.ArgumentTypeError(f"'{text}' has an empty value")
    return values


def varying(configurations):
    """The names of members that they differ in."""
    names = dict.fromkeys(name for one in configurations for name in one)
    return [name for name in names if len({str(one.get(name)) for one in configurations}) > 1]


# ---- Files


def runner(store):
    return f"{BIN}/{store}_ubench"


def built(name):
    """A library of ubench's own, or None."""
    return next(filter(os.path.exists, (f"{BIN}/{name}", f"{HERE}/{name}")), None)


def read_set(word, ending):
    """The path and the text of @NAME, which scripts/sweeps/ has, or of @FOLDER/FILE."""
    path = word[1:] if "/" in word else f"{HERE}/sweeps/{word[1:]}.{ending}"
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return path, file.read()
    except OSError as error:
        misuse(f"{word}: cannot read {path}: {error.strerror}")


def read(path):
    """The text of a file; one that cannot be read has none."""
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
    return ""


def read_lines(path):
    """The JSON objects of a file, one to a line; what is none is passed over."""
    objects = []
    for line in read(path).split("\n"):
        with contextlib.suppress(ValueError, RecursionError):
            objects.append(json.loads(line))
    return [one for one in objects if isinstance(one, dict)]


def output(path):
    """The type of --output: a file that is not there yet, or has results in it, of which the
    first may be cut off."""
    if not path:
        raise argparse.ArgumentTypeError("'' is not a file's name")
    if os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            if not re.match(r'\{.*"format": ?"ubench-|\Z', file.readline()):
                die(f"--output: {path} is not a file of ubench results")
    elif os.path.lexists(path) or path.endswith("/"):
        die(f"--output: {path} is not a regular file")
    if not os.access(os.path.dirname(path) or ".", os.W_OK | os.X_OK):
        die(f"--output: cannot write to {os.path.dirname(path)}")
    return path


def append_line(path, line):
    """Adds a line, an object or its text, that is on the disk when this returns.  One that was
    cut off before stays, on a line of its own."""
    if not isinstance(line, str):
        line = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
    try:
        with open(path, "ab+") as file:
            file.seek(max(file.tell() - 1, 0))
            if file.read() not in (b"", b"\n"):
                file.write(b"\n")
            file.write(line.rstrip("\n").encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        die(f"--output: {path}: {error.strerror}")


def lock(folder, taken):
    """A descriptor that holds the lock of a folder; ends the program with that text if another one
    has it."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        die(taken)
    return held


# ---- Programs


def take_signals():
    """^C and the like end this program, with exit status 130 or 143."""
    def end(number, _):
        raise SystemExit(130 if number == signal.SIGINT else 143)

    os.environ["LC_ALL"] = "C"
    for number in SIGNALS:
        signal.signal(number, end)


def ignore_signals():
    """While what was changed is put back."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def started(command, **options):
    """A program, in a session of its own: ^C reaches us alone.  If a signal ends us it gets one
    from here, and has the time to put settings back, however often ^C is pressed."""
    child = None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until it is known
    unblock = functools.partial(signal.pthread_sigmask, signal.SIG_SETMASK, mask)
    try:
        try:
            child = subprocess.Popen(command, start_new_session=True, preexec_fn=unblock,
                                     encoding="utf-8", errors="replace", **options)
        finally:
            unblock()
        yield child
    except SystemExit as end:
        ignore_signals()
        if child:
            child.send_signal(signal.SIGINT if end.code == 130 else signal.SIGTERM)
            child.communicate()
        raise


def run(command, input=None, **options):
    """Runs a program; returns its exit status, and what it wrote if that was asked for."""
    stdin = subprocess.DEVNULL if input is None else subprocess.PIPE
    with started(command, stdin=stdin, **options) as child:
        out, err = child.communicate(input)
    status = child.returncode if child.returncode >= 0 else 128 - child.returncode
    return status, out or "", err or ""


def ask(command, **options):
    """The same, with both outputs kept."""
    return run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def children(pid):
    """The processes that it has started, as far as it still is there."""
    return [int(word) for word in read(f"/proc/{pid}/task/{pid}/children").split()]


def descendants(pid: int) -> list[int]:
    """The processes that it has started, and theirs."""
    pids = [pid]
    for parent in pids:
        pids += children(parent)
    return pids[1:]


def session_of(leader: int) -> list[int]:
    """The processes of a session that have not ended."""
    pids = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            words = read(f"/proc/{name}/stat").rpartition(")")[2].split()
            if len(words) > 3 and words[0] not in "ZX" and int(words[3]) == leader:
                pids.append(int(name))
    return pids


def send_signal(pids: Sequence[int], number: int) -> None:
    """To each of them that is still there."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def complaint(text):
    """One line of what a run or a server's start said: why it failed."""
    lines = [line for line in text.splitlines() if line.strip()] or ["it says nothing"]
    return next((line for line in lines if re.search("_ubench: |ERROR|FATAL|invalid", line)),
                lines[0])


def start_server(kind, *words, before=()):
    """Starts a private server, unless it runs; its variables go to the environment.  Returns
    them and None, or {} and what went wrong."""
    status, _, err = ask([*before, SERVERS, "start", kind, *words])
    if status != 0:
        return {}, complaint(err)
    shown = shlex.split(ask([SERVERS, "env", kind])[1])  # export NAME='VALUE'
    variables = dict(word.split("=", 1) for word in shown if "=" in word)
    os.environ.update(variables)
    return variables, None


def sql(kind, database, text, check=True, server=""):
    """Runs statements as the administrator of the private server, or of its member 2, say.
    Returns what they gave, with a blank between columns.  If they fail, it ends the program,
    or without check returns None."""
    admin = os.environ[f"UBENCH_{kind.upper()}{server}_ADMIN" + "_FILE" * (kind == "mysql")]
    status, out, err = ask(
        ["mysql", f"--defaults-file={admin}", "-BN", database] if kind == "mysql" else
        ["psql", "-XqAt", "-F ", "-v", "ON_ERROR_STOP=1", f"{admin} dbname={database}"],
        input=text)
    if status != 0 and check:
        die(f"{kind}: {err.strip()}")
    return out.strip().replace("\t", " ") if status == 0 else None


def await_(condition, seconds=120, pause_s=0.05):
    """Asks until it is so; False if it never is."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(pause_s)
    return True
