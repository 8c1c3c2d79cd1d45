# SPDX-License-Identifier: ISC
"""The programs, processes and files of a DHCP server on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from dhcp_samples import kea_map, plan

from ubench.dhcp import program, testbed, usage
from ubench.dhcp.installation import Installation, build_id
from ubench.dhcp.netns import Network
from ubench.dhcp.server import Servers
from ubench.dhcp.site import SiteConfiguration
from ubench.dhcp.usage import CleanUpWatch, ProcessorTimes, highest_memory_mb
from ubench.errors import Problem

NOTE = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0" + bytes(range(20))


def executable(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def kea(tmp_path):
    """A prefix with programs and libraries that look like those of Kea 2.2."""
    prefix = tmp_path / "kea"
    executable(prefix / "sbin" / "kea-dhcp4", '#!/bin/sh\necho "2.2.0"\n')
    for name in ("lib/x/libkea-dhcpsrv.so.69", "lib/x/kea/hooks/libdhcp_ha.so"):
        path = prefix / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"ELF" + NOTE)
    return prefix


@pytest.fixture
def here(tmp_path):
    bed = testbed.Testbed(
        tmp_path / "work", Network(tmp_path / "load.net"), testbed.Processors("0", "1")
    )
    bed.home(1).mkdir(parents=True)
    return bed


# ---- An installation of Kea


def test_the_programs_of_a_prefix_come_first(kea):
    installation = Installation(str(kea))
    assert installation.find("kea-dhcp4") == str(kea / "sbin" / "kea-dhcp4")
    assert installation.root == kea
    assert installation.hooks == kea / "lib/x/kea/hooks"
    assert installation.environment["LD_LIBRARY_PATH"].startswith(str(kea / "lib/x"))
    assert installation.version(plan()) == "2.2.0"


def test_the_version_of_dhcpd_has_no_name(kea):
    executable(kea / "sbin" / "dhcpd", "#!/bin/sh\necho isc-dhcpd-4.4.3-P1 >&2\n")
    assert Installation(str(kea)).version(plan(server="dhcpd")) == "4.4.3-P1"


def test_a_build_is_known_by_the_build_ids_of_its_libraries(kea):
    installation = Installation(str(kea))
    hook = kea / "lib/x/kea/hooks/libdhcp_ha.so"
    with_hook = installation.build(plan(), [hook])
    assert with_hook.libraries.startswith("1, ")
    hook.write_bytes(b"ELF" + NOTE.replace(b"\x05", b"\x55"))
    assert installation.build(plan(), [hook]) != with_hook
    assert installation.build(plan(), []).libraries.startswith("0, ")


def test_the_build_id_is_a_note_of_the_file(kea, tmp_path):
    assert build_id(kea / "lib/x/libkea-dhcpsrv.so.69") == bytes(range(20)).hex()
    assert build_id(executable(tmp_path / "script")) == ""


def test_hook_libraries_are_in_one_folder(kea, tmp_path):
    own = tmp_path / "site" / "libdhcp_radius.so"
    own.parent.mkdir()
    own.touch()
    names = [str(own), "/nowhere/libdhcp_none.so"]
    libraries = [kea_map(library=name) for name in names]
    site = SiteConfiguration("a", 4, kea_map(hooks_libraries=libraries))
    hooks = tmp_path / "hooks"
    for _ in range(2):  # the folder is made anew
        Installation(str(kea)).link_hooks(hooks, site)
    linked = {path.name: path.resolve() for path in hooks.glob("libdhcp_*")}
    assert linked == {
        "libdhcp_radius.so": own,
        "libdhcp_ha.so": kea / "lib/x/kea/hooks/libdhcp_ha.so",
    }


# ---- What a plan needs


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine on which nothing but this program is installed."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr("ubench.dhcp.installation.SYSTEM_FOLDERS", "/nowhere")
    monkeypatch.setenv("BIN", str(tmp_path / "bin"))
    for name in (*program.TOOLS, "kea-dhcp4", "ubench_report"):
        executable(tmp_path / "bin" / name)
    return tmp_path / "bin"


def test_what_a_plan_needs_is_there(bare):
    program.check_plan(plan())


def test_an_allocator_that_this_kea_does_not_have_is_refused_with_its_words(bare):
    executable(
        bare / "kea-dhcp4",
        """#!/bin/sh
        [ $1 = -t ] || { echo 2.2.0 && exit; }
        read -r config <"$2"
        case $config in *random*) echo 'unexpected keyword "allocator"' >&2 && exit 1 ;; esac
        """,
    )
    program.check_plan(plan(allocator="flq"))
    said = r'kea-dhcp4 2.2.0 does not have --allocator random; it says: unexpected keyword "all'
    with pytest.raises(Problem, match=said) as raised:
        program.check_plan(plan(allocator="random"))
    assert raised.value.status == 77


@pytest.mark.parametrize("name", ["perfdhcp", "kea-dhcp4", "ubench_report"])
def test_a_missing_program_is_named(bare, name):
    (bare / name).unlink()
    with pytest.raises(Problem, match=f"no {name}") as raised:
        program.check_plan(plan())
    assert raised.value.status == (1 if name == "ubench_report" else 77)


@pytest.mark.parametrize(
    ("members", "lack"),
    [
        ({"store": "pgsql"}, "no kea-admin; run: scripts/deps.sh servers"),
        ({"server": "dhcpd"}, "no dhcpd; run: scripts/deps.sh test"),
        ({"hook": "park"}, "no ubench_hook.so"),
        ({"ha": "hot-standby"}, "Kea has no libdhcp_ha.so"),
    ],
)
def test_plans_need_different_things(bare, monkeypatch, members, lack):
    monkeypatch.setattr("ubench.paths.library", lambda name: None)
    with pytest.raises(Problem, match=lack):
        program.check_plan(plan(**members))


def test_the_runner_of_a_database_has_to_be_built(bare):
    executable(bare / "kea-admin")
    with pytest.raises(Problem, match="has no pgsql_ubench; run: make"):
        program.check_plan(plan(store="pgsql"))


# ---- A server that does not serve


def servers(here, kea, tested):
    return Servers(tested, here, Installation(str(kea)), {})


def test_a_server_that_ends_shows_its_log(here, kea, capsys, monkeypatch):
    monkeypatch.setattr(testbed.Testbed, "on_server_processors", lambda self: [])
    monkeypatch.setattr(testbed.Testbed, "clients", lambda *_: ["false"])
    executable(kea / "sbin" / "kea-dhcp4", "#!/bin/sh\necho no memory\nexit 1\n")
    with (
        pytest.raises(Problem, match=r"kea-dhcp4 does not start: see above and .*server\.conf"),
        servers(here, kea, plan()) as started,
    ):
        started.start([1])
    assert capsys.readouterr().err == "no memory\n"


def test_a_member_that_an_older_kea_does_not_know_is_named(here, kea, capsys, monkeypatch):
    monkeypatch.setattr(testbed.Testbed, "on_server_processors", lambda self: [])
    monkeypatch.setattr(testbed.Testbed, "clients", lambda *_: ["false"])
    fault = 'got unexpected keyword "allocator" in Dhcp4 map.'
    text = f"#!/bin/sh\n[ $1 = -v ] && echo 2.2.0 && exit\necho '{fault}'\nexit 1\n"
    executable(kea / "sbin" / "kea-dhcp4", text)
    with (
        pytest.raises(Problem, match=r"kea-dhcp4 2\.2\.0 does not know 'allocator', a member of D"),
        servers(here, kea, plan()) as started,
    ):
        started.start([1])
    assert capsys.readouterr().err == ""


def test_a_server_that_runs_is_killed_if_the_block_raises(here, kea, monkeypatch):
    monkeypatch.setattr(testbed.Testbed, "on_server_processors", lambda self: [])
    monkeypatch.setattr(testbed.Testbed, "clients", lambda *_: ["echo", "received packets: 1"])
    executable(kea / "sbin" / "kea-dhcp4", "#!/bin/sh\nexec sleep 60\n")
    with pytest.raises(KeyError), servers(here, kea, plan()) as started:
        assert started.start([1]) >= 0
        (pid,) = started.pids
        assert not started.has_ended(1)
        raise KeyError
    assert not Path(f"/proc/{pid}").exists()


def test_several_servers_serve_once_each_has_answered(here, kea, monkeypatch):
    asked = []
    monkeypatch.setattr(
        testbed.Testbed,
        "clients",
        lambda self, plan, options, number: (
            asked.append(number) or ["echo", f"received packets: {int(len(asked) > 2)}"]
        ),
    )
    several = servers(here, kea, plan(store="pgsql", servers=3))
    assert [several._serve() for _ in range(3)] == [False, False, True]
    assert asked == [1, 1, 1, 2, 3]


def test_a_pair_serves_once_both_say_so(here, kea):
    pair = servers(here, kea, plan(ha="hot-standby"))
    here.home(2).mkdir()
    states = "HA_STATE_TRANSITION server1: from WAITING to HOT-STANDBY state, partner is READY\n"
    assert not pair._is_in_service(1)
    (here.home(1) / "server.log").write_text(states)
    assert pair._is_in_service(1)
    assert not pair._is_in_service(2)
    (here.home(1) / "server.log").write_text(f"{states}HA_STATE_TRANSITION to PARTNER-DOWN state\n")
    assert not pair._is_in_service(1)


# ---- Processor time and memory


def times(**members):
    values = {"at_s": 0.0, "server": 0.0, "store": 0.0, "load": 0.0, "all": 0.0}
    return ProcessorTimes(**{**values, **members})


def test_the_parts_of_the_processor_time_add_up():
    before = times(server=1, store=2, load=3, all=100)
    used = times(server=1.5, store=2.25, load=3.125, all=101).since(before)
    assert used == {"server": 0.5, "store": 0.25, "load": 0.12, "other": pytest.approx(0.13)}


def test_a_process_that_ended_takes_its_time_with_it():
    used = times(store=1, all=1).since(times(store=5))
    assert used["store"] == 0
    assert used["other"] == 1
    assert times(load=5).since(times())["other"] == 0


def test_processor_time_is_used():
    before = ProcessorTimes.now()
    subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
    used = ProcessorTimes.now().since(before)
    assert used["load"] > 0


def test_the_memory_of_processes():
    assert highest_memory_mb([os.getpid()]) > 5
    assert highest_memory_mb([os.getpid(), os.getpid()]) == pytest.approx(
        2 * highest_memory_mb([os.getpid()]), abs=0.2
    )
    child = subprocess.Popen(["true"])
    child.wait()
    assert highest_memory_mb([child.pid]) == 0


def test_the_longest_clean_up_is_remembered(monkeypatch):
    watch = CleanUpWatch()
    assert watch.longest is None
    clock = iter((0.0, 1.0, 3.5, 4.0))
    monkeypatch.setattr(usage.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(usage, "highest_memory_mb", lambda pids: 10.0 * pids[0])
    for children in ([1], [1], [1], [2]):
        monkeypatch.setattr(usage.process, "children", lambda pid, found=children: found)
        watch.look([7])
    assert watch.longest == usage.CleanUp(3.5, 10.0)
