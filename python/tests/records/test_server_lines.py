# SPDX-License-Identifier: ISC
"""Lines of whole DHCP servers: the figure of a search, and what else a line says."""

from __future__ import annotations

import pytest
import samples
from samples import server, server_goal, server_trial, single_trial

from ubench.records.observation import (
    Amount,
    DurabilityClass,
    How,
    Observation,
    Origin,
    Source,
)
from ubench.records.reader import read_line
from ubench.records.schema import Damaged
from ubench.records.server import ServerMeasurement


def measured(observation: Observation) -> ServerMeasurement:
    assert observation.server is not None
    return observation.server


def codes(observation: Observation) -> list[str]:
    return [warning.code for warning in observation.warnings]


def test_an_earlier_search_is_its_highest_rate_that_held() -> None:
    trials = [
        server_trial(500, 2000),
        server_trial(900, 3600),
        server_trial(1500, 4000, holds=False),
        server_trial(2000, 9000, kept_up=False),
    ]
    observation = samples.observe(
        server(rate=900, trials=trials, store_name="MariaDB 10.11.14", name="mysql")
    )
    best = measured(observation).best
    assert best is not None
    assert (best.offered, best.granted) == (900, 3600)
    assert measured(observation).is_earlier
    (sample,) = observation.samples
    assert (sample.name, sample.rate, sample.how) == ("dora", 900, How.ALONE)
    assert (sample.operations, sample.elapsed_s, sample.leases) == (3600, 4.0, 3600)
    assert observation.origin is Origin.SERVER
    assert (observation.store, observation.keeper) == ("kea-dhcp4/mysql", "mysql")
    assert list(observation.facts.items()) == [("kea-dhcp4", "2.2.0"), ("MariaDB", "10.11.14")]
    assert observation.product.full_name == "kea-dhcp4 2.2.0"


def test_a_search_is_the_median_of_its_lower_bound() -> None:
    trials = [
        server_trial(900, 3600, granted_per_s=899),
        server_trial(950, 3700, granted_per_s=925),
        server_trial(900, 3520, granted_per_s=880),
        server_trial(900, 3400, granted_per_s=850, holds=False),
        server_trial(950, 3800, granted_per_s=949),
    ]
    observation = samples.observe(
        server(rate=880, trials=trials, goals=[server_goal(900, 950, 880)])
    )
    best = measured(observation).best
    assert best is not None
    assert best.granted == 3520
    assert observation.samples[0].rate == 880
    assert "search" not in observation.parameters
    assert observation.warnings == ()


def test_servers_on_one_database_are_not_as_one() -> None:
    assert samples.observe(server(servers=2)).load.shares_pool
    one = samples.observe(server(allocator="random"))
    assert not one.load.shares_pool
    assert one.parameters["allocator"] == "random"


def test_short_trials_and_earlier_searches_are_told_apart() -> None:
    assert samples.observe(server()).parameters["search"] == "earlier"
    rough = samples.observe(server(goals=[server_goal(1000, 1040, 1000)], rough=True))
    assert rough.parameters["search"] == "rough"
    assert measured(rough).rough


@pytest.mark.parametrize(
    ("lower", "upper", "members", "words"),
    [
        (900, None, {}, "no upper bound"),
        (None, 900, {}, "no lower bound"),
        (900, 940, {"confirmed": False}, "not confirmed"),
    ],
)
def test_bounds_that_are_missing_are_a_warning(
    lower: float | None, upper: float | None, members: samples.Line, words: str
) -> None:
    trials = [server_trial(900, 3600, granted_per_s=900)] * 2
    goals = [server_goal(lower, upper, lower, **members)]
    observation = samples.observe(server(rate=lower, goals=goals, trials=trials))
    assert codes(observation) == ["search"]
    assert words in observation.warned
    assert observation.incomplete == (lower is None)
    assert bool(observation.samples) == (lower is not None)


def test_the_limit_of_the_load_is_no_missing_bound() -> None:
    goals = [server_goal(1000, None, 1000)]
    assert codes(samples.observe(server(goals=goals, limited_by_load=True))) == ["load-limit"]


def test_settings_are_parameters() -> None:
    observation = samples.observe(server(family=6, hook="none", classes=3, renew_old=900))
    parameters = observation.parameters
    assert parameters["workload"] == (
        "server rate, 900 renewals of old leases to 100 new clients"
    )
    assert (parameters["ipv6"], parameters["classes"]) == ("yes", "3")
    assert (parameters["max_lost"], parameters["processors.server"]) == ("0.025", "0-1")
    assert "hook" not in parameters
    assert observation.samples[0].name == "sarr"
    assert (observation.program, observation.load.family) == ("kea-dhcp6", 6)
    zero = samples.observe(server(set={"cache-max-age": 0})).parameters
    assert zero["set.cache-max-age"] == "0"


def test_several_threads_may_be_all_that_a_publication_tells() -> None:
    observation = samples.observe(server(threads=None))
    assert (observation.parameters["threads"], observation.load.threads) == ("several", 1)
    assert samples.observe(server(threads=4)).load.threads == 4


def test_dhcpd_keeps_its_leases_itself() -> None:
    line = server("dhcpd", server="dhcpd", server_version="4.4.3")
    del line["store_name"]
    observation = samples.observe(line)
    assert (observation.store, observation.keeper) == ("dhcpd", "dhcpd")
    assert observation.facts == {"dhcpd": "4.4.3"}


def test_the_build_of_kea_is_a_fact() -> None:
    facts = samples.observe(server(server_build="abc", server_library="/x")).facts
    assert (facts["Kea build-id"], facts["Kea library"]) == ("abc", "/x")


def test_a_search_without_a_rate_has_no_sample() -> None:
    trials = [server_trial(9, 1, holds=False)] * 2
    observation = samples.observe(server(rate=None, trials=trials))
    assert (observation.incomplete, observation.samples) == (True, ())
    assert measured(observation).best is None
    assert not observation.load.open


def test_a_published_rate_has_no_trial_and_no_leases() -> None:
    line = server(cls=None, rate=11686, published="a paper")
    del line["trials"]
    observation = samples.observe(line)
    (sample,) = observation.samples
    assert (sample.rate, sample.operations, sample.elapsed_s, sample.leases, sample.amount) == (
        11686, None, None, 0, None)
    assert measured(observation).best is None
    assert not measured(observation).is_earlier


@pytest.mark.parametrize(("stored", "leases"), [(None, 3600), (41000, 41000)])
def test_leases_are_those_that_were_stored(stored: int | None, leases: int) -> None:
    trials = [server_trial(900, 3600, stored=stored)]
    assert samples.observe(server(rate=900, trials=trials)).samples[0].leases == leases


def test_the_amount_of_a_search_is_that_of_all_trials() -> None:
    trials = [server_trial(900, 3600), server_trial(950, 400)]
    assert samples.observe(server(rate=900, trials=trials)).samples[0].amount == Amount(4000, 8)


def test_a_given_rate_is_one_trial() -> None:
    trial = server_trial(200, 170, sent=200, lost=0.15)
    observation = samples.observe(single_trial("seconds", trial, seconds_each=[
        {"asked": 5, "granted": 4}]))
    assert observation.load.open
    assert (observation.samples, observation.incomplete) == ((), False)
    assert observation.parameters["rate"] == "200"
    measurement = measured(observation)
    assert measurement.best is measurement.trials[0]
    assert (measurement.best.sent, measurement.best.granted, measurement.best.lost) == (
        200, 170, 0.15)
    assert (measurement.seconds[0].asked, measurement.seconds[0].granted) == (5, 4)
    assert measurement.trial_s == 4


def test_a_storm() -> None:
    storm = server_trial(None, 300, duration_s=2.5, resent=44)
    observation = samples.observe(single_trial("storm", storm, clients=300))
    trial = measured(observation).trials[0]
    assert (trial.offered, trial.duration_s, trial.resent) == (None, 2.5, 44)
    assert observation.parameters["clients"] == "300"
    assert "rate" not in observation.parameters


def test_the_cost_of_a_lease_counts_renewals() -> None:
    renew = {"sent": 10, "received": 100, "min_ms": 1, "mean_ms": 1, "max_ms": 1, "sd_ms": 0}
    trial = measured(samples.observe(server(trials=[server_trial(
        900, 300, cost_us=20, renew=renew)]))).trials[0]
    assert trial.cost_us("server") == pytest.approx(15)
    assert trial.cost_us("a part that no line has") is None


def test_warnings() -> None:
    busy = server_trial(1000, 4000)
    busy["processor_s"]["other"] = 1.2
    line = server(trials=[busy], limited_by_load=True, warning="odd")
    assert codes(samples.observe(line)) == ["other", "load-limit", "other-work"]
    assert samples.observe(line).warnings[2].text == "other work used 10 % of the processors"
    small = server(pool=5000, leases=2000, trials=[server_trial(1000, 4000)])
    assert "--pool" in samples.observe(small).warned


def test_durability_is_that_of_a_result() -> None:
    assert samples.observe(server(cls="bounded")).cls is DurabilityClass.BOUNDED
    modern = server(durability={
        **samples.durability("volatile", settings=[{"name": "a", "value": "1"}]),
        "from": "whatever"})
    durability = samples.observe(modern).durability
    assert durability.setting("a") == "1"
    assert durability.basis == "a=1"


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"node_loss": 1}, "durability.node_loss: is not an object"),
        ({"node_loss": {}}, "durability.node_loss.loss: is missing"),
        ({"node_loss": "perhaps"}, "durability.node_loss: is 'perhaps'; expected yes, no, unknown"),
        ({"kill": None}, "durability.power: is missing"),
        ({"kill": {"loss": "some"}, "power": None, "settings": [], "reasons": []},
         "durability.kill.loss: is 'some'"),
        ({"kill": None, "power": None, "settings": [{}], "reasons": []},
         "durability.settings[0].name: is missing"),
        ({"kill": None, "power": None, "settings": [], "reasons": [[]]},
         "durability.reasons[0]: is not a string"),
    ],
)  # fmt: skip
def test_a_damaged_durability_is_left_out(members: dict[str, object], why: str) -> None:
    line = server(durability={"class": "power-safe", "from": "fsync=on", **members})
    with pytest.raises(Damaged) as damage:
        read_line(samples.encode(line), Source("x.jsonl", 1))
    assert str(damage.value).startswith(why)


def test_other_commands_have_figures_of_their_own() -> None:
    expire = {"reclaimed": 900, "left": 9100, "per_hour": 32000, "silent_s": 0.25}
    trial = server_trial(20, 100, start_s=1.5, memory_mb=30.5)
    measurement = measured(samples.observe(single_trial("expire", trial, expire=expire)))
    assert measurement.members["expire"] == expire
    members = measurement.trials[0].members
    assert (members["start_s"], members["memory_mb"]) == (1.5, 30.5)
