# SPDX-License-Identifier: ISC
"""Kea's configuration files: what Kea's own reader takes is read, and the rest is refused."""

from __future__ import annotations

import gzip
import json
import os
import random
import re

import pytest
from kea_files import SECRET, damage, dhcp4, ha, varied, write

from ubench.errors import Problem
from ubench.kea_config import document, parser
from ubench.kea_config.members import FilePlace, Members, cut_name


@pytest.fixture
def load(tmp_path):
    """Reads a text as a file, beside other files by their names."""

    def load(text, **others):
        for name, content in others.items():
            write(tmp_path, content, name)
        return document.read_document(write(tmp_path, text))

    return load


@pytest.fixture
def refusal(load):
    """The message that refuses a text."""

    def refusal(text, **others):
        with pytest.raises(Problem) as problem:
            load(text, **others)
        return str(problem.value)

    return refusal


# ---- What Kea takes


def test_comments_includes_and_surplus_commas(load):
    read = load(
        '# one\n// two "\n{ /* three\n */ "Dhcp4": { <?include "lease"?>, "a": [1, 2,],\n'
        '"b": "http://x#",\n"c": -.5e1, "d": 007}, }',
        lease='"valid-lifetime":\n 90',
    )
    assert (read.family, read.others) == (4, ())
    assert read.server == {"valid-lifetime": 90, "a": [1, 2], "b": "http://x#", "c": -5.0, "d": 7}
    assert str(read.server.places["valid-lifetime"]).endswith("lease:1")
    assert str(read.server.places["c"]).endswith("kea-dhcp4.conf:6")


def test_several_commas(load):
    read = load('{"Dhcp4": {"a": [1,,2,,],,"b": {"c": 3,},},}')
    assert read.server == {"a": [1, 2], "b": {"c": 3}}


def test_json_is_read_as_json_reads_it(load):
    chance = random.Random(4)

    def value(depth):
        scalars = [True, None, chance.randrange(-9, 1 << 40), chance.random(), 'a"\\\n\u00e9#//']
        count = chance.randrange(4) if depth else 0
        items = [value(depth - 1) for _ in range(count)]
        return chance.choice([*scalars, items, {f"k{i}": item for i, item in enumerate(items)}])

    for _ in range(200):
        tree = {"x": value(4), "y": value(3)}
        text = json.dumps({"Dhcp6": tree}, indent=chance.choice([None, 2]))
        read = load(text)
        assert (read.family, read.server) == (6, tree)


@pytest.mark.parametrize("text", ["{}", "[ {} ]"])
def test_an_answer_to_config_get(load, text):
    server = '{"Dhcp4": {"valid-lifetime": 90}, "hash": "0"}'
    read = load(text.replace("{}", f'{{"result": 0, "arguments": {server}}}'))
    assert (read.family, read.server, read.others) == (4, {"valid-lifetime": 90}, ())


def test_of_answers_to_config_get_one_is_enough(load, refusal):
    """The answers of a control agent are read although one of its two servers does not run."""
    error = '{"result": 1, "text": "unable to forward command to the dhcp6 service"}'
    success = '{"result": 0, "arguments": {"Dhcp4": {"valid-lifetime": 90}}}'
    for answers in ((error, success), (success, error)):
        read = load(f"[{', '.join(answers)}]")
        assert (read.family, read.server, read.others) == (4, {"valid-lifetime": 90}, ())
    assert "is an error, result 1; expected result 0" in refusal(f"[{error}]")


def test_the_other_server_of_a_file_is_named(load):
    assert load('{"Dhcp4": {}, "Dhcp6": {}, "DhcpDdns": {}}').others == ("Dhcp6", "DhcpDdns")
    both = '[{"result": 0, "arguments": {"Dhcp6": {}}}, {"result": 0, "arguments": {"Dhcp4": {}}}]'
    assert (load(both).family, load(both).others) == (6, ("Dhcp4",))


def test_an_include_of_a_file_that_was_copied(tmp_path):
    """An absolute name that does not exist is looked up beside the including file."""
    write(tmp_path, '"valid-lifetime": 9', "lease.json")
    away = write(tmp_path, '"valid-lifetime": 8', "away.json")
    for name, seconds in (("/nowhere/kea/lease.json", 9), ("lease.json", 9), (away, 8)):
        path = write(tmp_path, f'{{"Dhcp4": {{<?include "{name}"?>}}}}')
        assert document.read_document(path).server["valid-lifetime"] == seconds


@pytest.mark.parametrize(
    ("text", "server", "member"),
    [
        ('"a": <?include "/no/x"?>, "b": 1', {"b": 1}, "a"),
        ('"b": 1, "a": <?include "/no/x"?>', {"b": 1}, "a"),
        ('<?include "/no/x"?> "b": 1', {"b": 1}, None),
        ('<?include "/no/x"?>, "b": 1', {"b": 1}, None),
        ('"b": 1 <?include "/no/x"?>', {"b": 1}, None),
        ('"b": 1, <?include "/no/x"?>', {"b": 1}, None),
        ('"b": [<?include "/no/x"?>]', {"b": []}, ""),
        ('"b": [1, <?include "/no/x"?>, 2, <?include "/no/y"?>]', {"b": [1, 2]}, ""),
        ('"b": {<?include "/no/x"?>}', {"b": {}}, ""),
    ],
)
def test_absent_includes_are_left_out_where_they_may_be(tmp_path, text, server, member):
    path = write(tmp_path, f'{{"Dhcp4": {{{text}}}}}')
    read = document.read_document(path, skip_absent=True)
    assert read.server == server
    assert read.absent[0].name == "/no/x"
    assert read.absent[0].member == member
    with pytest.raises(Problem, match="/no/x: No such file or directory; expected the file there"):
        document.read_document(path)


def test_a_file_without_a_server_needs_its_includes(tmp_path):
    for text in ('{"Dhcp4": <?include "/no/x"?>}', '<?include "/no/x"?>', '{<?include "/no/x"?>}'):
        with pytest.raises(Problem, match="/no/x: No such file"):
            document.read_document(write(tmp_path, text), skip_absent=True)


def test_one_of_two_servers_is_chosen(tmp_path):
    path = write(tmp_path, '{"Dhcp4": {"a": 4}, "Dhcp6": {"a": 6}}')
    for family, chosen in ((None, 4), (4, 4), (6, 6)):
        read = document.read_document(path, family=family)
        assert (read.family, read.server["a"]) == (chosen, chosen)
        assert read.others == (f"Dhcp{10 - chosen}",)
        assert read.other_server == {"a": 10 - chosen}
    with pytest.raises(Problem, match="found Dhcp4 and no Dhcp6"):
        document.read_document(write(tmp_path, '{"Dhcp4": {}}'), family=6)


def test_bytes_of_another_encoding(tmp_path):
    path = tmp_path / "kea.conf"
    path.write_bytes(b'# \xe4\xff\n{"Dhcp4": {"user-context": {"n": "\xe9"}}}')
    assert document.read_document(str(path)).family == 4


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (gzip.compress(b'{"Dhcp4": {}}'), "kea.conf: is compressed; expected"),
        ('{"Dhcp4": {}}'.encode("utf-16"), "kea.conf: is in UTF-16, which Kea rejects; expected"),
        (b'{"Dhcp4": \xff{}}', "kea.conf:1: unexpected character (byte 0xff); expected JSON"),
    ],
)
def test_bytes_that_are_no_configuration(tmp_path, data, message):
    path = tmp_path / "kea.conf"
    path.write_bytes(data)
    with pytest.raises(Problem, match=re.escape(message)):
        document.read_document(str(path))


def test_hooks_and_pairs(load):
    server = load(dhcp4(ha("load-balancing"))).server
    hooks = [document.hook_name(hook) for hook in server.get_maps("hooks-libraries")]
    assert hooks == ["ha", "lease_cmds"]
    assert document.pair_mode(server) == "load-balancing"
    assert document.pair_mode(load(dhcp4(ha("passive-backup"))).server) is None
    assert document.ha_relationships(Members()) is None
    with pytest.raises(Problem, match="hooks-libraries is a list; expected a list of maps"):
        document.pair_mode(load(dhcp4('"hooks-libraries": [1]')).server)


def test_subnets_inherit_from_their_network(load):
    read = load(
        dhcp4(
            '"subnet4": [{"id": 1}]',
            '"shared-networks": [{"name": "n", "renew-timer": 9, "subnet4": [{"id": 2}]}]',
        )
    )
    assert document.subnets(read.server, 4) == [{"id": 1}, {"id": 2, "renew-timer": 9}]


# ---- What is refused, with its line and what was expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", '1: the file is empty; expected { "Dhcp4": {...} }'),
        ("[]", "1: the file does not contain a map; expected"),
        ("[1]", "1: the file does not contain a map; expected"),
        ("7", '1: is not a configuration of Kea; expected { "Dhcp4": {...} }'),
        ("# dhcpd\nmax-lease-time 7200;", "2: is not a configuration of Kea; expected"),
        ("# nothing\n", "2: the file has only blanks and comments; expected"),
        ("<html>", "1: unexpected character <; expected JSON"),
        ("{'Dhcp4': {}}", "1: unexpected character '; expected JSON, whose strings have straight"),
        ('{"Dhcp4":\u00a0{}}', "1: unexpected character U+00A0; expected JSON"),
        ('{"Dhcp4": {}}\0', "1: unexpected character U+0000; expected JSON"),
        ('{"dhcp4": {}}', "1: found dhcp4; expected Dhcp4"),
        ('"Dhcp4"', "1: the file does not contain a map; expected"),
        ('"Dhcp4": {\n}', "1: the file does not begin with a brace; expected braces around all"),
        ('{"Control-agent": {}}', "1: found Control-agent; expected Dhcp4 or Dhcp6"),
        ('{"subnet4": []}', '1: subnet4 is not within { "Dhcp4": {...} }'),
        ('{"x": 1}', "1: found neither Dhcp4 nor Dhcp6; expected"),
        ('{"result": 1, "text": "no"}', "is an error, result 1; expected result 0"),
        ('{"Dhcp4": {},\n"x" 1}', "2: found a number; expected ':' after the name"),
        ('{"Dhcp4": {"a": 1\n"b": 2}}', "2: found a string; expected ',' before the next"),
        ('{"Dhcp4": {"a": [1\n2]}}', "2: found a number; expected ',' before the next value"),
        ('{"Dhcp4": {"a": +1}}', "1: unexpected character +; expected JSON"),
        ('{"Dhcp4": {"a": \u201cb\u201d}}', "1: unexpected character \u201c; expected JSON"),
        ('{"Dhcp4": {"a": ' + "1" * 9999 + "}}", "1: a number is too large; expected"),
        ('{"Dhcp4": {"a": 9223372036854775808}}', "1: a number is too large; expected"),
        ('{"Dhcp4": {"a": 1e999}}', "1: a number is too large; expected"),
        ('{"Dhcp4": {"a": Infinity}}', "1: found a word without quotes; expected a value"),
        ('{"Dhcp4": {"a": True}}', "1: found True; expected true, in lower case"),
        ('{"Dhcp4": {"a": [,1]}}', "1: found ','; expected a value"),
        ('{"Dhcp4": {"a": "\\q"}}', "1: invalid escape sequence in a string; expected"),
        ('{"Dhcp4": {\n"a": "x\n"}}', "2: unterminated string; expected"),
        ('{"Dhcp4": {}}\n/* ', "2: unterminated comment; expected */"),
        ('\ufeff{"Dhcp4": {}}', "1: the file has a byte order mark"),
        ('{"Dhcp4": {"a": 1,\n"a": 2}}', "2: a member appears twice in one map, first at"),
        ('{"Dhcp4": {"name": 1,\n"name": 2}}', "2: name appears twice in one map, first at"),
        ('{"Dhcp4": {}} {', "1: found '{'; expected nothing after the configuration"),
        ('{"Dhcp4": {"valid-lifetime\\u0000x": 5}}', "1: the name of a member contains a control"),
        ('{\n<?include "none.json"?>', "conf:2: include: "),
        ('<?include "none.json"?>', "none.json: No such file or directory; expected the file"),
        ("<?include none.json ?>", "1: malformed include; expected <?include"),
        ('{"Dhcp4": <?include "a\0b"?>}', "contains a NUL character; expected the name of a file"),
        ('<?include "/dev/zero"?>', "/dev/zero: is not a regular file; expected"),
        ('<?include "kea-dhcp4.conf"?>', "the file includes itself, or includes are nested"),
        ('{"Dhcp4": ' + "[" * 100000, "nested more than 100 levels deep; expected"),
        ('{"Dhcp4": []}', "1: Dhcp4 is a list; expected a map, {...}"),
    ],
)
def test_refused_files(refusal, text, message):
    assert message in refusal(text)
    assert "expected" in refusal(text)


@pytest.mark.parametrize(
    ("text", "get", "message"),
    [
        ('"a": "90"', lambda m: m.get_whole("a", 99), 'a is "90"; expected a whole number from 0'),
        ('"a": 100', lambda m: m.get_whole("a", 99), "a is 100; expected a whole number from 0"),
        ('"a": -1', lambda m: m.get_whole("a", 99), "a is -1; expected a whole number from 0"),
        ('"a": true', lambda m: m.get_whole("a", 99), "a is true; expected a whole number"),
        ('"a": null', lambda m: m.get_flag("a"), "a is null; expected true or false"),
        ('"a": 1', lambda m: m.get_flag("a"), "a is 1; expected true or false"),
        ('"a": 1', lambda m: m.get_text("a"), "a is 1; expected a string"),
        ('"a": "c"', lambda m: m.get_choice("a", ["b", "d", "e"]), "expected b, d or e"),
        ('"a": {}', lambda m: m.get_list("a"), "a is a map; expected a list, [...]"),
        ('"a": []', lambda m: m.get_map("a"), "a is a list; expected a map, {...}"),
        ('"a": "x"', lambda m: m.get_maps("a"), "a is a string; expected a list"),
        ('"a": [1]', lambda m: m.get_maps("a"), "a is a list; expected a list of maps"),
        ('"a": 2', lambda m: m.get_number("a", lambda n: n < 1, "less"), "a is 2; expected less"),
    ],
)
def test_refused_values(load, text, get, message):
    members = load(dhcp4(text)).server
    with pytest.raises(Problem, match=re.escape(message)) as problem:
        get(members)
    assert str(problem.value).startswith(str(members.places["a"]))


def test_absent_members_are_none():
    members = Members()
    assert members.get_flag("a") is members.get_whole("a", 9) is members.get_text("a") is None
    assert members.get_map("a") is members.get_choice("a", ["b"]) is None
    assert members.get_list("a") == members.get_maps("a") == []


def test_files_that_are_not_regular(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, "/dev/zero", tmp_path / "fifo"):
        with pytest.raises(Problem, match="is not a regular file; expected a Kea configuration"):
            document.read_document(str(path))


def test_limits(tmp_path):
    """Files that include each other many times, and large ones, are refused soon."""
    for number in range(10):
        write(tmp_path, f'<?include "{number + 1}"?>' * 10, str(number))
    write(tmp_path, "", "10")
    with pytest.raises(Problem, match="includes too many files; expected at most 1,000"):
        document.read_document(str(tmp_path / "0"))
    large = write(tmp_path, '{"Dhcp4": {}}' + " " * parser.BYTES_MOST, "large")
    with pytest.raises(Problem, match="is too large; expected at most 16 MiB"):
        document.read_document(large)


# ---- What is never printed


@pytest.mark.parametrize(
    "text",
    [
        '{"password": hunter2}',
        '{"password": hunter2.7}',
        '{"password": \u201chunter2\u201d}',
        '{"password" "hunter2"}',
        '{"password: "hunter2"}',
        '{"hunter2": 1, "hunter2": 2}',
        '["hunter2"',
    ],
)
def test_no_value_of_a_damaged_file_is_printed(refusal, text):
    assert SECRET not in refusal(f'{{"Dhcp4": {{"lease-database": {text}}}}}')


@pytest.mark.parametrize(
    "text",
    [
        '"a": "hunter2", "password": "mysql"',
        '"a": "hunter2", "user": "kea"',
        '"a": "password=hunter2"',
        '"a": [{"password": "hunter2"}]',
        '"a": {"password": "hunter2"}',
    ],
)
def test_no_value_beside_a_password_is_printed(load, text):
    with pytest.raises(Problem) as problem:
        load(dhcp4(text)).server.get_whole("a", 9)
    assert SECRET not in str(problem.value)


def test_damaged_configurations(load):
    """Whatever happens to a file: it is read, or refused by a sentence without its passwords."""
    chance = random.Random(41)
    texts = varied()
    for _ in range(400):
        text = damage(chance.choice(texts), chance)
        try:
            load(text)
        except Problem as problem:
            assert "expected" in str(problem)
            assert SECRET not in str(problem)


def test_places():
    assert FilePlace("a/b.conf", 3).brief("a/b.conf") == "line 3"
    assert FilePlace("a/b.conf", 3).brief("c.conf") == "b.conf:3"
    assert cut_name("a" * 20, 10) == "..." + "a" * 7
