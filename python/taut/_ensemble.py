"""Ensembles."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from ._columns import Columns, as_list
from ._library import check_every
from ._members import Failure, Found, Spec, Statistics, first_failure, is_at_start, run_members, split
from ._run import Array, chosen
from ._simulation import Simulation, interruptible
from ._taut import ffi, lib


class Ensemble:
    """The frames of all members, of `ensemble`. `ens["a.x"]` is members x frames, `ens["a"]` members x frames x
    dimension: views of `rows`. What a member did not reach is NaN."""

    rows: Array
    """Members x frames x columns."""
    columns: tuple[str, ...]
    varied: dict[str, Array]
    """What differs from member to member."""
    statuses: npt.NDArray[np.intc]
    """0, or why a member failed (`Status`)."""
    failures: list[Failure]
    """Of members from the start of the model: those that failed, with time and reason."""
    stats: dict[str, Statistics]
    """By column, where statistics were asked for."""
    on: str
    """What computed them: "lanes", "gpu" or "interpreter"."""
    note: str
    """Why it is not what was asked for; otherwise empty."""
    stopped: bool
    """Not all members were run."""

    def __init__(self, rows: Array, columns: Columns, varied: dict[str, Array], statuses: npt.NDArray[np.intc],
                 found: Optional[Found] = None) -> None:
        self.rows, self.columns, self.varied, self.statuses = rows, columns.names, varied, statuses
        self._columns = columns
        self.failures = found.failures if found else []
        self.stats = found.statistics if found else {}
        self.on, self.note = (found.on, found.note) if found else ("interpreter", "")
        self.stopped = found.stopped if found else False

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> Array:
        return self.rows[:, :, self._columns.find(name)]

    @property
    def t(self) -> Array:
        """Times of the frames, members x frames."""
        return self["t"]

    @property
    def energy(self) -> Array:
        return self["energy"]

    def __repr__(self) -> str:
        return f"<taut.Ensemble: {len(self)} members, {self.rows.shape[1]} frames>"


def ensemble(simulation: Simulation, until: float, h: float = 0.01, *, every: Optional[int] = None,
             columns: Optional[Sequence[str]] = None, threads: Optional[int] = None,
             vary: Optional[Mapping[str, Union[str, npt.ArrayLike]]] = None, failures: str = "raise",
             members: Optional[int] = None, first: int = 0, seed: int = 1, sample: str = "random",
             at: Optional[npt.ArrayLike] = None, stats: Union[None, bool, str, Sequence[str]] = None,
             paths: int = 2000, lyapunov: bool = False, on: Optional[str] = None, fast: bool = False,
             start: Optional[str] = None, file: Union[None, str, os.PathLike[str]] = None, replace: bool = False,
             progress: Optional[Callable[[float], Any]] = None, **more: Union[str, npt.ArrayLike]) -> Ensemble:
    """Runs copies of a simulation that differ in some numbers.

    Keywords (or, for names with dots, `vary`) name params, inputs, positions, velocities or momenta, and give a value
    per member, for a point an array of members x dimension; numbers stand for all members. threads: by default as many
    as there are processors; the results do not depend on it. failures: "raise" raises the error of the first member
    that fails (its `ensemble` has all the others), "keep" only says so in `statuses`, unless all fail. The simulation
    is unchanged.

    With values alone, members begin where the simulation is; where params vary, at the start. Frames are taken every so
    many steps.

    >>> import numpy as np, taut
    >>> sim = taut.loads("local x = coordinate 'x'; lagrangian(x.dot^2/2 - param('k', 1)*x^2/2); start { x = 1 }",
    ...                  "spring").simulation()
    >>> ens = taut.ensemble(sim, 1, k=np.linspace(1, 4, 7), threads=2)
    >>> ens["x"].shape
    (7, 101)

    With a law instead of values ("uniform(2.7,2.9)", "normal(3.5,0.1)", "grid(1,5,200)", ...; docs/ensembles.md), or
    any of the following, members begin at the start of the model, where the simulation must be, and are computed as by
    `taut ensemble`: in lanes of the processor's vectors, on a GPU, or one by one (on: "lanes", "gpu", "interpreter").
    members: how many, where no grid and no values say it, from member `first` on. Member k is a function of seed and k.
    sample: "random", "latin" or "sobol". at: times of the frames, by default the end. stats: True, or some of "mean",
    "sd", "quantiles", "histogram", every so many steps (by default a hundredth of the run); quantiles between the times
    of `at` are those of `paths` members. lyapunov: one more column, "lyapunov". start: "project" makes start values
    that vary consistent, "strict" lets members fail that are not. file: a file as the command writes it, with the
    statistics. progress: a function that is called with the part that is done, between 0 and 1.

    >>> ens = taut.ensemble(sim, 1, k="uniform(1,4)", members=100, at=[0.5, 1], stats=True)
    >>> ens["x"].shape, ens.stats["x"].mean.shape
    ((100, 2), (101,))
    """
    check_every(every)
    if failures not in ("raise", "keep"):
        raise ValueError(f"failures is raise or keep, not {failures!r}")
    laws, values = split({**(vary or {}), **more})
    varied = {name: np.asarray(value, dtype=float) for name, value in values.items()}
    if not varied and not laws:
        raise ValueError("nothing varies: give values or a law for a param, an input or a coordinate")
    from_start = bool(laws or members is not None or first or at is not None or stats or lyapunov or on or fast
                      or start or file is not None or progress)
    count = threads or min(os.cpu_count() or 1, lib.TAUT_THREADS_MOST)
    with simulation._alone() as z:
        names, spots, numbers = _numbers(simulation, varied)
        if from_start:
            words = list(("mean", "sd", "quantiles", "histogram") if stats is True else
                         [stats] if isinstance(stats, str) else stats or [])
            spec = Spec(until, h, laws, names, numbers, columns, members, first, seed, sample, at, words, every or 0,
                        paths, lyapunov, on or "lanes", count, fast, start or "project", file, replace, progress)
            return _from_start(simulation, z, spec, varied, failures)
        assert numbers is not None
        there = simulation._columns(lib.TAUT_ALL)
        indices = list(range(len(there.names))) if columns is None else chosen(there, columns)
        run = ffi.new("taut_run *", {"size": ffi.sizeof("taut_run"), "h": h, "until": until,
                                     "every": 1 if every is None else every})
        wanted = ffi.new("size_t[]", indices)
        run.columns, run.column_count = wanted, len(indices)
        return _run(simulation, z, run, numbers, spots, varied, Columns(there.names[i] for i in indices), count,
                    failures)


def _numbers(simulation: Simulation, varied: Mapping[str, Array]) -> tuple[list[str], list[tuple[int, int]],
                                                                           Optional[Array]]:
    """The single numbers that vary: names, kinds with indices, and members x numbers."""
    names: list[str] = []
    spots: list[tuple[int, int]] = []
    parts: list[Array] = []
    for name, values in varied.items():
        kind, places = _find(simulation, name)
        spots += [(kind, place) for place in places]
        names += [simulation._columns(kind).names[place] for place in places]
        parts += [values] if len(places) == 1 else [values[..., i] for i in range(len(places))]
    if not parts:
        return names, spots, None
    if all(part.ndim == 0 for part in parts):
        parts[0] = parts[0].reshape(1)
    numbers: Array = np.ascontiguousarray(np.stack(np.broadcast_arrays(*parts), axis=-1))
    if numbers.ndim != 2:
        raise ValueError("a value per member is needed, in one dimension")
    return names, spots, numbers


def _from_start(simulation: Simulation, z: Any, spec: Spec, varied: dict[str, Array], failures: str) -> Ensemble:
    if not is_at_start(simulation):
        raise ValueError("the simulation is not at its start, where members with laws, times, statistics ... begin; "
                         "restart it, or give values alone")
    found = run_members(simulation, z, spec)
    statuses: npt.NDArray[np.intc] = np.zeros(found.count, dtype=np.intc)
    for failure in found.failures:
        statuses[failure.member - found.first] = failure.status
    sampled = {name: found.values[:, found.names.index(name)] for name in spec.laws}
    result = Ensemble(found.rows, found.columns, {**varied, **sampled}, statuses, found)
    if found.failures and (failures == "raise" or len(found.failures) == found.count):
        error = first_failure(found)
        error.ensemble = result
        raise error
    return result


def _run(simulation: Simulation, z: Any, spec: Any, numbers: Array, spots: Sequence[tuple[int, int]],
         varied: dict[str, Array], columns: Columns, threads: int, failures: str) -> Ensemble:
    varies_param = any(kind == lib.TAUT_PARAM for kind, _ in spots)
    frames = _frames(simulation, spec, varies_param)
    spec.row_capacity = frames
    rows: Array = np.empty((len(numbers), frames, len(columns.names)))
    statuses: npt.NDArray[np.intc] = np.zeros(len(numbers), dtype=np.intc)
    with interruptible() as flag:
        spec.interrupt = flag
        status = lib.taut_ensemble(z, spec, len(numbers), ffi.new("taut_vary[]", spots), len(spots),
                                   ffi.from_buffer("double[]", numbers), threads, ffi.from_buffer("double[]", rows),
                                   ffi.from_buffer("int[]", statuses))
    result = Ensemble(rows, columns, varied, statuses)
    # With the same failure in all of them, or in none, it is one of the arguments.
    if status and (failures == "raise" or statuses.all() or not statuses.any()):
        error = simulation.model._error(simulation._context, status)
        error.ensemble = result
        raise error
    return result


def _frames(simulation: Simulation, spec: Any, from_start: bool) -> int:
    """Members whose params vary begin at the start of the simulation, others where it is."""
    there = simulation
    if from_start and simulation.t != simulation._options["time"]:
        there = simulation.copy()
        there.restart()
    return int(lib.taut_run_rows(there._pointer, spec))


def _find(simulation: Simulation, name: str) -> tuple[int, list[int]]:
    for kind in (lib.TAUT_PARAM, lib.TAUT_INPUT, lib.TAUT_POSITION, lib.TAUT_VELOCITY, lib.TAUT_MOMENTUM):
        names = simulation._columns(kind)
        try:
            return kind, as_list(names.find(name))
        except KeyError:
            pass
    raise KeyError(f"no param, input, position, velocity or momentum {name!r}")
