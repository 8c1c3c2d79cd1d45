# SPDX-License-Identifier: ISC
"""What is counted of lease files, beside the known truth of made-up sites."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import samples
from conftest import ROOT

from ubench.report.leases import census as counting
from ubench.report.leases.files import in_order

KEA4 = (
    "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,"
    "user_context,pool_id"
)
KEA6 = (
    "address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,iaid,prefix_len,"
    "fqdn_fwd,fqdn_rev,hostname,hwaddr,state,user_context,hwtype,hwaddr_source,pool_id"
)
T = 1_710_720_000  # a full hour
SECRETS = ("secret-host", "0a:bb:cc:dd:ee:01", "10.99.88.77", "10.99.88.78", "2001:db8:77")


def load_sites():
    """The module of scripts/sites.py."""
    spec = importlib.util.spec_from_file_location("sites", ROOT / "scripts" / "sites.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["sites"] = module
    spec.loader.exec_module(module)
    return module


SITES = load_sites()
SMALL = {
    "campus": replace(
        SITES.SITES["campus"], seconds=20_000, online=40, arrivals=lambda s: 0.05, subnets=3
    ),
    "isp": replace(SITES.SITES["isp"], online=300),
    "guests": replace(SITES.SITES["guests"], seconds=20_000, declined=0.05),
    "short leases": replace(SITES.SITES["guests"], seconds=9_000, lifetime_s=60, released=0.5),
    "subscribers": replace(
        SITES.SITES["subscribers"], seconds=20_000, online=300, arrivals=lambda s: 0.05
    ),
    "nobody at first": replace(SITES.SITES["guests"], seconds=15_000, online=0, back=0.5),
}


@pytest.fixture(autouse=True)
def _built(program):
    program("ubench_leases")


def counted(*words):
    """What demand counts, as JSON."""
    outcome = samples.report("demand", "--format=json", *map(str, words))
    assert outcome.status == 0, outcome.err
    return json.loads(outcome.out), outcome.err


def lease(address="10.99.88.77", valid=3600, at=T, state=0, client="0a:bb:cc:dd:ee:01", subnet=1):
    """A row of kea-leases4.csv."""
    return (
        f"{address},{client},01:{client},{valid},{at + valid},{subnet},0,0,"
        f"secret-host&#x2c,{state},,0"
    )


def write(folder, *rows, name="kea-leases4.csv", header=KEA4):
    """A lease file."""
    path = folder / name
    path.write_text("\n".join([header, *rows, ""]), encoding="ascii")
    return path


@pytest.mark.parametrize("name", SMALL)
def test_counts_equal_the_truth_of_a_site(name, tmp_path):
    truth = SITES.write(SMALL[name], tmp_path, seed=7)
    path = tmp_path / SMALL[name].file
    census, errors = counted(path)
    assert (errors, census["family"]) == ("", SMALL[name].family)
    found = Counter()
    worst = Counter()
    for hour in census["hours"]:
        for kind, count, most in zip(
            census["columns"], hour["counts"], hour["worst_minute"], strict=True
        ):
            found[hour["start"] // 3600, kind] = count
            worst[kind] = max(worst[kind], most)
    assert truth.hours == {key: n for key, n in found.items() if n and key[1] not in EXTRA}
    for kind in {kind for _, kind in truth.hours}:
        assert worst[kind] == max(n for (_, each), n in truth.minutes.items() if each == kind)
    check_last_rows(census, path)


EXTRA = ("changes", "last")


def check_last_rows(census, path):
    """Counts the last row of each address again, without ubench."""
    rows = {}
    for name in (f"{path}.2", str(path)):
        with open(name, encoding="ascii", newline="") as file:
            for row in csv.DictReader(file, quoting=csv.QUOTE_NONE):
                row["begun"] = int(row["expire"]) - int(row["valid_lifetime"])
                rows[row["address"]] = row
    latest = max(row["begun"] for row in rows.values() if row["state"] != "2")
    latest = max(latest, census["history"]["latest"])
    in_use = [row for row in rows.values() if row["state"] == "0"]
    active = [row for row in in_use if int(row["expire"]) > latest]
    assert census["active"] == len(active)
    assert census["clients"] == len({row.get("client_id") or row["duid"] for row in active})
    assert dict(census["lifetimes"]) == Counter(int(row["valid_lifetime"]) for row in active)
    assert dict(census["subnets"]) == Counter(int(row["subnet_id"]) for row in active)
    assert census["overdue"] == len(in_use) - len(active)
    assert census["declined"] == sum(row["state"] == "1" for row in rows.values())


VERSIONS = {
    "1.0": ("address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname",
            f"10.0.0.1,0a:00:00:00:00:01,,3600,{T + 3600},1,0,0,h"),
    "2.2": (KEA4.removesuffix(",pool_id"), f"10.0.0.1,0a:01,,3600,{T + 3600},1,0,0,h,0,"),
    "3.0": (KEA4, f"10.0.0.1,0a:01,,3600,{T + 3600},1,1,1,a&#x2cb,0,{{&#x22 }},0"),
    "row of 1.0 below a header of 3.0": (KEA4, f"10.0.0.1,0a:01,,3600,{T + 3600},1,0,0,h"),
    "dump of 1.6": (KEA4.removesuffix(",user_context,pool_id"),
                    "10.0.0.1,0A01,,3600,2024-03-18 01:00:00,1,0,0,h,default"),
    "dump with commas": (KEA4, f'10.0.0.1,0a:01,,3600,{T + 3600},1,0,0,h,0,{{"a":1,"b":2}},0'),
    "other order": ("hostname,expire,subnet_id,valid_lifetime,address,client_id",
                    f"h,{T + 3600},1,3600,10.0.0.1,01:02"),
    "IPv6": (KEA6, f"2001:db8::1,00:01,3600,{T + 3600},1,1800,0,7,128,0,0,h,0a:01,0,,1,0,0"),
    "IPv6 of 1.0": (KEA6.removesuffix(",hwaddr,state,user_context,hwtype,hwaddr_source,pool_id"),
                    f"2001:db8::1,00:01,3600,{T + 3600},1,1800,2,7,56,0,0,h"),
}  # fmt: skip


@pytest.mark.parametrize("name", VERSIONS)
def test_columns_of_all_versions(name, tmp_path):
    header, row = VERSIONS[name]
    census, errors = counted(write(tmp_path, row, header=header))
    assert (errors, census["clients"], census["history"]["latest"]) == ("", 1, T)
    assert (census["lifetimes"], census["subnets"]) == ([[3600, 1]], [[1, 1]])


ISC4 = """# a comment
authoring-byte-order little-endian;

subclass "secret-host" 1:0a:bb:cc:dd:ee:01 {
  lease limit 4;
}
lease 10.99.88.77 {
  starts 1 2024/03/18 00:00:00;
  ends 1 2024/03/18 01:00:00;
  cltt 1 2024/03/18 00:00:00;
  binding state active;
  next binding state free;
  hardware ethernet 0a:bb:cc:dd:ee:01;
  uid "\\001\\012;}";
  client-hostname "secret-host";
}
lease 10.99.88.78 {
  starts epoch 1710720060; # Mon Mar 18 00:01:00 2024
  ends never;
  binding state active;
  hardware ethernet 0a:bb:cc:dd:ee:02;
}
lease 10.99.88.77 {
  starts 1 2024/03/18 00:30:00;
  ends 1 2024/03/18 01:30:00;
  cltt 1 2024/03/18 00:30:00;
  binding state active;
  uid "\\001\\012;}";
}
lease 10.99.88.79 {
  starts 1 2024/03/18 00:31:00;
  ends 1 2024/03/18 00:31:10;
  binding state abandoned;
}
lease 10.99.88.82 {
  starts 1 2024/03/18 00:31:00;
  ends 1 2024/03/18 00:31:10;
  abandoned;
}
"""
ISC6 = """server-duid "\\000\\001";

ia-na "\\001\\000\\000\\000\\000\\003\\000\\001secret-host" {
  cltt 1 2024/03/18 00:00:00;
  iaaddr 2001:db8:77::1 {
    binding state active;
    preferred-life 1800;
    max-life 3600;
    ends 1 2024/03/18 01:00:00;
  }
}
ia-pd "\\002\\000\\000\\000\\000\\003\\000\\001secret-host" {
  cltt 1 2024/03/18 00:00:10;
  iaprefix 2001:db8:77:100::/56 {
    binding state active;
    max-life 3600;
    ends 1 2024/03/18 01:00:10;
  }
}
"""


def test_dhcpd(tmp_path):
    path = tmp_path / "dhcpd.leases"
    path.write_text(ISC4)
    census, errors = counted(path)
    assert (errors, census["clients"], census["active"], census["declined"]) == ("", 2, 2, 2)
    assert census["history"]["aged"] == 1
    assert census["lifetimes"] == [[3600, 1], [0xFFFFFFFF, 1]]
    path.write_text(ISC6)
    census, errors = counted(path)
    assert (errors, census["family"], census["clients"], census["active"]) == ("", 6, 1, 2)


def free(address, state="free"):
    """An address in dhcpd.leases that nobody has."""
    return (
        f"lease {address} {{\n  starts 1 2024/03/18 00:00:00;\n  ends 1 2024/03/18 00:10:00;\n"
        f"  cltt 1 2024/03/18 00:00:00;\n  binding state {state};\n}}\n"
    )


@pytest.mark.parametrize("state", ["free", "backup"])
def test_free_addresses_of_dhcpd_are_no_changes(state, tmp_path):
    """A pair of dhcpd lists all addresses of its pools; one that had a lease has lost it."""
    path = tmp_path / "dhcpd.leases"
    listed = "".join(free(f"10.99.1.{number}", state) for number in range(200))
    path.write_text(listed + ISC4)
    census, errors = counted(path)
    plain, _ = counted(write(tmp_path, name="plain", header=ISC4))
    assert errors == ""
    assert (census["addresses"], census["hours"]) == (plain["addresses"], plain["hours"])
    path.write_text(listed + ISC4 + free("10.99.88.78", state))
    ended, _ = counted(path)
    assert ended["active"] == census["active"] - 1
    assert events(ended) - events(census) == Counter(deleted=1, changes=1)


def events(census):
    """The sums of all events of a census, by name."""
    found = Counter()
    for hour in census["hours"]:
        found.update(dict(zip(census["columns"], hour["counts"], strict=True)))
    return Counter({name: count for name, count in found.items() if name != "last"})


@pytest.mark.parametrize("form", ["text", "markdown", "csv", "json"])
def test_nothing_of_a_client_is_printed(form, tmp_path):
    damaged = lease().replace(",3600,", ",secret-host 0a:bb:cc:dd:ee:01,")
    kea = write(tmp_path, lease(), lease("10.99.88.78", at=T + 60), damaged, lease(state=77))
    isc = tmp_path / "dhcpd.leases"
    isc.write_text(f"{ISC4}lease 10.99.88.77x {{\n}}\nlease 10.99.88.77 {{\n")
    six = tmp_path / "six.leases"
    six.write_text(ISC6)
    for path in (kea, isc, six):
        for words in (("demand", f"--format={form}"), ("trace", "-O", f"{path}.{form}.trace")):
            outcome = samples.report(*words, str(path))
            assert outcome.status == 0
            texts = [outcome.out, outcome.err.replace(str(tmp_path), "")]
            texts += [trace.read_text() for trace in tmp_path.glob("*.trace")]
            for secret in SECRETS:
                assert all(secret not in text for text in texts)


DAMAGED = {
    "bad line": "too few columns",
    lease("10.0.0.256"): "the address is invalid",
    lease().replace(",3600,", ",,"): "valid_lifetime is not a number",
    lease(at=-9999999): "expire is not a time after valid_lifetime",
    lease(at=4_000_000_000 - T): "the client's last transaction is in the future",
    lease(state="x"): "the state is unknown",
    lease() + "\0": "not a line of text",
    "10.0.0.1,,,1,2,3": "too few columns",
    lease("10.0.0.9").partition(",1,0,0,")[0]: "too few columns",
}


@pytest.mark.parametrize("line", DAMAGED)
def test_a_damaged_line_is_named_and_left_out(line, tmp_path):
    path = write(tmp_path, lease(), line, lease("10.99.88.78"))
    census, errors = counted(path)
    assert f"{path}:3: {DAMAGED[line]}; the line is left out" in errors
    assert (census["clients"], census["active"], census["files"][0]["damaged"]) == (1, 2, 1)


def test_a_dhcpd_lease_without_a_plausible_time(tmp_path):
    path = tmp_path / "dhcpd.leases"
    for times, why in [
        ("starts never;\n  ends never;", "not a time"),
        ("starts 0 2090/01/01 00:00:00;\n  ends never;", "is in the future"),
        ("cltt epoch 4000000000;\n  ends never;", "is in the future"),
    ]:
        path.write_text(f"{ISC4}lease 10.99.88.80 {{\n  {times}\n  binding state active;\n}}\n")
        census, errors = counted(path)
        assert (why in errors, census["active"], census["overdue"]) == (True, 2, 0)


@pytest.mark.parametrize("count", [1, 1000])
def test_all_damaged_lines_are_counted(count, tmp_path):
    path = write(tmp_path, lease(), *[next(iter(DAMAGED))] * count)
    _, errors = counted(path)
    named = errors.count("; the line is left out")
    more = re.search(r"(\d+) lines more are damaged", errors)
    assert named > 0
    assert named + (int(more[1]) if more else 0) == count


def test_a_file_that_ends_within_a_lease(tmp_path):
    path = tmp_path / "dhcpd.leases"
    path.write_text(ISC4.rstrip("}\n"))
    census, errors = counted(path)
    assert ("the file ends within a lease" in errors, census["active"]) == (True, 2)


PACKED = gzip.compress(f"{KEA4}\n{lease()}\n".encode(), mtime=0)
REFUSED = [
    (b"", "the file is empty"),
    (b"\n\n", "the file is empty"),
    (b"a,b,c\n1,2,3\n", ":1: not a lease file"),
    (b"\x7fELF\0\0", ":1: not a lease file"),
    (b'{"Dhcp4": {}}\n', ":1: not a lease file"),
    (PACKED[:-20], "gzip cannot read it to the end"),
    (f"{KEA4}\n{lease()}\n{ISC6}".encode(), None),
]


@pytest.mark.parametrize(("content", "why"), REFUSED)
def test_foreign_and_cut_files(content, why, tmp_path):
    path = tmp_path / "leases"
    path.write_bytes(content)
    outcome = samples.report("demand", str(path))
    assert outcome.status == (1 if why else 0)
    assert (why or "too few columns") in outcome.err


def test_what_cannot_be_read_together(tmp_path):
    four = write(tmp_path, lease())
    six = write(tmp_path, VERSIONS["IPv6"][1], header=KEA6, name="six.csv")
    for words, why in [
        ((four, six), "IPv6 lease after those of the other family"),
        ((tmp_path,), "not a regular file"),
        ((tmp_path / "none",), "No such file"),
    ]:
        outcome = samples.report("demand", *map(str, words))
        assert (outcome.status, why in outcome.err) == (1, True)


def test_gzip(tmp_path):
    path = write(tmp_path, lease(), lease("10.99.88.78"))
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert counted(packed) == counted(path)


def test_the_parts_of_a_lease_file(tmp_path):
    base = str(write(tmp_path, lease()))
    parts = [f"{base}.2", f"{base}.1", f"{base}.completed"]
    for part in parts:
        write(tmp_path, lease(), name=part)
    assert in_order([base]) == [*parts, base]
    assert in_order([parts[1], base, parts[0]]) == [parts[0], parts[1], base]
    assert in_order([parts[0]]) == [parts[0]]
    assert in_order([base, f"{base}.output", parts[1]]) == [parts[1], f"{base}.output", base]
    assert in_order(["dhcpd.leases", "dhcpd.leases~"]) == ["dhcpd.leases~", "dhcpd.leases"]


@pytest.mark.parametrize("order", ["second server", "older file behind"])
def test_records_older_than_those_of_a_file_before(order, tmp_path):
    """A partner's file would double the rates, and an older file would bring leases back."""
    rows = [lease(f"10.0.0.{n}", at=T + 1800 * k + 30 * n) for k in range(4) for n in range(50)]
    whole, later = write(tmp_path, *rows, name="a"), write(tmp_path, *rows[100:], name="b")
    first, second = (whole, write(tmp_path, *rows, name="c"))
    if order == "older file behind":
        first, second = later, write(tmp_path, *rows[:100], name="d")
    alone, _ = counted(first)
    census, errors = counted(first, second)
    stale = census["files"][1]["stale"]
    assert f"{second}: {stale} records left out: an earlier file has later records" in errors
    assert stale > 90
    assert census["active"] == alone["active"] == 50
    assert events(census)["renewed"] == events(alone)["renewed"]
    assert counted(later)[0]["files"][0]["stale"] == 0


def test_a_snapshot_has_no_history_and_a_log_behind_it_has(tmp_path):
    def row(number, at):
        return lease(f"10.0.{number >> 8}.{number & 255}", at=at, client=f"{number:04x}")

    ages = [(number * 7919) % 1800 for number in range(3000)]
    dump = [row(number, T - age) for number, age in enumerate(ages)]
    census, _ = counted(write(tmp_path, *dump))
    assert census["history"]["records"] == 0
    assert sum(hour["counts"][-1] for hour in census["hours"]) == 3000
    log = [row(number, T + 1 + number // 10) for number in range(2000)]
    census, _ = counted(write(tmp_path, *dump, *log))
    history = census["history"]
    assert (history["records"], history["snapshot_records"], history["uncertain_new"]) == (
        2000,
        3000,
        0,
    )


@pytest.mark.parametrize(
    ("age", "threshold", "cached"),
    [(900, 0.25, 1), (901, 0.25, 0), (1, 0, 0), (3599, 1, 1), (1799, 0.5, 1), (1801, 0.5, 0)],
)
def test_renewals_that_the_lease_cache_answers(age, threshold, cached, tmp_path):
    path = write(tmp_path, lease(), lease(at=T + age))
    census, _ = counted(path, f"--cache-threshold={threshold}")
    assert (census["history"]["aged"], census["history"]["cached"]) == (1, cached)


def test_the_fill_of_pools(tmp_path):
    config = tmp_path / "kea.conf"
    pools = '[{"pool": "10.0.0.0/30"}, {"pool": "10.0.1.10 - 10.0.1.19"}]'
    subnet = f'{{"id": 7, "subnet": "10.0.0.0/16", "pools": {pools}}}'
    config.write_text(f'{{"Dhcp4": {{"subnet4": [{subnet}]}}}}')
    rows = [lease(f"10.0.1.{9 + number}", client=f"0{number}") for number in range(4)]
    rows += [lease("10.0.0.3"), lease("10.0.1.19", state=1, valid=86400), lease("10.0.2.0")]
    path = write(tmp_path, *rows)
    outcome = samples.report("demand", str(path), "--kea", str(config))
    lines = [re.sub(" +", " ", line) for line in outcome.out.splitlines()]
    assert "subnet 7, pool 2 10 3 1 40 %" in lines
    assert "subnet 7, pool 1 4 1 0 25 %" in lines


def test_pools_of_both_servers_and_of_prefixes(tmp_path):
    four = '"subnet4": [{"id": 4, "pools": [{"pool": "10.0.0.0/30"}]}]'
    pd = '"pd-pools": [{"prefix": "2001:db8::", "prefix-len": 40, "delegated-len": 48}]'
    six = f'"subnet6": [{{"id": 6, "pools": [{{"pool": "2001:db8:ff::/120"}}], {pd}}}]'
    leases6 = [
        f"2001:db8:{n}::,00:0{n},3600,{T + 3600},6,1800,2,7,48,0,0,h,0a:01,0,,1,0,0"
        for n in range(1, 5)
    ]
    files = {
        4: write(tmp_path, lease("10.0.0.1")),
        6: write(tmp_path, *leases6, name="6", header=KEA6),
    }
    config = tmp_path / "kea.conf"
    config.write_text(f'{{"Dhcp4": {{{four}}}, "Dhcp6": {{{six}}}}}')
    shown = {
        family: re.sub(" +", " ", samples.report("demand", str(path), "--kea", str(config)).out)
        for family, path in files.items()
    }
    assert "subnet 4, pool 1 4 1 0 25 %" in shown[4]
    assert "subnet 6" not in shown[4]
    assert "subnet 6, pd-pool 1 256 4 0 1.56 %" in shown[6]
    assert "subnet 6, pool 1 256 0 0 0 %" in shown[6]
    config.write_text(f'{{"Dhcp4": {{{four}}}}}')
    outcome = samples.report("demand", str(files[6]), "--kea", str(config))
    assert outcome.status == 1
    assert "has no pools of IPv6, and the leases are of IPv6; expected" in outcome.err


@pytest.mark.parametrize(
    ("servers", "options", "status", "sentence"),
    [
        (("Dhcp4", "Dhcp6"), (), 0, "DHCPv6, memfile"),
        (("Dhcp6",), ("-6",), 0, "DHCPv6, memfile"),
        (("Dhcp4",), (), 1, "found Dhcp4 and no Dhcp6; expected Dhcp6, for -6 and for leases of"),
    ],
)
def test_the_answer_for_a_configuration_of_the_family_of_the_leases(
    servers, options, status, sentence, tmp_path
):
    config = tmp_path / "kea.conf"
    config.write_text("{" + ", ".join(f'"{server}": {{}}' for server in servers) + "}")
    path = write(tmp_path, VERSIONS["IPv6"][1], header=KEA6)
    command = ("answer", "--kea", str(config), "--leases", str(path), *options)
    outcome = samples.report(*command)
    assert (outcome.status, sentence in outcome.out + outcome.err) == (status, True)
    four = write(tmp_path, lease(), name="four")
    refused = samples.report("answer", "-6", "--kea", str(config), "--leases", str(four))
    assert (refused.status, "whose leases are IPv4" in refused.err) == (2, True)


def test_the_restart_of_the_largest_subnet_counts_clients(tmp_path):
    """A client with an address and a prefix restarts once."""
    end = T + 3600
    rows = [
        f"2001:db8:{kind}:{n:x}::,00:{n:02x},3600,{end},{subnet},1800,{kind},7,64,0,0,h,,0,,,,0"
        for subnet, clients in ((1, range(30)), (2, range(30, 60)))
        for n in clients
        for kind in (0, 2)
    ]
    out = samples.report("demand", str(write(tmp_path, *rows, header=KEA6))).out
    restart = " ".join(out.split()).partition("RESTART ")[2]
    assert restart.startswith(
        "If all clients restart within 5 minutes, 0.2 ask per second; those of the largest subnet "
        "alone, 0.1."
    )


def test_the_pools_of_a_file_with_a_header_alone(tmp_path, program):
    path = write(tmp_path, header=KEA6)
    command = [program("ubench_leases"), "--pools", str(path)]
    pools = "2001:db8::1 2001:db8::9\n"
    done = subprocess.run(command, input=pools, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, json.loads(done.stdout)["family"]) == (0, "", 6)


def test_the_answer_takes_clients_and_rates_from_a_lease_file(tmp_path):
    rows = [
        lease(f"10.0.0.{number}", at=T + 60 * (number > 99) + number % 60, client=f"{number:02x}")
        for number in range(100 + 60)
    ]
    path = write(tmp_path, *sorted(rows, key=lambda row: int(row.split(",")[4])))
    outcome = samples.report("answer", "--leases", str(path))
    assert "160 clients need 1.67 changes per second" in outcome.out
    assert "0.533 restarts per second" in outcome.out.replace("\n", " ")
    damaged = write(tmp_path, lease(), "bad line", name="damaged")
    assert "damaged:3: too few columns" in samples.report("answer", "--leases", str(damaged)).err
    refused = samples.report("answer", "--leases", str(path), "--lease-time=1h")
    assert refused.status == 2
    assert "--lease-time: cannot be used with --leases" in refused.err


def test_files_of_one_lease_and_of_none(tmp_path):
    one = samples.report("answer", "--leases", str(write(tmp_path, lease())))
    assert one.out.startswith("1 client needs ")
    none = samples.report("demand", str(write(tmp_path)))
    assert none.out == "The files have no lease that can be read.\n"


def test_the_name_of_a_new_trace_is_printed_without_control_characters(tmp_path):
    new = tmp_path / "\x1b[31m.trace"
    outcome = samples.report("trace", str(write(tmp_path, lease())), "-O", str(new))
    assert outcome.status == 0, outcome.err
    assert "\x1b" not in outcome.out


def test_a_trace_that_is_interrupted_leaves_nothing(monkeypatch, tmp_path):
    history = str(write(tmp_path, lease()))

    def interrupt(*_args, trace, **_options):
        Path(trace).write_text("a part")
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(counting, "count", interrupt)
    outcome = samples.report("trace", history, "-O", str(tmp_path / "new.trace"))
    assert (outcome.status, outcome.out) == (143, "")
    assert [path.name for path in tmp_path.iterdir()] == [Path(history).name]


def test_a_trace_needs_a_history_and_a_new_file(tmp_path):
    path = write(tmp_path, lease())
    exists = tmp_path / "exists"
    exists.write_text("")
    snapshot = write(tmp_path, lease(), name="kea-leases4.csv.2")
    for words, why in [
        ((path,), "--output is missing"),
        (("-O", exists), "no lease file was given"),
        ((path, "-O", exists), "the file exists"),
        ((path, "-O", tmp_path / "none" / "x"), "No such file"),
        ((snapshot, "-O", tmp_path / "new"), "the files have no history"),
    ]:
        outcome = samples.report("trace", *map(str, words))
        assert (outcome.status > 0, why in outcome.err) == (True, True), outcome.err
    assert not (tmp_path / "new").exists()


def test_a_published_trace_is_the_one_that_its_site_makes(tmp_path):
    SITES.write(SITES.SITES["isp"], tmp_path, seed=1)
    path = tmp_path / "isp.trace"
    outcome = samples.report("trace", str(tmp_path / "kea-leases4.csv"), "-O", str(path))
    assert (outcome.status, outcome.err) == (0, "")
    published = ROOT / "results" / "traces" / "isp.trace.gz"
    assert path.read_bytes() == gzip.decompress(published.read_bytes())


@pytest.mark.parametrize("name", SMALL)
def test_a_trace_has_the_changes_of_its_site(name, tmp_path):
    truth = SITES.write(SMALL[name], tmp_path, seed=5)
    path = tmp_path / "made.trace"
    samples.report("trace", str(tmp_path / SMALL[name].file), "-O", str(path))
    found = Counter()
    for line in path.read_text().splitlines()[4:-1]:
        for letter, many in re.findall(r" ([nbrxdeg])(?:\*(\d+)|\d+)", line):
            found[letter] += int(many or 1)
    totals = Counter()
    for (_, kind), count in truth.hours.items():
        totals[LETTERS[kind]] += count
    assert found == totals


LETTERS = {
    "new": "n",
    "returned": "b",
    "renewed": "r",
    "released": "x",
    "declined": "d",
    "expired": "e",
    "cleaned": "g",
}


def test_a_file_of_the_future_counts_from_its_latest_time(tmp_path):
    """As the lease files of ubench, whose leases are the same in each run."""
    ahead = 4_000_000_000
    rows = [lease(f"10.0.0.{n}", at=ahead + n * 60) for n in range(1, 30)]
    path = write(tmp_path, *rows)
    census, errors = counted(path)
    assert (census["active"], census["overdue"]) == (29, 0)
    assert census["history"]["latest"] == ahead + 29 * 60
    assert [file["damaged"] for file in census["files"]] == [0]
    assert "its times are in the future, as in the lease files of ubench" in errors
    # One lease of the future among others is damaged.
    mixed = write(tmp_path, lease(), lease("10.0.0.1", at=ahead), lease("10.0.0.2"), name="mixed")
    census, errors = counted(mixed)
    assert (census["addresses"], [file["damaged"] for file in census["files"]]) == (2, [1])
    assert ":3: the client's last transaction is in the future" in errors


@pytest.mark.parametrize("family", [(), ("-6",)])
def test_lease_files_of_ubench_are_read(family, tmp_path, program):
    runner = program("memfile_ubench")
    leases = tmp_path / "leases"
    subprocess.run(
        [runner, "-w", "update", "--preload", "50", "-n", "200", "-s", "no", "-v", "no", *family,
         "-o", "format=kea", "-f", leases],
        check=True,
    )  # fmt: skip
    census, errors = counted(leases)
    assert census["active"] == 50
    assert [file["damaged"] for file in census["files"]] == [0]
    assert "in the future" in errors
