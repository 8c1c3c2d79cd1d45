# SPDX-License-Identifier: ISC
"""The command line of scripts/dhcp: which plans it makes, and what it refuses."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ubench.dhcp import program
from ubench.dhcp.commands import read_commands
from ubench.dhcp.request import read_request
from ubench.errors import Problem, UsageError

DOCS = Path(__file__).resolve().parents[3] / "docs"
COMMANDS = (
    "rate, seconds, storm, expire, start, lfc, hook, ha, servers, reservations, pool, classes, "
    "threads, leases or campaign"
)


@pytest.fixture(autouse=True)
def no_prefix(monkeypatch):
    monkeypatch.delenv("KEA_PREFIX", raising=False)


def plans(line):
    return read_request(shlex.split(line)).plans


# ---- Plans


def test_a_basic_command_stands_for_itself_with_its_defaults():
    (plan,) = plans("rate")
    assert (plan.command, plan.store, plan.sync, plan.threads) == ("rate", "memfile", "no", 1)
    assert (plan.start_rate, plan.seconds, plan.runs) == (500, 10, 3)
    assert (plan.max_lost, plan.within_s) == (0.025, 2)
    (expire,) = plans("expire")
    assert (expire.start_rate, expire.seconds, expire.leases) == (20, 60, 10000)


def test_each_combination_of_lists_is_a_plan():
    made = plans("rate --store memfile,mysql,pgsql -t 1,4")
    assert [(plan.store, plan.threads) for plan in made] == [
        (store, threads) for store in ("memfile", "mysql", "pgsql") for threads in (1, 4)
    ]


def test_plans_that_differ_in_nothing_are_one():
    assert len(plans("rate --store memfile,memfile --queue 28,64")) == 1
    assert len(plans("rate -t 2 --queue 28,64")) == 2
    assert len(plans("rate --hosts config,mysql")) == 1
    assert len(plans("rate --hosts config,mysql --reservations 9")) == 2


def test_later_options_replace_those_of_a_command():
    assert {plan.threads for plan in plans("hook -t 3 --rate 5")} == {3}
    assert {plan.command for plan in plans("hook")} == {"seconds", "storm"}


def test_quick_is_one_short_run():
    (plan,) = plans("rate --quick")
    assert (plan.seconds, plan.runs) == (4, 1)
    assert len(plans("campaign --quick")) < len(plans("campaign"))


def test_defaults_that_depend_on_other_options():
    assert plans("rate --store pgsql")[0].sync == "yes"
    assert plans("rate --server dhcpd")[0].store == "dhcpd"
    pools = [plans(f"rate {words}")[0].pool for words in ("", "--server dhcpd", "--subnets 20")]
    assert pools == [4000000, 50000, 1000000]


def test_ipv6_has_two_names():
    assert plans("rate -6") == plans("rate --family 6")


def test_members_that_set_replaces_have_values_of_json_or_words():
    (plan,) = plans("rate --set a.b=1 --set allocator=random --set c=true")
    assert plan.overrides == {"a.b": 1, "allocator": "random", "c": True}
    assert plan.members()["set"] == plan.overrides


def test_several_servers_share_a_database():
    one, two = plans("rate --servers 1,2 --store pgsql --allocator iterative,iterative")
    assert (one.server_numbers, two.server_numbers) == ((1,), (1, 2))
    assert {two.database_of(number) for number in two.server_numbers} == set(two.database_names)
    assert [two.interface(number) for number in two.server_numbers] == ["dhcp1", "lan2"]
    assert "servers" not in one.members()
    assert two.members()["servers"] == 2
    assert not {"allocator"} & {*one.members(), *two.members()}
    (random,) = plans("rate --allocator random")
    assert random.members()["allocator"] == "random"


def test_servers_connect_to_the_nodes_of_a_cluster_in_turn():
    (plan,) = plans("rate --store mysql --servers 3 --nodes 2")
    assert [plan.node_of(number) for number in plan.server_numbers] == [1, 2, 1]
    assert plan.node_numbers == (1, 2)
    (plan,) = plans("rate --store mysql --nodes 3")
    assert (plan.node_numbers, plan.members()["nodes"]) == ((1,), 3)
    assert "nodes" not in plans("rate")[0].members()


def test_a_site_file_decides_what_is_left_open(tmp_path):
    path = tmp_path / "kea.conf"
    path.write_text(
        '{"Dhcp6": {"hooks-libraries": [{"library": "/x/libdhcp_ha.so", "parameters": '
        '{"high-availability": [{"mode": "load-balancing"}]}}]}}'
    )
    (plan,) = plans(f"storm --config {path}")
    assert (plan.family, plan.ha, plan.threads) == (6, "load-balancing", None)
    (plan,) = plans(f"storm --config {path} --ha none -t 2")
    assert (plan.ha, plan.threads) == ("none", 2)
    assert plan.members()["config"]["file"] == "kea.conf"


def test_prefixes_are_next_to_each_other(monkeypatch):
    made = plans("rate --store memfile,pgsql --prefix /a,/b")
    assert [plan.prefix for plan in made] == ["/a", "/b", "/a", "/b"]
    monkeypatch.setenv("KEA_PREFIX", "/c")
    assert plans("rate")[0].prefix == "/c"


def test_a_result_leaves_out_what_is_not_used():
    (plan,) = plans("rate")
    assert not {"leases", "renew", "release", "where", "set", "config", "prefix", "runs"} & set(
        plan.members()
    )
    (plan,) = plans("rate --where")
    assert plan.members()["where"] is True


@pytest.mark.parametrize("name", [name for name in read_commands() if " " not in name])
def test_every_command_of_the_help_has_plans(name):
    rate = "" if name in ("rate", "storm") else "--rate 9"
    for quick in ("", "--quick"):
        assert plans(f"{name} {rate} {quick}")


def documented_commands():
    """The commands of dhcp in docs/, without what follows them on their line."""
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text().replace("\\\n", " ")
        for line in re.findall(r"^    (?:sudo )?scripts/dhcp (.*)$", text, re.MULTILINE):
            yield line.partition("  #")[0].partition("&&")[0].partition("|")[0]


@pytest.mark.parametrize("line", list(documented_commands()))
def test_every_command_of_the_docs_is_understood(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    path = tmp_path / "kea.conf"
    path.write_text('{"Dhcp4": {}}')
    assert plans(re.sub(r"/etc/kea/\S+", str(path), line))


# ---- Refusals

REFUSALS = [
    ("", f"'' is not a command; expected {COMMANDS}"),
    ("rates", f"'rates' is not a command; expected {COMMANDS}; did you mean rate?"),
    ("rate storm", "'storm': unexpected argument"),
    ("campaign rate", "'rate': unexpected argument"),
    ("rate --nonsense", "--nonsense: unknown option"),
    ("rate -t many", "--threads: 'many' is not a whole number in 1.."),
    ("rate -t 1,,2", "--threads: '' is not a whole number in 1.."),
    ("rate --queue 0x10", "--queue: '0x10' is not a whole number in 1.."),
    ("rate --store memfile,sqlite", "--store: 'sqlite' is not memfile, mysql or pgsql"),
    ("rate -s maybe", "--sync: 'maybe' is not yes, no or volatile"),
    ("rate --server kea4", "--server: 'kea4' is not kea or dhcpd"),
    ("rate --hook slow", "--hook: 'slow' is not none, block, park or cache"),
    ("rate --pool 0", "--pool: '0' is not a whole number in 1.."),
    ("rate --classes 257", "--classes: '257' is not a whole number in 0..256"),
    ("rate --subnets 4001", "--subnets: '4001' is not a whole number in 1..4000"),
    ("seconds --rate 0", "--rate: '0' is not a whole number in 1.."),
    ("rate --lost many", "--lost: 'many' is not a percentage in 0..100"),
    ("rate --prefix kea", "--prefix: 'kea' is not an absolute path"),
    ("rate --set a..b=1", "--set: 'a..b=1' is not PATH=VALUE"),
    ("rate -O ''", "--output: '' is not a file's name"),
    ("seconds", "seconds: --rate is missing"),
    ("rate --server dhcpd -6", "--server dhcpd requires --family 4"),
    ("rate --server dhcpd --store mysql", "--server dhcpd requires --store dhcpd"),
    ("rate --server dhcpd -t 4", "--server dhcpd requires --threads 1"),
    ("rate --server dhcpd --ha hot-standby", "--server dhcpd requires --ha none"),
    ("rate --server dhcpd --set a=1", "--set requires --server kea"),
    ("rate --store memfile -s yes", "--store memfile requires --sync no or volatile"),
    ("rate --store mysql -s volatile", "--store mysql requires --sync yes or no"),
    ("rate --hook cache", "--hook cache requires the command storm"),
    ("storm --renew 9", "--renew requires the command rate or seconds"),
    ("rate --ha load-balancing --kill 2", "--kill requires the command seconds"),
    ("seconds --rate 9 --kill 2", "--kill requires --ha hot-standby or load-balancing"),
    ("rate --ha hot-standby -s volatile", "--sync volatile requires --ha none"),
    ("expire --leases 50 -6", "--leases requires --family 4"),
    ("rate --servers 2", "--servers 2: the lease file of memfile belongs to one server; expected"),
    ("rate --servers 9 --store pgsql", "--servers: '9' is not a whole number in 1..8"),
    ("rate --servers 2 --store pgsql -6", "--servers 2 requires --family 4"),
    ("rate --servers 2 --store pgsql --ha hot-standby", "--servers 2 requires --ha none"),
    ("rate --servers 2 --store pgsql --subnets 2", "--servers 2 requires --subnets 1"),
    ("rate --servers 2 --store pgsql --release 9", "--servers 2 requires --release 0"),
    ("storm --servers 2 --store mysql", "--servers 2 requires the command rate or seconds"),
    ("rate --servers 2 --server dhcpd", "--server dhcpd requires --servers 1"),
    (
        "rate --servers 4 --store mysql --rate 3",
        "--rate: 3 is out of range; expected 4..1000000000 with --servers 4",
    ),
    ("rate --nodes 2 --store pgsql", "--nodes requires --store mysql"),
    ("rate --nodes 2 --store mysql --ha hot-standby", "--nodes requires --ha none"),
    ("rate --allocator flq2", "--allocator: 'flq2' is not iterative, random, flq or shared-flq"),
    ("rate --allocator flq --server dhcpd", "--allocator flq requires --server kea"),
    ("rate --allocator shared-flq", "--allocator shared-flq requires --store mysql or pgsql"),
    ("lfc --store pgsql", "the command lfc requires --store memfile"),
    ("rate --where --server dhcpd", "--where requires --server kea"),
    ("storm --where", "--where requires the command rate or seconds"),
    ("rate --where --ha hot-standby", "--where requires --ha none"),
    ("rate --where --subnets 9", "--where requires --subnets 1"),
    ("rate --where --renew 50", "--where requires --renew 0"),
    ("rate --where --reservations 9 --hosts pgsql", "--where requires --hosts none or config"),
    ("seconds --where --rate 9 --hook park", "--where requires --hook none"),
    (
        "seconds --rate 9 --ha load-balancing --kill 9 --seconds 9",
        "--kill: 9 is out of range; expected 0..8 with --seconds 9",
    ),
    (
        "rate --pool 100 --leases 101",
        "--leases: 101 is out of range; expected 0..100 with --pool 100",
    ),
    (
        "rate --subnets 20 --pool 39",
        "--pool: 39 is out of range; expected 40..1000000 with --subnets 20",
    ),
    (
        "rate --subnets 20 --pool 1000001",
        "--pool: 1000001 is out of range; expected 40..1000000 with --subnets 20",
    ),
    (
        "rate --reservations 60001",
        "--reservations: 60001 is out of range; expected 0..60000 with --subnets 1",
    ),
    ("seconds --rate 9 --renew 80 --release 30", "expected at most 100 together, not 110"),
    ("storm --pool 50 --clients 50", "--clients: 50 clients cannot all get a lease"),
]


@pytest.mark.parametrize(("line", "words"), REFUSALS)
def test_a_refusal_is_one_line_with_what_was_expected(line, words, capsys):
    assert program.main(shlex.split(line)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("dhcp: ")
    assert words in err


def test_a_site_file_requires_plain_clients(tmp_path):
    path = tmp_path / "kea.conf"
    path.write_text('{"Dhcp4": {}}')
    for words in ("--subnets 2", "--reservations 5", "--classes 4", "--leases 9"):
        with pytest.raises(UsageError, match="--config requires "):
            plans(f"rate --config {path} {words}")


def test_a_site_file_has_its_own_allocators(tmp_path):
    path = tmp_path / "kea.conf"
    path.write_text('{"Dhcp4": {}}')
    with pytest.raises(UsageError, match="use --set allocator=random"):
        plans(f"rate --config {path} --allocator random")


def test_the_fault_of_a_site_file_is_told(tmp_path):
    path = tmp_path / "a.conf"
    path.write_text('{"Dhcp4": {"hooks-libraries": [1]}}')
    with pytest.raises(UsageError, match=r"--config: .*a\.conf:1: hooks-libraries is a list"):
        plans(f"rate --config {path}")


def test_a_file_that_is_not_of_results_is_not_touched(tmp_path):
    path = tmp_path / "notes"
    path.write_text("x\n")
    with pytest.raises(Problem, match=r"--output: .*notes' is not a file of ubench results"):
        plans(f"rate -O {path}")
    assert path.read_text() == "x\n"


def test_a_prefix_without_kea(tmp_path, capsys):
    assert program.main(["rate", "--prefix", str(tmp_path)]) == 2
    assert f"--prefix: '{tmp_path}' has no sbin/kea-dhcp4" in capsys.readouterr().err


def test_without_root_it_is_skipped(monkeypatch, capsys):
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert program.main(["rate"]) == 77
    assert capsys.readouterr().err == (
        "dhcp: skipped: only root can make network namespaces; run it with sudo\n"
    )


# ---- Help


def test_the_help_fits_a_screen(capsys):
    assert program.main(["--help"]) == 0
    brief = capsys.readouterr().out.splitlines()
    assert len(brief) <= 24
    assert program.main(["--help", "all"]) == 0
    whole = capsys.readouterr().out
    assert max(map(len, [*brief, *whole.splitlines()])) <= 80
    for name in read_commands():
        assert " " in name or f"\n  {name} " in whole
