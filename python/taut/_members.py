"""Members of an ensemble from the start of a model: laws, times, statistics, lanes, GPUs (taut_members of taut.h)."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from ._columns import Columns, as_list
from ._library import Hooks, Status, TautError, c_text, error_of, text_of
from ._run import Array
from ._simulation import Simulation, interruptible
from ._taut import ffi, lib

STATS = {"mean": lib.TAUT_STATS_MEAN, "sd": lib.TAUT_STATS_SD, "quantiles": lib.TAUT_STATS_QUANTILES,
         "histogram": lib.TAUT_STATS_HISTOGRAM}


@dataclass(frozen=True)
class Failure:
    """A member that failed: how far it came, and why."""

    member: int
    status: Status
    time: float
    steps: int
    reason: str


@dataclass(frozen=True)
class Statistics:
    """Of one column over all members, at every moment. What was not asked for is NaN."""

    t: Array
    count: npt.NDArray[np.int64]
    """Members that got there."""
    mean: Array
    sd: Array
    lowest: Array
    highest: Array
    quantiles: Array
    """Moments x 5: 5, 25, 50, 75 and 95 %."""
    low: Array
    high: Array
    """Ends of the histograms."""
    histogram: npt.NDArray[np.int64]
    """Moments x 50 bins of equal width between low and high; where all values are the same, the first has them."""


@dataclass
class Spec:
    """What `ensemble` was asked for, besides the simulation."""

    until: float
    h: float
    laws: dict[str, str]
    names: list[str]
    numbers: Optional[Array]
    columns: Optional[Sequence[str]]
    members: Optional[int]
    first: int
    seed: int
    sample: str
    at: Optional[npt.ArrayLike]
    stats: Sequence[str]
    every: int
    paths: int
    lyapunov: bool
    on: str
    threads: int
    fast: bool
    start: str
    file: Union[None, str, os.PathLike[str]]
    replace: bool
    progress: Optional[Callable[[float], Any]]


class Found:
    """What became of the members."""

    def __init__(self, members: Any, keep: Any) -> None:
        info = ffi.new("taut_members_info *", {"size": ffi.sizeof("taut_members_info")})
        lib.taut_members_about(members, info)
        self._members, self._keep = members, keep
        self.count, self.first, self.times, self.moments = int(info.count), int(info.first), info.times, info.moments
        self.columns = Columns(text_of(lib.taut_members_column(members, i)) for i in range(info.columns))
        self.names = [text_of(lib.taut_members_varied(members, i)) for i in range(info.varied)]
        self.on, self.note = text_of(info.on), text_of(info.note)
        self.t = np.array([lib.taut_members_time(members, i) for i in range(info.times)])
        self.rows: Array = np.empty((self.count, info.times, info.columns))
        self.values: Array = np.full((self.count, info.varied), np.nan)
        self.stopped = False
        self.failures: list[Failure] = []
        self.statistics: dict[str, Statistics] = {}

    def take_failures(self, count: int) -> None:
        one = ffi.new("taut_failure *", {"size": ffi.sizeof("taut_failure")})
        for i in range(count):
            lib.taut_members_failure(self._members, i, one)
            known = Status(one.status) if one.status in Status._value2member_map_ else Status.REFUSED
            self.failures.append(Failure(int(one.member), known, one.time, int(one.steps), text_of(one.reason)))
        self.failures.sort(key=lambda failure: failure.member)

    def take_statistics(self, context: Any) -> None:
        one = ffi.new("taut_statistic *", {"size": ffi.sizeof("taut_statistic")})
        for column, name in enumerate(self.columns.names):
            numbers = np.empty((self.moments, 7))
            quantiles, counts = np.empty((self.moments, 5)), np.zeros((self.moments, 50), dtype=np.int64)
            members = np.zeros(self.moments, dtype=np.int64)
            for moment in range(self.moments):
                status = lib.taut_members_statistic(self._members, moment, column, one)
                if status:
                    raise error_of(context, status)
                numbers[moment] = one.time, one.mean, one.sd, one.lowest, one.highest, one.low, one.high
                quantiles[moment], counts[moment] = list(one.quantiles), list(one.counts)
                members[moment] = one.count
            t, mean, sd, lowest, highest, low, high = np.ascontiguousarray(numbers.T)
            self.statistics[name] = Statistics(t, members, mean, sd, lowest, highest, quantiles, low, high, counts)


class ChunkHooks(Hooks):
    """Takes the values of a chunk, and shows progress."""

    def __init__(self, found: Found, progress: Optional[Callable[[float], Any]]) -> None:
        super().__init__()
        self.found, self.progress = found, progress

    def chunk(self, chunk: Any) -> int:
        size, varied = chunk.count, len(self.found.names)
        at = chunk.first - self.found.first
        buffer = ffi.buffer(chunk.values, size * varied * ffi.sizeof("double"))
        self.found.values[at:at + size] = np.frombuffer(buffer, dtype=float).reshape(size, varied)
        if self.progress is not None:
            self.progress(chunk.done / self.found.count)
        return 0


def is_at_start(simulation: Simulation) -> bool:
    there = simulation.copy()
    there.restart()
    return bool(simulation.t == there.t and np.array_equal(simulation.q, there.q)
                and np.array_equal(simulation.p, there.p))


def _strings(texts: Sequence[str]) -> tuple[Any, list[Any]]:
    kept = [ffi.new("char[]", c_text(text)) for text in texts]
    return ffi.new("char *[]", kept), kept


def _create(simulation: Simulation, z: Any, spec: Spec) -> Found:
    laws, kept_laws = _strings([f"{name}={law}" for name, law in spec.laws.items()])
    names, kept_names = _strings(spec.names)
    unknown = [word for word in spec.stats if word not in STATS]
    if unknown:
        raise ValueError(f"stats are {', '.join(STATS)}, not {unknown[0]!r}")
    times = None if spec.at is None else np.ascontiguousarray(np.atleast_1d(np.asarray(spec.at, dtype=float)))
    there = simulation._columns(lib.TAUT_ALL)
    wanted = None if spec.columns is None else ",".join(
        there.names[i] for i in dict.fromkeys(place for name in spec.columns for place in as_list(there.find(name))))
    # "": t alone
    texts = {"sample": spec.sample, "on": spec.on, "keep": None if wanted is None else wanted or "t",
             "file": None if spec.file is None else os.fsdecode(spec.file)}
    kept = {name: ffi.new("char[]", c_text(os.fsencode(text))) for name, text in texts.items() if text is not None}
    given = ffi.new("taut_members_spec *", {
        "size": ffi.sizeof("taut_members_spec"), "h": spec.h, "until": spec.until, "vary": laws,
        "vary_count": len(spec.laws), "names": names, "name_count": len(spec.names), "seed": spec.seed,
        "first": spec.first, "count": spec.members or 0, "strict": spec.start == "strict", "every": spec.every,
        "paths": spec.paths, "stats": sum(STATS[word] for word in set(spec.stats)), "lyapunov": spec.lyapunov,
        "threads": spec.threads, "fast": spec.fast, "replace": spec.replace, **kept})
    if spec.numbers is not None:
        given.values, given.value_rows = ffi.from_buffer("double[]", spec.numbers), len(spec.numbers)
    if times is not None:
        given.at, given.at_count = ffi.from_buffer("double[]", times), len(times)
    result = ffi.new("taut_members **")
    status = lib.taut_members_create(z, given, result)
    if status:
        raise simulation.model._error(simulation._context, status)
    return Found(ffi.gc(result[0], lib.taut_members_release), (kept_laws, kept_names, kept))


def run_members(simulation: Simulation, z: Any, spec: Spec) -> Found:
    """All members of the spec; what fails is in the result."""
    if spec.start not in ("project", "strict"):
        raise ValueError(f"start is project or strict, not {spec.start!r}")
    found = _create(simulation, z, spec)
    hooks = ChunkHooks(found, spec.progress)
    handle = ffi.new_handle(hooks)
    run = ffi.new("taut_members_run_options *", {
        "size": ffi.sizeof("taut_members_run_options"), "rows": ffi.from_buffer("double[]", found.rows),
        "row_capacity": found.count * found.times, "chunk": lib.taut_python_chunk, "user": handle})
    with interruptible() as flag:
        run.interrupt = flag
        status = lib.taut_members_run(found._members, run)
    if hooks.exception is not None:
        raise hooks.exception
    if status:
        raise simulation.model._error(simulation._context, status)
    found.stopped = bool(run.stopped)
    found.take_failures(int(run.failed))
    if found.moments and spec.file is None:
        found.take_statistics(simulation._context)
    return found


def first_failure(found: Found) -> TautError:
    failure = found.failures[0]
    return TautError(f"member {failure.member}: {failure.reason}", failure.status, time=failure.time)


def split(values: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """Laws, and numbers."""
    laws = {name: value for name, value in values.items() if isinstance(value, str)}
    return laws, {name: value for name, value in values.items() if name not in laws}
