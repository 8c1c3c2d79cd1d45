# SPDX-License-Identifier: ISC
"""What the campaign programs share: sweep, crash, dhcp and agents.

They try to lose nothing: which runs are done is read from the output itself, a file
of their own is replaced as a whole, and a signal ends the program that runs first.
"""
import fcntl
import json
import math
import os
import re
import shlex
import signal
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
# In a checkout that is scripts/, with the programs above it; once installed it is
# PREFIX/libexec/ubench, and the programs are in PREFIX/bin.
INSTALLED = HERE.endswith("/libexec/ubench")
PROGRAMS = HERE[:-len("/libexec/ubench")] + "/bin" if INSTALLED else os.path.dirname(HERE)
WRITABLE = (os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
                         "ubench") if INSTALLED else os.path.join(PROGRAMS, "build"))
BIN = os.path.abspath(os.environ.get("BIN") or PROGRAMS)
SERVERS = os.path.join(HERE, "servers.sh")

# ---- Messages


def say(text):
    """Prints a message of this program's on standard error."""
    sys.stdout.flush()
    print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr, flush=True)


def die(text):
    """Ends the program: something is not as it has to be."""
    say(text)
    raise SystemExit(1)


def misuse(text):
    """Ends the program: its command line is wrong."""
    say(text)
    raise SystemExit(2)


def text_of_time(seconds):
    """A time to wait, for people."""
    if seconds < 9.95:
        return f"{math.floor(seconds * 10 + 0.5) / 10:g} s"
    if seconds < 99.5:
        return f"{math.floor(seconds + 0.5)} s"
    if seconds < 5970:
        return f"{math.floor(seconds / 60 + 0.5)} min"
    return f"{math.floor(seconds / 360 + 0.5) / 10:g} h"


def time_of_day(seconds):
    """The time of day in so many seconds, and the day if it is another one."""
    then = time.localtime(time.time() + seconds)
    today = time.strftime("%F")
    return time.strftime("%H:%M" if time.strftime("%F", then) == today else "%H:%M on %F", then)


# ---- The command line


def read_words(words, argument_of):
    """Yields (option as typed, value) for each option, and (None, word) for other words.

    argument_of says what an option's value is, "FILE" say, or None if it takes none.
    """
    words = list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            yield None, word
            continue
        option, given, value = (word.partition("=") if word.startswith("--")
                                else (word[:2], word[2:], word[2:]))
        expected = argument_of(option)
        if expected is None:
            if given:
                misuse(f"{option} takes no value")
            yield option, True
            continue
        if not given:
            if not words:
                misuse(f"{option}: the value is missing; expected {expected}")
            value = words.pop(0)
        if not value:
            misuse(f"{option}: '' is empty; expected {expected}")
        yield option, value


def read_options(words, table):
    """Reads options by a table of (long name, letter or None, argument or None).

    Returns what was given by long name, and the other words.
    """
    def look_up(typed):
        for name, letter, argument in table:
            if typed in (f"--{name}", f"-{letter}"):
                return name, argument
        return misuse(f"'{typed}' is not an option; --help lists them")

    given, rest = {}, []
    for option, value in read_words(words, lambda typed: look_up(typed)[1]):
        if option is None:
            rest.append(value)
        else:
            given[look_up(option)[0]] = value
            if look_up(option)[0] == "help":
                break
    return given, rest


def split_list(option, text):
    r"""The values of a list: "a,b\,c" is a and b,c."""
    values = [part.replace("\0", ",") for part in text.replace("\\,", "\0").split(",")]
    if "" in values:
        misuse(f"{option}: '{text}' has an empty value; expected values with commas between")
    return values


def whole_number(option, text, least, most):
    """The number that an option was given."""
    if not re.fullmatch("[0-9]{1,18}", text) or not least <= int(text) <= most:
        misuse(f"{option}: '{text}' is not a whole number in {least}..{most}")
    return int(text)


# ---- Files


def is_result(line):
    """Whether a line begins as one that a runner or a campaign wrote."""
    if line.startswith('{"format":"ubench-'):
        return True
    try:
        return json.loads(line)["format"].startswith("ubench-")
    except (ValueError, TypeError, KeyError, AttributeError):
        return False


def check_output(option, path):
    """It is not there yet, or has results in it, of which the first may be cut off."""
    if not os.path.isfile(path) and (os.path.lexists(path) or path.endswith("/")):
        die(f"{option}: {path} is not a regular file")
    if os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            first = file.readline()
        if first and not is_result(first):
            die(f"{option}: {path} has something else than results in it")
    folder = os.path.dirname(path) or "."
    if not os.access(folder, os.W_OK | os.X_OK):
        die(f"{option}: cannot write to {folder}")


def end_last_line(path):
    """One that was cut off stays, on a line of its own; makes the file if need be."""
    with open(path, "ab+") as file:
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")


def read_lines(path):
    """The JSON objects of a file, one to a line; what is none is passed over."""
    objects = []
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    objects.append(json.loads(line))
                except ValueError:
                    continue
    return [one for one in objects if isinstance(one, dict)]


def append_text(path, text):
    """Adds a line that is on the disk when this returns."""
    with open(path, "a", encoding="utf-8") as file:
        file.write(text if text.endswith("\n") else text + "\n")
        file.flush()
        os.fsync(file.fileno())


def append_line(path, value):
    """The same with a line of JSON."""
    append_text(path, json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def write_json(path, value):
    """Makes or replaces a file, all of it or nothing."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(value, file)
    os.replace(path + ".new", path)


def lock(path, flags=os.O_RDONLY):
    """A descriptor that holds the lock of a file or folder, or None if it is taken."""
    held = os.open(path, flags, 0o644)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        return None
    return held


# ---- Programs

# What a signal finds: the program that runs in the foreground, and the exit status
# that the signal asks for.
state = {"child": None, "status": None}


def take_signals():
    """^C and the like end the program that runs, and then this one."""
    def end(number, _):
        if state["status"] is None:
            state["status"] = 130 if number == signal.SIGINT else 143
        if state["child"] is None:
            raise SystemExit(state["status"])
        sent = signal.SIGINT if number == signal.SIGINT else signal.SIGTERM
        state["child"].send_signal(sent)

    os.environ["LC_ALL"] = "C"
    sys.stdout.reconfigure(errors="replace")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)


def ignore_signals():
    """While what was changed is put back."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def run(command, **options):
    """Runs a program; returns its exit status, and what it wrote if that was asked for.

    It is in a session of its own: ^C reaches us alone, and it gets one signal from
    here, so that it has the time to put settings back.
    """
    text = options.pop("input", None)
    child = subprocess.Popen(command, start_new_session=True, text=True, encoding="utf-8",
                             errors="replace", stdin=subprocess.PIPE if text is not None
                             else subprocess.DEVNULL, **options)
    state["child"] = child
    if state["status"] is not None:
        child.terminate()
    out, err = child.communicate(text)
    state["child"] = None
    if state["status"] is not None:
        raise SystemExit(state["status"])
    status = child.returncode if child.returncode >= 0 else 128 - child.returncode
    return status, out or "", err or ""


def ask(command, **options):
    """The same, with both outputs kept."""
    return run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def read_variables(text):
    """What lines of `export NAME='VALUE'` set."""
    words = [shlex.split(line) for line in text.splitlines() if line.startswith("export ")]
    return dict(word.split("=", 1) for line in words for word in line[1:] if "=" in word)


def await_(condition, seconds=120):
    """Asks until it is so; False if it never is."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


# ---- Blocks


def shuffle(items, seed):
    """The same order from a seed everywhere.

    Lehmer's generator (Park and Miller, Communications of the ACM 31, 1988), and the
    shuffle of Fisher and Yates.  Returns the order and the seed of the next one.
    """
    order = list(items)
    for i in range(len(order), 1, -1):
        seed = seed * 16807 % 2147483647
        k = int(seed / 2147483647 * i)
        order[k], order[i - 1] = order[i - 1], order[k]
    return order, seed


def plan_blocks(cells, blocks, seed, reference):
    """The runs: each cell once in each block, in random order; the reference, which is
    cell 0, first and last in each of them."""
    for _ in range(10):
        seed = seed * 16807 % 2147483647
    ends = [{"role": "reference", "cell": 0}] if reference else []
    plan = []
    order = list(cells)
    for block in range(1, blocks + 1):
        order, seed = shuffle(order, seed)
        runs = ends + [{"role": "cell", "cell": cell} for cell in order] + ends
        for position, one in enumerate(runs, 1):
            plan.append({"run": len(plan) + 1, "block": block, "position": position, **one})
    return plan


def time_left(cells, todo):
    """The seconds that these runs will take: as long as others of their cell, or as was
    estimated, times how wrong that was of half of the other cells."""
    def mean(cell):
        return statistics.fmean(cell["seconds"])

    wrong = sorted(mean(cell) / cell["estimate"] for cell in cells if cell.get("seconds"))
    factor = wrong[len(wrong) // 2] if wrong else 1
    expected = {cell["cell"]: mean(cell) if cell.get("seconds") else cell["estimate"] * factor
                for cell in cells}
    return sum(expected[one["cell"]] for one in todo)


# ---- How long a cell takes, by short runs


def busy_seconds(line):
    """The seconds that the operations of a result took."""
    seconds = 0
    for one in line["runs"]:
        phases = [phase["elapsed_ns"] for phase in one["phases"]] or [0]
        seconds += (max(phases) if one.get("together") else sum(phases)) / 1e9
    return seconds


def next_try(cell):
    """The next short run: operations, and leases that are there before, of which 0 leaves
    the number to the workload; None if the cell's time is known."""
    tries = cell.get("tries", [])
    if not tries:
        return cell["small"], 0
    if tries[0]["small"] is None:
        return None
    if tries[0]["busy_s"] < 0.05 and cell["count"] >= 10000 and len(tries) == 1:
        return 10000, 0
    more = tries[0]["preload"] + 10000
    if cell["preload"] >= more > tries[-1]["preload"]:
        return tries[-1]["small"], more
    return None


def estimate(cell):
    """The seconds of a whole run, from the tries; those of what could not be made short
    (small is None) are of a whole one."""
    tries = cell["tries"]
    least, last = tries[0]["preload"], tries[-1]
    base = [one for one in tries if one["preload"] == least][-1]
    if base["small"] is None:
        return base["seconds"]
    around = base["seconds"] - base["busy_s"]
    each = 0
    if last["preload"] > least:
        each = max(0, last["seconds"] - last["busy_s"] - around) / (last["preload"] - least)
    return max(0.01, around + base["busy_s"] * cell["count"] / base["small"]
               + each * max(0, cell["preload"] - least))


# ---- What is done


def finished_runs(lines, campaign):
    """The runs of a campaign that came to their end, from the lines of its output."""
    done = []
    for line in lines:
        try:
            labels = line["labels"]
            if (labels["campaign"] == campaign and line["incomplete"] is False
                    and line["error"] == ""):
                done.append({"block": int(labels["block"]), "position": int(labels["position"]),
                             "role": labels["role"], "cell": labels["cell"],
                             "class": line["durability"]["class"], "busy_s": busy_seconds(line)})
        except (KeyError, TypeError, ValueError):
            continue
    return done


def left_to_do(plan, done):
    """The runs that are not done."""
    there = {(one["block"], one["position"]) for one in done}
    return [one for one in plan if (one["block"], one["position"]) not in there]


def mend_output(path, last):
    """After a crash: cuts off half a line at the end, and adds the run that was done but
    is not there yet, from the file `last`."""
    with open(path, "rb+") as file:
        text = file.read()
        begin = text.rfind(b"\n") + 1
        end = text[begin:]
        if end:
            try:
                json.loads(end)
                file.write(b"\n")
            except ValueError:
                if not end.startswith(b"{"):
                    die(f"{path}: its last line has no end and is not one of a sweep")
                file.truncate(begin)
    for line in read_lines(last):
        campaign = line.get("labels", {}).get("campaign")
        mine = finished_runs([line], campaign)
        if mine and mine[0] not in finished_runs(read_lines(path), campaign):
            with open(last, encoding="utf-8") as file:
                append_text(path, file.read())
    if os.path.exists(last):
        os.remove(last)


def drift(done):
    """Blocks in which the machine changed: (block, ratio of its two references)."""
    found = []
    for block in sorted({one["block"] for one in done}):
        pair = sorted((one for one in done if one["role"] == "reference"
                       and one["block"] == block), key=lambda one: one["position"])
        if len(pair) == 2 and pair[0]["busy_s"] > 0:
            ratio = pair[1]["busy_s"] / pair[0]["busy_s"]
            if not 1 / 1.1 <= ratio <= 1.1:
                found.append((block, ratio))
    return found
