# SPDX-License-Identifier: ISC
"""container/compose.yaml is as the Compose specification has it, and as its page uses it."""

from __future__ import annotations

import json
import re
import zipfile
from typing import Any

import jsonschema
import pytest
from conftest import succeeds
from samples import ROOT

yaml = pytest.importorskip("yaml")
PACKAGE = "docker-compose==1.29.2"  # has the schema of the specification
SCHEMA = "compose/config/compose_spec.json"
PAGE = (ROOT / "container" / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """The file, decoded."""
    text = (ROOT / "container" / "compose.yaml").read_text("utf-8")
    decoded: dict[str, Any] = yaml.safe_load(text)
    return decoded


def specification() -> dict[str, Any] | None:
    """The schema of the specification; None if pip cannot get it, and then it judges nothing."""
    folder = ROOT / "build" / "compose"
    if not list(folder.glob("*.whl")):
        commands = (
            ["/usr/bin/python3", "-m", "venv", folder / "venv"],
            [
                folder / "venv" / "bin" / "pip", "download", "--quiet", "--no-deps", "--dest",
                folder, PACKAGE,
            ],
        )  # fmt: skip
        if not all(map(succeeds, commands)):
            print(f"left out: the Compose specification: pip cannot get {PACKAGE}")
            return None
    (path,) = folder.glob("*.whl")
    schema: dict[str, Any] = json.loads(zipfile.ZipFile(path).read(SCHEMA))
    return schema


def test_the_file_is_as_the_specification_has_it(compose: dict[str, Any]) -> None:
    schema = specification()
    if schema is None:
        return
    validator = jsonschema.Draft7Validator(schema)
    known = {name: member for name, member in compose.items() if name != "name"}  # of later schemas
    validator.validate(known)
    damaged = {**known, "services": {"ubench": {"read_only": "perhaps"}}}
    assert not validator.is_valid(damaged)


def test_volumes_are_declared(compose: dict[str, Any]) -> None:
    used = {
        volume.partition(":")[0]
        for service in compose["services"].values()
        for volume in service["volumes"]
    }
    assert used == set(compose["volumes"])


def test_ubench_may_do_nothing_but_write_results(compose: dict[str, Any]) -> None:
    ubench = compose["services"]["ubench"]
    assert ubench["read_only"]
    assert ubench["cap_drop"] == ["ALL"]
    assert ubench["user"] == "1000:1000"
    assert ubench["volumes"] == ["results:/results"]


@pytest.mark.parametrize("text", [PAGE, (ROOT / "container" / "compose.yaml").read_text("utf-8")])
def test_commands_name_services_of_the_file(compose: dict[str, Any], text: str) -> None:
    """The service that is started is the host of the runner; both have the same password."""
    started = re.findall(r"compose\.yaml up -d --wait (\w+)", text)
    hosts = re.findall(r"_ubench -m (\w+) ", text)
    assert started
    assert set(started) == {host for host in hosts if host in compose["services"]}
    for name in started:
        variables = compose["services"][name]["environment"]
        passwords = {value for key, value in variables.items() if key.endswith("_PASSWORD")}
        own = compose["services"]["ubench"]["environment"]["UBENCH_PASSWORD"]
        assert own in passwords
