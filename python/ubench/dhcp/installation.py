# SPDX-License-Identifier: ISC
"""The DHCP server that is measured: its programs, its libraries, its version and its build."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ubench import paths
from ubench.dhcp.plan import Plan
from ubench.dhcp.site import SiteConfiguration
from ubench.run import process

HOOK_FOLDERS = ("lib/*/kea/hooks", "lib*/kea/hooks")  # below the prefix of an installation
SERVER_LIBRARIES = ("lib/libkea-dhcpsrv.so*", "lib*/*/libkea-dhcpsrv.so*")
SLOW_HOOK = "ubench_hook.so"
# Variables that name the folders in which Kea may write.
FOLDER_VARIABLES = (
    "KEA_LOCKFILE_DIR",
    "KEA_PIDFILE_DIR",
    "KEA_DHCP_DATA_DIR",
    "KEA_LOG_FILE_DIR",
    "KEA_CONTROL_SOCKET_DIR",
)
SYSTEM_FOLDERS = "/usr/sbin:/sbin"  # ordinary users may lack them in PATH
# An ELF note with a build-id: the lengths of name and contents (4, 20), type 3, the name "GNU".
BUILD_ID_NOTE = re.compile(rb"\x04\0{3}\x14\0{3}\x03\0{3}GNU\0(.{20})", re.DOTALL)


@dataclass(frozen=True)
class Build:
    """The libraries of Kea that a server loads."""

    library: str  # the path of the one with the lease managers, or of the server itself
    build_id: str  # of that library
    libraries: str  # the number of Kea's libraries and a digest of their build-ids

    def members(self) -> dict[str, str]:
        """Return the build as a line of results has it (results/kea.schema.json)."""
        return {
            "server_library": self.library,
            "server_build": self.build_id,
            "server_libraries": self.libraries,
        }


@dataclass(frozen=True)
class Installation:
    """The DHCP servers below a prefix, or without one those that PATH has."""

    prefix: str = ""

    @property
    def search_path(self) -> str:
        """PATH for the programs of this installation."""
        path = f"{os.environ.get('PATH', '/usr/bin:/bin')}:{SYSTEM_FOLDERS}"
        return f"{self.prefix}/sbin:{path}" if self.prefix else path

    def find(self, program: str) -> str | None:
        """Return the path of a program; None if it is not installed."""
        return shutil.which(program, path=self.search_path)

    @cached_property
    def root(self) -> Path | None:
        """The folder of this Kea, /usr for /usr/sbin/kea-dhcp4; None if it is not installed."""
        program = self.find("kea-dhcp4") or self.find("kea-dhcp6")
        return Path(program).resolve().parents[1] if program else None

    @property
    def hooks(self) -> Path | None:
        """The folder of Kea's hook libraries."""
        return self._first(HOOK_FOLDERS)

    @cached_property
    def environment(self) -> dict[str, str]:
        """The environment of its programs.

        It has the libraries of this Kea first, which a copied server would not find.
        """
        library = self._first(SERVER_LIBRARIES)
        known = os.environ.get("LD_LIBRARY_PATH")
        folders = [str(library.parent)] if library else []
        search = ":".join(folders + ([known] if known else []))
        return {**os.environ, "PATH": self.search_path, "LD_LIBRARY_PATH": search}

    def _first(self, patterns: Iterable[str]) -> Path | None:
        """Return the first path below its root that matches."""
        if self.root is None:
            return None
        candidates = (path for pattern in patterns for path in self.root.glob(pattern))
        return next(candidates, None)

    def version(self, plan: Plan) -> str:
        """Return the version of the plan's server: "2.2.0"."""
        option = "--version" if plan.is_dhcpd else "-v"
        finished = process.capture([plan.program, option], env=self.environment)
        return (finished.out + finished.err).strip().removeprefix("isc-dhcpd-")

    def complaint(self, plan: Plan, config: Mapping[str, object]) -> str:
        """Return what Kea says of a configuration that it refuses; "" if it accepts that."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "server.conf"
            path.write_text(json.dumps(config), encoding="utf-8")
            environment = {**self.environment, **dict.fromkeys(FOLDER_VARIABLES, folder)}
            finished = process.capture([plan.program, "-t", str(path)], env=environment)
        said = last_line(finished.err or finished.out).replace(str(path), path.name)
        return "" if finished.status == 0 else said

    def build(self, plan: Plan, hooks: Iterable[Path]) -> Build:
        """Return the libraries of Kea that its server loads, with these hook libraries."""
        program = self.find(plan.program) or plan.program
        listed = process.capture(["ldd", program], env=self.environment).out
        loaded = [Path(path) for path in re.findall(r"=> (\S*/libkea-\S+)", listed)]
        loaded += [path for path in hooks if path.name.startswith("libdhcp_")]
        ids = {path.name: build_id(path) for path in loaded if path.exists()}
        text = json.dumps(ids, sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        managers = re.search(r"libkea-dhcpsrv\S* => (\S+)", listed)
        library = managers[1] if managers else program
        return Build(library, build_id(Path(library)), f"{len(ids)}, {digest}")

    def link_hooks(self, folder: Path, site: SiteConfiguration | None) -> None:
        """Fill a folder with links to all hook libraries that a configuration can name.

        Kea 2.6.3 and later load hook libraries from a single directory. It gets those of this
        Kea, the slow hook of ubench, and those that a site has elsewhere.
        """
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        candidates = site.library_paths if site else []
        if self.hooks:
            candidates += self.hooks.glob("libdhcp_*.so")
        slow_hook = paths.library(SLOW_HOOK)
        if slow_hook:
            candidates.append(slow_hook)
        libraries = {path.name: path for path in candidates if path.exists()}
        for name, path in libraries.items():
            (folder / name).symlink_to(path)


def last_line(text: str) -> str:
    """Return the last line of a program's messages."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "nothing")


def build_id(path: Path) -> str:
    """Return the build-id of a program or library, in hexadecimal; "" if it has none."""
    note = BUILD_ID_NOTE.search(path.read_bytes())
    return note[1].hex() if note else ""
