# SPDX-License-Identifier: ISC
"""How a duel's differences are said: "5.1 % slower (4.2 % to 6.0 %)"."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ubench import stats, units
from ubench.report.duel.statistics import exceeds_null, farthest, tellable


@dataclass(frozen=True)
class Wording:
    """How a difference is said: in per cent below a factor of two, else as a factor."""

    less: str
    more: str
    times_less: str
    times_more: str


SPEED = Wording(
    less="{size} slower",
    more="{size} faster",
    times_less="{size} times slower",
    times_more="{size} times as fast",
)
RUNNER_TIME = Wording(
    less="takes {size} less of the runner's CPU time for each operation",
    more="takes {size} more of the runner's CPU time for each operation",
    times_less="takes {size} times less of the runner's CPU time for each operation",
    times_more="takes {size} times as much of the runner's CPU time for each operation",
)
SERVER_TIME = Wording(
    less="takes {size} less of the server's CPU time for each operation",
    more="takes {size} more of the server's CPU time for each operation",
    times_less="takes {size} times less of the server's CPU time for each operation",
    times_more="takes {size} times as much of the server's CPU time for each operation",
)
INSTRUCTIONS_DONE = Wording(
    less="takes {size} fewer instructions for each operation",
    more="takes {size} more instructions for each operation",
    times_less="takes {size} times fewer instructions for each operation",
    times_more="takes {size} times as many instructions for each operation",
)
PERCENT_RANGE = " ({near} to {far})"
TIMES_RANGE = " ({near} to {far} times)"

TOO_FEW = "not enough: {blocks} of {least} blocks or rounds"
NOT_SHOWN = "no difference shown: it is below {size}"


def difference_text(
    contrast: stats.Contrast, null: stats.Contrast | None, wording: Wording = SPEED
) -> str:
    """Return how a side differs: "5.1 % slower", or that no difference is shown."""
    text = _why_not_shown(contrast, null)
    return text or _sized(contrast, wording)


def difference_with_interval(
    contrast: stats.Contrast, null: stats.Contrast | None, wording: Wording = SPEED
) -> str:
    """Return the same with the ends of the interval: "5.1 % slower (4.2 % to 6.0 %)"."""
    text = _why_not_shown(contrast, null)
    return text or _sized(contrast, wording) + _range(contrast)


def _why_not_shown(contrast: stats.Contrast, null: stats.Contrast | None) -> str:
    """Return why nothing can be said of a difference; "" if something can."""
    if contrast.interval is None:
        return TOO_FEW.format(blocks=contrast.blocks, least=stats.LEAST)
    if exceeds_null(contrast, null):
        return ""
    away = max(farthest(contrast.interval), tellable(null))
    return NOT_SHOWN.format(size=percent(math.exp(away)))


def _sized(contrast: stats.Contrast, wording: Wording) -> str:
    ratio = _ratio(contrast)
    if _is_manifold(ratio):
        form = wording.times_less if ratio < 1 else wording.times_more
    else:
        form = wording.less if ratio < 1 else wording.more
    return form.format(size=_size(ratio, ratio))


def _range(contrast: stats.Contrast) -> str:
    """Return the ends of the interval, the one that is nearer to 1 first."""
    ratio = _ratio(contrast)
    if contrast.interval is None:
        return ""
    ends = (contrast.interval.low, contrast.interval.high)
    near, far = sorted(ends, key=lambda end: abs(math.log(end)))
    form = TIMES_RANGE if _is_manifold(ratio) else PERCENT_RANGE
    return form.format(near=_size(near, ratio), far=_size(far, ratio))


def _size(value: float, ratio: float) -> str:
    """Return how far a ratio is from 1, in the form that suits the middle of its interval."""
    return units.figure(max(value, 1 / value)) if _is_manifold(ratio) else percent(value)


def _is_manifold(ratio: float) -> bool:
    """Return whether a ratio is better said as a factor: "11 times" and not "1,000 % more"."""
    return not 0.5 < ratio < 2


def _ratio(contrast: stats.Contrast) -> float:
    return 1.0 if contrast.ratio is None else contrast.ratio


def percent(ratio: float) -> str:
    """Return how far a ratio is from 1: "0.52 %", "5.1 %", "150 %"."""
    away = abs(ratio - 1) * 100
    if away >= 99.5:
        return f"{away:.0f} %"
    return f"{away:.1f} %" if away >= 0.995 else f"{away:.2f} %"
