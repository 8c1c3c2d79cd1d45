# SPDX-License-Identifier: ISC
"""contribute: what it refuses, what it leaves out, and the files that others contributed."""

from __future__ import annotations

import getpass
import json
import socket
from pathlib import Path

import duel_samples
import pytest
import samples
from samples import ROOT, crash, phase, run, store

from ubench.report.contribution import checks, private, public

HOST = {
    "cpu": "AMD EPYC(TM) Processor",
    "cores": "2 online, 1 allowed",
    "kernel": "6.1.0-acme7 x86_64",
    "file_system": "ext4",
    "device": "vda",
    "mount_point": "/home/alice",
    "comment": "of a later version",
}
BASELINES = {
    "clock_ns": 20.0,
    "fdatasync_ns": 1e5,
    "fdatasync_min_ns": 9e4,
    "round_trip_ns": 1e4,
    "harness_ns": 50.0,
}


def result(name="mysql", **members):
    """A line that can be contributed."""
    members = {"host": HOST, "baselines": BASELINES, **members}
    return store(name, rates=[("renew", 2000, 100_000)], **members)


def contribute(tmp_path, *lines, options=()):
    """The outcome, and the text of the new file."""
    file = samples.write(tmp_path / "own.jsonl", lines)
    folder = tmp_path / "contributed"
    outcome = samples.report("contribute", f"--folder={folder}", *options, file)
    written = sorted(folder.glob("*")) if folder.exists() else []
    return outcome, written


# ---- What is refused


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (result(host={"cores": "2"}), "no cpu"),
        (result(baselines={**BASELINES, "round_trip_ns": None}), "no baselines (round trip)"),
        (
            result("sqlite", baselines={**BASELINES, "fdatasync_ns": None}),
            "no baselines (fdatasync)",
        ),
        (result(incomplete=True), "incomplete"),
        (result(runs=[run(phase("renew", 2000), verified=False)]), "not verified"),
        (result("null", cls="none"), "no durability class"),
        (result(product={"name": "MySQL", "version": None, "keeper": "mysql"}), "which version"),
        (store("mysql", rates=[("renew", 2000, 10)], host=HOST, baselines=BASELINES), "shorter"),
        (result(format="ubench-result/9"), "the format is 'ubench-result/9'"),
        (crash("memfile yes"), "a crash campaign is not taken"),
        (result(labels={"cell": "for alice@example.net"}), "a mail address"),
        (result(labels={"cell": "night of db1.acme.lan"}), "a domain name"),
        (result(labels={"cell": "from fd00::1"}), "a network address"),
        (result(labels={"cell": "on 00:16:3e:aa:bb:cc"}), "a network address"),
        (result(labels={"cell": "see file:///home/alice"}), "a path"),
        (result(labels={"cell": "password=hunter2"}), "a password"),
        (result(labels={"cell": "on stockholm"}), "a name of this machine"),
    ],
)
def test_what_is_refused(tmp_path, line, text):
    outcome, written = contribute(tmp_path, line, options=["--private=Stockholm"])
    assert outcome.status == 1
    assert text in outcome.err
    assert outcome.err.startswith(f"ubench_report contribute: {tmp_path}/own.jsonl:1: ")
    assert outcome.err.count("\n") == 1
    assert not written


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"cpu": "Intel Xeon"}, "(cpu: AMD EPYC(TM) Processor; Intel Xeon)"),
        ({"cores": "4 online, 4 allowed"}, "(number of cores: 2; 4)"),
        ({"device": "sdb"}, "(disk: ext4 on vda; ext4 on sdb)"),
    ],
)
def test_two_machines_are_refused(tmp_path, change, text):
    other = result(host={**HOST, **change}, version="0.2.0")
    outcome, written = contribute(tmp_path, result(), other)
    assert f"results of two machines or disks {text}" in outcome.err
    assert not written


def test_a_runner_may_use_fewer_cores(tmp_path):
    other = result(host={**HOST, "cores": "2 online, 2 allowed"}, version="0.2.0")
    outcome, _ = contribute(tmp_path, result(), other)
    assert outcome.err == ""


@pytest.mark.parametrize("words", [[], ["--check"], ["a", "b"]])
def test_usage(words):
    assert samples.report("contribute", *words).status == 2


# ---- What is left out


def test_nothing_tells_of_the_owner(tmp_path):
    line = result(
        parameters={
            "host": "10.1.2.3",
            "user": "alice",
            "database": "customers",
            "output": "/home/alice/x.jsonl",
            "set": "ssl_ca=/home/alice/ca.pem",
        },
        facts={
            "mysql": "8.4.8",
            "connection": "10.1.2.3 via TCP/IP, TLS TLS_AES_256_GCM_SHA384",
            "port": "4711",
            "version_comment": "built by https://acme.example/alice",
        },
        labels={"block": "1", "note": "of alice"},
    )
    outcome, (file,) = contribute(tmp_path, line)
    assert outcome.status == 0, outcome.err
    text = file.read_text()
    for word in ("alice", "10.1.2.3", "customers", "4711", "acme", "/home", "later version"):
        assert word not in text, word
    written = json.loads(text)
    assert written["parameters"]["host"] == public.REMOTE
    assert written["facts"]["connection"] == "TCP to db.example, TLS TLS_AES_256_GCM_SHA384"
    assert written["labels"] == {"block": "1"}
    assert written["host"]["kernel"] == "6.1.0 x86_64"
    assert written["runs"] == line["runs"]
    assert file.name == "amd-epyc-2-cores-ext4-vda-2026-11-01.jsonl"


def test_what_is_written_passes_the_check_and_changes_no_more(tmp_path):
    _, (file,) = contribute(tmp_path, result(), result("memfile", version="0.2.0"))
    before = file.read_text()
    assert samples.report("contribute", "--check", str(file)).err == ""
    _, files = contribute(tmp_path, result())
    assert [path.stem.rpartition("-")[2] for path in files] == ["2", "01"]
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda line: line["parameters"].update(user="alice"), "it is not what"),
        (lambda line: line["host"].update(cpu="Intel Xeon"), "expected the file intel-xeon"),
    ],
)
def test_the_check_refuses_what_was_changed(tmp_path, change, text):
    _, (file,) = contribute(tmp_path, result())
    line = json.loads(file.read_text())
    change(line)
    file.write_text(json.dumps(line) + "\n")
    outcome = samples.report("contribute", "--check", str(file))
    assert outcome.status == 1
    assert text in outcome.err


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("mysql_ubench -w renew -o a=1", "mysql_ubench -w renew -o a=1"),
        ("ssh db1 /home/a/mysql_ubench -m db1 -ualice -w dora", "mysql_ubench -w dora"),
        ("./pgsql_ubench --host=db1 --user alice -w renew", "pgsql_ubench -w renew"),
        ("pgsql_ubench -w @/home/alice/x.txt", "pgsql_ubench -w @/path"),
        ("pgsql_ubench --workload=@alice/x.txt --sql=alice.sql", "pgsql_ubench --workload=@/path"),
        ("mysql_ubench -6m db1 -w renew -6", "mysql_ubench -w renew -6"),
        ("mysql_ubench -w renew -o a=alice -ob=on", "mysql_ubench -w renew -o a=... -ob=on"),
        ("mysql_ubench --set=a=alice -6oc=x", "mysql_ubench --set=a=... -6oc=..."),
        ("mysql_ubench --label note=alice -w renew", "mysql_ubench -w renew"),
        ("sh -c './mysql_ubench -m db1 -palice'", "sh"),
    ],
)
def test_the_command_of_a_duel(command, wanted):
    assert public.public_command(command) == wanted


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("mysql db1", "mysql"), ("mysql -w renew", "mysql -w renew"), ("mysql @alice.txt", "mysql")],
)
def test_the_name_of_a_side_has_only_words_of_its_public_command(name, wanted):
    side = {"name": name, "command": "mysql_ubench -m db1 -w renew", "server": "", "result": None}
    assert public.public_side(side)["name"] == wanted


def test_a_command_that_no_shell_takes_is_refused(tmp_path):
    line = duel_samples.make_line(duel_samples.make_slices(60, (1, 0.9, 1), 7, noise=0.01))
    line["sides"][0]["command"] = "mysql_ubench -w 'a"
    with pytest.raises(ValueError, match="quotation"):
        public.public_line(line)


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ("innodb_flush_log_at_trx_commit=2", "innodb_flush_log_at_trx_commit=2"),
        ("wal_sync_method=open_datasync jit=off", "wal_sync_method=open_datasync jit=off"),
        ("max_wal_size=4GB application_name=acme", "max_wal_size=4GB application_name=..."),
        ("init_connect=SET @a='x y' autocommit=1", "init_connect=... autocommit=1"),
        ("type=mysql cert-file=alice.pem", "type=mysql cert-file=..."),
    ],
)
def test_values_of_settings_that_may_be_names(settings, wanted):
    assert public.public_settings(settings) == wanted
    line = {"parameters": {"set": settings}}
    assert public.public_line(line)["parameters"]["set"] == wanted


def test_settings_that_were_read_back_name_nobody():
    line = {
        "parameters": {"set": "role=alice"},
        "facts": {"role": "alice", "acme.note": "1", "cluster_name": "acme", "jit": "off"},
        "durability": {
            "settings": [{"name": "synchronous_standby_names", "value": "ANY 1 (db1, db2)"}],
            "from": "synchronous_standby_names=ANY 1 (db1, db2)",
        },
    }
    written = public.public_line(line)
    assert written["facts"] == {"role": "...", "jit": "off"}
    assert "db1" not in json.dumps(written)


def test_settings_of_kea_name_nobody():
    line = {
        "format": "ubench-kea/1",
        "family": 4,
        "set": {
            "cache-threshold": 0.25,
            "hooks-libraries": [{"library": "acme.so", "user-context": {"acme": 1}}],
        },
    }
    assert public.public_line(line)["set"] == {
        "cache-threshold": 0.25,
        "hooks-libraries": [{"library": "..."}],
    }


def test_the_name_of_a_duel_and_members_of_later_versions_are_left_out():
    slices = duel_samples.make_slices(60, (1, 0.9, 1), 7, noise=0.01)
    line = {**duel_samples.make_line(slices), "label": "acme", "remark": "of alice"}
    written = public.public_line(line)
    assert written["label"] == ""
    assert "remark" not in written
    assert "remark" not in public.public_line(result(remark="of alice"))


def test_campaigns_are_numbered(tmp_path):
    lines = [
        result(labels={"campaign": name, "block": str(block)}, version=f"0.{block}")
        for block, name in enumerate(("of alice", "night", "of alice"))
    ]
    outcome, (file,) = contribute(tmp_path, *lines)
    assert outcome.err == ""
    written = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["labels"]["campaign"] for line in written] == ["1", "2", "1"]
    assert samples.report("contribute", "--check", str(file)).err == ""


@pytest.mark.parametrize(
    ("cell", "wanted"),
    [
        ("mysql threads=4", "mysql threads=4"),
        ("mysql host=db1 file=acme threads=4", "mysql threads=4"),
        ("pgsql work_mem=4MB role=alice", "pgsql work_mem=4MB role=..."),
    ],
)
def test_names_of_cells(cell, wanted):
    assert public.public_labels({"cell": cell}) == {"cell": wanted}


def test_texts_of_own_files_are_shown(tmp_path):
    typed = result(sql=["find_by_address", "SELECT 1"])
    outcome, _ = contribute(tmp_path, typed)
    assert outcome.err == ""
    assert "as you typed them:\n  find_by_address\n  SELECT 1\n" in outcome.out


def test_mount_options_name_nobody():
    host = {"mount_options": "rw,noatime,data=ordered,username=alice,addr=nas1,subvol=/@alice"}
    assert public.public_host(host) == {"mount_options": "rw,noatime,data=ordered"}


def test_a_rare_part_does_not_make_a_mix_too_short(tmp_path):
    phases = [phase("renew", 2000, 100_000), phase("release", 2000, 20)]
    mixed = run(*phases, together=True)
    outcome, written = contribute(tmp_path, result(runs=[mixed]))
    assert outcome.err == ""
    assert len(written) == 1
    assert ": 1 line. " in outcome.out


def test_files_that_a_run_read_have_no_names():
    line = {
        "parameters": {"trace": "acme.trace", "sql": "acme.sql", "workload": "@acme.txt"},
        "runs": [{"replay": {"changes": 812}}],
    }
    assert public.public_line(line)["parameters"] == {
        "trace": "812-changes.trace", "workload": "@/path",
    }  # fmt: skip
    server = {"config": {"name": "acme.conf", "sha256": "0"}, "family": 4}
    assert public.public_line(server)["config"] == {"name": "kea-dhcp4.conf", "sha256": "0"}


def test_a_duel_keeps_its_slices():
    slices = duel_samples.make_slices(60, (1, 0.9, 1), 7, noise=0.01)
    line = duel_samples.make_line(slices)
    assert public.public_line(line)["slices"] == line["slices"]


@pytest.mark.parametrize(
    ("cpu", "wanted"),
    [
        ("Intel(R) Xeon(R) Processor @ 2.10GHz", "intel-xeon-2-10ghz"),
        ("ARM Neoverse-N1", "arm-neoverse-n1"),
    ],
)
def test_a_name_of_hardware(cpu, wanted):
    assert checks.slug(cpu) == wanted


def test_the_names_of_this_machine_are_private(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "stockholm.acme")
    monkeypatch.setattr(getpass, "getuser", lambda: "alice")
    assert {"stockholm", "alice", "acme"} <= private.own_words()


@pytest.mark.parametrize("error", [KeyError, OSError])
def test_a_user_without_a_name_can_contribute(monkeypatch, error):
    """In a container the number of a user may stand for nobody."""

    def fail(*_):
        raise error

    monkeypatch.setattr(socket, "gethostname", lambda: "stockholm")
    monkeypatch.setattr(getpass, "getuser", fail)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/carol"))
    assert private.own_words() == {"stockholm", "carol"}
    assert private.private_words({"a": ["on Stockholm-2 "]}, {"stockholm"})
    assert not private.private_words({"a": "stockholmer"}, {"stockholm"})


# ---- What others contributed


def test_contributed_files_are_in_order():
    folder = ROOT / "results" / "contributed"
    assert {path.suffix for path in folder.iterdir()} <= {".jsonl", ".md"}
    for file in folder.glob("*.jsonl"):
        assert samples.report("contribute", "--check", str(file)).err == ""
