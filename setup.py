# SPDX-License-Identifier: ISC
"""Adds describe.json to the package that pip installs; pyproject.toml has everything else.

The runners say in it what exchanges and classes mean. A C compiler and make are enough for that:
null_ubench needs no library of a database.
"""

import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

DESCRIPTION = Path("build", "describe.json")


class BuildWithDescription(build_py):
    """Copies the modules, and the description that the runners give of themselves."""

    def run(self) -> None:
        """Build the package. Fails if the description is not there and cannot be made."""
        super().run()
        if not DESCRIPTION.exists():
            subprocess.run(["make", "-s", "BACKENDS=null", str(DESCRIPTION)], check=True)
        shutil.copyfile(DESCRIPTION, Path(self.build_lib, "ubench", "data", "describe.json"))


setup(cmdclass={"build_py": BuildWithDescription})
