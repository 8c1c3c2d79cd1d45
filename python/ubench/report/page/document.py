# SPDX-License-Identifier: ISC
"""Puts a page together: the template, the style, the script, Chart.js and the data."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ubench import described
from ubench.errors import Problem
from ubench.report.page.contents import Contents
from ubench.terminal import plain

if TYPE_CHECKING:
    import jinja2

HERE = Path(__file__).parent
# In this order: each uses only what stands before it, until page.js starts all.
SCRIPTS = (
    "tools.js",
    "answer.js",
    "site.js",
    "charts.js",
    "ratios.js",
    "short.js",
    "history.js",
    "batches.js",
    "servers.js",
    "demand.js",
    "crashes.js",
    "page.js",
)
# Where Debian, Ubuntu and npm have it; all of them define the global Chart.
CHART_JS = (
    Path("/usr/share/javascript/chart.js/chart.umd.js"),
    Path("/usr/share/javascript/chart.js/chart.min.js"),
    Path("/usr/share/nodejs/chart.js/dist/chart.umd.js"),
    Path("/usr/share/nodejs/chart.js/dist/chart.min.js"),
    Path("/usr/share/javascript/chart.js/Chart.min.js"),
)
NO_CHART_JS = "Chart.js is missing, which draws the page's charts; install libjs-chart.js"
NO_JINJA = "the Python module jinja2 is missing, which makes the page; install python3-jinja2"


def write_page(title: str, contents: Contents) -> str:
    """Return the HTML of a page. Raises Problem if jinja2 or Chart.js is not installed."""
    style = (HERE / "page.css").read_text("utf-8")
    own = [(HERE / "scripts" / name).read_text("utf-8") for name in SCRIPTS]
    scripts = [chart_js(), *(f"\n{text}" for text in own)]
    script = "\n".join(scripts)
    text: str = template_environment(HERE).get_template("page.html").render(
        title=plain(title),
        contents=contents,
        meanings=described.meanings(),
        style=style,
        style_hash=content_hash(style),
        script=script,
        script_hash=content_hash(script),
        data=data_text(contents.data),
    )
    return text


def template_environment(folder: Path) -> jinja2.Environment:
    """Return the templates of a folder. Raises Problem if jinja2 is not installed."""
    try:
        import jinja2  # noqa: PLC0415 - only pages need it
    except ImportError:
        raise Problem(NO_JINJA) from None
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def chart_js(paths: Sequence[Path] = CHART_JS) -> str:
    """Return the text of Chart.js, without the reference to its source map."""
    for path in paths:
        if path.is_file():
            text = path.read_text("utf-8")
            return re.sub(r"//# sourceMappingURL=\S*", "", text).replace("</script", "<\\/script")
    raise Problem(NO_CHART_JS)


def content_hash(text: str) -> str:
    """Return the hash by which the page's security policy allows a script or a style."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def data_text(data: object) -> str:
    """Return the data as JSON that cannot end the element it stands in."""
    text = json.dumps(clean(data), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")


def clean(value: object) -> object:
    """Return a value of JSON, with texts that browsers show in full."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {plain(str(key)): clean(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(each) for each in value]
    return value
